"""An airfield: deeds beside a year of building, contracts by two days and a state, sums in cents of two currencies."""

from __future__ import annotations

from datetime import date

import pytest

from tests.agent.places import assert_answered, place

TODAY = date(2026, 10, 31)

AIRFIELD = """
CREATE TABLE pilots (pilot_id INTEGER PRIMARY KEY, pilot_name TEXT);
CREATE TABLE gliders (glider_id INTEGER PRIMARY KEY, glider_name TEXT, pilot_id INTEGER REFERENCES pilots, built_year INTEGER);
CREATE TABLE inspections (inspection_id INTEGER PRIMARY KEY, glider_id INTEGER REFERENCES gliders, opened_on DATE, cost REAL, state TEXT);
CREATE TABLE hangar_contracts (contract_id INTEGER PRIMARY KEY, glider_id INTEGER REFERENCES gliders, valid_from DATE, valid_until DATE, rent REAL, status TEXT);
CREATE TABLE insurance_policies (policy_id INTEGER PRIMARY KEY, glider_id INTEGER REFERENCES gliders, insurer TEXT, premium REAL, starts_on DATE, ends_on DATE);
INSERT INTO pilots VALUES (1, 'Ida Moor'), (2, 'Jon Vale'), (3, 'Kim Rook');
INSERT INTO gliders VALUES (1, 'Astir', 2, 2015), (2, 'Bocian', 3, 2016), (3, 'Cirrus', 1, 2017), (4, 'Discus', 2, 2018), (5, 'Elan', 3, 2019), (6, 'Foka', 1, 2020),
  (7, 'Geier', 2, 2021), (8, 'Hornet', 3, 2022), (9, 'Ikarus', 1, 2023), (10, 'Junior', 2, 2024), (11, 'Kestrel', 3, 2025), (12, 'Libelle', 1, 2026);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO inspections SELECT i + 1, i * 7 % 11 + 1, date('2024-06-01', '+' || (i * 14) || ' days'), 40 + i * 13 % 90, CASE i % 3 WHEN 0 THEN 'done' WHEN 1 THEN 'open' ELSE 'planned' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO hangar_contracts SELECT i + 1, i % 12 + 1, date('2024-01-01', '+' || (i * 29) || ' days'), CASE WHEN i % 6 THEN date('2024-12-15', '+' || (i * 29) || ' days') END,
  100 + i * 7 % 60, CASE i % 3 WHEN 0 THEN 'active' WHEN 1 THEN 'ended' ELSE 'draft' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO insurance_policies SELECT i + 1, i % 12 + 1, CASE i % 2 WHEN 0 THEN 'Alba' ELSE 'Corvus' END, 300 + i, date('2024-02-01', '+' || (i * 37) || ' days'), date('2025-01-31', '+' || (i * 37) || ' days') FROM n;
DELETE FROM inspections WHERE glider_id IN (3, 5) AND opened_on >= '2026-01-01';
"""


@pytest.fixture(scope="module")
def airfield():
    return place(AIRFIELD)


_IN = "SELECT glider_id FROM inspections WHERE opened_on LIKE '{}%'"


@pytest.mark.parametrize(
    "text",
    [
        "gliders inspected in 2025 but not in 2026",
        "which gliders were inspected in 2025 but not in 2026",
        "gliders inspected in 2025 and not inspected in 2026",
    ],
)
def test_a_denied_period_behind_a_deed_is_of_the_deed(airfield, text):
    gold = f"SELECT glider_name FROM gliders WHERE glider_id IN ({_IN.format(2025)}) AND glider_id NOT IN ({_IN.format(2026)})"
    assert_answered(airfield, text, gold, TODAY)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("gliders inspected in 2025 and 2026", "opened_on >= '2025-01-01' AND opened_on < '2027-01-01'"),
        ("gliders inspected per year", "1"),
    ],
)
def test_a_deed_by_year_goes_by_its_own_time_and_not_by_the_year_of_building(airfield, text, where):
    gold = f"SELECT strftime('%Y', opened_on), COUNT(DISTINCT glider_id) FROM inspections WHERE {where} GROUP BY 1"
    assert_answered(airfield, text, gold, TODAY)


def test_a_year_of_building_that_is_named_stays_one(airfield):
    gold = "SELECT built_year, COUNT(*) FROM gliders WHERE built_year IN (2019, 2020) GROUP BY 1"
    assert_answered(airfield, "gliders built in 2019 and 2020", gold, TODAY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("contracts ending next month", "hangar_contracts WHERE valid_until LIKE '2026-11%'"),
        ("contracts starting in january", "hangar_contracts WHERE valid_from LIKE '2026-01%'"),
        ("contracts that started in 2025", "hangar_contracts WHERE valid_from LIKE '2025%'"),
        (
            "how many contracts ended in 2025",
            "hangar_contracts WHERE valid_until LIKE '2025%' AND status = 'ended'",
        ),
        ("policies ending next month", "insurance_policies WHERE ends_on LIKE '2026-11%'"),
    ],
)
def test_a_verb_of_beginning_or_ending_is_of_the_rows_it_is_said_of(airfield, text, sql):
    assert_answered(airfield, text, f"SELECT COUNT(*) FROM {sql}", TODAY)
