"""Causes that failed most across databases: a number beside a figure, a deed's object, states said twice, groups with a qualifier, ages and totals."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import DRAFT, understand
from sqlagent.makers.analyst.source import Source
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits

TODAY = date(2026, 6, 1)

BOATYARD = """
CREATE TABLE skippers (skipper_id INTEGER PRIMARY KEY, name TEXT, joined_on DATE);
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, name TEXT, class TEXT);
CREATE TABLE hires (hire_id INTEGER PRIMARY KEY, skipper_id INTEGER REFERENCES skippers, boat_id INTEGER NOT NULL REFERENCES boats,
  source TEXT, hired_on DATE, returned_on DATE, deposit DECIMAL, stars INTEGER, refund_amount DECIMAL, refunded_on DATE);
CREATE TABLE repairs (repair_id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats, decision TEXT, reported_on DATE);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, skipper_id INTEGER REFERENCES skippers, order_date DATE, paid_on DATE);
CREATE TABLE order_lines (order_id INTEGER REFERENCES orders, line_no INTEGER, article TEXT, quantity INTEGER, unit_price DECIMAL, line_amount DECIMAL, PRIMARY KEY (order_id, line_no));
CREATE TABLE slot_times (slot_time_id INTEGER PRIMARY KEY, skipper_id INTEGER REFERENCES skippers, starts_at DATETIME, crew INTEGER);
INSERT INTO skippers VALUES (1,'Ada','2024-01-01'),(2,'Bo','2024-01-01'),(3,'Cy','2025-01-01'),(4,'Di','2025-06-01');
INSERT INTO boats VALUES (1,'Alk','dinghy'),(2,'Bekas','yacht'),(3,'Columba','yacht');
INSERT INTO hires VALUES (1,1,1,'web','2024-07-01','2024-07-03',50,5,NULL,NULL),(2,1,2,'phone','2025-07-01','2025-07-05',80,3,20,'2025-07-06'),
 (3,2,2,'web','2025-08-01',NULL,90,NULL,30,'2025-08-02'),(4,2,1,'web','2025-05-01','2025-05-02',40,4,NULL,NULL);
INSERT INTO repairs VALUES (1,1,'pending','2026-01-02'),(2,2,'pending','2026-05-20'),(3,2,'done','2025-03-01'),(4,3,'refused','2025-04-01'),(5,1,'done','2025-04-01');
INSERT INTO orders VALUES (1,1,'2024-06-01','2024-06-02'),(2,1,'2025-06-01','2025-06-02'),(3,2,'2025-07-01',NULL),(4,3,'2024-02-01','2024-02-02');
INSERT INTO order_lines VALUES (1,1,'rope',2,30,60),(1,2,'sail',1,500,500),(2,1,'rope',1,30,30),(3,1,'mast',1,300,300),(3,2,'rope',10,30,300),(4,1,'rope',1,30,30);
INSERT INTO slot_times VALUES (1,1,'2026-05-01 10:00:00',2),(2,2,'2026-05-01 12:00:00',4);
"""


@pytest.fixture(scope="module")
def boatyard():
    database = MemoryDatabase(BOATYARD)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    return database, Source(derive(catalog, index), index)


def first(yard, question):
    _, source = yard
    return understand(question, source, TODAY)[1][0]


def rows(yard, question):
    one = first(yard, question)
    assert one.frame.unused == (), question
    assert one.frame.cost < DRAFT, question
    return [list(row) for row in yard[0].execute(one.sql, Limits()).rows]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("average stars by source with number of stars", [["web", 4.5, 2], ["phone", 3, 1]]),
        ("refunds in 2025 by source, how many and how much", [["web", 30, 1], ["phone", 20, 1]]),
        ("total refunds in 2025 and how many", [[50, 2]]),
        ("average deposit by source and how many", [["phone", 80, 1], ["web", 60, 3]]),
    ],
)
def test_a_number_beside_a_figure_counts_the_rows_that_have_one(boatyard, question, expected) -> None:
    assert rows(boatyard, question) == expected


@pytest.mark.parametrize("question", ["skippers who never hired a boat", "skippers with no hire of a boat"])
def test_the_object_of_a_deed_is_held_where_every_such_row_has_one(boatyard, question) -> None:
    assert rows(boatyard, question) == [["Cy"], ["Di"]]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many repairs are still pending", [[2]]),
        ("repairs still pending by boat", [["Alk", 1], ["Bekas", 1]]),
        ("average crew per slot time", [[3.0]]),
        ("when did Ada order the last time", [["2025-06-01"]]),
        ("hires by sales source", [["web", 3], ["phone", 1]]),
        ("skippers who ordered in both 2024 and 2025", [["Ada"]]),
        ("hires by source, july to august: 2025 vs 2024", [["phone", 1, 0], ["web", 1, 1]]),
        ("hires 2024 vs 2025 july to august", [["2024", 1], ["2025", 2]]),
    ],
)
def test_words_that_say_a_thing_twice_or_of_each_are_held(boatyard, question, expected) -> None:
    assert sorted(rows(boatyard, question)) == sorted(expected)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("repairs older than 90 days", [[4]]),
        ("unpaid orders older than 90 days", [[1]]),
        ("orders over 500", [[2]]),
        ("orders under 100", [[2]]),
        ("how many orders over 500 in 2025", [[1]]),
    ],
)
def test_a_bare_bound_is_on_the_day_or_the_total_of_what_happened(boatyard, question, expected) -> None:
    assert rows(boatyard, question) == expected


def test_people_are_not_older_by_the_day_on_which_they_joined(boatyard) -> None:
    one = first(boatyard, "skippers older than 90 days")
    assert one.frame.unused or one.frame.cost >= DRAFT


def test_a_bound_on_a_number_of_things_is_none_on_rows_of_a_deed(boatyard) -> None:
    one = first(boatyard, "skippers who hired more than 1 boat")
    assert "COUNT(DISTINCT" in one.sql or one.frame.unused or one.frame.cost >= DRAFT
