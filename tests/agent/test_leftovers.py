"""Words of a question that its SQL leaves out."""

from __future__ import annotations

import pytest

from sqlagent.language.leftovers import leftovers

SALES = "SELECT channel, SUM(amount) FROM sales GROUP BY channel"


@pytest.mark.parametrize(
    ("question", "sql", "found"),
    [
        ("What share of sales came from each channel in 2025?", SALES, ["share", "2025"]),
        ("What is the average sale?", "SELECT COUNT(*) FROM sales", ["average"]),
        ("What is the average sale?", "SELECT AVG(amount) FROM sales", []),
        ("Which customers have never ordered?", "SELECT name FROM customers", ["never"]),
        (
            "Which customers have never ordered?",
            "SELECT name FROM customers WHERE id NOT IN (SELECT c FROM o)",
            [],
        ),
        (
            "How much was donated in 2025?",
            "SELECT COUNT(*) FROM donations WHERE day LIKE '2025%'",
            ["How much"],
        ),
        (
            "How many invoices are unpaid and how much money is that?",
            "SELECT COUNT(*) FROM inv",
            ["unpaid", "how much", "and how much"],
        ),
        (
            "How many invoices are there and how much money is that?",
            "SELECT COUNT(*), SUM(amount) FROM inv",
            [],
        ),
        ("How much was donated?", "SELECT\n  COUNT(*) AS count\nFROM donations", ["How much"]),
        ("What is the median age?", "SELECT AVG(age) FROM people", ["median"]),
        (
            "How many sales were there in 2024 and 2025?",
            "SELECT COUNT(*) FROM sales WHERE y IN (2024, 2025)",
            [],
        ),
    ],
)
def test_what_the_sql_lacks_is_named(question: str, sql: str, found: list[str]) -> None:
    assert leftovers(question, sql) == found
