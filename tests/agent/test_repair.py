"""Repair by rule: what is clearly meant is mended, what works or is not clear is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.guard import Passed, check
from sqlagent.makers.repair import mend
from sqlagent.values import Catalog, Column, ColumnRef, Failure, FailureKind, Refusal, Table
from tests.lengths import many

CASES = Path(__file__).parent / "cases" / "repair" / "mend.jsonl"
MEMBERS = Table("members", tuple(map(Column, ("id", "name", "email_address", "joined_on"))))
BOOKS = Table("books", tuple(map(Column, ("id", "title", "genre", "price", "labels"))))
LOANS = Table("loans", tuple(map(Column, ("id", "member_id", "book_id", "lent_on", "due_at", "due_by"))))
NOTES = Table("notes", tuple(map(Column, ("id", "book_id", "body"))))
ODD = Table("Odd Table", (Column("Mixed Case"),))
FINES = Table("old_fines", (Column("id"),), schema="archive")
INDEX = ValueIndex(
    [ColumnRef("members", "name"), ColumnRef("books", "genre")],
    [("Alice Berg", [0]), ("Bob Lind", [0]), ("crime", [1]), ("science fiction", [1])],
)


def library(dialect: str) -> Catalog:
    return Catalog(dialect, (MEMBERS, BOOKS, LOANS, NOTES, ODD, FINES))


def cases() -> list[object]:
    lines = CASES.read_text("utf-8").splitlines()
    return [pytest.param(c, id=f"{c['dialect']}: {c['why']}") for c in map(json.loads, lines)]


@pytest.mark.parametrize("case", cases())
def test_a_statement_is_mended_as_its_case_says(case: dict[str, str | None]) -> None:
    catalog, sql = library(str(case["dialect"])), str(case["sql"])
    problem = Failure(FailureKind.ERROR, case["problem"]) if case["problem"] else None
    mended = mend(sql, catalog, INDEX, problem)
    assert (mended.sql if mended else None) == case["mended"]
    if mended:
        assert mended.notes
        assert isinstance(check(mended.sql, catalog), Passed), "what is mended passes the guard"


@pytest.mark.parametrize("kind", [FailureKind.TIMEOUT, FailureKind.CANCELLED, FailureKind.LOST])
def test_what_ran_out_of_time_is_not_misspelt(kind: FailureKind) -> None:
    assert mend("SELECT nmae FROM members", library("sqlite"), INDEX, Failure(kind, "...")) is None


def test_a_refusal_of_the_guard_is_mended_as_it_is() -> None:
    catalog = library("postgres")
    refused = check("SELECT m.nmae FROM memebrs m", catalog)
    assert isinstance(refused, Refusal)
    mended = mend("SELECT m.nmae FROM memebrs m", catalog, None, refused)
    assert mended is not None and mended.sql == "SELECT m.name FROM members m"
    assert mended.notes == ("There is no table memebrs: took members", "There is no nmae: took name")


def test_a_text_that_two_stored_values_resemble_is_left_alone() -> None:
    index = ValueIndex([ColumnRef("books", "genre")], [("crime a", [0]), ("crime b", [0])])
    assert mend("SELECT 1 FROM books WHERE genre = 'crime c'", library("sqlite"), index, None) is None


def test_a_text_is_bound_by_its_own_column_only() -> None:
    sql = "SELECT 1 FROM members WHERE name = 'Crime'"
    assert mend(sql, library("sqlite"), INDEX, None) is None


@pytest.mark.parametrize(
    "text", ["", ";", "SELECT", "how many?", "SELECT (((", "\x00", "SELECT 'a", "DROP TABLE x"]
)
def test_what_is_no_sql_is_left_alone(text: str) -> None:
    for dialect in ("sqlite", "postgres", "mysql", "duckdb"):
        assert mend(text, library(dialect), INDEX, Failure(FailureKind.ERROR, "syntax error")) is None


SAID = (
    "syntax error",
    "no such function: YEAR",
    "must appear in the GROUP BY clause",
    "ambiguous column name: id",
)
WORDS = (
    "SELECT",
    "FROM",
    "books",
    "loans",
    "AS",
    "b",
    ".",
    ",",
    "(",
    ")",
    "'x'",
    '"',
    "`",
    "title",
    "id",
    "=",
    "->",
    "::",
    "JOIN",
    "ON",
    "GROUP",
    "BY",
    "count(*)",
    "WHERE",
    "\n",
)


@settings(max_examples=many(50, 150), deadline=None)
@given(
    st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join)),
    st.sampled_from(["sqlite", "postgres", "mysql", "duckdb", "spark"]),
    st.sampled_from(SAID),
)
def test_no_text_breaks_the_repair(text: str, dialect: str, said: str) -> None:
    mended = mend(text, library(dialect), INDEX, Failure(FailureKind.ERROR, said))
    assert mended is None or mended.sql != text
