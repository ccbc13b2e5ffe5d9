"""Rows of which a deed is denied and that nobody waits for: void and refunded invoices are not unpaid, closed tickets perhaps not unresolved."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import fold
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import PAYING, UNOWED, labels
from sqlagent.makers.analyst.voids import EITHER

_CLOSING = stems("resolved solved resolution closed")
_OVER = frozenset({"closed", "solved", "resolved", "cancelled", "canceled", "withdrawn", "done"})
"""States of rows that are over, though the day may be missing."""


def without_settled(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """Give the frame of a deed that is denied without rows of which a missing day says nothing; where people differ in that, both frames."""
    denies = any(
        item.op == "not" or any(target.label == "un" for target in item.targets[:1]) for item in reading.items
    )
    return undone_of(frame, source) if denies else [frame]


def undone_of(frame: Frame, source: Source) -> list[Frame]:
    """Give the frame of rows without the day of a deed without those that nobody waits for; where people differ in that, both frames.

    Unpaid are rows without a day of payment that are still to be paid. Of rows that were closed without a day of resolution
    somebody has to say whether they are unresolved.
    """
    if not frame.anchor:
        return [frame]
    missing = [
        slot.field for one in frame.where if one.op == "missing" for slot in one.slots if not slot.path
    ]
    days = [one for one in missing if one.role is Role.TIME and one.table == frame.anchor]
    thing = source.model.things[frame.anchor]
    state = source.model.field(frame.anchor, thing.state) if thing.state else None
    if (
        len(days) != 1
        or state is None
        or any(s.field == state for one in conditions(frame) for s in one.slots)
    ):
        return [frame]
    words = set(days[0].words)
    names = UNOWED if words & PAYING else _OVER if words & _CLOSING else frozenset()
    codes = tuple(code for code, label in labels(source, state) if fold(label).replace("_", " ") in names)
    if not codes:
        return [frame]
    kept = replace(frame, where=(*frame.where, Condition("not in", (Slot(state),), codes)))
    if words & PAYING:
        return [kept]
    return [frame, replace(kept, cost=round(frame.cost + EITHER, 4))]
