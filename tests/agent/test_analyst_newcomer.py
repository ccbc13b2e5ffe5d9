"""Phrases of people who see a database for the first time, on a riding school that explains its codes in comments."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path

import pytest

from sqlagent.adapters.sqlite import SqliteDatabase
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.values import Limits

SCRIPT = (Path(__file__).parent / "cases" / "analyst" / "riding.sql").read_text()


@pytest.fixture(scope="module")
def database(tmp_path_factory) -> SqliteDatabase:
    path = tmp_path_factory.mktemp("riding") / "riding.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(SCRIPT)
    made.close()
    return SqliteDatabase(path)


@pytest.fixture(scope="module")
def source(database) -> Source:
    catalog = database.catalog()
    return source_of(catalog, ValueIndex.build(catalog, database))


def frames(source: Source, text: str):
    return understand(text, source, date(2026, 1, 5))[1]


def rows(database: SqliteDatabase, statement: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in database.execute(statement, Limits()).rows)


CASES = [
    ("done lessons", "SELECT COUNT(*) FROM lessons WHERE st = 'DN'"),
    ("lessons done in 2025", "SELECT COUNT(*) FROM lessons WHERE st = 'DN' AND lesson_ts >= '2025' AND lesson_ts < '2026'"),
    ("no-shows by yr", "SELECT strftime('%Y', lesson_ts), COUNT(*) FROM lessons WHERE st = 'NS' GROUP BY 1"),
    ("what percentage of lessons was a no show", "SELECT 100.0 * SUM(st = 'NS') / COUNT(*) FROM lessons"),
    ("how many Haflingers do we have", "SELECT COUNT(*) FROM horses WHERE breed_cd = 'HAF'"),
    ("ratio of Connemaras to Haflingers", "SELECT 1.0 * SUM(breed_cd = 'CON') / SUM(breed_cd = 'HAF') FROM horses"),
    ("ratio of web to phone lessons", "SELECT 1.0 * SUM(booked_via = 'web') / SUM(booked_via = 'phone') FROM lessons"),
    (
        "riders whose last lesson was before 2025",
        "SELECT first_nm, surname FROM riders JOIN lessons USING (rider_no) GROUP BY rider_no HAVING MAX(lesson_ts) < '2025'",
    ),
    (
        "riders whose first lesson was in january 2024",
        "SELECT first_nm, surname FROM riders JOIN lessons USING (rider_no) GROUP BY rider_no HAVING MIN(lesson_ts) < '2024-02'",
    ),
    ("unpaid fees", "SELECT COUNT(*) FROM fees WHERE fee_id NOT IN (SELECT fee_id FROM receipts)"),
    ("how many fees are unpaid", "SELECT COUNT(*) FROM fees WHERE fee_id NOT IN (SELECT fee_id FROM receipts)"),
    (
        "late receipts by method",
        "SELECT r.method, COUNT(*) FROM receipts r JOIN fees f USING (fee_id) WHERE r.received_on > f.due_on GROUP BY 1",
    ),
    (
        "how many riders from each town had a lesson in 2025",
        "SELECT town, COUNT(DISTINCT rider_no) FROM riders JOIN lessons USING (rider_no) WHERE lesson_ts >= '2025' AND lesson_ts < '2026' GROUP BY 1",
    ),
    (
        "how many people had a lesson in 2025",
        "SELECT COUNT(DISTINCT rider_no) FROM lessons WHERE lesson_ts >= '2025' AND lesson_ts < '2026'",
    ),
    ("who never had a lesson", "SELECT first_nm, surname FROM riders WHERE rider_no NOT IN (SELECT rider_no FROM lessons)"),
    (
        "fees by month in 2025, how many and how much",
        "SELECT strftime('%Y-%m', due_on), COUNT(*), SUM(amt) FROM fees WHERE due_on >= '2025' AND due_on < '2026' GROUP BY 1",
    ),
    ("lessons month by month in 2025", "SELECT strftime('%Y-%m', lesson_ts), COUNT(*) FROM lessons WHERE lesson_ts >= '2025' AND lesson_ts < '2026' GROUP BY 1"),
    ("average livery length", "SELECT AVG(julianday(until_day) - julianday(from_day)) FROM liveries"),
    (
        "lessons 2025 vs same period last year",
        "SELECT strftime('%Y', lesson_ts), COUNT(*) FROM lessons WHERE lesson_ts < '2026' AND lesson_ts >= '2024' GROUP BY 1",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "gold"), CASES, ids=[text for text, _ in CASES])
def test_a_newcomer_is_understood(database, source, text, gold):
    first = frames(source, text)[0]
    assert first.frame.unused == ()
    assert rows(database, first.sql) == rows(database, gold)


@pytest.mark.parametrize(
    "text",
    [
        "which rider paid the most",
        "rider satisfaction by town",
        "delivered lessons",
        "who complained about a lesson",
    ],
)
def test_what_is_not_recorded_makes_no_sure_answer(source, text):
    """No amount stands beside a receipt, no rating anywhere, and no lesson has the state of a delivery."""
    found = frames(source, text)
    assert not found or found[0].frame.unused or found[0].frame.cost >= 0.5


def test_codes_explained_in_comments_have_labels(source):
    told = dict(source.model.field("lessons", "st").labels)
    assert told == {"PL": "planned", "DN": "done", "NS": "no-show", "CX": "cancelled"}
    assert dict(source.model.field("coaches", "role").labels) == {"INS": "instructor", "GRM": "groom"}


def test_a_word_that_is_a_rate_by_its_stem_alone_is_no_rating(source):
    reading, found = understand("avg rating by coach", source, date(2026, 1, 5))
    assert "rating" in reading.asked
    assert not found or found[0].frame.unused


@pytest.fixture(scope="module")
def orders(tmp_path_factory) -> SqliteDatabase:
    path = tmp_path_factory.mktemp("orders") / "orders.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(
            "CREATE TABLE Clnt (ClntNo INTEGER PRIMARY KEY, ClntNm TEXT NOT NULL, OpnDt TEXT NOT NULL);"
            "CREATE TABLE Ord (OrdNo INTEGER PRIMARY KEY, ClntNo INTEGER NOT NULL REFERENCES Clnt (ClntNo), OrdDt TEXT NOT NULL, Stat TEXT NOT NULL);"
            "CREATE TABLE Clm (ClmNo INTEGER PRIMARY KEY, ClntNo INTEGER NOT NULL REFERENCES Clnt (ClntNo), RcvdDt TEXT NOT NULL);"
            "CREATE TABLE Rfnd (RfndNo INTEGER PRIMARY KEY, ClntNo INTEGER NOT NULL REFERENCES Clnt (ClntNo), RfndDt TEXT NOT NULL);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
            "INSERT INTO Clnt SELECT i, 'Client ' || i, date('2020-01-01', '+' || (i * 20) || ' days') FROM n;"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
            "INSERT INTO Ord SELECT i, i % 35 + 1, date('2024-01-01', '+' || (i * 2 + (i % 35 > 20) * 20) || ' days'), substr('OCS', i % 3 + 1, 1) FROM n WHERE NOT (i % 35 < 5 AND i > 150);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
            "INSERT INTO Clm SELECT i, i % 11 + 1, date('2024-06-01', '+' || (i * 6) || ' days') FROM n;"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
            "INSERT INTO Rfnd SELECT i, i % 13 + 20, date('2024-06-01', '+' || (i * 6) || ' days') FROM n;"
        )
    made.close()
    return SqliteDatabase(path)


ORDERS = [
    ("how many orders are still open", "SELECT COUNT(*) FROM Ord WHERE Stat = 'O'"),
    (
        "clients that ordered nothing in 2025",
        "SELECT ClntNm FROM Clnt WHERE ClntNo NOT IN (SELECT ClntNo FROM Ord WHERE OrdDt >= '2025' AND OrdDt < '2026')",
    ),
    (
        "how many clients had a claim or a refund in 2025",
        "SELECT COUNT(*) FROM Clnt WHERE ClntNo IN (SELECT ClntNo FROM Clm WHERE RcvdDt >= '2025') OR ClntNo IN (SELECT ClntNo FROM Rfnd WHERE RfndDt >= '2025')",
    ),
    ("who never orderd", "SELECT ClntNm FROM Clnt WHERE ClntNo NOT IN (SELECT ClntNo FROM Ord)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "gold"), ORDERS, ids=[text for text, _ in ORDERS])
def test_orders_in_short_forms_are_understood(orders, text, gold):
    catalog = orders.catalog()
    first = frames(source_of(catalog, ValueIndex.build(catalog, orders)), text)[0]
    assert first.frame.unused == ()
    assert rows(orders, first.sql) == rows(orders, gold)


def test_a_stage_before_a_noun_is_not_dropped(orders):
    catalog = orders.catalog()
    first = frames(source_of(catalog, ValueIndex.build(catalog, orders)), "shipped orders in 2025")[0]
    assert first.frame.unused == ("shipped",)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("inactive riders", "inactive"),
        ("riders no longer active", "no longer active"),
        ("trainned riders", "trainned"),
    ],
)
def test_words_that_are_left_out_are_told_as_they_were_typed(source, text, left):
    assert frames(source, text)[0].frame.unused == (left,)
