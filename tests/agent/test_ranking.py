"""Ranking: the order of groups, its cost in calls, and its guarantees against a faulty judge."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pools import LINKED, QUESTION, SHOP, TellingJudge, groups_of, number_of, ran, rows

from sqlagent.errors import Cancelled, LlmUnreachable
from sqlagent.makers.judging import FeatureJudge
from sqlagent.method.grouping import group_by_execution
from sqlagent.method.ranking import SHOWN, rank, weights
from sqlagent.values import LinkedSchema, Question, Ranking


def ranked(
    *sizes: int, judge: object, mode: str = "fast", empty: tuple[int, ...] = (), text: str = ""
) -> Ranking:
    groups = groups_of(*sizes, empty=empty)
    question = Question(text or f"{QUESTION.text} {sizes} {id(judge)}")
    return rank(question, LINKED, groups, pool=sum(sizes), judge=judge, mode=mode)  # type: ignore[arg-type]


def order_of(ranking: Ranking) -> list[int]:
    return [number_of(r.group) for r in ranking.groups]


def test_a_group_with_three_fifths_of_the_weight_wins_unjudged() -> None:
    judge = TellingJudge(1)
    ranking = ranked(6, 4, judge=judge)
    assert order_of(ranking) == [0, 1]
    assert (judge.orders, ranking.judged, ranking.swap_consistency) == (0, False, None)


def test_below_the_gate_the_judge_is_asked_in_both_orders_and_decides() -> None:
    judge = TellingJudge(2, 1, 0)
    ranking = ranked(4, 3, 3, judge=judge)
    assert order_of(ranking) == [2, 1, 0]
    assert (judge.orders, judge.pairs) == (2, 0)
    assert ranking.swap_consistency == 1.0
    assert [r.list_wins for r in ranking.groups] == [2, 1, 0]


def test_a_judge_that_always_likes_the_first_shown_decides_nothing() -> None:
    judge = TellingJudge(order=lambda numbers: range(len(numbers)), prefers=lambda one, two: 0.9)
    ranking = ranked(4, 3, 3, judge=judge)
    assert order_of(ranking)[0] == 0
    assert ranking.swap_consistency == 0.0
    assert ranking.tied
    assert judge.pairs == 2
    assert all(r.list_wins == 0 for r in ranking.groups)


def test_where_the_orders_disagree_on_the_winner_a_duel_settles_it() -> None:
    said = iter([[0, 1, 2], [1, 2, 0]])
    judge = TellingJudge(order=lambda numbers: next(said), prefers=lambda one, two: 0.9 if one == 1 else 0.1)
    ranking = ranked(4, 4, 2, judge=judge)
    assert order_of(ranking)[0] == 1
    assert not ranking.tied
    assert judge.pairs == 2


@pytest.mark.parametrize(
    "nonsense", [[], [7, -3, 99], [0, 0, 0], [1]], ids=["none", "outside", "repeated", "one"]
)
def test_a_judge_that_answers_nonsense_ends_in_a_ranking_all_the_same(nonsense: list[int]) -> None:
    ranking = ranked(4, 3, 3, judge=TellingJudge(order=lambda numbers: nonsense))
    assert sorted(order_of(ranking)) == [0, 1, 2]


@pytest.mark.parametrize("mode", ["fast", "faithful"])
def test_a_judge_that_fails_leaves_the_vote_and_says_so(mode: str) -> None:
    ranking = ranked(4, 3, 3, judge=TellingJudge(error=LlmUnreachable("no reply in time")), mode=mode)
    assert order_of(ranking)[0] == 0
    assert any("(The language model did not reply)" in reason for reason in ranking.groups[0].reasons)


def test_a_stop_is_passed_on() -> None:
    def stop(numbers: list[int]) -> list[int]:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        ranked(4, 3, 3, judge=TellingJudge(order=stop))


def test_no_group_gives_an_empty_ranking() -> None:
    assert rank(QUESTION, LINKED, (), pool=3, judge=TellingJudge()).groups == ()


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="fast"):
        ranked(2, 2, judge=TellingJudge(), mode="furious")


def test_empty_results_weigh_nothing_beside_a_full_one() -> None:
    groups = groups_of(5, 2, empty=(0,))
    assert weights(Question("Which stores are open?"), groups) == [0.0, 2.0]
    assert order_of(ranked(5, 2, judge=TellingJudge(), empty=(0,))) == [1, 0]


def test_empty_results_weigh_half_where_nothing_may_be_the_answer() -> None:
    groups = groups_of(5, 2, empty=(0,))
    assert weights(Question("Is any store open?"), groups) == [2.5, 2.0]
    assert weights(Question("How many stores are open?"), groups) == [2.5, 2.0]


def test_empty_results_weigh_half_where_there_is_nothing_else() -> None:
    assert weights(Question("Which stores are open?"), groups_of(3, empty=(0,))) == [1.5]


def test_at_most_eight_groups_are_shown() -> None:
    shown: list[int] = []

    def order(numbers: list[int]) -> list[int]:
        shown.append(len(numbers))
        return list(range(len(numbers)))

    assert len(ranked(*[2] * 12, judge=TellingJudge(order=order)).groups) == 12
    assert shown == [SHOWN, SHOWN]


def test_the_same_verdict_is_not_asked_for_twice() -> None:
    judge = TellingJudge(1, 0)
    groups = groups_of(3, 3)
    for _ in range(3):
        rank(QUESTION, LINKED, groups, pool=6, judge=judge)
    assert judge.orders == 2


@pytest.mark.parametrize("sizes", [(2, 1), (3, 2, 1), (1, 1, 1, 1), (5,)])
def test_faithful_asks_every_cross_group_pair_in_both_orders_and_knows_the_final_comparison_by_then(
    sizes: tuple[int, ...],
) -> None:
    judge = TellingJudge(*range(len(sizes)))
    ranked(*sizes, judge=judge, mode="faithful")
    pairs = sum(a * b for i, a in enumerate(sizes) for b in sizes[i + 1 :])
    assert (judge.pairs, judge.orders) == (2 * pairs, 0)


def test_faithful_judges_equal_texts_once() -> None:
    pool = [ran("SELECT 0", rows((0,)))] * 5 + [ran("SELECT 1", rows((1,)))] * 4
    judge = TellingJudge(1, 0)
    groups = group_by_execution(pool, ordered=False)
    ranking = rank(QUESTION, LINKED, groups, pool=9, judge=judge, mode="faithful")
    assert order_of(ranking)[0] == 1
    assert judge.pairs <= 4


def test_faithful_puts_decisive_wins_before_size() -> None:
    ranking = ranked(5, 3, 1, judge=TellingJudge(2, 1, 0), mode="faithful")
    assert order_of(ranking) == [2, 1, 0]
    assert [r.list_wins for r in ranking.groups] == [2, 1, 0]


def test_faithful_lets_utility_decide_where_no_win_is_decisive() -> None:
    ranking = ranked(2, 5, 1, judge=TellingJudge(prefers=lambda one, two: 0.51), mode="faithful")
    assert order_of(ranking) == [1, 0, 2]
    assert ranking.tied


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=6),
    st.permutations(range(6)),
    st.sampled_from(["fast", "faithful"]),
)
def test_scores_belong_to_groups_so_all_members_share_one(
    sizes: list[int], liked: list[int], mode: str
) -> None:
    judge = TellingJudge(*liked)
    ranking = ranked(*sizes, judge=judge, mode=mode)
    scores = {member.sql: r.score for r in ranking.groups for member in r.group.members}
    assert len(scores) == sum(sizes)
    for r in ranking.groups:
        assert {scores[member.sql] for member in r.group.members} == {r.score}
        assert r.representative in r.group.members
    assert [r.score for r in ranking.groups] == sorted((r.score for r in ranking.groups), reverse=True)


STATEMENTS = (
    "SELECT region, SUM(total) FROM orders JOIN customers ON customers.id = customer_id GROUP BY region",
    "SELECT region, SUM(total) FROM orders JOIN stores ON stores.id = store_id GROUP BY region",
    "SELECT region FROM customers",
    "SELECT COUNT(*) FROM orders",
    "SELEC region",
    "",
)


@given(
    st.lists(st.tuples(st.sampled_from(STATEMENTS), st.integers(0, 3)), min_size=1, max_size=10), st.randoms()
)
def test_equal_results_get_equal_scores_from_the_features_too(
    drawn: list[tuple[str, int]], chance: object
) -> None:
    pool = [ran(sql, rows((n,)) if n else rows()) for sql, n in drawn]
    question = Question("What is the total of orders for each region?")
    one = rank(question, LINKED, group_by_execution(pool, False), pool=len(pool), judge=FeatureJudge())
    chance.shuffle(pool)  # type: ignore[attr-defined]
    two = rank(
        question,
        LinkedSchema(SHOP, SHOP),
        group_by_execution(pool, False),
        pool=len(pool),
        judge=FeatureJudge(),
    )
    assert {r.group.fingerprint: pytest.approx(r.score) for r in one.groups} == {
        r.group.fingerprint: r.score for r in two.groups
    }
