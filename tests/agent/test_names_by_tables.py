"""Names of old systems that only the tables take apart: CNO of CUST, CLNTABS beside CLNT; and the rows that they point at."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.semantics.run_together import parts_in
from sqlagent.values import Catalog, Column, Table
from tests.agent.places import assert_answered, place

TODAY = date(2026, 6, 30)

FERRIES = """
CREATE TABLE F_CREW (CRNO INTEGER PRIMARY KEY, CRNAME TEXT, RANK_CD TEXT, BOSS_CRNO INTEGER, JOIN_DT TEXT);
CREATE TABLE F_GUEST (GNO INTEGER PRIMARY KEY, GNAME TEXT, TOWN TEXT);
CREATE TABLE F_ROUTE (RNO INTEGER PRIMARY KEY, RNAME TEXT, KM INTEGER);
CREATE TABLE F_TICKET (TICKNO INTEGER PRIMARY KEY, GNO INTEGER, RNO INTEGER, SOLD_DT TEXT, FARE NUMERIC, COPY_OF INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
INSERT INTO F_CREW SELECT 700 + i, 'Sailor ' || i, 'R' || (i % 3), CASE WHEN i THEN 700 + i / 5 END, date('2020-01-01', '+' || (i * 30) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79)
INSERT INTO F_GUEST SELECT 9000 + i, 'Guest ' || i, 'Town ' || (i % 4) FROM n;
INSERT INTO F_ROUTE VALUES (51, 'Island Line', 20), (52, 'Fjord Line', 60), (53, 'Cape Line', 90);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
INSERT INTO F_TICKET SELECT 40000 + i, 9000 + i % 70, 51 + i % 3, date('2025-01-01', '+' || i || ' days'), 10 + i % 7, CASE WHEN i % 50 = 49 THEN 40000 + i - 1 END FROM n;
"""


@pytest.fixture(scope="module")
def ferries():
    return place(FERRIES)


def points(where, table, column):
    return next(
        (r.target for r in where[1].model.relations if r.source == table and r.columns == (column,)), ""
    )


@pytest.mark.parametrize(
    ("table", "column", "target"),
    [
        ("F_CREW", "BOSS_CRNO", "F_CREW"),
        ("F_TICKET", "GNO", "F_GUEST"),
        ("F_TICKET", "COPY_OF", "F_TICKET"),
        ("F_TICKET", "FARE", ""),
        ("F_ROUTE", "KM", ""),
    ],
)
def test_a_number_points_at_the_rows_that_its_name_tells(ferries, table, column, target):
    assert points(ferries, table, column) == target


def test_numbers_are_keys_and_names_show_the_rows(ferries):
    model = ferries[1].model
    assert model.field("F_GUEST", "GNO").role is Role.KEY
    assert [model.things[t].display for t in ("F_GUEST", "F_CREW", "F_ROUTE")] == [
        ("GNAME",),
        ("CRNAME",),
        ("RNAME",),
    ]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        (
            "fare per guest",
            "SELECT GNAME, SUM(FARE) FROM F_TICKET JOIN F_GUEST USING (GNO) GROUP BY GNO",
        ),
        ("guests without a ticket", "SELECT GNAME FROM F_GUEST WHERE GNO NOT IN (SELECT GNO FROM F_TICKET)"),
        ("tickets per route", "SELECT RNAME, COUNT(*) FROM F_TICKET JOIN F_ROUTE USING (RNO) GROUP BY RNO"),
    ],
)
def test_rows_are_shown_by_their_names(ferries, text, sql):
    assert_answered(ferries, text, sql, TODAY)


def test_words_are_not_taken_apart():
    columns = ("piano", "casino", "domino", "tempo")
    music = Table("parts", tuple(map(Column, columns)))
    partners = Table("partners", (Column("pname"), Column("phone")))
    parts = parts_in(Catalog("sqlite", (music, partners)))
    assert [parts(name) for name in (*columns, "partners", "phone")] == [
        (n,) for n in (*columns, "partners", "phone")
    ]


def test_a_name_begins_with_that_of_another_table():
    tables = tuple(
        Table(name, (Column("X"),))
        for name in ("HC_CLNT", "HC_CLNTABS", "T_ORD", "T_ORDL", "PART", "PARTTOOL", "TOOL")
    )
    parts = parts_in(Catalog("sqlite", tables))
    assert parts("HC_CLNTABS") == ("hc", "clnt", "abs")
    assert (parts("T_ORDL"), parts("PARTTOOL"), parts("PART")) == (
        ("t", "ord", "line"),
        ("part", "tool"),
        ("part",),
    )


@pytest.mark.parametrize(
    ("text", "table"), [("how many offices", "TB_OFF"), ("number of instruments", "TB_INS")]
)
def test_a_word_is_a_table_that_is_cut_from_it(text, table):
    where = place(
        """
        CREATE TABLE TB_OFF (OFF_CD TEXT, OFF_NM TEXT);
        CREATE TABLE TB_INS (INS_NO INTEGER, INS_NM TEXT, OFF_CD TEXT, BUY_DT TEXT, COST_AMT NUMERIC);
        INSERT INTO TB_OFF VALUES ('A', 'North'), ('B', 'South');
        INSERT INTO TB_INS VALUES (1, 'Scale', 'A', '2025-01-01', 10), (2, 'Lamp', 'B', '2025-02-01', 20), (3, 'Pump', 'A', '2025-03-01', 30);
        """
    )
    assert_answered(where, text, f"SELECT COUNT(*) FROM {table}", TODAY)


OLD = """
CREATE TABLE EMPMST (EMPNO INTEGER PRIMARY KEY, ENAME TEXT, SUPV INTEGER, HIREDT TEXT);
CREATE TABLE CUSTMST (CUSTNO TEXT, CNAME TEXT, SLSREP INTEGER, CRTDT TEXT);
CREATE TABLE DLVHDR (DLVNO INTEGER, BILLTO TEXT, SHIPTO TEXT, DRVR INTEGER, CHKBY INTEGER, DLVDT TEXT, NETAMT NUMERIC);
CREATE TABLE DLVPOS (DLVNO INTEGER, POSNO INTEGER, QTY INTEGER, UPRC NUMERIC);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
INSERT INTO EMPMST SELECT 400 + i, 'Worker ' || i, CASE WHEN i THEN 400 + i / 6 END, date('2020-01-01', '+' || (i * 30) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
INSERT INTO CUSTMST SELECT 'C' || (100 + i), 'Firm ' || i, 400 + i % 9, date('2021-01-01', '+' || (i * 9) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
INSERT INTO DLVHDR SELECT 8000 + i, 'C' || (100 + i % 40), 'C' || (100 + i % 37), 3, 400 + i % 7, date('2025-01-01', '+' || (i * 2) || ' days'), 50 + i FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
INSERT INTO DLVPOS SELECT 8000 + i / 2, i % 2 + 1, 1 + i % 5, 10 + i % 3 FROM n;
"""


@pytest.fixture(scope="module")
def old():
    return place(OLD)


@pytest.mark.parametrize(
    ("table", "column", "target"),
    [
        ("EMPMST", "SUPV", "EMPMST"),
        ("CUSTMST", "SLSREP", "EMPMST"),
        ("DLVHDR", "BILLTO", "CUSTMST"),
        ("DLVHDR", "SHIPTO", "CUSTMST"),
        ("DLVHDR", "CHKBY", "EMPMST"),
        ("DLVHDR", "DRVR", ""),
    ],
)
def test_roles_in_one_piece_point_where_their_values_are(old, table, column, target):
    assert points(old, table, column) == target


def test_a_table_in_one_piece_is_named_by_its_noun(old):
    model = old[1].model
    assert model.things["DLVPOS"].noun == (*model.things["DLVHDR"].noun, "line")
    assert [model.things[t].display for t in ("EMPMST", "CUSTMST")] == [("ENAME",), ("CNAME",)]


def test_open_vacancies_are_open():
    where = place(
        """
        CREATE TABLE vacancies (vacancy_id INTEGER PRIMARY KEY, title TEXT, branch TEXT, opened_by INTEGER, opened_on DATE, closed_on DATE, status TEXT);
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
        INSERT INTO vacancies SELECT i + 1, 'Post ' || i, 'B' || (i % 4), 1 + i % 5, date('2025-01-01', '+' || i || ' days'),
        CASE WHEN i % 3 THEN date('2025-06-01', '+' || i || ' days') END, CASE i % 3 WHEN 0 THEN 'open' WHEN 1 THEN 'filled' ELSE 'cancelled' END FROM n;
        """
    )
    assert_answered(
        where,
        "open vacancies per branch",
        "SELECT branch, COUNT(*) FROM vacancies WHERE status = 'open' GROUP BY 1",
        TODAY,
    )


def test_small_numbers_that_count_point_at_nothing():
    where = place(
        """
        CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, full_name TEXT);
        CREATE TABLE lots (lot_id INTEGER PRIMARY KEY, number_of INTEGER, size_of INTEGER, hobby INTEGER, prep INTEGER, nearby INTEGER, developer INTEGER);
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
        INSERT INTO employees SELECT i + 1, 'Person ' || i FROM n;
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
        INSERT INTO lots SELECT i + 1, 1 + i % 5, 1 + i % 7, 1 + i % 3, 1 + i % 4, 1 + i % 6, 1 + i % 8 FROM n;
        """
    )
    assert not [r for r in where[1].model.relations if r.source == "lots"]


def test_longer_words_are_not_cut_at_another_table():
    names = ("ship", "shipments", "cat", "catalog", "inv", "investors", "pol", "policies", "pay", "payees")
    parts = parts_in(Catalog("sqlite", tuple(Table(name, (Column("x"),)) for name in names)))
    assert [parts(name) for name in names] == [(name,) for name in names]
    sales = Table("sales", (Column("ssid"), Column("sname"), Column("scode")))
    assert parts_in(Catalog("sqlite", (sales,)))("ssid") == ("ssid",)
