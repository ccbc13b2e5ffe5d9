"""States told apart by who decided them, money of what was cancelled, refunds below zero, and groups without a name: a riding school."""

from __future__ import annotations

from datetime import date

import pytest
from places import outcome, place, rows

from sqlagent.catalog.semantics import derive
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import changed
from sqlagent.makers.analyst.sampler import Analysis
from sqlagent.makers.analyst.source import Source
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Outcome

TODAY = date(2026, 3, 1)
SCHOOL = """
CREATE TABLE rider (rider_id INTEGER PRIMARY KEY, rider_name TEXT, kind TEXT, yard TEXT, rider_since TEXT, suspended INTEGER);
CREATE TABLE trainer (trainer_id INTEGER PRIMARY KEY, trainer_name TEXT, hired_on TEXT, left_on TEXT);
CREATE TABLE ride (ride_id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES rider, trainer_id INTEGER REFERENCES trainer, ride_date TEXT, status TEXT, booked_via TEXT, cancel_reason TEXT);
CREATE TABLE tariff (kind TEXT, valid_from TEXT, price REAL, PRIMARY KEY (kind, valid_from));
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES rider, order_date TEXT, wanted_date TEXT, shipped_date TEXT, status TEXT, amount REAL);
CREATE TABLE payment (payment_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, paid_on TEXT, method TEXT, amount REAL);
INSERT INTO rider VALUES (1,'Ada','school','East','2023-02-01',0),(2,'Bo','school','West','2024-03-01',0),(3,'Cy','private','East','2025-04-01',1),(4,'Di','school','East','2025-05-01',1);
INSERT INTO trainer VALUES (1,'Eve Moss','2020-01-01',NULL),(2,'Flo Reed','2021-01-01','2025-06-01');
INSERT INTO ride VALUES (1,1,1,'2025-01-05','Ridden','phone',NULL),(2,2,1,'2025-02-05','Cancelled by rider','web','Ill'),(3,3,2,'2025-03-05','Cancelled by yard','web',NULL),(4,4,2,'2026-01-05','Ridden','web',NULL),(5,1,2,'2026-02-05','Cancelled by rider','phone','Work');
INSERT INTO tariff VALUES ('school','2024-01-01',20),('school','2025-01-01',22),('private','2024-01-01',40),('private','2025-01-01',44);
INSERT INTO orders VALUES (1,1,'2025-01-10','2025-01-20','2025-01-25','shipped',100),(2,2,'2025-02-10','2025-02-20','2025-02-15','shipped',60),(3,3,'2025-03-10','2025-03-20',NULL,'cancelled',500),(4,4,'2026-01-10','2026-01-20','2026-01-22','shipped',40);
INSERT INTO payment VALUES (1,1,'2025-01-12','card',100),(2,2,'2025-02-12','cash',60),(3,2,'2025-02-20','cash',-10),(4,4,'2026-01-12','card',40),(5,4,'2026-01-13','card',-5);
"""


@pytest.fixture(scope="module")
def school():
    return place(SCHOOL)


def told(where, text):
    """The rows of the first frame, and the words that it leaves out."""
    first = understand(text, where[1], TODAY)[1][0]
    return sorted(map(tuple, rows(where, first.sql))), first.frame.unused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("cancelled rides by yard", [("East", 2), ("West", 1)]),
        ("how many rides in 2025 were cancelled", [(2,)]),
        ("how many rides cancelled by rider", [(2,)]),
        ("number of rides not cancelled", [(2,)]),
        ("number of cancelled orders", [(1,)]),
        ("rides by booking channel", [("phone", 2), ("web", 3)]),
        ("how many orders were shipped late in 2025", [(1,)]),
        ("active riders by yard", [("East", 1), ("West", 1)]),
        ("how many active schools", [(2,)]),
        ("riders who joined since 2025", [("Cy",), ("Di",)]),
        ("refunds per year, number and amount", [("2025", 1, -10), ("2026", 1, -5)]),
        ("trainers still working here", [("Eve Moss",)]),
        ("payments by method - how many and for how much", [("card", 3, 135), ("cash", 2, 50)]),
    ],
)
def test_a_riding_school_is_understood(school, text, wanted):
    assert told(school, text) == (wanted, ())


def test_averages_and_counts_are_of_all_orders(school):
    assert told(school, "number of orders in 2025") == ([(3,)], ())


@pytest.mark.parametrize(
    ("before", "typed", "stated"),
    [
        ("rides by yard 2025", "and 2026", "rides by yard 2026"),
        ("rides by yard 2025", "also 2026", "rides by yard 2025 and 2026"),
    ],
)
def test_and_a_year_asks_for_that_year(school, before, typed, stated):
    assert changed(typed, before, school[1], TODAY) == stated


def test_cancelled_ones_left_out_are_all_of_their_states(school):
    stated = changed("without the cancelled ones", "number of rides in 2025", school[1], TODAY)
    assert told(school, stated) == ([(1,)], ())


UNREAD = "CREATE TABLE subscriptions (subscription_id INTEGER, customer TEXT, started_on TEXT, monthly_revenue REAL);"
LISTED = "CREATE TABLE plans (plan_id INTEGER, plan_name TEXT); CREATE TABLE subscriptions (subscription_id INTEGER, plan_id INTEGER, started_on TEXT, monthly_revenue REAL);"


@pytest.mark.parametrize(
    ("script", "text", "answers"),
    [
        (UNREAD, "revenue by plan", False),
        (LISTED, "monthly revenue by plan", False),
        (UNREAD, "revenue by customer", True),
        (UNREAD, "revenue by subscription id", True),
    ],
)
def test_groups_told_by_number_before_values_are_read_are_a_draft(script, text, answers):
    source = Source(derive(MemoryDatabase(script).catalog(), None), None)
    reading, frames = understand(text, source, TODAY)
    ended = Analysis(reading, tuple(frames), (), True).outcome()
    assert (ended[0] is Outcome.ANSWERED) is answers
    if not answers:
        assert "told by number" in ended[1]


def test_refunds_that_are_left_out_are_not_taken_for_all_payments(school):
    assert outcome(school, "payments by method without refunds", TODAY) is not Outcome.ANSWERED
