"""Which results a person would call the same answer, and which of them is shown. A false join is worse than a split."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from sqlagent.method.grouping import group_by_execution
from sqlagent.method.presenting import joined
from sqlagent.rows.period_labels import periods
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Candidate, Execution, LinkedSchema, Question, Rows

SHOP = MemoryDatabase(
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, nickname TEXT);"
    "CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), day TEXT, amount_cents INT, tip INT);"
    "CREATE TABLE route (id INTEGER PRIMARY KEY, origin TEXT, destination TEXT);"
).catalog()
BOTH = "FROM sale JOIN customer ON customer.id = sale.customer_id GROUP BY 1"
MONTH = "FROM sale GROUP BY 1"
Side = tuple[str, tuple[tuple[Any, ...], ...]]

TOTALS: Side = (
    f"SELECT customer.name, SUM(sale.amount_cents) AS total {BOTH}",
    (("Ann", 500), ("Bob", 300)),
)
TURNED: Side = (
    f"SELECT SUM(sale.amount_cents) AS total, customer.name {BOTH}",
    ((500, "Ann"), (300, "Bob")),
)
WITH_ID: Side = (
    f"SELECT customer.id, customer.name, SUM(sale.amount_cents) AS total {BOTH}",
    ((1, "Ann", 500), (2, "Bob", 300)),
)
BY_ID: Side = (f"SELECT customer.id, SUM(sale.amount_cents) AS total {BOTH}", ((1, 500), (2, 300)))


def by_month(label: str, *labels: Any, name: str = "month") -> Side:
    return f"SELECT {label} AS {name}, SUM(tip) AS total {MONTH}", tuple(
        (one, n + 1.5) for n, one in enumerate(labels)
    )


SHARE = "What share of customers are from Norway?"
FRACTION: Side = ("SELECT SUM(country = 'Norway') * 1.0 / COUNT(*) FROM customer", ((0.625,),))
PERCENT: Side = ("SELECT 100.0 * SUM(country = 'Norway') / COUNT(*) FROM customer", ((Decimal("62.5"),),))
CENTS: Side = ("SELECT SUM(amount_cents) FROM sale", ((12345,),))
UNITS: Side = ("SELECT SUM(amount_cents) / 100.0 FROM sale", ((123.45,),))

ROUTES = "SELECT origin, destination FROM route"
SAME = {
    "origin and destination turned, told by their names": (
        "Which routes are there?",
        (ROUTES, (("Oslo", "Rome"), ("Bonn", "Kiel"))),
        ("SELECT destination, origin FROM route", (("Rome", "Oslo"), ("Kiel", "Bonn"))),
    ),
    "columns turned": ("Total by customer", TOTALS, TURNED),
    "a key beside the name": ("Total by customer", TOTALS, WITH_ID),
    "a name beside the key": ("Total by customer", BY_ID, WITH_ID),
    "a key beside the name, in one row": (
        "Who bought most?",
        ("SELECT name FROM customer LIMIT 1", (("Ann",),)),
        ("SELECT id, name FROM customer LIMIT 1", ((1, "Ann"),)),
    ),
    "months named and numbered": (
        "Tips by month in 2025",
        by_month("strftime('%Y-%m', day)", "2025-01", "2025-02"),
        by_month("strftime('%m', day)", "01", "02"),
    ),
    "months in words and as first days": (
        "Tips by month",
        by_month("day", "January 2025", "Feb 2025"),
        by_month("date(day, 'start of month')", date(2025, 1, 1), date(2025, 2, 1)),
    ),
    "quarters": (
        "Tips by quarter",
        by_month("day", "2025-Q1", "2025-Q2", name="quarter"),
        by_month("1 + tip", 1, 2, name="quarter"),
    ),
    "percent and fraction": (SHARE, FRACTION, PERCENT),
    "cents and units": ("How much did we sell?", CENTS, UNITS),
}

APART = {
    "other figures": ("Total by customer", TOTALS, (TOTALS[0] + ", 2", (("Ann", 500), ("Bob", 301)))),
    "figures of others": ("Total by customer", TOTALS, (TOTALS[0] + ", 2", (("Ann", 300), ("Bob", 500)))),
    "a country beside the name": (
        "Who bought most?",
        ("SELECT name FROM customer LIMIT 1", (("Ann",),)),
        ("SELECT name, country FROM customer LIMIT 1", (("Ann", "Norway"),)),
    ),
    "a nickname beside the key": (
        "Who bought most?",
        ("SELECT id FROM customer LIMIT 1", ((1,),)),
        ("SELECT id, country FROM customer LIMIT 1", ((1, "Norway"),)),
    ),
    "a measure beside the name": (
        "Who bought most?",
        ("SELECT name FROM customer", (("Ann",), ("Bob",))),
        ("SELECT customer.name, SUM(sale.tip) FROM customer, sale GROUP BY 1", (("Ann", 5), ("Bob", 3))),
    ),
    "a name that two keys have": (
        "Total by customer",
        (TOTALS[0], (("Ann", 500), ("Ann", 300))),
        (WITH_ID[0], ((1, "Ann", 500), (2, "Ann", 300))),
    ),
    "origin and destination turned": (
        "Which routes are there?",
        (ROUTES, (("Oslo", "Rome"), ("Bonn", "Kiel"))),
        ("SELECT destination AS one, origin AS two FROM route", (("Rome", "Oslo"), ("Kiel", "Bonn"))),
    ),
    "two figures turned": (
        "Tips and sales",
        ("SELECT SUM(tip) AS a, SUM(amount_cents) AS b FROM sale", ((5, 9),)),
        ("SELECT SUM(amount_cents) AS x, SUM(tip) AS y FROM sale", ((9, 5),)),
    ),
    "months of two years and no year": (
        "Tips by month",
        by_month("day", "2024-01", "2025-02"),
        by_month("strftime('%m', day)", 1, 2),
    ),
    "months of another year": (
        "Tips by month",
        by_month("day", "2024-01", "2024-02"),
        by_month("day", "2025-01", "2025-02"),
    ),
    "numbers that are no months": (
        "Tips",
        by_month("day", "2025-01", "2025-02", name="a"),
        by_month("id", 1, 2, name="b"),
    ),
    "a hundredfold that nobody asked in percent": ("How many?", FRACTION, PERCENT),
    "nearly a hundredfold": (SHARE, (FRACTION[0], ((0.62512,),)), (PERCENT[0], ((62.51,),))),
    "a hundredfold of a column that says no cents": (
        "How much tip?",
        ("SELECT SUM(tip) FROM sale", ((12345,),)),
        ("SELECT SUM(tip) / 100.0 FROM sale", ((123.45,),)),
    ),
    "a hundredfold of cents that nobody divided": (
        "How much did we sell?",
        CENTS,
        ("SELECT AVG(amount_cents) FROM sale", ((123.45,),)),
    ),
}


def execution(side: Side, mark: str = "") -> Execution:
    sql, cells = side
    shown = sqlglot.parse_one(sql, dialect="sqlite").expressions
    names = [one.alias_or_name or one.sql() for one in shown][: len(cells[0])]
    return Execution(Candidate(sql), Rows(tuple(names), cells), sql + mark)


def together(text: str, *sides: Side, ordered: bool = False) -> Any:
    groups = group_by_execution(map(execution, sides), ordered)
    return joined(Question(text), LinkedSchema(SHOP, SHOP), groups, ordered)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("case", SAME.values(), ids=SAME)
def test_one_answer_in_two_presentations_is_one_group(case: tuple[str, Side, Side], turned: bool) -> None:
    text, one, other = case
    groups = together(text, *((other, one) if turned else (one, other)))
    assert len(groups) == 1 and groups[0].size == 2 and len(groups[0].variants) == 2
    assert len(groups[0].shown) == 1 and groups[0].rows is groups[0].shown[0].rows


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("case", APART.values(), ids=APART)
def test_what_may_be_another_answer_stays_apart(case: tuple[str, Side, Side], turned: bool) -> None:
    text, one, other = case
    groups = together(text, *((other, one) if turned else (one, other)))
    assert [group.size for group in groups] == [1, 1] and not any(group.variants for group in groups)


SHOWN = [
    ("Total by customer", (BY_ID, BY_ID, WITH_ID, TOTALS), TOTALS),
    ("Customer ids and totals", (TOTALS, TOTALS, WITH_ID, BY_ID), BY_ID),
    ("Give total and name of the customers", (TOTALS, TURNED), TURNED),
    ("Give name and total of the customers", (TURNED, TOTALS), TOTALS),
    ("What percentage of customers are from Norway?", (FRACTION, FRACTION, PERCENT), PERCENT),
    ("What fraction of customers are from Norway?", (PERCENT, FRACTION), FRACTION),
    ("How much did we sell?", (CENTS, CENTS, UNITS), UNITS),
    ("How many cents did we sell?", (UNITS, CENTS), CENTS),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sides", "shown"), SHOWN, ids=[text for text, *_ in SHOWN])
def test_the_presentation_that_was_asked_for_is_shown(
    text: str, sides: tuple[Side, ...], shown: Side
) -> None:
    groups = together(text, *sides)
    assert len(groups) == 1 and groups[0].size == len(sides)
    assert groups[0].shown[0].sql == shown[0]


def test_the_order_of_rows_counts_where_it_is_asked_for() -> None:
    turned: Side = (TURNED[0], TURNED[1][::-1])
    assert len(together("Total by customer", TOTALS, turned)) == 1
    assert len(together("Customers sorted by total", TOTALS, turned, ordered=True)) == 2
    assert len(together("Customers sorted by total", TOTALS, TURNED, ordered=True)) == 1


def test_results_that_are_empty_cut_or_not_read_are_never_joined() -> None:
    cut = Execution(Candidate(TURNED[0]), Rows(("total", "name"), TURNED[1], truncated=True), TURNED[0])
    odd = Execution(Candidate("x"), Rows(("total", "name"), TURNED[1]), "SELECT FROM WHERE")
    for other in (cut, odd):
        groups = group_by_execution([execution(TOTALS), other], False)
        assert joined(Question("?"), LinkedSchema(SHOP, SHOP), groups, False) == groups


@given(
    st.lists(st.tuples(st.text(max_size=3), st.integers(-9, 9)), min_size=1, max_size=6), st.integers(1, 9)
)
def test_a_figure_that_differs_is_never_joined(found: list[tuple[str, int]], by: int) -> None:
    other = [(name, number + by * (n == 0)) for n, (name, number) in enumerate(found)]
    groups = together("Total by customer", (TOTALS[0], tuple(found)), (TOTALS[0] + ", 2", tuple(other)))
    assert len(groups) == 2


@pytest.mark.parametrize(
    "label", ["2025-13", "Januar", "Q5", "2025-01-02", "1", 0, 13, None, True, "2024 Q1 2025"]
)
def test_what_is_no_period_is_read_as_none(label: object) -> None:
    assert periods("month", [label]) is None or label == "1"
    assert periods("n", [label]) is None
