"""A key that repeats or is missing in some rows: nothing is joined with it, and the answer says so."""

from __future__ import annotations

import pytest

from sqlagent.catalog.broken_keys import broken_keys
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.pipeline import answer
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Budget, Outcome, Question

TABLES = """
CREATE TABLE members (id INTEGER, name TEXT, town TEXT);
CREATE TABLE visits (id INTEGER, member_id INTEGER, visited_on DATE, fee NUMERIC);
CREATE TABLE visit_lines (visit_id INTEGER, line_no INTEGER, item TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO members SELECT {id}, 'Member ' || i, CASE i % 3 WHEN 0 THEN 'Leeds' WHEN 1 THEN 'York' ELSE 'Hull' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO visits SELECT i, i % 37 + 1, date('2025-01-01', '+' || i || ' days'), 10 + i % 9 FROM n;
INSERT INTO visit_lines SELECT id, 1, 'towel' FROM visits UNION ALL SELECT id, 2, 'soap' FROM visits WHERE id % 5 = 0;
"""

REPEATED, MISSING, SOUND = "i % 37 + 1", "CASE WHEN i < 39 THEN i END", "i"


def ended(key: str, text: str):
    database = MemoryDatabase(TABLES.format(id=key))
    index = ValueIndex.build(database.catalog(), database)
    events = answer(Question(text), database=database, index=index, budget=Budget(seconds=30))
    return list(events)[-1].answer


def found(key: str):
    database = MemoryDatabase(TABLES.format(id=key))
    index = ValueIndex.build(database.catalog(), database)
    catalog = database.catalog()
    every = {table.key for table in catalog.tables}
    return broken_keys(catalog, index.facts, every, every)


def test_a_key_that_tells_no_rows_apart_is_found():
    assert [(one.table, one.column, one.repeats, one.pointing) for one in found(REPEATED)] == [
        ("members", "id", True, ("visits",))
    ]
    assert [(one.table, one.column, one.repeats) for one in found(MISSING)] == [("members", "id", False)]
    # the number of the visit that lines belong to repeats, and is no key of theirs
    assert found(SOUND) == ()


@pytest.mark.parametrize("text", ["fees by town", "members without visits", "visits from Leeds"])
@pytest.mark.parametrize(
    ("key", "why"),
    [
        (REPEATED, "members.id repeats, so visits cannot be joined with it."),
        (MISSING, "members.id is NULL in some rows, so visits cannot be joined with it."),
    ],
)
def test_an_answer_that_needs_the_join_says_why_it_has_none(text, key, why):
    got = ended(key, text)
    assert got.outcome is not Outcome.ANSWERED and got.reason.endswith(why)


def test_an_answer_that_does_without_has_the_note():
    got = ended(REPEATED, "visits by member")
    assert got.rows is not None and got.rows.columns[0] == "member_id"
    assert "members.id repeats, so visits cannot be joined with it." in (*got.notes, got.reason)


@pytest.mark.parametrize("text", ["fees by month", "how many members", "members in Leeds"])
def test_a_question_that_needs_no_join_says_nothing(text):
    got = ended(REPEATED, text)
    assert "repeats" not in " ".join((got.reason, *got.notes))


@pytest.mark.parametrize("text", ["fees by town", "members without visits"])
def test_a_sound_key_is_joined(text):
    got = ended(SOUND, text)
    assert got.outcome is Outcome.ANSWERED and "repeats" not in " ".join((got.reason, *got.notes))
