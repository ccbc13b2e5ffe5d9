"""What a frame turned around or dated otherwise than its words: what was not done, when it was done, whose group is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from sqlagent.catalog.semantics import Field, Role
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Measure, Slot
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_SAME = 0.1


def as_done(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame with its conditions, times and groups as they were said."""
    return of_sums(in_its_group(dated_by_deed(undone(frame, reading), reading, source), source))


def of_sums(frame: Frame) -> Frame:
    """ "Average fee per km" is all fees by all kilometres: an average by a sum is a figure of nothing."""
    return replace(frame, measures=tuple(map(_of_sums, frame.measures)))


def _of_sums(one: Measure) -> Measure:
    over, under = one.over, one.under
    if one.agg != "ratio" or over is None or under is None or over.agg != "avg" or under.agg != "sum":
        return one
    adds_up = (
        over.expr is not None and over.expr.op == "column" and over.expr.slots[0].field.aggregate == "sum"
    )
    return replace(one, over=replace(over, agg="sum")) if adds_up else one


def undone(frame: Frame, reading: Reading) -> Frame:
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
        measures=tuple(_without(one, denied) for one in frame.measures),
    )


def _without(measure: Measure, denied: set[tuple[str, str]]) -> Measure:
    return replace(measure, where=tuple(_denied(one, denied) for one in measure.where))


def _denied(one: Condition, denied: set[tuple[str, str]]) -> Condition:
    if (
        one.op == "filled"
        and not one.negated
        and {(s.field.table, s.field.column) for s in one.slots} & denied
    ):
        return replace(one, op="missing")
    return replace(one, parts=tuple(_denied(part, denied) for part in one.parts)) if one.parts else one


def dated_by_deed(frame: Frame, reading: Reading, source: Source) -> Frame:
    """ "Clients that left by month" goes by the month in which they left; and "scrapped machines by month" are those that were scrapped."""
    named = {
        (t.table, t.column)
        for item in reading.items
        for t in item.targets
        if t.kind == "field" and t.cost < _SAME
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
    rows = [one for one in frame.measures if one.agg == "rows" and one.anchor == frame.anchor]
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


def in_its_group(frame: Frame, source: Source) -> Frame:
    """ "Top 3 stores per region": a group that the ranked things have of their own is meant before one of other things."""
    ranked = [one for one in frame.by if one.keys and not one.grain]
    if len(ranked) != 1 or not frame.per:
        return frame
    key = ranked[0].keys[0]
    own = {one.words: one for one in source.model.fields[key.field.table]}
    return replace(frame, per=tuple(_owned(one, key, own) for one in frame.per))


def _owned(one: Dimension, key: Slot, own: Mapping[tuple[str, ...], Field]) -> Dimension:
    slot = one.shown[0] if len(one.shown) == 1 and not one.grain and not one.keys else None
    if slot is None or slot.field.table == key.field.table:
        return one
    field = own.get(slot.field.words)
    return replace(one, shown=(replace(key, field=field),)) if field is not None else one
