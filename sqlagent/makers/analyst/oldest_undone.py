"""The oldest and the newest of rows that something was not done with: "the oldest unreturned loan", "the 3 earliest orders that are not shipped".

Such rows have no day of that deed, so they are ordered by when they began: the question is read without the denial, which holds besides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics import DATED, Field, Role
from sqlagent.catalog.semantics.words import LATE, NEVER
from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Slot
from sqlagent.makers.analyst.heeding import figures
from sqlagent.makers.analyst.never_paid import undone_of
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_RANK = r"(?P<rank>\b(?:oldest|newest|latest|earliest|most recent|first|last)\b(?: \d+)?)"
_NOUN = r"(?P<noun>[a-z][\w'-]*)"
_DEED = r"(?P<deed>[a-z]{3,})"
_WHO = r"(?:(?:that|which|who) )?(?:(?:are|is|were|was|has|have|had) )?(?:still |yet )?"
_NOT = r"(?:not|never|(?:that |which |who )?(?:is|are|has|have|was|were)n['’]?t)"
_PATTERNS = (
    re.compile(rf"{_RANK} (?:still |yet )?un{_DEED} {_NOUN}", re.IGNORECASE),
    re.compile(
        rf"{_RANK} {_NOUN} {_WHO}(?:{_NOT} (?:yet )?(?:been )?|un){_DEED}(?: yet)?(?=$|[,;.?!]| (?:of|for|from)\b)",
        re.IGNORECASE,
    ),
)
"""A deed that was not done, before a noun and behind it; words of a time behind that would be those of either."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A question without the denial in it, and the time that rows lack."""

    text: str
    time: Field

    def frames(self, frame: Frame, source: Source) -> list[Frame]:
        """The frame of such rows only, and without those that were settled otherwise; none where it is not ordered by another time of theirs."""
        own = Slot(self.time)
        by = frame.order.by if frame.order is not None else None
        if frame.anchor != self.time.table or frame.measures or by is None or own in by.slots:
            return []
        begun = frame
        if any(slot.field.role is Role.TIME and slot.field.filled < 1 for slot in by.slots):
            # rows without it would be left out, though another deed is nothing to them
            start = _start(self.time, source)
            if start is None or len(by.slots) != 1:
                return []
            begun = _ordered_by(frame, by.slots[0], start)
        undone = replace(begun, where=(*begun.where, Condition("missing", (own,))))
        return undone_of(undone, source)


def _start(deed: Field, source: Source) -> Field | None:
    """The time at which rows began, which each of them has; None where they have none."""
    thing = source.model.things[deed.table]
    times = [f for f in source.model.of_role(deed.table, Role.TIME) if f.filled == 1 and f.form in DATED]
    told = [f for name in (thing.begins, thing.default_time) for f in times if f.column == name]
    return next(iter(told), None) or min(
        (f for f in times if not {*f.words} & (NEVER | LATE)), key=lambda f: f.low or "~", default=None
    )


def _ordered_by(frame: Frame, slot: Slot, start: Field) -> Frame:
    """The frame by another time of its rows, which is shown where the first one was."""
    where = tuple(one for one in frame.where if not (one.op == "filled" and one.slots == (slot,)))
    columns = tuple(Slot(start) if one == slot else one for one in frame.columns)
    order = replace(frame.order, by=Expr("column", (Slot(start),))) if frame.order is not None else None
    return replace(frame, where=where, columns=columns, order=order)


def oldest_undone(text: str, source: Source) -> Undone | None:
    """Read such a question; None for any other, and where the rows keep no time of the deed."""
    text = text.strip().rstrip("?.! ")
    for pattern in _PATTERNS:
        found = pattern.search(text)
        time = _time(found["noun"], found["deed"], source) if found is not None else None
        if found is not None and time is not None:
            bare = f"{text[: found.start()]}{found['rank']} {found['noun']}{text[found.end() :]}"
            return Undone(bare, time)
    return None


def _time(noun: str, deed: str, source: Source) -> Field | None:
    """The time of a deed that rows of a noun may lack."""
    tables = {
        t.table for t in source.vocabulary.targets([noun.lower()]) if t.kind == "thing" and t.cost < 0.1
    }
    fields = [
        source.model.field(t.table, t.column)
        for t in source.vocabulary.targets([deed.lower()])
        if t.kind == "field" and t.table in tables and t.cost < 0.1
    ]
    return next((f for f in fields if f is not None and f.role is Role.TIME and f.filled < 1), None)


def figured_by_undone(frame: Frame, reading: Reading) -> list[str]:
    """Words of a rank or a figure by a time that is denied: rows without it have no first one, and no days until it."""
    denied = {
        (target.table, target.column)
        for item in reading.items
        for target in item.targets[:1]
        if target.label == "un" and target.kind == "field"
    }
    by: list[Expr] = [one.expr for one in figures(frame) if one.expr is not None]
    if frame.order is not None and frame.order.by is not None:
        by.append(frame.order.by)
    if not any((s.field.table, s.field.column) in denied for one in by for s in one.slots):
        return []
    return [item.text for item in reading.items if item.op in ("rank", "agg")][:1] or ["un"]
