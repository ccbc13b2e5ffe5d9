"""Rows that hold today, by a day until when they do: "active members" have no such day, or one that is not over, "ended contracts" one that is.

Where a day lies ahead of some rows, that it is there says nothing of whether they are over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise, takewhile

from sqlagent.catalog.semantics import DATED, Field, Kind, Model, Role
from sqlagent.catalog.semantics.words import BEGINS, stems
from sqlagent.catalog.statistics import day_of
from sqlagent.language.lexicon import words_of
from sqlagent.language.words import fold
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import conditions, slots_of, with_conditions
from sqlagent.makers.analyst.pairing import UNDONE
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.starts import once
from sqlagent.makers.analyst.states import CURRENT, UNOWED
from sqlagent.makers.analyst.voids import EITHER

OVER = words_of(
    "ended expired lapsed finished completed concluded closed terminated matured elapsed gone stopped over left departed retired"
)
"""Participles of what is over before today."""

_COMING = frozenset({"will", "going", "be", "shall", "'ll"})
"""Words of what has yet to be."""

_LEAVING = ("leavers", "churned")
"""Business words for those who are over."""

_CLAUSE = re.compile(r"(?:that|which|who) \w", re.IGNORECASE)

_AT_ONCE = stems("cancelled canceled withdrawn voided closed resolved settled finished completed returned")
"""Words of days on which something is done: rows with such a day are done with."""

_GOING_ON = frozenset({"running", "active", "live", "ongoing", "current"})
"""Words for a state that rows are in on a day."""

_BEFORE = frozenset({"past", "previous", "earlier", "former"})
"""Words for rows that lie behind."""

NO_LONGER = "no longer"
"""How the condition is called that a day is over until when rows held: it denies that they hold."""

_TOLD = ("current", "ended")
"""How conditions are called that a word for a state sets."""


def held_today(frame: Frame, reading: Reading, model: Model, today: date) -> Frame:
    """Give the frame whose words for what holds or is over hold days against today, where some rows' day is still ahead."""
    has_left = _tells_of_leaving(reading)
    is_open = any(fold(item.text).endswith("open") for item in reading.items if item.op == "current")
    dated = {one.slots for one in conditions(frame) if one.op == "period"}
    over_by = {
        (target.table, target.column)
        for item in reading.items
        if item.text.lower().rsplit(" ", 1)[-1].removeprefix("un") in OVER
        for target in item.targets[:1]
    }

    def mended(one: Condition) -> Condition:
        if one.parts:
            one = replace(one, parts=tuple(map(mended, one.parts)))
        if len(one.slots) != 1:
            return one
        return with_begin(ended(one), one.slots[0]) if one.said == "current" else ended(one)

    def with_begin(held: Condition, slot: Slot) -> Condition:
        """Rows that hold today have begun by today, where some begin later; open ones need not have."""
        thing = model.things[slot.field.table]
        begin = model.field(thing.table, thing.begins) if slot.field.column == thing.ends else None
        is_told = held.op == "any" or held.op in ("missing", "period") and not held.negated
        if (
            begin is None
            or is_open
            or not is_told
            or not {*begin.words} & BEGINS
            or not is_ahead(begin, today)
        ):
            return held
        return replace(begun(Slot(begin, slot.path), replace(held, said=""), today), said=held.said)

    def ended(one: Condition) -> Condition:
        slot = one.slots[0]
        if not reaches_beyond(slot.field, today):
            return one
        leaves = has_left and slot.field.column == model.things[slot.field.table].ends
        named = leaves or one.said in _TOLD or (slot.field.table, slot.field.column) in over_by
        if one.op not in ("missing", "filled") or one.slots in dated or not named:
            return one
        is_over = (one.op == "filled") != one.negated
        return replace(over(slot, today) if is_over else still(slot, today), said=one.said)

    changed = with_conditions(frame, mended)
    return replace(changed, where=tuple(once(changed.where)))


def ended_by_today(frame: Frame, reading: Reading, model: Model, today: date) -> Frame:
    """Give the frame without a condition that a day is there which lies in a period as well: what ended in a period under way did so before today."""
    held = list(conditions(frame))
    filled = [one for one in held if one.op == "filled" and not one.negated]
    ended = {one.slots for one in filled if one.said == "ended"}
    within = [one for one in held if one.op == "period" and not one.negated]
    periods = {one.slots for one in within}
    dated = [one.slots[0] for one in held if one.op == "period" and len(one.slots) == 1]
    if _tells_of_leaving(reading):
        ended |= {(s,) for (s, *_) in periods if s.field.column == model.things[s.field.table].ends}
    said = _said_to_be_over(reading)
    ended |= {(s,) for s in dated if (s.field.table, s.field.column) in said and is_ahead(s.field, today)}
    past = Period(None, today, "day", relative=True)
    bounded = {one.slots for one in within if one.period is not None and one.period.first is not None}
    twice = {one.slots for one in within if one.period == past} & bounded
    ended |= twice

    def by_today(one: Condition) -> Condition:
        if one.op in ("exists", "all"):
            return replace(one, parts=tuple(map(by_today, once_said(one.parts))))
        is_ended = one.slots in ended and one.op == "period" and not one.negated
        return _until_today(one, today) if is_ended else one

    def once_said(where: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(
            one
            for one in where
            if not (one in filled and one.slots in periods or one.slots in twice and one.period == past)
        )

    return with_conditions(replace(frame, where=once_said(frame.where)), by_today)


def _said_to_be_over(reading: Reading) -> set[tuple[str, str]]:
    """The columns that participles of what is over name, but for what will be so."""
    if reading.glued & _COMING:
        return set()
    return {
        (target.table, target.column)
        for item in reading.items
        if item.kind == "mention" and item.text.lower().rsplit(" ", 1)[-1] in OVER
        for target in item.targets[:1]
        if target.label != "un"
    }


def _tells_of_leaving(reading: Reading) -> bool:
    return any(t.kind == "concept" and t.column in _LEAVING for i in reading.items for t in i.targets[:1])


def _until_today(one: Condition, today: date) -> Condition:
    """Give the condition of a period with only its days before today, where it is under way."""
    so_far = one.period.so_far(today) if one.period is not None and not one.period.at else None
    return one if so_far is None else replace(one, period=so_far)


def reaches_beyond(field: Field, today: date) -> bool:
    """Whether a day until when rows hold, or one that every row has, is still ahead of some."""
    if field.filled < 1 and _AT_ONCE & {*field.words}:
        return False
    return is_ahead(field, today)


def is_ahead(field: Field, today: date) -> bool:
    """Whether a day is still ahead of some rows."""
    last = day_of(field.high) if field.role is Role.TIME and field.form in DATED else None
    return last is not None and last > today


def over(slot: Slot, today: date) -> Condition:
    """That a row's day is over."""
    return Condition("period", (slot,), period=Period(None, today, "day", relative=True))


def begun(begin: Slot, held: Condition, today: date) -> Condition:
    """That a row holds, and has begun to by today."""
    return Condition("all", parts=(over(begin, today + timedelta(days=1)), held))


def still(slot: Slot, today: date) -> Condition:
    """That a row's day is not over: it is today or later, or there is none."""
    ahead = Condition("period", (slot,), period=Period(today, None, "day", relative=True))
    return ahead if slot.field.filled == 1 else Condition("any", parts=(Condition("missing", (slot,)), ahead))


def or_without_end(frame: Frame, reading: Reading, today: date) -> list[Frame]:
    """Give the frame of rows that hold today by the day until when they do; where some have no such day, that of these too.

    "Clients under contract": without an end, the contract may be an open one, or none.
    """
    said = {item.text for item in reading.items if item.kind == "period"}
    if f"since {today.isoformat()}" not in said:
        return [frame]
    held = [
        one
        for one in frame.where
        if one.op == "period" and one.period == Period(today, None, "day") and one.slots[0].field.filled < 1
    ]
    if len(held) != 1:
        return [frame]
    where = tuple(still(one.slots[0], today) if one is held[0] else one for one in frame.where)
    return [frame, replace(frame, where=where, cost=round(frame.cost + EITHER, 4))]


def holding_left_out(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """Words of what holds that a frame lacks: "under contract in 2025" is not until 2025, "with a current contract" not with any."""
    held = list(conditions(frame))
    bounded = any(one.compare or one.number is not None for one in held)
    ends = {slot.field for one in held if one.op in ("period", "missing") for slot in one.slots}
    left = []
    for item, after in pairwise(reading.items):
        best = after.targets[0] if after.targets else None
        field = model.field(best.table, best.column) if best is not None and best.kind == "field" else None
        is_time = field is not None and field.role is Role.TIME
        is_thing = best is not None and best.kind == "thing"
        if item.op == "more" and item.text.lower() == "under" and not bounded and (is_time or is_thing):
            left.append(item.text)
        if item.op == "past" and item.text.lower() == "past" and is_time:
            left.append(item.text)  # past the insurance date is not former
        is_lacking = field not in ends and after.text.lower() not in CURRENT and not _is_on_now(after, held)
        if item.op == "current" and is_time and is_lacking:
            left.append(item.text)
    left = left or _current_then(frame, reading, model) or _said_of_nothing(reading)
    left = left or _running_on_a_day(frame, reading) or _never_took_place(frame, reading, model)
    return left or _current_of_others(frame, reading)


def _is_on_now(item: Item, held: Sequence[Condition]) -> bool:
    """Whether things are kept by rows that "on hire" is told by, and that are not over: "currently" says it twice."""
    tables = (
        {t.table for t in item.targets if t.kind == "thing"} if item.text.lower().startswith("on ") else set()
    )
    return any(one.op == "exists" and one.child in tables and one.parts for one in held)


def _current_of_others(frame: Frame, reading: Reading) -> list[str]:
    """A word for a state right before a noun, where rows of other things only are in it: "current loans per member" are not those of current members."""
    held = {
        slot.field.table
        for one in conditions(frame)
        if one.said == "current" and one.op != "in"
        for slot in slots_of(one)
    }
    for at, item in enumerate(reading.items):
        nouns = [*takewhile(lambda one: one.kind == "mention", reading.items[at + 1 :])]
        is_state = item.op == "current" or item.kind == "mention" and fold(item.text) in CURRENT
        if not is_state or not held or not nouns or nouns[0].targets[0].kind != "thing":
            continue
        others = held - {t.table for noun in nouns for t in noun.targets if t.kind in ("thing", "value")}
        if others == held or others and nouns[0].targets[0].table == frame.anchor:
            return [item.text]
    return []


def _current_then(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """The word for a state of "active in 2025", where rows that began in it, or did something then, and hold today would be kept."""
    current = [part for one in frame.where if one.said == "current" for part in (one, *one.parts)]
    tables = {slot.field.table for one in current for slot in one.slots}
    begins = {(table, model.things[table].begins or model.things[table].default_time) for table in tables}
    verbs = [i for i in reading.items if i.targets and i.targets[0].kind != "thing" or i.op == "new"]
    named = {(t.table, t.column) for item in verbs for t in item.targets if t.kind == "field"}
    of_others = any(one.agg == "distinct" for one in frame.measures)
    then = [
        one
        for one in frame.where
        if one.op == "period" and one not in current
        if of_others or {(s.field.table, s.field.column) for s in one.slots} & (begins - named)
    ]
    texts = [item.text for item in reading.items if item.op == "current"]
    return texts[:1] if current and then and not any(item.op == "new" for item in verbs) else []


def _running_on_a_day(frame: Frame, reading: Reading) -> list[str]:
    """The word for a state of "running on 1 March", where rows that began that day and are in a state of today would be kept."""
    stated = any(one.op == "in" and one.said in CURRENT for one in frame.where)
    one_day = any(
        one.op == "period" and one.period is not None and one.period.grain == "day" and one.period.first
        for one in frame.where
    )
    texts = [item.text for item in reading.items if item.op == "current" and item.text.lower() in _GOING_ON]
    return texts[:1] if stated and one_day else []


def _never_took_place(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """The word of "past bookings" that became those that were cancelled: they never took place."""
    off = [
        slot
        for one in conditions(frame)
        if one.said == "ended" or one.said in UNOWED
        for slot in one.slots
        if model.things[slot.field.table].kind is Kind.EVENT
        if one.said in UNOWED or {*slot.field.words} & UNDONE
    ]
    texts = [item.text for item in reading.items if item.op == "past" and item.text.lower() in _BEFORE]
    return texts[:1] if off else []


def _said_of_nothing(reading: Reading) -> list[str]:
    """The beginning of a clause behind which nothing was understood: "members that are gone", "loans that are out"."""
    last = reading.items[-1] if reading.items and reading.glued else None
    is_clause = last is not None and last.op == "rel" and _CLAUSE.match(last.text)
    return [last.text] if last is not None and is_clause else []
