"""Fiscal years and quarters as people write them: fy25, fiscal year 2025/26, q2 fy2025, last fiscal quarter, fytd."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sqlagent.language.dates import shift
from sqlagent.values import Calendar

_FISCAL = ("fiscal", "financial")
_SHORT = re.compile(r"fy(\d{2}|\d{4})?")
_QUARTER = re.compile(r"q([1-4])")
_STEPS = {"this": 0, "current": 0, "last": -1, "previous": -1, "prior": -1, "next": 1, "coming": 1}


@dataclass(frozen=True, slots=True)
class Fiscal:
    """Days of a fiscal year or quarter, half open, said by words up to, and without, `end`."""

    end: int
    first: date
    until: date
    grain: str
    relative: bool = False


def fiscal(lows: Sequence[str], at: int, today: date, calendar: Calendar) -> Fiscal | None:
    """Find what words from `at` on say of the fiscal calendar; None where they say nothing of it.

    Example:
        >>> found = fiscal("q1 fy2025".split(), 0, date(2026, 5, 1), Calendar(year=10))
        >>> str(found.first), str(found.until)
        ('2024-10-01', '2025-01-01')
        >>> str(fiscal("last fiscal year".split(), 0, date(2026, 5, 1), Calendar(year=4)).first)
        '2025-04-01'
    """
    return _Words(lows, today, calendar).found(at)


class _Words:
    def __init__(self, lows: Sequence[str], today: date, calendar: Calendar) -> None:
        self.lows, self.today, self.calendar = lows, today, calendar

    def low(self, n: int) -> str:
        return self.lows[n] if 0 <= n < len(self.lows) else ""

    def found(self, at: int) -> Fiscal | None:
        if self.low(at) == "the":
            at += 1
        return self.to_date(at) or self.moving(at) or self.quarter(at) or self.year(at)

    def begin(self, grain: str) -> date:
        """The first day of the fiscal year or quarter that today lies in."""
        month = self.calendar.year
        first = date(self.today.year - (self.today.month < month), month, 1)
        passed = (self.today.year - first.year) * 12 + self.today.month - first.month
        return first if grain == "year" else shift(first, "month", passed // 3 * 3)

    def spelled(self, at: int) -> int:
        """Where the words for a fiscal year end that begin here; 0 where there are none."""
        if self.low(at) in _FISCAL:
            return at + 2 if self.low(at + 1) == "year" else at + 1
        return at + 1 if self.low(at) == "fy" else 0

    def to_date(self, at: int) -> Fiscal | None:
        end = at + 1 if self.low(at) == "fytd" else 0
        if (n := self.spelled(at)) and [self.low(n), self.low(n + 1)] == ["to", "date"]:
            end = n + 2
        until = self.today + timedelta(days=1)
        return Fiscal(end, self.begin("year"), until, "year", True) if end else None

    def moving(self, at: int) -> Fiscal | None:
        step = _STEPS.get(self.low(at))
        if step is None:
            return None
        if self.low(at + 1) == "fy":
            end, grain = at + 2, "year"
        elif self.low(at + 1) in _FISCAL and self.low(at + 2) in ("year", "quarter"):
            end, grain = at + 3, self.low(at + 2)
        else:
            return None
        months = 12 if grain == "year" else 3
        first = shift(self.begin(grain), "month", step * months)
        return Fiscal(end, first, shift(first, "month", months), grain, True)

    def quarter(self, at: int) -> Fiscal | None:
        """ "q2 fy2025", "q2 of fiscal year 2025", "fiscal q2 2025", "fiscal year 2025 q2"."""
        spelled = _QUARTER.fullmatch(self.low(at))
        if spelled:
            year = self.year(at + 1 + (self.low(at + 1) in ("of", "in")))
        elif self.low(at) in _FISCAL and (spelled := _QUARTER.fullmatch(self.low(at + 1))):
            year = self.named(at + 2 + (self.low(at + 2) in ("of", "in")))
        else:
            year = self.year(at)
            spelled = _QUARTER.fullmatch(self.low(year.end)) if year is not None else None
            if year is not None and spelled:
                year = Fiscal(year.end + 1, year.first, year.until, year.grain)
        if year is None or not spelled:
            return None
        first = shift(year.first, "month", 3 * (int(spelled[1]) - 1))
        return Fiscal(year.end, first, shift(first, "month", 3), "quarter")

    def year(self, at: int) -> Fiscal | None:
        """ "fiscal year 2025", "fy 2025", "fy25", "2025 fiscal year"."""
        short = _SHORT.fullmatch(self.low(at))
        if short and short[1]:
            return self.of(at + 1, int(short[1]) + (2000 if len(short[1]) == 2 else 0))
        if n := self.spelled(at):
            return self.named(n)
        end = self.spelled(at + 1)
        found = self.named(at) if end else None
        return Fiscal(end, found.first, found.until, "year") if found is not None else None

    def named(self, at: int) -> Fiscal | None:
        """The fiscal year that a number names; "2025/26" says itself where it begins."""
        text = self.low(at)
        if not (text.isdecimal() and len(text) == 4 and 1900 <= int(text) <= 2100):
            return None
        year, later = int(text), self.low(at + 2)
        if self.low(at + 1) in ("/", "-") and later in (str(year + 1), str(year + 1)[2:]):
            begins = date(year, self.calendar.year, 1)
            return Fiscal(at + 3, begins, shift(begins, "year", 1), "year")
        return self.of(at + 1, year)

    def of(self, end: int, year: int) -> Fiscal:
        ends_later = self.calendar.year > 1 and self.calendar.year_name == "ends"
        first = date(year - ends_later, self.calendar.year, 1)
        return Fiscal(end, first, shift(first, "year", 1), "year")
