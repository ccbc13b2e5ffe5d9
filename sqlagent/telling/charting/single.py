"""Charts without axes: a single number, with its past where it has one, or why there is no chart."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.language.saying import day
from sqlagent.rows.columns import Role, in_words, number_of, profile, profiles
from sqlagent.rows.formats import column_format, formatted
from sqlagent.telling.charting.axes import is_year, moment_of
from sqlagent.telling.charting.captions import note_of, title_of
from sqlagent.telling.charting.labels import json_number, shown, unit_of
from sqlagent.telling.charting.marks import last_and_before
from sqlagent.telling.charting.markup import Json, Markup, escaped
from sqlagent.telling.charting.points import fold_all, label
from sqlagent.values import Cell, Chart, Kind, Rows


def without_axes(chart: Chart, rows: Rows) -> Json:
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
    text = Markup(
        "<br>".join(f"<b>{escaped(a)}</b> {escaped(b)}".strip() if a else escaped(b) for a, b in lines)
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
        is_plain = number is None or is_year(profile(rows, name))
        text = formatted(cell, column_format(chart.formats, name))
        found.append(
            (
                name,
                cell,
                text
                or (
                    str(cell)
                    if number is None or is_plain
                    else _exactly(cell, number) + unit_of(chart, name, number)
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
    words = f"{change}{share} since {day(label(times[-2]))}"
    layout["annotations"][0] |= {"y": 0.84}
    layout["annotations"].append(
        {"text": words, "showarrow": False, "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.47}
    )
    layout["yaxis"] |= {"domain": [0, 0.34]}
    line = {
        "type": "scatter", "mode": "lines", "name": in_words(chart.y[0]), "x": [moment_of(time, x) for time in times],
        "y": [json_number(value) for value in values],
    }  # fmt: skip
    return {"data": [line], "layout": layout}


def _exactly(cell: Cell, number: float) -> str:
    """Say a single number with two decimals however large: nothing else stands beside it."""
    if isinstance(cell, int):
        return f"{cell:,}"
    return shown(number) if abs(number) < 1_000 else f"{number:,.2f}".rstrip("0").rstrip(".")
