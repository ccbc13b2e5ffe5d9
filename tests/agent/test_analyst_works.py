"""A workshop that hires out machines: open tickets, overdue bills, failed payments, stops, both ends of dates."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2025, 11, 26)

WORKS = """
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, client_name TEXT, created_at TEXT);
CREATE TABLE client_users (user_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients, created_at TEXT);
CREATE TABLE contracts (contract_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients, state TEXT, fee REAL, start_date TEXT, end_date TEXT);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients, billed_on TEXT, due_date TEXT, net REAL, state TEXT);
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, bill_id INTEGER REFERENCES bills, paid_at TEXT, amount REAL, outcome TEXT);
CREATE TABLE tickets (ticket_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients, topic TEXT, status TEXT, opened_at TEXT, closed_at TEXT, csat INTEGER);
CREATE TABLE machines (machine_id INTEGER PRIMARY KEY, machine_name TEXT, kind TEXT);
CREATE TABLE downtime (downtime_id INTEGER PRIMARY KEY, machine_id INTEGER REFERENCES machines, began_at TEXT, ended_at TEXT, planned TEXT, reason TEXT);
CREATE TABLE work_orders (work_order_no INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients, status TEXT, created_on TEXT, due_on TEXT, completed_on TEXT);
CREATE TABLE shipments (shipment_no INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients, shipped_on TEXT, goods_value REAL, freight REAL);
INSERT INTO machines VALUES (1, 'Lathe', 'CNC'), (2, 'Press', 'HYD');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO clients SELECT i, 'Firm ' || i, date('2024-01-01', '+' || (i * 20) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO client_users SELECT i, i % 30 + 1, date('2024-01-01', '+' || (i * 7) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO contracts SELECT i, i % 20 + 1, CASE i % 3 WHEN 0 THEN 'CAN' ELSE 'ACT' END, 10.0 * i, date('2024-01-01', '+' || (i * 9) || ' days'), CASE i % 3 WHEN 0 THEN date('2024-01-01', '+' || (i * 9 + 90 + i) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO bills SELECT i, i % 30 + 1, date('2025-01-01', '+' || i || ' days'), date('2025-01-31', '+' || i || ' days'), 5.0 * i, CASE WHEN i % 4 = 0 THEN 'OPEN' ELSE 'PAID' END FROM n;
INSERT INTO payments SELECT bill_id, bill_id, datetime(due_date, '-' || (bill_id % 9) || ' days', '+' || (bill_id % 24) || ' hours'), net, CASE WHEN bill_id % 10 = 1 THEN 'failed' ELSE 'ok' END FROM bills WHERE state = 'PAID';
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO tickets SELECT i, i % 30 + 1, CASE i % 3 WHEN 0 THEN 'billing' ELSE 'access' END, CASE WHEN i % 5 = 0 THEN 'open' ELSE 'closed' END, datetime('2025-01-20 09:00', '+' || i || ' days'), CASE WHEN i % 5 THEN datetime('2025-01-20 15:00', '+' || (i + i % 6) || ' days') END, CASE WHEN i % 2 THEN i % 5 + 1 END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
INSERT INTO downtime SELECT i, i % 2 + 1, datetime('2025-02-01 08:00', '+' || (i * 3) || ' days'), datetime('2025-02-01 08:00', '+' || (i * 3) || ' days', '+' || (30 + i) || ' minutes'), CASE i % 3 WHEN 0 THEN 'Y' ELSE 'N' END, CASE i % 2 WHEN 0 THEN 'OPER' ELSE 'TOOL' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO work_orders SELECT i, i % 30 + 1, CASE WHEN i % 7 = 0 THEN 'CAN' WHEN i % 5 = 0 THEN 'REL' ELSE 'CMP' END, date('2025-03-01', '+' || i || ' days'), date('2025-03-15', '+' || (i * 2) || ' days'), CASE WHEN i % 7 AND i % 5 THEN date('2025-03-12', '+' || (i * 2) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
INSERT INTO shipments SELECT i, i % 30 + 1, date('2025-01-05', '+' || (i * 2) || ' days'), 100.0 + i, 9.0 FROM n;
"""
HOURS = "SUM((julianday(ended_at) - julianday(began_at)) * 24)"
LATE = "due_on < '2025-11-26' AND completed_on IS NULL AND status <> 'CAN'"


@pytest.fixture(scope="module")
def works():
    return place(WORKS)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("how many tickets are still open after more than 30 days", "SELECT COUNT(*) FROM tickets WHERE status = 'open' AND opened_at < '2025-10-27'"),
        ("open tickets in march 2025", "SELECT COUNT(*) FROM tickets WHERE status = 'open' AND opened_at LIKE '2025-03%'"),
        ("tickets opened in march 2025", "SELECT COUNT(*) FROM tickets WHERE opened_at LIKE '2025-03%'"),
        ("tickets opened less than 2 weeks ago", "SELECT COUNT(*) FROM tickets WHERE opened_at >= '2025-11-12'"),
        ("csat per topic, at least 30 ratings", "SELECT topic, AVG(csat) FROM tickets GROUP BY 1 HAVING COUNT(csat) >= 30"),
        ("overdue bills", "SELECT COUNT(*) FROM bills WHERE state = 'OPEN' AND due_date < '2025-11-26'"),
        ("open bills that are past due - how many and how much", "SELECT COUNT(*), SUM(net) FROM bills WHERE state = 'OPEN' AND due_date < '2025-11-26'"),
        ("how many work orders are overdue", f"SELECT COUNT(*) FROM work_orders WHERE {LATE}"),
        ("which 3 clients paid us the most in 2025", "SELECT client_name, SUM(amount) FROM payments JOIN bills USING (bill_id) JOIN clients USING (client_id) WHERE outcome <> 'failed' AND paid_at LIKE '2025%' GROUP BY client_id ORDER BY 2 DESC LIMIT 3"),
        ("total payments received in q2 2025", "SELECT SUM(amount) FROM payments WHERE outcome <> 'failed' AND paid_at >= '2025-04-01' AND paid_at < '2025-07-01'"),
        ("total payments received per client", "SELECT client_name, SUM(amount) FROM payments JOIN bills USING (bill_id) JOIN clients USING (client_id) WHERE outcome <> 'failed' GROUP BY client_id"),
        ("new clients per month", "SELECT strftime('%Y-%m', created_at), COUNT(*) FROM clients GROUP BY 1"),
        ("cancellations in 2024", "SELECT COUNT(*) FROM contracts WHERE state = 'CAN' AND end_date LIKE '2024%'"),
        ("how long does a contract last on average before it is cancelled, in days?", "SELECT AVG(julianday(end_date) - julianday(start_date)) FROM contracts WHERE state = 'CAN'"),
        ("how many paying customers do we have right now", "SELECT COUNT(*) FROM clients WHERE client_id IN (SELECT client_id FROM contracts WHERE state = 'ACT')"),
        ("unplanned downtime hours per machine", f"SELECT machine_name, {HOURS} FROM downtime JOIN machines USING (machine_id) WHERE planned = 'N' GROUP BY 1"),
        ("shipped value by client", "SELECT client_name, SUM(goods_value) FROM shipments JOIN clients USING (client_id) GROUP BY client_id"),
        ("value shipped in q1 2025", "SELECT SUM(goods_value) FROM shipments WHERE shipped_on < '2025-04-01'"),
        ("first and last shipment date for each client", "SELECT client_name, MIN(shipped_on), MAX(shipped_on) FROM shipments JOIN clients USING (client_id) GROUP BY client_id"),
        ("WOs created in april 2025", "SELECT COUNT(*) FROM work_orders WHERE created_on LIKE '2025-04%'"),
        ("how many work orders did we complete in june 2025", "SELECT COUNT(*) FROM work_orders WHERE completed_on LIKE '2025-06%'"),
    ],
)  # fmt: skip
def test_a_question_is_understood(works, text: str, sql: str) -> None:
    assert_answered(works, text, sql, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "which operator causes the most downtime",
        "contract fees at the end of each month this year",
        "active contracts per month in 2025",
        "average csat per topic and number of opens",
        "share of work orders completed in 2025 without a shipment date",
        "first shipment date and last shipment date for each client",
    ],
)
def test_what_would_be_computed_otherwise_is_no_answer(works, text: str) -> None:
    assert outcome(works, text, TODAY) is not Outcome.ANSWERED
