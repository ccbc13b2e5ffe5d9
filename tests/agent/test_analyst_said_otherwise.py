"""The same question in another order of words, and in other words for the same: tow trucks and a clinic for instruments."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.said_otherwise import said_otherwise
from tests.agent.places import Place, assert_answered, place

TODAY = date(2026, 10, 15)


@pytest.fixture(scope="module")
def towing() -> Place:
    return place("""
        CREATE TABLE depots (depot_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
        CREATE TABLE drivers (driver_id INTEGER PRIMARY KEY, name TEXT NOT NULL, depot_id INTEGER NOT NULL REFERENCES depots, supervisor_id INTEGER REFERENCES drivers(driver_id), left_on DATE);
        CREATE TABLE licences (licence_id INTEGER PRIMARY KEY, driver_id INTEGER NOT NULL REFERENCES drivers, kind TEXT NOT NULL, expires_on DATE NOT NULL);
        CREATE TABLE trucks (truck_id INTEGER PRIMARY KEY, plate TEXT NOT NULL, manufacturer TEXT NOT NULL, depot_id INTEGER NOT NULL REFERENCES depots, installed_on DATE NOT NULL);
        CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
        CREATE TABLE contracts (contract_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, plan TEXT NOT NULL, monthly_fee REAL NOT NULL, signed_on DATE NOT NULL, status TEXT NOT NULL);
        CREATE TABLE tows (tow_id INTEGER PRIMARY KEY, truck_id INTEGER NOT NULL REFERENCES trucks, driver_id INTEGER NOT NULL REFERENCES drivers, customer_id INTEGER NOT NULL REFERENCES customers,
            reported_at DATETIME NOT NULL, arrived_at DATETIME, resolved_at DATETIME, cause TEXT NOT NULL);
        CREATE TABLE invoices (invoice_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, issued_on DATE NOT NULL, due_on DATE NOT NULL, paid_on DATE, amount REAL NOT NULL);
        CREATE TABLE spares (spare_id INTEGER PRIMARY KEY, name TEXT NOT NULL, stock_on_hand INTEGER NOT NULL, reorder_level INTEGER NOT NULL);
        CREATE TABLE charges (charge_id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL REFERENCES invoices, charge_type TEXT NOT NULL, amount REAL NOT NULL);
        INSERT INTO charges VALUES (1,1,'storage',40),(2,1,'towing',60),(3,2,'towing',150),(4,3,'storage',100),(5,3,'towing',300),(6,4,'towing',900),(7,5,'towing',50);
        INSERT INTO depots VALUES (1,'North','Oslo'),(2,'South','Moss');
        INSERT INTO drivers VALUES (1,'Ada',1,NULL,NULL),(2,'Bo',1,1,NULL),(3,'Cy',2,1,NULL),(4,'Di',2,1,'2025-04-01'),(5,'Ed',2,3,NULL);
        INSERT INTO licences VALUES (1,1,'heavy load','2026-01-31'),(2,2,'heavy load','2027-05-31'),(3,4,'heavy load','2025-05-31'),(4,5,'crane','2026-02-28');
        INSERT INTO trucks VALUES (1,'AA 1','Volvo',1,'2018-02-01'),(2,'AA 2','Scania',1,'2015-06-01'),(3,'AA 3','Volvo',2,'2020-09-01');
        INSERT INTO customers VALUES (1,'Fjord Taxi','a@x.no'),(2,'Gale Rentals',NULL),(3,'Hill Farm','c@x.no');
        INSERT INTO contracts VALUES (1,1,'basic',10,'2024-01-05','active'),(2,2,'full',30,'2024-02-05','active'),(3,3,'full',50,'2023-02-05','ended'),(4,3,'basic',14,'2025-02-05','active');
        INSERT INTO tows VALUES (1,1,1,1,'2026-07-03 08:00','2026-07-03 08:30','2026-07-03 10:00','flat tyre'),(2,2,1,2,'2026-08-04 09:00','2026-08-04 09:50','2026-08-05 09:00','no fault found'),
            (3,3,3,3,'2026-08-09 10:00','2026-08-09 10:10','2026-08-09 10:40','no fault found'),(4,3,5,1,'2026-09-01 07:00','2026-09-01 08:00','2026-09-01 09:00','dead battery'),
            (5,1,2,1,'2026-10-12 07:00','2026-10-12 08:00',NULL,'dead battery');
        INSERT INTO invoices VALUES (1,1,'2025-03-01','2025-03-31','2025-03-20',100),(2,1,'2026-03-01','2026-03-31',NULL,150),(3,2,'2026-05-01','2026-05-31',NULL,400),(4,3,'2026-10-01','2026-10-31',NULL,900),(5,2,'2026-02-01','2026-02-28','2026-03-09',50);
        INSERT INTO spares VALUES (1,'hook',2,5),(2,'rope',9,4),(3,'lamp',1,3);
    """)


@pytest.fixture(scope="module")
def clinic() -> Place:
    return place("""
        CREATE TABLE members (member_id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT, referred_by INTEGER REFERENCES members(member_id));
        CREATE TABLE instruments (instrument_id INTEGER PRIMARY KEY, name TEXT NOT NULL, brand TEXT NOT NULL, member_id INTEGER NOT NULL REFERENCES members);
        CREATE TABLE policies (policy_id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members, status TEXT NOT NULL, signed_on DATE NOT NULL);
        CREATE TABLE premiums (premium_id INTEGER PRIMARY KEY, policy_id INTEGER NOT NULL REFERENCES policies, invoiced_on DATE NOT NULL, amount REAL NOT NULL);
        CREATE TABLE claims (claim_id INTEGER PRIMARY KEY, policy_id INTEGER NOT NULL REFERENCES policies, reported_on DATE NOT NULL, closed_on DATE, status TEXT NOT NULL);
        CREATE TABLE claim_payments (payment_id INTEGER PRIMARY KEY, claim_id INTEGER NOT NULL REFERENCES claims, paid_on DATE NOT NULL, amount REAL NOT NULL);
        CREATE TABLE contacts (contact_id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members, contacted_on DATE NOT NULL, channel TEXT NOT NULL);
        INSERT INTO members VALUES (1,'Ada','1',NULL),(2,'Bo',NULL,1),(3,'Cy','3',1),(4,'Di','4',2);
        INSERT INTO instruments VALUES (1,'Cello','Holm',1),(2,'Viola','Holm',2),(3,'Flute','Berg',3);
        INSERT INTO policies VALUES (1,1,'active','2024-01-01'),(2,2,'active','2024-03-01'),(3,3,'cancelled','2024-02-01'),(4,4,'lapsed','2025-01-01');
        INSERT INTO premiums VALUES (1,1,'2025-02-01',100),(2,2,'2025-03-01',60),(3,1,'2026-02-01',150),(4,2,'2026-08-01',70),(5,1,'2025-09-01',10);
        INSERT INTO claims VALUES (1,1,'2025-05-01','2025-06-01','settled'),(2,2,'2026-01-05',NULL,'in progress'),(3,1,'2026-03-05',NULL,'open'),(4,2,'2026-10-05',NULL,'open'),(5,3,'2025-02-01','2025-03-01','rejected'),(6,3,'2024-02-01','2024-03-01','settled'),(7,1,'2025-07-01','2025-08-20','rejected');
        INSERT INTO claim_payments VALUES (1,1,'2025-06-01',500),(2,1,'2025-06-15',40),(3,6,'2024-03-02',80);
        INSERT INTO contacts VALUES (1,1,'2026-01-05','mail'),(2,1,'2026-02-05','mail'),(3,2,'2026-02-06','phone'),(4,1,'2026-03-01','phone'),(5,3,'2026-03-02','mail');
    """)


_Q3 = "resolved_at >= '2026-07-01' AND resolved_at < '2026-10-01'"
_OVERDUE = "paid_on IS NULL AND due_on < '2026-10-15'"
_LONGEST = "SELECT tow_id, reported_at, resolved_at FROM tows WHERE tow_id = 2"
_BELOW = "SELECT name FROM spares WHERE stock_on_hand < reorder_level"
_OF_ACTIVE = "SELECT plan, AVG(monthly_fee) FROM contracts WHERE status = 'active' GROUP BY 1"
_OWED = f"SELECT c.name, SUM(i.amount) FROM invoices i JOIN customers c USING (customer_id) WHERE {_OVERDUE} GROUP BY c.customer_id"
_NO_FAULT = "SELECT t.manufacturer, 100.0 * SUM(w.cause = 'no fault found') / COUNT(*) FROM tows w JOIN trucks t USING (truck_id) GROUP BY 1"


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("by depot: number of trucks", "SELECT d.name, COUNT(*) FROM trucks t JOIN depots d USING (depot_id) GROUP BY d.depot_id"),
        ("For every depot, how many trucks do we have?", "SELECT d.name, COUNT(*) FROM trucks t JOIN depots d USING (depot_id) GROUP BY d.depot_id"),
        ("for active contracts: mean monthly fee by plan", _OF_ACTIVE),
        ("for active contracts: mean fee per month by plan", _OF_ACTIVE),
        ("most tows resolved Jul-Sep 2026, driver", f"SELECT d.name, COUNT(*) FROM tows w JOIN drivers d USING (driver_id) WHERE {_Q3} GROUP BY d.driver_id ORDER BY 2 DESC LIMIT 1"),
        ("longest tow, reported to resolved", _LONGEST),
        ("show the tow with the longest time between report and repair", _LONGEST),
        ("avg arrival time (min) by driver", "SELECT d.name, AVG((julianday(arrived_at) - julianday(reported_at)) * 1440) FROM tows w JOIN drivers d USING (driver_id) WHERE arrived_at IS NOT NULL GROUP BY d.driver_id"),
        ("which spares have fallen below their reorder level?", _BELOW),
        ("show me the spares where stock is under the reorder point", _BELOW),
        ("Which two customers owe us the most in overdue invoices, and how much each?", _OWED),
        ("list the 2 customers with the largest sum of unpaid invoices past due, biggest first", _OWED),
        ("sum of invoices that are past their due date", f"SELECT SUM(amount) FROM invoices WHERE {_OVERDUE}"),
        ("For every truck make, what percentage of all tows ended with no fault found?", _NO_FAULT),
        ("% NFF (no fault found) of tows by manufacturer", _NO_FAULT),
        ("tows by make", "SELECT t.manufacturer, COUNT(*) FROM tows w JOIN trucks t USING (truck_id) GROUP BY 1"),
        ("current team size per supervisor", "SELECT s.name, COUNT(*) FROM drivers d JOIN drivers s ON s.driver_id = d.supervisor_id WHERE d.left_on IS NULL GROUP BY s.driver_id"),
        ("Ada's team", "SELECT name FROM drivers WHERE supervisor_id = 1"),
        ("which drivers have Ada as their boss", "SELECT name FROM drivers WHERE supervisor_id = 1"),
        ("count customers email missing", "SELECT COUNT(*) FROM customers WHERE email IS NULL"),
        ("customers with missing email", "SELECT name FROM customers WHERE email IS NULL"),
        ("storage charges invoiced by year", "SELECT strftime('%Y', issued_on), SUM(c.amount) FROM charges c JOIN invoices USING (invoice_id) WHERE charge_type = 'storage' GROUP BY 1"),
        ("how many invoices are outstanding", "SELECT COUNT(*) FROM invoices WHERE paid_on IS NULL"),
        ("outstanding receivables", "SELECT SUM(amount) FROM invoices WHERE paid_on IS NULL"),
        ("overdue receivables", f"SELECT SUM(amount) FROM invoices WHERE {_OVERDUE}"),
        ("number of customers covered by a contract", "SELECT COUNT(DISTINCT customer_id) FROM contracts WHERE status = 'active'"),
        ("drivers whose licence for heavy load has run out", "SELECT DISTINCT name FROM drivers JOIN licences USING (driver_id) WHERE kind = 'heavy load' AND expires_on < '2026-10-15'"),
    ],
)  # fmt: skip
def test_a_question_about_tows_is_understood_in_other_words(towing: Place, text: str, gold: str) -> None:
    assert_answered(towing, text, gold, TODAY)


_LATE = "SELECT COUNT(*) FROM claims WHERE closed_on IS NULL AND reported_on < '2026-07-17'"
_REJECTED = "SELECT strftime('%Y', closed_on), 100.0 * SUM(status = 'rejected') / COUNT(*) FROM claims WHERE closed_on IS NOT NULL GROUP BY 1"


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("count live policies", "SELECT COUNT(*) FROM policies WHERE status = 'active'"),
        ("how many policies are in force", "SELECT COUNT(*) FROM policies WHERE status = 'active'"),
        ("number of claims open longer than 90 days", _LATE),
        ("how many claims were reported more than 90 days ago and have not been closed yet", _LATE),
        ("claim payments vs premium amount 2025", "SELECT (SELECT SUM(amount) FROM claim_payments WHERE paid_on LIKE '2025%'), (SELECT SUM(amount) FROM premiums WHERE invoiced_on LIKE '2025%')"),
        ("per year: share of rejected claims among closed ones, percent", _REJECTED),
        ("percentage of closed claims that were turned down by year", _REJECTED),
        ("customer contacts by channel", "SELECT channel, COUNT(*) FROM contacts GROUP BY 1"),
        ("instruments by make", "SELECT brand, COUNT(*) FROM instruments GROUP BY 1"),
        ("By what percentage did premium amount grow from the first half of 2025 to the first half of 2026?", "SELECT 100.0 * (150 - 160) / 160"),
        ("members by number of referrals, most", "SELECT 'Ada', 2"),
        ("contacts 2026 split mail / phone", "SELECT channel, COUNT(*) FROM contacts GROUP BY 1"),
        ("count members phone missing", "SELECT COUNT(*) FROM members WHERE phone IS NULL"),
    ],
)  # fmt: skip
def test_a_question_about_claims_is_understood_in_other_words(clinic: Place, text: str, gold: str) -> None:
    assert_answered(clinic, text, gold, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "number of tows by depot",
        "which customers have an invoice",
        "average monthly fee by plan",
        "revenue: 2025 vs 2026",
        "longest tow",
        "tows reported in 2026",
        "customers who owe us money",
    ],
)
def test_no_other_order_is_tried_of_what_has_none(text: str) -> None:
    wordings = list(said_otherwise(text))
    assert all(wording == "customers with an invoice" for wording in wordings)


def test_payments_that_are_counted_stay_a_number(clinic: Place) -> None:
    frames = understand("number of claim payments and premiums 2025", clinic[1], TODAY)[1]
    assert frames and all(one.agg == "rows" for one in frames[0].frame.measures)


def test_people_who_live_somewhere_are_no_active_people(towing: Place) -> None:
    frames = understand("customers who live in Oslo", towing[1], TODAY)[1]
    assert not frames or "active" not in frames[0].sql
