"""The points of a chart: positions in order, one value a position and series, and what is left out.

Decides aggregation (over all rows), order and cuts; `captions` says what was cut or added up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from sqlagent.rows.columns import Profile, Role, number_of, order_key, profile
from sqlagent.values import Cell, Chart, Rows

MARKS = (
    "bar",
    "line",
    "area",
    "combo",
    "scatter",
    "pie",
    "histogram",
    "box",
    "heatmap",
    "map",
    "number",
    "none",
)
STACKS, SORTS, SCALES = (
    ("", "group", "stack", "share", "small"),
    ("", "value", "-value", "name"),
    ("", "log"),
)
SMALL_MARKS = ("bar", "line", "area")
"""Charts whose series can stand in small charts of their own."""
AGGREGATES = ("none", "sum", "mean", "count", "min", "max")

MAX_CATEGORIES = 50
"""Bars drawn at most; more cannot be read on a page 1,280 px wide."""
MAX_SERIES = 8
"""Series drawn at most: there are eight colours that survive colour blindness."""
MAX_SMALL = 12
"""Small charts at most, and bars of each; more cannot be read on a telephone."""
MAX_BANDS = 40
"""Rows of a heatmap at most."""
MAX_POINTS = 5_000
"""Points drawn at most; a browser draws as many in well under a second."""
MAX_SLICES = 12
MAX_LABELS = 12
"""Points up to which each carries its number."""


@dataclass(frozen=True, slots=True)
class Points:
    """The drawn points: positions on x in order, and for each series one value a position.

    `categories` and `series` count what there was before any cut; `hidden` are the values that
    share a place with another and, without an aggregate, are not drawn. `left_out` are the series that were cut, largest first.
    """

    xs: list[Cell]
    values: dict[str, list[float | None]]
    categories: int
    series: int
    hidden: int = 0
    left_out: tuple[str, ...] = ()


_FOLD: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": fmean,
    "min": min,
    "max": max,
}


def points_of(chart: Chart, rows: Rows) -> Points:
    """Gather the values to draw, aggregated over all rows, cut to what can be read."""
    at = {name: i for i, name in reversed(list(enumerate(rows.columns)))}
    x_at = at[chart.x]
    names = list(chart.y) or ["count"]
    gathered: dict[str, dict[Any, list[float]]] = {}
    xs: dict[Any, Cell] = {}
    for row in rows.rows:
        key = hashable(row[x_at])
        xs.setdefault(key, row[x_at])
        for name in names:
            series = label(row[at[chart.series]]) if chart.series else name
            slot = gathered.setdefault(series, {}).setdefault(key, [])
            if chart.aggregate == "count":
                slot.extend([1.0] if not chart.y or row[at[name]] is not None else [])
            else:
                value = number_of(row[at[name]])
                slot.extend([value] if value is not None else [])
    folded = {s: {k: _fold(chart.aggregate, v) for k, v in values.items()} for s, values in gathered.items()}
    hidden = 0
    if chart.aggregate == "none":
        hidden = sum(max(0, len(v) - 1) for values in gathered.values() for v in values.values())
    every = len(folded)
    most = most_series(chart)
    left_out: tuple[str, ...] = ()
    weight = {s: sum(abs(v or 0.0) for v in values.values()) for s, values in folded.items()}
    by_weight = sorted(folded, key=lambda s: -weight[s])
    if chart.series and every > most:
        left_out = tuple(by_weight[most:])
        folded = {s: folded[s] for s in folded if s not in left_out}
    if is_small(chart):
        folded = {s: folded[s] for s in _small_order(chart, rows, by_weight) if s in folded}
    keys = _ordered(chart, rows, xs, folded)
    shown = keys[: _limit(chart, rows)]
    values = {s: [found.get(k) for k in shown] for s, found in folded.items()}
    return Points([xs[k] for k in shown], values, len(keys), every, hidden, left_out)


def is_small(chart: Chart) -> bool:
    """Say whether each series has a small chart of its own."""
    return chart.stack == "small" and bool(chart.series) and chart.mark in SMALL_MARKS


def most_series(chart: Chart) -> int:
    """How many series a chart draws at most."""
    return MAX_SMALL if is_small(chart) else MAX_BANDS if chart.mark == "heatmap" else MAX_SERIES


def _limit(chart: Chart, rows: Rows) -> int:
    """How many positions are drawn at most."""
    if time_axis(chart, rows) or (chart.mark not in ("bar", "combo", "heatmap") and not is_small(chart)):
        return MAX_POINTS
    is_lying = is_small(chart) and chart.mark == "bar" and not profile(rows, chart.x).ordered
    return MAX_SMALL if is_lying else MAX_CATEGORIES


def _small_order(chart: Chart, rows: Rows, by_weight: list[str]) -> list[str]:
    """Small charts in the order of their values where they have one (weekdays, years), else largest first."""
    if not profile(rows, chart.series).ordered:
        return by_weight
    at = rows.columns.index(chart.series)
    cells = {label(row[at]): row[at] for row in rows.rows}
    return sorted(by_weight, key=lambda s: order_key(cells[s]))


def _fold(aggregate: str, values: Sequence[float]) -> float | None:
    if aggregate == "count":
        return float(len(values))
    if not values:
        return None
    return _FOLD[aggregate](values) if aggregate in _FOLD else values[0]


def fold_all(aggregate: str, values: Sequence[float | None]) -> float | None:
    """Put the numbers of a column into one."""
    return _fold(aggregate, [value for value in values if value is not None])


def _ordered(
    chart: Chart, rows: Rows, xs: dict[Any, Cell], folded: dict[str, dict[Any, float | None]]
) -> list[Any]:
    """Put positions in order: by themselves where they have an order, else by size, largest first.

    Rows that already come sorted by size keep their order, so that "the five smallest" stay so.
    """
    column = profile(rows, chart.x)
    keys = list(xs)
    totals = {k: sum(values.get(k) or 0.0 for values in folded.values()) for k in keys}
    if chart.sort == "name":
        return sorted(keys, key=lambda k: order_key(xs[k]))
    if chart.sort:
        return sorted(keys, key=lambda k: totals[k] * (-1 if chart.sort == "-value" else 1))
    by_itself = column.ordered or column.role == Role.MEASURE
    if by_itself or (chart.mark in ("line", "area") and column.role != Role.CATEGORY):
        return sorted(keys, key=lambda k: order_key(xs[k]))
    if chart.mark in ("line", "area"):
        return keys
    sizes = [totals[k] for k in keys]
    if sizes == sorted(sizes):
        return keys
    return sorted(keys, key=lambda k: -totals[k])


def hashable(cell: Cell) -> Any:
    """Give a cell a form that can be a key."""
    try:
        hash(cell)
    except TypeError:
        return repr(cell)
    return cell


def time_axis(chart: Chart, rows: Rows) -> bool:
    """Whether the column along the x axis is a time by what it holds."""
    return profile(rows, chart.x).role == Role.TIME


def slices_of(points: Points) -> tuple[list[tuple[Cell, float]], float | None]:
    """Give a pie's slices in their order, and what the smallest come to together where there are too many; None where all stand."""
    pairs = [
        (cell, value)
        for cell, value in zip(points.xs, next(iter(points.values.values())), strict=True)
        if value
    ]
    if len(pairs) <= MAX_SLICES:
        return pairs, None
    pairs.sort(key=lambda pair: -pair[1])
    return pairs[: MAX_SLICES - 1], math.fsum(value for _, value in pairs[MAX_SLICES - 1 :])


def is_timed(chart: Chart, x: Profile, places: int) -> bool:
    """Say whether bars, lines or areas at so many places stand on an axis of time.

    Times in order of their figures are a ranking: on an axis of time each would stand at its own place.
    """
    is_ranked = chart.mark == "bar" and chart.sort in ("value", "-value") and places <= MAX_CATEGORIES
    return x.role == Role.TIME and not is_ranked


def label(cell: Cell) -> str:
    """Say a cell as the label of a category."""
    if cell is None or cell == "":
        return "NULL" if cell is None else "(empty)"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)
