"""When a pool is sent back, what the next wave is told, and what a new round may change."""

from __future__ import annotations

import pytest
from pools import LINKED, QUESTION, SHOP, TellingJudge, failed, groups_of, number_of, pool_of, ran, rows

from sqlagent.errors import LlmUnreachable
from sqlagent.makers.judging import FeatureJudge
from sqlagent.method.ranking import rank
from sqlagent.method.resampling import audit, keeps_earlier, prune
from sqlagent.values import Execution, LinkedSchema, Question, Ranking, Verdict


def audited(
    pool: list[Execution], judge: TellingJudge, ranking: Ranking | None = None, text: str = ""
) -> Verdict:
    question = Question(text) if text else QUESTION
    return audit(question, LINKED, ranking or ranked(pool, judge), pool, judge)


def ranked(pool: list[Execution], judge: TellingJudge) -> Ranking:
    from sqlagent.method.grouping import group_by_execution

    return rank(QUESTION, LINKED, group_by_execution(pool, False), pool=len(pool), judge=judge)


def test_a_pool_that_agrees_and_satisfies_the_auditor_is_accepted() -> None:
    verdict = audited(pool_of(5, 1), TellingJudge())
    assert verdict.accepted
    assert verdict.reason == "5 of 6 attempts agree"


def test_a_pool_without_a_valid_group_is_sent_back_with_the_database_s_own_words() -> None:
    judge = TellingJudge()
    verdict = audited(
        [failed("no such column: profit"), failed("no such column: profit"), failed("syntax")], judge
    )
    assert not verdict.accepted
    assert verdict.unmet == ("no such column: profit", "syntax")
    assert judge.audits == 0


def test_only_empty_results_are_sent_back() -> None:
    assert audited(pool_of(4, empty=(0,)), TellingJudge()).reason == "every attempt came back empty"


def test_only_empty_results_are_an_answer_to_a_question_of_existence() -> None:
    pool = pool_of(4, empty=(0,))
    assert audited(pool, TellingJudge(), text="Are there orders without a customer?").accepted


def test_only_empty_results_are_an_answer_where_the_auditor_says_that_there_are_no_such_data() -> None:
    said = Verdict(True, "nobody returned anything", has_no_data=True)
    verdict = audited(pool_of(4, empty=(0,)), TellingJudge(verdict=said))
    assert verdict.accepted and verdict.has_no_data and verdict.reason == "nobody returned anything"


def test_a_top_share_below_two_fifths_is_sent_back() -> None:
    assert audited(pool_of(2, 2, 2), TellingJudge(0, 1, 2)).reason == "only 2 of 6 attempts agree"


def test_an_unresolved_tie_is_sent_back() -> None:
    judge = TellingJudge(order=lambda numbers: range(len(numbers)), prefers=lambda one, two: 0.5)
    assert audited(pool_of(2, 2), judge).reason == "two results are equally likely"


def test_what_the_auditor_finds_missing_becomes_feedback() -> None:
    missing = Verdict(False, "refunds are not taken off", ("subtract returns.refund",))
    verdict = audited(pool_of(5), TellingJudge(verdict=missing))
    assert (verdict.accepted, verdict.reason, verdict.unmet) == (False, missing.reason, missing.unmet)


def test_an_auditor_that_fails_leaves_the_rules_to_decide() -> None:
    judge = TellingJudge(error=LlmUnreachable("no reply"))
    assert audited(pool_of(5), judge).accepted
    assert not audited(pool_of(1, 1, 1), judge).accepted


def test_the_features_name_the_unmet_requirements() -> None:
    question = Question("How many orders have the status 'lost'?")
    pool = [ran("SELECT COUNT(*) FROM orders", rows((9,)))] * 3
    verdict = audit(question, LinkedSchema(SHOP, SHOP), ranked(pool, TellingJudge()), pool, FeatureJudge())
    assert not verdict.accepted
    assert "'lost'" in verdict.unmet[0]


@pytest.mark.parametrize(
    ("before", "after", "keeps"),
    [
        ((3, 1), (3, 1), False),
        ((3, 1), (3, 5), False),
        ((3, 1), (4, 3), True),
    ],
    ids=["the same winner", "a larger share", "a smaller share"],
)
def test_the_earlier_winner_yields_to_a_larger_share(
    before: tuple[int, ...], after: tuple[int, ...], keeps: bool
) -> None:
    judge = TellingJudge(prefers=lambda one, two: 0.5)
    earlier = rank(QUESTION, LINKED, groups_of(*before), pool=sum(before), judge=judge)
    liked = TellingJudge(1, 0) if keeps else judge
    later = rank(QUESTION, LINKED, groups_of(*after), pool=sum(after), judge=liked)
    if keeps:
        assert number_of(later.groups[0].group) == 1
    assert keeps_earlier(QUESTION, LINKED, earlier, later, judge) is keeps


@pytest.mark.parametrize(("said", "keeps"), [(0.9, False), (0.4, True)], ids=["beaten", "not beaten"])
def test_the_earlier_winner_yields_to_one_that_beats_it_in_both_orders(said: float, keeps: bool) -> None:
    earlier = rank(QUESTION, LINKED, groups_of(3), pool=3, judge=TellingJudge())
    later = rank(QUESTION, LINKED, groups_of(4, 3), pool=7, judge=TellingJudge(1, 0))
    judge = TellingJudge(prefers=lambda one, two: said if one == 1 else 1 - said)
    assert keeps_earlier(QUESTION, LINKED, earlier, later, judge) is keeps
    assert judge.pairs == 2


def test_winning_in_one_order_only_is_not_enough() -> None:
    earlier = rank(QUESTION, LINKED, groups_of(3), pool=3, judge=TellingJudge())
    later = rank(QUESTION, LINKED, groups_of(4, 3), pool=7, judge=TellingJudge(1, 0))
    assert keeps_earlier(QUESTION, LINKED, earlier, later, TellingJudge(prefers=lambda one, two: 0.9))


def test_an_empty_result_never_displaces_rows() -> None:
    earlier = rank(QUESTION, LINKED, groups_of(2), pool=2, judge=TellingJudge())
    empty = rank(QUESTION, LINKED, groups_of(1, 6, empty=(1,))[:1], pool=7, judge=TellingJudge())
    assert number_of(empty.groups[0].group) == 1
    assert keeps_earlier(QUESTION, LINKED, earlier, empty, TellingJudge(1))
    assert not keeps_earlier(QUESTION, LINKED, empty, earlier, TellingJudge())


def test_a_later_round_without_results_changes_nothing() -> None:
    earlier = rank(QUESTION, LINKED, groups_of(2), pool=2, judge=TellingJudge())
    assert keeps_earlier(QUESTION, LINKED, earlier, Ranking((), 4), TellingJudge())
    assert not keeps_earlier(QUESTION, LINKED, Ranking((), 4), earlier, TellingJudge())


def test_a_joined_pool_is_pruned_to_the_best_in_order_of_sampling() -> None:
    joined = (*pool_of(2), failed(), *pool_of(1))
    kept = prune(QUESTION, LINKED, joined, TellingJudge(), keep=3)
    assert kept == (*joined[:2], joined[3])
    assert prune(QUESTION, LINKED, joined, TellingJudge(), keep=9) == joined
