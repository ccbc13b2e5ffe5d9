"""A second language model answers what the first one fails, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from sqlagent import pipeline
from sqlagent.errors import (
    BudgetSpent,
    Cancelled,
    LlmBroken,
    LlmDenied,
    LlmError,
    LlmRateLimited,
    LlmRejected,
    LlmUnreachable,
    SqlAgentError,
)
from sqlagent.events import Ended
from sqlagent.method.fallback import FallbackLlm, Rests
from sqlagent.method.metering import MeteredLlm
from sqlagent.testing import MemoryDatabase, ScriptedLlm
from sqlagent.values import Budget, LlmMessage, LlmRequest, Question, Usage

ASK = LlmRequest((LlmMessage("user", "hello"),))
FINE = "```sql\nSELECT COUNT(*) FROM city\n```"


@pytest.mark.parametrize("fault", [LlmUnreachable("gone"), LlmRateLimited("busy"), LlmError("failed (500)")])
def test_what_the_first_fails_the_second_answers_and_the_first_rests(fault: SqlAgentError) -> None:
    first, second = ScriptedLlm(lambda request: fault), ScriptedLlm(lambda request: "at last")
    both = FallbackLlm(first, second)
    for _ in range(2):
        reply = both.complete(ASK)
        assert reply.text == "at last" and "was asked instead" in reply.note
    assert len(first.requests) == 1 and len(second.requests) == 2
    assert both.name == first.name


def test_after_its_rest_the_first_is_asked_again() -> None:
    replies = iter([LlmUnreachable("gone"), "back"])
    first, second = ScriptedLlm(lambda request: next(replies)), ScriptedLlm(lambda request: "second")
    both = FallbackLlm(first, second, rest=0.0)
    assert [both.complete(ASK).text, both.complete(ASK).text] == ["second", "back"]


def test_a_refused_request_is_told_and_not_hidden_by_the_second() -> None:
    second = ScriptedLlm(lambda request: "never")
    with pytest.raises(LlmRejected, match="too long"):
        FallbackLlm(ScriptedLlm(lambda request: LlmRejected("too long")), second).complete(ASK)
    assert not second.requests


def test_where_both_fail_the_first_error_is_raised() -> None:
    both = FallbackLlm(
        ScriptedLlm(lambda request: LlmUnreachable("one")), ScriptedLlm(lambda request: LlmRejected("two"))
    )
    with pytest.raises(LlmUnreachable, match="one"):
        both.complete(ASK)


@pytest.mark.parametrize("short", ["its key is not accepted", "its model or its address is not known"])
def test_where_the_first_refuses_every_request_the_second_is_asked_and_the_note_says_why(short: str) -> None:
    denied = LlmDenied("The language model at there did not accept it.", short)
    first, second = ScriptedLlm(lambda request: denied), ScriptedLlm(lambda request: "at last")
    both = FallbackLlm(first, second)
    notes = {both.complete(ASK).note for _ in range(2)}
    assert notes == {f"{first.name} failed ({short}), so {second.name} was asked instead."}
    assert len(first.requests) == 1


def shared(error: SqlAgentError) -> tuple[ScriptedLlm, Callable[[str], str]]:
    """A first model that fails so, and a run that asks it, or under another key, then another one."""
    first, rests = ScriptedLlm(lambda request: error), Rests()

    def run(key: str) -> str:
        return FallbackLlm(first, ScriptedLlm(lambda request: "x"), rests=rests, key=key).complete(ASK).note

    return first, run


@pytest.mark.parametrize(
    "fault", [LlmUnreachable("gone"), LlmRateLimited("busy"), LlmBroken("500"), LlmDenied("no", "wrong key")]
)
def test_a_server_that_failed_is_left_alone_by_other_runs_too_until_it_is_changed(fault: LlmError) -> None:
    first, run = shared(fault)
    assert run("as it is") == run("as it is") and len(first.requests) == 1
    run("changed")
    assert len(first.requests) == 2


def test_a_failure_that_may_lie_in_the_request_bars_no_other_run() -> None:
    first, run = shared(LlmError("A filter of the language model's server held the reply back."))
    run("same"), run("same")
    assert len(first.requests) == 2


def test_servers_that_rest_are_few_and_rest_no_longer_than_they_should() -> None:
    now = [0.0]
    rests = Rests(60.0, 2, clock=lambda: now[0])
    for key in ("one", "two", "one", "three"):
        rests.begin(key, key)
        now[0] += 1
    assert [rests.why(key) for key in ("one", "two", "three")] == ["one", None, "three"]
    now[0] = 62.5
    assert [rests.why(key) for key in ("one", "three", "four")] == [None, "three", None]
    assert list(rests._until) == ["three"]


def test_threads_share_what_is_remembered() -> None:
    rests, failed = Rests(most=50), list[BaseException]()

    def work(name: int) -> None:
        try:
            for turn in range(300):
                rests.begin(f"{name}-{turn % 40}", "x")
                rests.why(f"{name - 1}-{turn % 40}")
        except BaseException as error:  # noqa: BLE001 - whatever it is, it fails the test
            failed.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not failed and len(rests._until) <= 50


def cost(error: LlmError | Cancelled, tokens: int) -> LlmError | Cancelled:
    error.usage = Usage(1, tokens, estimated_tokens=tokens)
    return error


def test_what_the_first_cost_in_vain_counts_with_what_came_after_it() -> None:
    def both(second: str | SqlAgentError) -> FallbackLlm:
        gone = cost(LlmUnreachable("gone"), 100)
        return FallbackLlm(ScriptedLlm(lambda request: gone), ScriptedLlm(lambda request: second))

    reply = both("at last").complete(ASK)
    assert (reply.usage.calls, reply.usage.estimated_tokens) == (2, 100)
    for error in (cost(LlmUnreachable("too"), 20), cost(Cancelled("stopped"), 20)):
        with pytest.raises((LlmError, Cancelled)) as caught:
            both(error).complete(ASK)
        assert caught.value.usage.estimated_tokens == 120


def test_calls_in_vain_count_against_the_budget_of_a_question() -> None:
    gone = cost(LlmUnreachable("gone"), 100)
    meter = MeteredLlm(ScriptedLlm(lambda request: gone), Budget(tokens=150))
    for _ in range(2):
        with pytest.raises(LlmUnreachable):
            meter.complete(ASK)
        gone.usage = Usage(1, 100, estimated_tokens=100)
    assert (meter.usage.calls, meter.usage.estimated_tokens) == (2, 200)
    with pytest.raises(BudgetSpent, match="200 of 150 tokens"):
        meter.complete(ASK)


def test_a_stopped_run_asks_nobody() -> None:
    flag = threading.Event()
    flag.set()
    first, second = ScriptedLlm(lambda request: "a"), ScriptedLlm(lambda request: "b")
    with pytest.raises(Cancelled):
        FallbackLlm(first, second).complete(ASK, flag)
    assert not second.requests


def test_the_answer_says_who_was_asked() -> None:
    database = MemoryDatabase("CREATE TABLE city (name TEXT); INSERT INTO city VALUES ('Oslo');")
    both = FallbackLlm(ScriptedLlm(lambda request: LlmUnreachable("gone")), ScriptedLlm(lambda request: FINE))
    *_, last = pipeline.answer(Question("How many cities are there?"), database=database, llm=both)
    assert isinstance(last, Ended)
    assert last.answer.rows is not None and last.answer.rows.rows == ((1,),)
    assert any("was asked instead" in note for note in last.answer.notes)
