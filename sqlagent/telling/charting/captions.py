"""The words of a chart: its title, what it measures, and notes of what it leaves out or adds up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
from sqlagent.rows.columns import in_words, profile
from sqlagent.telling.charting.points import (
    MAX_CATEGORIES,
    MAX_POINTS,
    MAX_SLICES,
    Points,
    hashable,
    is_small,
    is_timed,
    points_of,
)
from sqlagent.values import Chart, Rows

_SHARED = {
    "mean": worded("Rows that share a place are averaged."),
    "sum": worded("Rows that share a place are added up."),
    "min": worded("Rows that share a place are shown by their smallest."),
    "max": worded("Rows that share a place are shown by their largest."),
}


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
        notes += _places_note(chart, rows)
    elif chart.mark == "scatter":
        notes += _scatter_note(chart, rows)
    if rows.truncated:
        notes.append(
            worded("Drawn from the first {count} rows; there are more.", count=number(f"{len(rows.rows):,}"))
        )
    return spaced(*notes)


def _places_note(chart: Chart, rows: Rows) -> list[str]:
    """Tell of places, series and values of a chart along categories or times that are not drawn, and of those added up."""
    notes: list[str] = []
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
    return notes


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


# Names of columns that the built-in analyst gives, and the same within a sentence; within one "share" is a verb in the catalogs.
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
