"""Whether a chart as somebody edited it can be drawn of its rows, and the note that it then has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.language.saying import spaced
from sqlagent.rows.columns import Profile, Role, is_additive, profiles
from sqlagent.telling.charting.captions import note_of
from sqlagent.telling.charting.levels import is_reckoned, level_of
from sqlagent.telling.charting.maps import check_map, map_note
from sqlagent.telling.charting.marks import whiskers_note
from sqlagent.telling.charting.points import AGGREGATES, MARKS, SCALES, SMALL_MARKS, SORTS, STACKS, points_of
from sqlagent.values import Chart, Kind, Rows

_LINED = frozenset({"bar", "line", "area", "scatter"})
"""Charts whose values have an average that is seen as a line."""

PART_WORDS = frozenset(["share", "percent", "percentage", "pct", "rate", "ratio", "proportion", "margin"])
"""Words in the name of a figure that is no part of a whole unless all of them come to 1 or 100."""


def check(chart: Chart, rows: Rows) -> Chart:
    """Check a person's edits against the rows and bring the note up to date.

    Raises: ValueError, in words fit to be shown beside the form.

    Example:
        >>> check(Chart("bar", "town", ("sales",)), Rows(("city", "sales"), (("Oslo", 3),)))
        Traceback (most recent call last):
        ValueError: There is no column "town". The columns are: city, sales.
    """
    if chart.mark not in MARKS:
        raise ValueError(f'There is no chart type "{chart.mark}". Choose one of: {", ".join(MARKS)}.')
    if chart.aggregate not in AGGREGATES:
        raise ValueError(
            f'There is no aggregate "{chart.aggregate}". Choose one of: {", ".join(AGGREGATES)}.'
        )
    for word, known in ((chart.stack, STACKS), (chart.sort, SORTS), (chart.scale, SCALES)):
        if word not in known:
            raise ValueError(f'A chart has no setting "{word}".')
    if is_reckoned(chart.line):
        if len(chart.y) != 1 or chart.series or chart.aggregate != "none" or chart.mark not in _LINED:
            raise ValueError(
                f"A line at the {chart.line.strip().lower()} needs bars, lines or points of one figure, with one value each."
            )
    elif chart.line and level_of(chart.line) is None:
        raise ValueError(f'"{chart.line}" is not a number, average or median to draw a line at.')
    if chart.mark == "none":
        return Chart("none", title=chart.title, note=chart.note, chosen=chart.chosen, formats=chart.formats)
    if chart.mark == "number":
        chart = _one_number(chart, rows)
    if chart.mark in ("box", "histogram"):
        chart = replace(chart, series="")
    if chart.stack == "small" and chart.mark not in SMALL_MARKS:
        chart = replace(chart, stack="")
    for name in (chart.x, *chart.y, chart.series):
        if name and name not in rows.columns:
            raise ValueError(f'There is no column "{name}". The columns are: {", ".join(rows.columns)}.')
    if chart.mark == "map":
        chart = check_map(chart, rows)
    _check_shape(chart)
    by_name = {p.name: p for p in reversed(profiles(rows))}
    needs_numbers = [*chart.y] if chart.aggregate != "count" else []
    if chart.mark in ("histogram", "scatter"):
        needs_numbers.append(chart.x)
    for name in needs_numbers:
        if chart.mark == "scatter" and name == chart.x and by_name[name].role == Role.TIME:
            continue
        if by_name[name].kind not in (Kind.INTEGER, Kind.NUMBER):
            raise ValueError(f'"{name}" does not hold numbers, which a {chart.mark} chart needs there.')
    if chart.mark == "pie":
        _check_pie(chart, rows)
    own = {"map": map_note, "box": whiskers_note}.get(chart.mark)
    return replace(chart, note=spaced(own(chart, rows) if own else "", note_of(chart, rows)))


def _one_number(chart: Chart, rows: Rows) -> Chart:
    """Say which number of several rows is meant: the last in time, or what they come to."""
    if len(rows.rows) < 2 or not chart.y or chart.y[0] not in rows.columns:
        return replace(chart, x="", series="")
    times = [p for p in profiles(rows) if p.role == Role.TIME and p.distinct == len(rows.rows)]
    if chart.aggregate == "none" and times:
        return replace(chart, x=times[0].name, y=chart.y[:1], series="")
    aggregate = chart.aggregate
    if aggregate == "none":
        aggregate = "sum" if is_additive(chart.y[0]) else "mean"
    return replace(chart, x="", series="", aggregate=aggregate)


def _check_shape(chart: Chart) -> None:
    if chart.mark == "number":
        if not chart.y:
            raise ValueError("Choose the column whose number is shown.")
        return
    if not chart.x and chart.mark != "box":
        raise ValueError("Choose a column for the x axis.")
    if chart.mark == "histogram":
        return
    if not chart.y and chart.aggregate != "count":
        raise ValueError("Choose a column for the height or size, or count the rows.")
    if chart.mark in ("box", "heatmap") and not chart.y:
        raise ValueError("Choose a column of numbers.")
    if chart.mark == "heatmap" and not chart.series:
        raise ValueError("A heatmap needs a second category: choose a column to split by.")
    if chart.mark == "combo" and (len(chart.y) < 2 or chart.series):
        raise ValueError("Bars with lines take the height of two or more columns, and are not split.")
    if chart.mark in ("pie", "scatter", "box", "heatmap") and len(chart.y) > 1:
        raise ValueError(f"A {chart.mark} chart takes the height or size of one column.")
    if chart.mark == "pie" and chart.series:
        raise ValueError("A pie has no series; choose bars to compare two categories.")
    if chart.stack == "small" and not chart.series:
        raise ValueError("Small charts need a column to split by: choose one under Split by.")
    if chart.series and chart.series in (chart.x, *chart.y):
        raise ValueError("The series must be another column than those on the axes.")
    if chart.series and len(chart.y) > 1:
        raise ValueError(
            "Choose either the height of one column and another to split by, or of several columns and none."
        )


def _check_pie(chart: Chart, rows: Rows) -> None:
    points = points_of(chart, rows)
    cells = [value for values in points.values.values() for value in values if value is not None]
    if any(value < 0 for value in cells):
        raise ValueError("A pie cannot show negative numbers; choose bars.")
    measure = next((p for p in profiles(rows) if chart.y and p.name == chart.y[0]), None)
    if chart.aggregate != "count" and measure is not None and not comes_to_all(cells, measure):
        raise ValueError(
            f'A pie shows the parts of one whole, and "{measure.name}" does not come to 100 %; choose bars.'
        )


def comes_to_all(cells: Sequence[float], measure: Profile) -> bool:
    """Whether figures that are shares or rates by their name come to 1 or 100; true of other figures.

    A pie writes its own percentages beside its slices, which contradict shares of anything but one whole.
    """
    if not PART_WORDS & set(measure.words.lower().split()):
        return True
    total = sum(cells)
    return abs(total - 100) < 1 or abs(total - 1) < 0.01
