"""The line that a chart's figures are compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean, median

from sqlagent.rows.columns import in_words, number_of
from sqlagent.telling.charting.labels import number_said
from sqlagent.telling.charting.markup import Json
from sqlagent.values import Chart, Rows

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


def draw_line(chart: Chart, rows: Rows, layout: Json, lying: bool) -> None:
    """Draw the line into a layout, and beside it the number where it stands; none where no line was asked for."""
    level = line_level(chart, rows)
    if level is None:
        return
    words = number_said(chart, chart.y[0] if chart.y else "", level)
    words = f"{chart.line.strip().lower()} {words}" if is_reckoned(chart.line) else words
    words = f"{in_words(chart.y[0])} {words}" if chart.mark == "combo" and chart.y else words
    straight = {"x0": 0, "x1": 1, "xref": "paper", "y0": level, "y1": level, "yref": "y"}
    upright = {"y0": 0, "y1": 1, "yref": "paper", "x0": level, "x1": level, "xref": "x"}
    layout["shapes"] = [
        {"type": "line", "line": {"dash": "dash", "width": 1.5}} | (upright if lying else straight)
    ]
    if chart.scale == "log" or (lying and not is_reckoned(chart.line)):
        return
    foot = {"yref": "paper", "y": 0, "yanchor": "bottom", "xref": "x", "x": level, "xanchor": "left"}
    beside = {"xref": "paper", "x": 1, "xanchor": "right", "yref": "y", "y": level, "yanchor": "bottom"}
    word: Json = {"text": words, "showarrow": False}
    word |= foot | {"xshift": 4} if lying else beside
    layout.setdefault("annotations", []).append(word)
