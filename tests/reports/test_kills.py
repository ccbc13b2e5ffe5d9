"""Nothing lost and nothing twice: whatever is killed with SIGKILL, in whatever stage a report is.

A real worker, two real beats, a real PostgreSQL, a real mail server and the real broker. All that can die at one
time dies at one time, so that few starts are needed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as project
from django.db import connection
from django.utils import timezone

from mirror.reports import services
from mirror.reports.models import Delivery, Report, ReportFile, ReportRun, RunPart
from mirror.reports.sending.delivering import CUT_OFF
from mirror.results.models import StoredResult
from mirror.sources.models import Source
from mirror.sources.services import source_connect
from mirror.work.leases import Status
from tests import warm
from tests.mail_server import MailServer
from tests.reports.working import due, save_report, save_sql
from tests.servers import PASSWORD, PostgresServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

ROOT = Path(__file__).resolve().parents[2]
# Rows that no chart is drawn of: drawing is slow to start, and not what is killed here.
NAMES = "SELECT name, email FROM customers ORDER BY 1 LIMIT 5"
CELERY = [sys.executable, "-m", "celery", "-A", "mirror"]


class Machine:
    """A worker, beats, and what they write: as `script/server` starts them, killed as by a power cut."""

    def __init__(self, folder: Path, mail: MailServer) -> None:
        self.folder, self.media, self.log = folder, folder / "media", folder / "log"
        self.running: dict[str, subprocess.Popen] = {}
        self.lease = 6
        self.environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "tests.reports.held_settings",
            "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
            "MEDIA_ROOT": str(self.media),
            "MIRROR_HELD": str(folder),
            "REPORT_RETRY_MINUTES": ",".join(["0.02"] * 20),
            "DELIVERY_RETRY_MINUTES": ",".join(["0.02"] * 20),
            "EMAIL_HOST": mail.host,
            "EMAIL_PORT": str(mail.port),
            "EMAIL_TIMEOUT": "10",
            "CHART_IMAGES": "simple",
            "SOURCE_PRIVATE_HOSTS": "true",
        }

    def start(self, name: str) -> None:
        """Start `worker`, or a beat of another name."""
        worker = [
            "worker",
            "--pool",
            "prefork",
            "--concurrency",
            "6",
            "--queues",
            "celery,ticks,deliveries,reports",
        ]
        worker += ["--without-mingle", "--without-gossip", "--without-heartbeat"]
        worker += ["--hostname", f"k{time.time_ns()}@test"]
        beat = ["beat", "--pidfile=", "--schedule", str(self.folder / name)]
        with self.log.open("ab") as out:
            self.running[name] = warm.Popen(
                [*CELERY, *(worker if name == "worker" else beat), "--loglevel", "INFO"],
                cwd=ROOT,
                env=self.environment | {"LEASE_SECONDS": str(self.lease)},
                stdout=out,
                stderr=out,
            )

    def kill(self, *names: str) -> None:
        """End processes with SIGKILL; a worker's pool dies with it."""
        for name in names or list(self.running):
            process = self.running.pop(name)
            process.kill()
            process.wait()

    def lapse(self) -> None:
        """End the leases of what was killed, as time would: a short lease may lapse under a live worker too."""
        ended = timezone.now() - timedelta(seconds=1)
        for model in (ReportRun, Delivery):
            model.objects.filter(status=Status.RUNNING).update(lease_until=ended)

    def hold(self, moment: str, name: str) -> None:
        """Let the storage wait at a moment with files whose name contains this."""
        (self.folder / f"hold-{moment}").write_text(name)

    def let_go(self) -> None:
        """Let the storage go on."""
        for order in self.folder.glob("hold-*"):
            order.unlink()

    def held(self, moment: str) -> list[int]:
        """The processes that wait at a moment."""
        return [int(path.name.rpartition("-")[2]) for path in self.folder.glob(f"held-{moment}-*")]


@pytest.fixture(scope="module")
def mail(tmp_path_factory) -> Iterator[MailServer]:
    with MailServer(tmp_path_factory.mktemp("mail")) as server:
        yield server


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """A server of its own, because it is killed."""
    server = PostgresServer()
    server.start()
    with server.connect() as db:
        db.execute("CREATE TABLE sales (id int, amount numeric)")
        db.execute("INSERT INTO sales SELECT n, n * 1.5 FROM generate_series(1, 500) n")
    yield server
    server.remove()


@pytest.fixture
def machine(tmp_path, mail, settings) -> Iterator[Machine]:
    machine = Machine(tmp_path, mail)
    settings.MEDIA_ROOT, settings.EMAIL_HOST = machine.media, mail.host
    settings.LEASE_SECONDS = 6
    mail.orders()
    for file in (mail.folder / "mails").glob("*"):
        file.unlink()
    yield machine
    machine.let_go()
    machine.kill()
    for message in messages():
        message.unlink(missing_ok=True)


@pytest.fixture
def sales(alice, postgres):
    """The PostgreSQL server as a source of Alice's."""
    source = Source(
        name="sales",
        engine=Source.Engine.POSTGRES,
        host=postgres.host,
        port=postgres.port,
        database="postgres",
        username=postgres.user,
        password=PASSWORD,
    )
    return source_connect(source, alice)


def messages() -> list[Path]:
    """Messages in the broker, waiting or claimed."""
    return [path for path in (Path(project.VAR_DIR) / "broker").rglob("*.msg") if path.is_file()]


def until(fact: Callable[[], object], what: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.05)


def all_done(reports: list[Report]) -> bool:
    runs = ReportRun.objects.filter(report__in=reports)
    waiting = runs.exclude(status=Status.DONE).exists() or Report.objects.filter(
        pk__in=[report.pk for report in reports], next_at__lte=timezone.now()
    )
    return (
        not waiting
        and runs.exists()
        and not Delivery.objects.filter(run__in=runs).exclude(status=Status.DONE).exists()
    )


def check(machine: Machine, mail: MailServer, reports: list[Report]) -> Counter[str]:
    """Each report has one run, one set of rows and files, and one delivery a recipient; count the mails."""
    for report in reports:
        run = report.runs.get()
        assert (run.outcome, run.status) == ("made", Status.DONE), run.reason
        part, file = RunPart.objects.get(run=run), ReportFile.objects.get(run=run)
        assert part.attempt == run.attempts
        kept = {path.name for path in (machine.media / f"reports/{run.pk}").rglob("*") if path.is_file()}
        assert kept == {file.name, Path(part.image.name).name} - {"", "."}
        lines = (machine.media / file.file.name).read_text().splitlines()
        assert len(lines) == part.row_count + 1
        assert {row.state for row in run.deliveries.all()} == {"sent"}
    assert StoredResult.objects.count() == len(reports)
    return Counter(to for sent in mail.mails() for to in sent.to)


def report_of(owner, saved, title: str, **fields) -> Report:
    name = title.lower()
    report = save_report(
        owner, saved, title=title, to=[f"{name}@example.com", f"{name}.too@example.com"], **fields
    )
    due(report, timezone.now() - timedelta(seconds=5))
    return report


def test_a_worker_killed_in_every_stage_makes_and_mails_each_report_once(
    machine, mail, postgres, alice, shop, sales
) -> None:
    Source.objects.update(concurrent_runs=10)
    total = save_sql(alice, sales, "SELECT count(*) AS n, sum(amount) AS total FROM sales", "Total")
    countries = save_sql(alice, shop, NAMES)
    reports = [
        report_of(alice, total, "Reading"),
        report_of(alice, countries, "Writing"),
        report_of(alice, countries, "Written"),
        report_of(alice, countries, "Mailing"),
    ]
    machine.lease = 30
    machine.hold("writing", "/writing-")
    machine.hold("written", "/written-")
    mail.orders(before_data="hang")
    with postgres.connect() as db, db.transaction():
        db.execute("LOCK TABLE sales")
        machine.start("worker")
        machine.start("beat-1")
        machine.start("beat-2")
        until(lambda: machine.held("writing") and machine.held("written"), "files are being written")
        mail.wait_for("hang before_data", times=2, seconds=60)
        until(lambda: is_waiting(postgres), "the SQL runs")
        assert ReportRun.objects.filter(status=Status.RUNNING).count() == 3
        machine.kill("worker", "beat-1")
    machine.lapse()
    machine.let_go()
    mail.orders()
    machine.start("worker")
    until(lambda: all_done(reports), "all reports are made and sent")
    # Once by the worker that was killed, and once more; attempts that the store or a chart put off do not count.
    assert {report.runs.get().died for report in reports[:3]} == {2}
    assert check(machine, mail, reports) == Counter(
        {to: 1 for report in reports for to in report.channels.get().target["to"]}
    )


def test_what_was_cut_off_after_the_server_took_it_may_come_twice_and_says_so(
    machine, mail, alice, shop
) -> None:
    report = report_of(alice, save_sql(alice, shop, NAMES), "Taken")
    mail.orders(after_taking="hang")
    machine.start("worker")
    machine.start("beat-1")
    mail.wait_for("hang after_taking", times=2, seconds=60)
    sending = Delivery.objects.exclude(sending_at=None)
    assert sending.count() == 2
    # Only the processes of the pool that send, this time: their worker ends by itself, to be started again.
    mail.orders()
    for pid in connected_to(mail.port, machine.running["worker"].pid):
        os.kill(pid, signal.SIGKILL)
    machine.running.pop("worker").wait(60)
    machine.start("worker")
    until(lambda: all_done([report]), "it is sent")
    assert check(machine, mail, [report]) == Counter({"taken@example.com": 2, "taken.too@example.com": 2})
    assert len({sent.message["Message-ID"] for sent in mail.mails("taken@example.com")}) == 1
    for delivery in report.runs.get().deliveries.all():
        assert [answer["answer"] for answer in delivery.answers][0] == CUT_OFF
        assert (len(delivery.answers), delivery.sending_at) == (2, None)


def test_a_broker_a_database_and_a_mail_server_that_die_lose_no_report(
    machine, mail, postgres, alice, shop, sales
) -> None:
    total = save_sql(alice, sales, "SELECT count(*) AS n, sum(amount) AS total FROM sales", "Total")
    lost = report_of(alice, save_sql(alice, shop, NAMES), "Forgotten")
    services.reports_due_make()
    assert messages()
    for message in messages():
        message.unlink()

    asked = report_of(alice, total, "Asked")
    locked = postgres.connect()
    locked.execute("BEGIN")
    locked.execute("LOCK TABLE sales")
    machine.start("worker")
    machine.start("beat-1")
    until(lambda: is_waiting(postgres), "the SQL runs")
    postgres.stop(signal.SIGKILL)
    locked.close()
    until(lambda: asked.runs.get().tries >= 1, "the run is put off")
    mail.orders(in_data="hang")
    restart(postgres)
    mail.wait_for("hang in_data", times=2, seconds=60)
    mail.stop()
    until(lambda: Delivery.objects.filter(tries__gt=0).count() >= 2, "the mails are put off")
    mail.orders()
    mail.start()
    until(lambda: all_done([lost, asked]), "both are made and sent")
    assert check(machine, mail, [lost, asked]) == Counter(
        {to: 1 for report in (lost, asked) for to in report.channels.get().target["to"]}
    )
    cut = Delivery.objects.filter(tries__gt=0).first()
    assert [answer["ok"] for answer in cut.answers] == [False] * cut.tries + [True]


def connected_to(port: int, parent: int) -> set[int]:
    """The children of a process that hold a connection to a port of this machine."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{line[9]}]" for line in lines if line[2].endswith(f":{port:04X}")}
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    held = {pid: {os.readlink(fd) for fd in Path(f"/proc/{pid}/fd").iterdir()} for pid in children}
    return {int(pid) for pid, links in held.items() if links & sockets}


def is_waiting(server: PostgresServer) -> bool:
    """Say whether a report's SQL waits for the lock."""
    waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%total%'"
    with server.connect() as db:
        return db.execute(waiting).fetchone() is not None


def restart(server: PostgresServer) -> None:
    """Start a killed server again, once its last processes are gone."""
    for _ in range(20):
        try:
            server.start()
            return
        except RuntimeError:
            time.sleep(0.3)
    raise AssertionError("PostgreSQL did not start again")
