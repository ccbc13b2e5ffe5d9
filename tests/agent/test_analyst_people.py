"""A shop that knows who its buyers are: ages, days between what was bought and what came back, weekends and ends of years."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2025, 11, 26)

SHOP = """
CREATE TABLE store (store_id INTEGER PRIMARY KEY, town TEXT, opened_on TEXT);
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, full_name TEXT, store_id INTEGER REFERENCES store, hired_on TEXT);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, product_name TEXT, price REAL, cost REAL);
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, full_name TEXT, country TEXT, birth_date TEXT, signed_up_on TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, ordered_at TEXT, payment_method TEXT);
CREATE TABLE order_line (order_line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES product, quantity INTEGER, amount REAL);
CREATE TABLE returns (return_id INTEGER PRIMARY KEY, order_line_id INTEGER REFERENCES order_line, returned_on TEXT, refunded REAL);
INSERT INTO store VALUES (1, 'York', '2015-03-01'), (2, 'Bath', '2018-06-01');
INSERT INTO employee VALUES (1, 'Ann Lee', 1, '2016-01-01'), (2, 'Bo Holm', 2, '2019-05-01'), (3, 'Cy Ray', 2, '2022-09-01');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
INSERT INTO product SELECT i, 'Thing ' || i, i * 10.0, i * 6.0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO customer SELECT i, 'Buyer ' || i, CASE i % 3 WHEN 0 THEN 'Norway' ELSE 'Spain' END, date('1960-01-01', '+' || (i * 300) || ' days'), date('2023-01-01', '+' || i || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO orders SELECT i, i % 40 + 1, datetime('2025-02-01 10:00', '+' || i || ' days'), CASE i % 4 WHEN 0 THEN 'PayPal' ELSE 'card' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
INSERT INTO order_line SELECT i, i * i % 300 + 1, i % 20 + 1, i % 3 + 1, (i % 20 + 1) * 10.0 * (i % 3 + 1) FROM n;
INSERT INTO returns SELECT order_line_id, order_line_id, date(ordered_at, '+' || (order_line_id % 40 + 1) || ' days'), amount FROM order_line JOIN orders USING (order_id) WHERE order_line_id % 9 = 0;
"""
BACK = "FROM returns JOIN order_line USING (order_line_id) JOIN orders USING (order_id)"
AGE = "(julianday({then}) - julianday(birth_date)) / 365.25"


@pytest.fixture(scope="module")
def shop():
    return place(SHOP)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("how many returns came within 10 days of the order", f"SELECT COUNT(*) {BACK} WHERE julianday(returned_on) - julianday(ordered_at) <= 10"),
        ("returns more than 20 days after the order", f"SELECT COUNT(*) {BACK} WHERE julianday(returned_on) - julianday(ordered_at) > 20"),
        ("average age of customers when they ordered", f"SELECT AVG({AGE.format(then='ordered_at')}) FROM orders JOIN customer USING (customer_id)"),
        ("average age at sign-up", f"SELECT AVG({AGE.format(then='signed_up_on')}) FROM customer"),
        ("which payment method is used most often", "SELECT payment_method, COUNT(*) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("which payment method do Spain use most often", "SELECT payment_method, COUNT(*) FROM orders JOIN customer USING (customer_id) WHERE country = 'Spain' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("customers and orders per month", "SELECT strftime('%Y-%m', ordered_at), COUNT(DISTINCT customer_id), COUNT(DISTINCT order_id) FROM order_line JOIN orders USING (order_id) GROUP BY 1"),
        ("number of customers per country excluding those without orders", "SELECT country, COUNT(*) FROM customer WHERE customer_id IN (SELECT customer_id FROM orders) GROUP BY 1"),
        ("number of products excluding those never returned", "SELECT COUNT(*) FROM product WHERE product_id IN (SELECT product_id FROM order_line JOIN returns USING (order_line_id))"),
        ("sales for everyone but Norway", "SELECT SUM(amount) FROM order_line JOIN orders USING (order_id) JOIN customer USING (customer_id) WHERE country <> 'Norway'"),
        ("how many people work in each store", "SELECT store_id, COUNT(*) FROM employee GROUP BY 1"),
        ("sales ytd vs last year", "SELECT strftime('%Y', ordered_at), SUM(amount) FROM order_line JOIN orders USING (order_id) WHERE ordered_at >= '2025-01-01' AND ordered_at < '2025-11-27' OR ordered_at >= '2024-01-01' AND ordered_at < '2024-11-27' GROUP BY 1"),
        ("youngest customer", "SELECT full_name FROM customer ORDER BY birth_date DESC LIMIT 1"),
        ("share of orders paid by PayPal by country", "SELECT country, 100.0 * SUM(payment_method = 'PayPal') / COUNT(*) FROM orders JOIN customer USING (customer_id) GROUP BY 1"),
        ("products over 100 euro", "SELECT product_name FROM product WHERE price > 100"),
        ("products that cost between 20 and 50", "SELECT product_name FROM product WHERE price BETWEEN 20 AND 50"),
        ("orders last weekend", "SELECT COUNT(*) FROM orders WHERE ordered_at >= '2025-11-22' AND ordered_at < '2025-11-24'"),
        ("orders this weekend", "SELECT COUNT(*) FROM orders WHERE ordered_at >= '2025-11-29' AND ordered_at < '2025-12-01'"),
        ("orders on weekends last month", "SELECT COUNT(*) FROM orders WHERE ordered_at LIKE '2025-10%' AND strftime('%w', ordered_at) IN ('0', '6')"),
        ("orders between now and the end of the year", "SELECT COUNT(*) FROM orders WHERE ordered_at >= '2025-11-26' AND ordered_at < '2026-01-01'"),
        ("orders between today and the end of this month", "SELECT COUNT(*) FROM orders WHERE ordered_at >= '2025-11-26' AND ordered_at < '2025-12-01'"),
        ("orders before the end of march 2025", "SELECT COUNT(*) FROM orders WHERE ordered_at < '2025-04-01'"),
        ("orders since the end of may", "SELECT COUNT(*) FROM orders WHERE ordered_at >= '2025-06-01'"),
        ("orders until the end of the year", "SELECT COUNT(*) FROM orders WHERE ordered_at < '2026-01-01'"),
    ],
)  # fmt: skip
def test_a_question_is_answered_as_somebody_there_would(shop, text, sql):
    assert_answered(shop, text, sql, TODAY)


def test_the_age_of_the_oldest_is_a_number(shop):
    first = understand("how old is our oldest customer", shop[1], TODAY)[1][0]
    assert "MAX(" in first.sql and "birth_date" in first.sql


@pytest.mark.parametrize(
    "text",
    [
        "age of our youngest employee",
        "youngest employee",
        "average age of employees when hired",
        "how many orders were returned within a week",
        "products returned within 10 days of the order, by number of lines",
        "share of orders with more than 2 items",
        "orders next weekend",
        "which weekday do we sell most often on",
        "orders at the end of the year",
    ],
)
def test_what_is_not_known_or_not_read_is_not_called_an_answer(shop, text):
    assert outcome(shop, text, TODAY) != Outcome.ANSWERED


def test_two_periods_without_a_figure_count_no_customers(shop):
    found = understand("this year vs last year by country", shop[1], TODAY)[1]
    assert not found or "signed_up_on" not in found[0].sql


def test_a_figure_of_a_second_table_is_called_by_it_where_its_name_is_a_part_of_the_first() -> None:
    counted = place(SHOP.replace("returned_on TEXT, refunded REAL", "returned_on TEXT, quantity INTEGER"))
    frame = understand("quantity sold and quantity returned per month", counted[1], TODAY)[1][0]
    assert "AS quantity_sold" in frame.sql
    assert "AS quantity_of_returns" in frame.sql


def test_two_figures_that_nothing_joins_are_no_answer(shop) -> None:
    """Returns of this shop hold no quantity: that of the lines beside what was refunded is not what was asked."""
    assert outcome(shop, "quantity sold and quantity returned per month", TODAY) is not Outcome.ANSWERED


def test_new_customers_beside_orders_are_those_who_signed_up(shop) -> None:
    frame = understand("new customers and orders per month", shop[1], TODAY)[1][0]
    assert "signed_up_on" in frame.sql


@pytest.mark.parametrize(
    "text",
    [
        "sales excluding stores without orders in 2024",
        "customers without orders excluding those without a country",
        "how many customers bought again within 30 days",
        "orders again this month by returning customers",
        "how many products cost more than they sell for",
        "who was hired last",
    ],
)
def test_what_would_be_turned_around_or_dropped_is_no_answer(shop, text: str) -> None:
    assert outcome(shop, text, TODAY) is not Outcome.ANSWERED


def test_persons_of_a_role_are_none_who_have_nobody_in_it() -> None:
    staff = place(SHOP.replace("hired_on TEXT);", "hired_on TEXT, manager_id INTEGER REFERENCES employee);").replace("'2016-01-01')", "'2016-01-01', NULL)").replace("'2019-05-01')", "'2019-05-01', 1)").replace("'2022-09-01')", "'2022-09-01', 1)"))  # fmt: skip
    for text in ("employees who are not managers", "number of employees by store without managers"):
        assert outcome(staff, text, TODAY) is not Outcome.ANSWERED
    assert_answered(staff, "employees without a manager", "SELECT COUNT(*) FROM employee WHERE manager_id IS NULL", TODAY)  # fmt: skip
