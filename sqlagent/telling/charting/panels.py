"""Figures of other sizes in one chart, each with an axis of its own: on a shared one the small ones would lie flat."""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.language.saying import lower_first
from sqlagent.rows.columns import in_words, number_of
from sqlagent.telling.charting.labels import ticks
from sqlagent.telling.charting.markup import Json
from sqlagent.values import Chart, Rows

GAP, PANEL_HEIGHT, GAP_BESIDE = 0.1, 190, 0.06
"""Between figures under one another, as a part of the whole, and what one takes, in pixels; between those side by side."""


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


def panels_drawn(chart: Chart, rows: Rows) -> list[tuple[str, ...]]:
    """Part the figures of a chart by their size, unless a person has them stacked or on an axis of powers, where small ones are seen."""
    if (
        chart.series
        or chart.stack in ("stack", "share")
        or chart.scale == "log"
        or chart.aggregate == "count"
    ):
        return []
    return panels_of(rows, chart.y)


def under_one_another(
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


def side_by_side(
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
    return {"title": {"text": words}} | ticks(chart, panel[0])
