"""Deeds done, or not done, and when: "most unpaid invoices", "clients that left by month"."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Slot
from sqlagent.makers.analyst.reading import SAME, Reading
from sqlagent.makers.analyst.source import Source


def as_done(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame whose conditions deny what was denied, and whose times are those of what was done."""
    return _dated_by_deed(_undone(frame, reading), reading, source)


def _undone(frame: Frame, reading: Reading) -> Frame:
    """ "Most unpaid invoices": what un- denies is missing, wherever the word stands."""
    denied = {
        (target.table, target.column)
        for item in reading.items
        for target in item.targets[:1]
        if target.label == "un"
    }
    if not denied:
        return frame
    return replace(
        frame,
        where=tuple(_denied(one, denied) for one in frame.where),
        measures=tuple(
            replace(one, where=tuple(_denied(part, denied) for part in one.where)) for one in frame.measures
        ),
    )


def _denied(one: Condition, denied: set[tuple[str, str]]) -> Condition:
    if (
        one.op == "filled"
        and not one.negated
        and {(s.field.table, s.field.column) for s in one.slots} & denied
    ):
        return replace(one, op="missing")
    return replace(one, parts=tuple(_denied(part, denied) for part in one.parts)) if one.parts else one


def _dated_by_deed(frame: Frame, reading: Reading, source: Source) -> Frame:
    """ "Clients that left by month" goes by the month in which they left; and "scrapped machines by month" are those that were scrapped."""
    named = {
        (t.table, t.column)
        for item in reading.items
        for t in item.targets
        if t.kind == "field" and t.cost < SAME
    }
    deeds = [
        one.slots[0]
        for one in frame.where
        if one.op == "filled" and not one.negated and len(one.slots) == 1
        if not one.slots[0].path and one.slots[0].field.role is Role.TIME
    ]
    usual = source.model.things[frame.anchor].default_time
    if len(deeds) == 1 and usual and (frame.anchor, usual) not in named:
        frame = replace(frame, by=tuple(_timed(one, deeds[0], usual) for one in frame.by))
    told = [
        slot for one in frame.by if one.grain for slot in one.shown if not slot.path and slot.field.filled < 1
    ]
    bases = [one.under if one.agg == "ratio" and one.under is not None else one for one in frame.measures]
    rows = [one for one in bases if one.agg == "rows" and one.anchor == frame.anchor]
    held = {slot for one in frame.where for slot in one.slots}
    said = [slot for slot in told if _is_said_of_noun(slot, reading) and slot not in held]
    if rows and len(frame.measures) == len(rows) and said:
        where = (*frame.where, *(Condition("filled", (slot,)) for slot in said))
        return replace(frame, where=where)
    return frame


def _timed(one: Dimension, deed: Slot, usual: str) -> Dimension:
    is_usual = bool(one.grain) and one.shown and not one.shown[0].path and one.shown[0].field.column == usual
    return replace(one, shown=(deed,)) if is_usual else one


def _is_said_of_noun(slot: Slot, reading: Reading) -> bool:
    """Whether the word for a time stands beside a noun and says of which of its rows: "scrapped machines", "ferries retired each year"."""
    own = (slot.field.table, slot.field.column)
    beside = [
        (said, noun)
        for first, second in pairwise(reading.items)
        if first.kind == second.kind == "mention" and first.end == second.start
        for said, noun in ((first, second), (second, first))
    ]
    return any(
        (said.targets[0].table, said.targets[0].column) == own
        for said, noun in beside
        if said.targets[0].label != "un" and noun.targets[0].kind == "thing"
    )
