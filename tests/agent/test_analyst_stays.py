"""Huts that are let by the night, in names cut short: lists named by a letter, arrival and departure, customary codes."""

from __future__ import annotations

import sqlite3
from datetime import date

import pytest

from sqlagent.adapters.sqlite import SqliteDatabase
from sqlagent.catalog.semantics.naming import Names
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import Source, source_of
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
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory) -> SqliteDatabase:
    path = tmp_path_factory.mktemp("huts") / "huts.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(SCRIPT)
        for n in range(12):
            made.execute("INSERT INTO HUT VALUES (?, ?, ?)", (n, f"Hut {n}", ("LOG", "TNT", "TRE")[n % 3]))
        for n in range(400):
            day = f"{2025 + (n % 5 == 0)}-{n % 12 + 1:02}-{n % 20 + 1:02}"
            left = f"{2025 + (n % 5 == 0)}-{n % 12 + 1:02}-{n % 20 + 1 + n % 7 + 1:02}" if n % 9 else None
            made.execute(
                "INSERT INTO STAY VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (n, n % 12, f"2024-{n % 12 + 1:02}-11", day, left, left, ("OUT", "CXL", "NEW")[n % 3], n % 4 + 1),
            )  # fmt: skip
            made.execute("INSERT INTO DMGE VALUES (?, ?, ?, ?, ?)", (n, n % 12, day, left, 10.0 + n % 50))
    made.close()
    return SqliteDatabase(path)


@pytest.fixture(scope="module")
def source(database) -> Source:
    catalog = database.catalog()
    return source_of(catalog, ValueIndex.build(catalog, database))


STAYED = "AVG(julianday(dep_dt) - julianday(arr_dt))"
BY_TYPE = "JOIN HUT USING (hut_id) JOIN HTYP USING (htyp_cd) GROUP BY htyp_cd"


@pytest.mark.parametrize(
    ("asked", "gold"),
    [
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


def rows(database: SqliteDatabase, statement: str) -> list[tuple[str, ...]]:
    found = database.execute(statement, Limits()).rows
    return sorted(tuple(f"{v:.6f}" if isinstance(v, float) else str(v) for v in row) for row in found)
