"""Periods as analysts write them: 2025, q3 2025, jul-dec 2025, since May 2024, last 60 days, ytd, end of 2024.

Decides which tokens are a period and the days it holds, half open. Which column is meant is
the frame's business. `today` places the relative ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from sqlagent.language.dates import GRAINS, floor, shift
from sqlagent.language.lexicon import MONTHS, NUMBER_WORDS
from sqlagent.language.words import Token
from sqlagent.makers.analyst.fiscal import fiscal
from sqlagent.values import USUAL_CALENDAR, Calendar


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` up to, and without, `until`; either may be open. `at` says "as things stood then".

    `grain` is the unit it was said in; `relative` that it moves with today.
    """

    first: date | None
    until: date | None
    grain: str
    at: bool = False
    relative: bool = False

    @property
    def is_one(self) -> bool:
        """Whether it is one period of its grain, or the last so many days; from one quarter to another are several.

        Example:
            >>> Period(date(2025, 4, 1), date(2025, 7, 1), "quarter").is_one, Period(date(2025, 4, 1), date(2026, 1, 1), "quarter").is_one
            (True, False)
        """
        if self.first is None or self.until is None or self.grain not in ("day", "week", "month", "quarter"):
            return False
        is_of_days = self.relative and self.grain in ("day", "week")
        return is_of_days or shift(self.first, self.grain, 1) == self.until

    def holds(self, other: Period) -> bool:
        """Whether all days of another one are among its own.

        Example:
            >>> year = Period(date(2025, 1, 1), date(2026, 1, 1), "year")
            >>> year.holds(Period(date(2025, 3, 1), date(2025, 4, 1), "month")), year.holds(Period(None, date(2025, 4, 1), "day"))
            (True, False)
        """
        begins = self.first is None or other.first is not None and self.first <= other.first
        ends = self.until is None or other.until is not None and other.until <= self.until
        return begins and ends

    def so_far(self, today: date) -> Period | None:
        """Its days before today where it is under way; None where it is over, or has not begun.

        Example:
            >>> year = Period(date(2026, 1, 1), date(2027, 1, 1), "year")
            >>> year.so_far(date(2026, 6, 1)).until, year.so_far(date(2027, 1, 1)), Period(None, None, "day").so_far(date(2026, 6, 1))
            (datetime.date(2026, 6, 1), None, None)
        """
        if self.first is None or self.first >= today or self.until is not None and self.until <= today:
            return None
        return Period(self.first, today, "day", relative=True)


_LONGER = frozenset({"more", "over", "longer"})
_SHORTER = frozenset({"less", "under", "fewer"})
"""Words before a number of days ago."""


_WRITTEN_YEAR = re.compile(r"(?:19|20)\d\d")
"""A year within a day: 2025-01-01."""


@dataclass(frozen=True, slots=True)
class Found:
    """A period and the tokens, `start` to `end` (exclusive), that say it; `meant` is the order of its ends where they were typed the other way around."""

    start: int
    end: int
    period: Period
    meant: str = ""


_ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": -1,
}
_FROM = {"since", "after", "from"}
_LEADS = {"since", "in", "until", "till", "before", "after", "during", "through", "last"}
"""Words before "may" and "mar" that make a month of them."""
_TO = {"to", "until", "till", "through", "thru", "-", "–", "and", "up"}
_BEFORE = {"before", "until", "till", "prior"}
_PARTS = {"half": 6, "quarter": 3}


def find(tokens: Sequence[Token], today: date, calendar: Calendar = USUAL_CALENDAR) -> list[Found]:
    """Find the periods of a question, in order, without overlaps. Weeks and fiscal years are those of the source.

    Example:
        >>> from sqlagent.language.words import tokenise
        >>> [(f.period.first.isoformat(), f.period.until.isoformat()) for f in find(tokenise("sales jul-dec 2025"), date(2026, 1, 5))]
        [('2025-07-01', '2026-01-01')]
    """
    return _Finder(tokens, today, calendar).all()


_SAID_AGAIN = {
    "month",
    "months",
    "period",
    "time",
    "quarter",
    "quarters",
    "weeks",
    "days",
    "range",
    "timeframe",
    "dates",
}


_YEARS_SAID = {"this": 0, "current": 0, "last": -1, "previous": -1, "prior": -1}
"""Words before "year", and how many years from this one they lead."""


def _same_day(day: date, grain: str, count: int) -> date:
    """The same day so many periods on, or the last one of its month: 31 October and three months are 31 January.

    Example:
        >>> _same_day(date(2026, 8, 31), "month", 6), _same_day(date(2026, 8, 15), "year", -1)
        (datetime.date(2027, 2, 28), datetime.date(2025, 8, 15))
    """
    if grain in ("day", "week"):
        return shift(day, grain, count)
    first = shift(day, grain, count)
    return min(first + timedelta(days=day.day - 1), shift(first, "month", 1) - timedelta(days=1))


def of_years(periods: Sequence[Period]) -> bool:
    """Whether periods are the same part of different years, so that each year has one row."""
    firsts = [p.first for p in periods]
    years = {d.year for d in firsts if d is not None}
    parts = {(d.month, d.day) for d in firsts if d is not None}
    inside = all(
        p.first is not None and p.until is not None and p.until <= date(p.first.year + 1, 1, 1)
        for p in periods
    )
    return inside and len(years) == len(periods) > 1 and len(parts) == 1


def _in_year(known: Period, year: int) -> Period:
    """The same days of another year."""
    assert known.first is not None and known.until is not None
    apart = year - known.first.year

    def moved(day: date) -> date:
        leap = (day.month, day.day) == (2, 29)
        return date(day.year + apart, day.month, 28 if leap else day.day)

    return Period(moved(known.first), moved(known.until), known.grain)


def _said_again(first: Found, second: Found) -> bool:
    """Whether a period says again, in days, what "year to date" before it said."""
    to_date = first.period.relative and first.period.grain == "year" and first.period.until is not None
    return to_date and not second.period.relative and second.start - first.end <= 1


class _Finder:
    def __init__(self, tokens: Sequence[Token], today: date, calendar: Calendar) -> None:
        self.tokens = tokens
        self.today = today
        self.calendar = calendar
        self.lows = [t.low for t in tokens]
        years = [y for n in range(len(tokens)) if (y := self._year(n)) is not None]
        self.only_year = years[0] if len(set(years)) == 1 else None

    def all(self) -> list[Found]:
        out: list[Found] = []
        at = 0
        while at < len(self.tokens):
            if (end := self._named_year(at, out)) is not None:
                at = end
                continue
            if self._leads_back(at):
                self._merge(out)
            same = self._same(at, out)
            if same is not None:
                if same[0].start < at:
                    out.pop()
                out += same
                at = same[-1].end
                continue
            found = self._ranged(at) or self._led(at) or self._plain(at)
            if found is None:
                at += 1
                continue
            if out and _said_again(out[-1], found):
                found = replace(found, start=out.pop().start)
            out.append(found)
            at = found.end
        return out

    def _named_year(self, at: int, out: list[Found]) -> int | None:
        """ "july and august last year": moves the parts of a year right before to that year. Gives the end of what is read."""
        n = at + (self._low(at) in ("of", "in"))
        if self._low(n) not in _YEARS_SAID or self._low(n + 1) != "year":
            return None
        year = self.today.year + _YEARS_SAID[self._low(n)]
        place, end = len(out), at
        while (
            place and self._is_part_without_year(out[place - 1]) and self._is_joined(out[place - 1].end, end)
        ):
            place -= 1
            end = out[place].start
        if place == len(out):
            return None
        out[place:] = [replace(one, period=_in_year(one.period, year)) for one in out[place:]]
        out[-1] = replace(out[-1], end=n + 2)
        return n + 2

    def _leads_back(self, at: int) -> bool:
        """Whether words hold what stands before against another year: "vs last year", "the same months of 2024"."""
        n = at + (self._low(at) in ("vs", "versus"))
        n += self._low(n) == "the"
        if n > at and self._low(n) in ("last", "previous", "prior"):
            return self._low(n + 1) == "year"
        return self._low(n) == "same" and bool({self._low(n + 1), self._low(n + 2)} & _SAID_AGAIN)

    def _merge(self, out: list[Found]) -> None:
        """Make parts of a year that follow each other one, "july and august 2025", so that another year has them all."""
        while len(out) > 1 and self._is_joined(out[-2].end, out[-1].start):
            first, last = out[-2].period, out[-1].period
            if (
                first.until is None
                or first.until != last.first
                or first.grain != last.grain
                or first.relative
            ):
                return
            end = out.pop().end
            out[-1] = Found(out[-1].start, end, Period(first.first, last.until, first.grain))

    def _is_part_without_year(self, found: Found) -> bool:
        one = found.period
        is_whole = one.first is not None and one.until is not None and one.grain != "year"
        return is_whole and not one.relative and not one.at and self._bare_month(found)

    def _is_joined(self, end: int, start: int) -> bool:
        return all(self._low(n) in (",", "and", "&") for n in range(end, start))

    def _same(self, at: int, before: Sequence[Found]) -> list[Found] | None:
        """ "the same months of 2025", "same period last year", "1 Jan to 31 Oct, for 2024, 2025 and 2026": the last period in other years."""
        n = at + (self._low(at) == "the")
        known = before[-1].period if before else None
        if known is None or known.first is None or known.until is None:
            return None
        if self._low(n) == "that" and self._low(n + 1) in (
            "year",
            "month",
            "quarter",
            "week",
            "day",
            "period",
        ):
            return [Found(at, n + 2, known)]
        counted = int(self._count(n + 1) is not None)
        if self._low(n) == "same" and self._low(n + 1 + counted) in _SAID_AGAIN:
            n += 2 + counted
            n += self._low(n) in ("of", "in", "for")
            n += self._low(n) == "the"
            relative = self._low(n) in ("last", "previous", "prior") and self._low(n + 1) == "year"
            year = known.first.year - 1 if relative else self._year(n)
            if relative and known.first <= self.today < known.until:  # as far as the year has come, in both
                to_date = Period(known.first, self.today + timedelta(days=1), known.grain)
                begun = Found(before[-1].start, before[-1].end, to_date)
                return [begun, Found(at, n + 2, _in_year(to_date, known.first.year - 1))]
            return [Found(at, n + 1 + relative, _in_year(known, year))] if year is not None else None
        versus = self._low(at) in ("vs", "versus")
        is_to_date = (
            known.relative
            and known.first == date(known.first.year, 1, 1)
            and known.until == self.today + timedelta(days=1)
        )
        if (
            is_to_date
            and versus
            and self._low(at + 1) in ("last", "previous", "prior")
            and self._low(at + 2) == "year"
        ):
            return [
                Found(at + 1, at + 3, _in_year(known, known.first.year - 1))
            ]  # as far as this year has come
        if known.grain == "year" or known.until > date(known.first.year + 1, 1, 1):
            return None
        year = self._year(at + 1)
        if versus and self._low(at + 1) in ("last", "previous", "prior") and self._low(at + 2) == "year":
            return [Found(at + 1, at + 3, _in_year(known, known.first.year - 1))]
        if self._low(at) in ("and", "vs", "versus") and year is not None and self._year(at - 1) is not None:
            return [Found(at + 1, at + 2, _in_year(known, year))]
        return self._years(at, before)

    def _years(self, at: int, before: Sequence[Found]) -> list[Found] | None:
        """Several years right behind a part of one: that part of each of them."""
        n = at
        while self._low(n) in (",", "for", "in", "of"):
            n += 1
        years: list[tuple[int, int]] = []
        while (year := self._year(n)) is not None:
            years.append((n, year))
            n += 1
            while self._low(n) in (",", "and", "vs", "versus"):
                n += 1
        if len(years) < 2 or years[0][0] == at:
            return None
        starts = [before[-1].start, *(place for place, _ in years[1:])]
        return [
            Found(start, place + 1, _in_year(before[-1].period, year))
            for start, (place, year) in zip(starts, years, strict=True)
        ]

    def _low(self, n: int) -> str:
        return self.lows[n] if 0 <= n < len(self.lows) else ""

    def _year(self, n: int) -> int | None:
        if (
            0 <= n < len(self.tokens)
            and self.tokens[n].kind == "number"
            and len(self.lows[n]) == 4
            and self.lows[n].isdecimal()
        ):
            value = int(self.lows[n])
            return value if 1900 <= value <= 2100 else None
        return None

    def _count(self, n: int) -> int | None:
        low = self._low(n)
        if low.isdecimal() and len(low) < 5:
            return int(low)
        return NUMBER_WORDS.get(low) if low in NUMBER_WORDS and NUMBER_WORDS[low] < 100 else None

    def _ranged(self, at: int) -> Found | None:
        """ "between March and June 2025", "from 2023 to 2025", "jul-dec 2025"."""
        start, n = at, at
        led = self._low(n) in ("between", "from")
        n += led
        first = self._plain(n, ahead=True)
        if first is None or first.period.first is None or first.period.relative and not led:
            return None
        join = self._low(first.end)
        if self._hyphened(first):
            second = self._plain(first.end)
            if second is not None and second.period.until is not None and second.period.first is not None:
                begins = first.period.first.replace(year=second.period.first.year)
                if begins < second.period.until:
                    return Found(start, second.end, Period(begins, second.period.until, second.period.grain))
        if join not in _TO or (join == "and" and self._low(at) != "between"):
            return None
        n = first.end + 1 + (join == "up")
        second = self._end_of(n) or self._plain(n)
        if second is None or second.period.until is None:
            return None
        begins = first.period.first
        if first.period.relative and self._bare_month(second) and not second.period.relative:
            ahead = second.period
            if (
                ahead.first is not None and ahead.until is not None and ahead.until <= begins
            ):  # from today until the next January
                ahead = _in_year(ahead, ahead.first.year + 1)
            return Found(start, second.end, Period(begins, ahead.until, ahead.grain))
        if self._bare_month(first) and not first.period.relative and second.period.first is not None:
            begins = begins.replace(year=second.period.first.year)
            if begins > second.period.first:
                begins = begins.replace(year=begins.year - 1)
        if begins >= second.period.until:
            return self._turned(start, first, join, second)
        return Found(start, second.end, Period(begins, second.period.until, second.period.grain))

    def _turned(self, start: int, first: Found, join: str, second: Found) -> Found | None:
        """A range whose later end was typed first: "between 2026-12-01 and 2025-01-01". Two bare years or months may be two periods."""
        one, other = first.period, second.period
        if start == first.start or one.until is None or other.first is None or other.first >= one.until:
            return None
        if one.relative or other.relative:
            return None
        led, ends = (
            self._low(start),
            [" ".join(t.text for t in self.tokens[f.start : f.end]) for f in (second, first)],
        )
        meant = f"{led} {ends[0]} {join} {ends[1]}"
        return Found(start, second.end, Period(other.first, one.until, one.grain), meant)

    def _start_of(self, n: int) -> Found | None:
        """The period whose start is said: "the start of 2024", "the beginning of the year", which is this one."""
        at = n + (self._low(n) == "the")
        if self._low(at) not in ("start", "beginning") or self._low(at + 1) != "of":
            return None
        return self._whole(n, at + 2)

    def _end_of(self, n: int) -> Found | None:
        """The period whose end is said: "the end of January", "the end of the year", which is this one. Its end is where a range ends."""
        at = n + (self._low(n) == "the")
        if self._low(at) != "end" or self._low(at + 1) != "of":
            return None
        return self._whole(n, at + 2)

    def _whole(self, n: int, at: int) -> Found | None:
        """A period that is named, or "the year" for this one, as said from `n` on."""
        whole = at + (self._low(at) == "the")
        grain = GRAINS.get(self._low(whole), "")
        if not grain or self._low(whole).endswith(("s", "ly")):
            return self._plain(at, ahead=True)
        begin = self._floor(grain)
        return Found(n, whole + 1, Period(begin, shift(begin, grain, 1), grain, relative=True))

    def _hyphened(self, found: Found) -> bool:
        """Whether a month is followed by another one behind a hyphen, which cutting words has dropped."""
        if found.end >= len(self.tokens) or found.end - found.start != 1 or not self._bare_month(found):
            return False
        last, following = self.tokens[found.end - 1], self.tokens[found.end]
        return following.low in MONTHS and following.start == last.end + 1

    def _bare_month(self, found: Found) -> bool:
        return all(
            self._year(n) is None and not _WRITTEN_YEAR.search(self._low(n))
            for n in range(found.start, found.end)
        )

    def _led(self, at: int) -> Found | None:
        """ "since 2024", "before May 2023", "end of 2025", "as of 1 March 2024"."""
        low, n = self._low(at), at + 1
        if (found := self._beyond(at)) is not None:
            return found
        if low in ("at", "by") and (found := self._end_of(n)):
            return self._as_of(at, found)
        if (
            low in ("as", "at")
            and self._low(n) in ("of", "at", "the")
            and (found := self._plain(n + 1 + (self._low(n + 1) == "the")))
        ):
            return self._as_of(at, found)
        ends = ("end", "eoy", "close")
        if low in ends and self._low(n) == "of" and (found := self._plain(n + 1)):
            return self._as_of(at, found)
        if low in ("start", "beginning") and self._low(n) == "of" and (found := self._plain(n + 1)):
            return Found(at, found.end, replace(found.period, until=found.period.first, first=None, at=True))
        if low == "up" and self._low(n) == "to":
            low, n = "until", n + 1
        if low == "prior" and self._low(n) == "to":
            n += 1
        if low in ("since", "from", "after") and (found := self._start_of(n)):
            return Found(at, found.end, replace(found.period, until=None))
        if low in _FROM | _BEFORE and (found := self._end_of(n)):
            if low in _FROM and low != "from":
                return Found(at, found.end, replace(found.period, first=found.period.until, until=None))
            return Found(at, found.end, replace(found.period, first=None)) if low in _BEFORE else None
        if low in _FROM or low in _BEFORE:
            found = self._plain(n)
            if found is None:
                return None
            one = found.period
            if low == "since" or low == "from":
                following = self._low(found.end) in ("on", "onwards", "onward")
                if low == "from" and not following:
                    return None
                return Found(at, found.end + following, replace(one, until=None))
            if low == "after":
                return Found(at, found.end, replace(one, first=one.until, until=None))
            if low in ("before", "prior"):
                return Found(at, found.end, replace(one, first=None, until=one.first))
            return Found(at, found.end, replace(one, first=None))
        return None

    def _beyond(self, at: int) -> Found | None:
        """ "more than 30 days ago" ends so long before today; "less than 2 weeks ago" begins then."""
        low = self._low(at)
        n = at + 1 + (self._low(at + 1) == "than")
        count, grain = self._count(n), GRAINS.get(self._low(n + 1), "")
        if low not in _LONGER | _SHORTER or count is None or not grain or self._low(n + 2) != "ago":
            return None
        day = _same_day(self.today, grain, -count)
        first, until = (None, day) if low in _LONGER else (day, None)
        return Found(at, n + 3, Period(first, until, "day", relative=True))

    @staticmethod
    def _as_of(start: int, found: Found) -> Found:
        return Found(start, found.end, Period(None, found.period.until, found.period.grain, at=True))

    def _plain(self, at: int, ahead: bool = False) -> Found | None:
        if at >= len(self.tokens):
            return None
        return (
            self._fiscal(at)
            or self._edge_of(at)
            or self._relative(at)
            or self._part(at)
            or self._month(at, ahead)
            or self._day(at)
            or self._iso(at)
            or self._bare_year(at)
        )

    def _edge_of(self, at: int) -> Found | None:
        """The end or the start of a period: "the last quarter of 2025", "last two weeks of December", "first month of the year"."""
        n = at + (self._low(at) == "the")
        edge, count = self._low(n), self._count(n + 1)
        unit = n + 1 + (count is not None)
        grain = GRAINS.get(self._low(unit), "")
        if edge not in ("first", "last", "final") or not grain or self._low(unit).endswith("ly"):
            return None
        found = self._whole(at, unit + 2) if self._low(unit + 1) == "of" else None
        if found is None or found.period.first is None or found.period.until is None:
            return None
        first, until = found.period.first, found.period.until
        if edge == "first":
            until = shift(first, grain, count or 1)
        else:
            first = shift(until, grain, -(count or 1))
        if first < found.period.first or until > found.period.until:
            return None
        return Found(at, found.end, replace(found.period, first=first, until=until, grain=grain))

    def _fiscal(self, at: int) -> Found | None:
        found = fiscal(self.lows, at, self.today, self.calendar)
        if found is None:
            return None
        grain = f"fiscal {found.grain}" if self.calendar.year > 1 else found.grain
        period = Period(found.first, found.until, grain, relative=found.relative)
        return Found(at, found.end, period)

    def _floor(self, grain: str) -> date:
        """The first day of the week, month, quarter or year that today lies in."""
        return floor(self.today, grain, self.calendar.week)

    def _relative(self, at: int) -> Found | None:
        low, n = self._low(at), at
        if low == "ytd" or (low == "year" and self._low(at + 1) == "to" and self._low(at + 2) == "date"):
            return Found(
                at,
                at + (1 if low == "ytd" else 3),
                Period(date(self.today.year, 1, 1), self.today + timedelta(days=1), "year", relative=True),
            )
        if low in ("mtd", "qtd"):
            first = self._floor("month" if low == "mtd" else "quarter")
            return Found(at, at + 1, Period(first, self.today + timedelta(days=1), "month", relative=True))
        if low in ("month", "quarter", "week") and self._low(at + 1) == "to" and self._low(at + 2) == "date":
            return Found(
                at, at + 3, Period(self._floor(low), self.today + timedelta(days=1), low, relative=True)
            )
        if low in ("today", "yesterday") and self._low(at + 1) != "'s":
            first = self.today - timedelta(days=low == "yesterday")
            return Found(at, at + 1, Period(first, first + timedelta(days=1), "day", relative=True))
        if self._low(at + 1) == "weekend" and low in ("this", "coming", "last", "past", "previous"):
            begin = self.today + timedelta(
                days=5 - self.today.weekday() - 7 * (low not in ("this", "coming"))
            )
            return Found(at, at + 2, Period(begin, begin + timedelta(days=2), "day", relative=True))
        if low == "the" and self._low(at + 1) in ("last", "past", "previous", "current", "next", "coming"):
            found = self._relative(at + 1)
            return Found(at, found.end, found.period) if found else None
        if low in ("last", "past", "previous", "prior", "trailing"):
            count = self._count(n + 1)
            n += 2 if count is not None else 1
            grain = GRAINS.get(self._low(n), "")
            if not grain or self._low(n).endswith("ly"):
                return None
            if count is None and (low != "past" and not self._low(n).endswith("s")):
                begin = self._floor(grain)
                return Found(at, n + 1, Period(shift(begin, grain, -1), begin, grain, relative=True))
            count = count or 1
            if grain in ("day", "week") or low == "past" and count == 1:
                days = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}[grain] * count
                tomorrow = self.today + timedelta(days=1)  # today is the last of these days
                first = tomorrow - timedelta(days=days)
                return Found(at, n + 1, Period(first, tomorrow, grain, relative=True))
            begin = self._floor(grain)
            return Found(at, n + 1, Period(shift(begin, grain, -count), begin, grain, relative=True))
        if low in ("next", "coming", "upcoming") and (count := self._count(at + 1)) is not None:
            grain = GRAINS.get(self._low(at + 2), "")
            if not grain or self._low(at + 2).endswith("ly"):
                return None
            end = _same_day(self.today, grain, count) + timedelta(days=1)
            return Found(at, at + 3, Period(self.today, end, grain, relative=True))
        if low in ("next", "coming") and (grain := GRAINS.get(self._low(at + 1), "")):
            begin = shift(self._floor(grain), grain, 1)
            return Found(at, at + 2, Period(begin, shift(begin, grain, 1), grain, relative=True))
        if (
            low in ("this", "current")
            and GRAINS.get(self._low(at + 1))
            and not self._low(at + 1).endswith(("s", "ly"))
        ):
            grain = GRAINS[self._low(at + 1)]
            begin = self._floor(grain)
            return Found(at, at + 2, Period(begin, shift(begin, grain, 1), grain, relative=True))
        return None

    def _part(self, at: int) -> Found | None:
        """ "q3 2025", "2025 q3", "first half of 2026", "h1", "second quarter of 2025"."""
        low, n = self._low(at), at
        number, months = 0, 0
        if len(low) == 2 and low[0] in "qh" and low[1] in "1234":
            number, months, n = int(low[1]), 3 if low[0] == "q" else 6, at + 1
        elif low == "the" and self._low(at + 1) in _ORDINALS and self._low(at + 2) in _PARTS:
            found = self._part(at + 1)
            return Found(at, found.end, found.period) if found else None
        elif low in _ORDINALS and self._low(at + 1) in _PARTS:
            months, n = _PARTS[self._low(at + 1)], at + 2
            number = _ORDINALS[low] if _ORDINALS[low] > 0 else 12 // months
            if low == "last" and self._low(n) not in ("of", "in"):
                return None
        if not number or number * months > 12:
            year = self._year(at)
            if (
                year
                and self._low(at + 1)[:1] in ("q", "h")
                and len(self._low(at + 1)) == 2
                and self._low(at + 1)[1] in "1234"
            ):
                found = self._part(at + 1)
                return Found(at, at + 2, self._months(year, found.period.first.month, 3 if self._low(at + 1)[0] == "q" else 6, "quarter")) if found and found.period.first else None  # fmt: skip
            return None
        if self._low(n) in ("of", "in", ",", "/"):
            year = self._year(n + 1)
            n += 2 if year else 0
        else:
            year = self._year(n)
            n += 1 if year else 0
        if not year:
            year = self.only_year or self.today.year
        grain = "quarter" if months == 3 else "half"
        return Found(at, n, self._months(year, (number - 1) * months + 1, months, grain))

    @staticmethod
    def _months(year: int, month: int, count: int, grain: str) -> Period:
        first = date(year, month, 1)
        return Period(first, shift(first, "month", count), grain)

    def _month(self, at: int, ahead: bool = False) -> Found | None:
        low = self._low(at)
        token = self.tokens[at]
        month = MONTHS.get(low) if token.kind == "word" else None
        led = ahead or at > 0 and self._low(at - 1) in _LEADS
        if (
            not month
            or low in ("may", "mar")
            and not token.capital
            and self._year(at + 1) is None
            and not led
        ):
            return None
        n = at + 1
        n += self._low(n) in ("of", ",", "in") and self._year(n + 1) is not None
        year = self._year(n)
        if year:
            return Found(at, n + 1, self._months(year, month, 1, "month"))
        number = self._day_number(at + 1)
        if number:
            m = at + 2 + (self._low(at + 2) == ",")
            year = self._year(m)
            day = self._date(year or self.only_year or self.today.year, month, number)
            if day:
                return Found(at, m + 1 if year else at + 2, Period(day, day + timedelta(days=1), "day"))
        year = self.only_year or (self.today.year if month <= self.today.month else self.today.year - 1)
        return Found(at, at + 1, self._months(year, month, 1, "month"))

    def _day_number(self, n: int) -> int | None:
        low = self._low(n)
        digits = low[:-2] if low[-2:] in ("st", "nd", "rd", "th") else low
        return int(digits) if digits.isdecimal() and len(digits) <= 2 and 1 <= int(digits) <= 31 else None

    def _day(self, at: int) -> Found | None:
        """ "5 March 2024"."""
        number = self._day_number(at)
        n = at + 1 + (self._low(at + 1) == "of")
        month = MONTHS.get(self._low(n))
        if not number or not month:
            return None
        year = self._year(n + 1)
        day = self._date(year or self.only_year or self.today.year, month, number)
        return (
            Found(at, n + 2 if year else n + 1, Period(day, day + timedelta(days=1), "day")) if day else None
        )

    @staticmethod
    def _date(year: int, month: int, day: int) -> date | None:
        try:
            found = date(year, month, day)
        except ValueError:
            return None
        return found if found < date.max else None  # no day comes after it

    def _iso(self, at: int) -> Found | None:
        token = self.tokens[at]
        if token.kind == "date" and token.low.count("/") == 2:
            day = self._slashed(token.low)
            return Found(at, at + 1, Period(day, day + timedelta(days=1), "day")) if day else None
        if token.kind != "date" or token.low[4:5] != "-":
            if (
                self._year(at)
                and self._low(at + 1) == "-"
                and self._low(at + 2).isdecimal()
                and len(self._low(at + 2)) == 2
            ):
                month = int(self._low(at + 2))
                year = self._year(at)
                if year and 1 <= month <= 12:
                    return Found(at, at + 3, self._months(year, month, 1, "month"))
            return None
        parts = [int(p) for p in token.low[:10].split("-")]
        day = self._date(*parts) if len(parts) == 3 else None
        return Found(at, at + 1, Period(day, day + timedelta(days=1), "day")) if day else None

    def _slashed(self, text: str) -> date | None:
        """A day with slashes, whose month may come first or second; None where both are months and nothing tells which."""
        first, second, year = (int(part) for part in text.split("/"))
        if len(text.rpartition("/")[2]) != 4 or (first <= 12 and second <= 12 and first != second):
            return None
        return self._date(year, min(first, second), max(first, second))

    def _bare_year(self, at: int) -> Found | None:
        year = self._year(at)
        return Found(at, at + 1, Period(date(year, 1, 1), date(year + 1, 1, 1), "year")) if year else None
