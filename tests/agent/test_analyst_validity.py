"""An insurer of boats: what is valid today has begun and is not over, and a day until when it is says more than that there is one."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 6, 1)

HARBOUR = """
CREATE TABLE quays (quay_id INTEGER PRIMARY KEY, quay_name TEXT NOT NULL);
CREATE TABLE owners (owner_id INTEGER PRIMARY KEY, owner_name TEXT NOT NULL, quay_id INTEGER NOT NULL REFERENCES quays, joined_on DATE NOT NULL, left_on DATE);
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, boat_name TEXT NOT NULL, owner_id INTEGER NOT NULL REFERENCES owners, insured_until DATE, scrapped_on DATE);
CREATE TABLE covers (cover_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, valid_from DATE NOT NULL, valid_until DATE, fee NUMERIC);
CREATE TABLE leases (lease_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, plan TEXT NOT NULL, started_on DATE NOT NULL, ends_on DATE);
INSERT INTO quays VALUES (1,'North'),(2,'South'),(3,'Old');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO owners SELECT i, 'Owner ' || i, CASE WHEN i <= 4 THEN 3 ELSE i % 2 + 1 END, date('2024-01-01', '+' || (i * 10) || ' days'), CASE WHEN i <= 4 THEN date('2026-01-05', '+' || i || ' days') WHEN i % 3 = 0 THEN date('2026-04-01', '+' || (i * 4) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
INSERT INTO boats SELECT i, 'Boat ' || i, i % 30 + 1, CASE WHEN i % 5 THEN date('2026-01-15', '+' || (i * 6) || ' days') END, CASE WHEN i % 7 = 0 THEN date('2026-03-01', '+' || (i * 3) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO covers SELECT i, i % 50 + 1, date('2025-01-15', '+' || (i * 9) || ' days'), CASE WHEN i % 4 THEN date('2025-11-15', '+' || (i * 9) || ' days') END, i % 9 + 10 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
INSERT INTO leases SELECT i, i % 50 + 1, CASE i % 2 WHEN 0 THEN 'day' ELSE 'night' END, date('2025-03-01', '+' || (i * 6) || ' days'), CASE WHEN i % 4 THEN date('2025-09-01', '+' || (i * 6) || ' days') END FROM n;
"""

_VALID = "valid_from <= '2026-06-01' AND (valid_until IS NULL OR valid_until >= '2026-06-01')"
_LEASED = "started_on <= '2026-06-01' AND (ends_on IS NULL OR ends_on >= '2026-06-01')"


@pytest.fixture(scope="module")
def harbour():
    return place(HARBOUR)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("active covers", f"SELECT COUNT(*) FROM covers WHERE {_VALID}"),
        ("how many current covers", f"SELECT COUNT(*) FROM covers WHERE {_VALID}"),
        ("boats with an active cover", f"SELECT boat_name FROM boats WHERE boat_id IN (SELECT boat_id FROM covers WHERE {_VALID})"),
        ("boats without an active cover", f"SELECT boat_name FROM boats WHERE boat_id NOT IN (SELECT boat_id FROM covers WHERE {_VALID})"),
        ("active leases", f"SELECT COUNT(*) FROM leases WHERE {_LEASED}"),
        ("active leases by plan", f"SELECT plan, COUNT(*) FROM leases WHERE {_LEASED} GROUP BY plan"),
        ("covers per boat", f"SELECT boat_name, COUNT(*) FROM covers JOIN boats USING (boat_id) WHERE {_VALID} GROUP BY boat_id"),
    ],
)  # fmt: skip
def test_what_is_active_has_begun_and_is_not_over(harbour, text, sql):
    assert_answered(harbour, text, sql, TODAY)
    assert outcome(harbour, text, TODAY) is Outcome.ANSWERED


def test_what_is_open_need_not_have_begun(harbour):
    sql = "SELECT COUNT(*) FROM leases WHERE ends_on IS NULL OR ends_on >= '2026-06-01'"
    assert_answered(harbour, "open leases", sql, TODAY)
