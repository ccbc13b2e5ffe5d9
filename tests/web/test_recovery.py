"""Nothing stays RUNNING for ever: killed workers, lost messages and stops, with a real Celery worker."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as project
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from mirror.asking import services
from mirror.asking.models import Run, Version
from mirror.work.leases import Status
from mirror.work.recovery import work_recover
from tests import warm
from tests.processes import below, command, seconds_used
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "How many customers are there?"


def counting(to: int) -> str:
    """SQL that counts for a while: about 4 million rows a second here."""
    return f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {to}) SELECT count(*) FROM n"


FOR_EVER = counting(10**12)


class Worker:
    """A real Celery worker with one pool process, as `script/server` starts it."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.environment, self.log = environment, log
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        """See to it that it runs."""
        if self.process is not None and self.process.poll() is None:
            return
        name = ["--hostname", f"t{time.time_ns()}@test"]
        quiet = ["--without-mingle", "--without-gossip", "--without-heartbeat"]
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "mirror",
            "worker",
            "--pool",
            "prefork",
            "--concurrency",
            "1",
        ]
        with self.log.open("ab") as out:
            self.process = warm.Popen(
                [*command, *quiet, *name], cwd=ROOT, env=self.environment, stdout=out, stderr=out
            )

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedServer]:
    """A language model that says what a test wants, as slowly as it wants."""
    server = ScriptedServer().start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def machine(django_db_setup, model, tmp_path_factory) -> Iterator[Worker]:
    """One worker for all tests here: starting one takes seconds."""
    folder = tmp_path_factory.mktemp("worker")
    worker = Worker(
        os.environ
        | {
            "DJANGO_SETTINGS_MODULE": "mirror.settings",
            "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
            "MEDIA_ROOT": str(folder / "media"),
            "LEASE_SECONDS": "2",
            "STATEMENT_SECONDS": "60",
            "LLM_BASE_URL": model.base_url,
            "LLM_MODEL": "scripted",
        },
        folder / "worker.log",
    )
    yield worker
    worker.kill()


@pytest.fixture
def worker(machine, model, settings) -> Worker:
    settings.MEDIA_ROOT = machine.environment["MEDIA_ROOT"]
    settings.LEASE_SECONDS = 2
    model.script, model.seconds = "```sql\nSELECT count(*) AS n FROM customers\n```", 0
    model.bodies.clear()
    return machine


def until(fact: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something is true, handing back lost work meanwhile as the scheduler would."""
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "it did not become true in time"
        time.sleep(0.1)
        work_recover()


def status(row: Run | Version) -> str:
    row.refresh_from_db()
    return row.status


def test_a_run_whose_worker_was_killed_is_handed_back_and_finishes(shop, alice, worker, model) -> None:
    model.seconds = 3
    run = services.run_ask(alice, shop, QUESTION)
    worker.start()
    until(lambda: model.calls)
    worker.kill()
    assert status(run) == Status.RUNNING
    model.seconds = 0
    worker.start()
    until(lambda: status(run) == Status.DONE)
    assert (run.outcome, run.attempts) == ("answered", 2), run.reason
    assert run.steps.first().data["message"].startswith("The worker that answered this was interrupted")
    assert run.versions.get().result.row_count == 1


def test_stop_ends_a_run_and_its_sql_in_the_database(shop, alice, as_alice, worker, model) -> None:
    model.script = f"```sql\n{FOR_EVER}\n```"
    run = services.run_ask(alice, shop, QUESTION)
    worker.start()
    until(lambda: run.steps.filter(kind="sampling").exists())
    until(lambda: busy(worker.process.pid, 0.5) > 0.1)
    as_alice.post(reverse("asking:stop", args=[run.pk]))
    pressed = time.monotonic()
    until(lambda: status(run) == Status.DONE, 5)
    assert time.monotonic() - pressed < 2
    assert (run.outcome, run.reason) == ("failed", "Stopped by you.")
    until(lambda: busy(worker.process.pid, 0.5) < 0.05, 10)


def test_nothing_of_a_worker_that_was_killed_goes_on(shop, alice, worker, model) -> None:
    """Neither its pool, nor servers of forks, nor the child that runs the statement."""
    model.script = f"```sql\n{FOR_EVER}\n```"
    services.run_ask(alice, shop, QUESTION)
    worker.start()
    pid = worker.process.pid
    until(lambda: busy(pid, 0.5) > 0.5 and any(len(below(one)) > 0 for one in servers_below(pid)))
    started = below(pid)
    assert len(started) >= 3, "a process of the pool, a server, a child"
    worker.kill()
    until(lambda: not any(map(command, started)), 3)


def servers_below(pid: int) -> list[int]:
    """The servers of forks that a process has started, or those below it."""
    return [one for one in below(pid) if b"Mirror: statements" in command(one)]


def test_a_message_that_was_lost_is_sent_again(shop, alice, worker) -> None:
    worker.kill()
    run = services.run_ask(alice, shop, QUESTION)
    for message in (project.VAR_DIR / "broker" / "messages").iterdir():
        message.unlink()
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(seconds=29))
    work_recover()
    assert list((project.VAR_DIR / "broker" / "messages").iterdir()) == []
    worker.start()
    until(lambda: status(run) == Status.DONE)
    assert run.attempts == 1


def busy(pid: int, seconds: float) -> float:
    """Share of a processor a process and all below it take, over some seconds."""
    before = {one: seconds_used(one) for one in (pid, *below(pid))}
    time.sleep(seconds)
    return sum(seconds_used(one) - before.get(one, 0.0) for one in (pid, *below(pid))) / seconds
