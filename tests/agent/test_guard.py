"""The guard, case by case: what must pass passes, what must not is refused and says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlagent.guard import Passed, Refusal, check
from sqlagent.guard.lists import DIALECTS
from sqlagent.values import Catalog, Column, Table

CASES = Path(__file__).parent / "cases" / "guard"
SYSTEM_NAMES = {"mysql": "library"}


def columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name) for name in names)


def library(dialect: str) -> Catalog:
    """The tables that the cases are about."""
    tables = [
        Table("members", columns("id", "name", "joined_on", "email")),
        Table(
            "books",
            columns("id", "title", "genre", "shelf", "price", "published", "details", "labels", "info"),
        ),
        Table(
            "loans",
            columns("id", "member_id", "book_id", "lent_on", "returned_on", "fine", "status"),
        ),
        Table("shelves", columns("id", "parent_id", "title")),
        Table("Odd Table", columns("Odd Column", "another one", "Mixed Case", "select")),
        Table("notes_fts", columns("body")),
        Table("crosstab_of_loans", columns("member_id"), is_view=True),
    ]
    if dialect == "postgres":
        tables.append(Table("loans", columns("id", "member_id"), schema="archive"))
        tables.append(Table("old_fines", columns("id"), schema="archive"))
    return Catalog(dialect, tuple(tables), default_schema=SYSTEM_NAMES.get(dialect, ""))


def cases() -> list[object]:
    found = []
    for dialect in DIALECTS:
        for line in (CASES / f"{dialect}.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)
            found.append(pytest.param(dialect, case, id=f"{dialect}: {case['why']}"))
    return found


@pytest.mark.parametrize(("dialect", "case"), cases())
def test_a_statement_is_decided_as_its_case_says(dialect: str, case: dict[str, object]) -> None:
    sql = str(case["sql"])
    decided = check(sql, library(dialect))
    assert isinstance(decided, Passed) == case["allow"], decided
    if isinstance(decided, Refusal):
        assert decided.what and decided.why and decided.advice
        assert decided.position is None or 0 <= decided.position <= len(sql)
        assert str(case.get("says", "")) in f"{decided.what} {decided.why} {decided.advice}"
