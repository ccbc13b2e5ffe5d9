"""Marks with figures of their own: boxes, heatmaps, bars with lines, and a number with its last change."""

from __future__ import annotations

from statistics import quantiles
from typing import Any

from sqlagent.language.saying import number, worded_count
from sqlagent.rows.columns import in_words, number_of, order_key, profile
from sqlagent.telling.charting.markup import Json
from sqlagent.telling.charting.points import (
    MAX_CATEGORIES,
    MAX_LABELS,
    Points,
    hashable,
    label,
)
from sqlagent.values import Cell, Chart, Rows

WHISKER = 1.5
"""Whiskers reach to the last value within so many times the box's height."""


def boxes(chart: Chart, rows: Rows) -> tuple[list[str], Json]:
    """The categories of boxes, and one trace with their quartiles, reckoned over all rows."""
    names, groups = _groups(chart, rows)
    keys = _drawn(groups)
    if chart.x and profile(rows, chart.x).ordered:
        keys.sort(key=lambda k: order_key(names[k]))
    else:
        keys.sort(key=lambda k: -_box(groups[k])[2])
    found = [_box(groups[k]) for k in keys]
    texts = [label(names[k]) if chart.x else in_words(chart.y[0]) for k in keys]
    parts = ("lowerfence", "q1", "median", "q3", "upperfence")
    trace: Json = {"type": "box", "name": in_words(chart.y[0])}
    return texts, trace | {part: [box[n] for box in found] for n, part in enumerate(parts)}


def _groups(chart: Chart, rows: Rows) -> tuple[dict[Any, Cell], dict[Any, list[float]]]:
    """The values of each box by its key, and what each is called."""
    at = rows.columns.index(chart.y[0])
    by = rows.columns.index(chart.x) if chart.x else None
    groups: dict[Any, list[float]] = {}
    names: dict[Any, Cell] = {}
    for row in rows.rows:
        value = number_of(row[at])
        if value is None:
            continue
        key = None if by is None else hashable(row[by])
        names.setdefault(key, None if by is None else row[by])
        groups.setdefault(key, []).append(value)
    return names, groups


def _drawn(groups: dict[Any, list[float]]) -> list[Any]:
    """The keys of the boxes that are drawn: those of most values."""
    return sorted(groups, key=lambda k: -len(groups[k]))[:MAX_CATEGORIES]


def _box(values: list[float]) -> tuple[float, float, float, float, float]:
    """Lower whisker, lower quartile, median, upper quartile, upper whisker.

    Example:
        >>> _box([1.0, 2.0, 3.0, 4.0, 100.0])
        (1.0, 2.0, 3.0, 4.0, 4.0)
    """
    values = sorted(values)
    if len(values) == 1:
        return (values[0],) * 5
    low, middle, high = quantiles(values, n=4, method="inclusive")
    reach = WHISKER * (high - low)
    return (
        min(v for v in values if v >= low - reach),
        low,
        middle,
        high,
        max(v for v in values if v <= high + reach),
    )


def whiskers_note(chart: Chart, rows: Rows) -> str:
    """Say how many values boxes leave out: those beyond their whiskers.

    Example:
        >>> whiskers_note(Chart("box", y=("sales",)), Rows(("sales",), tuple((n,) for n in (1, 2, 3, 4, 100))))
        '1 value beyond the whiskers is not drawn.'
    """
    _, groups = _groups(chart, rows)
    beyond = 0
    for key in _drawn(groups):
        low, *_, high = _box(groups[key])
        beyond += sum(not low <= value <= high for value in groups[key])
    if not beyond:
        return ""
    return worded_count(
        "{count} value beyond the whiskers is not drawn.",
        "{count} values beyond the whiskers are not drawn.",
        beyond,
        count=number(f"{beyond:,}"),
    )


def heat(
    points: Points, texts: list[str], numbers: list[list[float | int | None]], labels: list[list[str]]
) -> Json:
    """One trace of a heatmap: a row a series, few enough cells with their numbers as labels."""
    trace: Json = {
        "type": "heatmap",
        "x": texts,
        "y": list(points.values),
        "z": numbers,
        "xgap": 1,
        "ygap": 1,
    }
    if len(texts) * len(numbers) <= MAX_LABELS * MAX_LABELS and len(texts) <= MAX_LABELS:
        trace |= {"text": labels, "texttemplate": "%{text}"}
    return trace


def last_and_before(chart: Chart, rows: Rows) -> tuple[list[Cell], list[float]]:
    """The times and values of a number that is told by its last one, in order."""
    x, y = rows.columns.index(chart.x), rows.columns.index(chart.y[0])
    pairs = [
        (row[x], value)
        for row in rows.rows
        if (value := number_of(row[y])) is not None and row[x] is not None
    ]
    pairs.sort(key=lambda pair: order_key(pair[0]))
    return [time for time, _ in pairs], [value for _, value in pairs]
