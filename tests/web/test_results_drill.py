"""The rows of a chart's point: the filters that it stands for give exactly the rows that it was made of."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from mirror.results import services
from mirror.results.rows import rows_of, rows_page
from sqlagent.telling import charting
from sqlagent.values import Chart, Rows

pytestmark = pytest.mark.django_db
TEXTS = ("Oslo", "oslo", " Oslo ", "<b>x</b>", "null", "> 5", "== x", "1..2", "", None, "É", "100%", "😀")
COLUMNS = {
    "text": TEXTS,
    "number": (1.5, 1e20, -0.25, None, 2.0, 0.1 + 0.2),
    "whole": (1, 2**62, -5, None, 2024),
    "amount": (Decimal("1.50"), Decimal("-2.25"), None, Decimal("3.00")),
    "day": (date(2026, 1, 31), date(2026, 2, 1), None),
    "moment": (datetime(2026, 1, 31, 12, 30), datetime(2026, 1, 31), None),
    "zoned": (datetime(2026, 1, 31, 12, 30, tzinfo=UTC), datetime(2026, 1, 31, tzinfo=UTC)),
    "flag": (True, False, None),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("mark", ["bar", "line"])
def test_each_point_leads_to_its_rows_and_no_others(shop, alice, media, name, mark):
    values = COLUMNS[name]
    rows = Rows(
        ("n", name, name), tuple((n, values[n % len(values)], "other") for n in range(2 * len(values) + 1))
    )
    kept = services.result_store(shop, rows, alice)
    read = rows_of(kept)
    chart = Chart(mark, name, ("n",), aggregate="count")
    told = charting.drill(chart, read)
    drawn = charting.figure(chart, read)
    (trace,) = drawn["data"]
    counts = trace["y"] if trace.get("orientation") != "h" else trace["x"]
    assert told is not None and told["columns"] == [1] and len(told["points"]) == len(values)
    for (text,), count in zip(told["points"], counts, strict=True):
        assert rows_page(kept, filters={1: text}).matching == count, text


def test_series_bins_and_single_rows_have_filters_too_and_what_has_none_says_so(shop, alice, media):
    rows = Rows(("a", "b", "n"), tuple((f"x{n % 3}", None if n % 2 else "y", n * 0.7) for n in range(20)))
    kept = services.result_store(shop, rows, alice)
    read = rows_of(kept)
    told = charting.drill(Chart("bar", "a", ("n",), series="b", aggregate="sum"), read)
    assert told["series"] == 1 and set(told["names"]) == {"null", "== y"}
    bins = charting.drill(Chart("histogram", "n"), read)
    counts = charting.figure(Chart("histogram", "n"), read)["data"][0]["y"]
    assert [rows_page(kept, filters={2: text}).matching for (text,) in bins["points"]] == counts
    single = charting.drill(Chart("scatter", "n", ("n",), series="a"), read)
    assert single["is_by_trace"] and [len(trace) for trace in single["points"]] == [7, 7, 6]
    odd = Rows(("a", "n"), ((b"\x00", 1), ("x" * 500, 2), ("a\nb", 3), (math.nan, 4), ([1], 5)))
    assert [text for (text,) in charting.drill(Chart("bar", "a", ("n",)), odd)["points"]] == [None] * 5
    many = Rows(("a", "n"), tuple((f"c{n}", 100 - n) for n in range(40)))
    slices = charting.drill(Chart("pie", "a", ("n",)), many)["points"]
    assert len(slices) == len(
        charting.figure(Chart("pie", "a", ("n",)), many)["data"][0]["labels"]
    ) and slices[-1] == [None]
    assert charting.drill(Chart("number", y=("n",)), many) is None
