"""Rows that have expired: those whose day of expiry is over, also those of a link: "drivers whose hazmat licence has expired".

A day of expiry that a row has says nothing by itself: it may lie ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from sqlagent.catalog.semantics import Field, Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import fold, stem
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.held_today import over, still
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_OVER = frozenset({"expired", "lapsed", "run out", "out of date"})
"""Words for what is over by a day that was set before."""

_AHEAD = frozenset({"expiring", "lapsing", "running out"})
"""Words for what will be over: within which time has to be said."""

EXPIRY = stems("expire expires expiry expiration lapse lapses")
"""Words in names of such a day."""

UNTIL = EXPIRY | stems("until till thru")
"""Words in names of days until when rows hold."""


def as_expired(frame: Frame, reading: Reading, source: Source, today: date) -> Frame:
    """Give the frame with what has expired held before today; with the word left out where no row of the frame has such a day."""
    has_period = any(item.kind == "period" for item in reading.items)
    for before, item in pairwise((Item("", 0, 0, ""), *reading.items)):
        if item.kind == "mention" and fold(item.text) in _AHEAD and not has_period:
            frame = leaving_out(frame, [item.text])
            continue
        field = _expiry(item, frame, source)
        if field is None or any(one.op != "filled" for one in _held(frame, field)) or _by_value(frame, item):
            continue
        ahead = before.op == "not"
        changed = _held_by(frame, field, still if ahead else over, today)
        kinds = field.table != frame.anchor and _is_kind_of(frame.anchor, field.table, source)
        frame = leaving_out(frame, [item.text]) if changed is None or kinds else changed
    return frame


def _is_kind_of(table: str, link: str, source: Source) -> bool:
    """Whether rows of a table are kinds of what a link is called after: "expired licences" are those that somebody holds, not kinds of them."""
    return stem(source.model.things[link].said.split()[-1]) in source.model.things[table].noun


def _expiry(item: Item, frame: Frame, source: Source) -> Field | None:
    """The day of expiry that a word names, that of the frame's rows before others, where it says that this is over."""
    if item.kind != "mention" or fold(item.text) not in _OVER:
        return None
    named = sorted(item.targets, key=lambda t: t.table != frame.anchor)[:2]
    fields = [source.model.field(t.table, t.column) for t in named if t.kind == "field"]
    return next((f for f in fields if f is not None and f.role is Role.TIME and {*f.words} & EXPIRY), None)


def _held(frame: Frame, field: Field) -> Sequence[Condition]:
    return [one for one in conditions(frame) if field in one.fields]


def _by_value(frame: Frame, item: Item) -> bool:
    """Whether rows are kept by a state that the word is stored as."""
    values = {(t.table, t.column, t.value) for t in item.targets if t.kind == "value"}
    return any(
        (slot.field.table, slot.field.column, value) in values
        for one in conditions(frame)
        for slot in one.slots
        for value in one.values
    )


def _held_by(frame: Frame, field: Field, way: Callable[[Slot, date], Condition], today: date) -> Frame | None:
    """The frame with its rows, or those of its one link, held by such a day; None where it has neither."""

    def dated(slot: Slot) -> Condition:
        return way(slot, today)

    filled = [one for one in frame.where if one.op == "filled" and one.fields == (field,)]
    if filled:
        where = tuple(dated(one.slots[0]) if one in filled else one for one in frame.where)
        return replace(frame, where=where)
    links = [
        one for one in frame.where if one.op == "exists" and one.child == field.table and not one.negated
    ]
    if len(links) == 1:
        link = replace(
            links[0], parts=(*(p for p in links[0].parts if field not in p.fields), dated(Slot(field)))
        )
        kept = (
            one for one in frame.where if one.said != "ended"
        )  # the licence expired, and its holder did not end
        return replace(frame, where=tuple(link if one is links[0] else one for one in kept))
    if frame.anchor == field.table:
        return replace(frame, where=(*frame.where, dated(Slot(field))))
    return None
