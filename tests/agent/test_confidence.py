"""How far an answer is believed, and which of the four outcomes a run has, with the reason."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pools import LINKED, QUESTION, SHOP, TellingJudge, failed, groups_of, pool_of, ran, rows

from sqlagent.journey.concluding import Ending, _as_the_analyst_read
from sqlagent.method.confidence import FITTED, confidence, constants, figures, outcome
from sqlagent.method.grouping import group_by_execution
from sqlagent.method.ranking import rank
from sqlagent.telling.readings import read
from sqlagent.values import (
    Catalog,
    Execution,
    ExecutionGroup,
    FailureKind,
    Link,
    LinkedSchema,
    Outcome,
    Question,
    Ranking,
    Verdict,
    Why,
)

FINE, POOR = Verdict(True, "fine"), Verdict(False, "poor", ("a", "b", "c"))
KNOWN = LinkedSchema(SHOP, SHOP, links=(Link(0, 5, "total", "orders", "total"),))


def ranked(*sizes: int, empty: tuple[int, ...] = (), failures: int = 0) -> Ranking:
    groups = groups_of(*sizes, empty=empty)
    return rank(QUESTION, LINKED, groups, pool=sum(sizes) + failures, judge=TellingJudge())


def sure(*sizes: int, verdict: Verdict = FINE, empty: tuple[int, ...] = (), failures: int = 0) -> float:
    pool = [*pool_of(*sizes, empty=empty), *[failed()] * failures]
    return confidence(ranked(*sizes, empty=empty, failures=failures), pool, verdict, KNOWN)


def test_more_agreement_is_believed_more() -> None:
    assert sure(8) > sure(6, 2) > sure(3, 3, 2)


def test_an_empty_result_is_believed_less() -> None:
    assert sure(8, empty=(0,)) < sure(8)


def test_words_that_found_nothing_are_believed_less() -> None:
    missed = LinkedSchema(SHOP, SHOP, KNOWN.links, unlinked=("salary", "bonus"))
    pool, ranking = pool_of(8), ranked(8)
    assert confidence(ranking, pool, FINE, missed) < confidence(ranking, pool, FINE, KNOWN)


def test_nothing_found_is_not_believed_at_all() -> None:
    assert confidence(Ranking((), 3), [failed()] * 3, POOR) == 0.0


@given(st.lists(st.integers(1, 9), max_size=5), st.integers(0, 9), st.booleans())
def test_confidence_is_a_probability_and_never_certain(
    sizes: list[int], failures: int, accepted: bool
) -> None:
    said = sure(*sizes, failures=failures, verdict=FINE if accepted else POOR)
    assert 0.0 <= said < 1.0


@pytest.mark.parametrize(
    ("sizes", "readings", "said", "why"),
    [
        ((2,), (), "give the same rows", ""),
        ((1,), (), "no other reading gives rows", ""),
        ((1, 1), read(ranked(1, 1), SHOP), "pick the reading you meant", Why.TIED),
    ],
)
def test_nobody_is_asked_to_pick_a_reading_where_none_is_there(sizes, readings, said, why) -> None:
    tied = (Outcome.AMBIGUOUS, "The question can be read in more than one way; pick the reading you meant.")
    analysis = SimpleNamespace(outcome=lambda: tied, sure=0.4, why=Why.TIED, candidates=())
    state = SimpleNamespace(ranking=ranked(*sizes), pool=pool_of(*sizes))
    end = _as_the_analyst_read(state, analysis, Ending(*tied, 0.4, readings))
    assert (end.outcome, end.why, end.sure, said in end.reason) == (Outcome.AMBIGUOUS, why, 0.4, True)


@pytest.mark.parametrize("sizes", [(2,), (4,), (8,)])
def test_a_checked_answer_of_a_language_model_is_believed_more_than_any_other(sizes: tuple[int, ...]) -> None:
    def believed(*groups: int, checked: bool | None) -> float:
        return confidence(ranked(*groups), pool_of(*groups), FINE, KNOWN, checked)

    assert believed(*sizes, checked=True) >= 0.9 > believed(*sizes, checked=False)
    frames = [
        confidence(ranked(*sizes), pool_of(*sizes), FINE, KNOWN, True, said) for said in (True, None, False)
    ]
    assert frames == sorted(frames, reverse=True) and frames[-1] > believed(*sizes, checked=False)
    assert (
        believed(*sizes, checked=False)
        >= believed(*sizes, 1, checked=False)
        >= believed(*sizes, *sizes, checked=False)
    )
    assert believed(*sizes, checked=None) == sure(*sizes)


def test_two_that_agree_are_not_believed_more_than_eight() -> None:
    two, eight = (confidence(ranked(n), pool_of(n), FINE, KNOWN, True) for n in (2, 8))
    assert two <= eight


def test_every_constant_belongs_to_a_figure_and_the_file_holds_nothing_else() -> None:
    assert set(json.loads(FITTED.read_text(encoding="utf-8"))) == {"about", "constants"}
    assert set(constants()) - {"intercept"} <= set(figures(ranked(2, 1), pool_of(2, 1), FINE, KNOWN))


# ---------------------------------------------------------------- outcomes


def ended(
    pool: list[Execution], *, belief: float = 0.5, linked: LinkedSchema | None = KNOWN, text: str = ""
) -> tuple[Outcome, str]:
    question = Question(text or QUESTION.text)
    ranking = rank(question, LINKED, group_by_execution(pool, False), pool=len(pool), judge=TellingJudge())
    return outcome(belief, ranking, pool, FINE, linked, read(ranking, SHOP), question)


def test_agreement_answers_and_says_how_many_agree() -> None:
    assert ended(pool_of(5, 1)) == (Outcome.ANSWERED, "5 of 6 attempts agree.")


def test_no_rows_are_an_answer_that_says_so() -> None:
    assert ended(pool_of(3, empty=(0,))) == (Outcome.ANSWERED, "The SQL ran, and no rows match.")


BY_CUSTOMER = (
    "SELECT c.region, SUM(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.region"
)
BY_STORE = "SELECT s.region, SUM(o.total) FROM orders o JOIN stores s ON s.id = o.store_id GROUP BY s.region"


class Even:
    """A judge that finds every group as good as any other."""

    def utilities(
        self, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> list[float]:
        return [0.0] * len(executions)

    def order(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> list[int]:
        return list(range(len(groups)))

    def prefers(
        self, question: Question, linked: LinkedSchema, first: ExecutionGroup, second: ExecutionGroup
    ) -> float:
        return 0.5

    def audit(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> Verdict:
        return FINE


def between(
    one: str, other: str, sizes: tuple[int, int] = (5, 4), belief: float = 0.5
) -> tuple[Outcome, str]:
    pool = [ran(one, rows((1,)))] * sizes[0] + [ran(other, rows((2,)))] * sizes[1]
    ranking = rank(QUESTION, LINKED, group_by_execution(pool, False), pool=sum(sizes), judge=Even())
    return outcome(belief, ranking, pool, FINE, KNOWN, read(ranking, SHOP), QUESTION)


def test_two_readings_of_nearly_the_same_weight_are_ambiguous() -> None:
    said, reason = between(BY_CUSTOMER, BY_STORE)
    assert said is Outcome.AMBIGUOUS
    assert "pick" in reason


def test_a_much_lighter_reading_is_no_rival() -> None:
    assert between(BY_CUSTOMER, BY_STORE, (5, 3))[0] is Outcome.ANSWERED


@pytest.mark.parametrize(
    "other",
    [
        BY_CUSTOMER.replace("SUM(o.total)", "SUM(o.total), COUNT(*)"),
        BY_CUSTOMER.replace("c.region, SUM(o.total)", "SUM(o.total), c.region"),
        BY_CUSTOMER + " ORDER BY 1",
    ],
    ids=["a column more", "columns turned", "an order"],
)
def test_how_an_answer_is_shown_makes_no_second_reading(other: str) -> None:
    assert between(BY_CUSTOMER, other)[0] is Outcome.ANSWERED


def test_a_confident_answer_is_not_called_ambiguous() -> None:
    assert between(BY_CUSTOMER, BY_STORE, belief=0.9)[0] is Outcome.ANSWERED


def test_words_that_found_nothing_make_a_question_unanswerable_and_are_named() -> None:
    foreign = LinkedSchema(SHOP, SHOP, unlinked=("weather", "tomorrow"))
    assert ended(pool_of(3), linked=foreign) == (
        Outcome.UNANSWERABLE,
        "Nothing here is about “weather” or “tomorrow”.",
    )


def test_the_very_thing_asked_for_is_enough_to_be_missed() -> None:
    links = tuple(Link(n, n + 1, "x", "orders") for n in range(3))
    linked = LinkedSchema(SHOP, SHOP, links, unlinked=("salary",))
    asked = "What is the average salary of customers with orders by region?"
    assert ended(pool_of(3), linked=linked, text=asked)[0] is Outcome.UNANSWERABLE
    assert (
        ended(pool_of(3), linked=linked, text="Which customers with a salary order most?")[0]
        is Outcome.ANSWERED
    )


def test_a_name_that_is_not_stored_does_not_make_a_question_foreign() -> None:
    links = tuple(Link(n, n + 1, "x", "orders") for n in range(2))
    linked = LinkedSchema(SHOP, SHOP, links, unlinked=("Zwolle",))
    assert ended(pool_of(3), linked=linked, text="Orders of customers from Zwolle")[0] is Outcome.ANSWERED


def test_an_auditor_that_finds_no_place_for_the_facts_makes_it_unanswerable() -> None:
    verdict = Verdict(False, "No table holds salaries.", answerable=False)
    said = outcome(0.9, ranked(5), pool_of(5), verdict, None, ())
    assert said == (Outcome.UNANSWERABLE, "No table holds salaries.")


def test_an_empty_database_is_said_to_be_empty() -> None:
    nothing = LinkedSchema(Catalog("sqlite", ()), Catalog("sqlite", ()))
    assert ended([], linked=nothing) == (Outcome.UNANSWERABLE, "There are no tables to ask about.")


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ([], "No SQL could be written"),
        ([failed(kind=FailureKind.TIMEOUT)] * 2, "ran out of time"),
        ([failed("server closed the connection", FailureKind.LOST)], "server closed the connection"),
        ([failed("near SELEC: syntax error")] * 2 + [failed("other")], "near SELEC: syntax error"),
        (
            [failed("DELETE changes rows.", FailureKind.REFUSED)],
            "The only attempt was refused: DELETE changes rows.",
        ),
        ([failed("near SELEC: syntax error")], "The only attempt failed: near SELEC: syntax error"),
        (
            [failed("DELETE changes rows.", FailureKind.REFUSED)] * 2,
            "None of 2 attempts gave a result; the usual one was refused: DELETE changes rows.",
        ),
    ],
    ids=["nothing tried", "out of time", "lost", "errors", "refused", "one failed", "all refused"],
)
def test_a_pool_where_all_fail_fails_with_the_reason(pool: list[Execution], words: str) -> None:
    said, reason = ended(pool)
    assert said is Outcome.FAILED
    assert words in reason
