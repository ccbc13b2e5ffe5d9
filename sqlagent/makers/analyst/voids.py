"""Rows that never counted: void ones stay out of sums of money; of cancelled ones and drafts somebody has to say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.language.words import fold, stem
from sqlagent.makers.analyst.frames import Condition, Frame, Measure, Path, Slot
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import labels

WITH_ALL = 0.08
"""The cost of summing void rows too, where a question names none."""

EITHER = 0.01
"""The cost of leaving cancelled ones out: so little that somebody has to choose."""

_VOID = frozenset({"void", "voided", "annulled", "deleted"})
_UNDONE = _VOID | {"cancelled", "canceled", "draft", "rejected", "declined", "refused", "failed"}
_GIFTS = frozenset(map(stem, ["donation", "gift", "contribution"]))
_PAID = frozenset(map(stem, ["paid", "pays", "pay", "paying", "received", "collected"]))
_PAYMENTS = frozenset(map(stem, ["payment", "charge", "receipt", "transfer", "collection"]))
_NEVER = frozenset({"failed", "declined", "rejected", "bounced", "error", "voided", "void"})
"""States of payments by which no money moved."""
_CAME = frozenset({"received", "succeeded", "success", "successful", "settled", "cleared", "captured"})
_WENT = frozenset(
    {
        "pledged",
        "promised",
        "cancelled",
        "canceled",
        "void",
        "voided",
        "failed",
        "bounced",
        "refunded",
        "rejected",
        "declined",
        "returned",
    }
)
"""States of money that came, and that never did or went back."""

_UNDOING = frozenset(
    stem(word)
    for word in (*_UNDONE, *_CAME, "pending", "refunded", "cancel", "cancellation", "include", "including")
)
_OF_FLAGS = frozenset({"is", "was", "flag", "fl", "yn", "ind", "indic", "sw"})
_OF_TIMES = frozenset({"at", "on", "date", "time", "day", "when"})
_LASTING = frozenset(
    stem(word)
    for word in (
        "subscription",
        "contract",
        "membership",
        "policy",
        "enrolment",
        "enrollment",
        "account",
        "plan",
        "lease",
        "agreement",
    )
)
"""Rows that last: a cancelled one counted for as long as it ran."""


def without_voids(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """Give the frame as it stands, or with the one beside it that leaves rows out which never counted; likeliest first.

    Void rows are left out of money, and of gifts those that never came. Whether cancelled ones and drafts are, people differ in: both are offered. Counts count all.
    """
    said = {stem(word) for item in reading.items for word in fold(item.text).split()}
    noun = set(source.model.things[frame.anchor].noun) if frame.anchor else set()
    was_paid = bool(said & _PAID) and bool(noun & _PAYMENTS)  # a payment that failed paid nothing
    if not frame.measures or not frame.anchor or said & (_UNDOING - _PAID if was_paid else _UNDOING):
        return [frame]
    if not any(_is_money(m) for m in _figures(frame)):
        return [frame]
    own, is_void = _left_out(frame.anchor, source)
    touched = {(f.table, f.column) for f in _fields(frame)}
    if own is None or (own.slots[0].field.table, own.slots[0].field.column) in touched:
        return [frame]
    if any(m.anchor != frame.anchor for m in _figures(frame)):
        return [frame]
    is_void = is_void or was_paid and bool(set(own.values) & _NEVER)
    kept = replace(frame, where=(*frame.where, own))
    other = WITH_ALL if is_void else EITHER
    first, second = (kept, frame) if is_void else (frame, kept)
    return [first, replace(second, cost=round(frame.cost + other, 4))]


def _figures(frame: Frame) -> Iterator[Measure]:
    more = [*frame.measures, *(having.measure for having in frame.having)]
    while more:
        measure = more.pop()
        yield measure
        more += [part for part in (measure.over, measure.under, *measure.parts) if part is not None]


def _is_money(measure: Measure) -> bool:
    slots = measure.expr.slots if measure.expr is not None else ()
    return any(slot.field.unit == "money" for slot in slots)


def _left_out(table: str, source: Source) -> tuple[Condition | None, bool]:
    """The condition by which a row of a table, or the document that a line belongs to, counts, and whether the others are void."""
    thing = source.model.things[table]
    if thing.kind not in (Kind.EVENT, Kind.LINES):
        return None, False
    own = _counts(table, (), source)
    head = source.time_of(table)
    if own[0] is not None or thing.kind is Kind.EVENT or head is None or len(head.path) != 1:
        return own
    return _counts(head.field.table, head.path, source)


def _counts(table: str, path: Path, source: Source) -> tuple[Condition | None, bool]:
    thing = source.model.things[table]
    lasts = bool(thing.ends) or bool(set(thing.noun) & _LASTING)
    state = source.model.field(table, thing.state) if thing.state else None
    if state is not None:
        named = {code: fold(label) for code, label in labels(source, state)}
        is_void = any(label in _VOID for label in named.values())
        came = tuple(code for code, label in named.items() if label in _CAME)
        if came and _WENT & set(named.values()) and set(thing.noun) & _GIFTS:
            return Condition("in", (Slot(state, path),), came), True
        names = _VOID if lasts else _UNDONE
        if undone := tuple(code for code, label in named.items() if label in names):
            return Condition("not in", (Slot(state, path),), undone), is_void
    for words in (_VOID,) if lasts else (_VOID, _UNDONE - _VOID):
        stems = {stem(name) for name in words}
        for flag in source.model.of_role(table, Role.FLAG):
            if set(flag.words) & stems and set(flag.words) <= stems | _OF_FLAGS and flag.no:
                return Condition("in", (Slot(flag, path),), (flag.no.strip("'"),)), words is _VOID
        for time in source.model.of_role(table, Role.TIME):
            if set(time.words) & stems and set(time.words) <= stems | _OF_TIMES and time.filled < 1:
                return Condition("missing", (Slot(time, path),)), words is _VOID
    return None, False


def _fields(part: object) -> Iterator[Field]:
    """Every column that a frame looks at, wherever in it."""
    if isinstance(part, Field):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from _fields(one)
    elif is_dataclass(part):
        for one in fields(part):
            yield from _fields(getattr(part, one.name))
