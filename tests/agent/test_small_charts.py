"""Small charts: one for each series, on shared axes, with the rest told in words, and offered where one chart is a tangle."""

from __future__ import annotations

import json
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from sqlagent.telling.charting import check, drill, figure, others, split_small, suggest
from sqlagent.values import Chart, Rows

COUNTRIES = (
    *("Norway", "Sweden", "Denmark", "Finland", "Iceland", "Germany", "France"),
    *("Spain", "Italy", "Poland", "Greece", "Austria", "Latvia", "Malta"),
)
MONTHS = [f"2025-{month:02}" for month in range(1, 13)]


def sales(countries: int, step: int = 7) -> Rows:
    cells = tuple(
        (m, c, 10 * n + i * step % (5 + n))
        for i, m in enumerate(MONTHS)
        for n, c in enumerate(COUNTRIES[:countries])
    )
    return Rows(("month", "country", "sales"), cells)


SMALL = Chart("line", "month", ("sales",), "country", stack="small")


@pytest.mark.parametrize("mark", ["line", "area", "bar"])
def test_each_series_has_axes_of_its_own_that_go_with_the_first(mark: str) -> None:
    rows = sales(5)
    drawn = figure(check(replace(SMALL, mark=mark), rows), rows)
    assert [(trace["xaxis"], trace["yaxis"]) for trace in drawn["data"]] == [
        (f"x{n}", f"y{n}") for n in ("", 2, 3, 4, 5)
    ]
    layout = drawn["layout"]
    assert {layout[f"yaxis{n}"]["matches"] for n in (2, 3, 4, 5)} == {"y"}
    assert {layout[f"xaxis{n}"]["matches"] for n in (2, 3, 4, 5)} == {"x"}
    assert [note["text"] for note in layout["annotations"]] == [trace["name"] for trace in drawn["data"]]
    assert not any(trace.get("stackgroup") or trace.get("text") for trace in drawn["data"])
    assert (layout["showlegend"], layout["title"]["text"]) == (
        False,
        "Sales by month, in small charts by country",
    )
    go.Figure(drawn)
    json.dumps(drawn, allow_nan=False)


def test_twelve_are_drawn_largest_first_and_the_others_are_named() -> None:
    rows = sales(14)
    drawn = figure(check(SMALL, rows), rows)
    assert [trace["name"] for trace in drawn["data"]] == list(reversed(COUNTRIES[2:]))
    assert (
        drawn["layout"]["title"]["subtitle"]["text"]
        == "The largest 12 of 14 drawn, without Sweden and Norway."
    )
    many = Rows(rows.columns, tuple((m, f"c{n:02}", n) for m in MONTHS for n in range(30)))
    note = check(SMALL, many).note
    assert note == "The largest 12 of 30 drawn, without c17, c16, c15, c14 and 14 more."


def test_values_with_an_order_keep_it() -> None:
    days = ("Mon", "Tue", "Wed", "Thu")
    rows = Rows(
        ("hour", "weekday", "visits"), tuple((h, d, h + n * 9) for h in range(5) for n, d in enumerate(days))
    )
    drawn = figure(Chart("bar", "hour", ("visits",), "weekday", stack="small"), rows)
    assert [trace["name"] for trace in drawn["data"]] == list(days)


@pytest.mark.parametrize("count", range(1, 13))
def test_every_grid_holds_all_and_names_the_axes_at_its_left_and_its_foot(count: int) -> None:
    rows = sales(count)
    layout = figure(check(SMALL, rows), rows)["layout"]
    grids = layout["meta"]["grids"]
    assert grids[0]["columns"] <= 2, "two are side by side on a telephone"
    for grid in grids:
        boxes = [
            (*grid["axes"][f"xaxis{n or ''}"]["domain"], *grid["axes"][f"yaxis{n or ''}"]["domain"])
            for n in (0, *range(2, count + 1))
        ]
        assert all(0 <= left < right <= 1.001 and 0 <= low < high <= 1 for left, right, low, high in boxes)
        assert len({(left, low) for left, _, low, _ in boxes}) == count
        for n, (left, _, low, _) in enumerate(boxes):
            own = str(n + 1) if n else ""
            assert grid["axes"][f"yaxis{own}"]["showticklabels"] == (left == 0)
            is_low = not any(other_left == left and other_low < low for other_left, _, other_low, _ in boxes)
            assert grid["axes"][f"xaxis{own}"]["showticklabels"] == is_low


def test_points_of_small_charts_lead_to_their_rows() -> None:
    rows = sales(3)
    chart = check(SMALL, rows)
    found = drill(chart, rows)
    assert found is not None
    assert found["names"] == [f"== {trace['name']}" for trace in figure(chart, rows)["data"]]
    assert (found["series"], len(found["points"])) == (1, 12)


def test_a_line_and_titles_stand_in_each() -> None:
    rows = sales(3)
    wanted = replace(SMALL, line="20", scale="log", y_title="EUR")
    layout = figure(check(wanted, rows), rows)["layout"]
    assert [(line["xref"], line["yref"]) for line in layout["shapes"]] == [
        ("x domain", "y"),
        ("x2 domain", "y2"),
        ("x3 domain", "y3"),
    ]
    assert {layout[name]["type"] for name in ("yaxis", "yaxis2", "yaxis3")} == {"log"}
    assert (layout["yaxis"]["title"], layout["yaxis2"]["title"]) == ({"text": "EUR"}, {"text": ""})
    assert "title" not in layout["xaxis"]


def test_names_mean_no_markup() -> None:
    rows = Rows(("month", "country", "sales"), tuple((m, c, 1) for m in MONTHS for c in ("<b>x</b>", "y")))
    texts = [note["text"] for note in figure(SMALL, rows)["layout"]["annotations"]]
    assert "&lt;b&gt;x&lt;/b&gt;" in texts


def test_they_are_offered_for_many_series_and_for_lines_that_cross() -> None:
    def offered(rows: Rows) -> bool:
        return any(other.stack == "small" for other in others(suggest(rows), rows))

    assert offered(sales(7))
    assert not offered(sales(3)), "three lines that never cross are told apart"
    tangle = tuple(
        (m, c, (i * (n + 2) + n) % 5) for i, m in enumerate(MONTHS) for n, c in enumerate(COUNTRIES[:4])
    )
    assert offered(Rows(("month", "country", "sales"), tangle))


def test_small_charts_offer_to_be_one_again() -> None:
    rows = sales(7)
    first = others(check(SMALL, rows), rows)[0]
    assert (first.mark, first.stack, first.series) == ("line", "", "country")


def test_other_charts_are_none_of_small_ones() -> None:
    rows = sales(3)
    assert check(replace(SMALL, mark="heatmap"), rows).stack == ""
    with pytest.raises(ValueError, match="split by"):
        check(replace(SMALL, series=""), rows)


def test_the_column_to_split_by_is_found_and_what_shares_a_place_is_added_up() -> None:
    rows = Rows(
        ("month", "country", "product", "sales"),
        tuple((m, c, p, 3) for m in MONTHS for c in COUNTRIES[:5] for p in ("tea", "ink")),
    )
    found = split_small(Chart("line", "month", ("sales",)), rows)
    assert (found.series, found.aggregate, found.stack) == ("product", "sum", "small")
    alone = Rows(("month", "sales"), tuple((m, 3) for m in MONTHS))
    assert split_small(Chart("line", "month", ("sales",)), alone).series == ""
