"""The session's own net: with the guard taken away, nothing a hostile statement tries has an effect.

Each statement of `cases/hostile.jsonl` is sent to the real engine through its adapter alone.
Then the database is looked at from behind: nothing written, no file made, no setting changed,
no session ended, and no time spent beyond the deadline.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import closing
from pathlib import Path

import pytest

from sqlagent.errors import DatabaseError
from sqlagent.ports import SourceDatabase
from sqlagent.values import Limits
from tests.engines import fuzz
from tests.engines.lab import Lab
from tests.engines.labs import LABS
from tests.engines.mysql_lab import OWN_PASSWORD, MysqlAlone
from tests.engines.net_table import EFFECT, TABLE, code, each, sent_alone
from tests.engines.postgres_lab import PostgresAlone
from tests.lengths import many

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases" / "hostile.jsonl").read_text().splitlines()
]
DEADLINE = 0.5
# Statements between two looks from behind.
AT_ONCE = 20
# Seconds that a loaded machine may add.
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
    "clickhouse": ("CREATE TABLE evil (a Int8) ENGINE = Memory", "DROP TABLE evil SYNC"),
}


REAL_WRITES = "UPDATE customers SET name = concat(name, 'x') WHERE id = 2"
ALONE = {"postgres": PostgresAlone, "mysql": MysqlAlone}


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


# By role and user alone, besides: what those may of themselves that everybody may.
OF_ITS_OWN = {
    "postgres": (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()",
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()",
        "SET default_transaction_read_only = off; SELECT lo_create(424242)",
        "SET default_transaction_read_only = off; SELECT lo_from_bytea(0, 'x')",
        "SET default_transaction_read_only = off; CREATE TABLE evil (a int)",
        "SET default_transaction_read_only = off; CREATE TEMPORARY TABLE evil (a int)",
        "SET default_transaction_read_only = off; INSERT INTO customers (id, name) VALUES (7, 'x')",
        "SET default_transaction_read_only = off; SELECT nextval('orders_id_seq')",
        "SET default_transaction_read_only = off; SELECT by_its_owner()",
        "SET default_transaction_read_only = off; INSERT INTO open_to_all VALUES (1)",
        "ALTER ROLE CURRENT_USER SET default_transaction_read_only = off",
        "ALTER ROLE CURRENT_USER PASSWORD 'x'",
        "SELECT dblink_exec('dbname=postgres', 'CREATE TABLE evil (a int)')",
    ),
    "mysql": (
        "KILL {other}",
        "CREATE TEMPORARY TABLE evil (a int)",
        "ALTER USER CURRENT_USER() IDENTIFIED BY 'x'",
        "CALL by_its_owner()",
        "LOCK TABLES customers READ",
        "SHOW PROCESSLIST",
    ),
}
# Made before the reader is: what is dangerous has to be seen and taken away by the page's statements.
TRAPS = {
    "postgres": (
        "CREATE EXTENSION dblink",
        "CREATE FUNCTION by_its_owner() RETURNS int SECURITY DEFINER LANGUAGE sql "
        "AS 'INSERT INTO customers (id, name) VALUES (8, ''x'') RETURNING id'",
        "CREATE TABLE open_to_all (a int); GRANT ALL ON open_to_all TO PUBLIC",
    ),
    "mysql": ("CREATE PROCEDURE by_its_owner() INSERT INTO customers (id, name) VALUES (8, 'x')",),
}


@pytest.mark.parametrize("engine", sorted(TRAPS))
def test_no_hostile_statement_has_an_effect_by_the_page_s_user_alone(engine: str, tmp_path: Path) -> None:
    """No guard, no session of ours: the user that the page's statements make, by the plain driver."""
    lab = LABS[engine](tmp_path / f"alone_{engine}")
    for sql in TRAPS[engine]:
        lab.look(sql)
    texts = [case["sql"].replace("{watch}", str(lab.watch)) for case in CASES if case["engine"] == engine]
    with lab.alone() as alone:
        own = [sql.replace("{other}", "999999") for sql in OF_ITS_OWN[engine]]
        words, effects = each(lab, [*own, *texts], lambda sql: sent_alone(alone, sql))
        assert not effects, [sql for sql, word in zip([*own, *texts], words, strict=True) if word == EFFECT]
        assert alone.send("SELECT id FROM customers", 5) == "no effect", "it reads"
        assert {sql for sql, word in zip(texts, words[len(own) :], strict=True) if word == OWN_PASSWORD} <= {
            "SET PASSWORD = PASSWORD('x')"
        }


@pytest.mark.parametrize("engine", sorted(TRAPS))
def test_the_test_of_the_user_alone_sees_what_a_user_who_may_write_does(engine: str, tmp_path: Path) -> None:
    lab = LABS[engine](tmp_path / f"seen_{engine}")
    alone = ALONE[engine](lab, lab.where()["user"])
    with closing(alone):
        words, effects = each(lab, ["SELECT 1", REAL_WRITES], lambda sql: sent_alone(alone, sql))
        assert (words[0], effects) == ("no effect", 1)
        if engine == "postgres":
            assert sent_alone(alone, OF_ITS_OWN[engine][0]) == EFFECT, "another session of its own was ended"


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
    assert {case["engine"] for case in CASES} == {*LABS, "clickhouse", "spark"} == set(REAL)
    assert len({(case["engine"], case["sql"]) for case in CASES}) == len(CASES)


def test_the_published_table_shows_every_case() -> None:
    shown = TABLE.read_text()
    for case in CASES:
        assert f"| {code(case['sql'])} | {case['why']} |" in shown, "run: python -m tests.engines.net_table"
    assert EFFECT not in shown
    counted = re.findall(
        r"Of (\d+) statements had an effect: (\d+) .*?, (\d+) .*?, ([\d-]+) with the user", shown
    )
    assert sum(int(row[0]) for row in counted) == len(CASES)
    assert {figure for row in counted for figure in row[1:]} <= {"0", "-"}


@pytest.mark.parametrize("engine", sorted(LABS))
def test_made_and_mutated_statements_have_no_effect_through_either_lock(engine: str, tmp_path: Path) -> None:
    """A little of what `python -m tests.engines.fuzz` does for an hour."""
    found = fuzz.search(engine, tmp_path, seed=7, seconds=15, at_most=many(40, 80))
    assert found.texts
    assert found.passed
    assert not found.effects, str(found)
