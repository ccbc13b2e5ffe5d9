"""Chart and sentence speak of the measure that the title or question names, and say nothing where nothing stands out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sqlagent.rows.columns import profiles
from sqlagent.rows.subject import measures_first, measures_named, times_along
from sqlagent.sql.figures import figures_shared
from sqlagent.telling.charting import numbers_of, suggest
from sqlagent.telling.summarizing import changed_since, summarize, verify
from sqlagent.values import Chart, Rows

SHOP = Rows(
    ("country", "month", "orders", "revenue"),
    tuple(
        (country, f"2026-{month:02}", 5_712, size * month)
        for size, country in enumerate(("France", "Norway"), 1)
        for month in (8, 9, 10)
    ),
)
TOP = Rows(("customer", "orders", "revenue"), tuple((f"Customer {n}", 20, 900 - n) for n in range(40)))


def rows(columns: str, *cells: tuple[Any, ...]) -> Rows:
    return Rows(tuple(columns.split()), cells)


@pytest.mark.parametrize(
    ("title", "given", "sql", "measure"),
    [
        ("Revenue by country and month", SHOP, "", "revenue"),
        ("Orders by country and month", SHOP, "", "orders"),
        ("Top customers", TOP, "", "revenue"),
        ("Customers by revenue", TOP, "", "revenue"),
        ("Weekly", rows("item a b", ("x", 1, 9), ("y", 2, 7)), "SELECT item, a, b FROM t ORDER BY b DESC", "b"),
        ("Weekly", rows("item a b", ("x", 1, 9), ("y", 2, 7)), "SELECT item, a, b FROM t ORDER BY 3", "b"),
        ("Weekly", rows("item a b", ("x", 1, 9), ("y", 2, 7)), "SELECT item, a, SUM(c) AS b FROM t ORDER BY SUM(c)", "b"),
        ("Weekly", rows("item a b", ("x", 1, 9), ("y", 2, 7)), "SELECT (", "a"),
        ("Share of revenue", rows("item share revenue_share", ("x", 1, 9), ("y", 2, 7)), "", "share"),
    ],
)  # fmt: skip
def test_chart_and_sentence_speak_of_the_measure_that_is_named(title, given, sql, measure) -> None:
    chart = suggest(given, title, sql=sql)
    assert chart.y[0] == measure
    told = summarize(title, given, chart, sql=sql)
    assert f" {measure}, " in told
    assert verify(told, given) == ()


def test_what_somebody_understood_goes_before_the_order_of_columns_and_after_the_words() -> None:
    land = rows("country n net", ("Norway", 5, 90), ("Spain", 7, 70))
    assert suggest(land, "Revenue by country", meant=("net",)).y == ("net",)
    assert suggest(land, "n by country", meant=("net",)).y == ("n",)
    assert "highest net, 90" in summarize("Revenue by country", land, meant=("net",))


def test_several_named_measures_stay_in_the_order_they_are_named() -> None:
    measures = [one for one in profiles(SHOP) if one.name in ("orders", "revenue")]
    assert [one.name for one in measures_named("Revenue and orders by country", measures)] == [
        "revenue",
        "orders",
    ]
    assert [one.name for one in measures_first("", [])] == []


@pytest.mark.parametrize(
    "given",
    [
        rows("country states", ("Norway", 3), ("Spain", 3), ("Italy", 3)),
        rows("customer orders", *((f"c{n}", 20) for n in range(4)), ("last", 1)),
        rows("name city", ("Ann", "Oslo"), ("Bo", "Rome")),
        rows("height", (150,), (190,)),
    ],
)
def test_nothing_is_said_where_nothing_stands_out(given) -> None:
    assert summarize("Weekly", given, only_notable=True) == ""
    assert summarize("Weekly", given) != ""


def test_what_stands_out_is_said() -> None:
    two = rows("city orders", ("Bern", 3), ("Oslo", 3), ("Rome", 1))
    assert summarize("x", two, only_notable=True) == "Bern and Oslo share the highest orders, 3."
    low = rows("city orders", ("Bern", 1), ("Oslo", 5), ("Rome", 5), ("Lima", 5), ("Kiel", 5))
    assert "Bern has the fewest" in summarize("fewest orders", low, only_notable=True)
    assert summarize("most orders", low, only_notable=True) == ""
    flat = rows("month orders", ("2026-01", 3), ("2026-02", 4), ("2026-03", 4))
    assert summarize("x", flat, only_notable=True).startswith("Orders rose from 3")


def test_things_with_names_are_no_series_of_the_day_that_each_began() -> None:
    shops = rows("id name opened area", (1, "Oslo", "2014-04-12", 560), (2, "Rome", "2015-03-21", 440))
    assert suggest(shops, "Shops").x == "name"
    assert summarize("Shops", shops) == "Oslo has the highest area, 560; Rome follows with 440."
    assert [one.name for one in times_along("When opened", profiles(shops), 2)] == ["opened"]
    readings = rows(
        "id device at value", (1, "a", "2026-01-01", 5), (2, "a", "2026-01-02", 6), (3, "b", "2026-01-03", 4)
    )
    assert suggest(readings, "Readings").x == "at"


def test_a_figure_is_told_with_its_change() -> None:
    said = changed_since("revenue", 698_423, 720_523.17, "on 2 November 2026")
    assert said == "up 3.2 % from 698,423 on 2 November 2026"
    assert changed_since("revenue", 100_000, 100_010, "in May") == "up 10 from 100,000 in May"
    assert changed_since("revenue", 0, 7, "in May") == "up 7 from 0 in May"
    assert changed_since("percent_paid", 15.5, 17, "in May") == "up 1.5 points from 15.5 % in May"
    assert changed_since("revenue", None, 7, "in May") == changed_since("revenue", 7, "x", "in May") == ""
    assert changed_since("revenue", 7.0, 7, "in May") == "the same as in May"


def test_the_numbers_of_a_chart_are_given_one_by_one() -> None:
    one = Rows(("orders", "revenue", "year"), ((1_993, 720_523.1699999996, 2026),))
    found = numbers_of(suggest(one), one)
    assert [(name, text) for name, _, text in found] == [("orders", "1,993"), ("revenue", "720,523.17")]
    assert numbers_of(Chart("bar", "a", ("b",)), one) == ()


def test_times_are_told_on_the_clocks_of_their_zone_in_the_order_they_were() -> None:
    oslo = ZoneInfo("Europe/Oslo")
    night = [
        datetime(2026, 10, 25, 0, 52, tzinfo=UTC),
        datetime(2026, 10, 25, 1, 29, tzinfo=UTC),
        datetime(2026, 10, 25, 12, 35, tzinfo=UTC),
    ]
    series = Rows(("at", "value"), tuple((at.astimezone(oslo), n) for n, at in enumerate(night, 701)))
    told = summarize("value", series)
    assert told == "Value rose from 701 in 2026-10-25 02:52+02:00 to 703 in 2026-10-25 13:35, up 0.3 %."


@pytest.mark.parametrize(
    ("sql", "other", "names"),
    [
        ("SELECT c, COUNT(*) AS n, SUM(l.amount) AS net FROM l GROUP BY c", "SELECT SUM(x.amount) FROM lines x", ("net",)),
        ("SELECT AVG(amount) AS net FROM l", "SELECT SUM(amount) FROM lines", ()),
        ("SELECT ROUND(SUM(amount), 2) AS net FROM l", "SELECT SUM(amount) FROM lines", ("net",)),
        ("SELECT amount FROM l", "SELECT SUM(amount) FROM lines", ()),
        ("SELECT (", "SELECT SUM(amount) FROM lines", ()),
        ("", "", ()),
    ],
)  # fmt: skip
def test_the_figures_of_two_statements_are_matched(sql, other, names) -> None:
    assert figures_shared(sql, other) == names


@pytest.mark.parametrize(
    "question",
    ["cumulative revenue in 2026 by month", "running total of revenue by month", "revenue year to date"],
)
def test_a_running_total_that_is_asked_for_is_drawn_and_told(question: str) -> None:
    given = rows(
        "month revenue running", ("2026-01", 490, 490), ("2026-02", 413, 903), ("2026-03", 612, 1515)
    )
    chart = suggest(given, question)
    assert (chart.mark, chart.y) == ("line", ("running",))
    assert summarize(question, given, chart).startswith(
        "Running total rose from 490 in Jan 2026 to 1,515 in Mar 2026"
    )
    assert suggest(given, "revenue by month").y[0] == "revenue"
