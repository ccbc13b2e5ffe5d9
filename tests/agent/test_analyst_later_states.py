"""Parcels that were shipped in a period: by their own time where there is one, else also those that went on from that state."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place, rows

TODAY = date(2026, 10, 31)

_PARCELS = """
CREATE TABLE senders (sender_id INTEGER PRIMARY KEY, sender_name TEXT);
CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, sender_id INTEGER REFERENCES senders (sender_id), booked_on DATE, {column} status TEXT, weight REAL);
INSERT INTO senders VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
INSERT INTO parcels SELECT i + 1, i % 3 + 1, date('2025-01-01', '+' || (i * 3) || ' days'), {value}
  CASE i % 5 WHEN 0 THEN 'pending' WHEN 1 THEN 'shipped' WHEN 2 THEN 'delivered' WHEN 3 THEN 'delivered' ELSE 'returned' END, i % 30 FROM n;
"""
_TIMED = "CASE WHEN i % 5 THEN datetime('2025-01-25', '+' || (i * 3) || ' days') END,"


@pytest.fixture(scope="module")
def plain():
    return place(_PARCELS.format(column="", value=""))


@pytest.fixture(scope="module")
def timed():
    return place(_PARCELS.format(column="shipped_at TIMESTAMP,", value=_TIMED))


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("parcels shipped in 2025", "SELECT COUNT(*) FROM parcels WHERE shipped_at LIKE '2025%'"),
        (
            "parcels shipped this year vs last year",
            "SELECT substr(shipped_at, 1, 4), COUNT(*) FROM parcels WHERE shipped_at IS NOT NULL GROUP BY 1",
        ),
    ],
)
def test_a_deed_in_a_period_goes_by_its_own_time(timed, text, sql):
    assert_answered(timed, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("parcels shipped in 2025", "SELECT COUNT(*) FROM parcels WHERE status IN ({}) AND booked_on LIKE '2025%'"),
        (
            "how many parcels were shipped this year",
            "SELECT COUNT(*) FROM parcels WHERE status IN ({}) AND booked_on LIKE '2026%'",
        ),
        (
            "parcels shipped this year vs last year",
            "SELECT substr(booked_on, 1, 4), COUNT(*) FROM parcels WHERE status IN ({}) GROUP BY 1",
        ),
    ],
)  # fmt: skip
def test_without_such_a_time_rows_that_went_on_are_offered_first(plain, text, sql):
    frames = understand(text, plain[1], TODAY)[1]
    assert rows(plain, frames[0].sql) == rows(plain, sql.format("'shipped', 'delivered', 'returned'"))
    assert rows(plain, frames[1].sql) == rows(plain, sql.format("'shipped'"))
    assert outcome(plain, text, TODAY) is Outcome.AMBIGUOUS


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("shipped parcels", "status = 'shipped'"),
        ("shipped parcels in 2025", "status = 'shipped' AND booked_on LIKE '2025%'"),
        ("parcels delivered in 2025", "status = 'delivered' AND booked_on LIKE '2025%'"),
    ],
)
def test_a_state_that_is_or_that_ends_stays_one(plain, text, where):
    assert_answered(plain, text, f"SELECT COUNT(*) FROM parcels WHERE {where}", TODAY)
    assert outcome(plain, text, TODAY) is Outcome.ANSWERED
