"""Rows that hold in a period: "policies active in 2025" have begun before it is over and end in it or later, "contracts valid today" hold today.

Decides by the days on which rows begin and end. A state of today says nothing of another period.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.catalog.semantics.words import BEGINS, ENDS, stems
from sqlagent.language.lexicon import words_of
from sqlagent.language.saying import Saying, template, worded
from sqlagent.language.words import fold
from sqlagent.makers.analyst.attaching import NO_STATE, NOW
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import conditions, with_conditions
from sqlagent.makers.analyst.held_today import is_ahead
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import CURRENT, called_off

_IN_FORCE = words_of("active valid running live current ongoing effective")
"""Words for rows that hold."""

_SURE = 0.15
"""Cost below which a word likely means something."""

_FAR = 0.25
"""Cost from which on a stored value is only called alike."""

_FIRST_DAYS = BEGINS | stems("from begins commencement")
_TERMS = stems("end ends until till thru expiry expires")
"""Words of days on which rows end that all of them have."""

BY_STATE = template("Told by {state} alone, whatever {begin} and {end} say.")
"""The note on rows that are said to hold by their state, where days tell it as well."""


def states_of_their_own(reading: Reading, source: Source) -> Reading:
    """Give the reading in which such a word is of the rows beside it, where these tell it by their days and only others by a value or a column."""
    items = list(reading.items)
    for place, item in enumerate(items):
        if _is_running_then(items, place):
            items[place] = Item("op", item.start, item.end, item.text, op="current")
            before = items[place - 1]
            things = tuple(one for one in before.targets if one.kind == "thing")
            items[place - 1] = replace(before, targets=things)
        if item.kind != "mention" or item.text.lower() not in _IN_FORCE:
            continue
        thing = _beside(items, place)
        is_told = bool(thing) and not source.model.things[thing].state and _days(thing, source) is not None
        is_of_others = all(
            one.table != thing or one.kind == "value" and one.cost >= _FAR for one in item.targets
        )
        if is_told and is_of_others or thing and _is_far(item, source):
            items[place] = Item("op", item.start, item.end, item.text, op="current")
    return replace(reading, items=tuple(items))


def _is_running_then(items: Sequence[Item], place: int) -> bool:
    """Whether rows are said to be running on a day, which adds nothing up: "hires running on 1 March"."""
    behind = [one for one in items[place + 1 : place + 3] if one.op != "of"]
    before = items[place - 1] if place else None
    is_of_rows = before is not None and any(t.kind == "thing" and t.cost < _SURE for t in before.targets[:2])
    is_running = items[place].op == "running" and items[place].text.lower() == "running"
    return is_running and is_of_rows and bool(behind) and behind[0].kind == "period"


def _is_far(item: Item, source: Source) -> bool:
    """Whether a word means nothing but stored names of things that are called alike: a course called Run is no active one."""
    names = {(table, name) for table, thing in source.model.things.items() for name in thing.display}
    return all(t.kind == "value" and t.cost >= _FAR and (t.table, t.column) in names for t in item.targets)


def _beside(items: Sequence[Item], place: int) -> str:
    """The table that is named right behind a word, else right before it; empty where neither is a thing."""
    for near in (place + 1, place - 1):
        one = items[near] if 0 <= near < len(items) else None
        if one is not None and one.kind == "mention":
            best = one.targets[0]
            return best.table if best.kind == "thing" else ""
    return ""


def in_force(frame: Frame, reading: Reading, source: Source, today: date) -> Frame:
    """Give the frame whose rows hold in a period by both of their days, where a word said so and the period was one of their beginning.

    Rows that all have an end hold today where no period is named: nothing else tells it.
    """
    days = _days(frame.anchor, source)
    said = [item for item in reading.items if item.op == "current" or item.text.lower() in _IN_FORCE]
    if days is None or len(said) != 1 or any(one.grain for one in (*frame.by, *frame.per)):
        return frame
    begin, end = (Slot(day) for day in days)
    named = {(t.table, t.column) for i in reading.items if i not in said for t in i.targets[:1]}
    within = [one for one in frame.where if one.op == "period" and one.slots == (begin,) and not one.negated]
    held = [one for one in frame.where if one not in within and _holds(one, (begin, end), source, said[0])]
    is_lacking = not held and NOW in frame.unused and said[0].op == "current"
    if len(within) > 1 or not (held and within or is_lacking):
        return frame
    if (begin.field.table, begin.field.column) in named:
        return frame
    period = within[0].period if within else Period(today, today + timedelta(days=1), "day", relative=True)
    if period is None or period.first is None or period.until is None:
        return frame
    rest = tuple(one for one in frame.where if one not in within and one not in held)
    where = (*rest, _overlapping(begin, end, period))
    state = source.model.things[frame.anchor].state
    if any(slot.field.column == state for one in held for slot in one.slots):
        where += tuple(replace(one, negated=True) for one in _off(frame.anchor, source))
    unused = tuple(word for word in frame.unused if word not in (said[0].text, NOW))
    return replace(frame, where=where, unused=unused, cost=frame.cost - (NO_STATE if is_lacking else 0.0))


def on_that_day(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame whose rows hold on a single day that a deed is said of: "boats insured today" have a policy that is in force then.

    Leaves days that begin rows by their own name ("contracts that start today").
    """
    told = {
        target.table
        for item in reading.items
        if item.kind == "mention" and item.text.lower().endswith("ed")
        for target in item.targets[:2]
        if target.kind in ("thing", "field", "relation")
    }
    named = {(t.table, t.column) for i in reading.items for t in i.targets[:1] if t.kind == "field"}

    def holding(one: Condition) -> Condition:
        if one.parts:
            one = replace(one, parts=tuple(map(holding, one.parts)))
        slot, period = one.slots[0] if len(one.slots) == 1 else None, one.period
        if one.op != "period" or one.negated or slot is None or period is None or not _is_one_day(period):
            return one
        days = _days(slot.field.table, source) if slot.field.table in told else None
        if days is None or days[0] != slot.field or (slot.field.table, slot.field.column) in named:
            return one
        return _overlapping(slot, replace(slot, field=days[1]), period)

    return with_conditions(frame, holding)


def _is_one_day(period: Period) -> bool:
    return period.first is not None and period.until == period.first + timedelta(days=1)


def by_state_notes(frame: Frame, source: Source, today: date) -> Iterator[Saying]:
    """Say that rows hold by their state alone, where some have an end that is ahead."""
    days, thing = _days(frame.anchor, source), source.model.things[frame.anchor]
    own = [one for one in conditions(frame) if one.op == "in" and not one.negated and len(one.slots) == 1]
    states = [one.slots[0].field for one in own if _says_current(one)]
    dated = {slot.field for one in conditions(frame) if one.op == "period" for slot in one.slots}
    if days is None or not is_ahead(days[1], today) or dated & set(days):
        return
    for state in states:
        if (state.table, state.column) == (frame.anchor, thing.state):
            yield worded(BY_STATE, state=state.said, begin=days[0].said, end=days[1].said)


def _days(table: str, source: Source) -> tuple[Field, Field] | None:
    """The days on which rows of a table begin and end to hold; None where it is told by nothing of the kind."""
    thing = source.model.things[table]
    begin = source.model.field(table, thing.begins or thing.default_time)
    end = source.model.field(table, thing.ends) if thing.ends else None
    always = (
        one for one in source.model.of_role(table, Role.TIME) if one.filled == 1 and {*one.words} & _TERMS
    )
    end = end or next(always, None)
    if thing.kind is Kind.HISTORY or begin is None or end is None:
        return None
    return (begin, end) if {*begin.words} & _FIRST_DAYS and {*end.words} & ENDS else None


def _says_current(one: Condition) -> bool:
    return one.said in ("current", *CURRENT) or all(fold(value) in CURRENT for value in one.values)


def _holds(one: Condition, days: tuple[Slot, Slot], source: Source, said: Item) -> bool:
    """Whether a condition says that rows hold: by their days, or by their state."""
    if one.op == "in":
        state = source.model.things[days[0].field.table].state
        is_own = [(slot.field.column, slot.path) for slot in one.slots] == [(state, ())]
        return is_own and not one.negated and _says_current(one)
    slots = [slot for part in _leaves(one) for slot in part.slots]
    return bool(slots) and set(slots) <= set(days) and (one.said == "current" or bool(one.parts))


def _leaves(one: Condition) -> Iterator[Condition]:
    if one.parts:
        for part in one.parts:
            yield from _leaves(part)
    else:
        yield one


def _overlapping(begin: Slot, end: Slot, period: Period) -> Condition:
    """That rows have begun before a period is over, and end in it, later or never."""
    begun = Condition("period", (begin,), period=replace(period, first=None))
    lasts = Condition("period", (end,), period=replace(period, until=None))
    if end.field.filled < 1:
        lasts = Condition("any", parts=(Condition("missing", (end,)), lasts))
    return Condition("all", parts=(begun, lasts), said="current")


def _off(table: str, source: Source) -> Iterator[Condition]:
    off = called_off(source, table)
    if off is not None:
        yield off
