"""Shown parts of a card's rows: the columns on it, the choices on its own page, and the data that a link tells.

The page and the file of a link to a dashboard follow it alike: the holder of the link sees no column that a card does not show and
no row behind a point that stands for several, and finds none out by filters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mirror.asking.kept_steps import PREVIEW_COLUMNS
from mirror.dashboards.card_parameters import chart_of
from mirror.dashboards.models import Card, Drawing
from mirror.results.kept_pivots import pivot_of_chart
from mirror.results.rows import columns_of

if TYPE_CHECKING:
    from mirror.dashboards.services import CardServed

_NO_MARKS = (None, "", "none", "number")


@dataclass(frozen=True, slots=True)
class Shown:
    """Form and columns of a card: a table, pivot, chart, number, or nothing yet.

    `columns` are the numbers of those that stand on it, `chosen_from` of those whose values it shows one by one. `offered` are the
    filters that points of a chart make, by column. It `is_whole` where a chart is drawn from all columns, so that its sentence tells
    of no other one.
    """

    form: str
    columns: frozenset[int] = frozenset()
    chosen_from: frozenset[int] = frozenset()
    offered: Mapping[int, frozenset[str]] | None = None
    is_whole: bool = False

    def offers(self, column: int, text: str) -> bool:
        """Say whether this choice is one of the card: a value of a column, or a range that a point of its chart stands for."""
        if column not in self.chosen_from:
            return False
        own = (self.offered or {}).get(column, frozenset())
        is_value = _is_value(text)
        return text in own or (is_value and all(map(_is_value, own)))


@dataclass(frozen=True, slots=True)
class Told:
    """Data that a link tells of a card as it stands now, filtered or not.

    `columns` are the numbers of those whose rows it tells: none where a point of its chart stands for several rows. `figure` is its
    chart drawn of its columns alone, and its sentence `is_said` where that is reckoned from nothing else. Rows are not counted where
    it `is_folded`: their number is no figure of the card.
    """

    form: str
    columns: tuple[int, ...] = ()
    figure: dict[str, Any] | None = None
    is_said: bool = False
    is_folded: bool = True


def card_told(one: CardServed, matching: int | None = None, redrawn: Drawing | None = None) -> Told:
    """Say what a link tells of a card, or of its `matching` rows where it is filtered, as they are `redrawn`. A chart that cannot be drawn as before gives way to nothing."""
    shown, supplied = card_shown(one), one.supplied
    if supplied is None or supplied.supply is None or supplied.supply.result is None:
        return Told("nothing")
    if shown.form == "table":
        return Told("table", tuple(sorted(shown.columns)), is_folded=False)
    if shown.form != "chart":
        return Told(shown.form)
    kept, count = supplied.drawing, supplied.supply.result.row_count
    is_each = kept is not None and _is_each(kept, count)
    drawing = kept
    if matching is not None:
        drawing, count = redrawn, matching
    if drawing is None or not drawing.figure or not _is_drawn_alike(kept, drawing):
        return Told("nothing")
    figure = figure_alone(drawing.chart or {}, drawing.figure)
    if not _is_each(drawing, count):
        return Told("chart", (), figure)
    columns = tuple(sorted(shown.columns))
    return Told("chart", columns, figure, is_said=is_each and shown.is_whole, is_folded=not is_each)


def _is_each(drawing: Drawing, count: int) -> bool:
    """Say whether each of so many rows is a point of its own, so that they tell no more than the chart."""
    return points_drawn(drawing.chart or {}, drawing.figure or {}) == count


def card_shown(one: CardServed) -> Shown:
    """Say what a card shows of its rows, whatever filters it."""
    card, supplied = one.card, one.supplied
    supply = supplied.supply if supplied is not None else None
    if supplied is None or supply is None or supply.result is None:
        return Shown("nothing")
    names = [column.name for column in columns_of(supply.result)]
    if card.shows == Card.Shows.PIVOT:
        wish = pivot_of_chart(chart_of(card), columns_of(supply.result))
        read = (
            frozenset(n for n in (*wish.rows, wish.column) if n is not None)
            if wish is not None
            else frozenset()
        )
        return Shown("pivot", read, read)
    if card.shows in (Card.Shows.NUMBER, Card.Shows.CHANGE):
        return Shown("number")
    first = frozenset(range(min(len(names), PREVIEW_COLUMNS)))
    if card.shows == Card.Shows.TABLE:
        return Shown("table", first, first)
    drawing = supplied.drawing
    if drawing is None or drawing.chart is None:
        return Shown("nothing")
    is_number = drawing.chart.get("mark") == "number"
    if is_number and supply.result.row_count == 1:
        return Shown("number")
    if drawing.figure is not None:
        return _charted(drawing.chart, drawing.figure, names)
    was_chart = (chart_of(card) or {}).get("mark") not in _NO_MARKS
    return (
        Shown("chart")
        if was_chart or is_number or card.shows == Card.Shows.CHART
        else Shown("table", first, first)
    )


def _drawn_from(chart: Mapping[str, Any]) -> frozenset[str]:
    """The names of the columns that a chart is drawn from: where rows are counted, not those whose values are."""
    measured = () if chart.get("aggregate") == "count" else chart.get("y") or ()
    return frozenset(name for name in (chart.get("x"), *measured, chart.get("series")) if name)


def _is_drawn_alike(kept: Drawing | None, redrawn: Drawing) -> bool:
    """Say whether a chart that was drawn anew of fewer rows is the same one: bins that became bars would tell each value."""
    one, other = (drawing.chart or {} if drawing is not None else {} for drawing in (kept, redrawn))
    return all(
        one.get(part) == other.get(part) for part in ("mark", "x", "series", "aggregate", "stack")
    ) and list(one.get("y") or ()) == list(other.get("y") or ())


def points_drawn(chart: Mapping[str, Any], figure: Mapping[str, Any]) -> int:
    """Count the points of a chart that can be one row each, a row of several figures once; 0 for marks that put rows together.

    Example:
        >>> points_drawn({"mark": "bar"}, {"data": [{"x": ["Oslo", "Rome"], "y": [3, None]}, {"x": ["Oslo", "Rome"], "y": [3, 5]}]})
        2
    """
    mark = chart.get("mark")
    if (
        mark in ("histogram", "box", "number")
        or chart.get("aggregate") == "count"
        or chart.get("stack") == "share"
    ):
        return 0
    counts = [_points_of(trace) for trace in figure.get("data") or ()]
    is_row_a_trace = not chart.get("series") and mark not in ("scatter", "map", "heatmap")
    return max(counts, default=0) if is_row_a_trace else sum(counts)


def _points_of(trace: Mapping[str, Any]) -> int:
    kind = trace.get("type")
    if kind == "pie":
        return len(trace.get("labels") or ())
    if kind == "heatmap":
        return sum(value is not None for row in trace.get("z") or () for value in row)
    if kind in ("choropleth", "scattergeo"):
        return len(trace.get("locations") or trace.get("lat") or ())
    pairs = zip(trace.get("x") or (), trace.get("y") or (), strict=False)
    return sum(None not in pair for pair in pairs)


def figure_alone(chart: Mapping[str, Any], figure: Mapping[str, Any]) -> dict[str, Any]:
    """A chart without what it says beside its columns: names of points from another column, and the figures behind shares.

    Example:
        >>> drawn = {"data": [{"x": ["Oslo"], "y": [30], "text": ["30"]}, {"x": ["Oslo"], "y": [10]}]}
        >>> [trace["y"] for trace in figure_alone({"mark": "bar", "stack": "share"}, drawn)["data"]]
        [[75.0], [25.0]]
    """
    traces = [dict(trace) for trace in figure.get("data") or ()]
    for trace in traces:
        if chart.get("mark") == "scatter":
            trace.pop("text", None)
        elif trace.get("type") == "scattergeo" and "coloraxis" not in (trace.get("marker") or {}):
            trace["hovertext"] = [
                f"{lat}, {lon}" for lat, lon in zip(trace["lat"], trace["lon"], strict=True)
            ]
    if chart.get("mark") == "bar" and chart.get("stack") == "share":
        _as_shares(traces)
    return {**figure, "data": traces}


def _as_shares(traces: Sequence[dict[str, Any]]) -> None:
    """Put what bars of shares are drawn of in hundredths of their place, which draws the same bars."""
    wholes: dict[Any, float] = {}
    parts = [("y", "x") if trace.get("orientation") == "h" else ("x", "y") for trace in traces]
    for trace, (along, across) in zip(traces, parts, strict=True):
        for place, value in zip(trace[along], trace[across], strict=True):
            wholes[place] = wholes.get(place, 0.0) + abs(value or 0)
    for trace, (along, across) in zip(traces, parts, strict=True):
        trace[across] = [
            value if not value else value / wholes[place] * 100
            for place, value in zip(trace[along], trace[across], strict=True)
        ]


def _charted(chart: Mapping[str, Any], figure: Mapping[str, Any], names: list[str]) -> Shown:
    drawn = frozenset(names.index(name) for name in _drawn_from(chart) if name in names)
    along = {names.index(name) for name in (chart.get("x"), chart.get("series")) if name and name in names}
    offered: dict[int, set[str]] = {}
    drill = figure.get("drill") or {}
    traces = drill.get("points") or []
    for points in traces if drill.get("is_by_trace") else [traces]:
        for point in points:
            for column, text in zip(drill["columns"], point or (), strict=False):
                if isinstance(text, str):
                    offered.setdefault(column, set()).add(text)
    told = {column: frozenset(texts) for column, texts in offered.items()}
    chosen_from = frozenset() if chart.get("mark") == "number" else frozenset(along | set(told)) & drawn
    return Shown("chart", drawn, chosen_from, told, len(drawn) == len(names))


def _is_value(text: str) -> bool:
    return text == "null" or text.startswith("=")
