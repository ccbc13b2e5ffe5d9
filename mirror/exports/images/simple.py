"""A chart as an image without a browser: the figure the page draws, drawn by matplotlib.

Reads what `sqlagent.telling.charting.figure` makes (bars, lines, areas, points, slices, boxes, a heatmap, bars with
lines, a number with its past) and nothing else that Plotly can do. Drawn without a screen and without pyplot, so that several threads may draw.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any

import matplotlib as mpl
from django.utils.dates import MONTHS_3
from django.utils.text import capfirst
from matplotlib import dates as mpl_dates
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from mirror.exports.images.paper_style import LINE, MUTED, PANEL, SCALE, SERIES, STRONG, TEXT, Json, readable
from mirror.phrases import one_line, separated

# Nothing in a title or a label is mathematics; "$5 to $9" is two amounts.
mpl.rcParams.update({"text.parse_math": False, "font.family": ["DejaVu Sans"], "axes.unicode_minus": False})

# Pixels of a point at the resolution figures are laid out in.
_DPI = 100
_POINTS = 72 / _DPI
# Months as matplotlib writes them.
_SHORT = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = re.compile(rf"\b(?:{'|'.join(_SHORT)})\b")
# Labels along an axis that still stand side by side; more are thinned out.
_LABELS = 14


def draw(figure: Json, width: int, height: int, scale: float) -> bytes:
    """Draw a figure as a PNG of `width` times `scale` pixels."""
    places = ConstrainedLayoutEngine()
    paper = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor=PANEL, layout=places)
    FigureCanvasAgg(paper)
    layout, data = figure["layout"], figure["data"]
    places.set(rect=(0.01, 0.01, 0.98, 1 - _title(paper, layout, height) / height - 0.02))
    if not data or not (layout.get("xaxis") or {}).get("visible", True):
        _number(paper, data, layout)
    elif "overlaying" in (layout.get("yaxis2") or {}):
        _combined(paper, data, layout)
    elif data[0]["type"] in _ALONE:
        _ALONE[data[0]["type"]](paper.subplots(), data[0], layout)
    elif (layout.get("meta") or {}).get("grids"):
        _small(paper, data, layout)
    else:
        _panels(paper, data, layout)
    file = BytesIO()
    paper.savefig(file, format="png", dpi=_DPI * scale, facecolor=PANEL)
    return file.getvalue()


def _plain(text: Any, most: int = 120) -> str:
    """The words of a label: Plotly's markup is taken out and its escapes are undone."""
    words = one_line(html.unescape(re.sub(r"</?b>", "", str(text))))
    return words if len(words) <= most else words[: most - 1] + "…"


def _size(pixels: float) -> float:
    return pixels * _POINTS


def _title(paper: Figure, layout: Json, height: int) -> float:
    """Write title and note at the top; returns the pixels they take."""
    title = layout.get("title") or {}
    if not title.get("text"):
        return 0.0
    paper.text(0.015, 1 - 10 / height, _plain(title["text"], 90), va="top", size=_size(15), color=TEXT)
    note = (title.get("subtitle") or {}).get("text")
    if not note:
        return 36.0
    paper.text(0.015, 1 - 34 / height, _plain(note, 110), va="top", size=_size(12), color=MUTED)
    return 58.0


def _number(paper: Figure, data: Sequence[Json], layout: Json) -> None:
    """Write a number, or why there is no chart, where the chart would be; under it what it changed by and its past."""
    if not data:
        _words(paper.subplots(), layout.get("annotations", ()))
        return
    words, past = paper.subplots(2, height_ratios=(2, 1))
    first, *more = layout["annotations"]
    _words(words, [{**first, "y": 0.62}])
    for annotation in more:
        words.text(0.5, 0.1, _plain(annotation["text"]), ha="center", size=_size(14), color=MUTED)
    past.set_axis_off()
    values = [math.nan if value is None else value for value in data[0]["y"]]
    past.plot(range(len(values)), values, color=SERIES[0], linewidth=1.6)
    past.plot(len(values) - 1, values[-1], marker="o", markersize=_size(8), color=SERIES[0])
    past.margins(x=0.15, y=0.1)


def _words(axes: Axes, annotations: Sequence[Json]) -> None:
    axes.set_axis_off()
    for annotation in annotations:
        lines = [_plain(line) for line in str(annotation["text"]).split("<br>")]
        longest = max(map(len, lines))
        size = min(44, max(14, 560 / max(longest, 1)))
        y = annotation.get("y", 0.5)
        axes.text(0.5, y, "\n".join(lines), ha="center", va="center", size=_size(size), color=TEXT)


def _pie(axes: Axes, trace: Json, _: Json) -> None:
    values = [value or 0 for value in trace["values"]]
    colours = [SERIES[n % len(SERIES)] for n in range(len(values))]
    labels = [_plain(text, 30) for text in trace["labels"]]
    parts = axes.pie(
        values,
        labels=labels,
        colors=colours,
        startangle=90,
        counterclock=False,
        autopct="%.1f%%",
        pctdistance=0.7,
        wedgeprops={"edgecolor": PANEL, "linewidth": 1.5},
        textprops={"size": _size(12), "color": TEXT},
    )
    for inside in parts[2]:
        inside.set_color(PANEL)


def _boxes(axes: Axes, trace: Json, layout: Json) -> None:
    lying = trace.get("orientation") == "h"
    along = "y" if lying else "x"
    places = _Places([trace], along, layout.get(f"{along}axis") or {})
    parts = {"whislo": "lowerfence", "q1": "q1", "med": "median", "q3": "q3", "whishi": "upperfence"}
    boxes = [
        {name: trace[part][number] for name, part in parts.items()} for number in range(len(trace["median"]))
    ]
    line = {"color": SERIES[0], "linewidth": 1.5}
    axes.bxp(
        boxes,
        positions=places.of(trace[along]),
        widths=0.5,
        orientation="horizontal" if lying else "vertical",
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": to_rgba(SERIES[0], 0.5), "edgecolor": SERIES[0], "linewidth": 1.5},
        medianprops=line,
        whiskerprops=line,
        capprops=line,
    )
    _finish(axes, layout, lying, places)


def _heatmap(axes: Axes, trace: Json, layout: Json) -> None:
    places = _Places([trace], "x", layout.get("xaxis") or {})
    numbers = [[math.nan if value is None else value for value in row] for row in trace["z"]]
    colours = LinearSegmentedColormap.from_list("scale", SCALE)
    drawn = axes.pcolormesh(numbers, cmap=colours, edgecolors=PANEL, linewidth=1)
    axes.figure.colorbar(
        drawn, ax=axes, format=FuncFormatter(_grouped), pad=0.01, aspect=30
    ).outline.set_visible(False)
    axes.figure.axes[-1].tick_params(length=0, labelsize=_size(12), labelcolor=MUTED)
    _finish(axes, layout, False, places, is_grid=True)
    axes.xaxis.set_ticks([at + 0.5 for at in places.ticks], places.labels)
    axes.yaxis.set_ticks([n + 0.5 for n in range(len(numbers))], [_plain(text, 42) for text in trace["y"]])
    if "texttemplate" not in trace:
        return
    known = [value for values in numbers for value in values if value == value]
    low, high = min(known, default=0), max(known, default=0)
    for row, values in enumerate(numbers):
        for column, value in enumerate(values):
            if value == value:
                ground = colours(float((value - low) / (high - low or 1)))
                axes.text(
                    column + 0.5,
                    row + 0.5,
                    _plain(trace["text"][row][column]),
                    ha="center",
                    va="center",
                    size=_size(12),
                    color=readable(ground[:3]),
                )


def _combined(paper: Figure, data: Sequence[Json], layout: Json) -> None:
    """Bars, and over them lines with an axis of their own at the right."""
    bars = paper.subplots()
    lines = bars.twinx()
    own = layout | {"showlegend": False}
    _drawn(bars, data, own, data[:1])
    _drawn(
        lines, data, own | {"yaxis": layout["yaxis2"], "xaxis": {**layout["xaxis"], "title": {}}}, data[1:]
    )
    lines.grid(False)
    handles, names = (
        a + b for a, b in zip(*(x.get_legend_handles_labels() for x in (bars, lines)), strict=True)
    )
    _legend(bars, handles, names)


def _small(paper: Figure, data: Sequence[Json], layout: Json) -> None:
    """A small chart for each trace, in a grid, on axes that all share."""
    columns = layout["meta"]["columns"]
    rows = math.ceil(len(data) / columns)
    places = list(paper.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    for place, (axes, trace, title) in enumerate(zip(places, data, layout["annotations"], strict=False)):
        own = {name: layout[f"{name}{trace[name][1:]}"] for name in ("xaxis", "yaxis")}
        if place:  # a shared axis is turned once
            own["yaxis"] = {**own["yaxis"], "autorange": True}
        shapes = [
            line
            for line in layout.get("shapes", ())
            if {line["xref"], line["yref"]} & {f"{trace[name]} domain" for name in own}
        ]
        _drawn(axes, [trace], {**layout, **own, "shapes": shapes}, [trace])
        axes.set_title(_plain(title["text"], 30), size=_size(12), color=TEXT, loc="left")
        axes.xaxis.set_tick_params(labelbottom=own["xaxis"]["showticklabels"])
        axes.yaxis.set_tick_params(labelleft=own["yaxis"]["showticklabels"])
    for axes in places[len(data) :]:
        axes.set_axis_off()


# Marks of one trace that stand alone.
_ALONE: dict[str, Callable[[Axes, Json, Json], None]] = {"pie": _pie, "box": _boxes, "heatmap": _heatmap}


def _panels(paper: Figure, data: Sequence[Json], layout: Json) -> None:
    """Figures of other sizes, each on an axis of its own: under one another, or side by side where bars lie."""
    lying = data[0].get("orientation") == "h"
    name = "x" if lying else "y"
    panels = sorted({trace.get(f"{name}axis", name) for trace in data})
    grid = (1, len(panels)) if lying else (len(panels), 1)
    axes = paper.subplots(*grid, sharex=len(panels) > 1 and not lying, squeeze=False).ravel()
    told = 0 if lying else len(panels) - 1
    for place, panel in enumerate(panels):
        own = [trace for trace in data if trace.get(f"{name}axis", name) == panel]
        shown = layout | {"showlegend": layout.get("showlegend") and len(own) > 1}
        _drawn(axes[place], data, _of_panel(shown, panel, is_told=place == told), own)
        if lying and place != told:
            axes[place].yaxis.set_tick_params(labelleft=False)


def _of_panel(layout: Json, panel: str, *, is_told: bool) -> Json:
    """The layout of one of several figures: its own axis, and the words of the shared one beside one of them."""
    own, shared = (f"{name}axis" for name in (panel[0], "y" if panel[0] == "x" else "x"))
    found = layout | {own: layout.get(f"{own}{panel[1:]}") or {}}
    return found if is_told else found | {shared: {**(layout.get(shared) or {}), "title": {}}}


def _drawn(axes: Axes, data: Sequence[Json], layout: Json, own: Sequence[Json]) -> None:
    """Draw some traces of a figure, in the colours and at the places that they have among all of it."""
    lying = data[0].get("orientation") == "h"
    along = "y" if lying else "x"
    places = _Places(data, along, layout.get(f"{along}axis") or {})
    heaped: dict[bool, list[float]] = {}
    whole = _wholes(data, "x" if lying else "y") if layout.get("barnorm") == "percent" else None
    beside = sum(trace["type"] == "bar" for trace in own)
    for number, trace in enumerate(own):
        colour = SERIES[data.index(trace) % len(SERIES)]
        at = places.of(trace[along])
        values = [math.nan if v is None else v for v in trace["x" if lying else "y"]]
        if whole:
            values = [100 * v / of if of else math.nan for v, of in zip(values, whole, strict=True)]
        name = _plain(trace.get("name", ""), 40)
        if trace["type"] == "bar":
            _bars(axes, trace, at, values, colour, name, _Bars(number, beside, lying, layout, places, heaped))
        else:
            _lines(axes, trace, at, values, colour, name, heaped)
    _finish(axes, layout, lying, places)


def _wholes(data: Sequence[Json], across: str) -> list[float]:
    """The total of the bars of each place."""
    return [sum(v or 0 for v in values) for values in zip(*(trace[across] for trace in data), strict=True)]


class _Places:
    """Where the points of an axis lie: as categories one after the other, as dates, or as numbers."""

    def __init__(self, data: Sequence[Json], along: str, axis: Json) -> None:
        self.labels: list[str] | None = None
        self.ticks: list[float] = []
        self.is_time = False
        self.most = int(axis.get("nticks") or 9)
        seen = list(dict.fromkeys(value for trace in data for value in trace[along]))
        if axis.get("type") == "date" and (moments := _moments(seen)) is not None:
            self.is_time, self._at = True, moments
            self.years = axis.get("tickformat") == "%Y"
        elif axis.get("type") in ("date", "category"):
            wanted = axis.get("categoryarray") or seen
            self._at = {value: float(n) for n, value in enumerate(wanted)}
            # An axis may name some of its places only.
            self.ticks = self.of(axis.get("tickvals") or wanted)
            self.labels = [_plain(text, 42) for text in axis.get("ticktext") or wanted]
        else:
            self._at = {value: value for value in seen if value is not None}

    def of(self, values: Sequence[Any]) -> list[float]:
        """The places of some values."""
        return [self._at.get(value, math.nan) for value in values]

    @property
    def step(self) -> float:
        """The smallest distance of two places: what a bar may be wide."""
        at = sorted(value for value in set(self._at.values()) if value == value)
        gaps = [b - a for a, b in zip(at, at[1:], strict=False) if b > a]
        return min(gaps, default=1.0)


def _moments(values: Sequence[Any]) -> dict[Any, float] | None:
    """Dates as matplotlib counts them; None where one of them is no date."""
    found: dict[Any, float] = {}
    for value in values:
        if value is None:
            continue
        try:
            moment = (
                datetime(int(value), 1, 1) if re.fullmatch(r"\d{4}", value) else datetime.fromisoformat(value)
            )
        except (ValueError, TypeError):
            return None
        found[value] = float(mpl_dates.date2num(moment.replace(tzinfo=None)))
    return found


class _Times(mpl_dates.ConciseDateFormatter):
    """Times along an axis, with the months of the language that is active."""

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        written = super().format_ticks(values)  # type: ignore[no-untyped-call]  # the library has no types
        return [_MONTH.sub(_month, text) for text in written]

    def get_offset(self) -> str:
        return _MONTH.sub(_month, super().get_offset())  # type: ignore[no-untyped-call]


def _month(found: re.Match[str]) -> str:
    return capfirst(str(MONTHS_3[_SHORT.index(found[0]) + 1]))


class _Bars:
    """How the bars of one trace stand among the others."""

    def __init__(
        self,
        number: int,
        count: int,
        lying: bool,
        layout: Json,
        places: _Places,
        heaped: dict[bool, list[float]],
    ) -> None:
        self.lying = lying
        self.is_heaped = layout.get("barmode") == "stack"
        self.heaped = heaped
        gap = layout.get("bargap", 0.28)
        self.width = places.step * (1 - gap) / (1 if self.is_heaped else count)
        self.shift = 0.0 if self.is_heaped else (number - (count - 1) / 2) * self.width


def _bars(
    axes: Axes, trace: Json, at: Sequence[float], values: Sequence[float], colour: str, name: str, how: _Bars
) -> None:
    width = trace["width"][0] * 0.98 if trace.get("width") else how.width
    base = how.heaped.setdefault(True, [0.0] * len(values)) if how.is_heaped else [0.0] * len(values)
    places = [place + how.shift for place in at]
    if how.lying:
        drawn = axes.barh(places, values, height=width, left=base, color=colour, label=name)
    else:
        drawn = axes.bar(places, values, width=width, bottom=base, color=colour, label=name)
    if how.is_heaped:
        how.heaped[True] = [b + (0 if v != v else v) for b, v in zip(base, values, strict=True)]
    elif trace.get("text"):
        axes.bar_label(drawn, [_plain(text) for text in trace["text"]], padding=3, size=_size(11), color=TEXT)


def _lines(
    axes: Axes,
    trace: Json,
    at: Sequence[float],
    values: Sequence[float],
    colour: str,
    name: str,
    heaped: dict[bool, list[float]],
) -> None:
    mode = trace.get("mode", "lines")
    marker = "o" if "markers" in mode else None
    if trace.get("stackgroup"):
        base = heaped.setdefault(False, [0.0] * len(values))
        top = [b + (0 if v != v else v) for b, v in zip(base, values, strict=True)]
        axes.fill_between(at, base, top, color=colour, alpha=0.75, linewidth=0, label=name)
        heaped[False] = top
        return
    style = "-" if "lines" in mode else "none"
    axes.plot(
        at,
        values,
        linestyle=style,
        marker=marker,
        markersize=_size(7),
        color=colour,
        linewidth=1.6,
        label=name,
    )
    if trace.get("fill"):
        axes.fill_between(at, values, color=colour, alpha=0.25, linewidth=0)
    if "text" in mode:
        for place, value, text, side in zip(at, values, trace["text"], trace["textposition"], strict=True):
            if value == value:
                is_below = side.startswith("bottom")
                axes.annotate(
                    _plain(text),
                    (place, value),
                    textcoords="offset points",
                    xytext=(0, -6 if is_below else 6),
                    va="top" if is_below else "baseline",
                    ha="center",
                    size=_size(11),
                    color=TEXT,
                )


def _finish(axes: Axes, layout: Json, lying: bool, places: _Places, *, is_grid: bool = False) -> None:
    """Draw axes as the page does: few lines, muted words, zero where bars begin."""
    along, across = (axes.yaxis, axes.xaxis) if lying else (axes.xaxis, axes.yaxis)
    _named(axes, layout)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(length=0, labelsize=_size(12), labelcolor=MUTED)
    if not is_grid:
        axes.spines["left" if lying else "bottom"].set(visible=True, color=STRONG)
        across.grid(True, color=LINE, linewidth=0.8)
        axes.set_axisbelow(True)
        _scaled(axes, layout, lying)
    if places.labels is not None:
        many = len(places.labels)
        every = 1 if lying else max(1, math.ceil(many / _LABELS))
        along.set_ticks(places.ticks[::every], places.labels[::every])
        longest = max(map(len, places.labels), default=0)
        if not lying and longest * min(many, _LABELS) > 90:
            axes.tick_params(axis="x", rotation=30)
    elif places.is_time:
        locator = mpl_dates.AutoDateLocator(minticks=min(5, places.most), maxticks=places.most)
        along.set_major_locator(locator)
        shown = mpl_dates.DateFormatter("%Y") if places.years else _Times(locator)  # type: ignore[no-untyped-call]
        along.set_major_formatter(shown)
    else:
        along.set_major_formatter(FuncFormatter(_grouped))
    if (layout.get("yaxis") or {}).get("autorange") == "reversed":
        axes.invert_yaxis()
    if layout.get("showlegend"):
        _legend(axes, *axes.get_legend_handles_labels())


def _scaled(axes: Axes, layout: Json, lying: bool) -> None:
    """The axis of values: as it grows, with its unit and a line to compare with where one is wanted."""
    across = axes.xaxis if lying else axes.yaxis
    wanted = layout.get("xaxis" if lying else "yaxis") or {}
    if wanted.get("type") == "log":
        lowest = axes.dataLim.minposx if lying else axes.dataLim.minposy
        (axes.set_xscale if lying else axes.set_yscale)("log", nonpositive="clip")
        # The shortest bar begins below what it shows.
        (axes.set_xlim(left=lowest * 0.7) if lying else axes.set_ylim(bottom=lowest * 0.7))
        across.set_major_locator(LogLocator(subs=(1, 2, 5)))
        across.set_minor_locator(NullLocator())
    else:
        across.set_major_locator(MaxNLocator(6))
    unit = wanted.get("ticksuffix", "")
    across.set_major_formatter(FuncFormatter(lambda value, _: _grouped(value) + unit))
    for shape in layout.get("shapes", ()):
        put, at = (axes.axvline, shape["x0"]) if lying else (axes.axhline, shape["y0"])
        put(at, color=TEXT, linestyle="--", linewidth=1.2)
        if not lying and wanted.get("type") != "log":
            axes.annotate(
                _grouped(at),
                (1, at),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                xytext=(0, 3),
                ha="right",
                size=_size(12),
                color=MUTED,
            )


def _legend(axes: Axes, handles: Sequence[Any], names: Sequence[str]) -> None:
    axes.legend(
        handles,
        names,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=4,
        frameon=False,
        fontsize=_size(12),
        labelcolor=TEXT,
    )


def _named(axes: Axes, layout: Json) -> None:
    for name, put in (("xaxis", axes.set_xlabel), ("yaxis", axes.set_ylabel)):
        title = ((layout.get(name) or {}).get("title") or {}).get("text")
        if title:
            put(_plain(title, 60), size=_size(13), color=MUTED)
    value = layout.get("xaxis") or {}
    if value.get("rangemode") == "tozero":
        axes.set_xlim(left=min(0, axes.get_xlim()[0]))
    if (layout.get("yaxis") or {}).get("rangemode") == "tozero":
        axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))


def _grouped(value: float, _: Any = None) -> str:
    """Say a number on an axis.

    Example:
        >>> _grouped(1500000), _grouped(2000), _grouped(0.25)
        ('1.5M', '2,000', '0.25')
    """
    size = abs(value)
    for unit, sign in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if size >= unit:
            return separated(f"{value / unit:,.2f}".rstrip("0").rstrip(".")) + sign
    return separated(f"{value:,.0f}" if size >= 1000 else f"{value:.6g}")
