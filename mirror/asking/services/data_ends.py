"""The end of the data under an answer: figures missing because their period lies after the last day, and part periods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from mirror.asking.services.frames import frame_read
from sqlagent.catalog.semantics import DATED
from sqlagent.catalog.statistics import day_of
from sqlagent.language.dates import shift
from sqlagent.language.saying import begun_large, day_in_words, in_commas, worded
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.part_periods import labels_of, part_periods
from sqlagent.makers.analyst.periods import Period

if TYPE_CHECKING:
    from mirror.sources.models import Source
    from sqlagent.makers.analyst.frames import Condition, Frame
    from sqlagent.values import Rows


@dataclass(frozen=True, slots=True)
class DataEnds:
    """A sentence about the end of the data, and the labels by which rows call periods that the data do not cover whole."""

    told: str = ""
    part: frozenset[str] = frozenset()


def data_ends(source: Source, kept: dict[str, Any] | None, rows: Rows) -> DataEnds:
    """Tell where the data end, for rows of a kept frame; empty without one.

    The last day is that of the time's column, as it was when the values of the source were read.
    """
    read = frame_read(source, kept, is_page=False)
    if read is None:
        return DataEnds()
    frame, known = read
    return DataEnds(_told(frame, rows), labels_of(part_periods(frame, known.model, rows)))


def _told(frame: Frame, rows: Rows) -> str:
    """Say where the data end, if rows lack a period that was asked for because of it, or compare one that has only begun; else ""."""
    every = list(_asked(frame, rows))
    asked = [one for one in every if one.period.until is None or one.period.until > _next(one.last)]
    after = [one for one in asked if one.period.first is not None and one.period.first > one.last]
    if lacking := [one for one in after if not one.is_told]:
        last = lacking[0].last
        words = in_commas(list(dict.fromkeys(telling.period(one.period) for one in lacking)), worded(" and "))
        told = {"day": day_in_words(last), "period": words}
        if words.startswith("since "):
            return worded("No data after {day}, so none {period}.", **told)
        return worded("No data after {day}, so none in {period}.", **told)
    if asked and not after and not any(cell not in (None, 0) for row in rows.rows for cell in row):
        last, words = asked[0].last, telling.period(asked[0].period)
        told = {"day": day_in_words(last), "period": begun_large(words)}
        return worded("No data after {day}; {period} goes on after that.", **told)
    begun = [one for one in asked if one not in after and one.period.until is not None]
    if begun and len({one.period for one in every}) > 1:
        last, words = begun[0].last, telling.period(begun[0].period)
        return worded(
            "Data go to {day}, as last read: {period} is not complete.", day=day_in_words(last), period=words
        )
    return ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A period that a frame is restricted to, the last day of its time as it was read, and whether rows tell of the period."""

    period: Period
    last: date
    is_told: bool


def _asked(frame: Frame, rows: Rows) -> Iterator[_Asked]:
    """The periods that a frame is restricted to.

    Data may have come since the last day was read: rows with figures tell of a period that restricts them all. Where one
    period or another restricts them, rows tell of each by its name if they are given by a time.
    """
    has_figures = bool(rows.rows) and not any(_is_blank(column) for column in zip(*rows.rows, strict=True))
    is_by_time = any(one.grain for one in (*frame.by, *frame.per))
    whole = [(one, one.op == "any" and is_by_time) for one in frame.where]
    parts = [(one, False) for measure in frame.measures for one in measure.where]
    for condition, is_one_of_several in (*whole, *parts):
        for one in _each(condition):
            last = _last(one)
            if one.period is not None and last is not None:
                yield _Asked(
                    one.period, last, _is_named(one.period, rows) if is_one_of_several else has_figures
                )


def _is_blank(cells: Iterable[Any]) -> bool:
    return all(cell in (None, 0) for cell in cells)


def _each(one: Condition) -> Iterator[Condition]:
    if one.negated:
        return
    if one.op == "any":
        for part in one.parts:
            yield from _each(part)
    elif one.op == "period":
        yield one


def _last(one: Condition) -> date | None:
    """The last day that the column of a condition holds; None where its form is not one of days."""
    if len(one.slots) != 1 or one.slots[0].field.form not in DATED:
        return None
    return day_of(one.slots[0].field.high)


def _next(day: date) -> date:
    return day + timedelta(days=1)


def _is_named(one: Period, rows: Rows) -> bool:
    """Whether rows or their columns name a period that has a first day: by its year, quarter, month or first day.

    Rows that were cut may name it further on.
    """
    if one.first is None or rows.truncated:
        return True
    begun = {one.first.isoformat(), f"{one.first.year}-Q{(one.first.month + 2) // 3}"}
    if one.grain == "year":
        begun.add(str(one.first.year))
    month = one.first
    while len(begun) < 16 and (one.until is None or month < one.until):
        begun.add(month.isoformat()[:7])
        month = shift(month, "month", 1)
    texts = [*rows.columns, *(str(cell) for row in rows.rows for cell in row if cell is not None)]
    return any(text.startswith(start) for text in texts for start in begun)
