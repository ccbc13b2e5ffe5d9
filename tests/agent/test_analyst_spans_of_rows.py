"""A print studio: how long rows last, how far ahead they are booked, and so many days after, before or within another time."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 3, 10)

STUDIO = """
CREATE TABLE presses (press_id INTEGER PRIMARY KEY, press_name TEXT, press_type TEXT);
CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, press_id INTEGER REFERENCES presses, booked_at TEXT, starts_at TEXT, ends_at TEXT, fee REAL);
CREATE TABLE jobs (job_id INTEGER PRIMARY KEY, press_id INTEGER REFERENCES presses, job_date TEXT, delivered_on TEXT, paid_on TEXT, amount REAL);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, ordered_at TEXT, requested_on TEXT, state TEXT);
CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, shipped_on TEXT, weight_kg REAL);
CREATE TABLE inks (ink_id INTEGER PRIMARY KEY, lot_no TEXT, received_on TEXT, expires_on TEXT, litres REAL);
CREATE TABLE leases (lease_id INTEGER PRIMARY KEY, press_id INTEGER REFERENCES presses, start_date TEXT, end_date TEXT);
INSERT INTO presses VALUES (1, 'Anvil', 'letterpress'), (2, 'Bison', 'offset'), (3, 'Crane', 'letterpress');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO bookings SELECT i, i % 3 + 1, datetime('2025-01-01 08:00:00', '+' || (i * 31) || ' hours', '-' || (i % 9 * 11) || ' hours'), datetime('2025-01-01 09:00:00', '+' || (i * 31) || ' hours'), datetime('2025-01-01 09:00:00', '+' || (i * 31) || ' hours', '+' || (i % 4 + 1) || ' hours'), 20 + i % 5 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO jobs SELECT i, i % 3 + 1, date('2025-01-01', '+' || i || ' days'), CASE WHEN i % 20 THEN date('2025-01-01', '+' || (i + i % 6) || ' days') END, CASE WHEN i % 20 AND i % 7 THEN date('2025-01-01', '+' || (i + i % 6 + i % 45) || ' days') END, 100 + i FROM n;
UPDATE jobs SET delivered_on = '2025-01-02', paid_on = '2025-01-02' WHERE job_id = 1;
UPDATE jobs SET delivered_on = '2025-12-30', paid_on = '2025-12-30' WHERE job_id = 299;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO orders SELECT i, datetime('2025-02-01 10:00:00', '+' || i || ' days'), date('2025-02-01', '+' || (i + i % 8) || ' days'), CASE i % 5 WHEN 0 THEN 'open' WHEN 1 THEN 'packed' ELSE 'shipped' END FROM n;
INSERT INTO parcels SELECT order_id, order_id, date(ordered_at, '+' || (order_id % 6) || ' days'), 1.5 FROM orders WHERE state = 'shipped';
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO inks SELECT i, 'L' || (1000 + i), date('2025-06-01', '+' || i || ' days'), date('2026-01-01', '+' || (i * 3) || ' days'), 2.5 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO leases SELECT i, i % 3 + 1, date('2025-01-01', '+' || (i * 5) || ' days'), CASE WHEN i % 4 THEN date('2026-01-01', '+' || (i * 7) || ' days') END FROM n;
"""

_HOURS = "(julianday(ends_at) - julianday(starts_at)) * 24"
_AHEAD = "julianday(starts_at) - julianday(booked_at)"
_PAID = "julianday(paid_on) - julianday(delivered_on)"


@pytest.fixture(scope="module")
def studio():
    return place(STUDIO)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("average booking length in hours", f"SELECT AVG({_HOURS}) FROM bookings"),
        ("average booking length in hours by press type", f"SELECT press_type, AVG({_HOURS}) FROM bookings JOIN presses USING (press_id) GROUP BY 1"),
        ("how long do bookings last on average in hours", f"SELECT AVG({_HOURS}) FROM bookings"),
        ("booking hours per press in 2025", f"SELECT press_name, SUM({_HOURS}) FROM bookings JOIN presses USING (press_id) WHERE starts_at LIKE '2025%' GROUP BY 1"),
        ("total booked hours per press in 2025", f"SELECT press_name, SUM({_HOURS}) FROM bookings JOIN presses USING (press_id) WHERE starts_at LIKE '2025%' GROUP BY 1"),
        ("average booking lead time", f"SELECT AVG({_AHEAD}) FROM bookings"),
        ("how many bookings were made less than a day ahead", f"SELECT COUNT(*) FROM bookings WHERE {_AHEAD} < 1"),
        ("how many bookings were made more than 2 days in advance", f"SELECT COUNT(*) FROM bookings WHERE {_AHEAD} > 2"),
        ("how many bookings were made more than 2 days ahead in 2026", f"SELECT COUNT(*) FROM bookings WHERE {_AHEAD} > 2 AND starts_at LIKE '2026%'"),
        ("presses with bookings made more than 3 days ahead", f"SELECT DISTINCT press_name FROM bookings JOIN presses USING (press_id) WHERE {_AHEAD} > 3 ORDER BY 1"),
        ("how many bookings are over 3 hours", f"SELECT COUNT(*) FROM bookings WHERE round({_HOURS}) > 3"),
        ("how many jobs were paid more than 30 days after delivery", f"SELECT COUNT(*) FROM jobs WHERE {_PAID} > 30"),
        ("presses without jobs paid more than 43 days after delivery", f"SELECT press_name FROM presses WHERE press_id NOT IN (SELECT press_id FROM jobs WHERE {_PAID} > 43)"),
        ("how many jobs were delivered more than 30 days before payment", f"SELECT COUNT(*) FROM jobs WHERE {_PAID} > 30"),
        ("how many jobs were paid within 14 days of delivery", f"SELECT COUNT(*) FROM jobs WHERE {_PAID} <= 14"),
        ("how many jobs were paid within 14 days of being delivered", f"SELECT COUNT(*) FROM jobs WHERE {_PAID} <= 14"),
        ("how many orders were shipped more than 2 days after ordering", "SELECT COUNT(DISTINCT order_id) FROM parcels JOIN orders USING (order_id) WHERE julianday(shipped_on) - julianday(ordered_at) > 2"),
        ("how many parcels were shipped more than 2 days after ordering", "SELECT COUNT(*) FROM parcels JOIN orders USING (order_id) WHERE julianday(shipped_on) - julianday(ordered_at) > 2"),
        ("how many inks are expiring within 90 days", "SELECT COUNT(*) FROM inks WHERE expires_on >= '2026-03-10' AND expires_on < '2026-06-09'"),
        ("how many inks expire in 30 days", "SELECT COUNT(*) FROM inks WHERE expires_on >= '2026-03-10' AND expires_on < '2026-04-10'"),
        ("how many leases end within 60 days", "SELECT COUNT(*) FROM leases WHERE end_date >= '2026-03-10' AND end_date < '2026-05-10'"),
        ("how many leases ending in 30 days", "SELECT COUNT(*) FROM leases WHERE end_date >= '2026-03-10' AND end_date < '2026-04-10'"),
        ("how many inks expire within 300 days of being received", "SELECT COUNT(*) FROM inks WHERE julianday(expires_on) - julianday(received_on) <= 300"),
    ],
)  # fmt: skip
def test_answered(studio, text, sql):
    assert_answered(studio, text, sql, TODAY)


def test_a_span_without_one_of_its_ends_is_a_draft(studio):
    first = understand("paid within 14 days of delivery", studio[1], TODAY)[1][0].frame
    assert "paid" in first.unused
    assert outcome(studio, "paid within 14 days of delivery", TODAY) is not Outcome.ANSWERED
