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
    gate,
    grouped,
    level,
    sign_test,
    split,
)
from sqlagent.evaluation.improving.histories import EDITORS, World, history, interval
from sqlagent.evaluation.improving.loop import Stopped


class Shop:
    """Twenty-four questions of which edits mend what they name; what was asked is kept."""

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
