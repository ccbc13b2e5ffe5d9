"""A firm that hires out boats: how long a hire lasts as a bound, its two ends, and who did something most."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place, rows

TODAY = date(2026, 1, 5)
FIRM = """
CREATE TABLE pier (pier_id INTEGER PRIMARY KEY, name TEXT, district TEXT);
CREATE TABLE boat (boat_id INTEGER PRIMARY KEY, model TEXT, make TEXT, length_m REAL);
CREATE TABLE member (member_id INTEGER PRIMARY KEY, full_name TEXT, sort TEXT, joined_on TEXT, birth_date TEXT, found_us TEXT, club_id INTEGER REFERENCES club (club_id), sponsor TEXT);
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, full_name TEXT, grade TEXT);
CREATE TABLE hire (hire_id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat, member_id INTEGER REFERENCES member, employee_id INTEGER REFERENCES employee, start_pier_id INTEGER REFERENCES pier (pier_id), end_pier_id INTEGER REFERENCES pier (pier_id), started_at TEXT, ended_at TEXT, distance_km REAL, fee REAL, discount REAL);
CREATE TABLE club (club_id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO club VALUES (1, 'Reeds'), (2, 'Heron');
CREATE TABLE exam (exam_id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat, held_on TEXT, result TEXT);
CREATE TABLE stop (stop_id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat, stopped_at TEXT, restarted_at TEXT, cause TEXT, repair_cents INTEGER);
CREATE TABLE permit (permit_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member, start_date TEXT, end_date TEXT, cancelled_on TEXT);
CREATE TABLE trip (trip_id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat, planned_at TEXT, arrived_at TEXT, state TEXT);
INSERT INTO pier VALUES (1, 'Mill Lock', 'North'), (2, 'Old Quay', 'South'), (3, 'Ferry Steps', 'South');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
INSERT INTO boat SELECT i, CASE i % 2 WHEN 0 THEN 'Canoe' ELSE 'Kayak' END, CASE i % 3 WHEN 0 THEN 'Elver' ELSE 'Otter' END, 3 + i / 10.0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO member SELECT i, 'Member ' || i, CASE i % 2 WHEN 0 THEN 'resident' ELSE 'casual' END, date('2023-01-01', '+' || (i * 9) || ' days'), date('1960-01-01', '+' || (i * 300) || ' days'), CASE i % 4 WHEN 0 THEN 'Club' ELSE 'web' END, CASE i % 3 WHEN 0 THEN i % 2 + 1 END, CASE i % 5 WHEN 0 THEN 'Quay Bank' END FROM n;
INSERT INTO employee VALUES (1, 'Ada', 'senior'), (2, 'Bo', 'junior');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO hire SELECT i, i % 9 + 1, CASE i % 20 WHEN 0 THEN 5 ELSE i * i % 37 + 1 END, i % 3 / 2 + 1, i % 3 + 1, i * i % 3 + 1, datetime('2024-01-02 09:00', '+' || i || ' days'), datetime('2024-01-02 09:00', '+' || i || ' days', '+' || (5 + i % 7 * 40) || ' minutes'), 1 + i % 11 / 2.0, 4 + i % 13, i % 4 / 10.0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO exam SELECT i, i % 9 + 1, date('2024-01-02', '+' || i || ' days'), CASE WHEN i % 5 = 0 THEN NULL WHEN i % 9 * i % 7 < 3 THEN 'pass' ELSE 'fail' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO stop SELECT i, i % 9 + 1, datetime('2024-01-02 09:00', '+' || i || ' days'), datetime('2024-01-02 09:00', '+' || i || ' days', '+' || (i % 50 * 7) || ' minutes'), CASE i % 3 WHEN 0 THEN 'motor' ELSE 'hull' END, i % 70 * 150 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO permit SELECT i, i % 40 + 1, date('2023-06-01', '+' || (i * 7) || ' days'), date('2024-06-01', '+' || (i * 7) || ' days'), CASE i % 10 WHEN 0 THEN date('2024-01-01', '+' || (i * 7) || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO trip SELECT i, i % 9 + 1, datetime('2024-01-02 09:00', '+' || i || ' days'), CASE WHEN i % 8 THEN datetime('2024-01-02 09:10', '+' || i || ' days') END, CASE WHEN i % 8 THEN 'DONE' ELSE 'FAIL' END FROM n;
"""


@pytest.fixture(scope="module")
def firm():
    return place(FIRM)


HOURS = "(julianday(ended_at) - julianday(started_at)) * 24"
OF_EACH = "FROM hire JOIN {0} USING ({0}_id) GROUP BY {0}_id ORDER BY {1} LIMIT 1"
ANSWERS = [
    ("hires longer than 2 hours", f"SELECT COUNT(*) FROM hire WHERE {HOURS} > 2"),
    ("how many hires lasted more than 30 minutes", f"SELECT COUNT(*) FROM hire WHERE {HOURS} > 0.5"),
    ("hires that took over an hour by district of the start pier", f"SELECT district, COUNT(*) FROM hire JOIN pier ON pier_id = start_pier_id WHERE {HOURS} > 1 GROUP BY 1"),
    ("average fee of hires longer than 3 hours", f"SELECT AVG(fee) FROM hire WHERE {HOURS} > 3"),
    ("share of hires under 2 hours", f"SELECT 100.0 * SUM({HOURS} < 2) / COUNT(*) FROM hire"),
    ("members with hires over 4 hours", f"SELECT DISTINCT full_name FROM hire JOIN member USING (member_id) WHERE {HOURS} > 4"),
    ("members with over 30 hires", "SELECT full_name FROM hire JOIN member USING (member_id) GROUP BY member_id HAVING COUNT(*) > 30"),
    ("hires where the end pier is the same as the start pier", "SELECT COUNT(*) FROM hire WHERE end_pier_id = start_pier_id"),
    ("hires that ended at another pier", "SELECT COUNT(*) FROM hire WHERE end_pier_id <> start_pier_id"),
    ("number of hires that started and ended at the same pier", "SELECT COUNT(*) FROM hire WHERE end_pier_id = start_pier_id"),
    ("share of hires ending at another pier than they started", "SELECT 100.0 * SUM(end_pier_id <> start_pier_id) / COUNT(*) FROM hire"),
    ("who spent the most", "SELECT full_name, SUM(fee) " + OF_EACH.format("member", "2 DESC")),
    ("who sold the most", "SELECT full_name, SUM(fee) " + OF_EACH.format("employee", "2 DESC")),
    ("who paid the most in 2024", "SELECT full_name, SUM(fee) " + OF_EACH.format("member", "2 DESC").replace("GROUP", "WHERE started_at LIKE '2024%' GROUP")),
    ("who hired the most", "SELECT full_name, COUNT(*) " + OF_EACH.format("member", "2 DESC")),
    ("who rowed the most km", "SELECT full_name, SUM(distance_km) " + OF_EACH.format("member", "2 DESC")),
    ("biggest spender", "SELECT full_name, SUM(fee) " + OF_EACH.format("member", "2 DESC")),
    ("total hours of hires by make", f"SELECT make, SUM({HOURS}) FROM hire JOIN boat USING (boat_id) GROUP BY 1"),
    ("hire hours by make in 2025", f"SELECT make, SUM({HOURS}) FROM hire JOIN boat USING (boat_id) WHERE started_at LIKE '2025%' GROUP BY 1"),
    ("average hire time by make", f"SELECT make, AVG({HOURS}) / 24 FROM hire JOIN boat USING (boat_id) GROUP BY 1"),
    ("list the boats with model, make and length", "SELECT boat_id, make, length_m, model FROM boat"),
    ("average age at joining", "SELECT AVG((julianday(joined_on) - julianday(birth_date)) / 365.25) FROM member"),
    ("average age of members when they joined by sort", "SELECT sort, AVG((julianday(joined_on) - julianday(birth_date)) / 365.25) FROM member GROUP BY 1"),
    ("hires of members older than 40", "SELECT COUNT(*) FROM hire JOIN member USING (member_id) WHERE (julianday('now') - julianday(birth_date)) / 365.25 > 40"),
    ("average hours between start and end, per make", f"SELECT make, AVG({HOURS}) FROM hire JOIN boat USING (boat_id) GROUP BY 1"),
    ("hires with a discount over 10%", "SELECT COUNT(*) FROM hire WHERE discount > 0.1"),
    ("fee of hires with over 10 % discount", "SELECT SUM(fee) FROM hire WHERE discount > 0.1"),
    ("hires with a discount of 20% or more", "SELECT COUNT(*) FROM hire WHERE discount >= 0.2"),
    ("members with more than 0.02 thousand hires", "SELECT full_name FROM hire JOIN member USING (member_id) GROUP BY member_id HAVING COUNT(*) > 20"),
    ("makes with an exam pass rate above 55%", "SELECT make, 100.0 * SUM(result = 'pass') / COUNT(result) FROM exam JOIN boat USING (boat_id) GROUP BY 1 HAVING 100.0 * SUM(result = 'pass') / COUNT(result) > 55"),
    ("exam pass rate", "SELECT 100.0 * SUM(result = 'pass') / COUNT(result) FROM exam"),
    ("downtime hours per make", "SELECT make, SUM((julianday(restarted_at) - julianday(stopped_at)) * 24) FROM stop JOIN boat USING (boat_id) GROUP BY 1"),
    ("repair cost per make in euros", "SELECT make, SUM(repair_cents) / 100.0 FROM stop JOIN boat USING (boat_id) GROUP BY 1"),
    ("repair cost in £ by make since the start", "SELECT make, SUM(repair_cents) / 100.0 FROM stop JOIN boat USING (boat_id) GROUP BY 1"),
    ("how many permits are running today", "SELECT COUNT(*) FROM permit WHERE cancelled_on IS NULL AND end_date >= '2026-01-05'"),
    ("active permits by sort of the member", "SELECT sort, COUNT(*) FROM permit JOIN member USING (member_id) WHERE cancelled_on IS NULL AND end_date >= '2026-01-05' GROUP BY 1"),
    ("permits that run out between now and the end of march", "SELECT COUNT(*) FROM permit WHERE end_date >= '2026-01-05' AND end_date < '2026-04-01'"),
    ("members without club", "SELECT full_name FROM member WHERE club_id IS NULL"),
    ("what share of members is sponsored, by sort", "SELECT sort, 100.0 * COUNT(sponsor) / COUNT(*) FROM member GROUP BY 1"),
    ("share of sponsored members", "SELECT 100.0 * COUNT(sponsor) / COUNT(*) FROM member"),
    ("share of members without sponsor by sort", "SELECT sort, 100.0 * SUM(sponsor IS NULL) / COUNT(*) FROM member GROUP BY 1"),
    ("members with more than 20 hires, with the number", "SELECT full_name, COUNT(*) FROM hire JOIN member USING (member_id) GROUP BY member_id HAVING COUNT(*) > 20"),
    ("fees by quarter for 2025 with growth vs previous quarter in percent", "WITH q AS (SELECT strftime('%Y', started_at) || '-Q' || ((CAST(strftime('%m', started_at) AS INTEGER) + 2) / 3) AS q, SUM(fee) AS s FROM hire GROUP BY 1), g AS (SELECT q, s, 100.0 * (s - LAG(s) OVER (ORDER BY q)) / LAG(s) OVER (ORDER BY q) FROM q) SELECT * FROM g WHERE q LIKE '2025%'"),
    ("failed trips in 2025", "SELECT COUNT(*) FROM trip WHERE state = 'FAIL' AND planned_at LIKE '2025%'"),
    ("which make brings in the most money", "SELECT make, SUM(fee) FROM hire JOIN boat USING (boat_id) GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
    ("which weekday makes the most money", "SELECT CASE strftime('%w', started_at) WHEN '0' THEN 'Sunday' WHEN '1' THEN 'Monday' WHEN '2' THEN 'Tuesday' WHEN '3' THEN 'Wednesday' WHEN '4' THEN 'Thursday' WHEN '5' THEN 'Friday' ELSE 'Saturday' END, SUM(fee) FROM hire GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
    ("which make grew the slowest from 2024 to 2025", "SELECT make, SUM(CASE WHEN started_at LIKE '2025%' THEN fee ELSE 0 END) - SUM(CASE WHEN started_at LIKE '2024%' THEN fee ELSE 0 END) FROM hire JOIN boat USING (boat_id) GROUP BY 1 ORDER BY 2 LIMIT 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sql"), ANSWERS, ids=[text for text, _ in ANSWERS])
def test_a_question_is_answered_as_somebody_there_would(firm, text, sql):
    assert_answered(firm, text, sql, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "members who hired from the same pier",
        "boats older than 30 days",
        "who flew the most",
        "longest hire",
        "customers who make up more than 10 % of revenue",
        "boats with a length over 20 %",
        "average discount in percent by make",
        "hires by make: how many and total incl tip",
    ],
)
def test_what_is_no_bound_and_no_end_of_a_row_is_not_called_an_answer(firm, text):
    assert outcome(firm, text, TODAY) != Outcome.ANSWERED


def test_two_values_with_nouns_of_their_own_are_two_figures(firm):
    found = understand("casual members and resident ones by year", firm[1], TODAY)[1][0]
    assert [one.said for one in found.frame.measures] == ["casual members", "resident"]
    gold = "SELECT strftime('%Y', joined_on), SUM(sort = 'casual'), SUM(sort = 'resident') FROM member GROUP BY 1"
    assert rows(firm, found.sql) == rows(firm, gold)


def test_two_years_by_something_stand_side_by_side(firm):
    found = understand("fees by make 2025 vs 2024", firm[1], TODAY)[1][0]
    gold = "SELECT make, SUM(CASE WHEN started_at LIKE '2025%' THEN fee ELSE 0 END), SUM(CASE WHEN started_at LIKE '2024%' THEN fee ELSE 0 END) FROM hire JOIN boat USING (boat_id) GROUP BY 1"
    assert rows(firm, found.sql) == rows(firm, gold)
