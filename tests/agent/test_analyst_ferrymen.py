"""A line of ferries: skippers with licences that expire, trips that take their time, spares with a level, crews with a boss."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.changing.search import followed
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 5, 31)

FERRIES = """
CREATE TABLE harbours (harbour_id INTEGER PRIMARY KEY, name TEXT NOT NULL, coast TEXT NOT NULL);
CREATE TABLE skippers (skipper_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, harbour_id INTEGER NOT NULL REFERENCES harbours, hired_on DATE NOT NULL,
  left_on DATE, mentor_id INTEGER REFERENCES skippers(skipper_id));
CREATE TABLE licences (licence_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE skipper_licences (skipper_id INTEGER NOT NULL REFERENCES skippers, licence_id INTEGER NOT NULL REFERENCES licences, issued_on DATE NOT NULL, expires_on DATE NOT NULL,
  PRIMARY KEY (skipper_id, licence_id));
CREATE TABLE passengers (passenger_id INTEGER PRIMARY KEY, name TEXT NOT NULL, mail TEXT, member_since DATE NOT NULL, referred_by INTEGER REFERENCES passengers(passenger_id));
CREATE TABLE charters (charter_id INTEGER PRIMARY KEY, passenger_id INTEGER NOT NULL REFERENCES passengers, start_date DATE NOT NULL, end_date DATE NOT NULL, status TEXT NOT NULL,
  monthly_fee REAL NOT NULL);
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, name TEXT NOT NULL, harbour_id INTEGER NOT NULL REFERENCES harbours, maker TEXT NOT NULL);
CREATE TABLE charter_boats (charter_id INTEGER NOT NULL REFERENCES charters, boat_id INTEGER NOT NULL REFERENCES boats, PRIMARY KEY (charter_id, boat_id));
CREATE TABLE faults (fault_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats, skipper_id INTEGER REFERENCES skippers, reported_at DATETIME NOT NULL, arrived_at DATETIME,
  closed_at DATETIME, cause TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, passenger_id INTEGER NOT NULL REFERENCES passengers, issued_on DATE NOT NULL, due_on DATE NOT NULL, paid_on DATE, amount REAL NOT NULL);
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
CREATE TABLE EMP_MST (emp_id INTEGER, emp_nm TEXT, in_dt TEXT, out_dt TEXT, mgr_id INTEGER);
CREATE TABLE CLI_MST (cli_no INTEGER, cli_nm TEXT, mail TEXT, since_dt TEXT);
CREATE TABLE PROD_MST (prod_cd TEXT, prod_nm TEXT, com_pct REAL);
CREATE TABLE CASE_HDR (case_no INTEGER, cli_no INTEGER, prod_cd TEXT, rep_dt TEXT, emp_hdl INTEGER, emp_sal INTEGER);
CREATE TABLE COM_BKG (cb_id INTEGER, case_no INTEGER, emp_id INTEGER, bk_dt TEXT, typ_cd TEXT, amt REAL);
CREATE TABLE LKP_CD (lkp_grp TEXT, lkp_cd TEXT, lkp_txt TEXT);
INSERT INTO LKP_CD VALUES ('COMTY', 'N', 'new case'), ('COMTY', 'R', 'renewal'), ('COMTY', 'C', 'clawback'), ('CST', 'O', 'open'), ('CST', 'R', 'refused');
CREATE TABLE PRM_INV (inv_no INTEGER, cli_no INTEGER, inv_dt TEXT, amt REAL);
CREATE TABLE numbers AS WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 240) SELECT value FROM n;
INSERT INTO EMP_MST SELECT value, 'Name ' || value, date('2019-01-01', '+' || (value * 50) || ' days'), CASE WHEN value % 5 = 0 THEN '2025-03-01' END, 1 FROM numbers WHERE value <= 20;
INSERT INTO CLI_MST SELECT value + 100, 'Firm ' || value, CASE WHEN value % 4 THEN value || '@mail.test' END, date('2024-01-01', '+' || (value * 9) || ' days') FROM numbers WHERE value <= 100;
INSERT INTO PROD_MST SELECT 'P' || value, 'Product ' || value, value * 0.5 FROM numbers WHERE value <= 8;
INSERT INTO CASE_HDR SELECT value + 5000, value % 100 + 101, 'P' || (value % 8 + 1), date('2025-01-01', '+' || value || ' days'), min(value % 23 + 1, 20), value % 20 + 1 FROM numbers;
INSERT INTO COM_BKG SELECT value + 7000, value % 240 + 5001, value % 17 + 1, date('2025-01-01', '+' || (value * 2) || ' days'), substr('NRC', value % 3 + 1, 1), value * 1.5 FROM numbers;
INSERT INTO PRM_INV SELECT value + 9000, value % 100 + 101, date('2025-01-01', '+' || (value * 2) || ' days'), value * 3.5 FROM numbers;
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
            "SELECT name, SUM(amount) FROM bills JOIN passengers USING (passenger_id) WHERE paid_on IS NULL AND due_on < '2026-05-31' GROUP BY passenger_id ORDER BY 2 DESC LIMIT 5",
        ),
        (
            "skippers still here whose night sailing licence has expired",
            f"SELECT first_name, last_name {HELD} WHERE k.name = 'Night sailing' AND expires_on < '2026-05-31' AND left_on IS NULL",
        ),
        (
            "how many skippers have a deep water licence that has expired",
            f"SELECT COUNT(*) {HELD} WHERE k.name = 'Deep water' AND expires_on < '2026-05-31'",
        ),
        (
            "how many licences have expired",
            "SELECT COUNT(*) FROM skipper_licences WHERE expires_on < '2026-05-31'",
        ),
        (
            "how many boat faults in 2025",
            "SELECT COUNT(*) FROM faults WHERE reported_at >= '2025-01-01' AND reported_at < '2026-01-01'",
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
            "charters ending in the next 3 months: number and monthly fee",
            "SELECT COUNT(*), SUM(monthly_fee) FROM charters WHERE end_date BETWEEN '2026-05-31' AND '2026-08-31'",
        ),
        ("spares we need to reorder", "SELECT name FROM spares WHERE on_hand < minimum_stock"),
        ("how many spares are running low", "SELECT COUNT(*) FROM spares WHERE on_hand < minimum_stock"),
        (
            "which spares are below their minimum stock",
            "SELECT name FROM spares WHERE on_hand < minimum_stock",
        ),
        (
            "which fault took the longest from report to fixed",
            "SELECT fault_id, reported_at, closed_at FROM faults WHERE closed_at IS NOT NULL ORDER BY julianday(closed_at) - julianday(reported_at) DESC LIMIT 1",
        ),
        (
            "how many faults are still not closed after 90 days",
            "SELECT COUNT(*) FROM faults WHERE closed_at IS NULL AND reported_at < '2026-03-02'",
        ),
        (
            "how many boats with an active charter",
            "SELECT COUNT(DISTINCT boat_id) FROM charter_boats JOIN charters USING (charter_id) WHERE status = 'active'",
        ),
        (
            "average minutes until we are on site by cause",
            "SELECT cause, AVG((julianday(arrived_at) - julianday(reported_at)) * 1440) FROM faults GROUP BY 1",
        ),
        (
            "how many people does each mentor have in his team at the moment?",
            "SELECT m.first_name, m.last_name, COUNT(*) FROM skippers s JOIN skippers m ON m.skipper_id = s.mentor_id WHERE s.left_on IS NULL GROUP BY m.skipper_id",
        ),
        (
            "nothing found as % of all faults, per maker",
            "SELECT maker, 100.0 * SUM(cause = 'nothing found') / COUNT(*) FROM faults JOIN boats USING (boat_id) GROUP BY 1",
        ),
        (
            "charters ending in the next 3 months, how many and what monthly fee in total",
            "SELECT COUNT(*), SUM(monthly_fee) FROM charters WHERE end_date BETWEEN '2026-05-31' AND '2026-08-31'",
        ),
        (
            "percentage of closed faults that were engine, per year",
            "SELECT strftime('%Y', closed_at), 100.0 * SUM(cause = 'engine') / COUNT(*) FROM faults WHERE closed_at IS NOT NULL GROUP BY 1",
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


def test_names_are_opened_by_what_stands_beside_them():
    """Staff are pointed at by their noun and a role, come in and go out; a com pct and a prm inv are of money, and a rep dt is no representative's."""
    agency = place(AGENCY)
    fields = agency[1].model.fields
    said = {one.column: one.said for own in fields.values() for one in own}
    assert [said[column] for column in ("in_dt", "out_dt", "com_pct", "rep_dt", "emp_hdl")] == [
        "hired date",
        "left date",
        "commission percentage",
        "reported date",
        "employee handler",
    ]
    assert ("CASE_HDR", ("emp_hdl",), "EMP_MST") in {
        (r.source, r.columns, r.target) for r in agency[1].model.relations
    }
    assert_answered(
        agency,
        "which case handler has the most cases",
        "SELECT emp_nm, COUNT(*) FROM CASE_HDR JOIN EMP_MST ON emp_id = emp_hdl GROUP BY emp_id ORDER BY 2 DESC LIMIT 1",
        TODAY,
    )
    assert_answered(
        agency,
        "premium invoiced 2025",
        "SELECT SUM(amt) FROM PRM_INV WHERE inv_dt >= '2025-01-01' AND inv_dt < '2026-01-01'",
        TODAY,
    )
    assert_answered(
        agency,
        "invoices 2025",
        "SELECT COUNT(*) FROM PRM_INV WHERE inv_dt >= '2025-01-01' AND inv_dt < '2026-01-01'",
        TODAY,
    )
    assert_answered(
        agency, "new clients this year", "SELECT cli_nm FROM CLI_MST WHERE since_dt >= '2026-01-01'", TODAY
    )
    assert_answered(
        agency, "commission without clawbacks", "SELECT SUM(amt) FROM COM_BKG WHERE typ_cd <> 'C'", TODAY
    )
    assert_answered(
        agency,
        "top 5 employees by commission",
        "SELECT emp_nm, SUM(amt) FROM COM_BKG JOIN EMP_MST USING (emp_id) GROUP BY emp_id ORDER BY 2 DESC LIMIT 5",
        TODAY,
    )
    assert outcome(agency, "top 5 sales people by commission", TODAY) is Outcome.AMBIGUOUS
    assert outcome(agency, "tax we collected last year", TODAY) is Outcome.UNANSWERABLE


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
