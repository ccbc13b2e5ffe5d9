"""Questions to a small help desk with contracts: active clients, unpaid invoices, unresolved tickets, earnings."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.sampler import Analysis
from sqlagent.values import Limits, Outcome
from tests.agent.places import place

DESK = """
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, client_name TEXT, town TEXT);
CREATE TABLE contracts (contract_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(client_id), status TEXT, monthly_fee REAL, started_on DATE);
CREATE TABLE logins (client_id INTEGER REFERENCES clients(client_id), login_month TEXT, active_users INTEGER, PRIMARY KEY (client_id, login_month));
CREATE TABLE invoices (invoice_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(client_id), issued_on DATE, paid_on DATE, total_amount REAL, status TEXT);
CREATE TABLE tickets (ticket_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(client_id), opened_on DATE, resolved_on DATE, status TEXT);
INSERT INTO clients VALUES (1,'Ash','Ulm'),(2,'Elm','Ulm'),(3,'Fir','Graz'),(4,'Yew','Graz');
INSERT INTO contracts VALUES (1,1,'active',10,'2024-01-05'),(2,1,'active',12,'2025-02-01'),(3,2,'ended',20,'2025-03-01'),(4,3,'active',15,'2023-03-01');
INSERT INTO logins VALUES (1,'2025-01',70),(1,'2025-02',75),(2,'2025-01',30),(3,'2025-02',41);
INSERT INTO invoices VALUES (1,1,'2025-01-31','2025-02-10',500,'paid'),(2,1,'2025-02-28',NULL,450,'open'),(3,2,'2025-03-31',NULL,90,'void'),(4,3,'2025-03-31',NULL,80,'refunded'),(5,3,'2025-04-30',NULL,70,'overdue'),(6,2,'2025-04-30','2025-05-02',300,'paid');
INSERT INTO tickets VALUES (1,1,'2025-01-01','2025-01-03','solved'),(2,1,'2025-02-01',NULL,'open'),(3,2,'2025-02-03',NULL,'pending'),(4,3,'2025-02-04',NULL,'on hold'),(5,3,'2025-02-04',NULL,'closed');
"""
DAY = date(2025, 6, 1)


@pytest.fixture(scope="module")
def desk():
    return place(DESK)


def rows_of(desk, understood):
    return sorted(tuple(row) for row in desk[0].execute(understood.sql, Limits()).rows)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("How many active clients do we have?", [(2,)]),
        ("How many active customers do we have?", [(2,)]),
        ("active clients", [("Ash",), ("Fir",)]),
        ("how many active clients by town", [("Graz", 1), ("Ulm", 1)]),
        ("total active users", [(216,)]),
        ("how many invoices are unpaid", [(2,)]),
        ("how many invoices are not paid yet", [(2,)]),
        ("how many unpaid invoices are void", [(1,)]),
        ("amount of unpaid invoices", [(520.0,)]),
        ("what was our revenue in 2025", [(1320.0,)]),
        ("what was our revenue in 2025, refunded ones included", [(1400.0,)]),
        ("total monthly fee", [(57.0,)]),
    ],
)
def test_what_a_desk_is_asked_is_an_answer(desk, text, wanted):
    reading, made = understand(text, desk[1], DAY)

    assert rows_of(desk, made[0]) == wanted
    assert Analysis(reading, tuple(made), (), True).outcome()[0] is Outcome.ANSWERED


@pytest.mark.parametrize(
    "text", ["How many tickets are still unresolved?", "how many tickets are still not resolved"]
)
def test_of_tickets_that_were_closed_without_a_day_somebody_has_to_say_whether_they_are_unresolved(
    desk, text
):
    reading, made = understand(text, desk[1], DAY)

    assert [rows_of(desk, one) for one in made[:2]] == [[(4,)], [(3,)]]
    assert Analysis(reading, tuple(made), (), True).outcome()[0] is Outcome.AMBIGUOUS
