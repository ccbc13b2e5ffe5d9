"""The session's own net: with the guard taken away, nothing a hostile statement tries has an effect.

Each statement of `cases/hostile.jsonl` is sent to the real engine through its adapter alone.
Then the database is looked at from behind: nothing written, no file made, no setting changed,
no session ended, and no time spent beyond the deadline.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from sqlagent.errors import DatabaseError
from sqlagent.ports import SourceDatabase
from sqlagent.values import Limits
from tests.engines import fuzz
from tests.engines.labs import LABS, Lab
from tests.engines.net_table import TABLE, code

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases" / "hostile.jsonl").read_text().splitlines()
]
DEADLINE = 0.5
# Statements between two looks from behind.
AT_ONCE = 20
# What a loaded machine may add to it.
SLACK = 3.0

# Sent so, each of these does what it says: the state must show it, or the net test tests nothing.
REAL = {
    "sqlite": (
        "UPDATE customers SET country = 'x' WHERE id = 2",
        "UPDATE customers SET country = 'Ireland' WHERE id = 2",
    ),
    "postgres": ("CREATE TABLE evil (a int)", "DROP TABLE evil"),
    "mysql": ("SET GLOBAL max_connections = 77", "SET GLOBAL max_connections = DEFAULT"),
    "duckdb": ("CREATE TABLE evil (a int)", "DROP TABLE evil"),
    "spark": ("CREATE TABLE evil (a int)", "DROP TABLE evil"),
}


@pytest.fixture(scope="module")
def fresh(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A lab of its own, so that what slips through spoils nothing else."""
    return LABS[request.param](tmp_path_factory.mktemp(f"net_{request.param}"))


@pytest.mark.parametrize("fresh", sorted(LABS), indirect=True)
def test_no_hostile_statement_has_an_effect(fresh: Lab) -> None:
    hold(fresh)


def hold(fresh: Lab, doors: dict[str, SourceDatabase] | None = None) -> None:
    """Send every hostile statement of an engine and see that nothing came of it."""
    cases = [case for case in CASES if case["engine"] == fresh.engine]
    assert len(cases) >= 30
    before = fresh.state()
    fresh.look(REAL[fresh.engine][0])
    assert fresh.state() != before, "the state does not show what was done"
    fresh.look(REAL[fresh.engine][1])
    assert fresh.state() == before
    for who, database in (doors or fresh.doors()).items():
        for start in range(0, len(cases), AT_ONCE):
            few = [
                case["sql"].replace("{watch}", str(fresh.watch)) for case in cases[start : start + AT_ONCE]
            ]
            for sql in few:
                send(database, sql)
            assert fresh.state() == before, f"{who} changed something with one of {few}"
        assert len(database.execute("SELECT id FROM customers", Limits()).rows) == 3


def send(database: SourceDatabase, sql: str) -> None:
    """Send it, and see that it does not take longer than it may."""
    started = time.monotonic()
    try:
        database.execute(sql, Limits(seconds=DEADLINE, rows=100))
    except DatabaseError as error:
        assert error.failure.message, sql
    spent = time.monotonic() - started
    assert spent < DEADLINE + SLACK, f"{spent:.1f} s: {sql}"


def test_every_engine_is_tried() -> None:
    assert {case["engine"] for case in CASES} == {*LABS, "spark"} == set(REAL)
    assert len({(case["engine"], case["sql"]) for case in CASES}) == len(CASES)


def test_the_published_table_shows_every_case() -> None:
    shown = TABLE.read_text()
    for case in CASES:
        assert f"| {code(case['sql'])} | {case['why']} |" in shown, "run: python -m tests.engines.net_table"
    assert "**had an effect**" not in shown


@pytest.mark.parametrize("engine", sorted(LABS))
def test_made_and_mutated_statements_have_no_effect_through_either_lock(engine: str, tmp_path: Path) -> None:
    """A minute's worth of what `python -m tests.engines.fuzz` does for an hour."""
    found = fuzz.search(engine, tmp_path, seed=7, seconds=15, at_most=80)
    assert found.texts
    assert found.passed
    assert not found.effects, str(found)
