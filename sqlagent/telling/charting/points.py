"""The points of a chart: positions in order, one value a position and series, and what is left out.

Decides aggregation (over all rows), order and cuts, and puts into words what was cut or added up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from sqlagent.language import saying
from sqlagent.language.saying import (
    Saying,
    all_of,
    lower_first,
    number,
    spaced,
    template,
    worded,
    worded_count,
)
from sqlagent.rows.columns import Profile, Role, in_words, number_of, order_key, profile
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


_SHARED = {
    "mean": worded("Rows that share a place are averaged."),
    "sum": worded("Rows that share a place are added up."),
    "min": worded("Rows that share a place are shown by their smallest."),
    "max": worded("Rows that share a place are shown by their largest."),
}


def is_timed(chart: Chart, x: Profile, places: int) -> bool:
    """Say whether bars, lines or areas at so many places stand on an axis of time.

    Times in order of their figures are a ranking: on an axis of time each would stand at its own place.
    """
    is_ranked = chart.mark == "bar" and chart.sort in ("value", "-value") and places <= MAX_CATEGORIES
    return x.role == Role.TIME and not is_ranked


def _nowhere(chart: Chart, rows: Rows, points: Points) -> list[str]:
    """Say what has no place on an axis of time, as it has no time."""
    x = profile(rows, chart.x)
    if not x.nulls or chart.mark in ("pie", "heatmap") or not is_timed(chart, x, len(points.xs)):
        return []
    name, nowhere = lower_first(x.words), [n for n, cell in enumerate(points.xs) if cell is None]
    values = [found[n] for n in nowhere for found in points.values.values() if found[n] is not None]
    if len(points.values) > 1 or len(values) != 1:
        return [worded("Rows without {name} are not drawn.", name=name)]
    value = round(values[0] or 0.0, 2)
    told = number(f"{int(value) if value == int(value) else value:,}")
    figure = lower_first(measure_of(chart))
    return [
        worded("Rows without {name} are not drawn: {figure} {value}.", name=name, figure=figure, value=told)
    ]


def note_of(chart: Chart, rows: Rows) -> str:
    """Say in words what the chart leaves out or adds up."""
    notes = []
    if chart.mark == "number":
        notes += _number_note(chart, rows)
    elif chart.mark == "box" and chart.x:
        hidden = len({hashable(row[rows.columns.index(chart.x)]) for row in rows.rows}) - MAX_CATEGORIES
        if hidden > 0:
            notes.append(
                worded(
                    "The {max_categories} with most rows of {value} shown.",
                    max_categories=MAX_CATEGORIES,
                    value=number(f"{hidden + MAX_CATEGORIES:,}"),
                )
            )
    elif chart.mark in ("bar", "line", "area", "combo", "pie", "heatmap") and chart.x:
        points = points_of(chart, rows)
        if points.categories > len(points.xs):
            notes.append(
                worded(
                    "First {count} of {categories} shown.",
                    count=len(points.xs),
                    categories=number(f"{points.categories:,}"),
                )
            )
        if chart.mark == "pie" and points.categories > MAX_SLICES:
            notes.append(
                worded(
                    "The largest {value} of {categories} are shown, the rest as Other.",
                    value=MAX_SLICES - 1,
                    categories=number(f"{points.categories:,}"),
                )
            )
        if points.left_out and is_small(chart):
            names = named_some(points.left_out)
            notes.append(
                worded(
                    "The largest {count} of {series} drawn, without {names}.",
                    count=len(points.values),
                    series=number(f"{points.series:,}"),
                    names=names,
                )
            )
        elif points.left_out:
            notes.append(
                worded(
                    "The largest {count} of {series} series shown.",
                    count=len(points.values),
                    series=number(f"{points.series:,}"),
                )
            )
        notes += _nowhere(chart, rows, points)
        if points.hidden:
            notes.append(
                worded(
                    "{hidden} values that share a place with another are not drawn: choose an aggregate.",
                    hidden=number(f"{points.hidden:,}"),
                )
            )
        if chart.aggregate in ("mean", "sum", "min", "max") and points.categories < len(rows.rows):
            notes.append(_SHARED[chart.aggregate])
    elif chart.mark == "scatter":
        notes += _scatter_note(chart, rows)
    if rows.truncated:
        notes.append(
            worded("Drawn from the first {count} rows; there are more.", count=number(f"{len(rows.rows):,}"))
        )
    return spaced(*notes)


def _scatter_note(chart: Chart, rows: Rows) -> list[str]:
    notes: list[str] = []
    if len(rows.rows) > MAX_POINTS:
        notes.append(
            worded(
                "First {max_points} of {count} points shown.",
                max_points=number(f"{MAX_POINTS:,}"),
                count=number(f"{len(rows.rows):,}"),
            )
        )
    at = [rows.columns.index(name) for name in (chart.x, chart.y[0])]
    lost = sum(1 for row in rows.rows[:MAX_POINTS] if any(row[n] is None for n in at))
    if lost:
        notes.append(
            worded_count(
                "{count} row without {x} or {y} is not drawn.",
                "{count} rows without {x} or {y} are not drawn.",
                lost,
                count=number(f"{lost:,}"),
                x=lower_first(in_words(chart.x)),
                y=lower_first(in_words(chart.y[0])),
            )
        )
    return notes


def _number_note(chart: Chart, rows: Rows) -> list[str]:
    if len(rows.rows) < 2:
        return []
    if chart.x:
        return [
            worded(
                "The last of {count} rows, by {name}.",
                count=number(f"{len(rows.rows):,}"),
                name=lower_first(in_words(chart.x)),
            )
        ]
    form = _OF_ROWS.get(chart.aggregate, template("First of {count} rows."))
    return [worded(form, count=number(f"{len(rows.rows):,}"))]


_OF_ROWS = {
    "sum": template("Sum of {count} rows."),
    "mean": template("Average of {count} rows."),
    "min": template("Smallest of {count} rows."),
    "max": template("Largest of {count} rows."),
    "count": template("Count of {count} rows."),
}


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
        return worded("How {name} is distributed", name=_within(chart.x))
    measure = measure_of(chart)
    if chart.mark == "box" and not chart.x:
        return worded("How {name} is distributed", name=_measure_within(chart))
    if chart.mark == "scatter":
        return worded("{name} against {other}", name=measure, other=_within(chart.x))
    if is_small(chart):
        return worded(
            "{figure} by {groups}, in small charts by {series}",
            figure=measure,
            groups=_within(chart.x),
            series=_within(chart.series),
        )
    groups = [_within(chart.x), *([_within(chart.series)] if chart.series else [])]
    return worded("{figure} by {groups}", figure=measure, groups=all_of(groups))


def measure_of(chart: Chart) -> str:
    """Say in words what is measured, with its aggregate."""
    if chart.aggregate == "count":
        return worded("Number of rows")
    names = all_of([words_of(chart.y[0]), *map(_within, chart.y[1:])])
    begins = names.lower().startswith
    match chart.aggregate:
        case "mean" if not begins(("average", "sum", "total")):
            return worded("Average {name}", name=_measure_within(chart))
        case "sum" if not begins(("total", "sum", "average")):
            return worded("Total {name}", name=_measure_within(chart))
        case "min" if not begins(("smallest", "sum", "average", "total")):
            return worded("Smallest {name}", name=_measure_within(chart))
        case "max" if not begins(("largest", "sum", "average", "total")):
            return worded("Largest {name}", name=_measure_within(chart))
    return names


def share_of(chart: Chart) -> str:
    """Say in words of what the shares are that are drawn."""
    return worded("Share of {name}", name=_measure_within(replace(chart, aggregate="none")))


def texts_of(chart: Chart) -> tuple[str, ...]:
    """List the texts that a figure of the chart may say, as what they are made of: its title and those of its axes."""
    columns = [words_of(name) for name in (chart.x, chart.series, *chart.y) if name]
    if chart.mark in ("none", "number") or not (chart.x or chart.y):
        return tuple(columns)
    return (title_of(chart), measure_of(chart), share_of(chart), *columns)


def words_of(name: str) -> str:
    """Say a column's name in words; a name that the built-in analyst gives is known in other languages.

    Example:
        >>> from sqlagent.language.saying import parts_of
        >>> words_of("net_amount"), parts_of(words_of("month"))
        ('Net amount', {'say': 'Month'})
    """
    words = in_words(name)
    return worded(words) if words in _MADE else words


def _within(column: str) -> str:
    """A column's name within a sentence."""
    words = in_words(column)
    return worded(_MADE[words]) if _MADE.get(words) else saying.name(words)


def _measure_within(chart: Chart) -> str:
    """The measure, within a sentence."""
    if chart.aggregate == "count":
        return worded("number of rows")
    return all_of([_within(one) for one in chart.y])


# Names of columns that the built-in analyst gives, and the same within a sentence; "share" is a verb in the catalogs.
_MADE = {
    template("Year"): template("year"),
    template("Quarter"): template("quarter"),
    template("Month"): template("month"),
    template("Week"): template("week"),
    template("Day"): template("day"),
    template("Share"): "",
    template("Change"): template("change"),
    template("Running total"): template("running total"),
    template("Moving average"): template("moving average"),
}


def named_some(names: Sequence[str], most: int = 4) -> Saying:
    """Name the first of some things, and say how many more there are.

    Example:
        >>> named_some(("Oslo", "Rome")), named_some(tuple("abcdefg"))
        ('Oslo and Rome', 'a, b, c, d and 3 more')
    """
    if len(names) <= most + 1:
        return all_of(names)
    return all_of([*names[:most], worded("{count} more", count=number(f"{len(names) - most:,}"))])


def label(cell: Cell) -> str:
    """Say a cell as the label of a category."""
    if cell is None or cell == "":
        return "NULL" if cell is None else "(empty)"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)
