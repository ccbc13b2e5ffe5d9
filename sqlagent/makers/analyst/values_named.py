"""Values whose column is named behind them: "oak wood chairs" are chairs whose wood is oak, and "wood" asks for nothing."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.targets import SURE, Target

_NEAR = 0.1
"""Columns whose name costs at most so much more than the best are meant as well."""


def values_named(reading: Reading) -> Reading:
    """Give the reading without a column's name between a value of it and the noun of the rows that it restricts."""
    items = list(reading.items)
    for at in range(len(items) - 2, 0, -1):
        value, name, noun = items[at - 1 : at + 2]
        if not _stand_together(value, name, noun):
            continue
        best = name.targets[0]
        own = {(t.table, t.column) for t in name.targets if t.kind == "field" and t.cost <= best.cost + _NEAR}
        if best.kind != "field" or not _of(value, own):
            continue
        first = at - 1
        while first > 1 and items[first - 1].op in ("or", "and") and _of(items[first - 2], own):
            first -= 2
        for place in range(first, at, 2):
            items[place] = replace(items[place], targets=_of(items[place], own))
        items[at - 1] = replace(items[at - 1], end=name.end)
        del items[at]
    return replace(reading, items=tuple(items)) if len(items) < len(reading.items) else reading


def _stand_together(value: Item, name: Item, noun: Item) -> bool:
    """Whether a value, a name and a noun of rows stand side by side."""
    if not value.kind == name.kind == noun.kind == "mention":
        return False
    best = noun.targets[0]
    is_noun = best.kind in ("thing", "concept") and best.cost < SURE
    return is_noun and value.end == name.start and name.end == noun.start


def _of(item: Item, own: set[tuple[str, str]]) -> tuple[Target, ...]:
    """The values of some columns that a word names."""
    return tuple(t for t in item.targets if t.kind == "value" and (t.table, t.column) in own)
