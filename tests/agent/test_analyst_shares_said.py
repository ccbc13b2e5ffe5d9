"""A laundry: what is overdue, shares by why something came to be so, words that describe a noun, rows that never got their time."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 3, 10)

LAUNDRY = """
CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, branch_name TEXT);
CREATE TABLE guests (guest_id INTEGER PRIMARY KEY, guest_name TEXT, origin TEXT, joined_on TEXT);
CREATE TABLE bill_statuses (status_no INTEGER PRIMARY KEY, label TEXT);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guests, branch_id INTEGER REFERENCES branches, issued_on TEXT, due_on TEXT, status_no INTEGER REFERENCES bill_statuses, total REAL);
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, bill_id INTEGER REFERENCES bills, paid_on TEXT, amount REAL);
CREATE TABLE pickups (pickup_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guests, branch_id INTEGER REFERENCES branches, starts_at TEXT, status TEXT, cancel_reason TEXT);
CREATE TABLE deliveries (delivery_id INTEGER PRIMARY KEY, pickup_id INTEGER REFERENCES pickups, shipped_on TEXT, delivered_on TEXT, status TEXT);
INSERT INTO branches VALUES (1, 'Harbour'), (2, 'Hill'), (3, 'Station');
INSERT INTO bill_statuses VALUES (1, 'draft'), (2, 'paid'), (3, 'overdue'), (4, 'void');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO guests SELECT i, 'Guest ' || i, CASE i % 4 WHEN 0 THEN 'referral' WHEN 1 THEN 'website' ELSE 'flyer' END, date('2024-01-01', '+' || (i * 15) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO bills SELECT i, i % 40 + 1, i % 3 + 1, date('2024-01-02', '+' || (i * 2) || ' days'), date('2024-01-16', '+' || (i * 2) || ' days'), CASE WHEN i % 10 = 0 THEN 3 WHEN i % 17 = 0 THEN 4 ELSE 2 END, 10 + i % 13 FROM n;
INSERT INTO payments SELECT bill_id, bill_id, date(due_on, (bill_id % 9 - 5) || ' days'), total FROM bills WHERE status_no = 2;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO pickups SELECT i, i % 40 + 1, i % 3 + 1, date('2024-01-02', '+' || (i * 2) || ' days') || ' 09:00:00', CASE WHEN i % 5 = 0 THEN 'cancelled' ELSE 'done' END, CASE WHEN i % 5 <> 0 THEN NULL WHEN i % 15 = 0 THEN 'Weather' WHEN i % 20 = 0 THEN 'Illness' ELSE 'Holiday' END FROM n;
INSERT INTO deliveries SELECT pickup_id, pickup_id, date(starts_at, '+1 days'), CASE WHEN pickup_id % 120 <> 0 THEN date(starts_at, '+3 days') END, CASE WHEN pickup_id % 120 = 0 THEN 'lost' ELSE 'delivered' END FROM pickups;
"""

UNLISTED = """
CREATE TABLE tenants (tenant_id INTEGER PRIMARY KEY, tenant_name TEXT);
CREATE TABLE invoices (invoice_id INTEGER PRIMARY KEY, tenant_id INTEGER REFERENCES tenants, issued_on TEXT, due_on TEXT, total REAL);
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, invoice_id INTEGER REFERENCES invoices, paid_on TEXT, amount REAL);
INSERT INTO tenants VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO invoices SELECT i, i % 3 + 1, date('2025-01-02', '+' || (i * 2) || ' days'), date('2025-01-30', '+' || (i * 2) || ' days'), 10 + i % 13 FROM n;
INSERT INTO payments SELECT invoice_id, invoice_id, date(due_on, (invoice_id % 9 - 5) || ' days'), total FROM invoices WHERE invoice_id % 8 <> 0 AND invoice_id < 170;
"""

OVERDUE = "SELECT bill_id FROM bills JOIN bill_statuses USING (status_no) WHERE label = 'overdue'"


@pytest.fixture(scope="module")
def laundry():
    return place(LAUNDRY)


@pytest.fixture(scope="module")
def unlisted():
    return place(UNLISTED)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("overdue bills", f"SELECT COUNT(*) FROM ({OVERDUE})"),
        ("bills with status overdue", f"SELECT COUNT(*) FROM ({OVERDUE})"),
        ("how many bills are not overdue", f"SELECT COUNT(*) FROM bills WHERE bill_id NOT IN ({OVERDUE})"),
        ("overdue amount per branch", f"SELECT branch_name, SUM(total) FROM bills JOIN branches USING (branch_id) WHERE bill_id IN ({OVERDUE}) GROUP BY 1"),
        ("overdue payments", f"SELECT COUNT(*) FROM ({OVERDUE})"),
        ("late payments", "SELECT COUNT(*) FROM payments JOIN bills USING (bill_id) WHERE paid_on > due_on"),
        ("share of pickups cancelled by reason", "SELECT cancel_reason, COUNT(*) * 100.0 / 80 FROM pickups WHERE status = 'cancelled' GROUP BY 1"),
        ("percent of cancellations because of illness", "SELECT 100.0 * COUNT(*) / 80 FROM pickups WHERE cancel_reason = 'Illness'"),
        ("share of pickups cancelled by branch", "SELECT branch_name, 100.0 * AVG(status = 'cancelled') FROM pickups JOIN branches USING (branch_id) GROUP BY 1"),
        ("share of guests that came by referral", "SELECT 100.0 * 10 / 40"),
        ("share of pickups that were cancelled in 2025", "SELECT 100.0 * AVG(status = 'cancelled') FROM pickups WHERE starts_at LIKE '2025%'"),
        ("share of guests who joined in 2025", "SELECT 100.0 * AVG(joined_on LIKE '2025%') FROM guests"),
        ("deliveries lost in 2025", "SELECT COUNT(*) FROM deliveries WHERE status = 'lost' AND shipped_on LIKE '2025%'"),
        ("deliveries in 2025", "SELECT COUNT(*) FROM deliveries WHERE delivered_on LIKE '2025%'"),
    ],
)  # fmt: skip
def test_answered(laundry, text, sql):
    assert outcome(laundry, text, TODAY) is Outcome.ANSWERED
    assert_answered(laundry, text, sql, TODAY)


@pytest.mark.parametrize("text", ["full branches", "branches full", "key guests", "how many full pickups"])
def test_a_word_that_describes_a_noun_is_not_swallowed(laundry, text):
    assert outcome(laundry, text, TODAY) is not Outcome.ANSWERED
    assert {"full", "key"} & {*understand(text, laundry[1], TODAY)[1][0].frame.unused}


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("overdue invoices", "SELECT COUNT(*) FROM invoices WHERE due_on < '2026-03-10' AND invoice_id NOT IN (SELECT invoice_id FROM payments)"),
        ("overdue amount by tenant", "SELECT tenant_name, SUM(total) FROM invoices JOIN tenants USING (tenant_id) WHERE due_on < '2026-03-10' AND invoice_id NOT IN (SELECT invoice_id FROM payments) GROUP BY 1"),
    ],
)  # fmt: skip
def test_what_no_payment_was_made_of_is_overdue_where_no_state_says_so(unlisted, text, sql):
    assert_answered(unlisted, text, sql, TODAY)
