"""Words on both sides of "or" that one column holds: "ordered or cancelled parcels" are in one of two states, whatever else is called ordered."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.targets import SURE


def alternatives(reading: Reading) -> Reading:
    """Give the reading in which two such words mean the values of that column first."""
    items = list(reading.items)
    for at in range(1, len(items) - 1):
        if items[at].op != "or":
            continue
        columns = _columns(items[at - 1]) & _columns(items[at + 1])
        if columns and any(items[n].targets[0].kind == "value" for n in (at - 1, at + 1)):
            for n in (at - 1, at + 1):
                items[n] = _of(items[n], columns)
    return replace(reading, items=tuple(items))


def _columns(item: Item) -> set[tuple[str, str]]:
    """The columns that surely hold a word."""
    return {(t.table, t.column) for t in item.targets if t.kind == "value" and t.cost <= SURE}


def _of(item: Item, columns: set[tuple[str, str]]) -> Item:
    held = [t for t in item.targets if t.kind == "value" and (t.table, t.column) in columns]
    least = min(t.cost for t in item.targets)
    first = [replace(t, cost=least) for t in held]
    return replace(item, targets=(*first, *(t for t in item.targets if t not in held)))
