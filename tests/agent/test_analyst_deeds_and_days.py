"""A yard that lends punts: deeds and how long they took, what is in force on a day, who did not do it, what is past its due date."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 10, 31)

YARD = """
CREATE TABLE caulkers (caulker_id INTEGER PRIMARY KEY, caulker_name TEXT);
CREATE TABLE punts (punt_id INTEGER PRIMARY KEY, punt_name TEXT, built_on DATE, scrapped_on DATE, insured_until DATE);
CREATE TABLE rentals (rental_id INTEGER PRIMARY KEY, punt_id INTEGER NOT NULL REFERENCES punts (punt_id), rented_on DATE NOT NULL, due_on DATE NOT NULL, returned_on DATE, status TEXT);
CREATE TABLE caulkings (caulking_id INTEGER PRIMARY KEY, punt_id INTEGER NOT NULL REFERENCES punts (punt_id), label TEXT, caulker_id INTEGER REFERENCES caulkers (caulker_id),
  checker_id INTEGER REFERENCES caulkers (caulker_id), started_on DATE NOT NULL, finished_on DATE);
CREATE TABLE covers (cover_id INTEGER PRIMARY KEY, punt_id INTEGER NOT NULL REFERENCES punts (punt_id), fee NUMERIC, starts_on DATE NOT NULL, ends_on DATE);
CREATE TABLE lessons (lesson_id INTEGER PRIMARY KEY, heading TEXT, starts_on DATE NOT NULL, finished_on DATE);
INSERT INTO caulkers VALUES (1, 'Ada Long'), (2, 'Bo Reed'), (3, 'Cy Hart');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
INSERT INTO punts SELECT i + 1, 'Punt ' || (i + 1), date('2020-01-01', '+' || (i * 20) || ' days'), CASE WHEN i % 4 = 0 THEN date('2026-01-01', '+' || (i * 9) || ' days') END, date('2026-06-01', '+' || (i * 15) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 159)
INSERT INTO rentals SELECT i + 1, i % 17 + 1, date('2025-01-01', '+' || (i * 4) || ' days'), date('2025-01-01', '+' || (i * 4 + 7) || ' days'),
  CASE WHEN i % 8 < 5 THEN date('2025-01-01', '+' || (i * 4 + 1 + i * 7 % 15) || ' days') END, CASE WHEN i % 8 < 5 THEN 'returned' WHEN i % 8 = 5 THEN 'cancelled' ELSE 'open' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
INSERT INTO caulkings SELECT i + 1, i % 13 + 1, 'Job ' || (i + 1), i % 3 + 1, (i / 2) % 3 + 1, date('2025-01-01', '+' || (i * 9) || ' days'), CASE WHEN i % 6 THEN date('2025-01-01', '+' || (i * 9 + i % 9) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
INSERT INTO covers SELECT i + 1, i % 19 + 1, 40 + i, date('2024-06-01', '+' || (i * 30) || ' days'), CASE WHEN i % 5 THEN date('2025-06-01', '+' || (i * 30) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 23)
INSERT INTO lessons SELECT i + 1, CASE i % 4 WHEN 0 THEN 'Run' WHEN 1 THEN 'Pole' WHEN 2 THEN 'Knots' ELSE 'Tides' END, date('2025-01-01', '+' || (i * 28) || ' days'), CASE WHEN i % 3 THEN date('2025-03-01', '+' || (i * 28) || ' days') END FROM n;
"""  # fmt: skip


@pytest.fixture(scope="module")
def yard():
    return place(YARD)


_PUNTS = "SELECT punt_name FROM punts WHERE punt_id IN (SELECT punt_id FROM {})"
_RENTALS = "SELECT COUNT(*) FROM rentals WHERE {}"
_COVERED = "SELECT punt_name FROM punts WHERE punt_id IN (SELECT punt_id FROM covers WHERE starts_on <= '{0}' AND (ends_on IS NULL OR ends_on >= '{0}'))"
_OVERDUE = "status <> 'cancelled' AND returned_on IS NULL AND due_on < '2026-10-31'"
_LONG_RENTALS = "rentals WHERE julianday(returned_on) - julianday(rented_on) > 10"


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("punts rented for more than 10 days", _PUNTS.format(_LONG_RENTALS)),
        ("punts rented longer than 10 days", _PUNTS.format(_LONG_RENTALS)),
        (
            "punts caulked for more than 5 days",
            _PUNTS.format("caulkings WHERE julianday(finished_on) - julianday(started_on) > 5"),
        ),
        (
            "rentals longer than 10 days",
            _RENTALS.format("julianday(returned_on) - julianday(rented_on) > 10"),
        ),
        ("punts covered today", _COVERED.format("2026-10-31")),
        ("punts covered on 1 June 2026", _COVERED.format("2026-06-01")),
        ("punts with a cover starting on 1 June 2025", _PUNTS.format("covers WHERE starts_on = '2025-06-01'")),
        ("punts rented on 17 January 2025", _PUNTS.format("rentals WHERE rented_on = '2025-01-17'")),
        (
            "lessons active on 1 September 2026",
            "SELECT COUNT(*) FROM lessons WHERE starts_on <= '2026-09-01' AND (finished_on IS NULL OR finished_on >= '2026-09-01')",
        ),
        ("rentals past due date", _RENTALS.format(_OVERDUE)),
        ("rentals past their due date", _RENTALS.format(_OVERDUE)),
        ("rentals returned past due date", _RENTALS.format("returned_on > due_on")),
        ("past rentals", _RENTALS.format("returned_on IS NOT NULL")),
        ("cancelled rentals", _RENTALS.format("status = 'cancelled'")),
        ("rentals returned on time", _RENTALS.format("returned_on <= due_on")),
        ("rentals not returned on time", _RENTALS.format("returned_on > due_on")),
        (
            "share of rentals returned on time",
            "SELECT 100.0 * SUM(returned_on <= due_on) / COUNT(*) FROM rentals WHERE returned_on IS NOT NULL",
        ),
        ("caulkings not checked by Ada Long", "SELECT COUNT(*) FROM caulkings WHERE checker_id <> 1"),
        ("caulkings checked by Ada Long", "SELECT COUNT(*) FROM caulkings WHERE checker_id = 1"),
    ],
)  # fmt: skip
def test_deeds_and_days_are_of_the_rows_that_they_are_said_of(yard, text, sql):
    assert_answered(yard, text, sql, TODAY)
    assert outcome(yard, text, TODAY) is Outcome.ANSWERED


@pytest.mark.parametrize(
    "text",
    ["rentals running on 1 March 2026", "punts past insurance date", "punts past their insurance date"],
)
def test_a_day_on_which_nothing_tells_a_state_makes_a_draft(yard, text):
    assert outcome(yard, text, TODAY) is not Outcome.ANSWERED


CLUB = """
CREATE TABLE rowers (rower_id INTEGER PRIMARY KEY, rower_name TEXT, joined_on DATE NOT NULL, left_on DATE);
CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, rower_id INTEGER NOT NULL REFERENCES rowers (rower_id), booked_on DATE NOT NULL, cancelled_on DATE);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
INSERT INTO rowers SELECT i + 1, 'Rower ' || i, date('2024-01-01', '+' || (i * 9) || ' days'), CASE WHEN i % 3 = 0 THEN date('2025-01-01', '+' || (i * 9) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79)
INSERT INTO bookings SELECT i + 1, i % 19 + 1, date('2025-01-01', '+' || (i * 8) || ' days'), CASE WHEN i % 4 = 0 THEN date('2025-01-01', '+' || (i * 8 + i % 20) || ' days') END FROM n;
"""


@pytest.mark.parametrize("text", ["rowers booked for more than 10 days", "past bookings"])
def test_what_was_cancelled_neither_lasted_nor_took_place(text):
    assert outcome(place(CLUB), text, TODAY) is not Outcome.ANSWERED


TOURS = """
CREATE TABLE trucks (truck_id INTEGER PRIMARY KEY, plate TEXT, bought_on DATE, status TEXT);
CREATE TABLE tours (tour_id INTEGER PRIMARY KEY, truck_id INTEGER REFERENCES trucks (truck_id), toured_on DATE, left_at TIMESTAMP, back_at TIMESTAMP);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
INSERT INTO trucks SELECT i + 1, 'K ' || (100 + i), date('2020-01-01', '+' || (i * 40) || ' days'), CASE i % 3 WHEN 0 THEN 'on tour' ELSE 'parked' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
INSERT INTO tours SELECT i + 1, i % 15 + 1, date('2026-01-01', '+' || i || ' days'), datetime('2026-01-01 06:00:00', '+' || i || ' days'),
 datetime('2026-01-01 06:00:00', '+' || i || ' days', '+' || (60 + i % 90) || ' minutes') FROM n;
"""


@pytest.fixture(scope="module")
def tours():
    return place(TOURS)


@pytest.mark.parametrize(
    "text", ["average minutes from bought to toured", "which trucks have never been on tour"]
)
def test_minutes_of_days_and_never_of_a_present_state_are_drafts(tours, text):
    assert outcome(tours, text, TODAY) is not Outcome.ANSWERED


def test_minutes_of_moments_are_answered(tours):
    sql = "SELECT AVG((JULIANDAY(back_at) - JULIANDAY(left_at)) * 1440) FROM tours"
    assert_answered(tours, "average minutes between left at and back at", sql, TODAY)


def test_a_present_state_may_be_denied(tours):
    assert_answered(
        tours,
        "how many trucks are not on tour",
        "SELECT COUNT(*) FROM trucks WHERE status <> 'on tour'",
        TODAY,
    )
