"""Times of day as people type them: "after 6pm", "before 9:30", "between 9 and 5pm", "at noon".

Reads spans of a day in minutes from midnight. The words for parts of a day ("in the evening") stand in the lexicon, since a
source may store them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlagent.language.words import Token
from sqlagent.makers.analyst.lexicon import OPERATORS

DAY = 24 * 60
PARTS = {
    "in the morning": ("05:00", "12:00"),
    "in the afternoon": ("12:00", "18:00"),
    "in the evening": ("18:00", "24:00"),
    "at night": ("22:00", "05:00"),
}
"""Parts of a day, as the lexicon reads them."""
_AFTER = frozenset({"after", "from", "past", "since"})
_BEFORE = frozenset({"before", "until", "till", "by"})
_TO = frozenset({"and", "to", "until", "till", "-", "–"})
_NAMED = {"noon": 12 * 60, "midday": 12 * 60, "midnight": 0}


@dataclass(frozen=True, slots=True)
class Found:
    """A span of the day in tokens `start` to `end` (exclusive): from minute `first` until before minute `last`."""

    start: int
    end: int
    first: int
    last: int

    @property
    def detail(self) -> str:
        """The span as two times of day.

        Example:
            >>> Found(0, 2, 18 * 60, DAY).detail
            '18:00-24:00'
        """
        return f"{_told(self.first)}-{_told(self.last)}"


def is_time(text: str) -> bool:
    """Whether a text is a time of day as `Found.detail` writes it.

    Example:
        >>> is_time("18:30"), is_time("24:00"), is_time("6pm")
        (True, True, False)
    """
    return text == "24:00" or re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text) is not None


def told_hours(text: str) -> str:
    """The hours of a word for a part of the day, also where a table stores that word as a value; empty of any other.

    Example:
        >>> told_hours("Evening"), told_hours("concert")
        ('18:00-24:00', '')
    """
    op, detail = OPERATORS.get(text.lower(), ("", ""))
    return detail if op == "clock" else ""


def find(tokens: Sequence[Token]) -> Iterator[Found]:
    """Give the spans of a day that a question names, in its order. A bare number is no time of day.

    Example:
        >>> from sqlagent.language.words import tokenise
        >>> [found.detail for found in find(tokenise("orders after 6pm")) ]
        ['18:00-24:00']
        >>> [found.detail for found in find(tokenise("tickets between 9 and 5pm or at 20:30"))]
        ['09:00-17:00', '20:30-21:30']
    """
    at = 0
    while at < len(tokens):
        found = _span(tokens, at)
        if found is not None:
            yield found
            at = found.end
        else:
            at += 1


def _span(tokens: Sequence[Token], at: int) -> Found | None:
    low = tokens[at].low
    if low in ("between", "from"):
        one = _clock(tokens, at + 1, loose=True)
        if one is not None and one[0] < len(tokens) and tokens[one[0]].low in _TO:
            other = _clock(tokens, one[0] + 1)
            if other is not None:
                return Found(at, other[0], *_ends(one, other))
    own = _clock(tokens, at + 1) if low in {*_AFTER, *_BEFORE, "at"} else None
    if own is None:
        return None
    end, minute, _ = own
    if low in _AFTER:
        return Found(at, end, minute, DAY)
    if low in _BEFORE:
        return Found(at, end, 0, minute or DAY)
    return Found(at, end, minute, min(minute + 60, DAY))


def _ends(one: tuple[int, int, str], other: tuple[int, int, str]) -> tuple[int, int]:
    """Both ends of a span; a bare first hour is of the same half of the day where it then lies before the second."""
    first, last = one[1], other[1] or DAY
    if not one[2] and other[2] == "pm" and first + 12 * 60 < last:
        first += 12 * 60
    return first, last


def _clock(tokens: Sequence[Token], at: int, loose: bool = False) -> tuple[int, int, str] | None:
    """A time of day at a token: where it ends, its minute, and "am", "pm", ":" or nothing of a bare hour (where `loose`)."""
    if at >= len(tokens):
        return None
    low = tokens[at].low
    if low in _NAMED:
        return at + 1, _NAMED[low], ":"
    half = low[-2:] if low[-2:] in ("am", "pm") else ""
    digits = low.removesuffix(half) if half else low
    if not digits.isdecimal() or len(digits) > 2:
        return None
    hour, minute, end = int(digits), 0, at + 1
    if not half and [t.low for t in tokens[end : end + 1]] == [":"] and end + 1 < len(tokens):
        low = tokens[end + 1].low
        half = low[-2:] if low[-2:] in ("am", "pm") else ":"
        digits = low.removesuffix(half)
        if len(digits) != 2 or not digits.isdecimal():
            return None
        minute, end = int(digits), end + 2
    if half in ("", ":") and end < len(tokens) and tokens[end].low in ("am", "pm"):
        half, end = tokens[end].low, end + 1
    if not half and not loose or minute > 59 or hour > (24 if half in ("", ":") else 12):
        return None
    if half in ("am", "pm"):
        hour = hour % 12 + (12 if half == "pm" else 0)
    return end, min(hour * 60 + minute, DAY), half


def _told(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
