"""Couriers: parcels that were ordered, due and delivered beside their bills, leases and covers that hold for a time, areas that riders know."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place

TODAY = date(2026, 6, 30)

COURIERS = """
CREATE TABLE riders (rider_id INTEGER PRIMARY KEY, rider_name TEXT, town TEXT);
CREATE TABLE areas (area_id INTEGER PRIMARY KEY, area_name TEXT);
CREATE TABLE rider_areas (rider_id INTEGER REFERENCES riders, area_id INTEGER REFERENCES areas, grade TEXT, PRIMARY KEY (rider_id, area_id));
CREATE TABLE shippers (shipper_id INTEGER PRIMARY KEY, shipper_name TEXT);
CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, label TEXT, shipper_id INTEGER REFERENCES shippers, rider_id INTEGER REFERENCES riders, ordered_on DATE, due_on DATE, delivered_on DATE, status TEXT);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, shipper_id INTEGER REFERENCES shippers, parcel_id INTEGER REFERENCES parcels, issued_on DATE, due_on DATE, paid_on DATE, fee NUMERIC);
CREATE TABLE depots (depot_id INTEGER PRIMARY KEY, depot_name TEXT, district TEXT);
CREATE TABLE leases (lease_id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES riders, depot_id INTEGER REFERENCES depots, valid_from DATE, valid_until DATE, rent NUMERIC, status TEXT);
CREATE TABLE covers (cover_id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES riders, insurer TEXT, premium NUMERIC, starts_on DATE, ends_on DATE);
CREATE TABLE bikes (bike_id INTEGER PRIMARY KEY, bike_name TEXT, rider_id INTEGER REFERENCES riders, sold_on DATE);
INSERT INTO riders VALUES (1, 'Ada', 'Ghent'), (2, 'Bo', 'Bruges'), (3, 'Cy', 'Ghent'), (4, 'Di', 'Lier'), (5, 'Eno', 'Lier');
INSERT INTO areas VALUES (1, 'Harbour'), (2, 'Old Town'), (3, 'Station');
INSERT INTO rider_areas VALUES (1, 1, 'new'), (1, 2, 'expert'), (2, 1, 'expert'), (3, 3, 'new'), (4, 2, 'new');
INSERT INTO shippers VALUES (1, 'Acorn'), (2, 'Birch'), (3, 'Cedar');
INSERT INTO depots VALUES (1, 'Quay', 'North'), (2, 'Yard', 'South'), (3, 'Loft', 'North');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 179)
INSERT INTO parcels SELECT i + 1, 'Box ' || (i + 1), i % 3 + 1, i % 5 + 1, date('2025-01-01', '+' || (i * 3) || ' days'), date('2025-01-05', '+' || (i * 3) || ' days'),
  CASE WHEN i % 6 < 4 THEN date('2025-01-02', '+' || (i * 3 + i % 7) || ' days') END, CASE i % 6 WHEN 4 THEN 'ordered' WHEN 5 THEN 'cancelled' ELSE 'delivered' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 89)
INSERT INTO bills SELECT i + 1, i % 3 + 1, i + 1, date('2025-01-10', '+' || (i * 3) || ' days'), date('2025-02-10', '+' || (i * 3) || ' days'),
  CASE WHEN i % 4 THEN date('2025-01-25', '+' || (i * 3 + i % 20) || ' days') END, 20 + i % 30 FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
INSERT INTO leases SELECT i + 1, i % 5 + 1, i % 3 + 1, date('2024-01-15', '+' || (i * 25) || ' days'), CASE WHEN i % 8 THEN date('2024-09-15', '+' || (i * 25) || ' days') END,
  100 + i, CASE WHEN i % 9 = 4 THEN 'cancelled' WHEN i < 20 THEN 'ended' ELSE 'active' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
INSERT INTO covers SELECT i + 1, i % 5 + 1, CASE i % 2 WHEN 0 THEN 'Atlas' ELSE 'Borea' END, 200 + i, date('2024-02-01', '+' || (i * 30) || ' days'), date('2025-01-31', '+' || (i * 30) || ' days') FROM n;
INSERT INTO bikes VALUES (1, 'Arrow', 1, NULL), (2, 'Bolt', 2, '2025-03-01'), (3, 'Comet', 3, NULL), (4, 'Dash', 4, '2026-02-01'), (5, 'Ember', 5, NULL), (6, 'Flash', 1, NULL);
"""


@pytest.fixture(scope="module")
def couriers():
    return place(COURIERS)


_RIDERS_AREAS = "FROM riders LEFT JOIN rider_areas USING (rider_id) LEFT JOIN areas USING (area_id)"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("riders and their areas", f"SELECT rider_name, area_name {_RIDERS_AREAS}"),
        ("areas with their riders", "SELECT area_name, rider_name FROM areas LEFT JOIN rider_areas USING (area_id) LEFT JOIN riders USING (rider_id)"),
        ("riders with their areas and grade", f"SELECT rider_name, area_name, grade {_RIDERS_AREAS}"),
        ("number of riders per area", "SELECT area_name, COUNT(*) FROM rider_areas JOIN areas USING (area_id) GROUP BY 1"),
    ],
)  # fmt: skip
def test_things_of_a_link_with_more_columns_are_told_by_name(couriers, text, sql):
    assert_answered(couriers, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("parcels per by", "by"),
        ("fees of bills per", "per"),
        ("total fee and their status", "status"),
        ("name of the bill is Acorn", "name of"),
    ],
)
def test_words_that_nothing_comes_of_are_a_draft_that_names_them(couriers, text, word):
    made = analysed(couriers, text, TODAY)
    assert made.outcome()[0] is not Outcome.ANSWERED and word in made.unused


def test_groups_and_names_that_there_are_stay_answers(couriers):
    assert outcome(couriers, "parcels per status", TODAY) is Outcome.ANSWERED
    assert outcome(couriers, "names of the shippers", TODAY) is Outcome.ANSWERED
    assert outcome(couriers, "riders with their town", TODAY) is Outcome.ANSWERED
