"""Questions are suggested for a fresh source, and words are completed as people type."""

from __future__ import annotations

import pytest

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.grammar import GrammarSampler
from sqlagent.makers.grammar.completing import complete
from sqlagent.makers.grammar.suggesting import suggest
from sqlagent.method.linking import link
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Catalog, Limits, Question

SCRIPT = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), ordered_on DATE,
  status TEXT, total_amount REAL);
INSERT INTO customers VALUES (1, 'Ann', 'Norway', 30), (2, 'Bob', 'Nepal', 41);
INSERT INTO orders VALUES (1, 1, '2024-01-02', 'open', 10), (2, 2, '2024-02-03', 'closed', 20);
"""


@pytest.fixture(scope="module")
def database() -> MemoryDatabase:
    return MemoryDatabase(SCRIPT)


def test_suggested_questions_are_answered_with_rows(database: MemoryDatabase) -> None:
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    found = suggest(catalog, index)
    assert len(found) >= 6
    assert "How many orders are there per month?" in found
    assert "How many customers are there in each country?" in found
    for text in found:
        question = Question(text)
        best = next(iter(GrammarSampler(index).sample(question, link(question, catalog, index), count=1)))
        assert database.execute(best.sql, Limits()).rows


def test_nothing_is_suggested_for_an_empty_catalog() -> None:
    assert suggest(Catalog("sqlite", ())) == ()


@pytest.mark.parametrize(
    ("typed", "text", "kind"),
    [
        ("how many cust", "customers", "table"),
        ("average total am", "total amount", "column"),
        ("customers from Nor", "Norway", "value"),
        ("ORD", "orders", "table"),
    ],
)
def test_words_are_completed(database: MemoryDatabase, typed: str, text: str, kind: str) -> None:
    catalog = database.catalog()
    found = complete(typed, catalog, ValueIndex.build(catalog, database))
    assert (text, kind) in [(c.text, c.kind) for c in found]
    one = next(c for c in found if c.text == text)
    assert typed[one.start :].lower() in one.text.lower()


@pytest.mark.parametrize("typed", ["", " ", "how many ", "zzzz", "😀", "\x00", "a" * 9_000])
def test_nothing_is_completed_where_nothing_fits(database: MemoryDatabase, typed: str) -> None:
    assert complete(typed, database.catalog()) == ()
