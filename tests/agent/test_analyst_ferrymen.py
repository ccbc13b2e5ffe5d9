"""A line of ferries: skippers with licences that expire, trips that take their time, spares with a level, crews with a boss."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.changing.search import followed
from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place

TODAY = date(2026, 5, 31)

FERRIES = """
CREATE TABLE harbours (harbour_id INTEGER PRIMARY KEY, name TEXT NOT NULL, coast TEXT NOT NULL);
CREATE TABLE skippers (skipper_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, harbour_id INTEGER NOT NULL REFERENCES harbours, hired_date DATE NOT NULL,
  left_date DATE, mentor_id INTEGER REFERENCES skippers(skipper_id));
CREATE TABLE licences (licence_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE skipper_licences (skipper_id INTEGER NOT NULL REFERENCES skippers, licence_id INTEGER NOT NULL REFERENCES licences, issued_date DATE NOT NULL, expiry_date DATE NOT NULL,
  PRIMARY KEY (skipper_id, licence_id));
CREATE TABLE passengers (passenger_id INTEGER PRIMARY KEY, name TEXT NOT NULL, mail TEXT, member_since DATE NOT NULL, referred_by INTEGER REFERENCES passengers(passenger_id));
CREATE TABLE charters (charter_id INTEGER PRIMARY KEY, passenger_id INTEGER NOT NULL REFERENCES passengers, start_date DATE NOT NULL, end_date DATE NOT NULL, status TEXT NOT NULL,
  month_fee REAL NOT NULL);
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, name TEXT NOT NULL, harbour_id INTEGER NOT NULL REFERENCES harbours, maker TEXT NOT NULL);
CREATE TABLE charter_boats (charter_id INTEGER NOT NULL REFERENCES charters, boat_id INTEGER NOT NULL REFERENCES boats, PRIMARY KEY (charter_id, boat_id));
CREATE TABLE faults (fault_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, skipper_id INTEGER REFERENCES skippers, reported_time DATETIME NOT NULL, arrived_time DATETIME,
  closed_time DATETIME, cause TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, passenger_id INTEGER NOT NULL REFERENCES passengers, issued_date DATE NOT NULL, due_date DATE NOT NULL, paid_date DATE, amount REAL NOT NULL);
CREATE TABLE spares (spare_id INTEGER PRIMARY KEY, name TEXT NOT NULL, on_hand INTEGER NOT NULL, minimum_stock INTEGER NOT NULL, price REAL NOT NULL);
CREATE TABLE numbers AS WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 240) SELECT value FROM n;
INSERT INTO harbours VALUES (1, 'Aber', 'west'), (2, 'Brae', 'west'), (3, 'Crail', 'east');
INSERT INTO skippers SELECT value, 'First' || value, 'Last' || value, value % 3 + 1, date('2015-01-01', '+' || (value * 90) || ' days'),
  CASE WHEN value % 4 = 0 THEN '2025-08-01' END, CASE WHEN value > 3 THEN value % 3 + 1 END FROM numbers WHERE value <= 20;
INSERT INTO licences VALUES (1, 'Night sailing'), (2, 'Deep water'), (3, 'Heavy goods');
INSERT INTO skipper_licences SELECT s.skipper_id, l.licence_id, '2020-01-01', date('2025-09-01', '+' || (s.skipper_id * 17 + 130 - l.licence_id * 40) || ' days') FROM skippers s, licences l
  WHERE (s.skipper_id + l.licence_id) % 2;
INSERT INTO passengers SELECT value, 'Passenger ' || value, CASE WHEN value % 5 THEN 'p' || value || '@mail.test' END, date('2024-01-01', '+' || (value * 9) || ' days'),
  CASE WHEN value > 10 AND value % 3 = 0 THEN CASE WHEN value % 2 THEN 4 ELSE value % 9 + 1 END END FROM numbers WHERE value <= 100;
INSERT INTO charters SELECT value, value % 40 + 1, date('2024-01-01', '+' || (value * 10) || ' days'), date('2025-01-01', '+' || (value * 14) || ' days'),
  CASE value % 5 WHEN 0 THEN 'ended' WHEN 1 THEN 'cancelled' ELSE 'active' END, 100 + value FROM numbers WHERE value <= 60;
INSERT INTO boats SELECT value, 'Boat ' || value, value % 3 + 1, CASE value % 3 WHEN 0 THEN 'Orla' ELSE 'Nordic' END FROM numbers WHERE value <= 30;
INSERT INTO charter_boats SELECT c.charter_id, (c.charter_id * 7) % 30 + 1 FROM charters c WHERE c.charter_id % 3;
INSERT INTO faults SELECT value, value % 30 + 1, value % 20 + 1, datetime('2025-01-01', '+' || (value * 4) || ' days'), datetime('2025-01-01', '+' || (value * 4) || ' days', '+' || (value % 7 * 30 + 20) || ' minutes'),
  CASE WHEN value % 8 THEN datetime('2025-01-01', '+' || (value * 4 + value % 11) || ' days', '+7 hours') END, CASE value % 4 WHEN 0 THEN 'nothing found' WHEN 1 THEN 'engine' ELSE 'hull' END,
  CASE WHEN value % 8 THEN 'done' ELSE 'waiting' END FROM numbers WHERE value <= 125;
INSERT INTO bills SELECT value, value % 30 + 1, date('2025-01-01', '+' || (value * 2) || ' days'), date('2025-01-15', '+' || (value * 2) || ' days'),
  CASE WHEN value % 3 THEN date('2025-01-20', '+' || (value * 2) || ' days') END, 50 + value % 37 * 10 FROM numbers WHERE value <= 240;
INSERT INTO spares SELECT value, 'Spare ' || value, value % 9, 4, 2.5 * value FROM numbers WHERE value <= 40;
DROP TABLE numbers;
"""

AGENCY = """
CREATE TABLE STAFF_MST (staff_no INTEGER, staff_nm TEXT, in_date TEXT, out_date TEXT, mgr_no INTEGER);
CREATE TABLE CLI_TAB (cli_code INTEGER, cli_name TEXT, mail TEXT, since_date TEXT);
CREATE TABLE PROD_LIST (prod_code TEXT, prod_name TEXT, com_rate REAL);
CREATE TABLE CASE_HEAD (case_no INTEGER, cli_code INTEGER, prod_code TEXT, rep_date TEXT, staff_hdlr INTEGER, staff_sales INTEGER);
CREATE TABLE COM_PAID (cp_no INTEGER, case_no INTEGER, staff_no INTEGER, paid_date TEXT, typ TEXT, amt REAL);
CREATE TABLE CODE_LIST (code_grp TEXT, code_no TEXT, code_text TEXT);
INSERT INTO CODE_LIST VALUES ('COMTP', 'N', 'new case'), ('COMTP', 'R', 'renewal'), ('COMTP', 'C', 'refund'), ('CST', 'O', 'open'), ('CST', 'R', 'refused');
CREATE TABLE PRM_BILL (bill_no INTEGER, cli_code INTEGER, bill_date TEXT, amt REAL);
CREATE TABLE numbers AS WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 240) SELECT value FROM n;
INSERT INTO STAFF_MST SELECT value, 'Name ' || value, date('2019-01-01', '+' || (value * 50) || ' days'), CASE WHEN value % 5 = 0 THEN '2025-03-01' END, 1 FROM numbers WHERE value <= 20;
INSERT INTO CLI_TAB SELECT value + 100, 'Firm ' || value, CASE WHEN value % 4 THEN value || '@mail.test' END, date('2024-01-01', '+' || (value * 9) || ' days') FROM numbers WHERE value <= 100;
INSERT INTO PROD_LIST SELECT 'P' || value, 'Product ' || value, value * 0.5 FROM numbers WHERE value <= 8;
INSERT INTO CASE_HEAD SELECT value + 5000, value % 100 + 101, 'P' || (value % 8 + 1), date('2025-01-01', '+' || value || ' days'), min(value % 23 + 1, 20), value % 20 + 1 FROM numbers;
INSERT INTO COM_PAID SELECT value + 7000, value % 240 + 5001, value % 17 + 1, date('2025-01-01', '+' || (value * 2) || ' days'), substr('NRC', value % 3 + 1, 1), value * 1.5 FROM numbers;
INSERT INTO PRM_BILL SELECT value + 9000, value % 100 + 101, date('2025-01-01', '+' || (value * 2) || ' days'), value * 3.5 FROM numbers;
DROP TABLE numbers;
"""

HELD = "FROM skippers s JOIN skipper_licences l USING (skipper_id) JOIN licences k USING (licence_id)"


@pytest.fixture(scope="module")
def ferries():
    return place(FERRIES)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        (
            "overdue amount per passenger, the 5 worst",
            "SELECT name, SUM(amount) FROM bills JOIN passengers USING (passenger_id) WHERE paid_date IS NULL AND due_date < '2026-05-31' GROUP BY passenger_id ORDER BY 2 DESC LIMIT 5",
        ),
        (
            "skippers still here whose night sailing licence has expired",
            f"SELECT first_name, last_name {HELD} WHERE k.name = 'Night sailing' AND expiry_date < '2026-05-31' AND left_date IS NULL",
        ),
        (
            "how many skippers have a deep water licence that has expired",
            f"SELECT COUNT(*) {HELD} WHERE k.name = 'Deep water' AND expiry_date < '2026-05-31'",
        ),
        (
            "how many licences have expired",
            "SELECT COUNT(*) FROM skipper_licences WHERE expiry_date < '2026-05-31'",
        ),
        (
            "how many boat faults in 2025",
            "SELECT COUNT(*) FROM faults WHERE reported_time >= '2025-01-01' AND reported_time < '2026-01-01'",
        ),
        ("which boat faults are still open", "SELECT fault_id FROM faults WHERE closed_time IS NULL"),
        (
            "bills more than 60 days overdue",
            "SELECT COUNT(*) FROM bills WHERE paid_date IS NULL AND due_date < '2026-04-01'",
        ),
        (
            "bills overdue by more than 60 days",
            "SELECT COUNT(*) FROM bills WHERE paid_date IS NULL AND due_date < '2026-04-01'",
        ),
        ("passenger charters by status", "SELECT status, COUNT(*) FROM charters GROUP BY 1"),
        ("how many passengers have no email adress", "SELECT COUNT(*) FROM passengers WHERE mail IS NULL"),
        ("how many passengers have an email", "SELECT COUNT(*) FROM passengers WHERE mail IS NOT NULL"),
        (
            "which passenger has sent us the most new passengers",
            "SELECT r.name, COUNT(*) FROM passengers p JOIN passengers r ON r.passenger_id = p.referred_by GROUP BY r.passenger_id ORDER BY 2 DESC LIMIT 1",
        ),
        (
            "how many boats have an active charter",
            "SELECT COUNT(DISTINCT boat_id) FROM charter_boats JOIN charters USING (charter_id) WHERE status = 'active'",
        ),
        (
            "charters ending in the next 3 months: number and month fee",
            "SELECT COUNT(*), SUM(month_fee) FROM charters WHERE end_date BETWEEN '2026-05-31' AND '2026-08-31'",
        ),
        ("spares we need to reorder", "SELECT name FROM spares WHERE on_hand < minimum_stock"),
        ("how many spares are running low", "SELECT COUNT(*) FROM spares WHERE on_hand < minimum_stock"),
        (
            "which spares are below their minimum stock",
            "SELECT name FROM spares WHERE on_hand < minimum_stock",
        ),
        (
            "which fault took the longest from report to fixed",
            "SELECT fault_id, reported_time, closed_time FROM faults WHERE closed_time IS NOT NULL ORDER BY julianday(closed_time) - julianday(reported_time) DESC LIMIT 1",
        ),
        (
            "how many faults are still not closed after 90 days",
            "SELECT COUNT(*) FROM faults WHERE closed_time IS NULL AND reported_time < '2026-03-02'",
        ),
        (
            "how many boats with an active charter",
            "SELECT COUNT(DISTINCT boat_id) FROM charter_boats JOIN charters USING (charter_id) WHERE status = 'active'",
        ),
        (
            "average minutes until we are on site by cause",
            "SELECT cause, AVG((julianday(arrived_time) - julianday(reported_time)) * 1440) FROM faults GROUP BY 1",
        ),
        (
            "how many people does each mentor have in his team at the moment?",
            "SELECT m.first_name, m.last_name, COUNT(*) FROM skippers s JOIN skippers m ON m.skipper_id = s.mentor_id WHERE s.left_date IS NULL GROUP BY m.skipper_id",
        ),
        (
            "nothing found as % of all faults, per maker",
            "SELECT maker, 100.0 * SUM(cause = 'nothing found') / COUNT(*) FROM faults JOIN boats USING (boat_id) GROUP BY 1",
        ),
        (
            "charters ending in the next 3 months, how many and what month fee in total",
            "SELECT COUNT(*), SUM(month_fee) FROM charters WHERE end_date BETWEEN '2026-05-31' AND '2026-08-31'",
        ),
        (
            "percentage of closed faults that were engine, per year",
            "SELECT strftime('%Y', closed_time), 100.0 * SUM(cause = 'engine') / COUNT(*) FROM faults WHERE closed_time IS NOT NULL GROUP BY 1",
        ),
        (
            "number and total month fee of active charters",
            "SELECT COUNT(*), SUM(month_fee) FROM charters WHERE status = 'active'",
        ),
        (
            "number and month fee total of active charters",
            "SELECT COUNT(*), SUM(month_fee) FROM charters WHERE status = 'active'",
        ),
    ],
)
def test_it_is_answered_rightly(ferries, text, sql):
    assert_answered(ferries, text, sql, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "skippers whose deep water licence has not expired",
    ],
)
def test_what_is_not_clear_is_no_answer(ferries, text):
    assert outcome(ferries, text, TODAY) is Outcome.AMBIGUOUS


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("screws we need to reorder", "SELECT name FROM screws WHERE stock_on_hand <= reorder_level"),
        ("screws below their reorder level", "SELECT name FROM screws WHERE stock_on_hand < reorder_level"),
        ("bolts we need to reorder", ""),  # also those that are discontinued?
    ],
)
def test_reordered_parts_are_those_at_their_level_or_below(text, sql):
    noun, more = (text.split()[0], "") if sql else ("bolts", ", discontinued INTEGER")
    yard = place(
        f"CREATE TABLE {noun} (part_id INTEGER PRIMARY KEY, name TEXT, stock_on_hand INTEGER, reorder_level INTEGER{more});"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
        f"INSERT INTO {noun} SELECT i, 'Part ' || i, i % 9 + 1, i % 7 + 1{', i % 2' if more else ''} FROM n;"
    )
    if sql:
        assert_answered(yard, text, sql, TODAY)
    else:
        assert outcome(yard, text, TODAY) is not Outcome.ANSWERED


def test_names_are_opened_by_what_stands_beside_them():
    """Staff are pointed at by their noun and a role, come in and go out; a com rate and a prm bill are of money, and a rep date is no representative's."""
    agency = place(AGENCY)
    fields = agency[1].model.fields
    said = {one.column: one.said for own in fields.values() for one in own}
    assert [said[column] for column in ("in_date", "out_date", "com_rate", "rep_date", "staff_hdlr")] == [
        "hired date",
        "left date",
        "commission rate",
        "reported date",
        "staff handler",
    ]
    assert ("CASE_HEAD", ("staff_hdlr",), "STAFF_MST") in {
        (r.source, r.columns, r.target) for r in agency[1].model.relations
    }
    assert_answered(
        agency,
        "which case handler has the most cases",
        "SELECT staff_nm, COUNT(*) FROM CASE_HEAD JOIN STAFF_MST ON staff_no = staff_hdlr GROUP BY staff_no ORDER BY 2 DESC LIMIT 1",
        TODAY,
    )
    assert_answered(
        agency,
        "premium billed 2025",
        "SELECT SUM(amt) FROM PRM_BILL WHERE bill_date >= '2025-01-01' AND bill_date < '2026-01-01'",
        TODAY,
    )
    assert_answered(
        agency,
        "bills 2025",
        "SELECT COUNT(*) FROM PRM_BILL WHERE bill_date >= '2025-01-01' AND bill_date < '2026-01-01'",
        TODAY,
    )
    assert_answered(
        agency,
        "new clients this year",
        "SELECT cli_name FROM CLI_TAB WHERE since_date >= '2026-01-01'",
        TODAY,
    )
    assert_answered(
        agency, "commission without refunds", "SELECT SUM(amt) FROM COM_PAID WHERE typ <> 'C'", TODAY
    )
    assert_answered(
        agency,
        "top 5 staff by commission",
        "SELECT staff_nm, SUM(amt) FROM COM_PAID JOIN STAFF_MST USING (staff_no) GROUP BY staff_no ORDER BY 2 DESC LIMIT 5",
        TODAY,
    )
    assert outcome(agency, "top 5 sales people by commission", TODAY) is Outcome.AMBIGUOUS
    assert analysed(agency, "tax we collected last year", TODAY).outcome()[0] is Outcome.UNANSWERABLE


@pytest.mark.parametrize(
    ("before", "typed", "stated"),
    [
        (
            "average hours from report to closed per cause, 2026",
            "and 2025?",
            "average hours from reported to closed per cause, 2025",
        ),
    ],
)
def test_a_follow_up_changes_the_period_of_a_length_of_time(ferries, before, typed, stated):
    database, source = ferries
    assert followed(typed, before, database.catalog(), source.vocabulary.index, clock=TODAY) == stated
