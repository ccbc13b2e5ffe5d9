"""Rows to charts: the mark that suits them, a valid Plotly figure, and edits checked in words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlagent.telling import charting
from sqlagent.telling.charting import check, figure, figures, labels, makes_sense, others, points, suggest
from sqlagent.values import Chart, ColumnFormat, Kind, Rows
from tests.lengths import many


def rows(columns: str, *cells: tuple[Any, ...], **more: Any) -> Rows:
    return Rows(tuple(columns.split()), cells, **more)


CITIES = rows("city revenue", ("Oslo", 30), ("Rome", 50), ("Bern", 20))
MONTHS = rows("month revenue", *((f"2024-{m:02}", 100 + m) for m in range(1, 13)))
YEARS = rows("year orders", *((y, y % 7) for y in range(2015, 2025)))
DAYS = rows("day city visits", *((date(2024, 1, d), c, d) for d in range(1, 9) for c in ("Oslo", "Rome")))
REGIONS = rows("region product sales", *((r, p, len(r + p)) for r in "NSE" for p in ("tea", "coffee")))
SIZES = rows("height weight", *((150 + i, 50 + i * 0.7) for i in range(30)))
AGES = rows("age", *((i * i % 90,) for i in range(100)))
ONE = rows("total", (Decimal("1234.50"),))
NAMES = rows("name id", ("a", 1), ("b", 2), ("c", 3))
KEYED = rows("customer_id orders", (17, 5), (3, 7), (9, 9))
TYPES = rows("kind", *(("a",) if i % 3 else ("b",) for i in range(30)))
EMPTY = Rows(("city", "revenue"), ())

SUGGESTED: list[tuple[Rows, Chart]] = [
    (CITIES, Chart("bar", "city", ("revenue",))),
    (MONTHS, Chart("line", "month", ("revenue",))),
    (YEARS, Chart("line", "year", ("orders",))),
    (DAYS, Chart("line", "day", ("visits",), "city")),
    (REGIONS, Chart("bar", "region", ("sales",), "product")),
    (SIZES, Chart("scatter", "height", ("weight",))),
    (AGES, Chart("histogram", "age")),
    (ONE, Chart("number", y=("total",))),
    (NAMES, Chart("none")),
    (KEYED, Chart("bar", "customer_id", ("orders",))),
    (TYPES, Chart("bar", "kind", aggregate="count")),
    (EMPTY, Chart("none")),
    (rows("max(speed) doors", (180, 4), (210, 2), (170, 5)), Chart("bar", "doors", ("max(speed)",))),
    (rows("n", (None,)), Chart("none")),
    (rows("title", ("x",)), Chart("none")),
    (rows("founded_year", (1998,)), Chart("number", y=("founded_year",))),
    (rows("weekday visits", ("Tue", 3), ("Mon", 9), ("Sun", 4)), Chart("bar", "weekday", ("visits",))),
    (rows("city tax", *(("Oslo", i) for i in range(9)), *(("Rome", i) for i in range(9))), Chart("bar", "city", ("tax",), aggregate="mean")),
    (rows("city revenue", *(("Oslo", i) for i in range(9)), *(("Rome", i) for i in range(9))), Chart("bar", "city", ("revenue",), aggregate="sum")),
    (rows("city revenue cost people", ("Oslo", 30, 20, 700_000), ("Rome", 50, 40, 2_800_000)), Chart("bar", "city", ("revenue", "cost"))),
    (rows("photo", (b"\x00",), (b"\x01",)), Chart("none")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given_rows", "wanted"), SUGGESTED, ids=lambda v: v.mark if isinstance(v, Chart) else ""
)
def test_rows_get_the_chart_that_suits_them(given_rows: Rows, wanted: Chart) -> None:
    chart = charting.suggest(given_rows)
    assert replace(chart, title="", note="") == wanted


@pytest.mark.parametrize("given_rows", [case[0] for case in SUGGESTED])
def test_every_suggestion_is_a_valid_figure_and_passes_as_an_edit(given_rows: Rows) -> None:
    chart = charting.suggest(given_rows)
    drawn = charting.figure(chart, given_rows)
    go.Figure(drawn)
    json.dumps(drawn, allow_nan=False)
    # An edit chooses its figures: the others are not named any more.
    edit = charting.check(chart, given_rows)
    assert replace(edit, note="") == replace(chart, note="") and chart.note.startswith(edit.note)


def test_a_share_asked_for_of_few_parts_is_a_pie() -> None:
    assert charting.suggest(CITIES, "What share of revenue does each city have?").mark == "pie"
    assert charting.suggest(CITIES, "What revenue does each city have?").mark == "bar"


def test_kinds_told_by_the_driver_count_before_the_cells() -> None:
    told = Rows(("code", "n"), (("1", 2), ("2", 3)), kinds=(Kind.TEXT, Kind.INTEGER))
    assert charting.suggest(told).mark == "bar"


def trace(chart: Chart, of: Rows) -> dict[str, Any]:
    return charting.figure(chart, of)["data"][0]


def test_bars_are_sorted_by_size_and_start_at_zero() -> None:
    drawn = charting.figure(Chart("bar", "city", ("revenue",)), CITIES)
    assert drawn["data"][0]["x"] == ["Rome", "Oslo", "Bern"]
    assert drawn["layout"]["yaxis"]["rangemode"] == "tozero"


def test_rows_sorted_upwards_keep_their_order() -> None:
    fewest = rows("city revenue", ("Bern", 20), ("Oslo", 30), ("Rome", 50))
    assert trace(Chart("bar", "city", ("revenue",)), fewest)["x"] == ["Bern", "Oslo", "Rome"]


def test_weekdays_and_months_keep_the_order_of_the_calendar() -> None:
    week = rows("weekday visits", ("Tue", 3), ("Sun", 9), ("Mon", 4))
    assert trace(Chart("bar", "weekday", ("visits",)), week)["x"] == ["Mon", "Tue", "Sun"]


def test_long_labels_lie_down_and_are_shortened_on_the_axis_only() -> None:
    long = rows("title sold", ("A very long title " * 5, 3), ("B", 9), ("C", 1))
    drawn = charting.figure(Chart("bar", "title", ("sold",)), long)
    assert drawn["data"][0]["orientation"] == "h"
    assert drawn["layout"]["yaxis"]["autorange"] == "reversed"
    assert max(map(len, drawn["layout"]["yaxis"]["ticktext"])) <= labels.CUT_LABEL
    assert max(map(len, drawn["data"][0]["y"])) > labels.CUT_LABEL


def test_time_runs_along_x_in_order_whatever_the_order_of_rows() -> None:
    back = Rows(MONTHS.columns, MONTHS.rows[::-1])
    drawn = charting.figure(Chart("line", "month", ("revenue",)), back)
    assert drawn["data"][0]["x"] == [f"2024-{m:02}" for m in range(1, 13)]
    assert drawn["layout"]["xaxis"]["type"] == "date"


def test_a_missing_value_leaves_a_gap_in_a_line() -> None:
    gap = rows("month revenue", ("2024-01", 1), ("2024-02", None), ("2024-03", 3))
    drawn = trace(Chart("line", "month", ("revenue",)), gap)
    assert drawn["y"] == [1, None, 3] and drawn["connectgaps"] is False


def test_years_are_years_and_not_numbers() -> None:
    drawn = charting.figure(Chart("line", "year", ("orders",)), YEARS)
    assert drawn["data"][0]["x"][0] == "2015"
    assert drawn["layout"]["xaxis"]["tickformat"] == "%Y"
    bars = charting.figure(Chart("bar", "year", ("orders",)), YEARS)
    assert bars["data"][0]["x"] == [str(y) for y in range(2015, 2025)]


def test_one_series_has_no_legend_and_several_have() -> None:
    assert charting.figure(Chart("line", "month", ("revenue",)), MONTHS)["layout"]["showlegend"] is False
    drawn = charting.figure(Chart("line", "day", ("visits",), "city"), DAYS)
    assert drawn["layout"]["showlegend"] is True
    assert [t["name"] for t in drawn["data"]] == ["Oslo", "Rome"]


def test_titles_and_axes_are_in_words() -> None:
    odd = Rows(("customer_country", "SUM(o.net_amount)"), (("NO", 3), ("SE", 9), ("DK", 1)))
    chart = charting.suggest(odd)
    layout = charting.figure(chart, odd)["layout"]
    assert layout["title"]["text"] == "Total net amount by customer country"
    assert layout["xaxis"]["title"]["text"] == "Customer country"
    assert layout["yaxis"]["title"]["text"] == "Total net amount"


def test_few_points_carry_their_numbers_and_many_do_not() -> None:
    assert trace(Chart("bar", "city", ("revenue",)), CITIES)["text"] == ["50", "30", "20"]
    many = rows("city revenue", *((f"c{i}", i * 7 % 40) for i in range(40)))
    assert "text" not in trace(Chart("bar", "city", ("revenue",)), many)


def test_no_colour_and_no_font_is_decided_here() -> None:
    for given_rows, _ in SUGGESTED:
        text = json.dumps(charting.figure(charting.suggest(given_rows), given_rows))
        assert "color" not in text and "font" not in text


def test_what_is_left_out_is_said() -> None:
    many = rows("city revenue", *((f"c{i}", i * 37 % 1000) for i in range(1234)))
    chart = charting.suggest(many)
    assert chart.note == "First 50 of 1,234 shown."
    drawn = charting.figure(chart, many)
    assert len(drawn["data"][0]["y"]) == points.MAX_CATEGORIES
    assert drawn["layout"]["title"]["subtitle"]["text"] == chart.note


def test_rows_that_were_cut_are_told() -> None:
    cut = Rows(CITIES.columns, CITIES.rows, truncated=True)
    assert charting.suggest(cut).note == "Drawn from the first 3 rows; there are more."


def test_an_aggregate_is_taken_over_all_rows_before_any_cut() -> None:
    sales = rows("city amount", *((f"c{i % 60}", 1) for i in range(6_000)))
    chart = charting.check(Chart("bar", "city", ("amount",), aggregate="sum"), sales)
    assert sum(trace(chart, sales)["x"]) == 50 * 100
    assert chart.note.startswith("First 50 of 60 shown. Rows that share a place are added up.")


@pytest.mark.parametrize(
    ("aggregate", "value"), [("sum", 9), ("mean", 3), ("count", 3), ("min", 1), ("max", 6)]
)
def test_aggregates_are_what_they_say(aggregate: str, value: float) -> None:
    some = rows("city tax", ("Oslo", 1), ("Oslo", 2), ("Oslo", 6), ("Rome", None))
    drawn = trace(Chart("bar", "city", ("tax",), aggregate=aggregate), some)
    assert dict(zip(drawn["x"], drawn["y"], strict=True))["Oslo"] == value


def test_more_series_than_colours_are_cut_to_the_largest_and_said() -> None:
    wide = rows("day city visits", *((date(2024, 1, d), f"c{c:02}", c) for d in (1, 2, 3) for c in range(20)))
    chart = charting.check(Chart("line", "day", ("visits",), "city"), wide)
    assert [t["name"] for t in charting.figure(chart, wide)["data"]] == [f"c{c:02}" for c in range(12, 20)]
    assert chart.note == "The largest 8 of 20 series shown."


def test_a_histogram_counts_every_row_into_round_bins() -> None:
    drawn = trace(Chart("histogram", "age"), AGES)
    assert sum(drawn["y"]) == 100
    assert drawn["width"][0] == 10
    assert figures.bins([5, 5, 5]) == (4.5, 1.0, [3])


def test_stacked_bars_only_where_a_sum_means_something() -> None:
    three = rows("region product sales", *((r, p, 3) for r in "NSE" for p in ("tea", "coffee", "milk")))
    assert (
        charting.figure(Chart("bar", "region", ("sales",), "product"), three)["layout"]["barmode"] == "stack"
    )
    rates = Rows(("region", "product", "avg_price"), three.rows)
    assert (
        charting.figure(Chart("bar", "region", ("avg_price",), "product"), rates)["layout"]["barmode"]
        == "group"
    )


def test_a_pie_gathers_the_small_slices() -> None:
    many = rows("city revenue", *((f"c{i}", 100 - i) for i in range(20)))
    chart = charting.check(Chart("pie", "city", ("revenue",)), many)
    drawn = trace(chart, many)
    assert len(drawn["labels"]) == points.MAX_SLICES and drawn["labels"][-1] == "Other"
    assert sum(drawn["values"]) == sum(100 - i for i in range(20))
    assert "Other" in chart.note


def test_cells_of_every_kind_become_json() -> None:
    odd = rows(
        "when amount who",
        (datetime(2024, 1, 1, 12, tzinfo=UTC), Decimal("1.10"), UUID(int=1)),
        (datetime(2024, 1, 2, 12, tzinfo=UTC), Decimal("NaN"), UUID(int=2)),
        (None, float("inf"), None),
        (datetime(2024, 1, 3, 12, tzinfo=UTC), 2**70, UUID(int=3)),
    )
    for chart in (
        charting.suggest(odd),
        Chart("bar", "who", ("amount",)),
        Chart("scatter", "when", ("amount",)),
    ):
        drawn = charting.figure(chart, odd)
        json.dumps(drawn, allow_nan=False)
        go.Figure(drawn)


def test_a_single_number_is_shown_to_the_cent_and_a_large_one_whole() -> None:
    for cell, text in (
        (Decimal("1234567.50"), "1,234,567.5"),
        (2**63, "9,223,372,036,854,775,808"),
        (0.12345, "0.123"),
    ):
        some = rows("total", (cell,))
        drawn = charting.figure(charting.suggest(some), some)
        assert text in drawn["layout"]["annotations"][0]["text"]


def test_spans_of_time_are_drawn_in_seconds() -> None:
    waits = rows("desk wait", ("a", timedelta(minutes=1)), ("b", timedelta(minutes=2)), ("c", timedelta(0)))
    assert trace(Chart("bar", "desk", ("wait",)), waits)["y"] == [120, 60, 0]


def test_markup_in_stored_texts_means_nothing() -> None:
    bad = rows("city revenue", ("<a href='javascript:x'>Oslo</a>", 3), ("<b>Rome</b>", 5), ("R&D", 1))
    drawn = json.dumps(charting.figure(charting.suggest(bad), bad))
    assert "<a" not in drawn and "<b>" not in drawn and "R&amp;D" in drawn


LINK = '<a href="//e.x">y</a>'


def texts_of(part: object) -> Iterator[str]:
    """Every text of a figure, wherever it stands."""
    if isinstance(part, dict | list):
        for value in part.values() if isinstance(part, dict) else part:
            yield from texts_of(value)
    elif isinstance(part, str):
        yield part


@pytest.mark.parametrize("mark", ["bar", "line", "area", "scatter", "pie", "histogram", "number", "none"])
@pytest.mark.parametrize("is_timed", [False, True])
def test_markup_in_headings_titles_and_cells_means_nothing_in_any_chart(mark: str, is_timed: bool) -> None:
    x, y, by = (f"{LINK} {name}" for name in ("when" if is_timed else "x", "total", "by"))
    cells = [
        (f"2026-0{i}-01" if is_timed else f"{LINK} {i}", i * 1.5, f"{LINK} {i % 2}") for i in range(1, 9)
    ]
    if mark in ("histogram", "scatter"):
        cells = [(i, *rest) for i, (_, *rest) in enumerate(cells)]  # type: ignore[misc]
    some = Rows((x, y, by), tuple(cells))
    for series, title, note in ((by, LINK, LINK), ("", "", "")):
        chart = Chart(
            mark, x, (y,), "" if mark in ("pie", "histogram", "number") else series, "sum", title, note
        )
        drawn = charting.figure(chart, some if mark != "number" else Rows((x, y), ((LINK, LINK),)))
        found = [re.sub(r"</?b>|<br>|<extra></extra>", "", text) for text in texts_of(drawn)]
        assert not [text for text in found if "<" in text]
        assert mark == "none" or any("&lt;" in text for text in found)


def test_labels_that_look_alike_stay_apart() -> None:
    some = rows("city revenue", (None, 3), ("NULL", 5), ("", 1))
    assert trace(Chart("bar", "city", ("revenue",)), some)["x"] == ["NULL", "NULL (2)", "(empty)"]


def test_columns_of_the_same_name_do_not_break_a_chart() -> None:
    twice = Rows(("name", "n", "n"), (("a", 1, 2), ("b", 3, 4)))
    json.dumps(charting.figure(charting.suggest(twice), twice))


WRONG: list[tuple[Chart, str]] = [
    (Chart("sunburst", "city", ("revenue",)), "no chart type"),
    (Chart("bar", "town", ("revenue",)), 'no column "town"'),
    (Chart("bar", "city", ("tax",)), 'no column "tax"'),
    (Chart("bar", "city", ("revenue",), "tax"), 'no column "tax"'),
    (Chart("bar", "city", ("revenue",), aggregate="median"), "no aggregate"),
    (Chart("bar", "", ("revenue",)), "column for the x axis"),
    (Chart("bar", "city"), "column for the height or size"),
    (Chart("bar", "revenue", ("city",)), '"city" does not hold numbers'),
    (Chart("scatter", "city", ("revenue",)), '"city" does not hold numbers'),
    (Chart("histogram", "city"), '"city" does not hold numbers'),
    (Chart("number"), "Choose the column"),
    (Chart("bar", "city", ("revenue",), "city"), "must be another column"),
    (Chart("pie", "city", ("revenue",), "revenue"), "no series"),
]


@pytest.mark.parametrize(("chart", "words"), WRONG)
def test_an_edit_that_does_not_fit_is_refused_in_words(chart: Chart, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        charting.check(chart, CITIES)


YEARLY = rows("year share", ("2023", 20.62), ("2024", 20.49), ("2025", 21.07), ("2026", 21.09))
FEW = rows("country return_rate", ("Norway", 6.4), ("Spain", 6.2), ("Italy", 5.4))


@pytest.mark.parametrize("given", [YEARLY, FEW], ids=["shares of years", "rates"])
def test_shares_of_several_wholes_are_no_pie_in_any_way(given: Rows) -> None:
    by, figure = given.columns
    assert suggest(given, f"share of {figure} by {by}").mark == "bar"
    assert "pie" not in [other.mark for other in others(suggest(given), given)]
    with pytest.raises(ValueError, match="does not come to 100 %; choose bars"):
        check(Chart("pie", by, (figure,)), given)


def test_shares_that_come_to_all_are_a_pie() -> None:
    parts = rows("city share", ("Oslo", 20.4), ("Rome", 50.1), ("Bern", 29.5))
    assert suggest(parts, "share of revenue by city").mark == "pie"
    assert check(Chart("pie", "city", ("share",)), parts).mark == "pie"


def test_a_pie_of_negative_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        charting.check(Chart("pie", "city", ("revenue",)), rows("city revenue", ("a", -1), ("b", 2)))


def test_a_persons_edit_keeps_the_title_and_gets_a_new_note() -> None:
    many = rows("city revenue", *((f"c{i}", i) for i in range(80)))
    chart = charting.check(Chart("bar", "city", ("revenue",), title="My own", note="old"), many)
    assert (chart.title, chart.note) == ("My own", "First 50 of 80 shown.")


def test_numbers_beyond_reckoning_are_drawn_as_gaps() -> None:
    for odd in (10**400, Decimal("1e400"), Decimal("NaN"), float("inf"), 1e308):
        some = rows("city sales", ("a", odd), ("b", 1), ("c", odd))
        assert trace(charting.suggest(some), some)["y"].count(None) == 2
        charting.figure(charting.suggest(rows("n", (odd,))), rows("n", (odd,)))


CELLS: list[Callable[[], st.SearchStrategy[Any]]] = [
    st.integers,
    st.floats,
    st.text,
    st.dates,
    st.datetimes,
    st.booleans,
    st.decimals,
    st.none,
    lambda: st.lists(st.integers()),
    lambda: st.binary(max_size=3),
]


@st.composite
def any_rows(draw: st.DrawFn) -> Rows:
    """Rows of any shape: up to four columns of one kind of cell each, NULL here and there."""
    kinds = draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4))
    names = draw(st.lists(st.sampled_from(["year", "id", "n", "total", "month", "x y", "<b>", ""]), min_size=len(kinds), max_size=len(kinds)))  # fmt: skip
    row = st.tuples(*(st.none() | kind() for kind in kinds))
    return Rows(tuple(names), tuple(draw(st.lists(row, max_size=12))), truncated=draw(st.booleans()))


@settings(max_examples=many(25, 150), deadline=None)
@given(any_rows())
def test_no_rows_break_a_chart(some: Rows) -> None:
    chart = charting.suggest(some)
    drawn = charting.figure(chart, some)
    json.dumps(drawn, allow_nan=False)
    go.Figure(drawn)


APART = tuple((f"2025-{month:02}", 600 + month, 24_000.5 * month, 90 + month) for month in range(1, 13))


def test_figures_of_other_sizes_stand_under_one_another_with_an_axis_each() -> None:
    some = Rows(("month", "orders", "revenue", "returned"), APART)
    chart = charting.suggest(some)
    assert chart.y == ("orders", "revenue", "returned")
    drawn = charting.figure(chart, some)
    go.Figure(drawn)
    assert [(trace["name"], trace["yaxis"]) for trace in drawn["data"]] == [
        ("Orders", "y"),
        ("Revenue", "y2"),
        ("Returned", "y"),
    ]
    layout = drawn["layout"]
    assert layout["yaxis"]["title"]["text"] == "Orders and returned"
    assert layout["yaxis2"]["title"]["text"] == "Revenue"
    assert layout["yaxis"]["domain"][0] > layout["yaxis2"]["domain"][1]
    assert (layout["xaxis"]["anchor"], layout["height"], layout["showlegend"]) == ("y2", 380, True)


def test_figures_of_one_size_share_an_axis() -> None:
    some = Rows(("month", "orders", "returned"), tuple((m, a, c) for m, a, _, c in APART))
    drawn = charting.figure(charting.suggest(some), some)
    assert all("yaxis" not in trace for trace in drawn["data"])
    assert "yaxis2" not in drawn["layout"]


@pytest.mark.parametrize(
    ("times", "step"),
    [
        (("2025-01", "2025-02", "2025-03"), "M1"),
        (("2025-01-30", "2025-01-31", "2025-02-02"), 86_400_000),
        (("2025-01-01", "2025-04-01"), "M1"),
    ],
)
def test_an_axis_of_few_months_or_days_names_no_time_between_them(times: tuple[str, ...], step: Any) -> None:
    some = Rows(("month", "orders"), tuple((time, 5 + n) for n, time in enumerate(times)))
    drawn = charting.figure(charting.suggest(some), some)
    go.Figure(drawn)
    assert drawn["layout"]["xaxis"]["dtick"] == step
    many_months = Rows(("month", "orders"), tuple((m, a) for m, a, _, _ in APART))
    far = Rows(("day", "orders"), (("2025-01-05", 1), ("2025-03-05", 2), ("2025-09-06", 5)))
    for none in (many_months, far):
        assert "dtick" not in charting.figure(charting.suggest(none), none)["layout"]["xaxis"]


MONTHLY = Rows(("month", "orders", "share"), tuple((f"2024-{n:02d}", n * 10, n / 10) for n in range(1, 13)))
GROUPED = Rows(
    ("city", "kind", "amount"),
    tuple((city, kind, n) for n, (city, kind) in enumerate([(c, k) for c in "ABCD" for k in "xy"] * 3)),
)


def test_one_number_of_many_rows_is_the_last_in_time_with_its_change() -> None:
    chart = check(Chart("number", "", ("orders",)), MONTHLY)
    drawn = figure(chart, MONTHLY)
    assert (chart.x, chart.note) == ("month", "The last of 12 rows, by month.")
    assert "120" in drawn["layout"]["annotations"][0]["text"]
    assert drawn["layout"]["annotations"][1]["text"] == "+10 (+9.1%) since Nov 2024"
    assert drawn["data"][0]["y"] == [n * 10 for n in range(1, 13)]
    go.Figure(drawn)


@pytest.mark.parametrize(
    ("aggregate", "note", "value"),
    [
        ("none", "Sum of 24 rows.", "276"),
        ("max", "Largest of 24 rows.", "23"),
        ("mean", "Average of 24 rows.", "11.5"),
    ],
)
def test_one_number_of_many_rows_without_a_time_says_what_they_come_to(aggregate, note, value) -> None:
    chart = check(Chart("number", "", ("amount",), aggregate=aggregate), GROUPED)
    drawn = figure(chart, GROUPED)
    assert drawn["layout"]["title"]["subtitle"]["text"] == chart.note == note
    assert f"<b>{value}</b>" in drawn["layout"]["annotations"][0]["text"]


def test_boxes_have_quartiles_of_all_rows_and_whiskers_within_reach() -> None:
    rows = Rows(("kind", "amount"), tuple(("a", n) for n in (1, 2, 3, 4, 100)) + (("b", 7), ("b", None)))
    chart = check(Chart("box", "kind", ("amount",)), rows)
    assert chart.note == "1 value beyond the whiskers is not drawn."
    trace = figure(chart, rows)["data"][0]
    assert trace["x"] == ["b", "a"]
    assert (trace["q1"], trace["median"], trace["q3"]) == ([7, 2], [7, 3], [7, 4])
    assert (trace["lowerfence"], trace["upperfence"]) == ([7, 1], [7, 4])


def test_a_heatmap_has_a_row_for_each_series_and_gaps_where_nothing_is() -> None:
    rows = Rows(("city", "kind", "amount"), (("A", "x", 1), ("A", "x", 2), ("B", "y", 5)))
    drawn = figure(check(Chart("heatmap", "city", ("amount",), "kind", "sum"), rows), rows)
    assert drawn["data"][0]["y"] == ["x", "y"]
    assert dict(zip(drawn["data"][0]["x"], zip(*drawn["data"][0]["z"], strict=True), strict=True)) == {
        "A": (3, None),
        "B": (None, 5),
    }


def test_bars_and_lines_have_an_axis_each() -> None:
    drawn = figure(check(Chart("combo", "month", ("orders", "share")), MONTHLY), MONTHLY)
    assert [(trace["type"], trace.get("yaxis", "y")) for trace in drawn["data"]] == [
        ("bar", "y"),
        ("scatter", "y2"),
    ]
    assert drawn["layout"]["yaxis2"]["title"]["text"] == "Share"


@pytest.mark.parametrize(
    ("stack", "barmode", "barnorm"),
    [("group", "group", None), ("stack", "stack", None), ("share", "stack", "percent")],
)
def test_series_stand_as_they_are_told(stack: str, barmode: str, barnorm: str | None) -> None:
    chart = Chart("bar", "city", ("amount",), "kind", "sum", stack=stack)
    layout = figure(check(chart, GROUPED), GROUPED)["layout"]
    assert (layout["barmode"], layout.get("barnorm")) == (barmode, barnorm)


@pytest.mark.parametrize(
    ("sort", "order"), [("name", ["A", "B", "C"]), ("value", ["B", "C", "A"]), ("-value", ["A", "C", "B"])]
)
def test_categories_stand_in_the_order_that_is_asked_for(sort: str, order: list[str]) -> None:
    rows = Rows(("city", "amount"), (("C", 2), ("A", 3), ("B", 1)))
    assert figure(check(Chart("bar", "city", ("amount",), sort=sort), rows), rows)["data"][0]["x"] == order


def test_titles_a_scale_and_a_line_are_drawn_as_typed_and_mean_no_markup() -> None:
    chart = Chart(
        "bar", "city", ("amount",), x_title="<b>Where</b>", y_title="EUR", scale="log", line="1,000"
    )
    rows = Rows(("city", "amount"), (("A", 2000), ("B", 10)))
    layout = figure(check(chart, rows), rows)["layout"]
    assert layout["xaxis"]["title"]["text"] == "&lt;b&gt;Where&lt;/b&gt;"
    assert (layout["yaxis"]["type"], layout["yaxis"]["title"]["text"]) == ("log", "EUR")
    assert (layout["shapes"][0]["y0"], layout["shapes"][0]["yref"]) == (1000, "y")


@pytest.mark.parametrize(
    ("chart", "words"),
    [
        (Chart("bar", "city", ("amount",), stack="tower"), "no setting"),
        (Chart("bar", "city", ("amount",), line="<script>"), "not a number"),
        (Chart("bar", "city", ("amount",), line="inf"), "not a number"),
        (Chart("heatmap", "city", ("amount",)), "second category"),
        (Chart("combo", "city", ("amount",)), "two or more"),
        (Chart("box", "city", ("kind",)), "does not hold numbers"),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_words(chart: Chart, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check(chart, GROUPED)


def test_an_axis_of_many_categories_names_as_many_as_can_be_read() -> None:
    rows = Rows(("city", "amount"), tuple((f"c{n}", n) for n in range(1000)))
    axis = figure(check(Chart("line", "city", ("amount",)), rows), rows)["layout"]["xaxis"]
    assert len(axis["tickvals"]) <= 12 and len(axis["categoryarray"]) == 1000


def test_a_hundred_thousand_categories_are_cut_and_said() -> None:
    rows = Rows(("city", "amount"), tuple((f"c{n}", n) for n in range(100_000)))
    for mark in ("bar", "box", "line"):
        drawn = figure(check(Chart(mark, "city", ("amount",)), rows), rows)
        assert len(drawn["data"][0]["x" if mark == "line" else "y"]) <= 5_000
        assert "100,000" in drawn["layout"]["title"]["subtitle"]["text"]


@pytest.mark.parametrize(
    "rows", [MONTHLY, GROUPED, Rows(("a",), ()), Rows(("a", "a", ""), ((None, None, None),) * 30)]
)
def test_other_charts_are_at_most_three_and_each_is_a_figure(rows: Rows) -> None:
    chart = suggest(rows)
    found = others(chart, rows)
    assert len(found) <= 3 and chart.mark not in {other.mark for other in found}
    for other in found:
        go.Figure(figure(other, rows))


def test_the_first_months_by_a_figure_are_bars_in_its_order_and_no_line() -> None:
    best = Rows(("month", "revenue"), (("2025-12", 90), ("2025-07", 70), ("2025-11", 50)))
    by = "SELECT month, SUM(x) AS revenue FROM t GROUP BY month ORDER BY {} LIMIT 3"
    drawn = suggest(best, "top 3 months", sql=by.format("2 DESC"))
    assert (drawn.mark, drawn.x, drawn.sort) == ("bar", "month", "-value")
    whole = figure(drawn, best)
    assert whole["data"][0]["x"] == ["2025-12", "2025-07", "2025-11"]
    assert whole["layout"]["xaxis"]["type"] == "category"
    assert suggest(best, "revenue by month", sql=by.format("month")).mark == "line"
    least = Rows(best.columns, tuple(reversed(best.rows)))
    assert suggest(least, "worst 3 months", sql=by.format("2")).sort == "value"


def test_many_bars_of_times_sorted_by_size_keep_their_axis_of_time() -> None:
    days = Rows(
        ("day", "n"), tuple((f"2025-{m:02d}-{d:02d}", m * d) for m in (1, 3, 5) for d in range(1, 31))
    )
    assert figure(Chart("bar", "day", ("n",), sort="-value"), days)["layout"]["xaxis"]["type"] == "date"


def test_values_of_lying_bars_all_stand_behind_them_with_room() -> None:
    some = Rows(("product", "n"), (("Sleeping Bag Lofoten", 2_258_317), ("Tent", 9)))
    drawn = figure(Chart("bar", "product", ("n",)), some)
    assert drawn["data"][0]["textposition"] == "outside"
    low, high = drawn["layout"]["xaxis"]["range"]
    assert low == 0 and high > 2_258_317 * 1.2
    assert (
        figure(Chart("bar", "product", ("n",), line="9000000"), some)["layout"]["xaxis"]["range"][1]
        == 9_000_000
    )
    assert "range" not in figure(Chart("bar", "product", ("n",), scale="log"), some)["layout"]["xaxis"]
    losses = Rows(some.columns, (("Sleeping Bag Lofoten", -5), ("Tent", 9)))
    assert figure(Chart("bar", "product", ("n",)), losses)["data"][0]["textposition"] == "auto"


def test_axes_and_labels_are_in_the_formats_of_their_columns():
    shares = Rows(("day", "sales"), ((date(2026, 1, 31), 0.13), (date(2026, 2, 28), 0.25)))
    formats = (ColumnFormat("day", "month"), ColumnFormat("sales", "percent", 0))
    drawn = figure(Chart("bar", "day", ("sales",), formats=formats), shares)
    assert drawn["data"][0]["text"] == ["13%", "25%"]
    assert (drawn["layout"]["xaxis"]["tickformat"], drawn["layout"]["yaxis"]["tickformat"]) == (
        "%b %Y",
        ",.0%",
    )
    counted = figure(Chart("bar", "day", ("sales",), aggregate="count", formats=formats), shares)
    assert "tickformat" not in counted["layout"]["yaxis"], "rows are counted, not percentages"
    number = Chart("number", y=("sales",), formats=(ColumnFormat("sales", "currency", unit="<b>"),))
    assert (
        "0.13\xa0&lt;b&gt;"
        in figure(number, replace(shares, rows=shares.rows[:1]))["layout"]["annotations"][0]["text"]
    )


def test_one_figure_in_columns_of_two_periods_is_drawn_side_by_side():
    rows = Rows(
        ("city", "orders_q1_2026", "orders_q1_2025"), (("Oslo", 30, 20), ("Rome", 10, 40), ("Bern", 7, 4))
    )
    chart = suggest(rows, "orders by city, q1 2026 vs q1 2025")
    assert (chart.mark, chart.x, chart.y) == ("bar", "city", ("orders_q1_2026", "orders_q1_2025"))


def test_a_figure_of_two_seasons_is_drawn_side_by_side():
    rows = Rows(
        ("country", "orders_2025_06_01_to_2025_08_31", "orders_2024_06_01_to_2024_08_31"),
        (("Norway", 30, 20), ("Italy", 10, 40), ("Spain", 7, 4)),
    )
    chart = suggest(rows, "orders in summer 2025, compared to summer 2024, by country")
    assert (chart.mark, chart.x, chart.y) == ("bar", "country", rows.columns[1:])


def test_bars_and_lines_say_all_figures_of_a_place():
    rows = Rows(("city", "orders", "revenue"), (("Oslo", 3, 900.5), ("Rome", 5, 700.0)))
    drawn = figure(check(Chart("combo", "city", ("orders", "revenue")), rows), rows)
    assert drawn["layout"]["hovermode"] == "x unified"
    assert {trace["hovertemplate"].partition(":")[0] for trace in drawn["data"]} == {"%{fullData.name}"}


def test_types_are_offered_along_places_and_not_along_another_figure():
    rows = Rows(
        ("month", "orders", "revenue"), tuple((f"2024-{n:02d}", 70 + n, 900.5 * n) for n in range(1, 13))
    )
    for mark in ("pie", "box", "bar", "line"):
        assert not makes_sense(Chart(mark, "orders", ("revenue",)), rows), mark
    assert makes_sense(Chart("scatter", "orders", ("revenue",)), rows)
    ratings = Rows(("rating", "average_price"), tuple((n, 10 * n) for n in range(1, 6)))
    assert makes_sense(Chart("bar", "rating", ("average_price",)), ratings)


def test_a_value_is_read_once_where_a_point_is_pointed_at():
    rows = Rows(("country", "revenue"), tuple((f"Country {n}", 1_000_000 - n) for n in range(30)))
    (bars,) = figure(suggest(rows, "revenue by country"), rows)["data"]
    assert bars["hovertemplate"] == "%{y}: %{x:,.10~r}<extra></extra>"


@pytest.mark.parametrize("size", [3, 20])
def test_figures_of_other_sizes_have_an_axis_of_their_own_with_their_name(size):
    rows = Rows(("city", "orders", "revenue"), tuple((f"C{n}", 3 + n, 90_000 + n) for n in range(size)))
    chart = Chart("bar", "city", ("orders", "revenue"))
    drawn = figure(chart, rows)
    lying = size == 20
    own, shared = ("xaxis", "yaxis") if lying else ("yaxis", "xaxis")
    assert [trace.get(own) for trace in drawn["data"]] == [own[0], f"{own[0]}2"]
    assert [drawn["layout"][name]["title"]["text"] for name in (own, f"{own}2")] == ["Orders", "Revenue"]
    assert f"{shared}2" not in drawn["layout"]
    first, second = (drawn["layout"][name]["domain"] for name in (own, f"{own}2"))
    assert first[1] < second[0] if lying else second[1] < first[0]
    # The name is part of what is shown at the point, and has no box beside it.
    assert drawn["data"][0]["hovertemplate"].startswith("%{fullData.name}<br>")
    # Stacked, or on an axis of powers, they are together: somebody chose it.
    for chosen in (replace(chart, stack="stack"), replace(chart, scale="log")):
        assert (
            "xaxis2" not in figure(chosen, rows)["layout"] and "yaxis2" not in figure(chosen, rows)["layout"]
        )


@pytest.mark.parametrize(
    ("line", "level", "said"), [("average", 6.0, "average 6"), (" Median", 5.0, "median 5"), ("7", 7.0, "7")]
)
def test_a_line_stands_at_a_number_or_at_the_average_or_median_of_all_values(line, level, said):
    rows = Rows(("month", "orders"), (("2026-01", 3), ("2026-02", 5), ("2026-03", 10), ("2026-04", None)))
    drawn = figure(check(Chart("line", "month", ("orders",), line=line), rows), rows)["layout"]
    assert (drawn["shapes"][0]["y0"], drawn["annotations"][0]["text"]) == (level, said)


@pytest.mark.parametrize(
    "chart",
    [
        Chart("bar", "city", ("sales", "costs"), line="average"),
        Chart("bar", "city", ("sales",), "kind", line="median"),
        Chart("bar", "kind", ("sales",), aggregate="sum", line="average"),
        Chart("pie", "city", ("sales",), line="average"),
        Chart("bar", "city", ("sales",), line="middle"),
    ],
)
def test_a_line_that_means_nothing_is_refused_with_the_reason(chart):
    rows = Rows(
        ("city", "kind", "sales", "costs"), (("Oslo", "a", 3, 1), ("Rome", "b", 5, 2), ("Bern", "a", 4, 2))
    )
    with pytest.raises(ValueError, match="line"):
        check(chart, rows)


def test_whose_bars_they_are_stands_above_many_lying_ones() -> None:
    rows = Rows(("country", "y2025", "y2026"), tuple((f"Land of some name {n}", n, n + 1) for n in range(20)))
    lying = figure(check(Chart("bar", "country", ("y2025", "y2026")), rows), rows)["layout"]
    assert (lying["legend"]["y"], lying["legend"]["yanchor"], lying["showlegend"]) == (1, "bottom", True)
    assert "legend" not in figure(check(Chart("bar", "country", ("y2025",)), rows), rows)["layout"]


def test_a_line_among_two_axes_says_whose_value_it_is() -> None:
    drawn = figure(check(Chart("combo", "month", ("orders", "share"), line="3"), MONTHLY), MONTHLY)
    assert drawn["layout"]["annotations"][-1]["text"].startswith("Orders ")


def test_figures_that_are_not_drawn_are_named() -> None:
    apart = rows("channel orders revenue", ("web", 60, 24000), ("store", 50, 21000))
    assert charting.suggest(apart).note == "“Orders” is drawn; “revenue” is in the table."
    both = rows("channel revenue cost", ("web", 60, 24), ("store", 50, 21))
    assert (charting.suggest(both).y, charting.suggest(both).note) == (("revenue", "cost"), "")


def test_no_part_of_a_stack_is_labelled_above_it() -> None:
    parts = rows(
        "year channel sales", *((year, c, 5) for year in ("a", "b", "c") for c in ("web", "shop", "post"))
    )
    drawn = charting.figure(Chart("bar", "year", ("sales",), "channel", stack="stack"), parts)
    assert {trace["textposition"] for trace in drawn["data"]} == {"inside"}
    beside = charting.figure(Chart("bar", "year", ("sales",), "channel", stack="group"), parts)
    assert {trace["textposition"] for trace in beside["data"]} == {"auto"}


@pytest.mark.parametrize(
    ("kind", "cells", "note"),
    [
        ("month customers", (("2025-01", 3), ("2025-02", 5), (None, 90)), "Rows without month are not drawn: customers 90."),
        ("year orders", ((2023, 3), (None, 9.5), (2024, 1)), "Rows without year are not drawn: orders 9.5."),
        ("city revenue", (("Oslo", 3), (None, 90)), ""),
        ("height weight", ((None, 3), (2.5, 4), (3.5, None), (4.5, 7)), "2 rows without height or weight are not drawn."),
    ],
)  # fmt: skip
def test_a_group_that_has_no_place_on_the_axis_is_told(kind: str, cells: Any, note: str) -> None:
    drawn = rows(kind, *cells)
    assert suggest(drawn).note == note


def test_groups_of_many_series_that_have_no_time_are_told_without_figures() -> None:
    drawn = rows(
        "month city sales",
        ("2025-01", "Oslo", 1),
        ("2025-01", "Rome", 2),
        (None, "Oslo", 3),
        (None, "Rome", 4),
    )
    assert (
        check(Chart("line", "month", ("sales",), series="city"), drawn).note
        == "Rows without month are not drawn."
    )


@pytest.mark.parametrize(
    ("some", "text"),
    [
        (rows("coach rating", ("Ada", 3.14)), "<b>3.14</b><br>Ada"),
        (rows("coach rating", (None, 3.14)), "<b>3.14</b>"),
        (rows("rating", (3.14,)), "<b>3.14</b>"),
    ],
)
def test_one_number_of_a_name_says_the_name(some: Rows, text: str):
    assert charting.figure(charting.suggest(some), some)["layout"]["annotations"][0]["text"] == text


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([("2024-03", 5), ("2024-04", 6)], "%b %Y"),
        ([("2024-01-01", 5), ("2024-02-01", 6), ("2024-03-01", 7)], "%b %Y"),
        ([("2024-01-01", 5), ("2024-02-01", 6)], None),
        ([("2024-01-01", 5), ("2024-01-02", 6), ("2024-01-03", 7)], None),
        ([(2024, 5), (2025, 6)], "%Y"),
    ],
)
def test_the_tip_of_a_point_says_its_month_or_year(cells: list[tuple[Any, ...]], said: str | None) -> None:
    given = rows("month orders", *cells) if isinstance(cells[0][0], str) else rows("year orders", *cells)
    drawn = figure(Chart("line", given.columns[0], ("orders",)), given)
    assert drawn["layout"]["xaxis"].get("hoverformat") == said


@pytest.mark.parametrize(("months", "mode"), [(1, "tozero"), (2, None)])
def test_a_lone_point_of_a_line_stands_over_zero(months: int, mode: str | None) -> None:
    given = rows("month orders", *((f"2024-{month:02}", 42_817) for month in range(1, months + 1)))
    drawn = figure(Chart("line", "month", ("orders",)), given)
    assert drawn["layout"]["yaxis"].get("rangemode") == mode
