"""Amounts that stand on what rows belong to: the total fee of subscriptions adds the plan's fee once for each subscription.

Frames go through the rows that hold the amount, and would add each of these once: two subscriptions to one plan are two fees.
"Fee of plans with subscriptions" names the rows that hold it, and stays.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Measure
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE
from sqlagent.makers.analyst.unfolding import condition_seen_from, seen_from

_ADDED = frozenset({"sum", "avg", "median"})
"""Aggregates that change with how often a row is met."""

_LEADING = frozenset({"of", "for", "from", "in", "on", "current", "open", "past"})
"""Operators between an amount and the rows that it is said of."""


def of_each_row(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame that goes through the rows whose amounts are asked for, each with the amount of what it belongs to."""
    below = [one for one in frame.where if _are_there(one)]
    is_sorted = frame.order is not None and not frame.order.is_of_figure
    is_plain = not (frame.transform or frame.having or frame.per or is_sorted or frame.formula)
    if (
        len({(one.child, one.path) for one in below}) != 1
        or not is_plain
        or not frame.measures
        or not all(map(_is_added, frame.measures))
    ):
        return frame
    said = below[0]
    if not _is_said_of(said.child, frame, reading):
        return frame
    path = said.path
    where = tuple(
        _dated(one, said.child, reading, source) or condition_seen_from(one, path)
        for one in frame.where
        if one not in below
    )
    parts = [part for one in below for part in one.parts]
    measures = tuple(_seen(one, said.child, said) for one in frame.measures)
    by = tuple(_grouped(one, said) for one in frame.by)
    return replace(frame, anchor=said.child, measures=measures, by=by, where=(*parts, *where))


def _are_there(one: Condition) -> bool:
    """Whether rows are to be there that belong to the ones gone through, however many."""
    return one.op == "exists" and not one.negated and one.number is None and not one.at and bool(one.path)


def _is_added(one: Measure) -> bool:
    return one.agg in _ADDED and one.expr is not None and not one.where


def _is_said_of(child: str, frame: Frame, reading: Reading) -> bool:
    """Whether an amount is said of the rows below: right behind it, and without a word for those that hold it."""
    items = reading.items
    held = {
        (slot.field.table, slot.field.column)
        for one in frame.measures
        if one.expr is not None
        for slot in one.expr.slots
    }
    for at, item in enumerate(items):
        if not any(t.kind == "field" and (t.table, t.column) in held for t in item.targets[:1]):
            continue
        for place in range(at + 1, len(items)):
            if _names(items[place], child):
                return not any(_names(one, frame.anchor) for one in items[:place])
            is_state = items[place].kind == "mention" and not _is_thing(items[place])
            if not is_state and items[place].op not in _LEADING:
                break
    return False


def _is_thing(item: Item) -> bool:
    return any(t.kind == "thing" and t.cost <= SURE for t in item.targets[:2])


def _names(item: Item, table: str) -> bool:
    return any(t.kind == "thing" and t.cost <= SURE and t.table == table for t in item.targets[:2])


def _dated(one: Condition, child: str, reading: Reading, source: Source) -> Condition | None:
    """A period that nobody said to be of what rows belong to, as one of the rows: "daily rate of hires in October"."""
    if one.op != "period" or len(one.slots) != 1 or one.slots[0].path:
        return None
    own = one.slots[0].field
    named = any((t.table, t.column) == (own.table, own.column) for i in reading.items for t in i.targets)
    time = source.time_of(child)
    return None if named or time is None else replace(one, slots=(time,))


def _seen(one: Measure, child: str, said: Condition) -> Measure:
    assert one.expr is not None
    slots = tuple(seen_from(slot, said.path) for slot in one.expr.slots)
    return replace(one, anchor=child, expr=replace(one.expr, slots=slots))


def _grouped(one: Dimension, said: Condition) -> Dimension:
    shown = tuple(seen_from(slot, said.path) for slot in one.shown)
    return replace(one, shown=shown, keys=tuple(seen_from(slot, said.path) for slot in one.keys))
