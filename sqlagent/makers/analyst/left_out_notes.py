"""Rows that an answer leaves out and nobody would miss by its words: the running month of "last 3 months", members without a city of "not in Oslo"."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from sqlagent.language.dates import floor, shift
from sqlagent.language.saying import Saying, worded
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.frames import OFF, Condition, Frame
from sqlagent.makers.analyst.heeding import conditions
from sqlagent.makers.analyst.periods import Period

_WHOLE = ("month", "quarter", "year")
"""Units of which the last so many are whole ones; the last so many days and weeks end today."""

_UNTOLD = ("in", "like", "compare", "period")
"""Conditions that are neither met nor denied by a row without the column."""


def left_out_notes(frame: Frame, today: date) -> Iterator[Saying]:
    """Say which period under way, and which rows without a value, a frame leaves out."""
    yield from dict.fromkeys((*_running(frame, today), *_unknown(frame)))


def _running(frame: Frame, today: date) -> Iterator[Saying]:
    for one in conditions(frame):
        period = one.period
        if one.op != "period" or period is None or not period.relative or period.grain not in _WHOLE:
            continue
        begins = floor(today, period.grain)
        if period.first is None or period.until != begins or shift(period.first, period.grain, 1) == begins:
            continue
        running = Period(begins, shift(begins, period.grain, 1), period.grain)
        yield worded("{period} is left out: it is not over yet.", period=telling.period(running))


def _unknown(frame: Frame) -> Iterator[Saying]:
    for one in frame.where:
        if _denies(one) and one.slots and not one.said.startswith(OFF):
            field = one.slots[0].field
            if field.filled < 1 and not field.separator:
                yield worded(
                    "Rows where {column} is missing are left out.", column=telling.column(one.slots[0])
                )


def _denies(one: Condition) -> bool:
    """Whether a condition keeps rows by what they are not."""
    return one.op == "not in" and not one.negated or one.op in _UNTOLD and one.negated
