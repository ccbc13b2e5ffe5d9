"""Rises and falls between two periods, in everyday words: a bakery's orders of two years."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.rises_and_falls import reworded
from sqlagent.values import Limits
from tests.agent.places import place

BAKERY = """
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(customer_id), order_date TEXT);
CREATE TABLE order_line (line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(order_id), product_id INTEGER REFERENCES product(product_id), quantity INTEGER, amount REAL);
INSERT INTO customer VALUES (1,'Ann','Bath'),(2,'Ben','York'),(3,'Cy','Bath');
INSERT INTO product VALUES (1,'Rye'),(2,'Bun'),(3,'Pie');
INSERT INTO orders VALUES (1,1,'2024-02-01'),(2,2,'2024-05-01'),(3,1,'2024-09-01'),(4,1,'2025-02-01'),(5,2,'2025-06-01'),(6,2,'2025-07-01'),(7,3,'2025-08-01');
INSERT INTO order_line VALUES (1,1,1,10,100),(2,2,2,4,40),(3,3,3,6,90),(4,4,1,3,30),(5,5,2,9,90),(6,6,2,2,20),(7,7,3,6,80);
"""


@pytest.fixture(scope="module")
def bakery():
    return place(BAKERY)


def told(placed, text):
    first = understand(text, placed[1], date(2025, 12, 1))[1][0]
    return [tuple(row) for row in placed[0].execute(first.sql, Limits()).rows], first.frame.unused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("products that sold less in 2025 than in 2024", [("Rye", 10, 3)]),
        ("which products sold more in 2025 than 2024?", [("Bun", 4, 11)]),
        ("customers who spent less in 2025 than in 2024", [("Ann", 190, 30)]),
        ("customers with more orders in 2025 than in 2024", [("Ben", 1, 2), ("Cy", 0, 1)]),
        ("towns whose revenue was lower in 2025 than in 2024", [("Bath", 190, 110)]),
        ("which product lost the most revenue from 2024 to 2025", [("Rye", -70)]),
        ("biggest increase in revenue by product from 2024 to 2025", [("Bun", 70)]),
        ("which town had the largest drop in revenue 2025 vs 2024", [("Bath", -80)]),
    ],
)
def test_what_rose_or_fell_is_listed(bakery, text, wanted):
    rows, unused = told(bakery, text)
    assert unused == ()
    assert sorted(rows) == [pytest.approx(row) for row in sorted(wanted)]


@pytest.mark.parametrize(
    "text",
    [
        "orders with more than 3 lines in 2025",
        "customers who ordered less than twice",
        "less is more than 2024",
    ],
)
def test_other_comparisons_are_left_as_they_are(text):
    assert not list(reworded(text))


def test_a_wording_that_is_read_as_no_change_is_not_taken(bakery):
    """A figure that the source has no word for stays unused, and is named."""
    _, unused = told(bakery, "products that weighed less in 2025 than in 2024")
    assert unused
