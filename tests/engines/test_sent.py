"""Statements as sent equal statements as typed: the same rows, headings, types and places of mistakes, on every engine."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from sqlagent import guard
from sqlagent.errors import DatabaseError
from sqlagent.evaluation import resending
from sqlagent.ports import SourceDatabase
from sqlagent.values import Catalog, Limits
from tests.engines import differ, fuzz
from tests.engines.lab import Lab
from tests.engines.labs import LABS
from tests.lengths import many

GUARD_CASES = Path(__file__).parents[1] / "agent" / "cases" / "guard"


@pytest.fixture(scope="module", params=sorted(LABS))
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """One lab an engine; nothing here changes it."""
    return LABS[request.param](tmp_path_factory.mktemp(f"sent_{request.param}"))


TYPED = (
    "SELECT name, born FROM customers -- everybody\nORDER BY id",
    "/* who */ SELECT /* how many */ COUNT(*)\r\nFROM customers",
    "SELECT 'it''s' AS a, '' AS b, '--' AS c, '/* */' AS d, 'é\u3000\u00a0' AS e FROM customers WHERE id = 1;",
    "SELECT id + 1,  id  *  2 FROM customers ORDER BY 1",
    "SELECT max( id ),upper(name)FROM customers GROUP BY name ORDER BY 2",
    "SELECT 1e3, 0.5, .25, -1, - -1 FROM customers WHERE id = 1",
    "SELECT nam FROM customers",
    "SELECT /* é */ name FROM customers WHERE id = CAST('x' AS nonsense)",
    "SELECT id /* first */, /* second\nline */ nme FROM customers",
)


@pytest.mark.parametrize("sql", TYPED)
def test_what_is_sent_answers_as_what_was_typed(lab: Lab, sql: str) -> None:
    database = lab.connect()
    assert resending.compare(sql, database, database.catalog()) in ("equal", "refused")


def _compared(sql: str, database: SourceDatabase, catalog: Catalog) -> str:
    """Compare up to three times. A turn between two answers of its own that differ does not count: the system's tables are in no order."""
    said, turns = "other rows", 0
    for _ in range(30):
        before = _rows(sql, database)
        said = resending.compare(sql, database, catalog)
        turns += before == _rows(sql, database)
        if said != "other rows" or turns == 3:
            break
    return said


def _alike_as_wholes(sql: str, lab: Lab, catalog: Catalog) -> bool:
    """Whether both forms have the same rows, every one of them, in whichever order and as of one moment. PostgreSQL only.

    A list of system tables that is cut has other rows each time: it is in no order, and other tests make tables meanwhile.
    """
    passed = guard.check(sql, catalog)
    if lab.engine != "postgres" or isinstance(passed, guard.Refusal):
        return False
    typed, sent = (
        f"(SELECT COUNT(*) AS n, SUM(hashtext(CAST(t AS text))::bigint) AS h FROM (\n{text.rstrip('; ')}\n) AS t)"
        for text in (passed.sql, passed.sent)
    )
    return lab.look(f"SELECT a.n = b.n AND a.h IS NOT DISTINCT FROM b.h FROM {typed} AS a, {sent} AS b")[0][0]


def _rows(sql: str, database: SourceDatabase) -> str:
    """Rows of a statement, or its message."""
    try:
        return repr(database.execute(sql, resending.LIMITS).rows)
    except DatabaseError as error:
        return error.failure.message


def test_allowed_statements_answer_alike_with_comments_between_their_words(lab: Lab) -> None:
    database, chance = lab.connect(), random.Random(11)
    catalog = database.catalog()
    told = []
    for line in (GUARD_CASES / f"{lab.engine}.jsonl").read_text().splitlines():
        case = json.loads(line)
        if not case["allow"] or case["sql"].lstrip("( ")[:6].lower() != "select":
            continue
        sql = re.sub(r"\w+", lambda word: fuzz.STAND_INS.get(word[0], word[0]), case["sql"])
        spaced = re.sub(r" (?=[a-z(])", lambda _: chance.choice((" ", "\n", " /* a */ ", " -- b\n")), sql)
        if re.search(r"random|rand\(|uuid|now|current|clock|time|count \(|sample|'", sql, re.IGNORECASE):
            continue
        said = _compared(spaced, database, catalog)
        if said == "other rows" and _alike_as_wholes(spaced, lab, catalog):
            said = "equal"
        told.append((said, sql))
    assert sum(said == "equal" for said, _ in told) >= 5
    assert not [each for each in told if each[0] not in ("equal", "refused", "other headings")]


def test_a_place_in_what_was_sent_is_found_in_what_was_typed() -> None:
    from sqlagent.guard import Passed, check
    from sqlagent.values import Catalog, Column, Table

    shop = Catalog("postgres", (Table("customers", (Column("name"),)),))
    typed = "SELECT /* a */ E'it\\'s',\r\n $$b$$, -- c\n name FROM customers"
    passed = check(typed, shop)
    assert isinstance(passed, Passed)
    assert passed.sent == "SELECT   'it''s', \n 'b',  \n name FROM customers"
    for word in ("SELECT", "name", "FROM", "customers"):
        assert passed.built.place(passed.sent.index(word)) == typed.index(word)
    assert passed.built.place(passed.sent.index("'b'")) == typed.index("$$b$$")
    assert passed.built.place(None) is None
    assert passed.built.place(10_000) == len(typed)


def test_the_guard_and_the_engine_read_alike(lab: Lab) -> None:
    """A little of what `python -m tests.engines.differ` does for an hour."""
    database = lab.connect()
    found = differ.search(
        lab.engine, database, database.catalog(), seed=20, seconds=100, at_most=many(450, 900)
    )
    assert found.ran > 20, str(found)
    assert not found.different, str(found)


@pytest.mark.parametrize(
    ("engine", "sql", "sent"),
    [
        ("postgres", "SELECT 1 /* /*/ 2 -- */ */ + 3", "SELECT 1   + 3"),
        ("duckdb", "SELECT 1 /* /*/ 2 -- */ */ + 3", "SELECT 1   + 3"),
        ("sqlite", "SELECT [id], `name`, \"born\" FROM customers", "SELECT [id], `name`, \"born\" FROM customers"),
        ("mysql", "SELECT count (*), max/**/(id) FROM customers", "SELECT count(*), max(id) FROM customers"),
        ("mysql", "SELECT 'it\\'s', \"a\\\\b\", 5--1 FROM customers", "SELECT 'it''s', 'a\\\\b', 5- -1 FROM customers"),
        ("duckdb", "SELECT 0x1F, x'ab' FROM customers", "SELECT 31, x'ab' FROM customers"),
    ],
)  # fmt: skip
def test_a_text_is_rebuilt_by_the_rule_of_its_dialect(
    engine: str, sql: str, sent: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    database = LABS[engine](tmp_path_factory.mktemp(f"rebuilt_{engine}")).connect()
    passed = guard.check(sql, database.catalog())
    assert isinstance(passed, guard.Passed), passed
    assert passed.sent == sent
    assert database.execute(sent, Limits()).rows
