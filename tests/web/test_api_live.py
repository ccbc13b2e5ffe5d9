"""A run followed over HTTP as it goes on, and what the documents show, against a server in this process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.db import close_old_connections, connection
from django.test import AsyncClient

from mirror.asking.models import Run, Step, Version
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.web.api_world import Caller, secret_of
from tests.web.working import REVENUE, answer

pytestmark = pytest.mark.django_db(transaction=True)


def followed(secret: str, run: int, seen: str = "") -> list[tuple[str, str, dict]]:
    """The events of a run that has ended: id, name, data."""

    async def read() -> str:
        headers = {"Authorization": f"Bearer {secret}"} | ({"Last-Event-ID": seen} if seen else {})
        got = await AsyncClient().get(f"/api/v1/runs/{run}/events", headers=headers)
        assert got["Content-Type"] == "text/event-stream"
        return b"".join([piece async for piece in got.streaming_content]).decode()

    found = []
    for event in async_to_sync(read)().strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in event.splitlines())
        found.append((lines["id"], lines["event"], json.loads(lines["data"])))
    return found


def test_a_question_is_asked_followed_and_fetched(shop, bob, media):
    secret = secret_of(bob)
    program = Caller(secret)
    made = program.post("/runs", {"source": "shop", "question": REVENUE}).json()
    assert (made["status"], made["outcome"]) == ("queued", "")
    run = answer(Run.objects.get(pk=made["id"]))
    events = followed(secret, run.pk)
    assert [name for _, name, _ in events] == ["step"] * (len(events) - 1) + ["ended"]
    assert events[-1][2]["outcome"] == "answered"
    assert [mark for mark, _, _ in events[:2]] == ["1-1", "1-2"]
    rest = followed(secret, run.pk, events[1][0])
    assert rest == events[2:]
    assert followed(secret, run.pk, events[-1][0]) == events[-1:]
    for nonsense in ("x", "1-99999999999", "2-1", "1-²"):
        assert followed(secret, run.pk, nonsense) == events
    told = program.get(f"/runs/{run.pk}").json()
    assert 0 < told["confidence"] <= 1
    assert told["version"]["rows"] == f"/api/v1/versions/{told['version']['id']}/rows"


def test_without_the_scope_no_rows_are_in_the_steps(shop, bob, media):
    run = answer(
        Run.objects.get(
            pk=Caller(secret_of(bob)).post("/runs", {"source": "shop", "question": REVENUE}).json()["id"]
        )
    )
    assert any("rows" in str(step.data) for step in Step.objects.filter(run=run))
    assert '"rows"' in str([one[2] for one in followed(secret_of(bob), run.pk)]).replace("'", '"')
    blind = [one[2] for one in followed(secret_of(bob, ["ask"]), run.pk)[:-1]]
    assert "'rows'" not in str(blind)


# ---------------------------------------------------------------- at once


def at_once(do: Callable[[], int], count: int) -> list[int]:
    """Do it in so many threads, each with a connection of its own."""

    def once(_: int) -> int:
        try:
            return do()
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return sorted(pool.map(once, range(count)))


def test_of_calls_at_once_as_many_pass_as_may(shop, bob, settings):
    settings.API_CALLS_PER_MINUTE = 3
    secret = secret_of(bob)
    found = at_once(lambda: Caller(secret).get("/token").status_code, 8)
    assert found == [200] * 3 + [429] * 5


def test_of_calls_with_one_key_at_once_one_is_done(shop, bob):
    secret, body = secret_of(bob), {"source": "shop", "question": REVENUE}
    key = {"Idempotency-Key": "one"}
    found = at_once(lambda: Caller(secret).post("/runs", body, **key).json()["id"], 6)
    assert len(set(found)) == 1
    assert Run.objects.count() == 1


# ---------------------------------------------------------------- the examples


@pytest.fixture
def worker() -> Iterator[None]:
    """A worker in a thread: takes what is queued until the test ends."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.wait(0.1):
            for name, model in (("run", Run), ("version", Version)):
                for pk in model.objects.filter(status=Status.QUEUED).values_list("pk", flat=True):
                    work_do(name, pk)
            close_old_connections()
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    is_over.set()
    thread.join()


def test_the_examples_of_the_document_work(live_server, worker, shop, bob, media):
    text = (Path(__file__).resolve().parents[2] / "docs/api.md").read_text()
    curl = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
    (python,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(python.splitlines()) < 40
    known = {"MIRROR": live_server.url, "MIRROR_TOKEN": secret_of(bob)}
    curl = re.sub(r"^export .*$", "", curl, flags=re.MULTILINE)

    def run(*command: str) -> str:
        done = subprocess.run(command, env=os.environ | known, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    said = run("bash", "-euc", curl)
    assert '"name": "shop"' in said
    assert "event: ended" in said
    assert '"outcome":"answered"' in said
    assert "Portugal,112" in said
    table = run(sys.executable, "-c", python)
    assert table.startswith("answered")
    assert "pyarrow.Table" in table
