"""A chart as a Plotly figure: plain JSON with data and layout, without colours or fonts.

Decides axes, labels and what the reader is told about cuts. Bars start at zero, time runs along
x, one series has no legend, and few points carry their numbers.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from statistics import fmean, median
from typing import Any

from sqlagent.language.saying import lower_first
from sqlagent.rows.columns import (
    Profile,
    Role,
    in_words,
    is_additive,
    number_of,
    profile,
    profiles,
    wall_clock,
)
from sqlagent.rows.formats import column_format, formatted, tick_format
from sqlagent.telling.charting.captions import measure_of, note_of, share_of, title_of
from sqlagent.telling.charting.maps import (
    country_traces,
    geo,
    is_of_coordinates,
    point_trace,
)
from sqlagent.telling.charting.marks import boxes, heat, last_and_before
from sqlagent.telling.charting.points import (
    MAX_LABELS,
    MAX_POINTS,
    Points,
    fold_all,
    is_small,
    is_timed,
    label,
    panels_of,
    points_of,
    slices_of,
)
from sqlagent.telling.charting.small import in_grid
from sqlagent.values import Cell, Chart, Kind, Rows

LONG_LABEL = 10
"""Characters of the longest label from which bars lie down; longer ones would stand on end."""
MANY_BARS = 12
FEW_BARS = 4
"""Places along a small chart that are named."""
GAP, PANEL_HEIGHT, GAP_BESIDE = 0.1, 190, 0.06
"""Between figures under one another, as a part of the whole, and what one takes, in pixels; between those side by side."""
FEW_TIMES = 8
"""Months or days up to which each is named on its axis; more are left to whoever draws, none between two of them."""
CUT_LABEL = 42
WORD, WORDS = 0.055, 0.5
"""Room for a character of a value behind its lying bar, as a part of the axis, and for all at most: a telephone's axis is 130 pixels long."""

Json = dict[str, Any]


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
        drawn = _words(chart, rows)
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
    whole: Json = _harmless(drawn)
    return whole


def shown(value: float | int | None) -> str:
    """Say a number as a label: grouped, with as many digits as it needs.

    Example:
        >>> shown(1234567.0), shown(0.12345), shown(12.5), shown(None)
        ('1,234,567', '0.123', '12.5', '')
    """
    if value is None:
        return ""
    if float(value).is_integer():
        return f"{int(value):,}"
    size = abs(value)
    text = f"{value:,.0f}" if size >= 1_000 else f"{value:,.2f}" if size >= 1 else f"{value:.3g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _axes(chart: Chart, rows: Rows) -> Json:
    """Draw bars, lines and areas."""
    points = points_of(chart, rows)
    x = profile(rows, chart.x)
    labels = [_named(chart, c) for c in points.xs]
    timed = is_timed(chart, x, len(labels))
    lying = (
        chart.mark == "bar"
        and not timed
        and not x.ordered
        and (max(map(len, labels), default=0) > LONG_LABEL or len(labels) > MANY_BARS or is_small(chart))
    )
    texts = _apart(labels)
    xs: list[str | None] = [_when(c, x) for c in points.xs] if timed else list(texts)
    several = len(points.values) > 1
    data = [_trace(chart, rows, name, xs, values, lying, several) for name, values in points.values.items()]
    axis: Json = {"title": {"text": in_words(chart.x)}, "automargin": True}
    if timed:
        axis["type"] = "date"
        steps = {"nticks": FEW_BARS - 1} if is_small(chart) else _time_steps(xs)
        axis |= _time_said(xs) | _time_format(x) | steps | _ticks(chart, chart.x)
        if chart.mark == "bar":
            axis |= {"type": "category"} if _is_year(x) else {}
    else:
        axis |= _categories(xs, texts, lying, FEW_BARS if is_small(chart) else MANY_BARS)
    value: Json = {"title": {"text": measure_of(chart)}, "automargin": True} | _ticks(chart, *chart.y[:1])
    # Around a lone point an axis of its own would count by fractions of nothing.
    if chart.mark in ("bar", "area", "combo") or (chart.mark == "line" and len(xs) == 1):
        value["rangemode"] = "tozero"
    if lying:
        axis["autorange"] = "reversed"
    layout = _layout(chart, rows, several)
    layout |= {"xaxis": value, "yaxis": axis} if lying else {"xaxis": axis, "yaxis": value}
    if chart.mark == "combo":
        return _combined(chart, data, layout, value)
    panels = _panels(chart, rows) if several else []
    if len(panels) > 1:
        own = dict(zip(points.values, data, strict=True))
        layout |= (_beside if lying else _in_panels)(chart, panels, own, axis, value)
        if lying:
            layout["height"] = max(280, 90 + 24 * len(xs) * max(map(len, panels)))
        return {"data": data, "layout": layout}
    if chart.mark == "bar" and several:
        layout["barmode"] = "stack" if _stacks(chart, points) else "group"
        if layout["barmode"] == "stack":  # a value above the last part would read as what all come to
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
    if lying and not several:
        _put_behind(data[0], value, line_level(chart, rows) if chart.scale != "log" else None)
    if lying and several:  # below many bars nobody sees whose they are
        layout["legend"] = {"yref": "paper", "y": 1, "yanchor": "bottom"}
    if lying:
        layout["height"] = max(
            280, 90 + 24 * len(xs) * (1 if layout.get("barmode") != "group" else len(data))
        )
    return {"data": data, "layout": layout}


def _put_behind(trace: Json, value: Json, level: float | None) -> None:
    """Put all values of lying bars behind them, with room for that of the longest; in a bar some fit and others do not."""
    numbers = [number for number in trace["x"] if number is not None]
    if "text" not in trace or not numbers or min(numbers) < 0 or max(numbers) <= 0:
        return
    trace["textposition"] = "outside"
    room = min(WORDS, WORD * max(map(len, trace["text"])))
    value["range"] = [0, max(max(numbers) / (1 - room), level or 0)]


def _categories(xs: Sequence[str | None], texts: Sequence[str], lying: bool, most: int = MANY_BARS) -> Json:
    """An axis of categories in our order. Along x so many are named as can be read lying."""
    every = 1 if lying else max(1, math.ceil(len(xs) / most))
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(xs),
        "tickmode": "array",
        "tickvals": list(xs[::every]),
        "ticktext": [_short(text) for text in texts[::every]],
    }


def _combined(chart: Chart, data: list[Json], layout: Json, value: Json) -> Json:
    """Bars of the first figure, and lines of the others on an axis of their own at the right."""
    names = [in_words(name) for name in chart.y]
    value["title"] = {"text": names[0]}
    layout["yaxis"] = value
    words = " and ".join([*names[1:2], *(lower_first(name) for name in names[2:])])
    layout["yaxis2"] = {
        "title": {"text": words}, "overlaying": "y", "side": "right", "showgrid": False, "automargin": True,
        "rangemode": "tozero", "tickmode": "auto",
    } | _ticks(chart, *chart.y[1:2])  # fmt: skip
    for trace in data[1:]:
        for part in ("textposition", "text", "orientation"):
            trace.pop(part, None)
        trace |= {"type": "scatter", "mode": "lines+markers", "yaxis": "y2"}
    # Lines lie over the bars: who points at a place reads all of its figures, below its name.
    layout["hovermode"] = "x unified"
    for trace, column in zip(data, chart.y, strict=True):
        said = "%{y}" if _ticks(chart, column) else "%{y:,.10~r}"
        trace["hovertemplate"] = _Markup(f"%{{fullData.name}}: {said}<extra></extra>")
    return {"data": data, "layout": layout}


def _boxes(chart: Chart, rows: Rows) -> Json:
    texts, trace = boxes(chart, rows)
    texts = _apart(texts)
    lying = max(map(len, texts), default=0) > LONG_LABEL or len(texts) > MANY_BARS
    along, across = ("y", "x") if lying else ("x", "y")
    trace |= {along: texts, "orientation": "h" if lying else "v"}
    layout = _layout(chart, rows, False)
    layout[f"{along}axis"] = {
        "title": {"text": in_words(chart.x) if chart.x else ""}, "automargin": True
    } | _categories(texts, texts, lying)  # fmt: skip
    layout[f"{across}axis"] = {"title": {"text": in_words(chart.y[0])}, "automargin": True} | _ticks(
        chart, chart.y[0]
    )
    if lying:
        layout["yaxis"]["autorange"] = "reversed"
        layout["height"] = max(280, 90 + 30 * len(texts))
    return {"data": [trace] if texts else [], "layout": layout}


def _heatmap(chart: Chart, rows: Rows) -> Json:
    points = points_of(chart, rows)
    x = profile(rows, chart.x)
    texts = _apart(
        [
            formatted(c, column_format(chart.formats, chart.x))
            or (_when(c, x) if x.role == Role.TIME else label(c))
            or label(c)
            for c in points.xs
        ]
    )
    numbers = [[_number(v) for v in values] for values in points.values.values()]
    layout = _layout(chart, rows, False)
    layout["xaxis"] = {"title": {"text": in_words(chart.x)}, "automargin": True} | _categories(
        texts, texts, False
    )
    layout["yaxis"] = {"title": {"text": in_words(chart.series)}, "automargin": True, "type": "category"}
    layout["yaxis"] |= {"autorange": "reversed", "showgrid": False}
    layout["height"] = max(280, 110 + 26 * len(numbers))
    labels = [
        [_said(chart, chart.y[0] if chart.y else "", number) for number in values] for values in numbers
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
    level = line_level(chart, rows)
    if level is not None:
        words = _said(chart, chart.y[0] if chart.y else "", level)
        words = f"{chart.line.strip().lower()} {words}" if is_reckoned(chart.line) else words
        words = f"{in_words(chart.y[0])} {words}" if chart.mark == "combo" and chart.y else words
        straight = {"x0": 0, "x1": 1, "xref": "paper", "y0": level, "y1": level, "yref": "y"}
        upright = {"y0": 0, "y1": 1, "yref": "paper", "x0": level, "x1": level, "xref": "x"}
        layout["shapes"] = [
            {"type": "line", "line": {"dash": "dash", "width": 1.5}} | (upright if lying else straight)
        ]
        beside: Json = {
            "xref": "paper",
            "x": 1,
            "xanchor": "right",
            "yref": "y",
            "y": level,
            "yanchor": "bottom",
        }
        foot: Json = {
            "yref": "paper",
            "y": 0,
            "yanchor": "bottom",
            "xref": "x",
            "x": level,
            "xanchor": "left",
            "xshift": 4,
        }
        if chart.scale != "log" and (across == "yaxis" or is_reckoned(chart.line)):
            word: Json = {"text": words, "showarrow": False}
            layout.setdefault("annotations", []).append(word | (beside if across == "yaxis" else foot))
    return drawn


RECKONED: dict[str, Callable[[Sequence[float]], float]] = {"average": fmean, "median": median}
"""Lines that are computed of the values drawn, by what somebody types."""


def is_reckoned(line: str) -> bool:
    """Whether a line was asked for by a word."""
    return line.strip().lower() in RECKONED


def line_level(chart: Chart, rows: Rows) -> float | None:
    """Where a line is drawn: at the number that was typed, or at the average or the median of all values of the figure.

    Example:
        >>> sales = Rows(("city", "sales"), (("Oslo", 3), ("Rome", 5), ("Bern", 10)))
        >>> [line_level(Chart("bar", "city", ("sales",), line=line), sales) for line in ("average", "Median", "4")]
        [6.0, 5.0, 4.0]
    """
    if not is_reckoned(chart.line):
        return level_of(chart.line)
    if not chart.y or chart.y[0] not in rows.columns:
        return None
    at = rows.columns.index(chart.y[0])
    numbers = [number for row in rows.rows if (number := number_of(row[at])) is not None]
    return float(RECKONED[chart.line.strip().lower()](numbers)) if numbers else None


def level_of(text: str) -> float | None:
    """The number a line is drawn at, as somebody typed it.

    Example:
        >>> level_of("1,200.5"), level_of(""), level_of("nan"), level_of("x")
        (1200.5, None, None, None)
    """
    try:
        value = float(text.replace(",", "").replace("\u202f", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _panels(chart: Chart, rows: Rows) -> list[tuple[str, ...]]:
    """Part the figures of a chart by their size, unless a person has them stacked or on an axis of powers, where small ones are seen."""
    if (
        chart.series
        or chart.stack in ("stack", "share")
        or chart.scale == "log"
        or chart.aggregate == "count"
    ):
        return []
    return panels_of(rows, chart.y)


def _in_panels(
    chart: Chart, panels: Sequence[Sequence[str]], traces: dict[str, Json], axis: Json, value: Json
) -> Json:
    """Put figures of other sizes under one another, each with an axis of its own: on one the small ones would lie flat."""
    count = len(panels)
    height = (1 - GAP * (count - 1)) / count
    layout: Json = {"showlegend": any(len(names) > 1 for names in panels), "height": PANEL_HEIGHT * count}
    for place, panel in enumerate(panels):
        mark = str(place + 1) if place else ""
        top = 1 - place * (height + GAP)
        domain = {"domain": [round(max(0.0, top - height), 4), round(top, 4)]}
        layout[f"yaxis{mark}"] = value | _of_panel(chart, panel) | domain
        for name in panel:
            traces[name]["yaxis"] = f"y{mark}"
    layout["xaxis"] = axis | {"anchor": f"y{count}"}
    return layout


def _beside(
    chart: Chart, panels: Sequence[Sequence[str]], traces: dict[str, Json], axis: Json, value: Json
) -> Json:
    """Put lying bars of other sizes side by side, each with an axis of its own, along the same names; above, where it is seen before long bars are scrolled."""
    count = len(panels)
    width = (1 - GAP_BESIDE * (count - 1)) / count
    layout: Json = {"showlegend": any(len(names) > 1 for names in panels), "yaxis": axis}
    for place, panel in enumerate(panels):
        mark = str(place + 1) if place else ""
        left = place * (width + GAP_BESIDE)
        domain = {"domain": [round(left, 4), round(min(1.0, left + width), 4)], "nticks": 3, "side": "top"}
        layout[f"xaxis{mark}"] = value | _of_panel(chart, panel) | domain
        for name in panel:
            traces[name]["xaxis"] = f"x{mark}"
    return layout


def _of_panel(chart: Chart, panel: Sequence[str]) -> Json:
    """The axis of some of several figures: their names, and the format of the first."""
    words = " and ".join([in_words(panel[0]), *(lower_first(in_words(name)) for name in panel[1:])])
    return {"title": {"text": words}} | _ticks(chart, panel[0])


def _trace(
    chart: Chart, rows: Rows, name: str, xs: list[Any], values: list[float | None], lying: bool, several: bool
) -> Json:
    numbers = [_number(v) for v in values]
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
        trace["text"] = [_said(chart, column, v) for v in numbers]
        if chart.mark == "bar":
            trace["textposition"] = "auto"
        else:
            trace |= {"mode": "lines+markers+text", "textposition": "top center"}
        trace["cliponaxis"] = False
    place, value = ("y", "x") if lying else ("x", "y")
    own = bool(_ticks(chart, *chart.y[:1])) or chart.stack == "share"
    said = (
        "%{text}"
        if labelled and chart.stack != "share"
        else f"%{{{value}}}"
        if own
        else f"%{{{value}:,.10~r}}"
    )
    # The name stands above its value: beside it, as the library writes it, it would lie over the other bars.
    above = "%{fullData.name}<br>" if several else ""
    trace["hovertemplate"] = _Markup(f"{above}%{{{place}}}: {said}<extra></extra>")
    return trace


def _histogram(chart: Chart, rows: Rows) -> Json:
    """Count all rows into bins of a round width and draw them as touching bars."""
    at = rows.columns.index(chart.x)
    numbers = [n for n in (number_of(row[at]) for row in rows.rows) if n is not None]
    layout = _layout(chart, rows, False)
    layout |= {
        "xaxis": {"title": {"text": in_words(chart.x)}} | _ticks(chart, chart.x),
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
        trace["x"].append(_when(row[x.index], x) if x.role == Role.TIME else _number(number_of(row[x.index])))
        trace["y"].append(_number(number_of(row[y.index])))
        trace["text"].append(label(row[names[0].index]) if names else "")
    layout = _layout(chart, rows, len(traces) > 1)
    layout |= {
        "xaxis": {"title": {"text": in_words(chart.x)}}
        | ({"type": "date"} if x.role == Role.TIME else {})
        | _ticks(chart, chart.x),
        "yaxis": {"title": {"text": in_words(chart.y[0])}} | _ticks(chart, chart.y[0]),
    }
    return {"data": list(traces.values()), "layout": layout}


def _pie(chart: Chart, rows: Rows) -> Json:
    slices, rest = slices_of(points_of(chart, rows))
    pairs = [(_named(chart, cell), value) for cell, value in slices]
    if rest is not None:
        pairs.append(("Other", rest))
    data = {
        "type": "pie",
        "labels": _apart([text for text, _ in pairs]),
        "values": [_number(value) for _, value in pairs],
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
            "data": [point_trace(chart, rows, lambda name, cell: _cell_said(chart, name, cell))],
            "layout": layout,
        }
    column = chart.y[0] if chart.y else ""
    layout["coloraxis"] = {"colorbar": {"title": {"text": measure_of(chart)}} | _ticks(chart, *chart.y[:1])}
    return {
        "data": country_traces(chart, rows, lambda value: _said(chart, column, value), _number),
        "layout": layout,
    }


def _cell_said(chart: Chart, column: str, cell: Cell) -> str:
    return formatted(cell, column_format(chart.formats, column)) or label(cell)


def _words(chart: Chart, rows: Rows) -> Json:
    """Write a single number, or why there is no chart, where the chart would be."""
    layout: Json = {"xaxis": {"visible": False}, "yaxis": {"visible": False}, "showlegend": False}
    lines = []
    if chart.mark == "number" and rows.rows:
        for name, _, text in numbers_of(chart, rows):
            lines.append((text, in_words(name) if len(chart.y) > 1 or not chart.title else ""))
        if whose := _whose(rows):
            lines.append(("", whose))
        layout["title"] = {"text": chart.title or title_of(chart)}
    else:
        lines.append(("", chart.note or "There is nothing to draw."))
    text = _Markup(
        "<br>".join(f"<b>{_escaped(a)}</b> {_escaped(b)}".strip() if a else _escaped(b) for a, b in lines)
    )
    layout["annotations"] = [
        {"text": text, "showarrow": False, "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5}
    ]
    note = chart.note or note_of(chart, rows)
    if note and chart.mark == "number":
        layout["title"]["subtitle"] = {"text": note}
    if chart.mark == "number" and chart.x and rows.rows:
        return _with_past(chart, rows, layout)
    return {"data": [], "layout": layout}


def numbers_of(chart: Chart, rows: Rows) -> tuple[tuple[str, Cell, str], ...]:
    """Give what a chart of the mark `number` shows: of each of its columns the name, the cell and that for reading.

    Example:
        >>> numbers_of(Chart("number", y=("revenue",)), Rows(("revenue",), ((720523.1699999996,),)))
        (('revenue', 720523.1699999996, '720,523.17'),)
    """
    found = []
    for name in chart.y if chart.mark == "number" and rows.rows else ():
        cell = _one_cell(chart, rows, name)
        number = number_of(cell)
        is_plain = number is None or _is_year(profile(rows, name))
        text = formatted(cell, column_format(chart.formats, name))
        found.append(
            (
                name,
                cell,
                text
                or (
                    str(cell)
                    if number is None or is_plain
                    else _exactly(cell, number) + _unit(chart, name, number)
                ),
            )
        )
    return tuple(found)


def _whose(rows: Rows) -> str:
    """The name that a single row begins with: who or which its numbers are of."""
    if len(rows.rows) != 1:
        return ""
    named = next((one for one in profiles(rows) if one.role == Role.CATEGORY and one.kind == Kind.TEXT), None)
    cell = rows.rows[0][named.index] if named is not None else None
    return "" if cell in (None, "") else label(cell)


def _one_cell(chart: Chart, rows: Rows, name: str) -> Cell:
    """The one number of a column: of its only row, of its last, or of them all."""
    at = rows.columns.index(name)
    if len(rows.rows) > 1 and chart.x:
        values = last_and_before(replace(chart, y=(name,)), rows)[1]
        return values[-1] if values else None
    if len(rows.rows) > 1 and chart.aggregate != "none":
        return fold_all(chart.aggregate, [number_of(row[at]) for row in rows.rows])
    return rows.rows[0][at]


def _with_past(chart: Chart, rows: Rows, layout: Json) -> Json:
    """A number with what it changed by since the time before, over a line of all of them."""
    times, values = last_and_before(chart, rows)
    if len(values) < 2:
        return {"data": [], "layout": layout}
    x = profile(rows, chart.x)
    before, last = values[-2], values[-1]
    change = shown(last - before) if last <= before else f"+{shown(last - before)}"
    share = f" ({(last - before) / abs(before):+.1%})" if before else ""
    words = f"{change}{share} since {label(times[-2])}"
    layout["annotations"][0] |= {"y": 0.84}
    layout["annotations"].append(
        {"text": words, "showarrow": False, "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.47}
    )
    layout["yaxis"] |= {"domain": [0, 0.34]}
    line = {
        "type": "scatter", "mode": "lines", "name": in_words(chart.y[0]), "x": [_when(time, x) for time in times],
        "y": [_number(value) for value in values],
    }  # fmt: skip
    return {"data": [line], "layout": layout}


# ---------------------------------------------------------------- small parts


def _said(chart: Chart, column: str, value: float | int | None) -> str:
    """Say a number as the label of a point, in the format of its column; a count of rows has none."""
    if chart.aggregate == "count":
        return shown(value)
    return (
        formatted(value, column_format(chart.formats, column))
        or f"{shown(value)}{_unit(chart, column, value)}"
    )


def _unit(chart: Chart, column: str, value: float | int | None) -> str:
    return " %" if value is not None and column in chart.percents else ""


def _named(chart: Chart, cell: Cell) -> str:
    """Say where along a chart a value stands."""
    return formatted(cell, column_format(chart.formats, chart.x)) or label(cell)


def _ticks(chart: Chart, *column: str) -> Json:
    """How an axis writes the values of a column: as its format says, unless rows are counted."""
    if not column or (chart.aggregate == "count" and column[0] != chart.x):
        return {}
    chosen = dict(tick_format(column_format(chart.formats, column[0])))
    return chosen or ({"ticksuffix": " %"} if column[0] in chart.percents else {})


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


def _is_year(column: Profile) -> bool:
    return column.role == Role.TIME and column.kind in (Kind.INTEGER, Kind.NUMBER)


def _when(cell: Cell, column: Profile) -> str | None:
    if cell is None:
        return None
    if _is_year(column):
        year = number_of(cell)
        return None if year is None else f"{int(year):04d}"
    if isinstance(cell, datetime):
        return wall_clock(cell).isoformat()
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)


def _time_format(column: Profile) -> Json:
    if _is_year(column):
        return {"tickformat": "%Y", "hoverformat": "%Y"}
    return {}


def _time_said(xs: Sequence[str | None]) -> Json:
    """Say a month as a month in a point's tip, not as its first day."""
    known = [x for x in xs if x is not None]
    # A single first of a month may be a day.
    form = r"\d{4}-\d{2}(-01)?" if len(set(known)) > 2 else r"\d{4}-\d{2}"
    are_months = bool(known) and all(re.fullmatch(form, x) for x in known)
    return {"hoverformat": "%b %Y"} if are_months else {}


def _time_steps(xs: Sequence[str | None]) -> Json:
    """Name no time between two months, or two days, where there is nothing: not "Jan 12" on an axis of months."""
    known = [x for x in xs if x is not None]
    for form, step in ((r"\d{4}-\d{2}(-01)?", "M1"), (r"\d{4}-\d{2}-\d{2}", 86_400_000)):
        if len(known) == len(xs) <= FEW_TIMES and all(re.fullmatch(form, x) for x in known):
            # Few times that lie far apart have none of their own at most of the steps between.
            if _steps(min(known, default=""), max(known, default=""), step) > 2 * FEW_TIMES:
                return {}
            return {"dtick": step, "tickformat": "%b %Y" if step == "M1" else "%-d %b %Y"}
    return {}


def _steps(first: str, last: str, step: str | int) -> int:
    """How many months, or days, are between two times."""
    if not first:
        return 0
    if step == "M1":
        return (int(last[:4]) - int(first[:4])) * 12 + int(last[5:7]) - int(first[5:7])
    try:
        return (date.fromisoformat(last) - date.fromisoformat(first)).days
    except ValueError:
        return 0


def _number(value: float | None) -> float | int | None:
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _exactly(cell: Cell, number: float) -> str:
    """Say a single number with two decimals however large: nothing else stands beside it."""
    if isinstance(cell, int):
        return f"{cell:,}"
    return shown(number) if abs(number) < 1_000 else f"{number:,.2f}".rstrip("0").rstrip(".")


def _round(value: float) -> float:
    return float(f"{value:.10g}")


class _Markup(str):
    """A text with markup of ours, whose parts are escaped already."""

    __slots__ = ()


def _harmless(part: Any) -> Any:
    """Escape every text of a figure but markup of our own: the one place where that is done."""
    if isinstance(part, dict):
        return {key: _harmless(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_harmless(value) for value in part]
    if isinstance(part, _Markup):
        return str(part)
    return _escaped(part) if isinstance(part, str) else part


def _escaped(text: str) -> str:
    """Take the meaning from markup: Plotly reads <b>, <a href> and the like in any label."""
    return html.escape("".join(c for c in text if c >= " " or c == "\t"), quote=False)


def _short(text: str) -> str:
    return text if len(text) <= CUT_LABEL else text[: CUT_LABEL - 1].rstrip() + "…"


def _apart(labels: Sequence[str]) -> list[str]:
    """Keep labels apart that look the same (NULL and the text "NULL"), as Plotly would merge them."""
    seen: dict[str, int] = {}
    apart = []
    for text in labels:
        seen[text] = seen.get(text, 0) + 1
        apart.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return apart
