"""A chart that Excel draws by itself, of the cells of its sheet: a reader of the file can change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from mirror.exports.images.paper_style import SERIES
from mirror.exports.values import Sheet
from mirror.phrases import one_line

# More points cannot be told apart, and a bar needs more room than a point of a line.
_POINTS, _BARS = 2_000, 50
# Bars of more rows lie down, so that their labels can be read.
_STANDING = 12
_WIDTH, _HEIGHT, _LYING = 640, 380, 22


def chart_insert(book: Workbook, page: Worksheet, title: str, sheet: Sheet, rows: int) -> bool:
    """Put the chart of a sheet beside its table, where Excel can draw it as it is; tell whether it could.

    Bars, lines, areas and pies of columns as they stand, of so many rows as can be read. Charts that add up or split
    by a second column, and other marks, are left to the picture. `title` is the page's name.
    """
    chart = sheet.chart or {}
    mark, at = (
        str(chart.get("mark")),
        {name: place for place, name in reversed(list(enumerate(sheet.columns)))},
    )
    names = [str(name) for name in chart.get("y", ())]
    most = _POINTS if mark in ("line", "area") else _BARS
    is_plain = chart.get("aggregate") == "none" and not chart.get("series") and not chart.get("stack")
    is_here = chart.get("x") in at and names and all(name in at for name in names)
    if mark not in ("bar", "line", "area", "pie") or not is_plain or not is_here or not 1 < rows <= most:
        return False
    x = at[str(chart["x"])]
    is_time = sheet.kinds[x : x + 1] in (("date",), ("datetime",))
    is_lying = mark == "bar" and rows > _STANDING and not is_time
    drawn = book.add_chart({"type": "bar" if is_lying else "column" if mark == "bar" else mark})
    for number, name in enumerate(names):
        colour = SERIES[number % len(SERIES)]
        look = {} if mark == "pie" else {"line" if mark == "line" else "fill": {"color": colour}}
        drawn.add_series(
            {
                "name": [title, 0, at[name]],
                "categories": [title, 1, x, rows, x],
                "values": [title, 1, at[name], rows, at[name]],
            }
            | look
        )
    drawn.set_title({"name": one_line(str(chart.get("title") or sheet.title), 200), "overlay": False})
    drawn.set_size({"width": _WIDTH, "height": max(_HEIGHT, rows * _LYING) if is_lying else _HEIGHT})
    if len(names) == 1 and mark != "pie":
        drawn.set_legend({"none": True})
    if mark != "pie":
        drawn.set_x_axis(_axis(chart, is_time=is_time, is_lying=is_lying))
    page.insert_chart(1, len(sheet.columns) + 1, drawn)
    return True


def _axis(chart: Mapping[str, Any], *, is_time: bool, is_lying: bool) -> dict[str, Any]:
    """The axis of the categories; lying bars begin at the top, as their rows do."""
    axis: dict[str, Any] = {"name": one_line(str(chart.get("x_title") or ""), 100)}
    if is_time:
        axis |= {"date_axis": True, "num_format": "yyyy-mm-dd"}
    return axis | ({"reverse": True} if is_lying else {})
