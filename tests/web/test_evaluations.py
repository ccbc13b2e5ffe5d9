"""Evaluations of a source: who may look and start, what wakes one, what its pages and its mail say, and what got worse."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from mirror.knowledge import answer_services, evaluation_work, term_services
from mirror.knowledge.evaluating import Asked
from mirror.knowledge.evaluation_plans import evaluations_due, next_night, plan_set
from mirror.knowledge.models import Evaluation, EvaluationPlan, Shift, StoredTerm
from mirror.knowledge.shifts import shifts_of
from mirror.knowledge.term_services import TermWish
from mirror.work.doing import work_do
from mirror.work.leases import Status
from sqlagent.errors import DatabaseError
from sqlagent.values import Failure, FailureKind
from tests.web.working import unwatched

pytestmark = pytest.mark.django_db

NORDIC = "customers.country IN ('Norway', 'Sweden')"
VERIFIED = f"SELECT COUNT(*) FROM customers WHERE {NORDIC}"
Every = EvaluationPlan.Every


def url(name: str, *args) -> str:
    return reverse(f"knowledge:{name}", args=args)


def nordic(shop, by) -> StoredTerm:
    return term_services.term_save(shop, TermWish("nordic", "filter", NORDIC), NORDIC, by)


def evaluated(shop, by=None, cause="hand") -> Evaluation:
    """Ask for an evaluation and do it, as a worker does."""
    row = evaluation_work.evaluation_ask(shop, cause, by)
    Evaluation.objects.filter(pk=row.pk).update(not_before=None)
    worked(row)
    return row


def worked(row: Evaluation) -> None:
    with unwatched():
        work_do("evaluation", row.pk)
    row.refresh_from_db()


@pytest.fixture
def known(shop, alice):
    """A term that makes one of two verified questions right, before anything was evaluated."""
    answer_services.answer_verify(shop, "How many nordic customers are there?", VERIFIED, alice)
    answer_services.answer_verify(shop, "colours by mood", "SELECT 1 AS one", alice)
    return nordic(shop, alice)


@pytest.mark.parametrize(
    ("verb", "name", "expected"),
    [
        ("get", "evaluations", (200, 200, 404)),
        ("get", "evaluation", (200, 200, 404)),
        ("post", "evaluate", (302, 403, 404)),
        ("post", "evaluation_plan", (302, 403, 404)),
        ("post", "evaluation_stop", (302, 403, 404)),
    ],
)
def test_the_owner_evaluates_the_team_reads_and_a_stranger_finds_nothing(
    as_alice, as_bob, as_charlie, shop, verb, name, expected
):
    row = Evaluation.objects.create(source=shop, status="done", measured_at=timezone.now())
    if name == "evaluation_stop":
        row = Evaluation.objects.create(source=shop)
    more = [row.pk] if name in ("evaluation", "evaluation_stop") else []
    for browser, status in zip((as_charlie, as_bob, as_alice), reversed(expected), strict=True):
        assert getattr(browser, verb)(url(name, shop.pk, *more), {"every": "weekly"}).status_code == status


def test_an_evaluation_is_started_followed_and_opened_question_by_question(as_alice, alice, shop, known):
    Evaluation.objects.all().delete()
    as_alice.post(url("evaluate", shop.pk))
    page = unescape(as_alice.get(url("evaluations", shop.pk)).content.decode())
    assert "Evaluation started by hand by Alice" in page and "Waits for a worker" in page
    row = Evaluation.objects.get()
    worked(row)
    assert (row.status, row.summary["right"], row.summary["bare"]) == (Status.DONE, 1, 0), row.problem
    page = unescape(as_alice.get(url("evaluations", shop.pk)).content.decode())
    assert "1 of 2, 50 %" in page and "0 of 2, 0 %" in page and "One figure" in page
    page = unescape(as_alice.get(url("evaluation", shop.pk, row.pk)).content.decode())
    assert "colours by mood" in page and "Wrong" in page and "nordic customers" not in page
    page = unescape(as_alice.get(url("evaluation", shop.pk, row.pk) + "?show=all").content.decode())
    assert "nordic customers" in page and "right by the terms alone" in page


def test_terms_that_change_in_a_row_wake_one_evaluation_and_a_hand_takes_it_over(alice, shop, known):
    waiting = Evaluation.objects.get()
    assert waiting.cause == "terms" and waiting.not_before > timezone.now()
    term_services.term_status(known, "retired", alice)
    term_services.term_delete(known, alice)
    assert Evaluation.objects.get() == waiting
    assert evaluation_work.evaluation_ask(shop, "hand", alice) == waiting
    waiting.refresh_from_db()
    assert (waiting.cause, waiting.not_before) == ("hand", None)


def test_a_schedule_asks_once_for_each_time_and_makes_up_for_a_missed_one(as_alice, alice, shop):
    as_alice.post(url("evaluation_plan", shop.pk), {"every": "daily"})
    assert evaluations_due() == 0
    EvaluationPlan.objects.update(next_at=timezone.now() - timedelta(days=3))
    assert (evaluations_due(), evaluations_due()) == (1, 0)
    assert Evaluation.objects.get().cause == "schedule"
    monday = next_night(Every.WEEKLY, datetime(2026, 11, 23, 12, tzinfo=UTC))
    assert monday is not None and monday.weekday() == 0 and monday.day == 30
    assert plan_set(shop, Every.OFF, alice).next_at is None


def test_a_source_that_is_away_is_told_and_is_no_last_time(alice, shop, known):
    shop.database = "/nowhere/at.all"
    shop.save()
    row = evaluated(shop, alice)
    assert row.problem and row.measured_at is None and row.status == Status.DONE


def test_an_evaluation_gives_way_and_goes_on_where_it_was(alice, shop, known, monkeypatch):
    monkeypatch.setattr(evaluation_work, "LOOK_SECONDS", -1)
    monkeypatch.setattr(evaluation_work, "turn_is_wanted", lambda lease: True)
    row = evaluated(shop, alice)
    assert (row.status, row.attempts, row.results) == (Status.QUEUED, 0, [])
    looks = iter([False, True])
    monkeypatch.setattr(evaluation_work, "turn_is_wanted", lambda lease: next(looks))
    Evaluation.objects.update(not_before=None)
    worked(row)
    assert (row.status, len(row.results)) == (Status.QUEUED, 1)
    monkeypatch.setattr(evaluation_work, "turn_is_wanted", lambda lease: False)
    Evaluation.objects.update(not_before=None)
    worked(row)
    assert (row.status, row.summary["asked"]) == (Status.DONE, 2)


def test_an_evaluation_is_kept_though_the_database_is_lost_while_terms_are_looked_for(
    alice, shop, known, monkeypatch
):
    def lost(*_args: object) -> None:
        raise DatabaseError(Failure(FailureKind.LOST, "The database went away."))

    monkeypatch.setattr(evaluation_work, "remedies_look", lost)
    row = evaluated(shop, alice)
    assert (row.status, row.summary["right"], row.summary["remedies"]) == (Status.DONE, 1, []), row.problem


def test_an_evaluation_that_is_stopped_while_terms_are_looked_for_says_so(alice, shop, known, monkeypatch):
    watches = []
    begin = evaluation_work._measure
    monkeypatch.setattr(
        evaluation_work, "_measure", lambda *given: (watches.append(given[-1]), begin(*given))
    )
    monkeypatch.setattr(
        evaluation_work, "remedies_look", lambda *_given: setattr(watches[0], "is_stopped", True) or []
    )
    assert evaluated(shop, alice).problem == evaluation_work.STOPPED


def test_so_many_evaluations_are_kept(alice, shop, known, monkeypatch):
    monkeypatch.setattr(evaluation_work, "KEPT", 2)
    rows = [evaluated(shop, alice) for _ in range(3)]
    assert list(Evaluation.objects.order_by("pk")) == rows[1:]


# ---------------------------------------------------------------- a drift of meaning


def shape(**more):
    return {"columns": ["n"], "rows": 1, "cut": False, "figure": 100.0} | more


@pytest.mark.parametrize(
    ("before", "now", "sql", "kinds"),
    [
        (shape(), shape(figure=200.0), "SELECT 1", ["figure"]),
        (shape(), shape(figure=130.0), "SELECT 1", []),
        (shape(), shape(figure=200.0), "SELECT 1 WHERE d > CURRENT_DATE", []),
        (shape(figure=None, rows=40), shape(figure=None, rows=90), "SELECT 1", ["rows"]),
        (shape(figure=None, rows=2), shape(figure=None, rows=8), "SELECT 1", []),
        (shape(rows=1_000, cut=True), shape(rows=1_000, cut=True), "SELECT 1", []),
        (shape(), shape(columns=["n", "m"]), "SELECT 1 WHERE d > CURRENT_DATE", ["columns"]),
        ({}, shape(), "SELECT 1", []),
    ],
)
def test_only_a_jump_is_a_drift_of_meaning(before, now, sql, kinds):
    one = Asked("q", True, True, "answered", 0.1, expected=sql, shape=now)
    assert [kind for kind, _, _ in shifts_of(one, before)] == kinds


def test_an_answer_that_jumped_waits_for_its_owner_until_it_is_settled_or_dismissed_for_good(
    as_alice, as_bob, as_charlie, alice, shop, known
):
    def jump() -> str:
        row = evaluated(shop, alice)
        row.results[0]["shape"]["figure"] *= 10  # as if it had given ten times as much then
        row.save()
        evaluated(shop, alice)
        return Shift.objects.get().state

    assert jump() == "open"
    row = Shift.objects.get()
    place = url("shift", shop.pk, row.pk)
    for browser, status in ((as_charlie, 404), (as_bob, 403)):
        assert browser.post(place, {"do": "dismiss"}).status_code == status
    page = unescape(as_alice.get(url("feedback", shop.pk)).content.decode())
    assert "Look at it again" in page and "nordic customers" in page and "its figure jumped" in page
    assert as_alice.post(place, {"do": "settle"}).status_code == 302
    assert "Look at it again" not in as_alice.get(url("feedback", shop.pk)).content.decode()
    assert jump() == "open"
    as_alice.post(place, {"do": "dismiss"})
    assert jump() == "dismissed"
