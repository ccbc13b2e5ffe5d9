"""One deed holds of one row, a condition that holds of every row is none, and "busiest" counts what happened."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.pipeline import answer
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits, Outcome, Question

SCRIPT = """
CREATE TABLE ports (id INTEGER PRIMARY KEY, name TEXT, opened_on TEXT NOT NULL);
CREATE TABLE sailors (id INTEGER PRIMARY KEY, name TEXT, port_id INTEGER REFERENCES ports (id), bulletin BOOLEAN);
CREATE TABLE gear (id INTEGER PRIMARY KEY, name TEXT, family TEXT);
CREATE TABLE purchases (id INTEGER PRIMARY KEY, sailor_id INTEGER REFERENCES sailors (id), purchased_at TEXT);
CREATE TABLE purchase_lines (id INTEGER PRIMARY KEY, purchase_id INTEGER REFERENCES purchases (id), gear_id INTEGER REFERENCES gear (id), quantity INTEGER, amount REAL);
INSERT INTO ports VALUES (1, 'Bergen', '1999-05-01'), (2, 'Turku', '2003-06-02');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO sailors SELECT i, 'Sailor ' || i, i % 2 + 1, i % 2 FROM n;
INSERT INTO gear VALUES (1, 'Oak oar', 'oars'), (2, 'Red sail', 'sails'), (3, 'Blue sail', 'sails');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO purchases SELECT i, i % 40 + 1, datetime('2024-01-01', '+' || i || ' days', '+' || (i % 7) || ' hours') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
INSERT INTO purchase_lines SELECT i, i % 600 + 1, i % 3 + 1, 1, i % 50 + 5 FROM n;
"""


@pytest.fixture(scope="module")
def database() -> MemoryDatabase:
    return MemoryDatabase(SCRIPT)


@pytest.fixture(scope="module")
def source(database) -> Source:
    catalog = database.catalog()
    return source_of(catalog, ValueIndex.build(catalog, database))


def run(database: MemoryDatabase, statement: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in database.execute(statement, Limits()).rows]


def sql(source: Source, text: str) -> str:
    return " ".join(understand(text, source, date(2026, 1, 5))[1][0].sql.split())


def test_what_was_bought_in_a_year_was_bought_in_that_year(source, database):
    asked = sql(source, "how many sailors bought sails in 2025")
    assert asked.count(" IN (SELECT ") == 1  # one purchase, looked up once
    expected = run(
        database,
        "SELECT COUNT(DISTINCT p.sailor_id) FROM purchase_lines l JOIN purchases p ON p.id = l.purchase_id "
        "JOIN gear g ON g.id = l.gear_id WHERE g.family = 'sails' AND p.purchased_at >= '2025' AND p.purchased_at < '2026'",
    )
    assert run(database, asked) == expected


def test_a_verb_of_another_thing_makes_no_answer(database):
    """A port was always opened on some day; whether a sailor opened a bulletin is not stored."""
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    ended = list(
        answer(
            Question("how many sailors opened the bulletin"), database=database, catalog=catalog, index=index
        )
    )[-1]
    assert ended.answer.outcome is not Outcome.ANSWERED


@pytest.mark.parametrize(
    "text", ["what is our busiest hour", "busiest month 2025", "busiest day of the week"]
)
def test_the_busiest_time_is_that_of_most_purchases(source, text):
    assert "COUNT(*)" in sql(source, text)
    assert "SUM" not in sql(source, text)


HARBOUR = """
CREATE TABLE skippers (id INTEGER PRIMARY KEY, full_name TEXT, left_on TEXT);
CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE moorings (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), skipper_id INTEGER REFERENCES skippers (id), moored_on TEXT NOT NULL, mooring_state TEXT);
CREATE TABLE payments (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boats (id), paid_on TEXT, amount REAL, method TEXT);
INSERT INTO skippers VALUES (1, 'Ann Ek', NULL), (2, 'Bo Lind', '2025-02-03'), (3, 'Cy Dahl', NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) INSERT INTO boats SELECT i, 'Boat ' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO moorings SELECT i, i % 25 + 1, i % 3 + 1, date('2024-01-01', '+' || i || ' days'), CASE i % 3 WHEN 0 THEN 'BK' WHEN 1 THEN 'GO' ELSE 'NX' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO payments SELECT i, i % 20 + 1, date('2024-01-01', '+' || i || ' days'), i % 90 + 5, 'card' FROM n;
"""


@pytest.fixture(scope="module")
def harbour() -> MemoryDatabase:
    return MemoryDatabase(HARBOUR)


@pytest.mark.parametrize(
    "text",
    [
        "how many patients do we have",  # no misspelt payments
        "how many boats are on the books",  # no moorings of state BK
        "how many moorings are there now",  # not those of skippers who have not left
    ],
)
def test_a_word_that_was_bent_into_another_makes_no_answer(harbour, text):
    catalog = harbour.catalog()
    index = ValueIndex.build(catalog, harbour)
    ended = list(answer(Question(text), database=harbour, catalog=catalog, index=index))[-1]
    assert ended.answer.outcome is not Outcome.ANSWERED, ended.answer.sql


def test_the_same_months_of_last_year_go_as_far_as_this_year_has_come(harbour):
    catalog = harbour.catalog()
    text = "moorings jan to oct this year compared with the same months last year"
    known = source_of(catalog, ValueIndex.build(catalog, harbour))
    made = understand(text, known, date(2025, 5, 15))[1][0].sql
    for bound in (">= '2025-01-01'", "< '2025-05-16'", ">= '2024-01-01'", "< '2024-05-16'"):
        assert f"moored_on {bound}" in made


def test_who_paid_most_paid_the_highest_sum(harbour):
    catalog = harbour.catalog()
    made = sql(source_of(catalog, ValueIndex.build(catalog, harbour)), "which boats have paid us the most")
    assert "SUM(payments.amount) DESC" in made


@pytest.mark.parametrize("text", ["who bought the most", "who bought the most in 2025?"])
def test_who_is_no_single_purchase(database, text):
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    ended = list(answer(Question(text), database=database, catalog=catalog, index=index))[-1]
    made = ended.answer
    assert made.outcome is not Outcome.ANSWERED or "sailor" in made.sql, made.sql


def test_two_columns_of_one_name_are_told_apart_by_their_tables_names(source, database):
    asked = sql(source, "list sailors with the name of their port")
    assert "AS port_name" in asked
    assert "name_2" not in asked
    columns = database.execute(asked, Limits()).columns
    assert tuple(columns) == ("name", "port_name")
