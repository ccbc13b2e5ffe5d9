"""Questions to verify: of every family and table in turn, each in wordings that ask the same, none twice."""

from __future__ import annotations

from collections import Counter

import pytest

from sqlagent.adapters import open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst import questions_to_verify
from sqlagent.makers.analyst.frames import Frame, Measure
from sqlagent.makers.analyst.questions_to_verify import wordings
from sqlagent.testing import MemoryDatabase


@pytest.fixture(scope="module")
def made(shop_file):
    database = open_database("sqlite", database=str(shop_file))
    catalog = database.catalog()
    return questions_to_verify(catalog, ValueIndex.build(catalog, database), lambda sql: True, 40)


def test_many_are_made_families_and_tables_in_turn(made):
    assert len(made) >= 30 and len({one.text for one in made}) == len(made)
    counted = Counter(one.family for one in made[:20])
    assert len(counted) >= 7 and max(counted.values()) <= 3


def test_all_but_the_first_wording_are_other_words_for_it(made):
    assert all(len(set(one.wordings)) == len(one.wordings) >= 2 for one in made)


def test_nothing_is_made_of_nothing_and_of_what_may_not_run(shop_file):
    empty = MemoryDatabase("CREATE TABLE t (id INTEGER)")
    assert questions_to_verify(empty.catalog(), None, lambda sql: True) == ()
    shop = open_database("sqlite", database=str(shop_file))
    assert questions_to_verify(shop.catalog(), None, lambda sql: False) == ()


@pytest.mark.parametrize(
    ("text", "agg", "other"),
    [
        ("Revenue by channel, 2025", "sum", "What was the revenue for each channel in 2025?"),
        ("Orders by channel, 2025", "rows", "How many orders were there for each channel in 2025?"),
        ("Orders by month, 2025", "rows", "Monthly number of orders in 2025"),
        ("Running total of revenue by month, 2025", "sum", "Cumulative revenue by month in 2025"),
        ("Customers without orders in 2025", "rows", "Which customers had no orders in 2025?"),
        ("Top 3 products in each category by revenue", "sum",
         "For each category, which three products have the highest revenue?"),
        ("Revenue: web vs store", "sum", "Compare the revenue of web and store"),
        ("Number of orders by weekday", "rows", "How many orders are there on each day of the week?"),
        ("CSAT by team", "avg", "CSAT per team"),
    ],
)  # fmt: skip
def test_a_question_is_said_in_other_words(text, agg, other):
    said = wordings(text, Frame("t", (Measure(agg, "t"),)))
    assert said[0] == text and other in said


def test_a_text_of_no_family_is_left_as_it_is():
    assert wordings("what else", Frame("t")) == ("what else",)
