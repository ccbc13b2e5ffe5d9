"""Groups that did nothing in a period: "top customers who have not ordered since May" are customers without such orders.

A denied period of the rows that are summed would only leave those rows out, and keep the customer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Path, Slot
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source


def denied_of_groups(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame with each denied period of an event as a denial of the things that it is grouped by."""
    events = _denied(reading.items)
    if not events or not frame.measures:
        return frame
    where = tuple(_of_groups(one, frame.by, events, source) or one for one in frame.where)
    return replace(frame, where=where)


def _denied(items: Sequence[Item]) -> set[str]:
    """The tables of events right behind a "not": have not ordered, without orders."""
    return {
        target.table
        for one, other in pairwise(items)
        if one.op == "not" and other.kind == "mention"
        for target in other.targets[:2]
        if target.table and target.cost < 0.1
    }


def _of_groups(one: Condition, by: Sequence[Dimension], events: set[str], source: Source) -> Condition | None:
    if one.op != "period" or not one.negated or len(one.slots) != 1 or one.slots[0].field.table not in events:
        return None
    event = one.slots[0]
    for dimension in by:
        for slot in (*dimension.keys, *dimension.shown):
            way = _beyond(event.path, slot)
            if way is None or slot.field.table != way[-1].target:
                continue
            inner = replace(one, slots=(Slot(event.field),), negated=False)
            return Condition(
                "exists", at=slot.path, child=event.field.table, path=way, parts=(inner,), negated=True
            )
    return None


def _beyond(path: Path, slot: Slot) -> Path | None:
    """The way from an event on to the thing that a slot is of; None where the thing is not reached over it."""
    return slot.path[len(path) :] if len(slot.path) > len(path) and slot.path[: len(path)] == path else None
