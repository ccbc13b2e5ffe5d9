"""A question in other words has the answer of the plain one, and its neighbours keep theirs."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from tests.agent.places import place

TODAY = date(2026, 11, 29)

SHIPYARD = """
CREATE TABLE docks (dock_id INTEGER PRIMARY KEY, name TEXT, town TEXT, zone_to TEXT);
CREATE TABLE welders (welder_id INTEGER PRIMARY KEY, dock_id INTEGER REFERENCES docks(dock_id), first_name TEXT, last_name TEXT, role TEXT);
CREATE TABLE repairs (repair_id INTEGER PRIMARY KEY, dock_id INTEGER REFERENCES docks(dock_id), welder_id INTEGER REFERENCES welders(welder_id),
  repair_type TEXT, status TEXT, ordered_on DATE, due_on DATE, done_on DATE, started_at DATETIME, finished_at DATETIME, cost REAL);
INSERT INTO docks VALUES (1, 'North', 'Kiel', 'A'), (2, 'South', 'Oslo', 'B'), (3, 'West', 'Oslo', 'A'), (4, 'East', 'Bergen', 'B');
INSERT INTO welders VALUES (1, 1, 'Ada', 'Berg', 'welder'), (2, 2, 'Bo', 'Lund', 'welder'), (3, 2, 'Cy', 'Moe', 'foreman');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO repairs SELECT i, 1 + i % 3, 1 + i % 2, CASE i % 3 WHEN 0 THEN 'hull' WHEN 1 THEN 'engine' ELSE 'rudder' END,
  CASE i % 5 WHEN 0 THEN 'failed' WHEN 1 THEN 'cancelled' ELSE 'done' END, date('2025-01-01', (i * 5) || ' days'), date('2025-01-20', (i * 5) || ' days'),
  date('2025-01-10', (i * 5 + i % 20) || ' days'), datetime('2025-01-10 08:00', (i * 5 + i % 20) || ' days'), datetime('2025-01-10 09:10', (i * 5 + i % 20) || ' days', (i % 7) || ' hours'), 10 * i FROM n;
"""

TOOL_LIBRARY = """
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT, registered_on DATE, referred_by_client_id INTEGER REFERENCES clients(client_id));
CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, shop_name TEXT, main_shop_id INTEGER REFERENCES shops(shop_id));
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, bill_number TEXT, client_id INTEGER REFERENCES clients(client_id), issued_on DATE, due_on DATE, paid_on DATE, status TEXT,
  net_amount REAL, vat_amount REAL, total_amount REAL);
CREATE TABLE payouts (payout_id INTEGER PRIMARY KEY, payee_type TEXT, payee_ref INTEGER, net_amount REAL, created_on DATE, paid_on DATE);
INSERT INTO clients VALUES (1, 'Ann', 'Lee', 'Kiel', '2024-01-03', NULL), (2, 'Bob', 'Roe', 'Oslo', '2024-05-09', 1), (3, 'Cat', 'Poe', 'Oslo', '2025-02-01', 1), (4, 'Dan', 'Fox', 'Kiel', '2025-03-04', 2), (5, 'Eve', 'Ray', 'Kiel', '2026-03-04', NULL);
INSERT INTO shops VALUES (1, 'Harbour', NULL), (2, 'Hill', 1), (3, 'Lake', 1), (4, 'Wood', NULL), (5, 'Moor', 4);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
INSERT INTO bills SELECT i, 'B' || (1000 + i), 1 + i % 4, date('2025-01-01', (i * 6) || ' days'), date('2025-01-31', (i * 6) || ' days'), CASE WHEN i % 4 THEN date('2025-01-20', (i * 6 + i % 20) || ' days') END,
  CASE WHEN i % 10 = 3 THEN 'cancelled' WHEN i % 4 THEN 'paid' ELSE 'open' END, 10.0 * i, 2.0 * i, 12.0 * i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO payouts SELECT i, CASE i % 2 WHEN 0 THEN 'client' ELSE 'helper' END, i % 5, 7.0 * i, date('2025-02-01', (i * 7) || ' days'), CASE WHEN i % 3 THEN date('2025-02-05', (i * 8) || ' days') END FROM n;
"""


@pytest.fixture(scope="module")
def places():
    return {"shipyard": place(SHIPYARD), "tools": place(TOOL_LIBRARY)}


def first(places, name, text):
    frames = understand(text, places[name][1], TODAY)[1]
    assert frames, text
    return frames[0]


@pytest.mark.parametrize(
    ("name", "typed", "plain"),
    [
        ("shipyard", "docks with no fewer than 3 repairs", "docks with at least 3 repairs"),
        ("shipyard", "top 3 docks by repair cost, min 5 repairs", "top 3 docks by repair cost, at least 5 repairs"),
        ("shipyard", "number of repairs broken down by town", "number of repairs by town"),
        ("shipyard", "repair count by month, march 2025 to now", "repair count by month since march 2025"),
        ("shipyard", "number of repairs from January through May 2025", "number of repairs from January to May 2025"),
        ("shipyard", "repair cost for the first three months, 2026 against 2025", "repair cost january to march, 2026 vs 2025"),
        ("shipyard", "repairs by dock leaving cancelled repairs out", "repairs by dock excluding cancelled repairs"),
        ("shipyard", "mean duration of hull repairs (min)", "mean duration of hull repairs in minutes"),
        ("shipyard", "How many hours does a repair take on average for each dock?", "average duration of repair in hours for each dock"),
        ("shipyard", "average length of a repair in hours", "average duration of a repair in hours"),
        ("shipyard", "How many days pass on average between ordered and done, by town?", "average days between ordered and done, by town"),
        ("shipyard", "What percentage of repairs at each dock are late?", "share of repairs that are late by dock"),
        ("shipyard", "What proportion of repairs does each welder fail?", "share of repairs that are failed by welder"),
        ("shipyard", "failed repairs as % per dock", "share of failed repairs by dock"),
        ("shipyard", "late repair rate by town", "share of late repairs by town"),
        ("shipyard", "What percentage of repair cost comes from each dock?", "share of repair cost by dock"),
        ("shipyard", "At which of our docks did the most repairs take place during 2025?", "which dock has the most repairs in 2025"),
        ("shipyard", "name the dock with the highest number of repairs last year", "which dock has the most repairs last year"),
        ("shipyard", "hull repairs: average cost by dock", "average cost by dock for hull repairs"),
        ("shipyard", "failed repairs in 2025, count", "number of failed repairs in 2025"),
        ("shipyard", "cost for each type of repair", "cost by repair type"),
        ("shipyard", "repairs per dock, highest count first", "repairs per dock, most first"),
        ("shipyard", "How much did we spend on repairs from January to May 2026, compared with the same months last year?", "repair spend from January to May 2026 compared with the same months last year"),
        ("shipyard", "How many days on average did it take during 2025 to get a repair done after it was ordered, for each town?", "average days from ordered to done for repairs for each town during 2025"),
        ("shipyard", "Which is our most expensive dock in 2026 in terms of total repair cost?", "dock with the highest repair cost in 2026"),
        ("shipyard", "For each town, what proportion of repairs were late?", "what proportion of repairs were late by town"),
        ("shipyard", "monthly proportion of hull repairs that were late, this year", "share of hull repairs that were late by month this year"),
        ("shipyard", "repair cost per dock, highest two only, without failed repairs", "repair cost per dock, without failed repairs, top 2"),
        ("shipyard", "repairs due before xmas", "repairs due before 25 december"),
        ("shipyard", "repairs due before 25 December this year", "repairs due before 25 December"),
        ("tools", "Which bills are overdue? Show bill number, due date and city.", "which bills are overdue: bill number, due date, city"),
        ("tools", "bill number / due date, unpaid bills", "unpaid bills: bill number, due date"),
        ("tools", "unpaid helper payouts, total amount", "unpaid amount of helper payouts"),
        ("tools", "What is the sum of payouts to helpers that we have not paid yet?", "unpaid amount of payouts to helpers"),
        ("tools", "overdue bills > 400 incl. client", "list overdue bills more than 400 incl. client"),
        ("tools", "how many people have created an account with us in 2025", "how many people signed up in 2025"),
        ("shipyard", "average cost for each repair type (hull, engine, ...)", "average cost by repair type"),
        ("tools", "How long does it take on average, in days, for a payout to be paid after it has been created?", "average days from created to paid for payouts"),
        ("tools", "helper payouts: avg days created to paid", "average days from created to paid for helper payouts"),
        ("tools", "bill total including VAT in 2025 without cancelled bills", "bill total incl. vat in 2025 without cancelled bills"),
        ("tools", "total of all bills past their due date and still unpaid", "total of all bills overdue"),
        ("tools", "Which overdue bills are for more than 400, and who is the client for each?", "list overdue bills more than 400 with the client"),
        ("tools", "customer acquisition by month during 2025", "new customers by month in 2025"),
        ("tools", "Which client has sent us the highest number of new clients by referral?", "which client has referred the most clients"),
        ("tools", "client with the most referrals", "which client has referred the most clients"),
        ("tools", "top referrer by number of clients referred", "which client has referred the most clients"),
        ("tools", "number of branches per shop, only those that have any", "which shops have branches and how many each"),
        ("tools", "the shops with branches, along with the number of branches for each", "which shops have branches and how many each"),
        ("tools", "main shops and their branch count", "which shops have branches and how many each"),
    ],
)  # fmt: skip
def test_another_wording_is_read_as_the_plain_one(places, name, typed, plain):
    said = first(places, name, typed)
    assert not said.frame.unused
    assert said.sql == first(places, name, plain).sql


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("shipyard", "minimum cost by dock", "MIN("),
        ("shipyard", "repairs by town", "docks.town"),
        ("shipyard", "share of repairs by dock", "OVER ()"),
        ("tools", "net amount of overdue bills", "net_amount"),
        ("tools", "net billed excluding cancelled bills", "net_amount"),
        ("tools", "how much is overdue excluding cancelled bills", "total_amount"),
        ("tools", "amount paid to clients in payouts", "payee_type"),
    ],
)
def test_a_neighbour_stays_as_it_is(places, name, text, part):
    assert part in first(places, name, text).sql


def test_a_period_behind_a_share_bounds_its_whole(places):
    sql = first(places, "shipyard", "monthly share of hull repairs that were late, this year").sql
    assert "WHERE" in sql and "2026-01-01" in sql.split("WHERE")[1]


def test_rows_without_a_day_of_payment_were_not_paid_late(places):
    said = understand("unpaid bills paid after the due date", places["tools"][1], TODAY)[1]
    assert not any("paid_on > " in one.sql and "paid_on IS NULL" in one.sql for one in said)
