"""A frame by another time: the same figures and groups, where periods and grains go by another column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.catalog.semantics.words import NEVER
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Slot
from sqlagent.makers.analyst.heeding import with_conditions
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.source import Source

_NOT_DONE = frozenset(
    stem(word) for word in ("missed", "planned", "scheduled", "upcoming", "cancelled", "canceled", "open", "pending", "skipped", "due", "failed", "aborted", "refused", "rejected")
)  # fmt: skip
"""States of rows that were not done, or not yet."""

_CODE = 3
"""Letters that a short form of such a state has at least."""

_TERM = frozenset(stem(word) for word in ("end", "expiry", "expires", "until", "thru"))
"""Words of a time that ends a term, and is agreed with it."""

_AGREED = frozenset(stem(word) for word in ("plan", "planned", "scheduled", "due", "booked", "appointment"))
"""Words of times that were agreed before, at which what was not done would have been."""


_ASTRAY = frozenset(stem(word) for word in ("lost", "undelivered", "undeliverable", "transit", "stolen"))
"""States of rows that began and did not come to what their own time tells: lost deliveries were not delivered."""


def when_it_would_have_been(frame: Frame, source: Source) -> Frame:
    """Time rows that were not done by the day that was planned: missed visits of 2025 have no day on which they were done.

    Only where the rows' own time is not always filled and one that was agreed before is.
    """
    thing = source.model.things[frame.anchor]
    own = source.model.field(frame.anchor, thing.default_time)
    if own is None or own.filled == 1:
        return frame
    if any(_is_of(c, frame.anchor, _is_astray) for c in frame.where):
        begun = _begun(source, own)
        return timed_by(frame, own, begun) if begun is not None else frame
    if not any(_is_of(c, frame.anchor, _is_undone) for c in frame.where):
        return frame
    agreed = [
        one
        for one in source.model.fields[frame.anchor]
        if one.role is Role.TIME and one.filled == 1 and set(one.words) & _AGREED
    ]
    agreed.sort(key=lambda one: bool(set(one.words) & NEVER - _AGREED))
    return timed_by(frame, own, agreed[0]) if agreed else frame


def as_it_stands(frame: Frame, source: Source) -> Frame:
    """Things in a state today are those in it now: "machines on hire today" were not bought today."""
    thing = source.model.things[frame.anchor]
    if thing.kind is not Kind.THING or not thing.default_time or not thing.state:
        return frame
    own = source.slot(frame.anchor, thing.default_time)
    held = any(
        one.op == "in" and one.slots[:1] == (source.slot(frame.anchor, thing.state),) for one in frame.where
    )
    kept = tuple(one for one in frame.where if not (one.slots == (own,) and _is_today(one)))
    return replace(frame, where=kept) if held else frame


def in_their_term(frame: Frame, source: Source, today: date) -> Frame:
    """Hold current rows to their agreed end: active contracts, of which each has an end date from its first day on, end later.

    Such an end takes the place of a time of ending that every row has, and is checked beside one that only some have.
    """
    where: list[Condition] = []
    for one in frame.where:
        if one.op != "missing" or one.negated or one.said != "current" or len(one.slots) != 1:
            where.append(one)
            continue
        slot = one.slots[0]
        agreed = next(
            (
                field
                for field in source.model.of_role(slot.field.table, Role.TIME)
                if field.filled == 1 and set(field.words) & _TERM
            ),
            None,
        )
        if agreed is None or slot.field.filled < 1:
            where.append(one)
        if agreed is not None:
            ahead = Period(today, None, "day", relative=True)
            where.append(Condition("period", (Slot(agreed, slot.path),), period=ahead, said="current"))
    return replace(frame, where=tuple(where)) if tuple(where) != frame.where else frame


def _is_today(one: Condition) -> bool:
    period = one.period
    if one.op != "period" or one.negated or period is None or not period.relative:
        return False
    return period.first is not None and period.until is not None and (period.until - period.first).days == 1


def _begun(source: Source, own: Field) -> Field | None:
    """The first time of rows that each of them has, other than when they were made; None where there is none."""
    times = [one for one in source.model.of_role(own.table, Role.TIME) if one != own and one.filled == 1]
    times = [one for one in times if not set(one.words) & (NEVER | _AGREED)]
    return min(times, key=lambda one: one.low or "~", default=None)


def _is_of(one: Condition, anchor: str, so: Callable[[str], bool]) -> bool:
    """Whether a condition keeps rows alone of a state that is so."""
    if one.op != "in" or one.negated or len(one.slots) != 1 or one.slots[0].path:
        return False
    field = one.slots[0].field
    said = dict(field.labels) | (dict(field.codes.pairs) if field.codes is not None else {})
    words = [said.get(value, value).lower().replace("_", " ").replace("-", " ") for value in one.values]
    return field.table == anchor and all(so(text) for text in words if text)


def _is_astray(state: str) -> bool:
    return bool({stem(word) for word in state.split()} & _ASTRAY)


def _is_undone(state: str) -> bool:
    """Whether a state, or its first letters as a code (CAN, FAIL), says that something was not done."""
    first = state.split()[0]
    return (
        "no show" in state
        or stem(first) in _NOT_DONE
        or len(first) >= _CODE
        and any(w.startswith(first) for w in _NOT_DONE)
    )


def timed_by(frame: Frame, old: Field, new: Field) -> Frame:
    """Give a frame whose periods and grains of one column are of another one; its other conditions stay."""

    used = [*frame.slots(), *(s for m in frame.measures for c in m.where for s in c.slots)]
    if any(r.columns == (old.column,) and r.source == old.table for s in used for r in s.path):
        return frame

    def slots(some: tuple[Slot, ...]) -> tuple[Slot, ...]:
        return tuple(replace(s, field=new) if s.field == old else s for s in some)

    def condition(one: Condition) -> Condition:
        timed = one.op in ("period", "weekday") and len(one.slots) == 1
        parts = tuple(condition(part) for part in one.parts)
        return replace(one, slots=slots(one.slots) if timed else one.slots, parts=parts)

    def dimension(one: Dimension) -> Dimension:
        return replace(one, shown=slots(one.shown), keys=slots(one.keys)) if one.grain else one

    by, per = tuple(map(dimension, frame.by)), tuple(map(dimension, frame.per))
    return replace(with_conditions(frame, condition), by=by, per=per)


def alike(first: Frame, second: Frame) -> bool:
    """Whether two frames ask for the same, whatever their costs."""
    return replace(first, cost=0.0, unused=(), why=()) == replace(second, cost=0.0, unused=(), why=())
