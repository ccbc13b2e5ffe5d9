"""A nursery that sells plants: misspelt words, ranks wherever they stand, and denied states that nothing here records."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.spelling import SLIPS, nearest, unslipped
from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place

TODAY = date(2026, 6, 30)

NURSERY = """
CREATE TABLE growers (grower_id INTEGER PRIMARY KEY, grower_name TEXT, country TEXT);
CREATE TABLE categories (category_id INTEGER PRIMARY KEY, category_name TEXT);
CREATE TABLE plants (plant_id INTEGER PRIMARY KEY, plant_name TEXT, category_id INTEGER REFERENCES categories(category_id), list_price NUMERIC);
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, customer_name TEXT, country TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), ordered_on DATE, channel TEXT);
CREATE TABLE order_lines (line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(order_id), plant_id INTEGER REFERENCES plants(plant_id), quantity INTEGER, amount NUMERIC);
INSERT INTO categories VALUES (1, 'Shrubs'), (2, 'Grasses'), (3, 'Herbs');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO plants SELECT i, 'Plant ' || i, i % 3 + 1, 4 + i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO customers SELECT i, 'Garden ' || i, CASE i % 7 WHEN 0 THEN 'Norway' WHEN 1 THEN 'Spain' WHEN 2 THEN 'Italy' WHEN 3 THEN 'France' WHEN 4 THEN 'Poland' WHEN 5 THEN 'Austria' ELSE 'Greece' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
INSERT INTO orders SELECT i, i % 27 + 1, date('2024-01-01', '+' || i || ' days'), CASE i % 7 WHEN 0 THEN 'web' WHEN 1 THEN 'market' WHEN 2 THEN 'market' ELSE 'phone' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
INSERT INTO order_lines SELECT i, i % 900 + 1, i * 7 % 12 + 1, i % 4 + 1, 10 + i * i % 90 FROM n;
"""

_LINES = "FROM order_lines JOIN orders USING (order_id) JOIN customers USING (customer_id)"
_BY_COUNTRY = (
    f"SELECT country, SUM(amount) {_LINES} WHERE ordered_on LIKE '2025%' GROUP BY 1 ORDER BY 2 DESC LIMIT 5"
)
_SOLD = (
    "FROM order_lines JOIN plants USING (plant_id) JOIN categories USING (category_id) GROUP BY category_id"
)


@pytest.fixture(scope="module")
def nursery():
    return place(NURSERY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        # the rank before the period, behind it, and before the figure
        ("revenue by country top 5 in 2025", _BY_COUNTRY),
        ("revenue by country in 2025 top 5", _BY_COUNTRY),
        ("revenue by country, top 5, 2025", _BY_COUNTRY),
        ("top 5 revenue by country 2025", _BY_COUNTRY),
        ("orders by channel top 2 since 2025", "SELECT channel, COUNT(*) FROM orders WHERE ordered_on >= '2025-01-01' GROUP BY 1 ORDER BY 2 DESC LIMIT 2"),
        ("highest revenue by country", f"SELECT country, SUM(amount) {_LINES} GROUP BY 1"),
        ("highest list price by category", "SELECT category_name, MAX(list_price) FROM plants JOIN categories USING (category_id) GROUP BY category_id"),
        ("which categories sell best", f"SELECT category_name, SUM(quantity) {_SOLD}"),
        # several slips, of words of asking, of names and of stored texts
        ("wich contries bring most revenu", f"SELECT country, SUM(amount) {_LINES} GROUP BY 1"),
        ("whta is the revenue by catgory", f"SELECT category_name, SUM(amount) {_SOLD}"),
        ("costumers withot orders", "SELECT customer_name FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)"),
        ("hwo many ordres per chanel lats year", "SELECT channel, COUNT(*) FROM orders WHERE ordered_on LIKE '2025%' GROUP BY 1"),
        ("totl revenue in norwy and itly", f"SELECT SUM(amount) {_LINES} WHERE country IN ('Norway', 'Italy')"),
    ],
)  # fmt: skip
def test_a_question_is_answered_however_it_is_typed(nursery, text, sql):
    assert_answered(nursery, text, sql, TODAY)


def test_slips_are_said(nursery):
    made = analysed(nursery, "wich contries bring most revenu lst year", TODAY)
    assert {("wich", "which"), ("contries", "countries"), ("lst", "last")} <= set(made.reading.mended)
    assert any("“wich” was read as “which”" in note for note in made.candidates[0].notes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # a slip that a name begins with is one too; a short form is none
        ("how many ordes last month", [("ordes", "orders")]),
        ("how many ordrs last month", [("ordrs", "orders")]),
        ("how many growes", [("growes", "growers")]),
        ("revenue by categor", [("categor", "category")]),
        ("how many ords last month", []),
        ("how many custs", []),
        ("orders by chan", []),
    ],
)
def test_a_name_with_a_slip_is_told(nursery, text, told):
    made = analysed(nursery, text, TODAY)
    assert made.outcome()[0] is Outcome.ANSWERED
    assert list(made.reading.mended) == told
    assert all(f"“{old}” was read as “{new}”." in made.candidates[0].notes for old, new in told)
    assert not {old for old, _ in told} & {*made.candidates[0].title.replace(",", "").split()}


def test_a_quoted_word_is_no_slip(nursery):
    assert not understand('how many "ordes"', nursery[1], TODAY)[0].mended


def test_what_the_source_knows_is_no_slip():
    assert unslipped("lats by yer", lambda word: word in ("lats", "yer")) == ("lats by yer", ())
    assert unslipped("who is 'lst' and \"wich\"", lambda word: False)[1] == ()
    assert all(slip != word and len(slip) > 2 for slip, word in SLIPS.items())


@pytest.mark.parametrize(
    ("typed", "words", "meant"),
    [
        ("costumers", ["customers"], "customers"),
        ("contries", ["countries", "country"], "countries"),
        ("patients", ["payments"], ""),
        ("costume", ["custom"], ""),
        ("staler", ["alters"], ""),
    ],
)
def test_a_word_is_mended_towards_the_nearest(typed, words, meant):
    assert nearest(typed, words) == meant


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("orders not cancelled", "cancelled"),
        ("orders not cancelled in 2025", "cancelled"),
        ("orders that were not approved by channel", "approved"),
        ("customers not contacted", "contacted"),
        ("customers who never complained", "complained"),
    ],
)
def test_a_denied_state_that_nothing_records_is_named(nursery, text, word):
    assert outcome(nursery, text, TODAY) is not Outcome.ANSWERED
    made = analysed(nursery, text, TODAY)
    assert word in made.outcome()[1]
    first = made.frames[0].frame
    assert word in first.unused
    if "never" not in text:
        assert not any(one.op == "exists" for one in first.where)


def test_a_period_behind_such_a_state_still_holds(nursery):
    first = understand("orders not cancelled in 2025", nursery[1], TODAY)[1][0].frame
    assert [one.period.first.isoformat() for one in first.where if one.period] == ["2025-01-01"]


@pytest.mark.parametrize("text", ["top 3 list price by category", "which customers grumble most"])
def test_what_may_be_meant_otherwise_is_no_answer(nursery, text):
    assert outcome(nursery, text, TODAY) is not Outcome.ANSWERED
