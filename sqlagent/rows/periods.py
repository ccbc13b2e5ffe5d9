"""Months and quarters in the cells of columns that are called so: 2025-11 in `month` is November 2025.

Decides which period a cell is. The page, the mail and the file write it in the language of who reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from sqlagent.rows.columns import in_words

# Characters of "2025-11" and "2025-Q3": longer texts are days.
_SHORT = 7
_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])(?:-01(?:[ T]00:00(?::00(?:\.0+)?)?)?)?")
_QUARTER = re.compile(r"(\d{4})[- ]?Q([1-4])|Q([1-4])[- ]?(\d{4})", re.IGNORECASE)
# Longer texts name no month and no quarter: "2025-11-01 00:00:00.000000".
_LONGEST = 26
# Years that begin elsewhere, bounds of a period, and numbers of one.
_CALLED_OTHER = re.compile(r"\b(?:fiscal|accounting|start|end|first|last|no|id)\b", re.IGNORECASE)
_CALLED_MONTH = re.compile(r"\b(?:month|monat|period)\b", re.IGNORECASE)
_CALLED_QUARTER = re.compile(r"\b(?:quarter|quartal|period)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A month or a quarter of a year by its first day."""

    grain: str
    first: date


def part_of(value: Any, column: str) -> Part | None:
    """Give the month or the quarter that a cell of a column of them is; None for any other cell.

    The column's name has to say so: "2025-11" may be the number of an invoice.

    Example:
        >>> part_of("2025-11", "month"), part_of(date(2025, 7, 1), "Quarter")
        (Part(grain='month', first=datetime.date(2025, 11, 1)), Part(grain='quarter', first=datetime.date(2025, 7, 1)))
        >>> part_of("2025-11", "invoice_no"), part_of("2025-11-02", "month"), part_of(date(2025, 8, 1), "quarter")
        (None, None, None)
        >>> part_of("2025-Q3", "order_quarter").first, part_of("2025-11", "STRFTIME('%Y-%m', ordered_on)").grain
        (datetime.date(2025, 7, 1), 'month')
    """
    if not isinstance(value, date | str):
        return None
    text = value if isinstance(value, str) else _first_text(value)
    if len(text) > _LONGEST:
        return None
    if found := _QUARTER.fullmatch(text):
        year, number = int(found[1] or found[4]), int(found[2] or found[3])
        is_called = year and "quarter" in _grains(column)
        return Part("quarter", date(year, 3 * number - 2, 1)) if is_called else None
    month = _MONTH.fullmatch(text)
    if not month or not int(month[1]):
        return None
    first, grains = date(int(month[1]), int(month[2]), 1), _grains(column)
    if "month" in grains:
        return Part("month", first)
    is_start = text[7:] and first.month in (1, 4, 7, 10)
    return Part("quarter", first) if is_start and "quarter" in grains else None


def holds_periods(column: str, values: Iterable[Any]) -> bool:
    """Say whether a column holds months, or quarters, and nothing else: one other day among them makes all of them days.

    Example:
        >>> holds_periods("month", ["2025-01", None, "2025-02"]), holds_periods("month", ["2025-01-01", "2025-01-15"])
        (True, False)
        >>> holds_periods("fiscal_period", ["2025-01"]), holds_periods("period", ["2025-01", "2025-Q1"])
        (False, False)
    """
    if not _grains(column):
        return False
    grain = ""
    for value in values:
        if value is None:
            continue
        part = part_of(value, column)
        if part is None or grain and part.grain != grain:
            return False
        grain = part.grain
    return bool(grain)


@lru_cache(maxsize=1_000)
def _grains(column: str) -> frozenset[str]:
    """The grains of the periods that a column is called after."""
    called = in_words(column)
    if _CALLED_OTHER.search(called):
        return frozenset()
    told = (("month", _CALLED_MONTH), ("quarter", _CALLED_QUARTER))
    return frozenset(grain for grain, words in told if words.search(called))


def period_written(text: str) -> Part | None:
    """Give the month or the quarter that a text names as databases write them: 2025-11, 2025-Q3; None for days and other texts.

    Example:
        >>> period_written("2025-11"), period_written("2025-11-01")
        (Part(grain='month', first=datetime.date(2025, 11, 1)), None)
    """
    return part_of(text, "period") if len(text) <= _SHORT else None


def _first_text(value: date) -> str:
    """A day as text; one with an hour in it, or of a zone of its own, is no first day."""
    return value.replace(tzinfo=None).isoformat(" ") if isinstance(value, datetime) else value.isoformat()
