"""Dates and periods in a question: "March 2024", "in 2023", "last quarter", "the 90s", "before 5 May 2021".

Decides which tokens are a period and what days it spans. "Last" and "this" are relative to a
given day; which column is meant is the grammar's business.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sqlagent.language.lexicon import MONTHS
from sqlagent.language.words import Token

GRAINS = {"day": "day", "days": "day", "daily": "day", "week": "week", "weeks": "week", "weekly": "week",
          "month": "month", "months": "month", "monthly": "month", "quarter": "quarter", "quarters": "quarter",
          "quarterly": "quarter", "year": "year", "years": "year", "yearly": "year", "annual": "year",
          "annually": "year"}  # fmt: skip
_LAST = {"last", "previous", "past", "prior"}
_THIS = {"this", "current"}


@dataclass(frozen=True, slots=True)
class Period:
    """Days `first` to `last` (inclusive) said by tokens `start` to `end` (exclusive).

    `back` is set instead for relative ones: (how many, of which grain, whether the running one), to be
    placed by `resolve` once the newest date of the data is known. `plain_number` marks a bare year.
    """

    start: int
    end: int
    first: date | None
    last: date | None
    grain: str
    back: tuple[int, str, bool] | None = None
    plain_number: bool = False


def read_periods(tokens: Sequence[Token]) -> tuple[Period, ...]:
    """Find the periods of a question, in order, without overlaps.

    Example:
        >>> from sqlagent.language.words import tokenise
        >>> found = read_periods(tokenise("orders in March 2024 or last year"))
        >>> [(str(p.first), str(p.last), p.back) for p in found]
        [('2024-03-01', '2024-03-31', None), ('None', 'None', (1, 'year', False))]
    """
    out: list[Period] = []
    at = 0
    while at < len(tokens):
        found = _relative(tokens, at) or _named(tokens, at) or _bare(tokens, at)
        if found is None:
            at += 1
            continue
        out.append(found)
        at = found.end
    return tuple(out)


def resolve(period: Period, today: date) -> tuple[date, date]:
    """Place a period in time; relative ones are counted back from `today`.

    Example:
        >>> resolve(Period(0, 2, None, None, "quarter", (1, "quarter", False)), date(2026, 5, 20))
        (datetime.date(2026, 1, 1), datetime.date(2026, 3, 31))
    """
    if period.first is not None and period.last is not None:
        return period.first, period.last
    count, grain, running = period.back or (1, "year", False)
    begin = floor(today, grain)
    if running:
        return begin, shift(begin, grain, 1) - timedelta(days=1)
    return shift(begin, grain, -count), begin - timedelta(days=1)


def floor(day: date, grain: str, week: int = 0) -> date:
    """The first day of the week, month, quarter or year a day lies in; `week` is the first day of a week, Monday 0."""
    if grain == "year":
        return date(day.year, 1, 1)
    if grain == "quarter":
        return date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)
    if grain == "month":
        return date(day.year, day.month, 1)
    if grain == "week":
        return day - timedelta(days=(day.weekday() - week) % 7)
    return day


def shift(day: date, grain: str, count: int) -> date:
    """Move a first day by whole periods; kept within the years a date can have."""
    if grain in ("day", "week"):
        return day + timedelta(days=max(-300_000, min(300_000, count * (7 if grain == "week" else 1))))
    months = {"month": 1, "quarter": 3, "year": 12}[grain] * max(-10_000, min(10_000, count))
    whole = min(max(day.year * 12 + day.month - 1 + months, 12), 9_998 * 12)
    return date(whole // 12, whole % 12 + 1, 1)


def _year(token: Token | None) -> int | None:
    if token is None or token.kind != "number" or not token.low.isdecimal() or len(token.low) != 4:
        return None
    value = int(token.low)
    return value if 1000 <= value <= 2200 else None


def _at(tokens: Sequence[Token], n: int) -> Token | None:
    return tokens[n] if 0 <= n < len(tokens) else None


def _low(tokens: Sequence[Token], n: int) -> str:
    return tokens[n].low if 0 <= n < len(tokens) else ""


def _relative(tokens: Sequence[Token], at: int) -> Period | None:
    """ "last quarter", "the past 3 months", "this year", "today", "yesterday"."""
    low = tokens[at].low
    if low in ("today", "yesterday"):
        return Period(at, at + 1, None, None, "day", (1, "day", low == "today"))
    if low in _LAST:
        n = at + 1
        number = _at(tokens, n)
        count = 1
        if number is not None and number.kind == "number" and number.low.isdecimal() and len(number.low) < 4:
            count, n = max(int(number.low), 1), n + 1
        grain = GRAINS.get(_low(tokens, n), "")
        if grain and (count > 1 or not _low(tokens, n).endswith("s")):
            return Period(at, n + 1, None, None, grain, (count, grain, False))
    if low in _THIS and _low(tokens, at + 1) in {"week", "month", "quarter", "year"}:
        grain = _low(tokens, at + 1)
        return Period(at, at + 2, None, None, grain, (1, grain, True))
    return None


def _named(tokens: Sequence[Token], at: int) -> Period | None:
    """ "March 2024", "5 March 2024", "March 5th, 2024", "Q3 2023", "the 90s"."""
    token = tokens[at]
    month = MONTHS.get(token.low) if token.kind == "word" and (token.low != "may" or token.capital) else None
    if month:
        n = at + 1
        if _low(tokens, n) in {"of", ","}:
            n += 1
        year = _year(_at(tokens, n))
        if year:
            return _month(at, n + 1, year, month)
        day = _day(_at(tokens, at + 1))
        if day:
            n = at + 2 + (_low(tokens, at + 2) == ",")
            year = _year(_at(tokens, n))
            if year:
                return _one_day(at, n + 1, year, month, day)
    day = _day(token)
    if day:
        n = at + 1 + (_low(tokens, at + 1) == "of")
        month = MONTHS.get(_low(tokens, n))
        year = _year(_at(tokens, n + 1 + (_low(tokens, n + 1) == ",")))
        if month and year:
            return _one_day(at, n + 2 + (_low(tokens, n + 1) == ","), year, month, day)
    if len(token.low) == 2 and token.low[0] == "q" and token.low[1] in "1234":
        n = at + 1 + (_low(tokens, at + 1) in {"of", ","})
        year = _year(_at(tokens, n))
        if year:
            first = date(year, 3 * int(token.low[1]) - 2, 1)
            return Period(at, n + 1, first, shift(first, "quarter", 1) - timedelta(days=1), "quarter")
    return _decade(tokens, at)


def _decade(tokens: Sequence[Token], at: int) -> Period | None:
    low = tokens[at].low
    digits = low[:-1] if low.endswith("s") else ""
    if digits.isdecimal() and len(digits) in (2, 4) and digits.endswith("0"):
        year = int(digits) if len(digits) == 4 else 1900 + int(digits) + (100 if int(digits) < 30 else 0)
        if 1000 <= year <= 2190:
            return Period(at, at + 1, date(year, 1, 1), date(year + 9, 12, 31), "decade")
    return None


def _bare(tokens: Sequence[Token], at: int) -> Period | None:
    """A bare year, and an ISO date."""
    token = tokens[at]
    if token.kind == "date" and token.low[4:5] == "-":
        parts = token.low[:10].replace("t", " ").split()[0].split("-")
        return _one_day(at, at + 1, *(int(p) for p in parts))
    year = _year(token)
    if year:
        return Period(at, at + 1, date(year, 1, 1), date(year, 12, 31), "year", None, True)
    return None


def _day(token: Token | None) -> int | None:
    if token is None:
        return None
    digits = token.low[:-2] if token.low[-2:] in ("st", "nd", "rd", "th") else token.low
    return int(digits) if digits.isdecimal() and len(digits) <= 2 and 1 <= int(digits) <= 31 else None


def _month(start: int, end: int, year: int, month: int) -> Period:
    last = calendar.monthrange(year, month)[1]
    return Period(start, end, date(year, month, 1), date(year, month, last), "month")


def _one_day(start: int, end: int, year: int, month: int, day: int) -> Period | None:
    try:
        when = date(year, month, day)
    except ValueError:
        return None
    return Period(start, end, when, when, "day")
