"""Context that improves itself: thirds that share no template, a gate that luck does not pass, versions that never change, rollback."""

from __future__ import annotations

import json

import pytest

from sqlagent.evaluation.improving import (
    LEAST_TEMPLATES,
    Edit,
    History,
    Improver,
    Limits,
    Part,
    State,
    Unfit,
    gate,
    grouped,
    level,
    sign_test,
    split,
)
from sqlagent.evaluation.improving.changes import applied
from sqlagent.evaluation.improving.histories import EDITORS, World, history, interval
from sqlagent.evaluation.improving.llm_editor import Context, LlmEditor, NotFit
from sqlagent.evaluation.improving.loop import Stopped
from sqlagent.evaluation.improving.remedying import Tried, remedies
from sqlagent.evaluation.improving.rules import Seen
from sqlagent.testing import ScriptedLlm
from sqlagent.values import (
    Catalog,
    Column,
    Correction,
    Knowledge,
    Subject,
    Table,
    Term,
    TermKind,
    VerifiedAnswer,
)


class Shop:
    """Twenty-four questions of which edits mend the named ones; the questions asked are kept."""

    def __init__(self, templates: int = 24, wrong: int = 24) -> None:
        self.groups = {str(n): str(n) for n in range(templates)}
        self.parts = split(list(self.groups), {}, "shop")
        self.wrong = {str(n) for n in range(wrong)}
        self.asked: list[str] = []
        self.shown: list[str] = []
        self.edits: list[Edit | None] = []

    def ask(self, edits, keys):
        self.asked += keys
        mended = {one for edit in edits for one in edit.change.get("mends", ())}
        broken = {one for edit in edits for one in edit.change.get("breaks", ())}
        return {key: (key not in self.wrong or key in mended) and key not in broken for key in keys}

    def propose(self, edits, failures):
        self.shown += failures
        return self.edits.pop(0) if self.edits else None

    def of(self, part: Part) -> list[str]:
        return [key for key, group in self.groups.items() if self.parts[group] is part]

    def improver(self, history: History | None = None, **limits) -> Improver:
        return Improver(
            history or History(), self.groups, self.parts, self.ask, self.propose, Limits(**limits)
        )


def mends(*keys: str, breaks=()) -> Edit:
    return Edit({"mends": list(keys), "breaks": list(breaks)})


def steps(improver: Improver) -> list[str]:
    found = []
    while not found or found[-1] != "ended":
        found.append(improver.step().what)
    return found


def test_thirds_are_equal_stay_and_share_no_group():
    groups = [str(n) for n in range(31)]
    first = split(groups[:20], {}, "a")
    sizes = sorted(list(first.values()).count(part) for part in Part)
    assert sizes == [6, 7, 7]
    more = split(groups, first, "a")
    assert all(more[one] is part for one, part in first.items())
    assert split(groups, {}, "a") != split(groups, {}, "b")


def test_other_words_for_the_same_statement_are_in_one_group_over_several_steps():
    made = grouped([("1", "a #", "X"), ("2", "b #", "Y"), ("3", "c", "Z"), ("4", "a #", "Y")])
    assert made["1"] == made["2"] == made["4"] != made["3"]


def test_the_gate_passes_what_chance_does_not_explain_and_nothing_that_it_may():
    before = dict.fromkeys("abcdefghij", 0.0)
    five = before | dict.fromkeys("abcde", 1.0)
    assert gate(five, before, before, 0).passed
    assert not gate(before | dict.fromkeys("abcd", 1.0), before, before, 0).passed
    assert not gate(five, before, before, 60).passed  # after sixty refused ones luck explains five
    assert not gate(before, before, before, 0).passed
    assert not gate(before | {"a": 1.0, "b": -1.0}, before, before, 0).passed


def test_a_template_asked_often_counts_once():
    groups = {"1": "a", "2": "a", "3": "a", "4": "b"}
    from sqlagent.evaluation.improving.gating import by_group

    assert by_group({"1": True, "2": True, "3": False, "4": True}, groups) == {"a": 2 / 3, "b": 1.0}


def test_a_version_below_the_lower_bound_of_the_start_is_refused():
    start = dict.fromkeys(map(str, range(20)), 1.0)
    in_force = dict.fromkeys(map(str, range(20)), 0.0)
    now = in_force | dict.fromkeys(map(str, range(6)), 1.0)
    found = gate(now, in_force, start, 0)
    assert not found.passed and "lower bound" in found.why


def test_an_edit_that_generalizes_comes_into_force_and_audit_is_never_asked():
    shop = Shop()
    shop.edits = [mends(*shop.of(Part.WORK)[:6], *shop.of(Part.GATE)[:6])]
    improver = shop.improver(idle=3)
    assert steps(improver)[:2] == ["began", "accepted"]
    assert improver.history.in_force == 1
    assert not set(shop.asked) & set(shop.of(Part.AUDIT))
    assert not set(shop.shown) - set(shop.of(Part.WORK))


def test_an_edit_that_mends_only_what_it_saw_stays_out():
    shop = Shop()
    work, checked = shop.of(Part.WORK), shop.of(Part.GATE)
    shop.wrong -= set(checked[:4])
    shop.edits = [mends(*work), mends(*work, breaks=checked[:4]), mends("99")]
    improver = shop.improver(idle=4)
    assert steps(improver) == ["began", "proposed", "refused", "refused", "nothing", "ended"]
    assert improver.history.in_force == 0


def test_below_fifteen_templates_edits_are_only_proposed():
    shop = Shop(LEAST_TEMPLATES - 1, LEAST_TEMPLATES - 1)
    shop.parts = {key: (Part.WORK, Part.GATE)[int(key) % 2] for key in shop.groups}
    shop.edits = [mends(*shop.groups)]
    improver = shop.improver(idle=3)
    step = [improver.step(), improver.step()][1]
    assert step.what == "proposed" and "15 templates" in step.why and improver.history.in_force == 0
    assert improver.history.versions[1].state is State.PROPOSED


def test_what_fails_on_questions_verified_later_is_rolled_back():
    shop = Shop()
    later = [str(n) for n in range(100, 140)]
    shop.edits = [mends(*shop.of(Part.WORK), *shop.of(Part.GATE), breaks=later)]
    improver = shop.improver()
    assert [improver.step().what, improver.step().what] == ["began", "accepted"]
    shop.groups |= {key: key for key in later}
    shop.parts = split(list(shop.groups), shop.parts, "shop")
    kept = History.of(json.loads(json.dumps(improver.history.plain())))
    again = shop.improver(kept)
    step = again.step()
    assert (step.what, kept.in_force, kept.versions[1].state) == ("rolled back", 0, State.ROLLED_BACK)
    assert "loses" in step.why
    assert again.step().what != "rolled back"


def test_what_was_stopped_goes_on_where_it_was_and_decides_nothing_by_halves():
    shop = Shop()
    shop.edits = [mends(*shop.of(Part.WORK), *shop.of(Part.GATE))] * 2
    whole, cut = shop.ask, 3

    def some(edits, keys):
        return whole(edits, list(keys)[:cut] if edits else keys)

    improver = shop.improver()
    improver.step()
    improver.ask = some
    with pytest.raises(Stopped):
        improver.step()
    assert len(improver.history.versions) == 1 and improver.history.in_force == 0
    again = shop.improver(History.of(json.loads(json.dumps(improver.history.plain()))))
    assert again.step().what == "accepted"


def test_an_editor_that_proposes_nonsense_for_ever_ends_by_budget():
    shop = Shop()
    shop.propose = lambda edits, failures: mends("nothing")
    assert steps(shop.improver(idle=5)) == ["began", "refused", *["known"] * 4, "ended"]
    numbers = iter(range(10_000))
    shop.propose = lambda edits, failures: mends(f"n{next(numbers)}")
    assert len(steps(shop.improver(edits=7, idle=100))) == 9
    assert shop.improver(calls=0).step().why == "Its budget of 0 answers is used."


def test_growth_goes_where_the_bound_is_best_and_not_always_from_the_start():
    shop = Shop()
    work, checked = shop.of(Part.WORK), shop.of(Part.GATE)
    shop.edits = [mends(*work[:3], *checked[:3]), mends(*work[3:], *checked[3:])]
    improver = shop.improver(idle=4)
    assert [improver.step().what for _ in range(3)] == ["began", "proposed", "accepted"]
    made = improver.history.versions
    assert made[2].parent == 1 and len(improver.history.edits(2)) == 2


def test_too_few_questions_end_at_once_in_words():
    shop = Shop(1, 1)
    assert "too few" in shop.improver().step().why


@pytest.mark.parametrize("editor", EDITORS)
def test_simulated_editors_never_see_the_gate_and_what_overfits_stays_out(editor):
    found = [history(f"test-{n}", editor) for n in range(4)]
    assert not any(one.is_harmed for one in found)
    if editor == "poisons":
        assert not any(one.accepted for one in found)


def test_without_the_gate_editors_that_overfit_do_harm():
    gains = [(one := history(f"test-{n}", "poisons", gated=False)).after - one.before for n in range(6)]
    assert sum(gains) / len(gains) < -0.05


def test_a_world_says_the_same_of_a_question_whenever_it_is_asked():
    world = World("x", "honest")
    edit = world.propose([], ["1.0"])
    assert world.ask([edit], ["3.0"]) == world.ask([edit], ["3.0"])


def test_exact_figures():
    assert sign_test(0, 0) == 1.0 and level(0) >= level(30) > level(300) > 0
    low, high = interval(4, 200)
    assert (round(100 * low, 2), round(100 * high, 2)) == (0.55, 5.04)


# ---------------------------------------------------------------- the editor that is a language model

SHOP = Catalog(
    "sqlite",
    (
        Table("orders", (Column("id"), Column("amount"), Column("status"))),
        Table("salaries", (Column("id"), Column("pay"))),
    ),
    corrections=(Correction(Subject.HIDDEN, "salaries"),),
)
SEEN = {
    str(n): Seen(
        f"number of grand orders of kind {n}",
        f"SELECT COUNT(*) FROM orders WHERE amount > 1234567 AND status = 'Secret {n}'",
        "SELECT COUNT(*) FROM orders WHERE status = 'Other town'",
    )
    for n in range(20)
}


def editor(*replies: str, privacy: str = "schema", seen=SEEN, fit=lambda change: change) -> LlmEditor:
    answers = {key: VerifiedAnswer(one.text, one.sql, key=key) for key, one in seen.items()}
    context = Context(
        SHOP, None, Knowledge((Term("vip", TermKind.RULE, "Count each once."),)), answers, privacy
    )
    return LlmEditor(ScriptedLlm(list(replies)), context, lambda: seen, History(), fit)


@pytest.mark.parametrize(("privacy", "tells"), [("schema", False), ("masked", False), ("rows", True)])
def test_failures_go_out_with_what_differs_and_no_stored_value_below_rows(privacy, tells):
    text = editor(privacy=privacy).request([], list(SEEN.values())[:2]).messages[0].text
    assert "[2] Question: number of grand orders of kind 1" in text and "- condition: " in text
    assert ("Secret 1" in text, "Other town" in text, "1234567" in text) == (tells,) * 3
    assert "Generalize." in text and "Count each once." in text and "salaries" not in text


def test_a_call_shows_some_failures_counts_on_the_budget_and_the_next_one_shows_the_next():
    made = editor(
        '{"kind": "rule", "phrase": "kinds", "body": "Each once.", "why": "twice"}', '{"kind": "none"}'
    )
    edit = made.propose([], list(SEEN))
    assert edit == Edit(
        {"kind": "rule", "phrase": "kinds", "body": "Each once."}, made.llm.name, "twice", False
    )
    made.history.grown(0, edit)
    made.history.edits_asked += 1
    assert made.propose([], list(SEEN)) is None and made.history.calls == 2
    first, second = (request.messages[0].text for request in made.llm.requests)
    assert "of kind 0\n" in first and "of kind 8\n" not in first
    assert "of kind 8\n" in second and "rule of kinds: Each once. -- did not help" in second


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "No idea.",
        "{}",
        '{"kind": 7}',
        '{"kind": "poem", "body": "x"}',
        '{"kind": "rule", "phrase": ["a"], "body": "x"}',
        '{"kind": "examples", "questions": "all"}',
        '{"kind": "examples", "questions": [0, -1, 99, true, "1"]}',
        '{"kind": "rule", "phrase": "a", "body": "' + "x" * 9_000 + '"}',
        '{"kind": "rule", "phrase": "refused", "body": "x"}',
    ],
)
def test_a_reply_that_is_no_edit_is_told_and_never_raised(reply):
    def fit(change):
        if change.get("phrase") == "refused":
            raise NotFit("Said to people.", "Told to the editor.")
        return change

    made = editor(reply, '{"kind": "none"}', fit=fit)
    found = made.propose([], ["1"])
    assert isinstance(found, Unfit) and found.why and len(made.history.unfit) == 1
    assert History.of(json.loads(json.dumps(made.history.plain()))) == made.history
    made.propose([], ["1"])
    assert "could not be tried" in made.llm.requests[-1].messages[0].text
    assert "Said to people" not in made.llm.requests[-1].messages[0].text


def test_an_unfit_proposal_is_a_step_that_changes_no_version():
    shop = Shop()
    shop.edits = [Unfit("Not an edit."), Unfit("Nor this.", Edit({"kind": "rule"}))]
    improver = shop.improver(idle=3)
    assert steps(improver) == ["began", "unfit", "unfit", "nothing", "ended"]
    assert len(improver.history.versions) == 1


def test_a_later_description_or_set_of_examples_replaces_the_one_before():
    answers = {"1": VerifiedAnswer("a", "SELECT 1"), "2": VerifiedAnswer("b", "SELECT 2")}
    first = {"kind": "description", "table": "orders", "column": "amount", "body": "In cents."}
    edits = [
        Edit(first),
        Edit({"kind": "examples", "answers": ["1"]}),
        Edit({**first, "body": "In euros."}),
        Edit({"kind": "examples", "answers": ["2"]}),
    ]
    known, catalog = applied(edits, Knowledge(), SHOP, answers)
    assert [one.question for one in known.examples] == ["b"]
    assert [one.told for one in catalog.corrections if one.subject is Subject.DESCRIPTION] == ["In euros."]
    assert SHOP.corrections[0] in catalog.corrections


UNITS = Catalog("sqlite", (Table("units", (Column("site"), Column("state"))),))
FREE = VerifiedAnswer(
    "free units by site", "SELECT site, COUNT(*) FROM units WHERE state = 'A' GROUP BY site", key="1"
)
OTHER = VerifiedAnswer("free sites", "SELECT COUNT(*) FROM units", key="2")
FREE_TERM = Term("free", TermKind.FILTER, "units.state = 'A'", holds_values=True)


def remedied(verified, right, *, is_whole=True, known=(), tries=1_000):
    """Remedies where a question is right with terms of which `right` says so, and read as a whole or not; so many answers are given."""
    asked = []

    def attempt(one, terms):
        asked.append((one.key, terms))
        return Tried(right(one, terms), "SELECT site, COUNT(*) FROM units GROUP BY site", (), is_whole)

    began = {
        one.key: Tried(right(one, ()), "SELECT site, COUNT(*) FROM units GROUP BY site", ("free",))
        for one in verified
    }
    found = remedies(verified, began, UNITS, attempt, known=known, goes_on=lambda: len(asked) < tries)
    return [(one.term, one.answer.key) for one in found], asked


def sets_free_right(one, terms):
    return one is OTHER or FREE_TERM in terms


def test_a_remedy_sets_a_wrong_answer_right_and_reads_it_whole():
    assert remedied([FREE], sets_free_right)[0] == [(FREE_TERM, "1")]
    assert remedied([FREE], sets_free_right, is_whole=False)[0] == []
    assert remedied([FREE], lambda one, terms: False)[0] == []


def test_a_remedy_loses_no_other_verified_answer():
    assert remedied([FREE, OTHER], sets_free_right)[0] == [(FREE_TERM, "1")]
    lost = remedied([FREE, OTHER], lambda one, terms: (FREE_TERM in terms) == (one is FREE))[0]
    assert (FREE_TERM, "1") not in lost


def test_words_that_are_known_are_not_learnt_and_tries_are_bounded():
    assert remedied([FREE], sets_free_right, known=["Free"])[0] == []
    assert remedied([FREE], sets_free_right, tries=0) == ([], [])
    assert len(remedied([FREE], lambda one, terms: False)[1]) <= 24


def test_right_answers_cost_nothing():
    assert remedied([OTHER], sets_free_right) == ([], [])
