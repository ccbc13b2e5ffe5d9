"""How a chart looks on paper and in a mail: the light colours of `frontend/static/css/tokens.css`, as RGB.

A test computes them from the style sheet. The template is what `frontend/static/js/colours.js` makes in a
browser, for a page that is always light.
"""

from __future__ import annotations

from typing import Any

PANEL = "#ffffff"
TEXT, MUTED = "#192329", "#4f5a61"
LINE, STRONG = "#dde2e4", "#7f888c"
SERIES = ("#156d75", "#c57007", "#518df3", "#571e4a", "#4d6129", "#8759b3", "#751d24", "#6d7e8c")
SCALE = ("#ddf0ef", "#9fcfcf", "#5ba7aa", "#267c82", "#004d54")

FONT = "DejaVu Sans, Noto Sans, Arial, sans-serif"

Json = dict[str, Any]


def laid_out(figure: Json, width: int, height: int) -> Json:
    """A figure of `sqlagent.telling.charting` with our template, at a size and with room for its title."""
    layout: Json = {**figure["layout"], "template": _template(), "width": width, "height": height}
    title = layout.get("title") or {}
    if title.get("text"):
        layout["margin"] = {"l": 8, "r": 16, "b": 8, "pad": 4, "t": 64 if title.get("subtitle") else 44}
    if not figure["data"]:
        layout["template"]["layout"]["annotationdefaults"] = {"font": {"size": 34}}
    elif not (layout.get("xaxis") or {}).get("visible", True):  # a number over a line of its past
        first, *more = layout["annotations"]
        layout["annotations"] = [{**first, "font": {"size": 34, "color": TEXT}}, *more]
    return {"data": figure["data"], "layout": layout}


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
        },
        "data": {
            "bar": [{"marker": {"line": {"width": 0}}, "textfont": {"color": TEXT}}],
            "scatter": [{"line": {"width": 2}, "marker": {"size": 7}}],
            "box": [{"line": {"width": 1.5}, "boxpoints": False}],
            "heatmap": [{"colorscale": _scale(), "colorbar": {"thickness": 10, "outlinewidth": 0}}],
            "pie": [{"sort": False, "marker": {"line": {"color": PANEL, "width": 2}}}],
        },
    }


def _scale() -> list[list[Any]]:
    return [[number / (len(SCALE) - 1), colour] for number, colour in enumerate(SCALE)]
