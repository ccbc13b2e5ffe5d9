"""Whether a figure is missing because the period that was asked for lies after the last day with data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from mirror.asking.services.frames import frame_read
from sqlagent.catalog.semantics import Form
from sqlagent.language.dates import shift
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.periods import Period

if TYPE_CHECKING:
    from mirror.sources.models import Source
    from sqlagent.makers.analyst.frames import Condition, Frame
    from sqlagent.values import Rows

_DAYS = frozenset(
    {Form.DAY, Form.MOMENT, Form.TEXT_DAY, Form.TEXT_MOMENT, Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY}
)


def data_end_told(source: Source, kept: dict[str, Any] | None, rows: Rows) -> str:
    """Say where the data end, if rows lack a period that was asked for because of it; else "".

    The last day is that of the time's column, as it was when the values of the source were read.
    """
    read = frame_read(source, kept, is_page=False)
    if read is None:
        return ""
    asked = [pair for pair in _asked(read[0]) if pair[0].until is None or pair[0].until > _next(pair[1])]
    after = [(one, last) for one, last in asked if one.first is not None and one.first > last]
    is_empty = not any(cell not in (None, 0) for row in rows.rows for cell in row)
    lacking = [(one, last) for one, last in after if is_empty or not _is_in(one, rows, read[0])]
    if lacking:
        last = lacking[0][1]
        words = " and ".join(dict.fromkeys(telling.period(one) for one, _ in lacking))
        said = words if words.startswith("since ") else f"in {words}"
        return f"No data after {last.day} {last:%B %Y}, so none {said}."
    if asked and is_empty and not after:
        one, last = asked[0]
        words = telling.period(one)
        return f"No data after {last.day} {last:%B %Y}; {words[:1].upper()}{words[1:]} goes on after that."
    return ""


def _asked(frame: Frame) -> Iterator[tuple[Period, date]]:
    """The periods that a frame is restricted to, each with the last day of its time."""
    for one in (*frame.where, *(c for measure in frame.measures for c in measure.where)):
        for condition in _each(one):
            last = _last(condition)
            if condition.period is not None and last is not None:
                yield condition.period, last


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
    if len(one.slots) != 1 or one.slots[0].field.form not in _DAYS:
        return None
    digits = re.sub(r"\D", "", one.slots[0].field.high)[:8]
    try:
        return date.fromisoformat(digits) if len(digits) == 8 else None
    except ValueError:
        return None


def _next(day: date) -> date:
    return day + timedelta(days=1)


def _is_in(one: Period, rows: Rows, frame: Frame) -> bool:
    """Whether rows tell of a period: by its year, quarter, month or first day, or, without groups, with a figure in every place."""
    assert one.first is not None
    begun = {one.first.isoformat(), f"{one.first.year}-Q{(one.first.month + 2) // 3}"}
    if one.grain == "year":
        begun.add(str(one.first.year))
    month = one.first
    while len(begun) < 16 and (one.until is None or month < one.until):
        begun.add(month.isoformat()[:7])
        month = shift(month, "month", 1)
    texts = [str(cell) for row in rows.rows for cell in row if cell is not None]
    is_full = not (frame.by or frame.per) and not any(cell in (None, 0) for row in rows.rows for cell in row)
    return is_full or any(text.startswith(start) for text in texts for start in begun)
