"""Rows that hold today, by a day until when they do: "active members" have no such day, or one that is not over, "ended contracts" one that is.

Where a day lies ahead of some rows, that it is there says nothing of whether they are over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import TypeGuard

from sqlagent.catalog.semantics import DATED, Field, Role
from sqlagent.catalog.statistics import day_of
from sqlagent.makers.analyst.frames import Condition, Frame, Measure, Slot
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.starts import once

_TOLD = ("current", "ended")
"""How conditions are called that a word for a state sets."""


def held_today(frame: Frame, today: date) -> Frame:
    """Give the frame whose words for a state hold days against today, where some rows' day is still ahead."""
    dated = {one.slots for one in conditions(frame) if one.op == "period"}

    def mended(one: Condition) -> Condition:
        if one.parts:
            one = replace(one, parts=tuple(map(mended, one.parts)))
        stated = one.op in ("missing", "filled") and one.said in _TOLD and len(one.slots) == 1
        if not stated or one.slots in dated or not reaches_beyond(one.slots[0].field, today):
            return one
        if one.op == "filled":
            return replace(over(one.slots[0], today), negated=one.negated, said=one.said)
        return replace(still(one.slots[0], today), negated=one.negated, said=one.said)

    where = tuple(once([mended(one) for one in frame.where]))
    measures = tuple(_of_measure(one, mended) for one in frame.measures)
    having = tuple(replace(one, measure=_of_measure(one.measure, mended)) for one in frame.having)
    return replace(frame, where=where, measures=measures, having=having)


def ended_by_today(frame: Frame, today: date) -> Frame:
    """Give the frame without a condition that a day is there which lies in a period as well: what ended in a period under way did so before today."""
    filled = [one for one in frame.where if one.op == "filled" and not one.negated]
    ended = {one.slots for one in filled if one.said == "ended"}
    periods = {one.slots for one in frame.where if one.op == "period" and not one.negated}
    kept = [one for one in frame.where if one not in filled or one.slots not in periods]
    where = tuple(
        replace(one, period=Period(one.period.first, today, "day", relative=True))
        if one.slots in ended and one.op == "period" and not one.negated and _is_under_way(one.period, today)
        else one
        for one in kept
    )
    return replace(frame, where=where)


def _is_under_way(period: Period | None, today: date) -> TypeGuard[Period]:
    return (
        period is not None
        and not period.at
        and (period.first is not None and period.first < today)
        and (period.until is None or period.until > today)
    )


def reaches_beyond(field: Field, today: date) -> bool:
    """Whether a day is still ahead of some rows."""
    last = day_of(field.high) if field.role is Role.TIME and field.form in DATED else None
    return last is not None and last > today


def over(slot: Slot, today: date) -> Condition:
    """That a row's day is over."""
    return Condition("period", (slot,), period=Period(None, today, "day", relative=True))


def still(slot: Slot, today: date) -> Condition:
    """That a row's day is not over: it is today or later, or there is none."""
    ahead = Condition("period", (slot,), period=Period(today, None, "day", relative=True))
    return ahead if slot.field.filled == 1 else Condition("any", parts=(Condition("missing", (slot,)), ahead))


def _of_measure(one: Measure, mended: Callable[[Condition], Condition]) -> Measure:
    def part(inner: Measure | None) -> Measure | None:
        return None if inner is None else _of_measure(inner, mended)

    return replace(
        one,
        where=tuple(map(mended, one.where)),
        over=part(one.over),
        under=part(one.under),
        parts=tuple(_of_measure(inner, mended) for inner in one.parts),
    )
