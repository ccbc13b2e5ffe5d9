"""A word that is a value somewhere, and a part of what other rows are called: visitor stays, and berths for visitors.

Decides that "visitor bookings" are visitor stays, whatever their berths are for, and doubts "visitor income" of anything else.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Kind
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_PART = 0.1
"""Cost from which on a word is only a part of a thing's name."""

_DOUBT = 0.5
"""The cost of going by the value, where rows of that name are not gone through."""


def of_the_noun(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give a frame without the values that are a part of its own rows' name, and dearer with those of other rows' names."""
    for item in reading.items:
        events = _called(item, source)
        values = [c for c in frame.where if events and _is_value(c, item)]
        for one in values:
            holder = one.slots[0].field.table
            if frame.anchor in events and holder != frame.anchor:
                frame = replace(frame, where=tuple(c for c in frame.where if c is not one))
            elif frame.anchor not in events and holder not in events:
                frame = replace(frame, cost=round(frame.cost + _DOUBT, 4))
    return frame


def _called(item: Item, source: Source) -> set[str]:
    """The tables of what happens whose name a word is a part of."""
    if item.kind != "mention" or not any(t.kind == "value" for t in item.targets):
        return set()
    parts = {t.table for t in item.targets if t.kind == "thing" and t.cost > _PART}
    return {table for table in parts if source.model.things[table].kind is Kind.EVENT}


def _is_value(one: Condition, item: Item) -> bool:
    """Whether a condition is that a column holds the value that a word names."""
    if one.op != "in" or one.negated or len(one.slots) != 1:
        return False
    field = one.slots[0].field
    return any(
        t.kind == "value" and (t.table, t.column) == (field.table, field.column) and t.value in one.values
        for t in item.targets
    )
