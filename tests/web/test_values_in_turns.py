"""Values of a wide source are read in turns: what is read serves at once, what goes wrong is told and gone on from."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from mirror.asking import services as asking
from mirror.asking.models import Run
from mirror.results.rows import rows_of
from mirror.sources import catalog_services, index_services
from mirror.sources.models import Source, StoredIndex
from mirror.sources.services import source_connect
from mirror.work.doing import work_do
from mirror.work.leases import Status, claim
from mirror.work.recovery import work_recover
from mirror.work.turns import turn_is_wanted
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.values import ColumnRef
from tests.engines import wide_lab
from tests.servers import PostgresServer
from tests.web.working import answer, unwatched

pytestmark = pytest.mark.django_db(transaction=True)

NORWAY = "How many customers are in Norway?"
CUSTOMERS = 4_000
RIGHT = CUSTOMERS // len(wide_lab.COUNTRIES)


@pytest.fixture(scope="module")
def server():
    server = PostgresServer()
    server.start()
    with server.connect() as db:
        db.execute("CREATE ROLE looker LOGIN PASSWORD 'look'")
    yield server
    server.remove()


@pytest.fixture(scope="module")
def lab(server):
    """The wide source, small: two tables a module, and none with a million rows."""
    with server.connect() as db:
        db.execute("CREATE DATABASE wide")
    with server.connect("wide") as db:
        wide_lab.make(db, million=3_000, each=2, customers=CUSTOMERS)
        db.execute(
            "GRANT USAGE ON SCHEMA public TO looker; GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker"
        )
    return server


@pytest.fixture
def wide(lab, alice, settings) -> Source:
    """Connected by Alice, nothing read yet."""
    settings.VALUE_INDEX_SECONDS = 60
    place = {"host": "127.0.0.1", "port": lab.port, "database": "wide"}
    source = Source(name="wide", engine="postgres", username="looker", password="look", **place)
    return source_connect(source, alice)


@pytest.fixture
def steps(monkeypatch):
    """Let a turn take so many steps."""

    def let(count: int) -> None:
        def giving_way(*_):
            left = iter([False] * count)
            return lambda: next(left, True)

        monkeypatch.setattr(index_services, "_giving_way", giving_way)
        monkeypatch.setattr(index_services, "FIRST_SECONDS", 60.0)

    return let


def turn(source: Source) -> StoredIndex:
    index = StoredIndex.objects.get(source=source)
    with unwatched():
        assert work_do("index", index.pk)
    index.refresh_from_db()
    return index


def asked(alice, source: Source) -> Run:
    with unwatched():
        return answer(asking.run_ask(alice, source, NORWAY))


def columns(index: StoredIndex) -> set[ColumnRef]:
    return set(ValueIndex.from_bytes(bytes(index.data)).columns())


def page(browser, source: Source) -> str:
    return " ".join(browser.get(reverse("sources:source", args=[source.pk])).content.decode().split())


def test_a_turn_keeps_what_it_read_and_queues_the_next_one(wide, steps, as_alice, as_charlie):
    assert "waiting for a worker" in page(as_alice, wide)
    steps(40)
    index, seen, turns = turn(wide), set(), 1
    assert (index.state, index.status) == (StoredIndex.State.BUILDING, Status.QUEUED)
    told = f"values of {index.coverage['read']} of {index.coverage['of']} columns are read; reading goes on"
    assert told in page(as_alice, wide)
    assert as_charlie.get(reverse("sources:source", args=[wide.pk])).status_code == 404
    while index.status == Status.QUEUED:
        assert columns(index) >= seen
        seen, index, turns = columns(index), turn(wide), turns + 1
    assert turns > 2
    assert (index.state, index.status, index.coverage["left"]) == (StoredIndex.State.READY, Status.DONE, 0)
    assert index.coverage["read"] == index.coverage["of"]
    said = page(as_alice, wide)
    assert "reading goes on" not in said and "columns are read" not in said
    assert "Without rows:" in said, "empty tables are told"


def test_the_question_is_answered_rightly_whatever_is_read(wide, steps, alice):
    for count in (1, 12, 60, 10_000):
        steps(count)
        index = turn(wide)
        run = asked(alice, wide)
        assert run.outcome == "answered", (index.coverage, run.reason)
        assert rows_of(run.versions.get().result).rows == ((RIGHT,),)
    assert index.state == StoredIndex.State.READY


def test_a_server_that_dies_in_the_middle_is_tried_again_later(wide, lab, steps, as_alice, monkeypatch):
    steps(30)
    before = turn(wide)
    read, tokens = columns(before), before.lease_token
    steps(5)
    real = index_services.open_source

    def opened(source):
        database = real(source)
        looked = iter(range(3))
        values = database.execute

        def execute(sql, limits):
            if next(looked, None) is None:
                lab.stop()
            return values(sql, limits)

        database.execute = execute
        return database

    monkeypatch.setattr(index_services, "open_source", opened)
    try:
        index = turn(wide)
        assert (index.state, index.status, index.tries) == (StoredIndex.State.FAILED, Status.QUEUED, 1)
        assert index.not_before > timezone.now() + timedelta(seconds=30)
        assert columns(index) >= read
        assert index.coverage["left"] < before.coverage["left"], "what was read until then is kept"
        assert not index.coverage["failed"], "no column is blamed"
        said = page(as_alice, wide)
        assert "could not be read to their end" in said and "reading is tried again" in said
        read = columns(index)
    finally:
        lab.start()
    monkeypatch.setattr(index_services, "open_source", real)
    assert not work_do("index", index.pk), "not before its time"
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        steps(10_000)
        index = turn(wide)
    assert (index.state, index.tries, index.lease_token > tokens) == (StoredIndex.State.READY, 0, True)
    assert columns(index) > read


def test_a_worker_that_dies_in_the_middle_costs_its_turn_alone(wide, steps):
    steps(30)
    read = columns(turn(wide))
    index = StoredIndex.objects.get(source=wide)
    dead = claim(StoredIndex, index.pk)
    assert dead is not None
    StoredIndex.objects.filter(pk=index.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    work_recover()
    steps(10)
    index = turn(wide)
    assert columns(index) > read
    assert (index.attempts, index.status) == (0, Status.QUEUED), "a turn that ended well clears what died"


def test_a_column_dropped_in_the_middle_is_left_out_and_told(wide, lab, steps, as_alice):
    with lab.connect("wide") as db:
        db.execute("ALTER TABLE customers ADD COLUMN nickname text DEFAULT 'Nick'")
        catalog_services.catalog_refresh(wide)
        steps(1)
        turn(wide)
        db.execute("ALTER TABLE customers DROP COLUMN nickname")
    steps(10_000)
    index = turn(wide)
    assert index.state == StoredIndex.State.READY
    assert set(index.coverage["failed"]) == {"customers"}
    assert "nickname" in str(index.coverage["failed"]) and "nickname" in page(as_alice, wide)
    assert ColumnRef("customers", "country") in columns(index), "its other columns are read"


def test_a_table_that_may_not_be_read_stops_no_other_and_is_told(wide, lab, steps, as_alice, alice):
    with lab.connect("wide") as db:
        db.execute("REVOKE SELECT ON customers FROM looker")
        try:
            steps(10_000)
            index = turn(wide)
            assert index.state == StoredIndex.State.READY
            assert set(index.coverage["failed"]) == {"customers"}
            assert "permission denied for table customers" in page(as_alice, wide)
            assert index.coverage["of"] - index.coverage["read"] == 5
            run = asked(alice, wide)
            assert run.outcome != "answered"
        finally:
            db.execute("GRANT SELECT ON customers TO looker")


def test_only_what_changed_is_read_again_and_all_of_it_when_asked(wide, lab, steps, monkeypatch):
    steps(10_000)
    assert turn(wide).state == StoredIndex.State.READY
    read: list[str] = []
    real = index_services.open_source

    def opened(source):
        database = real(source)
        values = database.values

        def listed(table, column, limit, schema=""):
            read.append(f"{table}.{column}")
            return values(table, column, limit, schema)

        database.values = listed
        return database

    monkeypatch.setattr(index_services, "open_source", opened)
    with lab.connect("wide") as db:
        db.execute("ALTER TABLE suppliers ADD COLUMN rating text DEFAULT 'good'")
        try:
            assert catalog_services.catalog_look(Source.objects.get(pk=wide.pk))
            index = turn(wide)
            assert read == ["suppliers.rating"]
            assert ValueIndex.from_bytes(bytes(index.data)).lookup("good")
            catalog_services.catalog_refresh(Source.objects.get(pk=wide.pk))
            assert StoredIndex.objects.get(source=wide).again
            steps(3)
            index = turn(wide)
            assert (index.again, index.coverage["read"]) == (False, index.coverage["of"]), (
                "the old ones serve until then"
            )
            steps(10_000)
            read.clear()
            turn(wide)
            assert {"customers.email", "sales.reference"} <= set(read)
        finally:
            db.execute("ALTER TABLE suppliers DROP COLUMN rating")


def test_reading_gives_way_to_people_and_keeps_nobody_waiting(wide, alice):
    Source.objects.filter(pk=wide.pk).update(concurrent_runs=1)
    index = StoredIndex.objects.get(source=wide)
    lease = claim(StoredIndex, index.pk)
    assert lease is not None and not turn_is_wanted(lease)
    run = asking.run_ask(alice, wide, NORWAY)
    taken = claim(Run, run.pk)
    assert taken is not None
    assert turn_is_wanted(lease)
    taken.end(outcome="answered")
    assert not turn_is_wanted(lease)
    lease.end()
    second = asking.run_ask(alice, wide, NORWAY)
    StoredIndex.objects.filter(pk=index.pk).update(
        status=Status.RUNNING, lease_until=timezone.now() + timedelta(minutes=1)
    )
    with unwatched():
        assert work_do("run", second.pk), "a turn of reading takes no turn from people"
    third = asking.run_ask(alice, wide, NORWAY)
    StoredIndex.objects.filter(pk=index.pk).update(status=Status.QUEUED, lease_until=None)
    held = claim(Run, third.pk)
    assert held is not None
    with unwatched():
        assert not work_do("index", index.pk), "it waits while people's work fills the source"


def test_only_stored_values_are_offered_while_reading_goes_on(wide, steps, as_alice):
    steps(1)
    turn(wide)
    address = reverse("asking:suggest")

    def offered() -> list[str]:
        found = as_alice.get(address, {"q": "customers in norw", "source": "wide"}).json()["suggestions"]
        return [one["text"] for one in found]

    assert offered() == []
    steps(10_000)
    turn(wide)
    assert "Norway" in offered()
