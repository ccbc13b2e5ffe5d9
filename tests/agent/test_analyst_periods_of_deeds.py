"""A print shop: what was shipped, ordered or asked for in two periods, and what never was."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 10, 31)

PRINTERS = """
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, client_name TEXT);
CREATE TABLE papers (paper_id INTEGER PRIMARY KEY, paper_name TEXT);
CREATE TABLE prints (print_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients, ordered_on DATE, due_on DATE, shipped_on DATE, why_code TEXT);
CREATE TABLE print_papers (print_id INTEGER REFERENCES prints, paper_id INTEGER REFERENCES papers, sheets INTEGER);
INSERT INTO clients VALUES (1, 'Ash Books'), (2, 'Birch Cards'), (3, 'Cedar Maps'), (4, 'Dale Foods');
INSERT INTO papers VALUES (1, 'Silk'), (2, 'Kraft'), (3, 'Linen');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO prints SELECT i + 1, CASE WHEN i < 200 THEN i % 2 + 1 WHEN i < 400 THEN i % 2 + 2 ELSE 4 - i % 2 * 2 END,
  date('2024-06-01', '+' || (i * 880 / 600) || ' days'), date('2024-06-20', '+' || (i * 880 / 600) || ' days'),
  CASE WHEN i % 9 THEN date('2024-06-10', '+' || (i * 880 / 600 + i % 25) || ' days') END,
  CASE i % 4 WHEN 0 THEN 'SLD' WHEN 1 THEN 'MVD' END FROM n;
INSERT INTO print_papers SELECT print_id, print_id % 2 + 1, print_id * 3 FROM prints;
"""


@pytest.fixture(scope="module")
def printers():
    return place(PRINTERS)


_SHIPPED = "SELECT strftime('%Y', shipped_on) AS y, COUNT(*) FROM prints WHERE {} AND shipped_on >= '2025-01-01' AND shipped_on < '2027-01-01' GROUP BY 1"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("prints shipped this year vs last year", _SHIPPED.format("1")),
        ("prints shipped late this year vs last year", _SHIPPED.format("shipped_on > due_on")),
        (
            "prints shipped per month in 2025",
            "SELECT strftime('%Y-%m', shipped_on), COUNT(*) FROM prints WHERE shipped_on LIKE '2025%' GROUP BY 1",
        ),
        (
            "prints per month in 2025",
            "SELECT strftime('%Y-%m', ordered_on), COUNT(*) FROM prints WHERE ordered_on LIKE '2025%' GROUP BY 1",
        ),
        (
            "prints ordered in 2024 and 2025",
            "SELECT strftime('%Y', ordered_on), COUNT(*) FROM prints WHERE ordered_on < '2026-01-01' GROUP BY 1",
        ),
    ],
)
def test_a_deed_in_two_periods_is_grouped_by_its_own_time(printers, text, sql):
    assert_answered(printers, text, sql, TODAY)


_IN = "client_id IN (SELECT client_id FROM prints WHERE ordered_on LIKE '{}%')"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("clients who ordered in 2024 and 2025", f"{_IN.format(2024)} AND {_IN.format(2025)}"),
        ("clients who ordered in 2024 or 2026", f"{_IN.format(2024)} OR {_IN.format(2026)}"),
        (
            "clients who ordered in 2024 and 2025 but not this year",
            f"{_IN.format(2024)} AND {_IN.format(2025)} AND NOT {_IN.format(2026)}",
        ),
    ],
)
def test_clients_of_two_years_are_those_of_each(printers, text, sql):
    assert_answered(printers, text, f"SELECT client_name FROM clients WHERE {sql}", TODAY)


def test_rows_of_further_tables_without_a_day_are_not_what_never_was(printers):
    gold = "SELECT paper_name FROM papers WHERE paper_id NOT IN (SELECT paper_id FROM print_papers)"
    assert_answered(printers, "papers we have never sold", gold, TODAY)


def test_a_code_of_further_rows_is_not_the_deed_that_never_was():
    bakery = place("""
        CREATE TABLE toppings (topping_id INTEGER PRIMARY KEY, topping_name TEXT);
        CREATE TABLE pizzas (pizza_id INTEGER PRIMARY KEY, end_reason TEXT);
        CREATE TABLE pizza_toppings (pizza_id INTEGER REFERENCES pizzas, topping_id INTEGER REFERENCES toppings);
        INSERT INTO toppings VALUES (1, 'Olives'), (2, 'Capers'), (3, 'Rocket');
        INSERT INTO pizzas VALUES (1, 'SLD'), (2, 'BRN'), (3, 'SLD'), (4, 'BRN');
        INSERT INTO pizza_toppings VALUES (1, 1), (2, 1), (3, 2), (4, 1);
    """)
    assert outcome(bakery, "is there a topping we have never sold", TODAY) is not Outcome.ANSWERED
