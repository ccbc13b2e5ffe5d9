"""A PostgreSQL store that goes away in the middle of work and comes back: nothing is lost, nothing is sent twice."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.core.management import call_command
from django.db import InterfaceError, OperationalError, connection, connections, transaction
from django.utils import timezone

from mirror.asking import services as asking
from mirror.asking.models import Run
from mirror.asking.services import answering
from mirror.people.services import user_create
from mirror.queries import running
from mirror.reports import services
from mirror.reports.making import report_runs
from mirror.reports.models import Delivery, ReportRun
from mirror.reports.sending import delivering
from mirror.results.models import StoredResult
from mirror.sources import catalog_services, index_services, upload_work, uploading, visits
from mirror.sources.models import Source, StoredIndex, Visit
from mirror.work import doing
from mirror.work import store as away
from mirror.work.doing import work_do
from mirror.work.kinds import KINDS
from mirror.work.leases import LeaseLost, Status, claim
from mirror.work.recovery import work_recover
from tests.reports.working import due, save_report, save_sql
from tests.servers import PASSWORD, PostgresServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]

# How long the store is away (seconds); 20 in a run by hand.
AWAY = 2.0


class Store(PostgresServer):
    """A store that can be away for a while. An order to it is carried out once."""

    back: Future[None] | None = None
    is_migrated = False

    def __init__(self) -> None:
        super().__init__()
        # A server ends with the thread that started it, so one thread stays for it.
        self.keeper = ThreadPoolExecutor(max_workers=1)

    def go_away(self, seconds: float = AWAY) -> None:
        """Stop at once, as by a power cut, and come back later."""
        self.stop(signal.SIGQUIT)
        self.back = self.keeper.submit(self._come_back, seconds)

    def _come_back(self, seconds: float) -> None:
        time.sleep(seconds)
        self.start()

    def wait(self) -> None:
        """Wait until it is back."""
        if self.back is not None:
            self.back.result()


@pytest.fixture(scope="module")
def server() -> Iterator[Store]:
    server = Store()
    server.start()
    yield server
    server.wait()
    server.remove()
    server.keeper.shutdown()


@pytest.fixture
def store(server, transactional_db, monkeypatch, settings, tmp_path) -> Iterator[Store]:
    """The store of this test: a fresh database of the server, in every thread."""
    settings.MEDIA_ROOT, settings.REPORT_FOLDERS_DIR = tmp_path / "media", tmp_path / "folders"
    settings.LEASE_SECONDS, server.back = 2, None
    before = connections["default"]
    place = {"HOST": server.host, "PORT": server.port, "USER": server.user, "PASSWORD": PASSWORD}
    engine = {"ENGINE": "django.db.backends.postgresql", "OPTIONS": {}}

    def use(name: str) -> None:
        settings_dict = before.settings_dict | place | engine | {"NAME": name}
        monkeypatch.setitem(connections.settings, "default", settings_dict)
        connections["default"] = connections.create_connection("default")

    if not server.is_migrated:
        with server.connect() as db:
            db.execute("CREATE DATABASE migrated")
        use("migrated")
        call_command("migrate", verbosity=0)
        connections["default"].close()
        server.is_migrated = True
    with server.connect() as db:
        db.execute("DROP DATABASE IF EXISTS store WITH (FORCE)")
        db.execute("CREATE DATABASE store TEMPLATE migrated")
    use("store")
    yield server
    server.wait()
    connections["default"].close()
    connections["default"] = before


@pytest.fixture
def alice(store):
    return user_create("alice", name="Alice")


@pytest.fixture
def run(alice, shop) -> ReportRun:
    """A report's run that is due, to be put in a folder as XLSX."""
    to_folder = [("folder", {"path": "sales", "anywhere": False}, None)]
    report = save_report(alice, save_sql(alice, shop), formats=["xlsx"], channels=to_folder)
    due(report, timezone.now())
    assert services.reports_due_make() == 1
    return report.runs.get()


def away_during(store: Store, monkeypatch, module: Any, name: str, after: bool = False) -> list[float]:
    """Let the store go away once, when a function is called or when it has done its work."""
    real: Callable[..., Any] = getattr(module, name)
    gone: list[float] = []

    def called(*args: Any, **kwargs: Any) -> Any:
        if after:
            done = real(*args, **kwargs)
        if not gone:
            gone.append(time.monotonic())
            store.go_away()
        return done if after else real(*args, **kwargs)

    monkeypatch.setattr(module, name, called)
    return gone


def deliver_all(run: ReportRun) -> Delivery:
    for delivery in run.deliveries.filter(status=Status.QUEUED):
        work_do("delivery", delivery.pk)
    return run.deliveries.get()


@pytest.mark.parametrize(
    ("module", "when", "after"),
    [
        (running, "_received", False),
        (report_runs, "_worth", True),
        (report_runs, "_drawn", True),
        (report_runs, "files_write", True),
    ],
)
def test_a_run_goes_on_when_the_store_is_back(store, run, monkeypatch, module, when, after):
    gone = away_during(store, monkeypatch, module, when, after)
    work_do("report", run.pk)
    assert gone and time.monotonic() - gone[0] > AWAY
    run.refresh_from_db()
    assert (run.outcome, run.attempts, run.tries) == (ReportRun.Outcome.MADE, 1, 0)
    assert run.files.count() == 1
    assert deliver_all(run).state == Delivery.State.SENT


def test_what_was_sent_while_the_store_went_away_is_sent_once(store, run, monkeypatch):
    work_do("report", run.pk)
    sent = []
    real = delivering.channels.deliver
    monkeypatch.setattr(delivering.channels, "deliver", lambda *args: sent.append(1) or real(*args))
    assert away_during(store, monkeypatch, delivering.channels, "deliver", after=True) == []
    delivery = deliver_all(run)
    assert (delivery.state, delivery.attempts, len(sent)) == (Delivery.State.SENT, 1, 1)
    assert [answer["ok"] for answer in delivery.answers] == [True]


def test_a_run_whose_store_stayed_away_is_given_back_and_costs_no_attempt(store, run, monkeypatch):
    monkeypatch.setattr(away, "AWAY_SECONDS", 0.5)
    for number in range(1, 5):
        with monkeypatch.context() as once:
            away_during(store, once, report_runs, "files_write", after=True)
            work_do("report", run.pk)
        store.wait()
        run.refresh_from_db()
        assert (run.status, run.attempts, run.died, run.tries) == (Status.QUEUED, number, 0, 0)
    work_do("report", run.pk)
    run.refresh_from_db()
    assert (run.outcome, run.died, run.tries) == (ReportRun.Outcome.MADE, 1, 0)
    assert StoredResult.objects.count() == 1, "what was begun before is gone"


def test_a_worker_that_cannot_wait_any_longer_leaves_the_run_to_be_handed_back(store, run, monkeypatch):
    monkeypatch.setattr(away, "AWAY_SECONDS", 0.5)
    monkeypatch.setattr(doing, "PATIENCE_SECONDS", 0)
    away_during(store, monkeypatch, report_runs, "files_write", after=True)
    work_do("report", run.pk)
    store.wait()
    run.refresh_from_db()
    assert (run.status, run.reason, run.tries) == (Status.RUNNING, "", 0)
    time.sleep(2.1)
    work_recover()
    work_do("report", run.pk)
    run.refresh_from_db()
    assert (run.outcome, run.tries) == (ReportRun.Outcome.MADE, 0)
    assert StoredResult.objects.count() == 1, "what the first attempt left is gone"


def test_a_question_is_answered_when_the_store_is_back(store, alice, shop, monkeypatch):
    run = asking.run_ask(alice, shop, "SELECT country, count(*) FROM customers GROUP BY 1")
    real = answering.answer_events

    def events(*args: Any, **kwargs: Any) -> Iterator[Any]:
        for number, event in enumerate(real(*args, **kwargs)):
            if number == 1:
                store.go_away()
            yield event

    monkeypatch.setattr(answering, "answer_events", events)
    work_do("run", run.pk)
    run.refresh_from_db()
    assert store.back is not None and store.back.done()
    assert (run.outcome, run.attempts) == ("answered", 1), run.reason
    numbers = list(run.steps.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1)), "every step once"


def test_uploaded_files_become_a_source_when_the_store_is_back(store, alice, monkeypatch, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    upload = uploading.upload_take(alice, [("sales.csv", [b"place,amount\nOslo,5\n"])])
    plans = uploading.upload_plans(upload)
    upload_work.reading_queue(upload, plans, plans)
    with monkeypatch.context() as once:
        away_during(store, once, uploading, "_planned", after=True)
        work_do("upload", upload.pk)
    store.wait()
    upload_work.making_queue(upload, {"name": "sales"})
    with monkeypatch.context() as once:
        away_during(store, once, uploading, "_load", after=True)
        work_do("upload", upload.pk)
    upload.refresh_from_db()
    assert store.back is not None and store.back.done()
    source = Source.objects.get(pk=upload.said["made"])
    assert (source.name, upload.status, upload.attempts) == ("sales", Status.DONE, 1)
    assert [table["name"] for table in source.catalog["tables"]] == ["sales"]


def test_tables_are_read_again_and_values_kept_when_the_store_is_back(store, alice, shop, monkeypatch):
    visit = visits.visit_ask(alice, Visit.Work.REFRESH, shop)
    with monkeypatch.context() as once:
        away_during(store, once, catalog_services, "catalog_fetch", after=True)
        work_do("visit", visit.pk)
    visit.refresh_from_db()
    shop.refresh_from_db()
    assert (visit.said.get("tables"), visit.attempts) == (len(shop.catalog["tables"]), 1), visit.said
    store.wait()
    index = StoredIndex.objects.get(source=shop)
    with monkeypatch.context() as once:
        away_during(store, once, index_services.ValueIndex, "to_bytes", after=True)
        work_do("index", index.pk)
    index.refresh_from_db()
    assert (index.state, index.status, index.attempts) == (StoredIndex.State.READY, Status.DONE, 1)


# ---------------------------------------------------------------- the rule itself


@pytest.fixture
def lease(alice, shop):
    run = asking.run_ask(alice, shop, "How many customers are there?")
    lease = claim(Run, run.pk)
    assert lease is not None
    return lease


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_write_is_tried_again_until_it_is_kept(lease, error, monkeypatch):
    monkeypatch.setattr(away, "FIRST_WAIT", 0.01)
    calls = []

    def write() -> None:
        lease.write(reason=f"call {len(calls)}")
        calls.append(1)
        if len(calls) < 4:
            raise error("the store went away")

    lease.keep(write)
    assert Run.objects.get(pk=lease.pk).reason == "call 3"


def test_an_end_whose_answer_was_lost_is_an_end(lease, monkeypatch):
    calls = []

    def write() -> None:
        calls.append(1)
        lease.end(reason="ended")

    real = transaction.Atomic.__exit__

    def lost(self, *args: Any) -> None:
        real(self, *args)
        if len(calls) == 1 and not connection.in_atomic_block:
            raise OperationalError("the answer to COMMIT was lost")

    monkeypatch.setattr(transaction.Atomic, "__exit__", lost)
    lease.keep(write)
    assert calls == [1]
    assert Run.objects.get(pk=lease.pk).reason == "ended"


def test_a_row_that_another_worker_took_meanwhile_is_not_written(lease):
    Run.objects.filter(pk=lease.pk).update(lease_token=lease.token + 1)
    with pytest.raises(LeaseLost):
        lease.keep(lambda: lease.end(reason="ours"))
    with pytest.raises(LeaseLost):
        lease.end(reason="ours")
    assert Run.objects.get(pk=lease.pk).reason == ""


def test_another_error_is_not_waited_for(alice, shop, monkeypatch):
    def broken(lease):
        raise ValueError("ours")

    monkeypatch.setattr(KINDS["run"], "do", broken)
    run = asking.run_ask(alice, shop, "How many customers are there?")
    with pytest.raises(ValueError, match="ours"):
        work_do("run", run.pk)
    run.refresh_from_db()
    assert (run.status, run.attempts) == (Status.DONE, 1)
    assert "itself broke" in run.reason
