"""A worker killed with SIGKILL in the middle of every kind of work: each row is worked on again, and ends once.

Work stands still at a gate: a TCP proxy before PostgreSQL, a language model and a webhook, and a pipe in the place of an
uploaded file.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection

from mirror.asking import services as asking
from mirror.asking.models import Run, Thread
from mirror.asking.services import llm_changes, llm_tellings
from mirror.asking.services.rewriting import Proposal
from mirror.comments.models import Mention
from mirror.comments.services import comment_write
from mirror.dashboards import card_rows, pdf_exports
from mirror.dashboards.models import Card, PdfExport, Supply
from mirror.dashboards.services import dashboard_make, dashboard_share
from mirror.knowledge import evaluation_work, improving, posing, trials
from mirror.knowledge.answer_services import answer_verify
from mirror.knowledge.term_services import TermWish
from mirror.llms import endpoint_tests
from mirror.llms.models import Endpoint
from mirror.people.models import Team, User
from mirror.reports import services as reports
from mirror.reports.models import Channel, Delivery, ReportRun
from mirror.sharing.models import ShareNotice
from mirror.sharing.notices import thing_share
from mirror.sources import upload_work, uploading, visits
from mirror.sources.models import Source, StoredIndex, Upload, Visit
from mirror.sources.services import source_connect
from mirror.work.kinds import KINDS, kind_of, send
from mirror.work.leases import Leased, Status
from mirror.work.recovery import work_recover
from mirror.workbench import glancing
from tests import warm
from tests.hook_server import HookServer
from tests.mail_server import MailServer
from tests.reports.working import save_report, save_sql
from tests.scripted_server import ScriptedServer
from tests.servers import PASSWORD, PostgresServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

ROOT = Path(__file__).resolve().parents[2]
SQL = "SELECT count(*) AS n FROM sales"
# A worker with no processor for two seconds is not dead yet: some work is tried twice, no more.
LEASE_SECONDS = 6


# PostgreSQL's ReadyForQuery: the connection stands, and no transaction is begun.
POSTGRES_STANDS = b"Z\x00\x00\x00\x05I"


class Gate:
    """Lets connections through to a port of this machine, or keeps them waiting while it is shut.

    With `greeting` they come as far as that answer: who connects gives up sooner than who has asked something.
    """

    def __init__(self, port: int, greeting: bytes = b"") -> None:
        self.to, self.greeting, self.is_open, self.waiting = port, greeting, threading.Event(), 0
        self.is_open.set()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            came, _ = self._socket.accept()
            threading.Thread(target=self._through, args=(came,), daemon=True).start()

    def _through(self, came: socket.socket) -> None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.to)) as out:
            if not self.is_open.is_set():
                self._greet(came, out)
                self.waiting += 1
                self.is_open.wait()
                came.close()  # who waited here was killed
                return
            pumps = [
                threading.Thread(target=self._pump, args=way, daemon=True)
                for way in ((came, out), (out, came))
            ]
            for pump in pumps:
                pump.start()
            for pump in pumps:
                pump.join()

    def _greet(self, came: socket.socket, out: socket.socket) -> None:
        answered = b""
        while self.greeting not in answered:
            for one in select.select([came, out], [], [])[0]:
                data = one.recv(65_536)
                if not data:
                    return
                (out if one is came else came).sendall(data)
                answered += data if one is out else b""

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    server.start()
    with server.connect() as db:
        db.execute("CREATE TABLE sales (id int, place text)")
        db.execute("INSERT INTO sales SELECT n, 'place ' || n FROM generate_series(1, 50) n")
    yield server
    server.remove()


@pytest.fixture
def gates(postgres, tmp_path) -> Iterator[dict[str, Gate]]:
    hook, model = HookServer(), ScriptedServer(f"```sql\n{SQL}\n```").start()
    with MailServer(tmp_path / "mail") as mail:
        yield {
            "database": Gate(postgres.port, POSTGRES_STANDS),
            "hook": Gate(hook.port),
            "mail": Gate(mail.port),
            "model": Gate(int(model.base_url.rpartition(":")[2].partition("/")[0])),
        }


@pytest.fixture
def start(gates, tmp_path, settings) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts a real worker of all queues."""
    settings.MEDIA_ROOT, settings.LEASE_SECONDS = tmp_path / "media", LEASE_SECONDS
    started: list[subprocess.Popen[bytes]] = []
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        "MEDIA_ROOT": str(settings.MEDIA_ROOT),
        "LEASE_SECONDS": str(LEASE_SECONDS),
        "LLM_BASE_URL": f"http://127.0.0.1:{gates['model'].port}/v1",
        "LLM_MODEL": "scripted",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(gates["mail"].port),
        "EMAIL_TIMEOUT": "120",
        "WEBHOOK_SECONDS": "120",
        "WEBHOOK_HOSTS": "127.0.0.1",
        "SOURCE_PRIVATE_HOSTS": "true",
        "CHART_IMAGES": "simple",
        "CONCURRENT_RUNS_PER_PERSON": "10",  # one of each kind at once
    }
    command = [sys.executable, "-m", "celery", "-A", "mirror", "worker", "--pool", "threads"]
    command += [
        "--concurrency",
        "24",  # more than there are kinds
        "--queues",
        "celery,ticks,intake,reports,deliveries",
        "--loglevel",
        "INFO",
    ]
    command += ["--without-mingle", "--without-gossip", "--without-heartbeat"]

    def start() -> subprocess.Popen[bytes]:
        with (tmp_path / "worker.log").open("ab") as out:
            name = ["--hostname", f"k{time.time_ns()}@test"]
            started.append(warm.Popen([*command, *name], cwd=ROOT, env=environment, stdout=out, stderr=out))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def until(fact: Callable[[], object], what: Callable[[], str], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, f"never: {what()}"
        time.sleep(0.1)


def rows_of_each_kind(alice, source: Source, hook: Gate, model: Gate) -> dict[str, Leased]:
    """A queued row of every kind, each of which has to wait at a gate."""
    run = asking.run_ask(alice, source, "How many sales are there?")
    ended = Run.objects.create(
        thread=Thread.objects.create(owner=alice, source=source, title="t"), status=Status.DONE
    )
    version = asking.version_edit(ended, SQL)
    upload = uploading.upload_take(alice, [("sales.csv", [b"place,amount\nOslo,5\n"])])
    file = upload.folder / "0"
    file.unlink()
    os.mkfifo(file)
    plans = uploading.upload_plans(upload)
    upload_work.reading_queue(upload, plans, plans)
    upload.refresh_from_db()
    saved = save_sql(alice, source, SQL)
    made = reports.report_run_now(save_report(alice, saved, title="Made"), alice)
    told = save_report(alice, saved, title="Told", formats=[])
    channel = Channel.objects.create(
        report=told, kind="webhook", target={"url": f"http://127.0.0.1:{hook.port}/ok"}, secret="k" * 40
    )
    before = ReportRun.objects.create(report=told, status=Status.DONE, outcome="made", cause="now")
    delivery = Delivery.objects.create(run=before, channel=channel, kind="webhook", about="report", to="hook")
    send(delivery)
    url = f"http://127.0.0.1:{model.port}/v1"
    tried = Endpoint.objects.create(name="Tried", base_url=url, model="scripted", is_on=False)
    return {
        "mention": mention_wanted(alice),
        "share_notice": notice_wanted(alice),
        "run": run,
        "version": version,
        "llm_change": llm_changes.llm_change_ask(
            alice, source, "SELECT id FROM sales", None, "the fine ones", Proposal("", ""), ("tab", 1)
        ),
        "llm_telling": llm_tellings.llm_telling_ask(alice, source, "SELECT id FROM sales", ("tab", 1)),
        "glance": glancing.glance_rows(alice, source, "sales"),
        "supply": supply_wanted(alice, source),
        "pdf_export": pdf_wanted(alice, source),
        "trial": trials.trial_ask(source, TermWish("early", "filter", "id < 10"), alice),
        "posed_round": posing.round_ask(source, alice),
        "evaluation": evaluation_wanted(alice, source),
        "improvement": improving.improvement_ask(source, alice),
        "upload": upload,
        "visit": visits.visit_ask(alice, Visit.Work.REFRESH, source),
        "index": StoredIndex.objects.get(source=source),
        "endpoint_test": endpoint_tests.endpoint_test_ask(tried, alice),
        "report": made,
        "delivery": delivery,
    }


def notice_wanted(alice) -> ShareNotice:
    """Alice shares a dashboard with her team."""
    thing_share(dashboard_make(alice, "Shared"), Team.objects.filter(name="Readers"), alice)
    return ShareNotice.objects.get()


def mention_wanted(alice) -> Mention:
    """Alice mentions somebody of her team on her dashboard."""
    team = Team.objects.create(name="Readers")
    reader = User.objects.create_user("reader", "reader@example.com")
    for person in (alice, reader):
        team.memberships.create(user=person)
    made = dashboard_make(alice, "Talked about")
    dashboard_share(made, [team], alice)
    return comment_write(made, alice, "@reader: look").mentions.get()


def supply_wanted(alice, source: Source) -> Supply:
    (wanted,) = card_rows.wishes_supply(alice, [card_rows.Wish(source, SQL)])
    assert wanted.supply is not None
    return wanted.supply


def pdf_wanted(alice, source: Source) -> PdfExport:
    """It waits for the rows of its card, which are read by the supply."""
    made = dashboard_make(alice, "Sales")
    Card.objects.create(dashboard=made, kind="sql", source=source, sql=SQL, title="How many")
    return pdf_exports.pdf_ask(alice, made, {}, [])


def evaluation_wanted(alice, source: Source) -> Leased:
    answer_verify(source, "How many sales are there?", "SELECT COUNT(*) FROM sales", alice)
    return evaluation_work.evaluation_ask(source, "hand", alice)


def test_a_killed_worker_loses_no_work_of_any_kind(alice, postgres, gates, start) -> None:
    place = {"host": "127.0.0.1", "port": gates["database"].port, "database": "postgres"}
    who = {"username": postgres.user, "password": PASSWORD}
    plain = {"sslmode": "disable"}  # the gate reads along
    source = Source(name="sales", engine="postgres", options=plain, **who, **place)
    source = source_connect(source, alice)
    Source.objects.update(concurrent_runs=20)
    for gate in gates.values():
        gate.is_open.clear()
    rows = rows_of_each_kind(alice, source, gates["hook"], gates["model"])
    assert set(rows) == set(KINDS)
    assert all(kind_of(type(row)) is KINDS[name] for name, row in rows.items())

    def stand() -> dict[str, str]:
        for row in rows.values():
            row.refresh_from_db()
        return {name: f"{row.status} {row.attempts}" for name, row in rows.items()}

    worker = start()
    until(lambda: set(stand().values()) == {"running 1"}, lambda: f"all are worked on: {stand()}")
    until(
        lambda: gates["hook"].waiting and gates["database"].waiting >= 7, lambda: "all stand at their gates"
    )
    worker.kill()
    worker.wait()
    assert set(stand().values()) == {"running 1"}
    file = rows["upload"].folder / "0"
    file.unlink()
    file.write_bytes(b"place,amount\nOslo,5\n")
    for gate in gates.values():
        gate.is_open.set()
    start()

    def ended() -> bool:
        work_recover()
        return {stand()[name].split()[0] for name in rows} == {"done"}

    until(ended, lambda: f"all end: {stand()}")
    stood = stand()
    stood.pop("index")  # the visit has the values read anew
    assert set(stood.values()) == {"done 2"}
    assert (rows["run"].outcome, rows["run"].versions.count()) == ("answered", 1), rows["run"].reason
    assert (rows["version"].failure, rows["version"].result.row_count) == (None, 1)
    assert rows["share_notice"].is_sent, rows["share_notice"].answer
    assert rows["mention"].is_sent, rows["mention"].answer
    assert rows["llm_change"].said["sql"] == SQL, rows["llm_change"].said
    assert "not with a few sentences" in rows["llm_telling"].said["words"], rows["llm_telling"].said
    assert (rows["glance"].failure, rows["glance"].result.row_count) == (None, 20)
    assert (rows["supply"].failure, rows["supply"].preview["rows"]) == (None, [[50]])
    assert (rows["pdf_export"].failure, rows["pdf_export"].row_count) == (None, 1)
    assert rows["trial"].said["sql"] == "sales.id < 10", rows["trial"].said
    assert rows["posed_round"].said == {"questions": []}  # one small table gives nothing to ask
    assert "too few verified" in rows["improvement"].why, rows["improvement"].problem
    assert rows["evaluation"].summary["asked"] == 1, rows["evaluation"].problem
    assert Upload.objects.get().files[0]["tables"][0]["row_count"] == 1
    assert rows["visit"].said["tables"] == 1, rows["visit"].said
    assert SQL in rows["endpoint_test"].said["reply"], rows["endpoint_test"].said
    assert rows["index"].state == StoredIndex.State.READY
    assert (rows["report"].outcome, rows["report"].files.count()) == ("made", 1), rows["report"].reason
    assert rows["delivery"].state == Delivery.State.SENT, rows["delivery"].answers
