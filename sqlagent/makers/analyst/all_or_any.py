"""Several names that rows of one kind lead to: "boats repaired by Ada and Bo" were repaired by each of them, or by either.

Nothing tells which is meant, so that somebody has to say. A name that is denied beside one that is not ("insured with A but not with B")
is of further rows: a single one that is A's is never B's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Model
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.heeding import figures
from sqlagent.makers.analyst.reading import Item, Reading

ANY = 0.01
"""The cost of rows that lead to any of several names beside those that lead to each, where "and" may say either."""

_TELLING = frozenset({"or", "either", "both", "vs", "not", "except", "share"})
"""Operators that tell whether each or any is meant, or that are answered otherwise."""

_BETWEEN = frozenset({"by", "rel", "of", "with", "and"})
"""Operators that stand between two names which "and" joins: "by Ada and by Bo"."""


def all_or_any(frame: Frame, reading: Reading) -> list[Frame]:
    """A frame of things that have rows with any of several names; where "and" joins these, that of things with rows of each before it."""
    if any(item.op in _TELLING for item in reading.items):
        return [frame]
    several = next(
        (one for one in frame.where if _leads_to_several(one) and _are_joined(_several(one), reading)), None
    )
    if several is None or frame.pivot or len(frame.measures) > 1 or frame.transform:
        return [frame]
    part = _several(several)
    each = (
        replace(several, parts=tuple(replace(p, values=(value,)) if p is part else p for p in several.parts))
        for value in part.values
    )
    where = (kept for one in frame.where for kept in (each if one is several else (one,)))
    return [replace(frame, where=tuple(where)), replace(frame, cost=round(frame.cost + ANY, 4))]


def _leads_to_several(one: Condition) -> bool:
    """Whether things are to have a row with one of several names."""
    return (
        one.op == "exists"
        and not one.negated
        and one.number is None
        and sum(part.op == "in" and not part.negated and len(part.values) > 1 for part in one.parts) == 1
    )


def _several(one: Condition) -> Condition:
    """The part that asks for one of several names."""
    return next(part for part in one.parts if part.op == "in" and len(part.values) > 1)


def _are_joined(part: Condition, reading: Reading) -> bool:
    """Whether a question joins the names of a condition by "and"."""
    column = (part.slots[0].field.table, part.slots[0].field.column)
    named = [at for at, item in enumerate(reading.items) if _is_value(item, column, part.values)]
    if len(named) != len(part.values):
        return False
    last = reading.items[named[-2] + 1 : named[-1]]
    return any(item.op == "and" and item.text.lower() == "and" for item in last) and all(
        item.op in _BETWEEN for item in last
    )


def _is_value(item: Item, column: tuple[str, str], values: tuple[str, ...]) -> bool:
    best = item.targets[0] if item.kind == "mention" else None
    return best is not None and best.kind == "value" and (best.table, best.column) == column and best.label in values  # fmt: skip


def denied_beside(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """ "But not" of things whose rows are gone through: a row that is A's is not B's, so the denial restricts nothing."""
    held = {one.slots: set(one.values) for one in frame.where if one.op == "in" and not one.negated}
    void = any(
        one.op == "not in" and not one.negated and one.slots in held and not held[one.slots] & set(one.values)
        for one in frame.where
    )
    if not void or not set(_things_led_to(frame, model)) & _first_named(reading):
        return []
    return [item.text for item in reading.items if item.op in ("not", "except")][:1]


def counted_once(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """ "And" of different things that are counted by rows with any of several names, where rows of each may be asked for."""
    if len(frame.measures) != 1 or frame.measures[0].agg != "distinct" or frame.by or frame.transform:
        return []
    if any(item.op in _TELLING for item in reading.items):
        return []
    things = set(_things_led_to(frame, model)) & _first_named(reading)
    several = any(
        one.op == "in" and not one.negated and len(one.values) > 1 and _are_joined(one, reading)
        for one in frame.where
        if things and not {step.target for slot in one.slots for step in slot.path} & things
    )
    return [item.text for item in reading.items if several and item.op == "and"][:1]


def _first_named(reading: Reading) -> set[str]:
    """The table whose things a question begins with."""
    first = next((item for item in reading.items if item.kind == "mention"), None)
    return {t.table for t in first.targets[:1] if t.kind == "thing"} if first is not None else set()


def _things_led_to(frame: Frame, model: Model) -> Iterator[str]:
    """Tables that a list, a group or a number of different things leads to from the rows gone through."""
    slots = [*frame.columns, *(slot for one in (*frame.by, *frame.per) for slot in (*one.shown, *one.keys))]
    counted = [one.expr for one in figures(frame) if one.agg == "distinct" and one.expr is not None]
    slots += [slot for expr in counted for slot in expr.slots]
    for slot in slots:
        yield from (one.target for one in slot.path)
        own = (slot.field.table, (slot.field.column,))
        yield from (one.target for one in model.relations if (one.source, one.columns) == own)
