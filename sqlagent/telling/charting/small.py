"""Small charts in a grid: each series of a chart at a place of its own, on axes that all share.

Decides the grid for narrow, middling and wide pages. The figure is laid out for a middling one, and tells all of
them in `layout.meta.grids`: a page takes the widest that it has room for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlagent.telling.charting.markup import Json

COLUMNS = (2, 3, 4)
"""Columns of a narrow, a middling and a wide page."""
USUAL = 3
TITLE, STANDING, BAR, FEET = 30, 116, 20, 44
"""Pixels: of a title with the gap above it, of a chart, of a bar that lies, and of what is below the last row."""
GAP = 0.04
"""Between two columns, as a part of the whole."""
CUT_TITLE = 24


def in_grid(drawn: Json, titles: Sequence[str], typed: Sequence[str]) -> Json:
    """Put each trace of a figure on axes of its own, which go together; `typed` are the titles of axes that a person wrote, others are left out.

    Example:
        >>> bars = [{"type": "bar", "x": ["a"], "y": [n]} for n in (1, 2, 3)]
        >>> made = in_grid({"data": bars, "layout": {"xaxis": {}, "yaxis": {}}}, ("N", "S", "E"), ())
        >>> [trace["yaxis"] for trace in made["data"]], made["layout"]["yaxis2"]["matches"]
        (['y', 'y2', 'y3'], 'y')
        >>> [grid["columns"] for grid in made["layout"]["meta"]["grids"]]
        [2, 3]
    """
    data, layout = drawn["data"], drawn["layout"]
    axes = {"x": layout.pop("xaxis"), "y": layout.pop("yaxis")}
    for axis in axes.values():
        if (axis.get("title") or {}).get("text") not in [words for words in typed if words]:
            axis.pop("title", None)
    lines = layout.pop("shapes", [])
    for part in ("barmode", "legend", "annotations"):
        layout.pop(part, None)
    for place, trace in enumerate(data):
        own = _mark(place)
        trace |= {"xaxis": f"x{own}", "yaxis": f"y{own}"}
        for name, other in (("x", "y"), ("y", "x")):
            shared = {"matches": name} if own else {}
            layout[f"{name}axis{own}"] = axes[name] | shared | {"anchor": f"{other}{own}"}
    if lines:
        layout["shapes"] = [_on(line, _mark(place)) for place in range(len(data)) for line in lines]
    layout["annotations"] = [
        {
            "text": title if len(title) <= CUT_TITLE else title[: CUT_TITLE - 1].rstrip() + "…",
            "showarrow": False,
            "xref": "paper",
            "xanchor": "left",
            "yref": "paper",
            "yanchor": "bottom",
        }
        for title in titles
    ]
    lying = bool(data) and data[0].get("orientation") == "h"
    high = max(80, BAR * len(data[0]["y"])) if lying else STANDING
    counts = sorted({_even(len(data), columns) for columns in COLUMNS})
    grids = [_grid(len(data), columns, high, axes) for columns in counts]
    layout |= {"showlegend": False, "meta": {"grids": grids}}
    usual = next(grid for grid in reversed(grids) if grid["columns"] <= USUAL)
    return {"data": data, "layout": _laid_in(layout, usual)}


def _laid_in(layout: Json, grid: Json) -> Json:
    """A layout with its axes and titles where a grid has them."""
    places = {name: layout[name] | part for name, part in grid["axes"].items()}
    named = [note | spot for note, spot in zip(layout["annotations"], grid["titles"], strict=True)]
    meta = layout["meta"] | {"columns": grid["columns"]}
    return layout | places | {"annotations": named, "height": grid["height"], "meta": meta}


def _even(count: int, columns: int) -> int:
    """Columns for as many rows as are needed, none of which is nearly empty."""
    return math.ceil(count / math.ceil(count / columns))


def _mark(place: int) -> str:
    return str(place + 1) if place else ""


def _on(line: Json, own: str) -> Json:
    """A line over one small chart."""
    spans = {"xref": f"x{own} domain"} if line["xref"] == "paper" else {"yref": f"y{own} domain"}
    other = {"yref": f"y{own}"} if line["xref"] == "paper" else {"xref": f"x{own}"}
    return line | spans | other


def _grid(count: int, columns: int, high: int, axes: Json) -> Json:
    """Where the small charts stand: numbers at the left ones and the lowest ones, titles above them."""
    rows = math.ceil(count / columns)
    whole = rows * (TITLE + high)
    wide = (1 - GAP * (columns - 1)) / columns
    places: Json = {}
    titles = []
    for place in range(count):
        row, column = divmod(place, columns)
        left = column * (wide + GAP)
        top = 1 - (row * (TITLE + high) + TITLE) / whole
        is_low = place + columns >= count
        for name, domain, is_told in (
            ("x", [left, left + wide], is_low),
            ("y", [top - high / whole, top], column == 0),
        ):
            words = {"title": {"text": ""}} if "title" in axes[name] and not is_told else {}
            told = {"domain": [round(max(0.0, edge), 4) for edge in domain], "showticklabels": is_told}
            places[f"{name}axis{_mark(place)}"] = told | words
        titles.append({"x": round(left, 4), "y": round(top, 4)})
    return {"columns": columns, "height": whole + FEET, "axes": places, "titles": titles}
