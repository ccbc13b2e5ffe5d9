"""A till that keeps cents: what one receipt is worth, and figures in pounds."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2025, 6, 1)

TILL = """
CREATE TABLE receipt (receipt_id INTEGER PRIMARY KEY, town TEXT, issued_on TEXT, total_cents INTEGER);
CREATE TABLE receipt_line (receipt_line_id INTEGER PRIMARY KEY, receipt_id INTEGER REFERENCES receipt, quantity INTEGER, price_cents INTEGER);
CREATE TABLE refund (refund_id INTEGER PRIMARY KEY, receipt_id INTEGER REFERENCES receipt, refunded_on TEXT, amount_eur REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO receipt SELECT i, CASE i % 2 WHEN 0 THEN 'York' ELSE 'Bath' END, date('2024-01-01', '+' || i || ' days'), i * 100 + 50 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO receipt_line SELECT i, i % 200 + 1, i % 3 + 1, i * 50 + 50 FROM n;
INSERT INTO refund SELECT receipt_id, receipt_id, issued_on, receipt_id * 1.5 FROM receipt WHERE receipt_id % 5 = 0;
"""
LIST = TILL.replace("price_cents", "price").replace(", total_cents INTEGER", "").replace(", i * 100 + 50", "")


@pytest.fixture(scope="module")
def till():
    return place(TILL)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("receipt value by town", "SELECT town, SUM(total_cents) FROM receipt GROUP BY 1"),
        ("receipts with a value over 100 pounds", "SELECT receipt_id FROM receipt WHERE total_cents > 10000"),
        ("top 5 receipts by value", "SELECT receipt_id, total_cents FROM receipt ORDER BY 2 DESC LIMIT 5"),
        ("average receipt value", "SELECT SUM(quantity * price_cents) * 1.0 / COUNT(DISTINCT receipt_id) FROM receipt_line"),
        ("average receipt total in pounds", "SELECT AVG(total_cents) / 100.0 FROM receipt"),
        ("revenue by town in pounds", "SELECT town, SUM(quantity * price_cents) / 100.0 FROM receipt_line JOIN receipt USING (receipt_id) GROUP BY 1"),
        ("amount refunded in euros", "SELECT SUM(amount_eur) FROM refund"),
    ],
)  # fmt: skip
def test_a_receipt_is_worth_its_total_and_pounds_are_a_hundred_cents(till, text, sql):
    assert_answered(till, text, sql, TODAY)


@pytest.mark.parametrize("text", ["average receipt value in pounds", "amount refunded in dollars"])
def test_a_currency_that_a_figure_is_not_given_in_leaves_a_draft(till, text):
    assert outcome(till, text, TODAY) == Outcome.AMBIGUOUS


@pytest.mark.parametrize("text", ["receipt value by town", "receipt value", "receipt amount by town"])
def test_receipts_are_not_counted_where_their_money_is_asked_for(text):
    assert outcome(place(LIST), text, TODAY) != Outcome.ANSWERED
