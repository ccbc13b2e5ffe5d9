"""The whole journey without a language model: events in their order, and one of four outcomes."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest
import sqlglot
from sqlglot import exp

from sqlagent import guard
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.events import Audited, Ended, Executed, Grouped, Linked, Ranked, Rewritten, Sampling
from sqlagent.method import execution, sampling
from sqlagent.pipeline import answer
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Answer, Budget, Failure, FailureKind, Limits, Outcome, Question, Rows, Turn

PORT = """
CREATE TABLE ships (id INTEGER PRIMARY KEY, name TEXT, flag TEXT, tonnage INTEGER);
INSERT INTO ships VALUES (1, 'Aurora', 'Norway', 900), (2, 'Borealis', 'Norway', 400),
    (3, 'Calypso', 'Malta', 1200), (4, 'Dione', 'Malta', 700), (5, 'Eos', 'Malta', 100);
"""


def ask(text: str, database: MemoryDatabase | None = None, **options: object) -> list[object]:
    source = database or MemoryDatabase(PORT)
    catalog = source.catalog()
    index = ValueIndex.build(catalog, source)
    return list(answer(Question(text), database=source, catalog=catalog, index=index, **options))  # type: ignore[arg-type]


def ended(events: list[object]) -> Answer:
    last = events[-1]
    assert isinstance(last, Ended)
    return last.answer


def test_events_come_in_the_order_of_the_method_and_end_once() -> None:
    events = ask("How many ships are there?")
    kinds = [type(event) for event in events]
    first = [kinds.index(kind) for kind in (Linked, Sampling, Executed, Grouped, Ranked, Audited, Ended)]
    assert all(one < two for one, two in pairwise(first))
    assert kinds.count(Ended) == 1


def test_a_plain_question_is_answered_with_its_rows_and_sql() -> None:
    said = ended(ask("How many ships are there?"))
    assert said.outcome is Outcome.ANSWERED
    assert said.rows is not None
    assert said.rows.rows == ((5,),)
    assert "COUNT" in said.sql.upper()
    assert 0 < said.confidence < 1
    assert 1 <= said.size <= said.pool


def test_a_question_about_nothing_stored_is_unanswerable_and_names_its_words() -> None:
    said = ended(ask("What colour is the happiness of giraffes?"))
    assert said.outcome is Outcome.UNANSWERABLE
    assert "giraffes" in said.reason
    assert not said.sql


def test_where_every_statement_fails_the_run_fails_in_the_databases_words() -> None:
    broken = MemoryDatabase(PORT, failures={"SELECT": "disk I/O error"})
    said = ended(ask("How many ships are there?", broken))
    assert said.outcome is Outcome.FAILED
    assert "disk I/O error" in said.reason


def test_where_every_statement_runs_out_of_time_the_reason_says_so() -> None:
    late = Failure(FailureKind.TIMEOUT, "the deadline passed")
    said = ended(ask("How many ships are there?", MemoryDatabase(PORT, failures={"SELECT": late})))
    assert said.outcome is Outcome.FAILED
    assert "time" in said.reason


def test_a_stopped_run_ends_as_failed_and_says_so() -> None:
    stopped = threading.Event()
    stopped.set()
    said = ended(ask("How many ships are there?", cancelled=stopped))
    assert (said.outcome, said.reason) == (Outcome.FAILED, "Stopped.")


def test_a_winner_that_was_cut_is_fetched_whole() -> None:
    said = ended(ask("List the names of all ships.", budget=Budget(rows=2)))
    assert said.rows is not None
    assert len(said.rows.rows) == 5
    assert not said.rows.truncated


@pytest.mark.parametrize("text", ["List the names of all ships.", "SELECT name FROM ships"])
def test_a_winner_that_was_cut_is_fetched_once_by_who_keeps_rows_elsewhere(text: str, monkeypatch) -> None:
    monkeypatch.setattr(execution.Executor, "whole", None)
    fetched = []

    def fetch(sql: str, rows: Rows) -> tuple[Rows, str]:
        fetched.append((sql, len(rows.rows)))
        return rows, "kept elsewhere"

    said = ended(ask(text, budget=Budget(rows=2), fetch=fetch))
    assert fetched == [(said.sql, 2)]
    assert said.notes[-1] == "kept elsewhere"


def test_a_follow_up_is_given_its_stand_alone_form_first() -> None:
    earlier = Turn("How many ships are there?", "SELECT COUNT(*) FROM ships")
    events = ask("only Malta", turns=(earlier,))
    assert isinstance(events[0], Rewritten)
    assert "ships" in events[0].question.text
    said = ended(events)
    assert said.rows is not None
    assert said.rows.rows == ((3,),)


def test_the_same_question_gives_the_same_answer_twice() -> None:
    one, two = (ended(ask("Which flag has the most ships?")) for _ in range(2))
    assert (one.sql, one.confidence) == (two.sql, two.confidence)
    assert [(r.sql, r.difference) for r in one.readings] == [(r.sql, r.difference) for r in two.readings]


@pytest.mark.parametrize(
    ("sampled", "wave"), [(0, 4), (4, 4), (6, 2), (8, 0), (9, 0)], ids=lambda value: str(value)
)
def test_waves_stop_at_the_budget(sampled: int, wave: int) -> None:
    assert sampling.next_wave(sampled, Budget(samples=8, wave=4)) == wave


def test_sql_typed_as_a_question_runs_as_it_is() -> None:
    said = ended(ask("SELECT name FROM ships WHERE tonnage > 1000"))
    assert (said.outcome, said.sql) == (Outcome.ANSWERED, "SELECT name FROM ships WHERE tonnage > 1000")
    assert said.rows is not None
    assert said.rows.rows == (("Calypso",),)


def test_sql_that_writes_typed_as_a_question_never_reaches_the_database() -> None:
    source = MemoryDatabase(PORT)
    ask("WITH gone AS (DELETE FROM ships RETURNING *) SELECT * FROM gone", source)
    assert not any(sqlglot.parse_one(sql, read="sqlite").find(exp.Delete) for sql in source.executed)
    assert source.execute("SELECT COUNT(*) FROM ships", Limits()).rows == ((5,),)


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM ships", "insert into ships values (9)", "Update ships SET name = 'x'", "DROP TABLE ships"],
)
def test_sql_that_plainly_writes_is_refused_in_the_guards_words(sql: str) -> None:
    source = MemoryDatabase(PORT)
    said = ended(ask(sql, source))
    assert said.outcome is Outcome.FAILED
    assert said.reason.startswith(sql.split()[0].upper())
    assert "Only statements that read run here." in said.reason
    assert all(statement.startswith("SELECT ") for statement in source.executed)


@pytest.mark.parametrize(
    "text", ["Update: which ships are Norwegian?", "Drop ships under 500", "Explain ships"]
)
def test_words_that_sql_begins_with_may_begin_a_question(text: str) -> None:
    assert any(isinstance(event, Linked) for event in ask(text))


def test_an_explained_statement_typed_as_a_question_runs_as_it_is() -> None:
    said = ended(ask("EXPLAIN QUERY PLAN SELECT name FROM ships"))
    assert (said.outcome, said.confidence) == (Outcome.ANSWERED, 1.0)


def test_sql_typed_with_a_function_that_may_not_be_called_is_refused_in_words_until_it_is_allowed() -> None:
    sql = "SELECT vat_of(tonnage) FROM ships"
    events = ask(sql)
    assert [type(event) for event in events] == [Executed, Ended]
    said = ended(events)
    assert said.outcome is Outcome.FAILED
    assert "The function vat_of may not be called." in said.reason
    assert "an administrator can allow it" in said.reason
    allowed = ended(ask(sql, policy=guard.Policy(functions=frozenset({"vat_of"}))))
    assert "no such function" in allowed.reason, "the database was asked"


def test_sql_typed_in_a_thread_is_no_follow_up() -> None:
    earlier = Turn("How many ships are there?", "SELECT COUNT(*) FROM ships")
    events = ask("SELECT flag FROM ships WHERE id = 1; -- that one", turns=(earlier,))
    assert [type(event) for event in events] == [Executed, Ended]
    said = ended(events)
    assert said.sql == "SELECT flag FROM ships WHERE id = 1"
    assert said.rows is not None
    assert said.rows.rows == (("Norway",),)


def test_sql_typed_as_a_question_can_fail_and_be_stopped() -> None:
    broken = MemoryDatabase(PORT, failures={"tonnage": "disk I/O error"})
    said = ended(ask("SELECT tonnage FROM ships", broken))
    assert (said.outcome, said.reason) == (Outcome.FAILED, "disk I/O error")
    stopped = threading.Event()
    stopped.set()
    assert ended(ask("SELECT tonnage FROM ships", cancelled=stopped)).reason == "Stopped."
