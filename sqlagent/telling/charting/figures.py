"""A chart as a Plotly figure: plain JSON with data and layout, without colours or fonts.

Decides axes, labels and what the reader is told about cuts. Bars start at zero, time runs along
x, one series has no legend, and few points carry their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sqlagent.language.saying import lower_first
from sqlagent.rows.columns import Role, in_words, is_additive, number_of, profile, profiles
from sqlagent.rows.formats import column_format, formatted
from sqlagent.telling.charting.axes import (
    FEW_TIMES,
    MANY_BARS,
    categories,
    is_year,
    moment_of,
    months_said,
    time_steps,
    year_format,
)
from sqlagent.telling.charting.captions import measure_of, note_of, share_of, title_of
from sqlagent.telling.charting.labels import (
    cell_said,
    json_number,
    number_said,
    place_said,
    shown,
    ticks,
    told_apart,
)
from sqlagent.telling.charting.levels import draw_line, line_level
from sqlagent.telling.charting.maps import country_traces, geo, is_of_coordinates, point_trace
from sqlagent.telling.charting.marks import boxes, heat
from sqlagent.telling.charting.markup import Json, Markup, harmless
from sqlagent.telling.charting.panels import panels_drawn, side_by_side, under_one_another
from sqlagent.telling.charting.points import (
    MAX_LABELS,
    MAX_POINTS,
    Points,
    is_small,
    is_timed,
    label,
    points_of,
    slices_of,
)
from sqlagent.telling.charting.single import without_axes
from sqlagent.telling.charting.small import in_grid
from sqlagent.values import Chart, Rows

LONG_LABEL = 10
"""Characters of the longest label from which bars lie down; longer ones would stand on end."""
FEW_BARS = 4
"""Places along a small chart that are named."""
WORD, WORDS = 0.055, 0.5
"""Room for a character of a value behind its lying bar, as a part of the axis, and for all at most: a telephone's axis is 130 pixels long."""


def figure(chart: Chart, rows: Rows) -> Json:
    """Draw a chart as a Plotly figure: `{"data": [...], "layout": {...}}`, all of it JSON.

    Aggregates are taken over all rows. Every text is escaped, as Plotly reads markup (a link, too) in
    titles, names and labels, and those come from headings and cells. Marks without axes
    (`number`, `none`) give no data and an annotation.

    Example:
        >>> drawn = figure(Chart("bar", "city", ("sales",)), Rows(("city", "sales"), (("Oslo", 3), ("Rome", 5), ("Bern", 4))))
        >>> drawn["data"][0]["x"], drawn["data"][0]["y"]
        (['Rome', 'Bern', 'Oslo'], [5, 4, 3])
    """
    if chart.mark in ("none", "number") or not rows.rows:
        drawn = without_axes(chart, rows)
    else:
        marks = {
            "histogram": _histogram,
            "scatter": _scatter,
            "pie": _pie,
            "box": _boxes,
            "heatmap": _heatmap,
            "map": _map,
        }
        drawn = _dressed(chart, rows, marks.get(chart.mark, _axes)(chart, rows))
    if drawn["data"] and is_small(chart):
        drawn = in_grid(drawn, [trace["name"] for trace in drawn["data"]], (chart.x_title, chart.y_title))
    whole: Json = harmless(drawn)
    return whole


def _axes(chart: Chart, rows: Rows) -> Json:
    """Draw bars, lines and areas."""
    points = points_of(chart, rows)
    x = profile(rows, chart.x)
    labels = [place_said(chart, c) for c in points.xs]
    timed = is_timed(chart, x, len(labels))
    lying = (
        chart.mark == "bar"
        and not timed
        and not x.ordered
        and (max(map(len, labels), default=0) > LONG_LABEL or len(labels) > MANY_BARS or is_small(chart))
    )
    texts = told_apart(labels)
    xs: list[str | None] = [moment_of(c, x) for c in points.xs] if timed else list(texts)
    several = len(points.values) > 1
    data = [_trace(chart, rows, name, xs, values, lying, several) for name, values in points.values.items()]
    axis: Json = {"title": {"text": in_words(chart.x)}, "automargin": True}
    if timed:
        axis["type"] = "date"
        steps = {"nticks": FEW_BARS - 1} if is_small(chart) else time_steps(xs)
        axis |= months_said(xs) | year_format(x) | steps | ticks(chart, chart.x)
        if chart.mark == "bar":
            axis |= {"type": "category"} if is_year(x) else {}
    else:
        axis |= categories(xs, texts, lying, FEW_BARS if is_small(chart) else MANY_BARS)
    value: Json = {"title": {"text": measure_of(chart)}, "automargin": True} | ticks(chart, *chart.y[:1])
    # Around a lone point an axis of its own would count by fractions of nothing.
    if chart.mark in ("bar", "area", "combo") or (chart.mark == "line" and len(xs) == 1):
        value["rangemode"] = "tozero"
    if lying:
        axis["autorange"] = "reversed"
    layout = _layout(chart, rows, several)
    layout |= {"xaxis": value, "yaxis": axis} if lying else {"xaxis": axis, "yaxis": value}
    if chart.mark == "combo":
        return _combined(chart, data, layout, value)
    panels = panels_drawn(chart, rows) if several else []
    if len(panels) > 1:
        own = dict(zip(points.values, data, strict=True))
        layout |= (side_by_side if lying else under_one_another)(chart, panels, own, axis, value)
        if lying:
            layout["height"] = max(280, 90 + 24 * len(xs) * max(map(len, panels)))
        return {"data": data, "layout": layout}
    if chart.mark == "bar" and several:
        layout |= _beside_or_stacked(chart, data, value, stacks=_stacks(chart, points))
    if lying and not several:
        _put_behind(data[0], value, line_level(chart, rows) if chart.scale != "log" else None)
    if lying and several:  # below many bars nobody sees whose they are
        layout["legend"] = {"yref": "paper", "y": 1, "yanchor": "bottom"}
    if lying:
        layout["height"] = max(
            280, 90 + 24 * len(xs) * (1 if layout.get("barmode") != "group" else len(data))
        )
    return {"data": data, "layout": layout}


def _beside_or_stacked(chart: Chart, data: Sequence[Json], value: Json, *, stacks: bool) -> Json:
    """Lay out bars of several series beside each other or on each other, as parts of the whole where shares are drawn; their texts and axis follow."""
    layout: Json = {"barmode": "stack" if stacks else "group"}
    if stacks:  # a value above the last part would read as what all come to
        for trace in data:
            if "text" in trace:
                trace["textposition"] = "inside"
    if chart.stack == "share":
        layout["barnorm"] = "percent"
        for part in ("tickformat", "hoverformat", "tickprefix", "ticksuffix"):
            value.pop(part, None)
        value |= {"title": {"text": share_of(chart)}, "ticksuffix": " %"}
        for trace in data:
            trace.pop("text", None)
    return layout


def _put_behind(trace: Json, value: Json, level: float | None) -> None:
    """Put all values of lying bars behind them, with room for that of the longest; in a bar some fit and others do not."""
    numbers = [number for number in trace["x"] if number is not None]
    if "text" not in trace or not numbers or min(numbers) < 0 or max(numbers) <= 0:
        return
    trace["textposition"] = "outside"
    room = min(WORDS, WORD * max(map(len, trace["text"])))
    value["range"] = [0, max(max(numbers) / (1 - room), level or 0)]


def _combined(chart: Chart, data: list[Json], layout: Json, value: Json) -> Json:
    """Bars of the first figure, and lines of the others on an axis of their own at the right."""
    names = [in_words(name) for name in chart.y]
    value["title"] = {"text": names[0]}
    layout["yaxis"] = value
    words = " and ".join([*names[1:2], *(lower_first(name) for name in names[2:])])
    layout["yaxis2"] = {
        "title": {"text": words}, "overlaying": "y", "side": "right", "showgrid": False, "automargin": True,
        "rangemode": "tozero", "tickmode": "auto",
    } | ticks(chart, *chart.y[1:2])  # fmt: skip
    for trace in data[1:]:
        for part in ("textposition", "text", "orientation"):
            trace.pop(part, None)
        trace |= {"type": "scatter", "mode": "lines+markers", "yaxis": "y2"}
    # Lines lie over the bars: who points at a place reads all of its figures, below its name.
    layout["hovermode"] = "x unified"
    for trace, column in zip(data, chart.y, strict=True):
        said = "%{y}" if ticks(chart, column) else "%{y:,.10~r}"
        trace["hovertemplate"] = Markup(f"%{{fullData.name}}: {said}<extra></extra>")
    return {"data": data, "layout": layout}


def _boxes(chart: Chart, rows: Rows) -> Json:
    texts, trace = boxes(chart, rows)
    texts = told_apart(texts)
    lying = max(map(len, texts), default=0) > LONG_LABEL or len(texts) > MANY_BARS
    along, across = ("y", "x") if lying else ("x", "y")
    trace |= {along: texts, "orientation": "h" if lying else "v"}
    layout = _layout(chart, rows, False)
    layout[f"{along}axis"] = {
        "title": {"text": in_words(chart.x) if chart.x else ""}, "automargin": True
    } | categories(texts, texts, lying)  # fmt: skip
    layout[f"{across}axis"] = {"title": {"text": in_words(chart.y[0])}, "automargin": True} | ticks(
        chart, chart.y[0]
    )
    if lying:
        layout["yaxis"]["autorange"] = "reversed"
        layout["height"] = max(280, 90 + 30 * len(texts))
    return {"data": [trace] if texts else [], "layout": layout}


def _heatmap(chart: Chart, rows: Rows) -> Json:
    points = points_of(chart, rows)
    x = profile(rows, chart.x)
    texts = told_apart(
        [
            formatted(c, column_format(chart.formats, chart.x))
            or (moment_of(c, x) if x.role == Role.TIME else label(c))
            or label(c)
            for c in points.xs
        ]
    )
    numbers = [[json_number(v) for v in values] for values in points.values.values()]
    layout = _layout(chart, rows, False)
    layout["xaxis"] = {"title": {"text": in_words(chart.x)}, "automargin": True} | categories(
        texts, texts, False
    )
    layout["yaxis"] = {"title": {"text": in_words(chart.series)}, "automargin": True, "type": "category"}
    layout["yaxis"] |= {"autorange": "reversed", "showgrid": False}
    layout["height"] = max(280, 110 + 26 * len(numbers))
    labels = [
        [number_said(chart, chart.y[0] if chart.y else "", number) for number in values] for values in numbers
    ]
    return {"data": [heat(points, texts, numbers, labels)], "layout": layout}


def _dressed(chart: Chart, rows: Rows, drawn: Json) -> Json:
    """A figure with what a person asked for: titles of axes, a scale, a line to compare with."""
    layout, data = drawn["layout"], drawn["data"]
    lying = bool(data) and data[0].get("orientation") == "h"
    along, across = ("yaxis", "xaxis") if lying else ("xaxis", "yaxis")
    for place, words in ((along, chart.x_title), (across, chart.y_title)):
        if words and place in layout:
            layout[place]["title"] = {"text": words}
    if across not in layout or chart.mark == "heatmap":
        return drawn
    if chart.scale == "log":
        layout[across] |= {"type": "log"}
        layout[across].pop("rangemode", None)
        layout[across].pop("range", None)
    draw_line(chart, rows, layout, lying)
    return drawn


def _trace(
    chart: Chart, rows: Rows, name: str, xs: list[Any], values: list[float | None], lying: bool, several: bool
) -> Json:
    numbers = [json_number(v) for v in values]
    trace: Json = {"type": "bar" if chart.mark in ("bar", "combo") else "scatter"}
    trace["name"] = name if chart.series else in_words(name)
    trace |= {"x": numbers, "y": xs, "orientation": "h"} if lying else {"x": xs, "y": numbers}
    if chart.mark in ("line", "area"):
        # In a small chart points are drawn where they would not be seen otherwise.
        is_marked = len(xs) <= FEW_TIMES or None in numbers if is_small(chart) else len(xs) <= 60
        trace["mode"] = "lines+markers" if is_marked else "lines"
        trace["connectgaps"] = False
        if chart.mark == "area":
            stacks = several and not is_small(chart)
            trace |= {"stackgroup": "one"} if stacks else {"fill": "tozeroy"}
    labelled = (
        not is_small(chart)
        and len(xs) * (len(chart.y) or 1) <= MAX_LABELS
        and not (several and chart.mark != "bar")
    )
    if labelled:
        column = name if name in chart.y and not chart.series else chart.y[0] if chart.y else ""
        trace["text"] = [number_said(chart, column, v) for v in numbers]
        if chart.mark == "bar":
            trace["textposition"] = "auto"
        else:
            trace |= {"mode": "lines+markers+text", "textposition": _sides(numbers)}
        trace["cliponaxis"] = False
    place, value = ("y", "x") if lying else ("x", "y")
    own = bool(ticks(chart, *chart.y[:1])) or chart.stack == "share"
    said = (
        "%{text}"
        if labelled and chart.stack != "share"
        else f"%{{{value}}}"
        if own
        else f"%{{{value}:,.10~r}}"
    )
    # The name stands above its value: beside it, as the library writes it, it would lie over the other bars.
    above = "%{fullData.name}<br>" if several else ""
    trace["hovertemplate"] = Markup(f"{above}%{{{place}}}: {said}<extra></extra>")
    return trace


def _sides(numbers: Sequence[float | int | None]) -> list[str]:
    """Where the labels of a line's points stand: below one that is lower than its neighbours, where the line lies above; else above it.

    Example:
        >>> _sides([18, 13, 16, 16, None, 14])
        ['top center', 'bottom center', 'top center', 'top center', 'top center', 'top center']
    """
    sides = []
    for at, number in enumerate(numbers):
        beside = [n for n in (*numbers[max(at - 1, 0) : at], *numbers[at + 1 : at + 2]) if n is not None]
        is_low = number is not None and beside and all(n > number for n in beside)
        sides.append("bottom center" if is_low else "top center")
    return sides


def _histogram(chart: Chart, rows: Rows) -> Json:
    """Count all rows into bins of a round width and draw them as touching bars."""
    at = rows.columns.index(chart.x)
    numbers = [n for n in (number_of(row[at]) for row in rows.rows) if n is not None]
    layout = _layout(chart, rows, False)
    layout |= {
        "xaxis": {"title": {"text": in_words(chart.x)}} | ticks(chart, chart.x),
        "yaxis": {"title": {"text": "Number of rows"}, "rangemode": "tozero"},
        "bargap": 0.02,
    }
    if not numbers:
        return {"data": [], "layout": layout}
    start, width, counts = bins(numbers)
    edges = [start + i * width for i in range(len(counts) + 1)]
    hover = [
        f"{shown(_round(a))} to {shown(_round(b))}: {n:,}"
        for a, b, n in zip(edges, edges[1:], counts, strict=False)
    ]
    data = {
        "type": "bar",
        "name": in_words(chart.x),
        "x": [_round(edge + width / 2) for edge in edges[:-1]],
        "y": counts,
        "width": [width] * len(counts),
        "hovertext": hover,
        "hoverinfo": "text",
    }
    return {"data": [data], "layout": layout}


def bins(numbers: Sequence[float]) -> tuple[float, float, list[int]]:
    """Count numbers into at most 30 bins of a round width: start, width, counts.

    About as many bins as the square root of the count; a number on an edge joins the upper bin,
    the last bin holds its upper edge.

    Example:
        >>> bins([1, 2, 2, 3, 9])
        (0.0, 5.0, [4, 1])
    """
    low, high = min(numbers), max(numbers)
    wanted = max(2, min(30, round(math.sqrt(len(numbers)))))
    if high <= low:
        return low - 0.5, 1.0, [len(numbers)]
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    width = next(power * step for step in (1, 2, 5, 10) if power * step >= rough * 0.999)
    start = math.floor(low / width) * width
    counts = [0] * (max(1, math.ceil((high - start) / width)))
    for number in numbers:
        counts[min(int((number - start) / width), len(counts) - 1)] += 1
    return start, width, counts


def _scatter(chart: Chart, rows: Rows) -> Json:
    x, y = profile(rows, chart.x), profile(rows, chart.y[0])
    by = profile(rows, chart.series) if chart.series else None
    names = [p for p in profiles(rows) if p.role == Role.CATEGORY and p is not by]
    traces: dict[str, Json] = {}
    for row in rows.rows[:MAX_POINTS]:
        name = label(row[by.index]) if by else measure_of(chart)
        trace = traces.setdefault(
            name, {"type": "scatter", "mode": "markers", "name": name, "x": [], "y": [], "text": []}
        )
        trace["x"].append(
            moment_of(row[x.index], x) if x.role == Role.TIME else json_number(number_of(row[x.index]))
        )
        trace["y"].append(json_number(number_of(row[y.index])))
        trace["text"].append(label(row[names[0].index]) if names else "")
    layout = _layout(chart, rows, len(traces) > 1)
    layout |= {
        "xaxis": {"title": {"text": in_words(chart.x)}}
        | ({"type": "date"} if x.role == Role.TIME else {})
        | ticks(chart, chart.x),
        "yaxis": {"title": {"text": in_words(chart.y[0])}} | ticks(chart, chart.y[0]),
    }
    return {"data": list(traces.values()), "layout": layout}


def _pie(chart: Chart, rows: Rows) -> Json:
    slices, rest = slices_of(points_of(chart, rows))
    pairs = [(place_said(chart, cell), value) for cell, value in slices]
    if rest is not None:
        pairs.append(("Other", rest))
    data = {
        "type": "pie",
        "labels": told_apart([text for text, _ in pairs]),
        "values": [json_number(value) for _, value in pairs],
        "sort": False,
        "direction": "clockwise",
        "textinfo": "label+percent",
        "automargin": True,
    }
    return {"data": [data], "layout": _layout(chart, rows, False)}


def _map(chart: Chart, rows: Rows) -> Json:
    """Draw countries in the colour of their figure, or points at coordinates."""
    # A map that is moved by a finger or a wheel holds a reader who scrolls past it.
    layout = _layout(chart, rows, False) | {"geo": geo(chart, rows), "dragmode": False}
    if is_of_coordinates(chart, rows):
        return {
            "data": [point_trace(chart, rows, lambda name, cell: cell_said(chart, name, cell))],
            "layout": layout,
        }
    column = chart.y[0] if chart.y else ""
    layout["coloraxis"] = {"colorbar": {"title": {"text": measure_of(chart)}} | ticks(chart, *chart.y[:1])}
    return {
        "data": country_traces(chart, rows, lambda value: number_said(chart, column, value), json_number),
        "layout": layout,
    }


def _layout(chart: Chart, rows: Rows, legend: bool) -> Json:
    title: Json = {"text": chart.title or title_of(chart)}
    note = chart.note or note_of(chart, rows)
    if note:
        title["subtitle"] = {"text": note}
    return {"title": title, "showlegend": legend, "hovermode": "closest"}


def _stacks(chart: Chart, points: Points) -> bool:
    """Stack series whose sum means something and that are many; else they stand side by side."""
    numbers = [v for values in points.values.values() for v in values if v is not None]
    if chart.stack:
        return chart.stack != "group"
    adds = chart.aggregate in ("sum", "count") or bool(chart.y and is_additive(chart.y[0]))
    return bool(chart.series) and adds and len(points.values) > 2 and min(numbers, default=0) >= 0


def _round(value: float) -> float:
    return float(f"{value:.10g}")
