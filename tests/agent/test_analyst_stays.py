"""Huts that are let by the night, in names cut short: lists named by a letter, arrival and departure, customary codes."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics.naming import Names
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits

SCRIPT = """
CREATE TABLE HTYP (htyp_cd TEXT PRIMARY KEY, htyp_txt TEXT NOT NULL);
CREATE TABLE HUT (hut_id INTEGER PRIMARY KEY, hut_nm TEXT NOT NULL, htyp_cd TEXT REFERENCES HTYP(htyp_cd));
CREATE TABLE STAY (
    stay_no INTEGER PRIMARY KEY, hut_id INTEGER NOT NULL REFERENCES HUT(hut_id), bkd_dt TEXT, arr_dt TEXT,
    pln_dep_dt TEXT, dep_dt TEXT, stat TEXT, prs_qty INTEGER
);
CREATE TABLE DMGE (dmge_no INTEGER PRIMARY KEY, hut_id INTEGER REFERENCES HUT(hut_id), rep_dt TEXT, clsd_dt TEXT, dmg_amt REAL);
INSERT INTO HTYP VALUES ('LOG', 'Log cabin'), ('TNT', 'Safari tent'), ('TRE', 'Tree house');
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11)
INSERT INTO HUT SELECT i, 'Hut ' || i, substr('LOGTNTTRE', i % 3 * 3 + 1, 3) FROM n;
CREATE TEMP TABLE days AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
SELECT i, date((2025 + (i % 5 = 0)) || '-01-01', '+' || (i % 12) || ' months', '+' || (i % 20) || ' days') AS arrived FROM n;
INSERT INTO STAY SELECT i, i % 12, date(arrived, '-300 days'), arrived, date(arrived, '+' || (i % 7 + 1) || ' days'),
    CASE WHEN i % 9 THEN date(arrived, '+' || (i % 7 + 1) || ' days') END, substr('OUTCXLNEW', i % 3 * 3 + 1, 3), i % 4 + 1 FROM days;
INSERT INTO DMGE SELECT stay_no, hut_id, arr_dt, dep_dt, 10.0 + stay_no % 50 FROM STAY;
DROP TABLE days;
"""


@pytest.fixture(scope="module")
def database() -> MemoryDatabase:
    return MemoryDatabase(SCRIPT)


@pytest.fixture(scope="module")
def source(database) -> Source:
    catalog = database.catalog()
    return source_of(catalog, ValueIndex.build(catalog, database))


STAYED = "AVG(julianday(dep_dt) - julianday(arr_dt))"
BY_TYPE = "JOIN HUT USING (hut_id) JOIN HTYP USING (htyp_cd) GROUP BY htyp_cd"


@pytest.mark.parametrize(
    ("asked", "gold"),
    [
        ("stays july and august 2026 vs last year", "SELECT strftime('%Y', arr_dt), COUNT(*) FROM STAY WHERE substr(arr_dt, 6, 2) IN ('07', '08') GROUP BY 1"),
        ("stays july and august 2026 by hut vs the same months last year", "SELECT hut_nm, SUM(arr_dt LIKE '2026%'), SUM(arr_dt LIKE '2025%') FROM STAY JOIN HUT USING (hut_id) WHERE substr(arr_dt, 6, 2) IN ('07', '08') GROUP BY 1"),
        ("stays by hut type", f"SELECT htyp_txt, COUNT(*) FROM STAY {BY_TYPE}"),
        ("average nights per stay", f"SELECT {STAYED} FROM STAY"),
        ("average nights per stay by hut type", f"SELECT htyp_txt, {STAYED} FROM STAY {BY_TYPE}"),
        ("average stay length by hut type", f"SELECT htyp_txt, {STAYED} FROM STAY {BY_TYPE}"),
        ("stays by month", "SELECT strftime('%Y-%m', arr_dt), COUNT(*) FROM STAY GROUP BY 1"),
        ("stays in july and august last year", "SELECT COUNT(*) FROM STAY WHERE arr_dt LIKE '2025-07%' OR arr_dt LIKE '2025-08%'"),
        ("stays in march this year", "SELECT COUNT(*) FROM STAY WHERE arr_dt LIKE '2026-03%'"),
        ("stays q1 of last year", "SELECT COUNT(*) FROM STAY WHERE arr_dt < '2025-04'"),
        ("stays in may 2026 vs last year", "SELECT strftime('%Y', arr_dt), COUNT(*) FROM STAY WHERE arr_dt LIKE '%-05-%' GROUP BY 1"),
        ("stays may to june 2026 vs the same two months of 2025", "SELECT strftime('%Y', arr_dt), COUNT(*) FROM STAY WHERE substr(arr_dt, 6, 2) IN ('05', '06') GROUP BY 1"),
        ("cancelled stays", "SELECT COUNT(*) FROM STAY WHERE stat = 'CXL'"),
        ("avg days to close by hut type", f"SELECT htyp_txt, AVG(julianday(clsd_dt) - julianday(rep_dt)) FROM DMGE {BY_TYPE}"),
    ],
)  # fmt: skip
def test_short_names_and_nights_are_understood(database, source, asked, gold) -> None:
    first = understand(asked, source, date(2026, 12, 28))[1][0]
    assert first.frame.unused == ()
    assert rows(database, first.sql) == rows(database, gold), first.sql


def test_a_list_is_named_by_a_letter_only_where_one_table_points_at_it(database) -> None:
    names = Names(database.catalog())
    assert names.opened("htyp_cd") == ("hut", "type", "code")
    assert names.opened("rtyp_cd") == ("rtyp", "code")


def rows(database: MemoryDatabase, statement: str) -> list[tuple[str, ...]]:
    found = database.execute(statement, Limits()).rows
    return sorted(tuple(f"{v:.6f}" if isinstance(v, float) else str(v) for v in row) for row in found)


CALLS = """
CREATE TABLE agents (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE calls (id INTEGER PRIMARY KEY, agent_id INTEGER REFERENCES agents (id), called_at TEXT, duration_seconds INTEGER, fee REAL);
INSERT INTO agents VALUES (1, 'Ann'), (2, 'Bo');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO calls SELECT i, i % 2 + 1, date('2025-01-01', '+' || i || ' days'), i % 90 + 20, 5.0 FROM n;
"""


@pytest.mark.parametrize(
    ("asked", "unused"),
    [
        ("average call duration in seconds by agent", ()),
        ("average call duration in minutes by agent", ("minutes",)),
        ("call duration in hours by agent", ("hours",)),
        ("calls longer than 5 minutes", ("minutes",)),
        ("calls longer than 60 seconds", ()),
        ("whale fees by agent", ("whale",)),  # no whole fees
    ],
)
def test_no_unit_and_no_word_is_dropped(asked, unused) -> None:
    database = MemoryDatabase(CALLS)
    catalog = database.catalog()
    source = source_of(catalog, ValueIndex.build(catalog, database))
    assert understand(asked, source, date(2026, 12, 28))[1][0].frame.unused == unused
