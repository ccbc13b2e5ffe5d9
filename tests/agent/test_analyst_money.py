"""A till that keeps cents: what one receipt is worth, and figures in pounds. A stall whose lines hold a discount, and that takes goods back."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import changed
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


STALL = """
CREATE TABLE lamps (lamp_id INTEGER PRIMARY KEY, lamp_name TEXT, kind TEXT, price REAL);
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, customer_name TEXT, town TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, ordered_on TEXT);
CREATE TABLE order_lines (line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, lamp_id INTEGER REFERENCES lamps, quantity INTEGER, unit_price REAL, discount REAL, amount REAL);
CREATE TABLE returns (return_id INTEGER PRIMARY KEY, line_id INTEGER REFERENCES order_lines, returned_on TEXT, quantity INTEGER, refunded_amount REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO lamps SELECT i, 'Lamp ' || i, CASE i % 3 WHEN 0 THEN 'desk' ELSE 'floor' END, 5.5 + i * 7 % 41 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
INSERT INTO customers SELECT i, 'Client ' || i, CASE i % 2 WHEN 0 THEN 'York' ELSE 'Bath' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 599)
INSERT INTO orders SELECT 7000 + i, 1 + i % 50, date('2024-01-01', '+' || (i * 3 / 4) || ' days') FROM n;
INSERT INTO order_lines SELECT order_id, order_id, 1 + order_id % 38, 1 + order_id % 38, 5.5 + (1 + order_id % 38) * 7 % 41, order_id % 4 * 0.05, 0 FROM orders;
INSERT INTO order_lines SELECT order_id + 9000, order_id, 1 + order_id % 29, 1 + order_id % 3, 5.5 + (1 + order_id % 29) * 7 % 41, 0.1, 0 FROM orders WHERE order_id % 2 = 0;
UPDATE order_lines SET amount = ROUND(quantity * unit_price * (1 - discount), 2);
INSERT INTO returns SELECT line_id, line_id, date('2024-02-01', '+' || (line_id % 300) || ' days'), 1, unit_price FROM order_lines WHERE line_id % 38 < 9;
"""
SOLD = "order_lines JOIN orders USING (order_id) JOIN lamps USING (lamp_id)"
BY_LAMP = f"SELECT lamp_name, SUM(quantity) FROM {SOLD} GROUP BY lamp_id ORDER BY 2"


@pytest.fixture(scope="module")
def stall():
    return place(STALL)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("average orders per day", "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY ordered_on)"),
        ("average number of orders per month", "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY strftime('%Y-%m', ordered_on))"),
        ("how much discount did we give in 2024", f"SELECT SUM(quantity * unit_price - amount) FROM {SOLD} WHERE ordered_on < '2025'"),
        ("average monthly orders", "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY strftime('%Y-%m', ordered_on))"),
        ("discount as % of revenue", "SELECT 100.0 * SUM(quantity * unit_price - amount) / SUM(amount) FROM order_lines"),
        ("total discount amount", "SELECT SUM(quantity * unit_price - amount) FROM order_lines"),
        ("how many different lamps were sold in 2024", f"SELECT COUNT(DISTINCT lamp_id) FROM {SOLD} WHERE ordered_on < '2025'"),
        ("best selling lamps", f"{BY_LAMP} DESC LIMIT 10"),
        ("worst selling lamps", f"{BY_LAMP} LIMIT 10"),
        ("best selling lamp", f"{BY_LAMP} DESC LIMIT 1"),
    ],
)  # fmt: skip
def test_a_figure_is_of_what_was_sold_and_no_sum_of_shares(stall, text, sql):
    assert_answered(stall, text, sql, TODAY)
    assert outcome(stall, text, TODAY) == Outcome.ANSWERED


@pytest.mark.parametrize(
    "text",
    [
        "net revenue by month in 2024",
        "cheapest 5 lamps by revenue",
        "number of lamps sold per town",
        "average orders per day by town",
    ],
)
def test_a_figure_that_is_not_what_was_asked_for_is_a_draft(stall, text):
    assert outcome(stall, text, TODAY) == Outcome.AMBIGUOUS


def test_a_draft_of_net_revenue_says_that_returns_are_in_it(stall):
    first = understand("net revenue by month in 2024", stall[1], TODAY)[1][0]
    assert first.doubt == "the returns are not taken off." and "AS revenue" in first.sql
    stored = STALL.replace(
        "amount REAL);\nCREATE TABLE returns", "net_amount REAL);\nCREATE TABLE returns"
    ).replace("SET amount", "SET net_amount")
    assert outcome(place(stored), "net revenue by month in 2024", TODAY) == Outcome.ANSWERED


def test_a_discount_is_of_the_only_number_beside_the_price_of_one():
    counted = STALL.replace("quantity INTEGER, unit_price", "boxes INTEGER, unit_price")
    counted = counted.replace("quantity * unit_price", "boxes * unit_price")
    gold = "SELECT SUM(boxes * unit_price - amount) FROM order_lines"
    assert_answered(place(counted), "total discount amount", gold, TODAY)


def test_a_share_without_an_amount_beside_it_is_not_summed_up():
    bare = (
        STALL.replace(", unit_price REAL", "")
        .replace(", 5.5 + (1 + order_id % 38) * 7 % 41", "")
        .replace(", 5.5 + (1 + order_id % 29) * 7 % 41", "")
    )
    bare = bare.replace("quantity * unit_price * ", "quantity * ").replace(", 1, unit_price", ", 1, 2.5")
    assert outcome(place(bare), "total discount", TODAY) != Outcome.ANSWERED


@pytest.mark.parametrize(
    ("before", "stated"),
    [
        ("revenue by town", "average order value by town"),
        ("number of orders by town in 2024", "average order value by town in 2024"),
        ("refunded amount by month", "average refunded amount by month"),
    ],
)
@pytest.mark.parametrize("typed", ["and the average", "average instead"])
def test_the_average_after_a_sum_is_that_of_its_rows(stall, before, stated, typed):
    assert changed(typed, before, stall[1], TODAY) == stated


def test_the_cheapest_are_not_those_that_brought_in_least(stall):
    assert changed("and the cheapest 5?", "top 5 lamps by revenue", stall[1], TODAY) == ""


def test_a_number_that_tells_orders_apart_is_not_named_like_a_figure(stall):
    assert "AS order_id" in understand("biggest order ever", stall[1], TODAY)[1][0].sql


CLAIMS = """
CREATE TABLE funds (fund_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE invoices (
  invoice_id INTEGER PRIMARY KEY, fund_id INTEGER NOT NULL REFERENCES funds, issued_on DATE NOT NULL,
  paid_amount REAL, claim_amount REAL NOT NULL
);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6) INSERT INTO funds SELECT i, 'Fund ' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO invoices SELECT i, 1 + i % 6, DATE('2025-01-03', '+' || i || ' day'), 20.5 + i % 37, 40.5 + i % 41 FROM n;
"""


@pytest.mark.parametrize(
    "typed", ["billed to each fund", "how much was invoiced per fund", "revenue by fund"]
)
def test_what_was_billed_is_not_what_came_in(typed):
    sql = understand(typed, place(CLAIMS)[1], TODAY)[1][0].sql
    assert "SUM(invoices.claim_amount)" in sql


def test_what_was_collected_is_what_came_in():
    sql = understand("paid amount by fund", place(CLAIMS)[1], TODAY)[1][0].sql
    assert "SUM(invoices.paid_amount)" in sql


HAULS = """
CREATE TABLE vans (van_id INTEGER PRIMARY KEY, plate TEXT, bought_on DATE, purchase_price REAL);
CREATE TABLE hauls (haul_id INTEGER PRIMARY KEY, van_id INTEGER REFERENCES vans, hauled_on DATE, quantity INTEGER, price REAL, sort TEXT);
INSERT INTO vans VALUES (1, 'AB 1', '2021-02-03', 31000), (2, 'AB 2', '2022-02-03', 28000);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO hauls SELECT i, i % 2 + 1, DATE('2025-01-03', '+' || i || ' day'), i % 5 + 1, 20.5 + i % 37, CASE i % 2 WHEN 0 THEN 'stone' ELSE 'sand' END FROM n;
"""


def test_the_price_of_a_van_is_no_cost_of_what_it_hauls():
    assert outcome(place(HAULS), "profit margin by sort", TODAY) is not Outcome.ANSWERED
    goods = HAULS.replace(", bought_on DATE", "").replace(", '2021-02-03'", "").replace(", '2022-02-03'", "")
    assert outcome(place(goods), "profit margin by sort", TODAY) is Outcome.ANSWERED
