"""How a chart writes its values: numbers, places along it, and the ticks of its axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlagent.rows.formats import column_format, formatted, tick_format
from sqlagent.telling.charting.markup import Json
from sqlagent.telling.charting.points import label
from sqlagent.values import Cell, Chart

CUT_LABEL = 42


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


def cell_said(chart: Chart, column: str, cell: Cell) -> str:
    """Say a cell in the format of its column."""
    return formatted(cell, column_format(chart.formats, column)) or label(cell)


def number_said(chart: Chart, column: str, value: float | int | None) -> str:
    """Say a number as the label of a point, in the format of its column; a count of rows has none."""
    if chart.aggregate == "count":
        return shown(value)
    return (
        formatted(value, column_format(chart.formats, column))
        or f"{shown(value)}{unit_of(chart, column, value)}"
    )


def unit_of(chart: Chart, column: str, value: float | int | None) -> str:
    """Give the sign behind a value: that of a percentage, or none."""
    return " %" if value is not None and column in chart.percents else ""


def place_said(chart: Chart, cell: Cell) -> str:
    """Say where along a chart a value stands."""
    return formatted(cell, column_format(chart.formats, chart.x)) or label(cell)


def ticks(chart: Chart, *column: str) -> Json:
    """How an axis writes the values of a column: as its format says, unless rows are counted."""
    if not column or (chart.aggregate == "count" and column[0] != chart.x):
        return {}
    chosen = dict(tick_format(column_format(chart.formats, column[0])))
    return chosen or ({"ticksuffix": " %"} if column[0] in chart.percents else {})


def json_number(value: float | None) -> float | int | None:
    """Give a number as JSON can hold it: whole ones as integers, none for infinity and NaN."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def shortened(text: str) -> str:
    """Cut a label to `CUT_LABEL` characters."""
    return text if len(text) <= CUT_LABEL else text[: CUT_LABEL - 1].rstrip() + "…"


def told_apart(labels: Sequence[str]) -> list[str]:
    """Keep labels apart that look the same (NULL and the text "NULL"), as Plotly would merge them."""
    seen: dict[str, int] = {}
    apart = []
    for text in labels:
        seen[text] = seen.get(text, 0) + 1
        apart.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return apart
