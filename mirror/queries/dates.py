"""Dates in words: what "start of last month" means on a day. Weeks start on Monday, an end is the last day itself."""

from __future__ import annotations

import re
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta
from django.utils.text import get_text_list
from rapidfuzz import fuzz, process

UNITS = ("week", "month", "quarter", "year")
# Suggestions while a person types. Other numbers and units are read as well: "in 2 quarters".
WORDS = (
    "today",
    "yesterday",
    "tomorrow",
    "7 days ago",
    "30 days ago",
    "12 months ago",
    "in 3 days",
    *(
        f"{edge} of {which} {unit}"
        for which in ("this", "last", "next")
        for unit in UNITS
        for edge in ("start", "end")
    ),
)
HELP = (
    "A date such as 2026-02-28, or words: today, 7 days ago, in 3 days, start of this week. Last month is from "
    "start of last month to end of last month; where the SQL says “before”, it ends with start of this month."
)

_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_WHICH = {"last": -1, "previous": -1, "this": 0, "the": 0, "": 0, "next": 1}
_SHIFT = re.compile(r"(in )?([0-9]{1,4}|a|an|one) (day|week|month|quarter|year)s?( ago)?")
_EDGE = re.compile(
    r"(start|beginning|first day|end|last day) of (?:(last|previous|this|the|next) )?(week|month|quarter|year)"
)


def date_read(text: str, today: date) -> date:
    """Read an ISO date, or words for a date, as of `today`. Letter case and spaces do not matter.

    A month that lacks the day gives its last one: "1 month ago" on 31 March is 28 February.
    Raises: ValueError naming the nearest known words.

    Example:
        >>> date_read("start of last month", date(2026, 1, 15)), date_read("end of last month", date(2026, 1, 15))
        (datetime.date(2025, 12, 1), datetime.date(2025, 12, 31))
    """
    words = " ".join(text.lower().split())
    try:
        return date.fromisoformat(words.upper())
    except ValueError:
        pass
    try:
        found = _in_words(words, today)
    except (OverflowError, ValueError):
        raise ValueError(f"“{text}” is further away than dates reach.") from None
    if found is None:
        close = [
            word for word, _, _ in process.extract(words, WORDS, scorer=fuzz.ratio, limit=3, score_cutoff=60)
        ]
        advice = (
            f"Did you mean {get_text_list(close, 'or')}?"
            if close
            else "Words such as today, 7 days ago or start of last month do as well."
        )
        raise ValueError(f"“{text[:60]}” is not a date like 2026-02-28. {advice}")
    return found


def dates_offered(today: date) -> list[tuple[str, str]]:
    """List the words to offer, each with the date it is on a day."""
    return [(word, date_read(word, today).isoformat()) for word in WORDS]


def _in_words(words: str, today: date) -> date | None:
    if words in _DAYS:
        return today + timedelta(days=_DAYS[words])
    if (shift := _SHIFT.fullmatch(words)) and bool(shift[1]) != bool(shift[4]):
        number = int(shift[2]) if shift[2].isdigit() else 1
        moved: date = today + _units(number if shift[1] else -number, shift[3])
        return moved
    if edge := _EDGE.fullmatch(words):
        start = _start(today, edge[3]) + _units(_WHICH[edge[2] or ""], edge[3])
        is_start = edge[1] in ("start", "beginning", "first day")
        end: date = start + _units(1, edge[3]) - timedelta(days=1)
        return start if is_start else end
    return None


def _start(day: date, unit: str) -> date:
    """The first day of the week, month, quarter or year that a day is in."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    first = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}
    return day.replace(month=first[unit], day=1)


def _units(number: int, unit: str) -> relativedelta:
    return relativedelta(months=3 * number) if unit == "quarter" else relativedelta(**{f"{unit}s": number})
