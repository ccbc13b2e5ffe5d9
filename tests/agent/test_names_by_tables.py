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
