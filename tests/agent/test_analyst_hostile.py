"""Texts and names that were found to break the analyst: endless runs, endless numbers, names without words, names of people."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from sqlagent import pipeline
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.events import Ended
from sqlagent.language.personal import is_personal_column
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import followed
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.makers.analyst.telling import told
from sqlagent.makers.following import stand_alone
from sqlagent.testing import MemoryDatabase, ScriptedLlm
from sqlagent.values import Outcome, Question, Turn

SCRIPT = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), ordered_on TEXT, amount REAL, status TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO customers SELECT i, 'Name ' || i, CASE i % 3 WHEN 0 THEN 'Norway' WHEN 1 THEN 'Chile' ELSE 'Peru' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 660)
INSERT INTO orders SELECT i, i % 40 + 1, date('2024-01-01', '+' || CAST(i * 1.5 AS INTEGER) || ' days'), i % 90 + 10, CASE i % 4 WHEN 0 THEN 'open' ELSE 'shut' END FROM n;
"""


@pytest.fixture(scope="module")
def source() -> Source:
    return opened(SCRIPT)[1]


def opened(script: str) -> tuple[MemoryDatabase, Source]:
    database = MemoryDatabase(script)
    catalog = database.catalog()
    return database, source_of(catalog, ValueIndex.build(catalog, database))


@pytest.mark.parametrize(
    "text",
    [
        "a sort by" + " " * 1_900 + ")",
        "orders," + " " * 1_900 + "a",
        "orders" + "," * 1_900 + ")",
        "orders" + ", " * 950 + ")",
        "orders sort by\u00a0" + "\n" * 1_900 + ")",
    ],
    ids=repr,
)
def test_endless_runs_are_read_as_one(source, text):
    """Patterns took time by the third power of a run: minutes, where a test may take two of them in all."""
    understand(text, source, date(2026, 1, 5))
    followed(text, "amount by country", MemoryDatabase(SCRIPT).catalog(), source.vocabulary.index)


@pytest.mark.parametrize("number", ["1" * 310, "9" * 400, "9" * 400 + "k"])
def test_a_number_without_end_is_no_number(source, number):
    _, found = understand(f"orders over {number}", source, date(2026, 1, 5))
    assert not found or found[0].frame.unused


@pytest.mark.parametrize("name", ["_", "__", "$", "%", "-", "..", " ", "\N{GRINNING FACE}"])
def test_a_table_whose_name_has_no_words_harms_no_other(name):
    script = f"CREATE TABLE \"{name}\" (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO \"{name}\" VALUES (1, 'x'), (2, 'y');"
    database, _ = opened(SCRIPT + script)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    *_, ended = pipeline.answer(Question("orders by status"), database=database, catalog=catalog, index=index)
    assert isinstance(ended, Ended)
    assert ended.answer.outcome is Outcome.ANSWERED


def test_a_year_that_is_not_over_is_held_against_as_much_of_the_one_before(source):
    newest = date.fromisoformat(source.model.newest)
    _, found = understand(f"amount growth {newest.year}", source, newest)
    said = told(found[0].frame)
    assert found[0].frame.unused == ()
    assert f"to {newest.year}-01-01 to {newest.isoformat()}" in said
    assert f"from {newest.year - 1}-01-01 to {newest.replace(year=newest.year - 1).isoformat()}" in said


def test_a_year_that_is_over_is_held_against_a_whole_one(source):
    _, found = understand("amount growth 2025", source, date(2026, 9, 1))
    assert "from 2024 to 2025" in told(found[0].frame)


@pytest.mark.parametrize("typed", ["how many orders?", "how many orders was that?"])
def test_a_bare_count_is_of_what_was_asked_before(typed):
    database, source = opened(SCRIPT)
    catalog = database.catalog()
    turn = Turn("amount by country in 2025", "")
    text = stand_alone(typed, (turn,), catalog, None, index=source.vocabulary.index).text
    _, found = understand(text, source, date(2026, 1, 5))
    assert "2025-01-01" in found[0].sql
    assert "COUNT(*)" in found[0].sql


def test_what_chips_say_is_shown_to_no_language_model():
    """A value chosen from a menu was never typed: below `rows` a model is shown none of it."""
    catalog = MemoryDatabase(SCRIPT).catalog()
    sql = "SELECT COUNT(*) FROM orders JOIN customers ON customers.id = customer_id WHERE country = 'Norway'"
    turn = Turn("number of orders by month", sql, "Number of orders by month, Norway")
    llm = ScriptedLlm("How many orders are there by weekday?")
    stand_alone("and by weekday?", (turn,), catalog, llm, privacy="schema")
    assert llm.requests
    assert not any("Norway" in message.text for request in llm.requests for message in request.messages)


def test_what_chips_say_is_what_a_follow_up_goes_on_from():
    database, source = opened(SCRIPT)
    turn = Turn("number of orders by month", "", "number of orders by month, Norway")
    text = stand_alone(
        "by status instead", (turn,), database.catalog(), None, index=source.vocabulary.index
    ).text
    assert "Norway" in text


def test_who_a_person_is_does_not_hang_on_what_an_owner_calls_a_column():
    script = "CREATE TABLE orders (id INTEGER PRIMARY KEY, sales_rep TEXT, handled_by TEXT, status TEXT, ordered_on TEXT);"
    _, source = opened(script)
    personal = {f.column for f in source.model.fields["orders"] if source.is_personal(f)}
    assert personal == {"sales_rep", "handled_by"}
    renamed = replace(source.model.field("orders", "sales_rep"), words=("label",))
    assert source.is_personal(renamed)
    assert not is_personal_column({"order"}, ["custom", "type"])


ROWS = ", ".join(
    f"('{what}', '2026-0{month}-1{day}', {day + month}, {month * 1.5})"
    for what in ("Pear", "Plum", "Fig")
    for month in range(1, 6)
    for day in range(9)
)
FRUIT = f'CREATE TABLE fruit (Product TEXT, Sold_on TEXT, Qty INTEGER, "Price €" REAL); INSERT INTO fruit VALUES {ROWS};'


@pytest.mark.parametrize("text", ["sales by product", "sum of Qty by Product", "total qty per product"])
def test_names_that_sql_takes_in_quotes_alone_and_short_names_are_answered(text):
    """ "Price €" stood without its quotes where two readings were told apart: that ended the run."""
    database = MemoryDatabase(FRUIT)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    ended = list(pipeline.answer(Question(text), database=database, catalog=catalog, index=index))[-1]
    assert isinstance(ended, Ended)
    assert ended.answer.outcome in (Outcome.ANSWERED, Outcome.AMBIGUOUS), ended.answer.reason
    assert len(ended.answer.rows.rows) == 3


def test_a_word_between_two_values_is_one_of_their_column_once():
    """It was a column's name too, and had become a value beside the first of them: the second did not find it any more."""
    script = """
    CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, balance INTEGER);
    CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT, pace TEXT);
    INSERT INTO players VALUES (1, 'Ann', 7), (2, 'Bo', 9);
    INSERT INTO teams VALUES (1, 'Red', 'Slow'), (2, 'Blue', 'Balance'), (3, 'Green', 'Fast'), (4, 'Grey', 'Fast');
    """
    _, found = understand("number of teams slow or balance or fast", opened(script)[1], date(2026, 1, 5))
    assert found
