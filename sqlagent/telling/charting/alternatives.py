"""Other charts of the same rows: one of a mark that somebody chose, the fittest others, small charts in place of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlagent.rows.columns import Role, is_additive, number_of, profile, profiles
from sqlagent.telling.charting.checking import check
from sqlagent.telling.charting.maps import on_map
from sqlagent.telling.charting.points import (
    MAX_CATEGORIES,
    MAX_LABELS,
    SMALL_MARKS,
    Points,
    hashable,
    is_small,
    points_of,
)
from sqlagent.telling.charting.suggesting import grouped_by, is_unique
from sqlagent.values import Chart, Rows

MANY_SERIES = 6
"""Series of one chart up to which each is followed by its colour."""


def drawn_as(mark: str, rows: Rows, like: Chart | None = None) -> Chart | None:
    """A chart of these rows with this mark, its columns chosen by what they hold; None where it does not suit them.

    A map has the figure of the chart that it is `like`.

    Example:
        >>> drawn_as("number", Rows(("month", "sales"), (("2024-01", 3), ("2024-02", 5)))).x
        'month'
        >>> drawn_as("line", Rows(("city",), (("Oslo",),))) is None
        True
    """
    columns = profiles(rows)
    measures = [c.name for c in columns if c.role == Role.MEASURE and c.nulls < len(rows.rows)]
    times = [c.name for c in columns if c.role == Role.TIME]
    categories = sorted(
        (c for c in columns if c.role in (Role.CATEGORY, Role.KEY)), key=lambda c: -c.distinct
    )
    along = [*times, *(c.name for c in categories)]
    if not measures or not (along or mark in ("number", "scatter", "histogram", "box")):
        return None
    x, y = (along or [""])[0], measures[0]
    repeats = bool(x) and len({hashable(row[rows.columns.index(x)]) for row in rows.rows}) < len(rows.rows)
    aggregate = ("sum" if is_additive(y) else "mean") if repeats else "none"
    few = [c.name for c in categories if c.name != x and 1 < c.distinct <= MAX_CATEGORIES]
    fewest = next((c.name for c in reversed(categories) if 1 < c.distinct * 2 <= len(rows.rows)), "")
    made: dict[str, Callable[[], Chart | None]] = {
        "number": lambda: Chart("number", y=(y,), x=times[0] if times and not repeats else ""),
        "scatter": lambda: Chart("scatter", measures[0], (measures[1],)) if len(measures) > 1 else None,
        "histogram": lambda: Chart("histogram", y),
        "box": lambda: Chart("box", fewest, (y,)),
        "map": lambda: on_map(like or Chart("map"), rows),
        "heatmap": lambda: (
            Chart("heatmap", x, (y,), few[0], "sum" if is_additive(y) else "mean") if few else None
        ),
        "combo": lambda: (
            Chart("combo", x, tuple(measures[:3]), aggregate=aggregate) if len(measures) > 1 else None
        ),
        "line": lambda: Chart("line", x, (y,), aggregate=aggregate) if times else None,
        "area": lambda: Chart("area", x, (y,), aggregate=aggregate) if times else None,
        "pie": lambda: Chart("pie", categories[0].name, (y,), aggregate=aggregate) if categories else None,
        "bar": lambda: Chart("bar", x, (y,), aggregate=aggregate),
    }
    try:
        chart = made[mark]() if mark in made else None
        return None if chart is None else check(chart, rows)
    except ValueError:
        return None


def makes_sense(chart: Chart, rows: Rows) -> bool:
    """Whether what a chart is drawn along are places, not the values of another figure: no slices named after amounts, no boxes of one row.

    Example:
        >>> rows = Rows(("month", "orders", "revenue"), tuple((f"2024-{n:02d}", 70 + n, 900.5 * n) for n in range(1, 13)))
        >>> [makes_sense(Chart("pie", along, ("revenue",)), rows) for along in ("month", "orders")]
        [True, False]
    """
    if chart.mark in ("scatter", "histogram", "number", "map", "none") or not chart.x:
        return True
    along = profile(rows, chart.x)
    if chart.mark == "box":
        return along.distinct * 2 <= len(rows.rows)
    measures = [c for c in profiles(rows) if c.role == Role.MEASURE]
    groups = grouped_by(rows, measures)
    return along.role != Role.MEASURE or (groups is not None and groups.name == chart.x)


def others(chart: Chart, rows: Rows) -> tuple[Chart, ...]:
    """Other charts that suit these rows, the fittest first, three at most.

    Example:
        >>> from sqlagent.telling.charting import suggest
        >>> rows = Rows(("month", "sales"), tuple((f"2024-{n:02d}", n * n) for n in range(1, 13)))
        >>> [other.mark for other in others(suggest(rows), rows)]
        ['bar', 'area', 'number']
    """
    if len(rows.rows) < 2:
        return ()
    columns = profiles(rows)
    timed = any(c.role == Role.TIME for c in columns)
    cells = [number_of(row[c.index]) for c in columns if c.role == Role.MEASURE for row in rows.rows][
        : len(rows.rows)
    ]
    whole = len(rows.rows) <= MAX_LABELS // 2 and all(cell is not None and cell >= 0 for cell in cells)
    many = len(rows.rows) >= 20
    found = [one for one in (_apart_or_together(chart, rows),) if one is not None]
    order = ["map", "heatmap", "line", "bar", "combo"]
    order += ["area", "number"] if timed else ["pie"] if whole else []
    order += ["scatter", *(["box", "histogram"] if many else [])]
    for mark in order:
        other = drawn_as(mark, rows, chart) if mark != chart.mark else None
        if other is not None:
            found.append(other)
    return tuple(found[:3])


def _apart_or_together(chart: Chart, rows: Rows) -> Chart | None:
    """A chart in small charts where its series are too many, or lines that cross too often, to be followed; small charts in one."""
    if is_small(chart):
        return check(replace(chart, stack="", title=""), rows)
    if chart.mark not in SMALL_MARKS or not chart.series:
        return None
    points = points_of(chart, rows)
    is_tangled = (
        chart.mark == "line" and len(points.values) > 2 and _crossings(points) >= 3 * len(points.values)
    )
    if points.series <= MANY_SERIES and not is_tangled:
        return None
    return check(replace(chart, stack="small", title=""), rows)


def _crossings(points: Points) -> int:
    """How often lines of a chart cross each other."""
    found = 0
    lines = list(points.values.values())
    for place, one in enumerate(lines):
        for other in lines[place + 1 :]:
            above = [
                a > b for a, b in zip(one, other, strict=True) if a is not None and b is not None and a != b
            ]
            found += sum(a != b for a, b in zip(above, above[1:], strict=False))
    return found


def split_small(chart: Chart, rows: Rows) -> Chart:
    """A chart in small charts by the column that suits best, the one of its columns that has fewest values; the chart as it is where none does.

    Example:
        >>> rows = Rows(("day", "city", "sales"), (("Mon", "Oslo", 3), ("Tue", "Oslo", 5), ("Mon", "Rome", 4), ("Tue", "Rome", 1)))
        >>> split_small(Chart("bar", "day", ("sales",)), rows).series
        'city'
    """
    columns = profiles(rows)
    by = [c for c in columns if c.role in (Role.CATEGORY, Role.KEY, Role.TIME) and c.distinct > 1]
    fitting = [c for c in by if c.name not in (chart.x, *chart.y) and c.distinct < len(rows.rows)]
    if not fitting or chart.mark not in SMALL_MARKS:
        return chart
    series = min(fitting, key=lambda c: c.distinct)
    along = next((c for c in columns if c.name == chart.x), None)
    aggregate = chart.aggregate
    if aggregate == "none" and along is not None and chart.y and not is_unique(rows, along, series):
        aggregate = "sum" if is_additive(chart.y[0]) else "mean"
    return replace(chart, series=series.name, y=chart.y[:1], aggregate=aggregate, stack="small")
