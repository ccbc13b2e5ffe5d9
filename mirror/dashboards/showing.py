"""What a card shows of its rows: the columns that somebody reads on it, and the choices that its own page offers.

A link to a dashboard goes by it: who has one sees no column that the page does not show, and finds none out by filters.
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
    """What a card shows: a table, pivot, chart, number, or nothing yet.

    `columns` are the numbers of those that stand on it, `chosen_from` of those whose values it shows one by one. `offered` are the
    filters that points of a chart make, by column. A point of a chart is one row where no two rows share the `keys`; without any, never.
    It `is_whole` where a chart is drawn from all columns, so that its sentence tells of no other one.
    """

    form: str
    columns: frozenset[int] = frozenset()
    chosen_from: frozenset[int] = frozenset()
    offered: Mapping[int, frozenset[str]] | None = None
    keys: tuple[int, ...] = ()
    is_whole: bool = False

    def are_points(self, rows: Sequence[Sequence[Any]]) -> bool:
        """Say whether a chart draws each of these rows as a point of its own, so that they tell no more than it does."""
        found = [
            tuple(row[key] for key in self.keys) for row in rows if all(key < len(row) for key in self.keys)
        ]
        return bool(self.keys) and len(set(map(str, found))) == len(rows)

    def offers(self, column: int, text: str) -> bool:
        """Say whether this choice is one of the card: a value of a column, or a range that a point of its chart stands for."""
        if column not in self.chosen_from:
            return False
        own = (self.offered or {}).get(column, frozenset())
        is_value = _is_value(text)
        return text in own or (is_value and all(map(_is_value, own)))


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
    if drawing.figure is not None and drawing.chart.get("mark") != "number":
        return _charted(drawing.chart, drawing.figure, names)
    if drawing.chart.get("mark") == "number":
        return Shown("number")
    was_chart = (chart_of(card) or {}).get("mark") not in _NO_MARKS
    return Shown("chart") if was_chart or card.shows == Card.Shows.CHART else Shown("table", first, first)


def _drawn_from(chart: Mapping[str, Any]) -> frozenset[str]:
    """The names of the columns that a chart is drawn from."""
    return frozenset(name for name in (chart.get("x"), *(chart.get("y") or ()), chart.get("series")) if name)


def is_drawn_alike(kept: Drawing | None, redrawn: Drawing | None) -> bool:
    """Say whether a chart that was drawn anew of fewer rows is drawn from no other column than before; true of one that was not."""
    if redrawn is None:
        return True
    if kept is None or redrawn.figure is None:
        return False
    return _drawn_from(redrawn.chart or {}) <= _drawn_from(kept.chart or {})


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
    mark = chart.get("mark")
    keys = () if mark in ("histogram", "box") else tuple(sorted(drawn if mark == "scatter" else along))
    return Shown("chart", drawn, frozenset(along | set(told)) & drawn, told, keys, len(drawn) == len(names))


def _is_value(text: str) -> bool:
    return text == "null" or text.startswith("=")
