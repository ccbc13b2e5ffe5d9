"""Rows that a limit cuts off though they have the figure of the last row shown: the answer says how many."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sqlagent.adapters import open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import StatementFailed
from sqlagent.journey.notes_beside import place_of
from sqlagent.language.saying import parts_of
from sqlagent.pipeline import answer
from sqlagent.values import Budget, Limits, Question

SCHEMA = """
CREATE TABLE kilns (kiln_id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL, weight REAL);
"""
# two cost 900, three 500; ten of 100
PRICES = [900.0, 900.0, 700.0, 500.0, 500.0, 500.0, 300.0, *[100.0] * 12]


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "pottery.sqlite"
    with closing(sqlite3.connect(path)) as made:
        made.executescript(SCHEMA)
        made.executemany(
            "INSERT INTO kilns (name, price, weight) VALUES (?, ?, ?)",
            [(f"Kiln {place}", price, place * 3.5 + 1) for place, price in enumerate(PRICES)],
        )
        made.commit()
    with closing(open_database("sqlite", database=str(path))) as database:
        yield database


def asked(database, text):
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database, seconds=60)
    *_, last = answer(
        Question(text), database=database, catalog=catalog, index=index, budget=Budget(seconds=60)
    )
    return last.answer


def tied(found):
    return [note for note in found.notes if " have the same " in note or " has the same " in note]


@pytest.mark.parametrize(
    ("text", "shown", "notes"),
    [
        ("the most expensive kiln", 1, ["One more has the same price as the row shown."]),
        ("top 2 kilns by price", 2, []),
        ("top 3 kilns by price", 3, []),
        ("top 4 kilns by price", 4, ["2 more have the same price as the last row shown."]),
        ("top 9 kilns by price", 9, ["At least 10 more have the same price as the last row shown."]),
        ("the heaviest kiln", 1, []),
        ("second most expensive kiln", 1, []),
        ("third most expensive kiln", 3, []),
    ],
)
def test_rows_that_tie_with_the_last_one_are_told(database, text, shown, notes):
    found = asked(database, text)
    assert len(found.rows.rows) == shown, found.sql
    assert tied(found) == notes
    assert all(place_of(parts_of(note)) == "rows" for note in tied(found))


@pytest.mark.parametrize("text", ["top 12 kilns by price", "kilns by price", "how many kilns"])
def test_nothing_more_runs_for_a_long_list_or_one_without_a_limit(database, text, monkeypatch):
    ran = []
    execute = type(database).execute
    monkeypatch.setattr(
        type(database), "execute", lambda self, sql, limits: ran.append(sql) or execute(self, sql, limits)
    )
    assert tied(asked(database, text)) == []
    assert not [sql for sql in ran if "LIMIT 22" in sql or "LIMIT 11" in sql]


def test_a_database_that_fails_costs_the_note_alone(database, monkeypatch):
    execute = type(database).execute

    def failing(self, sql, limits):
        if "LIMIT 11" in sql:
            execute(self, "SELECT nothing FROM nowhere", limits)
        return execute(self, sql, limits)

    monkeypatch.setattr(type(database), "execute", failing)
    with pytest.raises(StatementFailed):
        database.execute("SELECT name FROM kilns LIMIT 11", Limits(5.0, 20))
    found = asked(database, "the most expensive kiln")
    assert (len(found.rows.rows), tied(found)) == (1, [])


def test_a_slow_statement_is_not_run_again(database, monkeypatch):
    monkeypatch.setattr("sqlagent.journey.ties.QUICK_SECONDS", -1.0)
    assert tied(asked(database, "the most expensive kiln")) == []


def test_rows_that_changed_between_the_two_runs_are_no_ties(database, tmp_path, monkeypatch):
    """A dearer kiln comes between them: the one shown would count as a tie of itself."""
    execute = type(database).execute

    def later(self, sql, limits):
        if "LIMIT 11" in sql:
            with closing(sqlite3.connect(tmp_path / "pottery.sqlite")) as other:
                other.execute("INSERT INTO kilns (name, price) VALUES ('New kiln', 950.0)")
                other.commit()
        return execute(self, sql, limits)

    monkeypatch.setattr(type(database), "execute", later)
    assert tied(asked(database, "the most expensive kiln")) == []


def test_an_engine_that_bills_by_bytes_is_not_asked_twice(database, monkeypatch):
    monkeypatch.setattr("sqlagent.journey.ties.BILLED_BY_BYTES", frozenset(["sqlite"]))
    assert tied(asked(database, "the most expensive kiln")) == []
