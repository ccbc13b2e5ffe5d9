"""How a chart looks on paper and in a mail: the light colours of `frontend/static/css/tokens.css`, as RGB.

A test computes them from the style sheet. The template is what `frontend/static/js/colours.js` makes in a
browser, for a page that is always light.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mirror.stored_words import is_english

PANEL = "#ffffff"
TEXT, MUTED = "#192329", "#4f5a61"
LINE, STRONG = "#dde2e4", "#7f888c"
SERIES = ("#156d75", "#c57007", "#518df3", "#571e4a", "#4d6129", "#8759b3", "#751d24", "#6d7e8c")
SCALE = ("#ddf0ef", "#9fcfcf", "#5ba7aa", "#267c82", "#004d54")

LAND = "#f4f7f8"

INKS = ("#000000", "#ffffff")

FONT = "DejaVu Sans, Noto Sans, Arial, sans-serif"

Json = dict[str, Any]

# Widths in pixels: of an axis with its numbers, and of a digit; and the share of a place that its bars take.
AXIS, LETTER, BARS = 72, 8.3, 0.72


def laid_out(figure: Json, width: int, height: int) -> Json:
    """A figure of `sqlagent.telling.charting` with our template, at a size and with room for its title."""
    layout: Json = {**figure["layout"], "template": _template(), "width": width, "height": height}
    title = layout.get("title") or {}
    if title.get("text"):
        layout["margin"] = {"l": 8, "r": 16, "b": 8, "pad": 4, "t": 64 if title.get("subtitle") else 44}
    if "legend" in layout and layout.get("showlegend"):  # above the chart, between it and its title
        layout["margin"] = {"l": 8, "r": 16, "b": 8, "pad": 4, **layout.get("margin", {})}
        layout["margin"]["t"] = layout["margin"].get("t", 12) + _legend_room(figure["data"], width)
    if (layout.get("meta") or {}).get("grids"):  # small charts tell their series by titles
        layout["template"]["layout"] |= {
            "colorway": [SERIES[0]],
            "annotationdefaults": {"font": {"color": TEXT}},
        }
    if not figure["data"]:
        layout["template"]["layout"]["annotationdefaults"] = {"font": {"size": 34}}
    elif not (layout.get("xaxis") or {}).get("visible", True):  # a number over a line of its past
        first, *more = layout["annotations"]
        layout["annotations"] = [{**first, "font": {"size": 34, "color": TEXT}}, *more]
    is_grid = bool((layout.get("meta") or {}).get("grids"))
    data = figure["data"] if is_grid else [_painted(trace) for trace in figure["data"]]
    if figure.get("config"):  # `frontend/static/js/picture-days.js` takes it from here
        layout["meta"] = {**(layout.get("meta") or {}), "config": figure["config"]}
    return {"data": [part for trace in data for part in _inked(trace)], "layout": layout}


def _legend_room(data: Sequence[Json], width: int) -> int:
    """The pixels that the lines of a legend take: its names stand in columns as wide as the longest."""
    names = [str(trace.get("name", "")) for trace in data]
    longest = max(map(len, names), default=0) * LETTER + 48
    return 22 * math.ceil(len(names) / max(1, int((width - 24) / longest)))


def _painted(trace: Json) -> Json:
    """A trace in the colours that its series or slices have where more rows are drawn (`charting.coloured_like`)."""
    meta = trace.get("meta") or {}
    if "places" in meta:
        colours = [SERIES[place % len(SERIES)] for place in meta["places"]]
        return trace | {"marker": trace.get("marker", {}) | {"colors": colours}}
    if "place" not in meta or trace["type"] not in ("bar", "scatter"):
        return trace
    ground = {"color": SERIES[meta["place"] % len(SERIES)]}
    lined = {"line": trace.get("line", {}) | ground} if trace["type"] == "scatter" else {}
    return trace | {"marker": trace.get("marker", {}) | ground} | lined


def words_whole(figure: Json, width: int) -> Json:
    """A figure without the values at its bars and points where one would not stand whole: a part of a number is another one."""
    beside = [one for one in figure["data"] if one.get("text") and one.get("orientation") != "h"]
    beside = [
        one for one in beside if one["type"] in ("bar", "scatter") and "text" in one.get("mode", "text")
    ]
    if not beside:
        return figure
    is_grouped = figure["layout"].get("barmode") == "group"
    places = max(len(one["text"]) for one in beside) * (len(beside) if is_grouped else 1)
    # A word wider than its bar is covered by the next one.
    share = BARS if beside[0]["type"] == "bar" else 1
    longest = max(len(str(word)) for one in beside for word in one["text"])
    if (width - AXIS) / places * share >= longest * LETTER:
        return figure
    return figure | {"data": [_wordless(one) if one in beside else one for one in figure["data"]]}


def _wordless(trace: Json) -> Json:
    kept = {name: value for name, value in trace.items() if name not in ("text", "textposition")}
    return kept | {"mode": trace["mode"].replace("+text", "")} if "mode" in trace else kept


def readable(ground: Sequence[float]) -> str:
    """Whether black or white is read better on a ground, whose parts are from 0 to 1; one of them always is read well."""
    return max(INKS, key=lambda words: contrast(ground, _parts(words)))


def _inked(trace: Json) -> list[Json]:
    """A heatmap as one trace of the cells on which black is read best and one of the others: a trace writes in one colour."""
    if "texttemplate" not in trace:
        return [trace]
    known = [value for row in trace.get("z", ()) for value in row if value is not None]
    if not known:
        return [trace]
    low, high = min(known), max(known)
    ends = (low, high) if low < high else (low - 0.5, low + 0.5)
    ink = {value: readable(_shade((value - ends[0]) / (ends[1] - ends[0]))) for value in known}
    parts: list[Json] = []
    for words in dict.fromkeys(ink.values()):
        is_own = [[ink.get(value) == words for value in row] for row in trace["z"]]
        parts.append(
            trace
            | {"zmin": ends[0], "zmax": ends[1], "textfont": {"color": words}, "showscale": not parts}
            | {"z": _only(trace["z"], is_own, None), "text": _only(trace["text"], is_own, "")}
        )
    return parts


def _only(cells: list[list[Any]], chosen: list[list[bool]], other: Any) -> list[list[Any]]:
    return [
        [cell if own else other for cell, own in zip(*row, strict=True)]
        for row in zip(cells, chosen, strict=True)
    ]


def _shade(at: float) -> list[float]:
    """The colour at a place between 0 and 1 of the scale."""
    step = min(len(SCALE) - 2, int(at * (len(SCALE) - 1)))
    rest = at * (len(SCALE) - 1) - step
    pairs = zip(_parts(SCALE[step]), _parts(SCALE[step + 1]), strict=True)
    return [one + (other - one) * rest for one, other in pairs]


def _parts(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """How well two colours are told apart (WCAG 2.2): from 1 to 21; words need 4.5."""
    light = sorted(
        sum(
            share * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
            for share, part in zip((0.2126, 0.7152, 0.0722), colour, strict=True)
        )
        for colour in (one, other)
    )
    return (light[1] + 0.05) / (light[0] + 0.05)


def _template() -> Json:
    axis = {
        "color": MUTED,
        "gridcolor": LINE,
        "linecolor": STRONG,
        "zerolinecolor": STRONG,
        "zerolinewidth": 1,
        "automargin": True,
        "ticks": "",
        "title": {"standoff": 12, "font": {"size": 13, "color": MUTED}},
        "tickfont": {"size": 12, "color": MUTED},
    }
    if not is_english():  # the library shortens numbers by English letters only
        axis["exponentformat"] = "none"
    place = {"x": 0, "xref": "container", "xanchor": "left", "y": 1, "yref": "container", "yanchor": "top"}
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": TEXT},
            "paper_bgcolor": PANEL,
            "plot_bgcolor": PANEL,
            "colorway": list(SERIES),
            "title": {
                "font": {"size": 15, "color": TEXT},
                "subtitle": {"font": {"size": 13, "color": MUTED}},
                "pad": {"l": 12, "t": 10},
                **place,
            },
            "margin": {"l": 8, "r": 16, "t": 12, "b": 8, "pad": 4},
            "xaxis": {**axis, "showgrid": False},
            "yaxis": axis,
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 0,
                "yref": "container",
                "yanchor": "bottom",
                "font": {"size": 12, "color": TEXT},
            },
            "bargap": 0.28,
            "separators": ".,",
            "annotationdefaults": {"font": {"size": 14, "color": MUTED}},
            "shapedefaults": {"line": {"color": TEXT}},
            "geo": {
                "bgcolor": PANEL,
                "showland": True,
                "landcolor": LAND,
                "showcoastlines": False,
                "showcountries": True,
                "countrycolor": STRONG,
                "countrywidth": 0.5,
            },
            "coloraxis": {
                "colorscale": _scale(),
                "colorbar": {
                    "thickness": 10,
                    "outlinewidth": 0,
                    "title": {"font": {"size": 12, "color": MUTED}},
                },
            },
        },
        "data": {
            "bar": [{"marker": {"line": {"width": 0}}, "textfont": {"color": TEXT}, "textangle": 0}],
            "scatter": [{"line": {"width": 2}, "marker": {"size": 7}}],
            "box": [{"line": {"width": 1.5}, "boxpoints": False}],
            "heatmap": [{"colorscale": _scale(), "colorbar": {"thickness": 10, "outlinewidth": 0}}],
            "choropleth": [{"marker": {"line": {"color": STRONG, "width": 0.5}}}],
            "scattergeo": [{"marker": {"opacity": 0.85, "line": {"color": TEXT, "width": 0.5}}}],
            "pie": [{"sort": False, "marker": {"line": {"color": PANEL, "width": 2}}}],
        },
    }


def _scale() -> list[list[Any]]:
    return [[number / (len(SCALE) - 1), colour] for number, colour in enumerate(SCALE)]
