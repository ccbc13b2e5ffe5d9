"""The built-in analyst's frame beside a language model: it saves a call where both agree, and costs no right answer."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

import pytest
from test_adaptive import EQUAL, RIGHT, SHOP, WRONG, asked, ended, kinds, model, purposes

from sqlagent import pipeline
from sqlagent.errors import LlmUnreachable
from sqlagent.events import Audited, Checked, Event, Executed
from sqlagent.prompts import rendering
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Budget, Candidate, Execution, LinkedSchema, Outcome, Question, Rows

EMPTY = "SELECT COUNT(*) FROM customer WHERE country = 'Peru'"


def families(events: Sequence[Event]) -> list[str]:
    return [event.execution.candidate.family for event in events if isinstance(event, Executed)]


def test_a_first_attempt_that_agrees_with_the_frame_is_the_whole_cost() -> None:
    llm = model(RIGHT)
    events = asked(llm, frame=True)
    answer = ended(events)
    assert purposes(llm) == ["sample:direct"] and families(events) == ["direct", "analyst"]
    assert (answer.outcome, answer.size, answer.pool, answer.usage.calls) == (Outcome.ANSWERED, 2, 2, 1)
    assert answer.reason == "The first attempt and the built-in analyst agreed and the checks passed."
    assert answer.confidence >= 0.9 and Audited not in kinds(events)
    assert [e for e in events if isinstance(e, Checked)] == [Checked(2, (), True)]


def test_two_attempts_that_agree_with_each_other_are_not_held_up_by_another_frame() -> None:
    llm = model(WRONG, WRONG.replace("*", "id"), RIGHT)
    events = asked(llm, text="How many customers are there?", frame=True)
    assert purposes(llm) == ["sample:direct"], "here the frame agrees"
    llm = model("SELECT COUNT(*) + 1 FROM customer", "SELECT 1 + COUNT(id) FROM customer")
    events = asked(llm, text="How many customers are there?", frame=True)
    assert purposes(llm) == ["sample:columns", "sample:direct"] and "analyst" not in families(events)
    assert ended(events).rows is not None and ended(events).rows.rows == ((4,),)  # type: ignore[union-attr]


def test_where_attempts_differ_the_frame_has_no_vote() -> None:
    llm = model(WRONG, EMPTY.replace("Peru", "France"), WRONG, WRONG)
    events = asked(llm, frame=True, budget=Budget(samples=4, rounds=0))
    assert "analyst" not in families(events) and ended(events).pool == 4
    rows = ended(events).rows
    assert rows is not None and rows.rows == ((3,),)


def test_an_agreed_answer_that_the_checks_doubt_is_sampled_on() -> None:
    llm = model(EMPTY)
    events = asked(
        llm, text="How many customers are from Peru?", frame=True, budget=Budget(samples=4, rounds=0)
    )
    assert len(purposes(llm)) > 2 and "analyst" not in families(events)


def test_where_no_attempt_runs_the_frame_answers() -> None:
    llm = model("SELECT nosuch FROM customer")
    events = asked(llm, frame=True, budget=Budget(samples=2, rounds=0, audit="never"))
    answer = ended(events)
    assert "analyst" in families(events) and answer.rows is not None and answer.rows.rows == ((2,),)
    assert answer.confidence < 0.9


def test_a_model_that_declines_is_not_overruled_by_a_frame() -> None:
    llm = model("UNANSWERABLE: no customers are recorded")
    events = asked(llm, frame=True)
    assert ended(events).outcome is Outcome.UNANSWERABLE and "analyst" not in families(events)


def test_a_model_that_is_silent_leaves_the_answer_that_is_given_without_one() -> None:
    with_frame, without = (
        ended(asked(model(LlmUnreachable("down")), frame=frame)) for frame in (True, False)
    )
    assert (with_frame.sql, with_frame.outcome) == (without.sql, without.outcome)
    assert with_frame.without_llm


@pytest.mark.parametrize("name", ["thorough", "faithful"])
def test_budgets_that_ask_more_ask_as_many_as_before(name: str) -> None:
    llm, alone = model(RIGHT), model(RIGHT)
    asked(llm, frame=name != "faithful", budget=Budget.of(name))
    asked(alone, budget=Budget.of(name))
    assert purposes(llm) == purposes(alone)
    assert not Budget.of("faithful").frame


def test_a_question_without_a_frame_begins_with_two() -> None:
    llm = model(RIGHT, EQUAL)
    asked(llm, text="zzz qqq?", frame=True, budget=Budget(samples=2, rounds=0))
    assert len(llm.requests) == 2


@pytest.mark.parametrize("fault", ["slow", "fails", "empty"])
def test_a_frame_that_is_slow_fails_or_finds_nothing_is_left_out(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "FRAME_SECONDS", 0.2)
    laid_out = "\nFROM"  # as the analyst lays its SQL out, and the model does not
    database = MemoryDatabase(
        SHOP,
        delays={laid_out: 3.0} if fault == "slow" else None,
        failures={laid_out: "no"} if fault == "fails" else None,
    )
    text = "Customers from Peru" if fault == "empty" else "How many customers are from Norway?"
    llm = model(RIGHT, EQUAL)
    began = monotonic()
    events = asked(
        llm, text, frame=True, database=database, budget=Budget(samples=2, rounds=0, audit="never")
    )
    assert purposes(llm) == ["sample:columns", "sample:direct"] and "analyst" not in families(events)
    assert monotonic() - began < 2.5


@pytest.mark.parametrize("family", ["analyst", "grammar"])
def test_a_stored_value_in_a_built_in_makers_sql_stays_here(family: str) -> None:
    catalog = MemoryDatabase("CREATE TABLE customer (name TEXT)").catalog()
    sql = "SELECT name FROM customer WHERE name = 'Kompletto 7'"
    ran = Execution(Candidate(sql, family), Rows(("name",), ()), sql)
    linked = LinkedSchema(catalog, catalog)
    assert "Kompletto" not in rendering.candidate_sql(ran, Question("who?"), linked, "masked")
