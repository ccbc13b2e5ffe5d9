"""A ferry line: words that change nothing, durations that are stored, starts of periods, what is in service, sailors led by sailors."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, place

TODAY = date(2025, 11, 26)

LINE = """
CREATE TABLE ferries (ferry_id INTEGER PRIMARY KEY, ferry_name TEXT, hull_make TEXT, bought_on TEXT, retired_on TEXT, decks INTEGER);
CREATE TABLE passengers (passenger_id INTEGER PRIMARY KEY, full_name TEXT, town TEXT, joined_on TEXT);
CREATE TABLE sailings (sailing_id INTEGER PRIMARY KEY, ferry_id INTEGER REFERENCES ferries, sails_on TEXT, arrived_on TEXT, delay_min INTEGER, state TEXT);
CREATE TABLE tickets (ticket_id INTEGER PRIMARY KEY, sailing_id INTEGER REFERENCES sailings, passenger_id INTEGER REFERENCES passengers, sold_at TEXT, refunded_at TEXT, price REAL, fee REAL, vat_amount REAL, channel TEXT);
CREATE TABLE repairs (repair_id INTEGER PRIMARY KEY, ferry_id INTEGER REFERENCES ferries, kind TEXT, opened_on TEXT, closed_on TEXT, state TEXT);
CREATE TABLE crew_weeks (crew_week_id INTEGER PRIMARY KEY, sailor TEXT, week_end TEXT, approved_on TEXT, status TEXT, usual_hours REAL, overtime_hours REAL);
CREATE TABLE snacks (snack_id INTEGER PRIMARY KEY, snack_name TEXT, price REAL);
CREATE TABLE sailors (sailor_id INTEGER PRIMARY KEY, sailor_name TEXT, captain_id INTEGER REFERENCES sailors(sailor_id), referred_by INTEGER REFERENCES sailors(sailor_id));
INSERT INTO sailors VALUES (1, 'Ada', NULL, NULL), (2, 'Bo', 1, 1), (3, 'Cy', 1, 1), (4, 'Di', 2, 1), (5, 'Ed', 1, 2), (6, 'Flo', NULL, 3);
INSERT INTO ferries VALUES (1, 'Heron', 'Damen', '2001-05-01', NULL, 2), (2, 'Tern', 'Austal', '1995-03-01', '2024-02-01', 1), (3, 'Gull', 'Damen', '2010-07-01', NULL, 3), (4, 'Auk', 'Austal', '1990-01-01', NULL, 3);
INSERT INTO snacks VALUES (1, 'Nut bar', 2.5), (2, 'Ham roll', 4.0), (3, 'Tea', 1.5);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO passengers SELECT i, 'Guest ' || i, CASE i % 3 WHEN 0 THEN 'Oban' WHEN 1 THEN 'Kyle' ELSE 'Mull' END, date('2023-01-01', '+' || (i * 20) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO sailings SELECT i, CASE i % 3 WHEN 0 THEN 4 WHEN 1 THEN 1 ELSE 3 END, date('2024-01-20', '+' || (i * 2) || ' days'), date('2024-01-20', '+' || (i * 2) || ' days'), i % 11, CASE i % 9 WHEN 0 THEN 'cancelled' ELSE 'sailed' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO tickets SELECT i, i % 300 + 1, (i * i) % 40 + 1, datetime('2024-01-18 09:00', '+' || i || ' days'), CASE WHEN i % 8 = 0 THEN datetime('2024-01-18 09:00', '+' || (i + 2) || ' days') END, 10.0 + i % 7, 1.0, 2.0, CASE i % 2 WHEN 0 THEN 'app' ELSE 'desk' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO repairs SELECT i, i % 4 + 1, CASE i % 3 WHEN 0 THEN 'service' ELSE 'engine' END, date('2025-01-01', '+' || (i * 5) || ' days'), CASE WHEN i % 4 THEN date('2025-01-05', '+' || (i * 5 + i) || ' days') END, CASE i % 4 WHEN 0 THEN 'open' WHEN 1 THEN 'waiting' ELSE 'done' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO crew_weeks SELECT i, 'Sailor ' || (i % 9), date('2025-01-05', '+' || (i * 3) || ' days'), date('2025-01-07', '+' || (i * 3) || ' days'), CASE i % 5 WHEN 0 THEN 'draft' ELSE 'approved' END, 35.0, i % 6 FROM n;
"""


@pytest.fixture(scope="module")
def line():
    return place(LINE)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("tickets sold since the start of 2025", "SELECT COUNT(*) FROM tickets WHERE sold_at >= '2025-01-01'"),
        ("tickets since the beginning of the year", "SELECT COUNT(*) FROM tickets WHERE sold_at >= '2025-01-01'"),
        ("how many ferries are still in service", "SELECT COUNT(*) FROM ferries WHERE retired_on IS NULL"),
        ("average delay per ferry", "SELECT ferry_name, AVG(delay_min) FROM sailings JOIN ferries USING (ferry_id) GROUP BY ferry_id"),
        ("how many passengers did buy more than 15 tickets", "SELECT COUNT(*) FROM (SELECT passenger_id FROM tickets GROUP BY 1 HAVING COUNT(*) > 15)"),
        ("number of refunds by month in 2025", "SELECT strftime('%Y-%m', refunded_at), COUNT(*) FROM tickets WHERE refunded_at LIKE '2025%' GROUP BY 1"),
        ("which captain has the most people under him or her", "SELECT 'Ada', 3"),
        ("sailors who referred three or more other sailors", "SELECT 'Ada', 3"),
        ("which sailors have a captain, and which one?", "SELECT s.sailor_name, c.sailor_name FROM sailors s JOIN sailors c ON c.sailor_id = s.captain_id"),
        ("tickets sold in the last quarter of 2024", "SELECT COUNT(*) FROM tickets WHERE sold_at >= '2024-10-01' AND sold_at < '2025-01-01'"),
        ("tickets sold in the last two weeks of March 2025", "SELECT COUNT(*) FROM tickets WHERE sold_at >= '2025-03-18' AND sold_at < '2025-04-01'"),
        ("tickets sold in the first month of the year", "SELECT COUNT(*) FROM tickets WHERE sold_at >= '2025-01-01' AND sold_at < '2025-02-01'"),
        ("refunded tickets by month", "SELECT strftime('%Y-%m', refunded_at), COUNT(*) FROM tickets WHERE refunded_at IS NOT NULL GROUP BY 1"),
        ("how many ferries retired each year", "SELECT strftime('%Y', retired_on), COUNT(*) FROM ferries WHERE retired_on IS NOT NULL GROUP BY 1"),
        ("ferry with the most unclosed repairs", "SELECT ferry_name, COUNT(*) FROM repairs JOIN ferries USING (ferry_id) WHERE closed_on IS NULL GROUP BY ferry_id ORDER BY 2 DESC LIMIT 1"),
        ("tickets by passengers not from Oban", "SELECT COUNT(*) FROM tickets JOIN passengers USING (passenger_id) WHERE town <> 'Oban'"),
        ("average overtime hours per usual hours", "SELECT 1.0 * SUM(overtime_hours) / SUM(usual_hours) FROM crew_weeks"),
        ("how many passengers never refunded anything but have more than 15 tickets", "SELECT COUNT(*) FROM (SELECT passenger_id FROM tickets GROUP BY 1 HAVING COUNT(*) > 15 AND MAX(refunded_at) IS NULL)"),
        ("how many ferries had no repairs in 2024 but had some in 2025", "SELECT COUNT(DISTINCT ferry_id) FROM repairs WHERE opened_on LIKE '2025%'"),
        ("how many ferries had no repairs but made more than 50 sailings", "SELECT COUNT(*) FROM (SELECT ferry_id FROM sailings GROUP BY 1 HAVING COUNT(*) > 50) WHERE ferry_id NOT IN (SELECT ferry_id FROM repairs)"),
        ("how many passengers have no tickets on the desk but have more than 15 tickets in 2024", "SELECT COUNT(*) FROM (SELECT passenger_id FROM tickets WHERE sold_at LIKE '2024%' GROUP BY 1 HAVING COUNT(*) > 15) WHERE passenger_id NOT IN (SELECT passenger_id FROM tickets WHERE channel = 'desk')"),
        ("how many passengers did not buy more than 15 tickets", "SELECT 40 - COUNT(*) FROM (SELECT passenger_id FROM tickets GROUP BY 1 HAVING COUNT(*) > 15)"),
        ('snacks containing "nut"', "SELECT snack_name FROM snacks WHERE snack_name LIKE '%nut%'"),
    ],
)  # fmt: skip
def test_answered(line, text, sql):
    assert_answered(line, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("approved hours per month in 2025", "hours"),
        ("overtime as share of all hours by sailor", "hours"),
        ("repairs not finished and waiting", "waiting"),
        ("ticket price incl. vat by channel", "vat"),
        ("which ferries sell the slowest", "slowest"),
        (
            "how many passengers never refunded more than once but travelled on more than 15 sailings",
            "never",
        ),
        ("delays 2025 by ferry: total short and total over", "short"),
    ],
)
def test_a_draft_leaves_the_word_out(line, text, word):
    made = analysed(line, text, TODAY)
    ended, reason = made.outcome()
    assert ended is Outcome.AMBIGUOUS, made.frames[0].sql
    assert word in reason
