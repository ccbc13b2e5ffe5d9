"""A check's doubt about a statement, and its place."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from sqlagent.sql.meaning.reading import span


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt about a statement's meaning: which check has it, in a sentence, and where (characters, one past the last)."""

    check: str
    words: str
    start: int | None = None
    end: int | None = None


def doubt_at(check: str, words: str, node: exp.Expr) -> Doubt:
    """A doubt about a part of a statement."""
    place = span(node)
    return Doubt(check, words, *(place or (None, None)))
