"""The guard under random and mutated SQL: it never raises, and never lets a write through."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqlagent.guard import Passed, Refusal, check
from sqlagent.guard.lists import DIALECTS
from sqlagent.values import Catalog, Column, Table
from tests.lengths import many

CASES = Path(__file__).parent / "cases" / "guard"
TEXTS = [
    str(json.loads(line)["sql"])
    for dialect in DIALECTS
    for line in (CASES / f"{dialect}.jsonl").read_text("utf-8").splitlines()
]
PIECES = sorted({piece for text in TEXTS for piece in re.findall(r"\w+|\s+|[^\w\s]", text)})
BOOKS = Table("books", tuple(Column(name) for name in ("id", "title", "genre", "price", "details")))
LOANS = Table("loans", tuple(Column(name) for name in ("id", "member_id", "book_id", "status")))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A text of the cases with a few pieces taken out, put in, doubled or swapped with another text."""
    pieces = re.findall(r"\w+|\s+|[^\w\s]", draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(pieces)))
        change = draw(st.sampled_from(("out", "in", "graft")))
        if change == "out" and pieces:
            del pieces[min(at, len(pieces) - 1)]
        elif change == "in":
            pieces.insert(at, draw(st.sampled_from(PIECES)))
        else:
            other = draw(st.sampled_from(TEXTS))
            start = draw(st.integers(0, len(other)))
            pieces.insert(at, other[start : start + draw(st.integers(0, 40))])
    return "".join(pieces)


SOUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(max_examples=many(50, 150), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    sql=st.one_of(st.text(max_size=200), SOUP, mutated()),
    dialect=st.sampled_from([*DIALECTS, "spark", "clickhouse"]),
)
def test_any_text_is_decided_without_an_error(sql: str, dialect: str) -> None:
    decided = check(sql, Catalog(dialect, (BOOKS, LOANS)))
    assert isinstance(decided, (Passed, Refusal))


def test_deeply_nested_text_is_decided_without_an_error() -> None:
    for opened, closed in (
        ("(", ")"),
        ("NOT ", ""),
        ("CASE WHEN 1 THEN ", " END"),
        ("- ", ""),
        ("SELECT (", ")"),
    ):
        for depth in (150, 3_000):
            for dialect in DIALECTS:
                sql = "SELECT " + opened * depth + "1" + closed * depth
                assert isinstance(check(sql, Catalog(dialect, ())), (Passed, Refusal))


def recorder() -> tuple[sqlite3.Connection, list[tuple[int, str]]]:
    """A database that notes every action that is more than reading."""
    acted: list[tuple[int, str]] = []
    reading = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}

    def authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in ("table_info", "index_list"):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
            # asked while a table-valued function is declared; a real update SQLite refuses by itself
            return sqlite3.SQLITE_OK
        if action not in reading or "load_extension" in (first, second):
            acted.append((action, f"{first} {second}"))
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    database = sqlite3.connect(":memory:")
    for table in (BOOKS, LOANS):
        database.execute(f"CREATE TABLE {table.name} ({', '.join(c.name for c in table.columns)})")
    database.set_authorizer(authorize)
    return database, acted


@settings(max_examples=many(80, 250), deadline=None, suppress_health_check=list(HealthCheck))
@given(sql=st.one_of(mutated(), SOUP.map("SELECT ".__add__)))
def test_what_passes_only_reads_when_sqlite_prepares_it(sql: str) -> None:
    decided = check(sql, Catalog("sqlite", (BOOKS, LOANS)))
    if isinstance(decided, Passed):
        database, acted = recorder()
        try:
            explains = decided.sent.upper().startswith("EXPLAIN")
            database.execute(decided.sql if explains else f"EXPLAIN {decided.sql}")
        except (sqlite3.Error, sqlite3.Warning):
            pass
        finally:
            database.close()
        assert not acted, decided.sql
