"""A context that improves itself, on a source: who may start and read it, what comes into force, is rolled back, stopped and resumed."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse

from mirror.knowledge import answer_services, improving, term_services
from mirror.knowledge.knowing import knowledge_of
from mirror.knowledge.models import Improvement, ImprovementStep, StoredAnswer, StoredTerm
from mirror.knowledge.term_services import TermWish
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.models import Source
from mirror.work.doing import work_do
from mirror.work.leases import Status
from sqlagent.evaluation.improving import History, Part, State
from tests.web.small_shop import small_shop
from tests.web.working import unwatched, values_read

pytestmark = pytest.mark.django_db

VIP = "orders.amount > 105"


def url(name: str, *args) -> str:
    return reverse(f"knowledge:{name}", args=args)


@pytest.fixture
def small(alice, team, tmp_path, media):
    """A shop of 120 orders that Alice shares with her team, read."""
    path = small_shop(tmp_path)
    source = Source.objects.create(owner=alice, name="small", engine="sqlite", database=str(path))
    source.teams.add(team)
    catalog_refresh(source)
    values_read(source)
    return source


def verified(source, by, count: int) -> None:
    """Verify questions of so many templates; all but every tenth say a word of the team's."""
    figures = {
        "number of {}orders": "COUNT(*)",
        "total amount of {}orders": "SUM(amount)",
        "average amount of {}orders": "AVG(amount)",
    }
    groups = {
        "": "",
        " by status": "status",
        " by country": "customers.country",
        " by month": "strftime('%Y-%m', ordered_on)",
    }
    kept = {"": "", " in Norway": "customers.country = 'Norway'"}
    texts = [
        (figure, sql, said, group, where, condition)
        for where, condition in kept.items()
        for figure, sql in figures.items()
        for said, group in groups.items()
        if not (condition and group == "customers.country")
    ]
    for number, (figure, sql, said, group, where, condition) in enumerate(texts[:count]):
        word = "" if number % 10 == 5 else "grand "
        conditions = " AND ".join(filter(None, [VIP if word else "", condition]))
        join = (
            " JOIN customers ON customers.id = orders.customer_id"
            if "customers." in group + condition
            else ""
        )
        answer_services.answer_verify(
            source,
            figure.format(word) + where + said,
            f"SELECT {group + ', ' if group else ''}{sql} FROM orders{join}"
            f"{' WHERE ' + conditions if conditions else ''}{' GROUP BY 1' if group else ''}",
            by,
        )


def worked(row: Improvement) -> Improvement:
    with unwatched():
        work_do("improvement", row.pk)
    row.refresh_from_db()
    return row


@pytest.mark.parametrize(
    ("verb", "name", "expected"),
    [
        ("get", "improving", (200, 200, 404)),
        ("post", "improving_start", (302, 403, 404)),
        ("post", "improving_stop", (302, 403, 404)),
    ],
)
def test_the_owner_starts_and_stops_the_team_reads_and_a_stranger_finds_nothing(
    as_alice, as_bob, as_charlie, shop, alice, verb, name, expected
):
    improving.improvement_ask(shop, alice)
    for browser, status in zip((as_alice, as_bob, as_charlie), expected, strict=True):
        assert getattr(browser, verb)(url(name, shop.pk)).status_code == status


def test_a_word_that_many_verified_questions_say_becomes_a_term_in_force_by_the_gate(
    as_alice, as_bob, small, alice
):
    verified(small, alice, 21)
    as_alice.post(url("improving_start", small.pk), {"calls": "500"})
    row = worked(Improvement.objects.get())
    assert row.status == Status.DONE and not row.problem, row.problem
    tree = History.of(row.tree)
    assert tree.in_force, [(s.what, s.said) for s in ImprovementStep.objects.all()]
    (term,) = StoredTerm.objects.filter(status="force")
    assert (term.phrase, term.sql, term.owner) == ("grand", VIP, alice)
    accepted = ImprovementStep.objects.get(what="accepted")
    assert accepted.said["gate"]["won"] >= 5 and not accepted.said["gate"]["lost"]
    assert row.parts["sizes"] == dict.fromkeys(Part, 7) and len(row.parts["marks"]) == 21
    asked = {key for version in tree.versions for key in (*version.work, *version.gate)}
    assert len(asked) == 14  # of 21: the audit third is never asked
    for browser in (as_alice, as_bob):
        page = unescape(browser.get(url("improving", small.pk)).content.decode())
        assert "“grand”" in page and VIP in page and "became right" in page and "In force" in page
    assert tree.calls <= 500


def test_below_fifteen_templates_an_edit_waits_for_somebody_to_make_it_a_term(as_alice, as_bob, small, alice):
    verified(small, alice, 9)
    row = worked(improving.improvement_ask(small, alice))
    assert not StoredTerm.objects.exists() and History.of(row.tree).in_force == 0
    page = unescape(as_alice.get(url("improving", small.pk)).content.decode())
    assert "With fewer than 15 templates" in page and "Make it a term" in page
    number = next(one.number for one in History.of(row.tree).versions if one.state is State.PROPOSED)
    form = as_alice.get(url("term_new", small.pk) + f"?version={row.pk}-{number}").content.decode()
    assert 'value="grand"' in form
    assert "Make it a term" not in as_bob.get(url("improving", small.pk)).content.decode()
    for named in ("x", "1-2-3", f"{row.pk}-99", f"{row.pk + 1}-1", "9" * 30 + "-1"):
        assert as_alice.get(url("term_new", small.pk) + f"?version={named}").status_code == 200


def test_what_later_questions_speak_against_is_rolled_back_and_its_term_retired(small, alice):
    verified(small, alice, 21)
    row = worked(improving.improvement_ask(small, alice))
    assert StoredTerm.objects.get().status == "force"
    for answer in StoredAnswer.objects.filter(taken_back_at=None):  # the team changes its mind about the word
        answer_services.answer_verify(
            small, answer.question, answer.sql.replace(VIP, "orders.amount > 0"), alice
        )
    marks = Improvement.objects.get().parts["marks"]
    row = worked(improving.improvement_ask(small, alice))
    assert row.parts["marks"] == marks  # each template stays in its third, whatever answer is verified for it
    assert ImprovementStep.objects.filter(what="rolled back").count() == 1
    assert StoredTerm.objects.get(phrase="grand", sql=VIP).status == "retired"
    assert History.of(row.tree).in_force == 0


def test_a_learnt_term_is_masked_as_verified_sql_is_however_it_is_changed(small, alice):
    verified(small, alice, 21)
    worked(improving.improvement_ask(small, alice))
    term = StoredTerm.objects.get()
    assert term.holds_values and knowledge_of(small).terms[0].holds_values
    wish = TermWish(term.phrase, term.kind, term.body, synonyms=("huge",))
    assert term_services.term_save(small, wish, term.sql, alice, term).holds_values
    typed = TermWish("large", "filter", "orders.amount > 104")
    assert not term_services.term_save(small, typed, typed.body, alice).holds_values


def test_terms_changed_by_hand_end_it_and_the_next_one_starts_from_them(small, alice):
    verified(small, alice, 21)
    row = improving.improvement_ask(small, alice)
    body = "orders.amount > 104"
    term_services.term_save(small, TermWish("large", "filter", body), body, alice)
    assert worked(row).why == improving.CHANGED and row.steps.count() == 0
    again = improving.improvement_ask(small, alice)
    assert again != row and again.base != row.base
    assert worked(again).why != improving.CHANGED


def test_a_learnt_term_that_somebody_retires_stays_retired(small, alice):
    verified(small, alice, 21)
    row = worked(improving.improvement_ask(small, alice))
    term = StoredTerm.objects.get()
    term_services.term_status(term, "retired", alice)
    again = worked(improving.improvement_ask(small, alice))
    assert (
        again != row and History.of(again.tree).in_force == 0 and again.parts["marks"] == row.parts["marks"]
    )
    term.refresh_from_db()
    assert term.status == "retired" and StoredTerm.objects.filter(status="force").count() == 0


def test_the_budget_ends_it_and_a_fresh_one_goes_on_where_it_was(small, alice):
    verified(small, alice, 21)
    row = worked(improving.improvement_ask(small, alice, 3))
    assert "budget of 3 answers" in row.why and row.steps.count() == 1
    again = worked(improving.improvement_ask(small, alice, 400))
    assert again.pk == row.pk and again.steps.count() > 1 and History.of(again.tree).in_force


def test_one_that_is_under_way_is_not_started_twice_and_stops_where_it_waits(as_alice, small, alice):
    row = improving.improvement_ask(small, alice)
    assert improving.improvement_ask(small, alice) == row
    assert "Waits for a worker" in as_alice.get(url("improving", small.pk)).content.decode()
    as_alice.post(url("improving_stop", small.pk))
    row.refresh_from_db()
    assert (row.status, row.why) == (Status.DONE, improving.STOPPED)
    assert as_alice.post(url("improving_stop", small.pk)).status_code == 404


def test_it_gives_way_to_people_and_goes_on_without_asking_twice(small, alice, monkeypatch):
    verified(small, alice, 21)
    looks = iter([False] * 3 + [True] + [False] * 10_000)
    monkeypatch.setattr(improving, "turn_is_wanted", lambda lease: next(looks))
    row = worked(improving.improvement_ask(small, alice))
    assert row.status == Status.QUEUED and len(History.of(row.tree).versions[0].work) == 3
    Improvement.objects.update(not_before=None)
    assert worked(row).status == Status.DONE and History.of(row.tree).in_force


def test_a_source_that_is_away_or_has_nothing_verified_is_told(as_alice, small, alice):
    assert worked(improving.improvement_ask(small, alice)).why == improving.NOTHING
    small.database = "/nowhere/at.all"
    small.save()
    row = worked(improving.improvement_ask(small, alice))
    assert row.problem and "It failed" in as_alice.get(url("improving", small.pk)).content.decode()
