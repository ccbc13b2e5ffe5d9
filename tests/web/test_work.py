"""Rules of every kind of work, in all subjects: taken once, handed back, given up, sent again."""

from __future__ import annotations

import json
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
import time_machine
from django.conf import settings as project
from django.db import OperationalError
from django.utils import timezone

from mirror.asking.models import Run, Thread, Version
from mirror.reports.models import Channel, Delivery, Report, ReportRun
from mirror.sources.models import Source, StoredIndex, Upload, Visit
from mirror.work import doing, recovery, turns
from mirror.work.doing import work_do
from mirror.work.kinds import DOOR, KINDS, Kind, kind_of, send
from mirror.work.leases import SPARED_AT_MOST, Leased, LeaseLost, Retried, Status
from mirror.work.recovery import work_recover
from mirror.work.turns import turn_take

pytestmark = pytest.mark.django_db(transaction=True)

# Task names that messages of earlier versions carry, and what they told of.
EARLIER = {
    "mirror.asking.tasks.answer_run": "run",
    "mirror.asking.tasks.run_version": "version",
    "mirror.sources.tasks.upload_work": "upload",
    "mirror.sources.tasks.visit_work": "visit",
    "mirror.sources.tasks.index_build": "index",
    "mirror.reports.tasks.make_report": "report",
    "mirror.reports.tasks.deliver_report": "delivery",
}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch, media) -> None:
    monkeypatch.setattr(recovery, "LOOK_AGAIN_SECONDS", 0.01)


@pytest.fixture
def shop(new_shop):
    """The shop before anything of it is read: to read it is one kind of work."""
    return new_shop


@pytest.fixture
def told(monkeypatch) -> list[tuple[str, Any]]:
    """Messages to workers, kept here instead of sent to a broker."""
    found: list[tuple[str, Any]] = []
    for kind in KINDS.values():
        monkeypatch.setattr(kind, "tell", lambda pk, name=kind.name: found.append((name, pk)))
    return found


@pytest.fixture(params=list(EARLIER.values()))
def kind(request, told) -> Kind:
    """Each kind of work in turn."""
    return KINDS[request.param]


@pytest.fixture
def row(kind, alice, shop) -> Leased:
    """A queued row of the kind."""
    return queued(kind.name, alice, shop)


def queued(name: str, owner, source) -> Leased:
    queue = {"status": Status.QUEUED}
    thread = Thread.objects.create(owner=owner, source=source, title="t")
    run = Run.objects.create(thread=thread, asked="How many orders?", question="How many orders?")
    report = Report.objects.create(owner=owner, title="r", zone="UTC")
    made = ReportRun.objects.create(report=report, cause=ReportRun.Cause.NOW, asked_by=owner)
    rows: dict[str, Any] = {
        "run": lambda: run,
        "version": lambda: Version.objects.create(run=run, number=1, origin="edit", sql="SELECT 1"),
        "upload": lambda: Upload.objects.create(
            owner=owner, work="read", wish={"files": [], "tables": []}, **queue
        ),
        "visit": lambda: Visit.objects.create(owner=owner, source=source, work="refresh", **queue),
        "index": lambda: StoredIndex.objects.create(source=source, **queue),
        "report": lambda: made,
        "delivery": lambda: Delivery.objects.create(
            run=made, kind=Channel.Kind.MAIL, about=Delivery.About.TEST, to="a@example.com"
        ),
    }
    row = rows[name]()
    for other in (run, made):  # only the row itself waits
        if other != row:
            type(other).objects.filter(pk=other.pk).update(status=Status.DONE)
    return row


def lapse(row: Leased) -> None:
    """Let its lease be over, as after its worker died."""
    type(row).objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    row.refresh_from_db()


def test_all_kinds_are_known() -> None:
    since = {
        "endpoint_test",
        "evaluation",
        "glance",
        "improvement",
        "llm_change",
        "llm_telling",
        "mention",
        "pdf_export",
        "posed_round",
        "share_notice",
        "supply",
        "trial",
    }  # kinds that no message of an earlier version names
    assert set(KINDS) == {*EARLIER.values(), *since}
    for name, kind in KINDS.items():
        assert (kind.name, kind_of(kind.model)) == (name, kind)
        assert import_module(kind.module)


def test_of_two_workers_with_one_message_one_works(kind, row) -> None:
    first = turn_take(kind.model, row.pk)
    assert first is not None
    assert turn_take(kind.model, row.pk) is None
    assert not work_do(kind.name, row.pk)


def test_what_a_dead_worker_left_is_handed_back_and_given_up_in_words(kind, row, told) -> None:
    for attempt in range(1, kind.attempts + 1):
        lost = turn_take(kind.model, row.pk)
        assert (lost.attempt, row.is_ended) == (attempt, False)
        told.clear()
        lapse(row)
        work_recover()
        row.refresh_from_db()
        with pytest.raises(LeaseLost):
            lost.write(attempts=99)
        if attempt < kind.attempts:
            assert (row.status, told) == (Status.QUEUED, [(kind.name, row.pk)])
    assert (row.status, row.attempts) == (Status.DONE, kind.attempts)
    assert f"interrupted {kind.attempts} times" in json.dumps(
        {field.name: str(getattr(row, field.name)) for field in row._meta.fields if field.name != "data"}
    )


def test_who_renews_its_lease_in_time_keeps_its_row(kind, row, told, monkeypatch) -> None:
    lease = turn_take(kind.model, row.pk)
    lapse(row)
    monkeypatch.setattr(recovery, "sleep", lambda seconds: lease.write())
    work_recover()
    row.refresh_from_db()
    assert (row.status, told) == (Status.RUNNING, [])


def test_what_was_to_stop_when_its_worker_died_ends(kind, row, told) -> None:
    turn_take(kind.model, row.pk)
    kind.model.objects.filter(pk=row.pk).update(stop_requested=True)
    lapse(row)
    work_recover()
    row.refresh_from_db()
    assert (row.status, told) == (Status.DONE, [])


def test_a_message_that_was_lost_is_sent_again_once(kind, row, told) -> None:
    work_recover()
    assert told == []
    with time_machine.travel(timezone.now() + timedelta(seconds=kind.lost_seconds + 1)):
        work_recover()
        work_recover()
    assert told == [(kind.name, row.pk)]


def test_what_is_put_off_is_told_when_its_time_comes(kind, row, told) -> None:
    if not issubclass(kind.model, Retried):
        assert kind.name not in ("report", "delivery")
        return
    turn_take(kind.model, row.pk).put_off(timezone.now() + timedelta(minutes=5))
    work_recover()
    assert told == []
    assert turn_take(kind.model, row.pk) is None
    with time_machine.travel(timezone.now() + timedelta(minutes=5, seconds=1)):
        work_recover()
        assert told == [(kind.name, row.pk)]
        assert turn_take(kind.model, row.pk) is not None


def test_an_error_nobody_expected_ends_it_in_words_and_is_raised(kind, row, monkeypatch) -> None:
    def broken(lease):
        raise ZeroDivisionError

    monkeypatch.setattr(kind, "do", broken)
    with pytest.raises(ZeroDivisionError):
        work_do(kind.name, row.pk)
    row.refresh_from_db()
    assert row.status == Status.DONE
    words = json.dumps(
        {field.name: str(getattr(row, field.name)) for field in row._meta.fields if field.name != "data"}
    )
    assert "Something in Mirror itself broke" in words
    assert "ZeroDivision" not in words


def test_a_store_that_stayed_away_costs_no_attempt(kind, row, told, monkeypatch) -> None:
    def away(lease):
        raise OperationalError("the store is away")

    monkeypatch.setattr(kind, "do", away)
    for number in range(1, kind.attempts + 3):
        told.clear()
        assert work_do(kind.name, row.pk)
        row.refresh_from_db()
        assert (row.status, row.attempts, row.died) == (Status.QUEUED, number, 0)
        assert (kind.name, row.pk) in told


def test_a_row_that_the_store_cannot_take_is_given_up_in_the_end(kind, row, monkeypatch) -> None:
    def away(lease):
        raise OperationalError("no such column")

    monkeypatch.setattr(kind, "do", away)
    for _ in range(SPARED_AT_MOST + kind.attempts):
        work_do(kind.name, row.pk)
        row.refresh_from_db()
        if row.status == Status.RUNNING:
            lapse(row)
            work_recover()
    row.refresh_from_db()
    assert (row.status, row.died) == (Status.DONE, kind.attempts)


def test_what_was_handed_back_while_its_worker_waited_for_the_store_is_spared_too(
    kind, row, monkeypatch
) -> None:
    def away(lease):
        lapse(row)
        work_recover()
        raise OperationalError("the store is away")

    monkeypatch.setattr(kind, "do", away)
    work_do(kind.name, row.pk)
    row.refresh_from_db()
    assert (row.status, row.died) == (Status.QUEUED, 0)


def test_a_store_that_does_not_come_back_leaves_it_to_be_handed_back(kind, row, monkeypatch) -> None:
    def away(*_):
        raise OperationalError("the store is away")

    monkeypatch.setattr(kind, "do", away)
    monkeypatch.setattr(doing, "give_back", away)
    monkeypatch.setattr(doing, "PATIENCE_SECONDS", 0.01)
    work_do(kind.name, row.pk)
    row.refresh_from_db()
    assert (row.status, row.died) == (Status.RUNNING, 1)


# ---------------------------------------------------------------- messages


def messages() -> list[dict[str, Any]]:
    """Messages in all queues of the broker."""
    folder = project.VAR_DIR / "broker" / "messages"
    return [json.loads(path.read_text()) | {"file": path.name} for path in sorted(folder.glob("*.msg"))]


@pytest.mark.parametrize("name", list(EARLIER.values()))
def test_a_row_goes_to_the_queue_of_its_kind(name, alice, shop) -> None:
    for path in (project.VAR_DIR / "broker" / "messages").glob("*.msg"):
        path.unlink()
    row = queued(name, alice, shop)
    send(row)
    (message,) = messages()
    assert message["headers"]["task"] == DOOR
    assert message["headers"]["argsrepr"] == repr((name, row.pk if isinstance(row.pk, int) else str(row.pk)))
    assert f".{KINDS[name].queue}." in message["file"]


def test_messages_of_earlier_versions_are_understood(alice, shop, monkeypatch) -> None:
    from mirror.celery import app

    app.loader.import_default_modules()
    worked: list[tuple[str, Any]] = []
    monkeypatch.setattr(doing, "work_do", lambda name, pk: worked.append((name, pk)))
    for task, name in EARLIER.items():
        row = queued(name, alice, shop) if name != "index" else StoredIndex.objects.create(source=shop)
        said = shop.pk if name == "index" else row.pk if isinstance(row.pk, int) else str(row.pk)
        app.tasks[task](said)
        assert worked.pop() == (name, row.pk if isinstance(row.pk, int) else str(row.pk))
    app.tasks["mirror.sources.tasks.index_build"](0)
    assert worked == [], "a source that is gone by now needs none"
    called = []
    monkeypatch.setattr(recovery, "work_recover", lambda: called.append(1))
    app.tasks["mirror.asking.tasks.recover_runs"]()
    assert called == [1]


# ---------------------------------------------------------------- turns


def asked(owner, source) -> Run:
    return queued("run", owner, source)


def test_one_person_holds_so_much_on_all_sources_together(
    alice, bob, shop, shop_file, settings, told
) -> None:
    settings.CONCURRENT_RUNS_PER_PERSON = 2
    other = Source.objects.create(owner=alice, name="other", engine="sqlite", database=str(shop_file))
    mine = [asked(alice, source) for source in (shop, other, shop)]
    leases = [turn_take(Run, run.pk) for run in mine]
    assert [lease is not None for lease in leases] == [True, True, False]
    assert turn_take(Run, asked(bob, shop).pk) is not None, "others find their turns free"
    told.clear()
    leases[1].end(outcome="failed")
    turns.turn_pass(leases[1])
    assert told == [("run", mine[2].pk)], "whichever source it was that ended"


def test_who_holds_least_is_let_in_before_who_waited_longer(alice, bob, shop, told) -> None:
    Source.objects.filter(pk=shop.pk).update(concurrent_runs=2)
    held = [turn_take(Run, asked(alice, shop).pk) for _ in range(2)]
    waiting = [asked(alice, shop), asked(bob, shop)]
    assert [turn_take(Run, run.pk) for run in waiting] == [None, None]
    told.clear()
    held[0].end(outcome="failed")
    turns.turn_pass(held[0])
    assert told == [("run", waiting[1].pk)], "for one that ended one comes"
    assert turn_take(Run, waiting[1].pk) is not None
    assert turn_take(Run, waiting[0].pk) is None


def test_a_hundred_that_one_person_queued_keep_nobody_else_out(alice, bob, shop, told) -> None:
    Source.objects.filter(pk=shop.pk).update(concurrent_runs=1)
    held = turn_take(Run, asked(alice, shop).pk)
    thread = Thread.objects.create(owner=alice, source=shop, title="many")
    Run.objects.bulk_create([Run(thread=thread, asked="?", waits_turn=True) for _ in range(100)])
    last = asked(bob, shop)
    assert turn_take(Run, last.pk) is None
    told.clear()
    held.end(outcome="failed")
    turns.turn_pass(held)
    first = thread.runs.order_by("created_at").first()
    assert told == [("run", first.pk)], "nobody holds anything, and she waited longer"
    taken = turn_take(Run, first.pk)
    Source.objects.filter(pk=shop.pk).update(concurrent_runs=2)
    told.clear()
    turns.turn_pass(held)
    assert told == [("run", last.pk)], "she holds one now"
    assert taken is not None


def test_one_that_could_not_be_taken_does_not_keep_others_out(
    alice, bob, shop, shop_file, settings, told
) -> None:
    settings.CONCURRENT_RUNS_PER_PERSON = 1
    other = Source.objects.create(owner=alice, name="other", engine="sqlite", database=str(shop_file))
    Source.objects.filter(pk=shop.pk).update(concurrent_runs=1)
    assert turn_take(Run, asked(alice, other).pk) is not None
    held = turn_take(Run, asked(bob, shop).pk)
    full, free = asked(alice, shop), asked(bob, shop)
    assert [turn_take(Run, run.pk) for run in (full, free)] == [None, None]
    told.clear()
    held.end(outcome="failed")
    turns.turn_pass(held)
    assert told == [("run", free.pk)], "Alice works elsewhere and has no turn left"
