""" "Or" before a clause of its own: vans from Oslo or with more than 5 seats meet one of both conditions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import OFF, Condition, Frame
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source


def either_clauses(frames: list[Frame], reading: Reading, source: Source) -> list[Frame]:
    """Give frames whose rows meet one of two conditions; drafts where the likeliest cannot say so."""
    made = [_either_clause(one, reading, source) for one in frames]
    if not made or len(made[0].unused) == len(frames[0].unused):
        return made
    left = [word for word in made[0].unused if word not in frames[0].unused]
    return [one if left[0] in one.unused else leaving_out(one, left) for one in made]


def _either_clause(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame whose rows meet one of two conditions; a draft where "or" stands between more than two, or rows may point at none."""
    said = [joint for joint, rel in pairwise(reading.items) if joint.op == "or" and rel.op == "rel"]
    if not said or frame.transform or any(map(_holds_either, frame.where)):
        return frame
    where = [one for one in frame.where if not one.said.startswith(OFF)]
    if len(where) < 2:
        return frame
    is_lost = any(_may_point_at_none(one, source) for one in where)
    if is_lost or len(where) > 2 or len(said) > 1 or _joins_more(reading.items, said[0]):
        return leaving_out(frame, [said[0].text])
    either = Condition("any", parts=tuple(where))
    off = tuple(one for one in frame.where if one.said.startswith(OFF))
    return replace(frame, where=(either, *off))


def _may_point_at_none(one: Condition, source: Source) -> bool:
    """Whether a condition is of what some rows do not point at: these would be lost, though they may meet the other one."""
    slots = (*one.slots, *(one.expr.slots if one.expr is not None else ()))
    keys = {(way.source, column) for slot in slots for way in slot.path for column in way.columns}
    fields = [source.model.field(*key) for key in keys]
    return any(field is None or field.filled < 1 for field in fields)


def _holds_either(one: Condition) -> bool:
    return one.op == "any" or any(map(_holds_either, one.parts))


def _joins_more(items: tuple[Item, ...], said: Item) -> bool:
    """Whether more than the clauses on both sides is joined, or a state or a period is said of all rows."""
    place = items.index(said)
    first = next((at for at, one in enumerate(items) if one.kind == "mention"), 0)
    openers = sum(one.op in ("of", "rel", "by") for one in items[first:place])
    return openers != 1 or any(one.op in ("and", "not", "current") for one in items)
