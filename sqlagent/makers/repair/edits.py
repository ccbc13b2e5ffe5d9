"""Edits of a text, and reading it to find them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from sqlagent.sql.literals import ODD


@dataclass(frozen=True, slots=True)
class Mended:
    """SQL that was mended, and each change in words."""

    sql: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a text, what takes its place, and why in words."""

    start: int
    end: int
    text: str
    note: str


def parse(sql: str, dialect: str) -> exp.Expr | None:
    """Read one statement, or None when it cannot be read."""
    try:
        known = Dialect.get_or_raise(dialect)
        parsed = [root for root in known.parse(sql) if root is not None]
    except ODD:
        return None
    return parsed[0] if len(parsed) == 1 and not isinstance(parsed[0], exp.Command) else None


def apply(sql: str, edits: Iterable[Edit]) -> str:
    """Make edits that do not overlap, in any order."""
    for edit in sorted(edits, key=lambda e: -e.start):
        sql = sql[: edit.start] + edit.text + sql[edit.end :]
    return sql
