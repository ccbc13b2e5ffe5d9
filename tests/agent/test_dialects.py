"""The long tail of dialects: what the built-in generator writes in each, the guard lets through."""

from __future__ import annotations

import pytest
import sqlglot

from sqlagent.adapters.sqlalchemy_dialects import SPEAKS, STANDARD, speaks
from sqlagent.guard import Passed, check
from sqlagent.makers.grammar import GrammarSampler
from sqlagent.method.linking import link
from sqlagent.values import Catalog, Column, Kind, Question, Table

QUESTIONS = (
    "How many orders were placed each month in 2025?",
    "Which five countries bring the most revenue?",
    "What is the average amount of orders for each customer name?",
    "Show the orders of the last quarter of 2025 by day.",
)
TABLES = (
    Table(
        "customers",
        (
            Column("id", "int", Kind.INTEGER),
            Column("name", "text", Kind.TEXT),
            Column("country", "text", Kind.TEXT),
        ),
    ),
    Table(
        "orders",
        (
            Column("id", "int", Kind.INTEGER),
            Column("customer_id", "int", Kind.INTEGER),
            Column("ordered_at", "timestamp", Kind.DATETIME),
            Column("amount", "decimal(12,2)", Kind.NUMBER),
        ),
    ),
)


@pytest.mark.parametrize("dialect", sorted({*SPEAKS.values(), STANDARD}))
def test_what_is_generated_in_a_dialect_is_let_through_and_read_again(dialect: str) -> None:
    catalog = Catalog(dialect, TABLES)
    for text in QUESTIONS:
        question = Question(text)
        linked = link(question, catalog, None)
        found = list(GrammarSampler(None).sample(question, linked, count=8))
        assert found, text
        for candidate in found:
            assert isinstance(check(candidate.sql, catalog), Passed), (
                candidate.sql,
                check(candidate.sql, catalog),
            )
            assert sqlglot.parse_one(candidate.sql, dialect=dialect)


@pytest.mark.parametrize(
    ("dialect", "word"),
    [
        ("tsql", "DATETRUNC(MONTH"),
        ("oracle", "TRUNC("),
        ("spark", "DATE_TRUNC('MONTH'"),
        ("trino", "DATE_TRUNC('MONTH'"),
    ],
)
def test_a_month_is_cut_as_the_dialect_cuts_it(dialect: str, word: str) -> None:
    question = Question(QUESTIONS[0])
    linked = link(question, Catalog(dialect, TABLES), None)
    assert any(word in c.sql.upper() for c in GrammarSampler(None).sample(question, linked, count=8))


def test_a_dialect_nobody_has_heard_of_is_read_as_the_standard() -> None:
    assert speaks("quantumdb+qpy") == STANDARD
    catalog = Catalog(speaks("quantumdb"), TABLES)
    assert isinstance(check("SELECT name FROM customers", catalog), Passed)
    for sql in (
        "SELECT secret_function(name) FROM customers",
        "SELECT name FROM customers /* a /* b */ c */",
        "SELECT name FROM customers --x",
        "SELECT '\\', f(), '\\' FROM customers",
        "SELECT name FROM customers # x",
        "SELECT name INTO other FROM customers",
    ):
        assert not isinstance(check(sql, catalog), Passed), sql
