"""Which figures can be compared with another period, between which periods by themselves, and by what they are split."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from datetime import date, timedelta

import pytest

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changes import DIMENSIONS, asked_of, change_of, cuts_of, last_day
from sqlagent.makers.analyst.source import Source
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Limits

TODAY = date(2026, 3, 20)
LIMITS = Limits(5, 1_000, 200, 1_000_000)
DAYS = [date(2025, 1, 1) + timedelta(days=n) for n in range(439)]  # to 15 March 2026
SCRIPT = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), ordered_on DATE, channel TEXT, amount REAL);
INSERT INTO customers VALUES (1, 'Ann', 'Norway'), (2, 'Bo', 'Sweden'), (3, 'Cy', 'Norway');
""" + "".join(
    f"INSERT INTO orders VALUES ({n}, {n % 4 or 'NULL'}, '{day}', '{'web' if n % 3 else 'shop'}', {n % 7}.5);\n"
    for n, day in enumerate(DAYS)
)


@pytest.fixture(scope="module")
def shop():
    database = MemoryDatabase(SCRIPT)
    index = ValueIndex.build(database.catalog(), database)
    return database, Source(derive(database.catalog(), index), index)


def frame(shop, question: str):
    return understand(question, shop[1], TODAY)[1][0].frame


@pytest.mark.parametrize(
    ("question", "now", "before"),
    [
        ("Number of orders by month", "2026-02-01", "2026-01-01"),  # March is not over
        ("Number of orders by month, 2025", "2025-12-01", "2025-11-01"),
        ("Number of orders by quarter", "2025-10-01", "2025-07-01"),
        ("Number of orders in January 2026", "2026-01-01", "2025-12-01"),
        ("Number of orders in March 2026", "2026-03-01", "2026-02-01"),
        ("Number of orders in June 2025 vs February 2025", "2025-06-01", "2025-02-01"),
    ],
)
def test_the_last_whole_period_is_compared_with_the_one_before(shop, question, now, before) -> None:
    change = change_of(frame(shop, question), shop[1])
    assert change is not None
    assert (str(change.now.first), str(change.before.first)) == (now, before)
    assert change.period(now) == change.now and change.period("1999-01-01") is None


@pytest.mark.parametrize(
    ("high", "newest", "grain", "last"),
    [
        ("2025-12-30", "2025-12-31", "month", "2025-12-31"),  # nothing on New Year's Eve, but elsewhere
        ("2025-11-28", "2026-01-09", "month", "2025-11-30"),  # nothing since: December is not begun
        ("2025-12-26", "2026-01-01", "quarter", "2025-12-31"),
        ("2025-12-19", "2025-12-21", "week", "2025-12-21"),
        ("2025-12-30", "2025-12-30", "month", "2025-12-30"),
        ("2025-12-20", "2025-12-31", "month", "2025-12-20"),  # too long for a quiet week
        ("2025-12-28", "2025-12-30", "month", "2025-12-28"),  # nothing tells of the 31st
        ("2026-02-10", "2025-12-30", "month", "2025-12-30"),  # appointments lie ahead
    ],
)
def test_a_period_whose_last_days_are_without_rows_is_whole_where_its_source_goes_on(
    shop, high, newest, grain, last
) -> None:
    source = copy(shop[1])
    source.model = replace(source.model, newest=newest)
    time = replace(source.time_of("orders").field, high=high)
    assert str(last_day(time, grain, source)) == last


@pytest.mark.parametrize(
    "question",
    [
        "Number of orders by channel",
        "Number of orders by channel in 2025",
        "Number of orders",
        "List customers",
    ],
)
def test_what_is_no_figure_over_time_is_not_compared(shop, question) -> None:
    assert change_of(frame(shop, question), shop[1]) is None


def test_each_statement_adds_up_to_the_totals_but_for_rows_that_point_to_none(shop) -> None:
    database, source = shop
    asked = frame(shop, "Number of orders by month")
    change = change_of(asked, source)
    cuts = cuts_of(change, change.now, change.before, source)
    assert 2 < len(cuts) <= DIMENSIONS + 1
    totals = database.execute(cuts[0].sql, LIMITS).rows[0]
    assert totals == (31, 28)
    for cut in cuts[1:]:
        rows = database.execute(cut.sql, LIMITS).rows
        sums = tuple(sum(row[cut.width + n] for row in rows) for n in (0, 1))
        assert sums == totals if not cut.missing else sums < totals
    country = next(cut for cut in cuts if cut.words == "country")
    assert country.missing == "customer"
    question, sql = asked_of(change, asked, country, ("Norway",), source)
    assert question and understand(question, source, TODAY)[1][0].sql == sql
    assert "'Norway'" in sql
