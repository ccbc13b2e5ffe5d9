"""Rows that an answer leaves out and nobody would miss by its words: the running month of "last 3 months", members without a city of "not in Oslo"."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from sqlagent.catalog.semantics import Model
from sqlagent.language.dates import floor, shift
from sqlagent.language.saying import Saying, worded
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.frames import OFF, Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.periods import Period

_WHOLE = ("month", "quarter", "year")
"""Units of which the last so many are whole ones; the last so many days and weeks end today."""

_UNTOLD = ("in", "like", "compare", "period")
"""Conditions that are neither met nor denied by a row without the column."""


def left_out_notes(frame: Frame, today: date, model: Model) -> Iterator[Saying]:
    """Say which period under way, and which rows without a value, a frame leaves out."""
    yield from dict.fromkeys((*_running(frame, today), *_unknown(frame, model)))


def _running(frame: Frame, today: date) -> Iterator[Saying]:
    periods = [one.period for one in conditions(frame) if one.op == "period" and one.period is not None]
    for one in conditions(frame):
        period = one.period
        if one.op != "period" or period is None or not period.relative or period.grain not in _WHOLE:
            continue
        begins = floor(today, period.grain)
        if period.first is None or period.until != begins or shift(period.first, period.grain, 1) == begins:
            continue
        running = Period(begins, shift(begins, period.grain, 1), period.grain)
        if any(other.holds(running) for other in periods):
            continue  # "last 3 months and this month"
        yield worded("{period} is left out: it is not over yet.", period=telling.period(running))


def _unknown(frame: Frame, model: Model) -> Iterator[Saying]:
    for one in frame.where:
        if _denies(one) and one.slots and not one.said.startswith(OFF):
            slot = one.slots[0]
            if not slot.field.separator and (slot.field.filled < 1 or _may_point_at_none(slot, model)):
                yield worded("Rows where {column} is missing are left out.", column=telling.column(slot))


def _may_point_at_none(slot: Slot, model: Model) -> bool:
    keys = (model.field(relation.source, column) for relation in slot.path for column in relation.columns)
    return any(key is None or key.filled < 1 for key in keys)


def _denies(one: Condition) -> bool:
    """Whether a condition keeps rows by what they are not."""
    return one.op == "not in" and not one.negated or one.op in _UNTOLD and one.negated
