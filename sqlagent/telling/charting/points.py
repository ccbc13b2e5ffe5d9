"""What a chart draws: positions in order, one value a position and series, and what is left out.

Decides aggregation (over all rows), order and cuts, and puts into words what was cut or added up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from sqlagent.rows.columns import Role, in_words, number_of, order_key, profile
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
    """What is drawn: positions on x in order, and for each series one value a position.

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
    """Say whether x is a time."""
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


def note_of(chart: Chart, rows: Rows) -> str:
    """Say in words what the chart leaves out or adds up."""
    notes = []
    if chart.mark == "number":
        notes += _number_note(chart, rows)
    elif chart.mark == "box" and chart.x:
        hidden = len({hashable(row[rows.columns.index(chart.x)]) for row in rows.rows}) - MAX_CATEGORIES
        if hidden > 0:
            notes.append(f"The {MAX_CATEGORIES} with most rows of {hidden + MAX_CATEGORIES:,} shown.")
    elif chart.mark in ("bar", "line", "area", "combo", "pie", "heatmap") and chart.x:
        points = points_of(chart, rows)
        if points.categories > len(points.xs):
            notes.append(f"First {len(points.xs)} of {points.categories:,} shown.")
        if chart.mark == "pie" and points.categories > MAX_SLICES:
            notes.append(
                f"The largest {MAX_SLICES - 1} of {points.categories:,} are shown, the rest as Other."
            )
        if points.left_out and is_small(chart):
            names = named_some(points.left_out)
            notes.append(f"The largest {len(points.values)} of {points.series:,} drawn, without {names}.")
        elif points.left_out:
            notes.append(f"The largest {len(points.values)} of {points.series:,} series shown.")
        if points.hidden:
            notes.append(
                f"{points.hidden:,} values that share a place with another are not drawn: choose an aggregate."
            )
        if chart.aggregate in ("mean", "sum", "min", "max") and points.categories < len(rows.rows):
            word = {
                "mean": "averaged",
                "sum": "added up",
                "min": "shown by their smallest",
                "max": "shown by their largest",
            }
            notes.append(f"Rows that share a place are {word[chart.aggregate]}.")
    elif chart.mark == "scatter" and len(rows.rows) > MAX_POINTS:
        notes.append(f"First {MAX_POINTS:,} of {len(rows.rows):,} points shown.")
    if rows.truncated:
        notes.append(f"Drawn from the first {len(rows.rows):,} rows; there are more.")
    return " ".join(notes)


def _number_note(chart: Chart, rows: Rows) -> list[str]:
    if len(rows.rows) < 2:
        return []
    if chart.x:
        return [f"The last of {len(rows.rows):,} rows, by {lower_first(in_words(chart.x))}."]
    word = {"sum": "Sum", "mean": "Average", "min": "Smallest", "max": "Largest", "count": "Count"}
    return [f"{word.get(chart.aggregate, 'First')} of {len(rows.rows):,} rows."]


def panels_of(rows: Rows, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Part figures into those that can share an axis: within a factor of 20 of the first of each.

    Example:
        >>> panels_of(Rows(("orders", "revenue", "returns"), ((60, 24000, 9), (50, 21000, 8))), ("orders", "revenue", "returns"))
        [('orders', 'returns'), ('revenue',)]
    """
    panels: list[tuple[float, list[str]]] = []
    for name in names:
        at = rows.columns.index(name)
        top = max((abs(number_of(row[at]) or 0.0) for row in rows.rows), default=0.0) or 1.0
        shared = next((held for first, held in panels if 0.05 <= top / first <= 20), None)
        if shared is None:
            panels.append((top, [name]))
        else:
            shared.append(name)
    return [tuple(held) for _, held in panels]


def title_of(chart: Chart) -> str:
    """Say in words what the chart shows."""
    if chart.mark == "number":
        return in_words(chart.y[0])
    if chart.mark == "histogram":
        return f"How {lower_first(in_words(chart.x))} is distributed"
    measure = measure_of(chart)
    if chart.mark == "box" and not chart.x:
        return f"How {lower_first(measure)} is distributed"
    if chart.mark == "scatter":
        return f"{measure} against {lower_first(in_words(chart.x))}"
    by = f"{measure} by {lower_first(in_words(chart.x))}"
    if is_small(chart):
        return f"{by}, in small charts by {lower_first(in_words(chart.series))}"
    return f"{by} and {lower_first(in_words(chart.series))}" if chart.series else by


def measure_of(chart: Chart) -> str:
    """Say in words what is measured, with its aggregate."""
    if chart.aggregate == "count":
        return "Number of rows"
    names = " and ".join([in_words(chart.y[0]), *(lower_first(in_words(n)) for n in chart.y[1:])])
    word = {"mean": "Average", "sum": "Total", "min": "Smallest", "max": "Largest"}.get(chart.aggregate)
    if word and not names.lower().startswith((word.lower(), "sum", "average", "total")):
        return f"{word} {lower_first(names)}"
    return names


def named_some(names: Sequence[str], most: int = 4) -> str:
    """Name the first of some things, and say how many more there are.

    Example:
        >>> named_some(("Oslo", "Rome")), named_some(tuple("abcdefg"))
        ('Oslo and Rome', 'a, b, c, d and 3 more')
    """
    shown = list(names) if len(names) <= most + 1 else [*names[:most], f"{len(names) - most:,} more"]
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def lower_first(words: str) -> str:
    """Put words into the middle of a sentence."""
    return words if len(words) > 1 and words[1].isupper() else words[:1].lower() + words[1:]


def label(cell: Cell) -> str:
    """Say a cell as the label of a category."""
    if cell is None or cell == "":
        return "(none)" if cell is None else "(empty)"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)
