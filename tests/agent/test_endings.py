"""How figures are shown, said at the end of a question: cut off, understood, and told where it says nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from sqlagent.evaluation.items import Databases
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.endings import endings
from sqlagent.makers.analyst.source import source_of

CASES = Path(__file__).parent / "cases" / "analyst"
TODAY = date(2026, 1, 5)


@pytest.fixture(scope="module")
def cafes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("endings")
    (folder / "cafes").mkdir()
    with closing(sqlite3.connect(folder / "cafes" / "cafes.sqlite")) as database:
        database.executescript((CASES / "cafes.sql").read_text())
        database.commit()
    opened = Databases(str(folder)).source("cafes")
    return source_of(opened.catalog, opened.index)


def first(text, source):
    return understand(text, source, TODAY)[1][0]


@pytest.mark.parametrize(
    ("text", "body", "kinds"),
    [
        ("sales by category, as a share of the total", "sales by category", ["share"]),
        ("sales by category in percent", "sales by category", ["share"]),
        ("sales by category, as %, smallest first", "sales by category", ["share", "sort"]),
        ("sales by month sorted by month descending", "sales by month", ["sort"]),
        ("sales by category alphabetically", "sales by category", ["sort"]),
        ("sales 2025 in percent", "sales 2025 in percent", []),  # of nothing
        ("which drink came first", "which drink came first", []),
        ("sales by category 2025, top 3", "sales by category 2025", ["top"]),
        ("sales per guest, smallest first, bottom three only", "sales per guest", ["sort", "top"]),
        ("the top 3", "the top 3", []),  # of nothing
    ],
)
def test_endings_are_cut_off(text, body, kinds):
    rest, found = endings(text)
    assert (rest, [one.kind for one in found]) == (body, kinds)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("sales by category, smallest first", "ORDER BY SUM(sales.net_sales_amount)"),
        ("sales by category, highest first", "ORDER BY SUM(sales.net_sales_amount) DESC"),
        ("sales by category, alphabetically", "ORDER BY drink.category_name"),
        ("sales by category sorted by category descending", "ORDER BY drink.category_name DESC"),
        ("sales by category sorted by sales", "ORDER BY SUM(sales.net_sales_amount) DESC"),
        ("sales by category, as a share of the total, smallest first", "AS groups_of ORDER BY sales"),
    ],
)
def test_groups_are_sorted_as_was_said(cafes, text, order):
    found = first(text, cafes)
    assert found.frame.unused == ()
    assert found.sql.endswith(order), found.sql


def test_newest_first_turns_the_periods(cafes):
    assert first("sales by month 2025, newest first", cafes).sql.endswith(" DESC")
    assert first("sales by month 2025, oldest first", cafes).frame.order.ascending


def test_a_share_of_each_group_adds_up_within_it(cafes):
    found = first("sales by category and quarter 2025, in percent of each quarter", cafes)
    assert "PARTITION BY quarter" in found.sql
    assert found.frame.by[0].grain == "quarter"


@pytest.mark.parametrize(
    "text",
    [
        "average order value by cafe, as a share of the total",  # averages are no parts of a whole
        "sales by category sorted by elephants",
    ],
)
def test_an_ending_that_says_nothing_of_a_frame_does_not_fall_away(cafes, text):
    frame = first(text, cafes).frame
    assert frame.transform == "" or frame.unused
    assert frame.unused or "share" in frame.flags or any(m.percent for m in frame.measures), frame


def test_a_list_is_sorted_by_what_it_shows(cafes):
    found = first("guests joined in 2024 with their country, sorted by country", cafes)
    assert found.sql.endswith("ORDER BY guest.country")


@pytest.mark.parametrize(
    ("text", "order", "few"),
    [
        ("sales by category, top 3", "SUM(sales.net_sales_amount) DESC", 3),
        ("sales by month 2025 top 2", "SUM(sales.net_sales_amount) DESC", 2),
        ("sales by category lowest two", "SUM(sales.net_sales_amount)", 2),
    ],
)
def test_the_first_few_groups_are_of_the_figure_that_was_asked_for(cafes, text, order, few):
    assert " ".join(first(text, cafes).sql.split()).endswith(f"ORDER BY {order} LIMIT {few}")


def test_shares_of_months_stand_in_the_order_of_months(cafes):
    assert 'ORDER BY "month", ' in " ".join(first("share of sales by month 2025", cafes).sql.split())


def test_a_figure_that_is_ranked_by_is_shown_once(cafes):
    assert len(first("top 3 categories sales 2025", cafes).frame.measures) == 1
