"""Which rows a point of a chart is made of: for each point the filters of its columns, as a person types them above a table.

A value that no filter says (bytes, a list, NaN, a very long text) has None in its place.
"""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlagent.rows.columns import number_of
from sqlagent.telling.charting.figures import bins
from sqlagent.telling.charting.maps import is_of_coordinates, located, spots_drawn
from sqlagent.telling.charting.markup import Json
from sqlagent.telling.charting.points import MAX_POINTS, label, points_of, slices_of
from sqlagent.values import Cell, Chart, Kind, Rows

LONGEST = 190
"""Characters of a value that still makes a filter."""

Filter = str | None


def drill(chart: Chart, rows: Rows) -> Json | None:
    """Give the filters of a chart's points; None for marks without points that rows belong to.

    `columns` are places of columns, and `points` has a filter for each of them, point by point along the chart, or trace by
    trace where it `is_by_trace`. Where rows are split, `series` is the place of that column and `names` has a filter a series.

    Example:
        >>> drill(Chart("bar", "city", ("sales",)), Rows(("city", "sales"), (("Oslo", 3), (None, 5))))
        {'columns': [0], 'points': [['== Oslo'], ['null']], 'is_by_trace': False, 'series': None, 'names': []}
    """
    if not rows.rows:
        return None
    if chart.mark == "scatter":
        return _of_rows(chart, rows)
    if chart.mark == "histogram":
        return _of_bins(chart, rows)
    if chart.mark == "map":
        return _of_map(chart, rows)
    if chart.mark not in ("bar", "line", "area", "combo", "pie", "heatmap") or not chart.x:
        return None
    found = points_of(chart, rows)
    x = rows.columns.index(chart.x)
    if chart.mark == "pie":
        slices, rest = slices_of(found)
        points = [[_filter(cell, rows, x)] for cell, _ in slices] + [[None]] * (rest is not None)
    else:
        points = [[_filter(cell, rows, x)] for cell in found.xs]
    by = rows.columns.index(chart.series) if chart.series else None
    names = [] if by is None else _names(rows, by, list(found.values))
    return _told([x], points, by, names)


def _told(
    columns: list[int],
    points: list[Any],
    series: int | None,
    names: list[Filter],
    *,
    is_by_trace: bool = False,
) -> Json:
    return {
        "columns": columns,
        "points": points,
        "is_by_trace": is_by_trace,
        "series": series,
        "names": names,
    }


def _names(rows: Rows, by: int, labels: list[str]) -> list[Filter]:
    known: dict[str, Cell] = {}
    for row in rows.rows:
        known.setdefault(label(row[by]), row[by])
    return [_filter(known[text], rows, by) for text in labels]


def _of_rows(chart: Chart, rows: Rows) -> Json:
    """Points that are a row each, by the series that they are drawn in."""
    x, y = rows.columns.index(chart.x), rows.columns.index(chart.y[0])
    by = rows.columns.index(chart.series) if chart.series else None
    traces: dict[str, list[list[Filter]]] = {}
    for row in rows.rows[:MAX_POINTS]:
        trace = traces.setdefault("" if by is None else label(row[by]), [])
        trace.append([_filter(row[x], rows, x), _filter(row[y], rows, y)])
    names = [] if by is None else _names(rows, by, list(traces))
    return _told([x, y], list(traces.values()), by, names, is_by_trace=True)


def _of_map(chart: Chart, rows: Rows) -> Json:
    """Countries by the value that names them, points by their coordinates. A country of several names has no filter."""
    x = rows.columns.index(chart.x)
    if is_of_coordinates(chart, rows):
        y = rows.columns.index(chart.y[0])
        spots = [
            [_filter(row[x], rows, x), _filter(row[y], rows, y)] for row, _, _ in spots_drawn(chart, rows)
        ]
        return _told([x, y], [spots], None, [], is_by_trace=True)
    points = [
        [[_filter(place.cells[0], rows, x) if len(place.cells) == 1 else None] for place in places]
        for places in located(chart, rows).traces
    ]
    return _told([x], points, None, [], is_by_trace=True)


def _of_bins(chart: Chart, rows: Rows) -> Json | None:
    """Ranges of numbers; the last one holds its upper edge."""
    x = rows.columns.index(chart.x)
    numbers = [n for n in (number_of(row[x]) for row in rows.rows) if n is not None]
    if not numbers:
        return None
    start, width, counts = bins(numbers)
    last = len(counts) - 1
    edges = [float(f"{start + place * width:.15g}") for place in range(len(counts) + 1)]
    points = [[f"{edges[n]!r}..{'' if n == last else '<'}{edges[n + 1]!r}"] for n in range(len(counts))]
    return _told([x], points, None, [])


def _filter(cell: Cell, rows: Rows, column: int) -> Filter:
    if cell is None:
        return "null"
    kind = rows.kinds[column] if column < len(rows.kinds) else None
    text = _text(cell)
    if text is None or len(text) > LONGEST or any(letter < " " for letter in text):
        return None
    is_compared = kind in (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME)
    return f"= {text}" if is_compared else f"== {text}"


def _text(cell: Cell) -> str | None:
    match cell:
        case bool():
            return "true" if cell else "false"
        case str():
            return cell
        case float():
            return repr(cell) if math.isfinite(cell) else None
        case Decimal():
            return format(cell, "f") if cell.is_finite() else None
        case date():
            return cell.isoformat()
        case int() | UUID():
            return str(cell)
        case _:
            return None
