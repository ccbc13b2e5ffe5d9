"""A nursery that sells in several currencies: amounts are of the rows in the currency that was asked for."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.journey.notes_beside import place_of
from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place

TODAY = date(2026, 10, 31)

NURSERY = """
CREATE TABLE growers (grower_id INTEGER PRIMARY KEY, grower_name TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, grower_id INTEGER REFERENCES growers, ordered_on DATE, total NUMERIC, currency_code TEXT);
CREATE TABLE deliveries (delivery_id INTEGER PRIMARY KEY, grower_id INTEGER REFERENCES growers, delivered_on DATE, freight_cost NUMERIC);
INSERT INTO growers VALUES (1, 'Ash'), (2, 'Birch'), (3, 'Cedar');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 239)
INSERT INTO orders SELECT i + 1, i % 3 + 1, date('2025-01-01', '+' || (i * 2) || ' days'), 20 + i % 90, CASE i % 4 WHEN 0 THEN 'EUR' WHEN 1 THEN 'USD' ELSE 'CHF' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149)
INSERT INTO deliveries SELECT i + 1, i % 3 + 1, date('2025-01-01', '+' || (i * 3) || ' days'), 5 + i % 20 FROM n;
"""


@pytest.fixture(scope="module")
def nursery():
    return place(NURSERY)


_PER_GROWER = "SELECT grower_name, SUM(total) FROM orders JOIN growers USING (grower_id) WHERE currency_code = '{}' GROUP BY 1"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("order total in EUR", "SELECT SUM(total) FROM orders WHERE currency_code = 'EUR'"),
        ("order total in dollars", "SELECT SUM(total) FROM orders WHERE currency_code = 'USD'"),
        ("order total in francs per grower", _PER_GROWER.format("CHF")),
        ("orders over 80 euros", "SELECT COUNT(*) FROM orders WHERE total > 80 AND currency_code = 'EUR'"),
        ("orders over $80", "SELECT COUNT(*) FROM orders WHERE total > 80 AND currency_code = 'USD'"),
        (
            "average order total in usd in 2025",
            "SELECT AVG(total) FROM orders WHERE currency_code = 'USD' AND ordered_on LIKE '2025%'",
        ),
        ("order total in EUR and USD", "SELECT SUM(total) FROM orders WHERE currency_code IN ('EUR', 'USD')"),
    ],
)
def test_amounts_in_a_currency_are_of_rows_in_it(nursery, text, sql):
    assert_answered(nursery, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("order total in pounds", "pounds"),
        ("orders over 80 yen", "yen"),
    ],
)
def test_a_currency_that_no_row_beside_the_money_names_is_a_draft_that_says_so(nursery, text, word):
    assert outcome(nursery, text, TODAY) is not Outcome.ANSWERED
    assert word in understand(text, nursery[1], TODAY)[1][0].frame.unused


def test_money_that_no_currency_is_kept_beside_is_asked_in_its_own(nursery):
    assert_answered(nursery, "freight cost in euros", "SELECT SUM(freight_cost) FROM deliveries", TODAY)


def test_a_source_without_currencies_is_asked_in_its_own():
    bakery = place("""
        CREATE TABLE receipts (receipt_id INTEGER PRIMARY KEY, sold_on DATE, amount NUMERIC);
        INSERT INTO receipts VALUES (1, '2026-01-01', 5), (2, '2026-02-01', 7.5), (3, '2026-03-01', 12);
    """)
    assert_answered(bakery, "receipts over 6 euros", "SELECT COUNT(*) FROM receipts WHERE amount > 6", TODAY)


_MIXED = "Amounts in different currencies (CHF, EUR, USD) are taken together as they are stored."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("order total", [_MIXED]),
        ("average order total per grower", [_MIXED]),
        ("order total in 2025 vs 2026", [_MIXED]),
        ("order total in EUR and USD", [_MIXED]),
        ("order total in EUR", []),
        ("order total by currency code", []),
        ("number of orders per grower", []),
        ("freight cost", []),
    ],
)
def test_currencies_that_are_added_up_are_told(nursery, text, said):
    notes = analysed(nursery, text, TODAY).candidates[0].notes
    assert [one for one in notes if "currencies" in one] == said
    assert all(place_of(one.parts) == "rows" for one in notes if "currencies" in one)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("toll", True),
        ("average toll per lane", True),
        ("toll this year vs last year", True),
        ("lowest toll per lane", True),
        ("toll in euros", False),
        ("share of toll per lane", False),
        ("passages per lane", False),
    ],
)
def test_amounts_in_cents_are_told_to_be(text, is_told):
    bridge = place("""
        CREATE TABLE passages (passage_id INTEGER PRIMARY KEY, lane TEXT, passed_on DATE, toll_cents INTEGER);
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
        INSERT INTO passages SELECT i, CASE i % 3 WHEN 0 THEN 'left' ELSE 'right' END, date('2025-01-01', '+' || (i * 6) || ' days'), 350 + i FROM n;
    """)
    notes = analysed(bridge, text, TODAY).candidates[0].notes
    assert [one for one in notes if "hundredths" in one] == ["Amounts are in hundredths, as toll cents stores them."] * is_told  # fmt: skip
