"""Candidates are guarded and run: in order, each SQL once, within limits, stopped when asked."""

from __future__ import annotations

import threading
import time

import pytest

from sqlagent.errors import Cancelled, StatementFailed
from sqlagent.guard import Policy
from sqlagent.method.execution import Executor, MemoryCache
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Candidate, Failure, FailureKind, Limits, Rows

SCRIPT = """
CREATE TABLE city (name TEXT, people INTEGER);
INSERT INTO city VALUES ('Oslo', 700000), ('Bergen', 290000), ('Troms', 77000);
"""


def executor(database: MemoryDatabase, **more: object) -> Executor:
    return Executor(database, database.catalog(), Limits(seconds=5, rows=100), **more)  # type: ignore[arg-type]


def candidates(*sqls: str) -> list[Candidate]:
    return [Candidate(sql) for sql in sqls]


def test_executions_come_in_the_order_given_though_the_first_is_slowest() -> None:
    database = MemoryDatabase(SCRIPT, delays={"Oslo": 0.2})
    asked = candidates(
        "SELECT name FROM city WHERE name = 'Oslo'", "SELECT count(*) FROM city", "SELECT 1 FROM city"
    )
    ran = list(executor(database).run(asked))
    assert [e.candidate for e in ran] == asked
    assert [e.status for e in ran] == ["ok", "ok", "ok"]


def test_the_same_sql_runs_once_and_its_rows_are_shared() -> None:
    database = MemoryDatabase(SCRIPT)
    ran = list(executor(database).run(candidates(*["SELECT name FROM city", "SELECT name FROM city;"] * 3)))
    assert len(ran) == 6
    assert database.executed == ["SELECT name FROM city"]
    assert len({id(e.result) for e in ran}) == 1


def test_candidates_run_at_the_same_time() -> None:
    together = threading.Barrier(4, timeout=20)

    class Meeting(MemoryDatabase):
        def execute(self, sql: str, limits: Limits) -> Rows:
            together.wait()
            return super().execute(sql, limits)

    ran = executor(Meeting(SCRIPT), workers=4).run(candidates(*(f"SELECT {n} FROM city" for n in range(4))))
    assert [e.status for e in ran] == ["ok"] * 4


def test_a_refused_candidate_never_reaches_the_database() -> None:
    database = MemoryDatabase(SCRIPT)
    ran = list(executor(database).run(candidates("DELETE FROM city", "SELECT nam FROM city")))
    assert [e.status for e in ran] == ["refused", "refused"]
    failure = ran[1].failure
    assert failure is not None and failure.position == 7 and failure.advice == "Did you mean name?"
    assert database.executed == []


def test_a_failed_statement_keeps_the_words_of_the_database() -> None:
    database = MemoryDatabase(SCRIPT, failures={"people": "disk I/O error"})
    (ran,) = executor(database).run(candidates("SELECT people FROM city"))
    assert ran.failure is not None
    assert (ran.failure.kind, ran.failure.message) == (FailureKind.ERROR, "disk I/O error")


class OddDriver(MemoryDatabase):
    """Breaks as drivers do on cells that Python has no value for."""

    def execute(self, sql: str, limits: Limits) -> Rows:
        raise ValueError("year -44 is out of range")


def test_a_cell_that_the_driver_cannot_read_fails_that_candidate_only() -> None:
    (ran,) = executor(OddDriver(SCRIPT)).run(candidates("SELECT name FROM city"))
    assert ran.failure is not None
    assert "year -44" in ran.failure.message and ran.failure.advice


def test_rows_are_kept_in_the_cache_and_not_asked_again() -> None:
    database, cache = MemoryDatabase(SCRIPT), MemoryCache()
    for _ in range(2):
        (ran,) = executor(database, cache=cache).run(candidates("SELECT name FROM city"))
        assert ran.rows is not None and len(ran.rows.rows) == 3
    assert len(database.executed) == 1


def test_the_cache_keeps_no_failures_and_forgets_with_age_and_size() -> None:
    database = MemoryDatabase(SCRIPT, failures={"people": "locked"})
    cache = MemoryCache()
    for _ in range(2):
        list(executor(database, cache=cache).run(candidates("SELECT people FROM city")))
    assert len(database.executed) == 2
    old = MemoryCache(seconds=0.0)
    old.put(("a",), Rows(("x",), ((1,),)))
    assert old.get(("a",)) is None
    small = MemoryCache(cells=4)
    small.put(("a",), Rows(("x",), ((1,), (2,))))
    small.put(("b",), Rows(("x",), ((1,), (2,))))
    assert small.get(("a",)) is None and small.get(("b",)) is not None


def test_another_row_limit_is_another_result() -> None:
    database, cache = MemoryDatabase(SCRIPT), MemoryCache()
    for rows in (1, 100):
        run = Executor(database, database.catalog(), Limits(rows=rows), cache=cache).run
        (ran,) = run(candidates("SELECT name FROM city"))
        assert ran.rows is not None and len(ran.rows.rows) == min(rows, 3)


def test_stopping_ends_the_statement_in_the_database() -> None:
    database = MemoryDatabase(SCRIPT, delays={"city": 30})
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        list(executor(database).run(candidates("SELECT name FROM city"), cancelled=stop))
    assert time.monotonic() - started < 3


def test_a_run_that_was_stopped_before_sends_nothing() -> None:
    database = MemoryDatabase(SCRIPT)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        list(executor(database).run(candidates("SELECT name FROM city"), cancelled=stop))
    assert database.executed == []


def test_leaving_early_ends_what_is_in_flight() -> None:
    database = MemoryDatabase(SCRIPT, delays={"Bergen": 30})
    run = executor(database).run(
        candidates("SELECT count(*) FROM city", "SELECT 1 FROM city WHERE name = 'Bergen'")
    )
    started = time.monotonic()
    next(run)
    run.close()  # type: ignore[attr-defined]
    assert time.monotonic() - started < 3


def test_an_unknown_kind_of_error_is_not_swallowed() -> None:
    class Broken(MemoryDatabase):
        def execute(self, sql: str, limits: Limits) -> Rows:
            raise RuntimeError("a fault of our own")

    with pytest.raises(RuntimeError):
        list(executor(Broken(SCRIPT)).run(candidates("SELECT name FROM city")))


def test_a_lost_connection_is_told_as_it_is() -> None:
    class Gone(MemoryDatabase):
        def execute(self, sql: str, limits: Limits) -> Rows:
            raise StatementFailed(Failure(FailureKind.LOST, "server closed the connection"))

    (ran,) = executor(Gone(SCRIPT)).run(candidates("SELECT name FROM city"))
    assert ran.status == "lost"


def test_the_policy_reaches_the_guard() -> None:
    database = MemoryDatabase(SCRIPT)
    allowed = executor(database, policy=Policy(functions=frozenset({"own_score"})))
    (ran,) = allowed.run(candidates("SELECT own_score(people) FROM city"))
    assert ran.status == "error"
    (refused,) = executor(database).run(candidates("SELECT own_score(people) FROM city"))
    assert refused.status == "refused"
