"""Small databases that the built-in analyst is asked about, and what it answers there."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.sampler import Analysis, analyse
from sqlagent.makers.analyst.source import Source
from sqlagent.method.linking import link
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits, Outcome, Question

Place = tuple[MemoryDatabase, Source]


def place(script: str) -> Place:
    database = MemoryDatabase(script)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    return database, Source(derive(catalog, index), index)


def outcome(where: Place, text: str, today: date) -> Outcome:
    """How a question ends."""
    reading, frames = understand(text, where[1], today)
    return Analysis(reading, tuple(frames), (), True).outcome()[0]


def analysed(where: Place, text: str, today: date) -> Analysis:
    """All that the analyst makes of a question, words that change nothing left out."""
    catalog, index = where[0].catalog(), where[1].vocabulary.index
    return analyse(Question(text), link(Question(text), catalog, index), index, today)


def rows(where: Place, sql: str) -> list[tuple[object, ...]]:
    """The rows of a statement, in an order of their own."""
    return sorted(tuple(row) for row in where[0].execute(sql, Limits()).rows)


def assert_answered(where: Place, text: str, gold: str, today: date) -> None:
    """Assert that every word of a question is understood, and that its rows are those of a statement."""
    frames = understand(text, where[1], today)[1]
    assert frames and not frames[0].frame.unused
    wanted = [tuple(pytest.approx(cell) if isinstance(cell, float) else cell for cell in row) for row in rows(where, gold)]  # fmt: skip
    assert rows(where, frames[0].sql) == wanted
