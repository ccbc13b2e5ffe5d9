"""The way through a thread: what a follow-up goes on from, typed undo and redo, and the way back from edited SQL and other readings."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.urls import reverse

from mirror.asking import services
from mirror.asking.models import Run, Version
from mirror.asking.services.paths import turns_before
from mirror.work.leases import Status
from tests.web.test_asking_chips import QUESTION
from tests.web.working import answer, work


@pytest.fixture
def run(transactional_db, shop, media, alice) -> Run:
    return answer(services.run_ask(alice, shop, QUESTION))


def type_on(client, run: Run, text: str, **more: Any) -> Any:
    """Send a text as a follow-up from a run's page."""
    return client.post(reverse("asking:follow", args=[run.pk]), {"question": text} | more, follow=True)


def asked_on(client, run: Run, text: str, **more: Any) -> Run:
    """The answered follow-up that a text typed on a run's page becomes."""
    type_on(client, run, text, **more)
    newest = Run.objects.order_by("-pk").first()
    assert newest.asked == text
    return answer(newest)


def page_of(client, run: Run) -> Any:
    return client.get(reverse("asking:run", args=[run.pk])).context["page"]


def changed(client, run: Run, slot: str, key: str) -> Version:
    client.post(reverse("asking:change", args=[run.versions.first().pk]), {"choice": f"{slot} {key}"})
    return work(run.versions.first())


def test_typed_undo_goes_back_step_by_step_to_the_first_question_and_says_so_at_the_end(
    run, as_alice
) -> None:
    second = asked_on(as_alice, run, "foo bar")
    assert second.question == f"{QUESTION} (not understood: foo bar)"
    third = asked_on(as_alice, second, "by month instead")
    assert "month" in third.question and "(not understood: foo bar)" in third.question
    count = Run.objects.count()
    seen = []
    page = page_of(as_alice, third)
    for _ in range(2):
        reply = type_on(as_alice, Run.objects.get(pk=page.id), "Undo")
        page = reply.context["page"]
        seen.append((page.id, page.question))
        assert "goes forward again" in reply.content.decode()
    assert seen == [(second.pk, f"{QUESTION} (not understood: foo bar)"), (run.pk, QUESTION)]
    reply = as_alice.post(reverse("asking:follow", args=[run.pk]), {"question": "undo"})
    assert reply.status_code == 422
    assert "nothing left to undo" in reply.context["page"].problem
    assert Run.objects.count() == count, "a step asks nothing anew"


def test_typed_undo_takes_back_a_changed_chip_before_the_question(run, as_alice) -> None:
    second = asked_on(as_alice, run, "by month instead")
    changed(as_alice, second, "where:0", "period:2024-01-01:2025-01-01")
    page = type_on(as_alice, second, "undo").context["page"]
    assert (page.id, page.version.number) == (second.pk, 1)
    assert type_on(as_alice, second, "undo").context["page"].id == run.pk


def test_typed_redo_goes_forward_the_way_that_undo_came(run, as_alice) -> None:
    changed(as_alice, run, "where:0", "period:2024-01-01:2025-01-01")
    second = asked_on(as_alice, run, "by month instead")
    for place, number in ((run, 2), (run, 1)):
        page = type_on(as_alice, Run.objects.get(pk=second.pk if number == 2 else run.pk), "go back").context[
            "page"
        ]
        assert (page.id, page.version.number) == (place.pk, number)
    page = type_on(as_alice, run, "redo").context["page"]
    assert (page.id, page.version.number) == (run.pk, 2)
    assert type_on(as_alice, run, "forward").context["page"].id == second.pk
    reply = as_alice.post(reverse("asking:follow", args=[second.pk]), {"question": "redo"})
    assert (reply.status_code, "nothing to go forward to" in reply.context["page"].problem) == (422, True)


def test_what_was_not_understood_goes_with_never_mind_as_a_question_and_undo_brings_it_back(
    run, as_alice
) -> None:
    second = asked_on(as_alice, run, "foo bar")
    third = asked_on(as_alice, second, "never mind")
    assert third.question == QUESTION
    assert type_on(as_alice, third, "undo").context["page"].id == second.pk


def test_undo_goes_back_to_the_version_that_the_follow_up_was_asked_of(run, as_alice) -> None:
    changed(as_alice, run, "by:0", "grain:month")
    second = asked_on(as_alice, run, "only 2024", version="1")
    assert "category" in second.question and "month" not in second.question
    page = type_on(as_alice, second, "undo").context["page"]
    assert (page.id, page.version.number, page.place.is_front) == (run.pk, 1, False)
    assert page.follow_up.note == "A follow-up goes on from version 1, which is shown here."


def test_a_follow_up_on_an_older_page_goes_on_from_that_page_and_says_so(run, as_alice) -> None:
    second = asked_on(as_alice, run, "by month instead")
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "A follow-up goes on from this question. Asked last in this thread:" in html
    third = asked_on(as_alice, run, "only 2024")
    assert "category" in third.question and "month" not in third.question
    page = page_of(as_alice, third)
    assert (
        page.follow_up.goes_on
        == f"Goes on from “{QUESTION}”, not from “by month instead”, which was asked before it."
    )
    assert [turn.id for turn in page.thread.earlier] == [run.pk]
    assert page_of(as_alice, second).follow_up.goes_on == ""
    assert [turn.question for turn in turns_before(third)] == [QUESTION]
    assert [
        one.note for one in as_alice.get(reverse("asking:thread", args=[run.thread_id])).context["page"].runs
    ] == [
        "",
        "",
        f"Goes on from “{QUESTION}”",
    ]


def test_a_follow_up_asked_while_the_question_works_is_read_against_it(
    transactional_db, shop, media, alice, as_alice
) -> None:
    first = services.run_ask(alice, shop, QUESTION)
    second = services.run_follow(first, "by month instead")
    answer(first)
    assert "month" in answer(second).question


def test_of_a_question_without_answer_a_follow_up_goes_on_from_the_one_before_and_says_so(
    run, as_alice
) -> None:
    second = asked_on(as_alice, run, "only 2024")
    second.versions.all().delete()
    Run.objects.filter(pk=second.pk).update(outcome="failed", reason="The database went away.")
    note = page_of(as_alice, second).follow_up.note
    assert note == f"This question has no answer: a follow-up goes on from “{QUESTION}”."
    third = asked_on(as_alice, second, "by month instead")
    assert "2025" in third.question
    assert type_on(as_alice, third, "undo").context["page"].id == second.pk


def test_asking_again_stays_at_its_place_in_the_thread(run, as_alice) -> None:
    second = asked_on(as_alice, run, "by month instead")
    as_alice.post(reverse("asking:again", args=[run.pk]))
    again = Run.objects.order_by("-pk").first()
    assert (again.after, again.follows) == (None, None)
    assert answer(again).question == QUESTION
    as_alice.post(reverse("asking:again", args=[second.pk]))
    assert answer(Run.objects.order_by("-pk").first()).question == second.question


def test_questions_that_came_later_are_not_told_as_earlier_ones(run, as_alice) -> None:
    place = run
    for text in ("by month instead", "only online", "only 2024"):
        place = asked_on(as_alice, place, text)
    assert [turn.asked for turn in page_of(as_alice, place).thread.earlier] == [
        QUESTION,
        "by month instead",
        "only online",
    ]
    assert page_of(as_alice, run).thread.earlier == ()
    html = as_alice.get(reverse("asking:run", args=[place.pk])).content.decode()
    assert "2 questions before that" in html


def test_strangers_take_no_steps(run, as_bob, as_charlie) -> None:
    for stranger in (as_bob, as_charlie):
        assert type_on(stranger, run, "undo").status_code == 404


# ---------------------------------------------------------------- edited SQL and other readings


@pytest.fixture
def read_two_ways(run) -> Run:
    """An answer that has another reading."""
    sql = run.versions.get().sql
    reading = {
        "sql": f"SELECT * FROM ({sql}) AS t",
        "difference": "another",
        "columns": [],
        "rows": [],
        "row_count": 1,
        "size": 1,
    }
    Run.objects.filter(pk=run.pk).update(readings=[reading])
    run.refresh_from_db()
    return run


def test_a_reading_is_no_longer_shown_once_its_sql_was_edited_and_there_is_a_way_back(
    read_two_ways, as_alice
) -> None:
    run = read_two_ways
    first = run.versions.get()
    as_alice.post(reverse("asking:use_reading", args=[run.pk, 0]))
    reading = work(run.versions.first())
    page = page_of(as_alice, run)
    assert (page.readings[0].is_current, page.place.can_undo, page.place.back_to) == (
        True,
        True,
        "Back to the first answer",
    )
    # The very text of the reading, typed by a person, is that person's.
    for sql in (reading.sql, "SELECT 1 AS one"):
        reply = as_alice.post(
            reverse("asking:edit", args=[run.pk]), {"sql": sql}, headers={"HX-Request": "true"}
        )
        work(run.versions.first())
        page = page_of(as_alice, run)
        assert (page.readings[0].is_current, page.place.back_to) == (False, "Back to the other reading")
        assert 'id="other-readings"' in reply.content.decode()
    as_alice.post(reverse("asking:version_undo", args=[run.versions.first().pk]))
    assert run.versions.first() == reading
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "Back to the first answer" in html
    as_alice.post(reverse("asking:version_undo", args=[reading.pk]))
    assert run.versions.first() == first
    assert page_of(as_alice, run).place.is_first


def test_what_is_exchanged_after_an_edit_holds_the_readings() -> None:
    from django.template.loader import get_template

    assert "#other-readings" in get_template("asking/_sql.html").template.source


def test_sql_of_an_answer_without_chips_goes_back_to_the_first_answer(run, as_alice) -> None:
    Version.objects.filter(run=run).update(frame=None)
    as_alice.post(reverse("asking:edit", args=[run.pk]), {"sql": "SELECT 1 AS one"})
    version = work(run.versions.first())
    assert (page_of(as_alice, run).place.back_to, version.status) == ("Back to the first answer", Status.DONE)


# ---------------------------------------------------------------- waiting


def test_sql_that_waits_for_a_worker_does_not_say_that_it_runs(run, as_alice) -> None:
    as_alice.post(reverse("asking:edit", args=[run.pk]), {"sql": "SELECT 1 AS one"})
    version = run.versions.first()
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "The SQL waits for a worker" in html and "The SQL is running" not in html
    Version.objects.filter(pk=version.pk).update(status=Status.RUNNING)
    followed = {"X-Requested-With": "mirror-run"}
    now = as_alice.get(reverse("asking:version", args=[version.pk]), headers=followed).content.decode()
    assert "The SQL is running" in now and "id=" not in now


def test_typed_why_leads_to_the_page_of_the_change_or_says_of_what_reasons_are_told(run, as_alice) -> None:
    count = Run.objects.count()
    reply = as_alice.post(reverse("asking:follow", args=[run.pk]), {"question": "why?"})
    assert reply.status_code == 422 and "revenue by month" in reply.context["page"].problem
    assert Run.objects.count() == count, "no draft that leaves out “why”"
    monthly = asked_on(as_alice, run, "by month instead")
    reply = as_alice.post(reverse("asking:follow", args=[monthly.pk]), {"question": "But why did it fall?"})
    assert reply.url == reverse("dashboards:why", args=[monthly.versions.get().pk])


def test_an_unsure_reading_names_the_parts_that_may_be_meant_otherwise(run, as_alice) -> None:
    Run.objects.filter(pk=run.pk).update(
        outcome="ambiguous",
        confidence=0.3,
        why="unsure",
        reason="Words that may be changed any day, as likely wrong as right.",
    )
    said = page_of(as_alice, run).reason
    assert said.startswith(
        "Less than half sure of this reading, so it is a draft. Check “revenue (sum of amount)”"
    )
    assert "by category" in said and "as likely wrong as right" not in said


@pytest.mark.parametrize(
    ("outcome", "reason", "why"),
    [
        (
            "ambiguous",
            "Not sure: so many parts may have been meant otherwise that this is as likely wrong as right. This is a draft.",
            "unsure",
        ),
        ("ambiguous", "Not sure that this is what was meant; it is the likeliest reading.", "unsure"),
        (
            "unanswerable",
            "The question seems to be in German; it is understood in English only.",
            "language",
        ),
        ("ambiguous", "Not sure: this is a draft that leaves out “big”.", ""),
        ("answered", "Understood as so many parts may have been meant otherwise.", ""),
    ],
)
def test_runs_of_before_get_the_code_of_their_reason_once(run, outcome, reason, why) -> None:
    Run.objects.filter(pk=run.pk).update(outcome=outcome, reason=reason)
    step = import_module("mirror.asking.migrations.0017_run_why")
    step.name_reasons(apps, SimpleNamespace(connection=connection))
    assert Run.objects.get(pk=run.pk).why == why


def test_another_language_is_declined_with_a_way_on(run, shop, alice, as_alice) -> None:
    german = answer(services.run_ask(alice, shop, "Wie hoch ist der Umsatz in 2025?"))
    assert (german.outcome, german.why) == ("unanswerable", "language")
    Run.objects.filter(pk=german.pk).update(reason="Other words for it.")
    page = as_alice.get(reverse("asking:run", args=[german.pk])).content.decode()
    assert "Ask it in English. A language model reads other languages too" in page


def test_a_typed_chart_draws_the_same_rows_so_and_asks_nothing(run, as_alice, as_charlie) -> None:
    count, version = Run.objects.count(), run.versions.get()
    for text, mark in (
        ("as a pie chart please", "pie"),
        ("show it as a table", "none"),
        ("Bar chart", "bar"),
    ):
        type_on(as_alice, run, text)
        version.refresh_from_db()
        assert (version.chart["mark"], version.chart["chosen"]) == (mark, True)
    type_on(as_alice, run, "plot it")
    version.refresh_from_db()
    assert version.chart["mark"] == "bar", "a chart of no kind in particular is the one that is drawn"
    type_on(as_alice, run, "as a table")
    assert "Say which chart" in type_on(as_alice, run, "as a chart").context["page"].problem
    type_on(as_alice, run, "bar chart")
    assert Run.objects.count() == count
    assert asked_on(as_alice, run, "only 2024").question, (
        "a follow-up goes on from the question, not from the chart"
    )
    type_on(as_charlie, run, "as a table")
    version.refresh_from_db()
    assert version.chart["mark"] == "bar"


def test_a_typed_chart_that_cannot_be_is_refused_in_words(run, as_alice) -> None:
    refused = as_alice.post(reverse("asking:follow", args=[run.pk]), {"question": "as a scatter chart"})
    assert refused.status_code == 422
    assert refused.context["page"].problem
    run.versions.all().delete()
    assert "no rows to draw" in type_on(as_alice, run, "as a table").context["page"].problem
