"""Two times of an event: which is later, which belongs to a named one, from where to where a thing lasts, and being late.

Stored values decide the order of two times; names decide where those do not tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Form, Role
from sqlagent.catalog.semantics.times import takes_place
from sqlagent.catalog.semantics.words import AGREED, EARLY, ENDS, HELD, LATE, NEVER, PERSONAL
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Slot
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import FINISHED

DUE = frozenset(
    stem(w)
    for w in ["due", "promised", "promise", "prom", "required", "expected", "eta", "planned", "deadline", "target", "estimated", "agreed", "committed", "wanted", "desired", "needed"]
)  # fmt: skip
"""Words of times by which something was to be done."""

DONE = FINISHED | frozenset(
    stem(w)
    for w in ["payment", "arrival", "actual", "settled", "ended", "received", "receipt", "handed", "submitted", "fixed", "solved", "ready"]
)  # fmt: skip
"""Words of times at which it was done."""

AHEAD = frozenset(stem(w) for w in ["advance", "ahead", "beforehand"])
"""Words of spans from when something was agreed to when it takes place."""

_NUMBERS = (Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY)
_DAYS = (Form.DAY, Form.MOMENT, Form.TEXT_DAY, Form.TEXT_MOMENT)


_STARTS = frozenset(stem(w) for w in ["start", "starts", "started", "begin", "begins", "began", "from", "in"])
"""Words of times at which something begins to last, rather than being agreed."""

STAYS = tuple(
    (stem(first), stem(last))
    for first, last in (
        ("arrival", "departure"),
        ("arrived", "departed"),
        ("checkin", "checkout"),
        ("admission", "discharge"),
        ("admitted", "discharged"),
        ("pickup", "return"),
        ("pickup", "dropoff"),
        ("start", "end"),
        ("start", "finish"),
        ("begin", "end"),
        ("stopped", "restarted"),
        ("entry", "exit"),
        ("entered", "left"),
        ("login", "logout"),
    )
)
"""Words of two times between which somebody or something is there, whatever was agreed before."""

LENGTHS = frozenset({"length", "durat", "night", "overnight"})
"""Stems of words for how long something lasts, rather than for how long something is waited for."""


_REQUESTED = frozenset(stem(w) for w in ["requested", "request", "wanted", "wished", "desired"])
"""Words of times that somebody wished for: a requested delivery date is no delivery."""

RESPONDED = frozenset(
    stem(w)
    for w in ["respond", "responded", "response", "react", "reaction", "answer", "answered", "reply", "replied", "acknowledged", "arrive", "arrived", "arrival", "attended", "onsite", "accepted"]
)  # fmt: skip
"""Words of times at which somebody first saw to what was reported."""

_WAITED = frozenset(stem(w) for w in ["wait", "waiting"])
_SAYS_NOTHING = frozenset(stem(w) for w in ["time", "times", "date", "day", "days", "hours", "minutes", "to", "at", "on"])  # fmt: skip

UNDONE = frozenset(stem(w) for w in ["cancelled", "voided", "deleted", "rejected", "refunded"])
"""Words of times at which something came to nothing, which is no end of what was waited for."""


def in_order(first: Slot, second: Slot) -> tuple[Slot, Slot]:
    """The later and the earlier of two times; `first` is the earlier one where nothing tells.

    A due time is the earlier one: events are held against it.
    """
    due = [bool(set(s.field.words) & DUE) for s in (first, second)]
    if due[0] != due[1]:
        return (second, first) if due[0] else (first, second)
    mine, other = _ends(first.field), _ends(second.field)
    if mine is not None and other is not None and mine != other:
        if mine[0] <= other[0] and mine[1] <= other[1]:
            return second, first
        if mine[0] >= other[0] and mine[1] >= other[1]:
            return first, second
        for one, later in ((first, second), (second, first)):
            begins = _ends(one.field), _ends(later.field)
            if begins[0] and begins[1] and begins[0][0] <= begins[1][0] and _always_first(one, later):
                return later, one
    if _stage(first.field) > _stage(second.field):
        return first, second
    return second, first


def _always_first(first: Slot, second: Slot) -> bool:
    """Whether every row has the first time and only some the second one, as what was applied for and then granted."""
    return first.field.filled == 1 and 0 < second.field.filled < 1


def _ends(one: Field) -> tuple[str, str] | None:
    """The first and the last day that a column holds; None where its form does not compare."""
    if not one.low or not one.high:
        return None
    if one.form in _NUMBERS:
        return _dashed(one.low), _dashed(one.high)
    return (one.low[:19], one.high[:19]) if one.form in _DAYS else None


def _dashed(text: str) -> str:
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}"


def _stage(one: Field) -> int:
    said = set(one.words)
    return 2 if said & (ENDS | DONE) else 0 if said & EARLY and not said & HELD else 1


def partner(source: Source, slot: Slot) -> Slot | None:
    """The other end of a time that is named alone: when its row begins, else the nearest time of the row."""
    table = slot.field.table
    thing = source.model.things[table]
    own = source.slot(table, thing.default_time, slot.path) if thing.default_time else None
    if own is not None and own.field.column != slot.field.column:
        return own
    others = [Slot(f, slot.path) for f in _happening(source, table) if f.column != slot.field.column]
    earlier = [s for s in others if in_order(s, slot)[1] is s]
    if earlier or others:
        return (earlier or others)[0]
    for above, paths in source.graph.up(table).items():
        time = source.model.things[above].default_time
        if above != table and time and paths and len(paths[0]) < 3:
            return source.slot(above, time, (*slot.path, *paths[0]))
    return None


def _happening(source: Source, table: str) -> list[Field]:
    """The times of a table at which something did happen."""
    return [
        f
        for f in source.model.of_role(table, Role.TIME)
        if not set(f.words) & (NEVER | PERSONAL)
        and not (set(f.words) & _REQUESTED and set(f.words) & (FINISHED | DONE))
    ]


def stayed(source: Source, table: str) -> tuple[Slot, Slot] | None:
    """The two times between which a row's thing was there, as (later, earlier): arrival and departure, start and end."""
    times = _happening(source, table)
    for first, last in STAYS:
        begin = next((f for f in times if first in f.words), None)
        end = next((f for f in times if last in f.words), None)
        if begin is not None and end is not None and begin != end:
            return in_order(Slot(begin), Slot(end))
    return None


def lasting(
    source: Source, table: str, words: frozenset[str] = frozenset()
) -> Iterator[tuple[float, Slot, Slot]]:
    """From where to where a table's rows last, as (cost, later, earlier); `words` are stems of what is waited for.

    A response ends with the first time at which somebody saw to it, and is none where no such time is kept. A wait ends with the
    first time, anything else with the last one.
    """
    if words & LENGTHS and (pair := stayed(source, table)) is not None:
        yield 0.0, *pair
        return
    thing = source.model.things[table]
    times = _happening(source, table)
    begin = thing.begins or thing.default_time
    if not begin:
        return
    if words & {"length", "durat"}:
        begin = next((f.column for f in times if set(f.words) & _STARTS and f.column != thing.ends), begin)
    start = source.slot(table, begin)
    if set(start.field.words) & DUE:  # nothing begins by being planned
        first = _last([f for f in times if f.column != begin], is_last=False)
        if not first:
            return
        begin, start = first[0].column, Slot(first[0])
    named = [f for f in times if set(f.words) & words - _SAYS_NOTHING and f.column != begin]
    finished = [f for f in times if set(f.words) & (FINISHED | ENDS | LATE | RESPONDED) and f.column != begin]
    if words & RESPONDED:
        named = named or [f for f in finished if set(f.words) & RESPONDED]
        finished = []
    finished = [f for f in finished if not set(f.words) & UNDONE] or finished
    if not named and not finished and thing.begins and thing.ends:
        finished = [source.slot(table, thing.ends).field]
    for one in named[:1] or _last(finished, is_last=not words & _WAITED):
        later, earlier = in_order(start, Slot(one))
        yield (0.0 if named else 0.03), later, _to_the_minute(later, earlier, times)


_MOMENTS = (Form.MOMENT, Form.TEXT_MOMENT)


def _to_the_minute(later: Slot, earlier: Slot, times: list[Field]) -> Slot:
    """The first time of a row that is kept to the minute as its end is: work begins by checking in, not on the day it was booked."""
    if later.field.form not in _MOMENTS or earlier.field.form in _MOMENTS:
        return earlier
    before = [
        one
        for one in times
        if one.form in _MOMENTS and one != later.field and in_order(Slot(one), later)[1].field == one
    ]
    return replace(earlier, field=_last(before, is_last=False)[0]) if before else earlier


def _last(times: list[Field], *, is_last: bool) -> list[Field]:
    """The last of some times, or the first of them; nothing of none."""
    kept = times[:1]
    for one in times[1:]:
        later, earlier = in_order(Slot(kept[0]), Slot(one))
        kept = [(later if is_last else earlier).field]
    return kept


def ahead(source: Source, table: str, slot: Slot | None = None) -> tuple[Slot, Slot] | None:
    """When a row takes place and when that was agreed: how long in advance something is booked."""
    thing = source.model.things[table]
    if not thing.default_time:
        return None
    held = source.slot(table, thing.default_time)
    if slot is not None and slot.field != held.field:
        return in_order(slot, held)
    before = [
        Slot(f)
        for f in _happening(source, table)
        if f.column != thing.default_time and in_order(Slot(f), held)[1].field == f
    ]
    return (held, before[0]) if before else _ahead_of_what_is_held(source, table, held)


def _ahead_of_what_is_held(source: Source, table: str, made: Slot) -> tuple[Slot, Slot] | None:
    """When what a row was booked for takes place, and when the row was made: bookings of performances, of classes."""
    if not set(made.field.words) & AGREED:
        return None
    for other, paths in source.graph.up(table).items():
        thing = source.model.things[other]
        if paths and len(paths[0]) == 1 and thing.default_time and takes_place(thing.noun):
            return source.slot(other, thing.default_time, paths[0]), made
    return None


def due_and_done(source: Source, table: str) -> tuple[Slot, Slot] | None:
    """When something was done and by when it was due, of one table's rows."""
    due, done = due_of(source, table), done_of(source, table)
    return (done, due) if due is not None and done is not None and done.field != due.field else None


def due_of(source: Source, table: str, wanted: bool = False) -> Slot | None:
    """By when a table's rows were due; what was planned where nothing else was, and with `wanted` what was requested."""
    times = source.model.of_role(table, Role.TIME)
    due = next((f for f in times if set(f.words) & DUE), None)
    if due is None and wanted:
        due = next(
            (
                f
                for f in times
                if set(f.words) & {stem("requested")} and f.column != source.model.things[table].default_time
            ),
            None,
        )
    planned = {stem("scheduled"), stem("plan")}
    if due is None and source.model.things[table].default_time:
        due = next((f for f in times if set(f.words) & planned and not set(f.words) & DONE), None)
    return Slot(due) if due is not None else None


def done_of(source: Source, table: str) -> Slot | None:
    """When a table's rows were done with: the last of what was shipped, delivered, paid."""
    times = source.model.of_role(table, Role.TIME)
    done = [f for f in times if set(f.words) & DONE and not set(f.words) & DUE]
    if not done:
        return None
    best = Slot(done[0])
    for one in done[1:]:
        best = in_order(best, Slot(one))[0]
    return best
