"""Values shown as a person chose for their column: numbers, currencies, percentages, dates.

Decides what a format makes of a value. A value that it does not fit (NaN, a text in a column of dates) has no text here
and is shown as it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlagent.values import ColumnFormat

NUMBERS = ("number", "currency", "percent", "points")

TOLD_POINTS = "told_points"
"""The style of percentages that nobody chose a format for: 12 is 12 %, with two decimals at most."""

DATES = {
    "day": "%-d %b %Y",
    "weekday": "%a %-d %b %Y",
    "month": "%b %Y",
    "year": "%Y",
    "dots": "%d.%m.%Y",
    "slashes": "%d/%m/%Y",
    "american": "%m/%d/%Y",
    "minute": "%-d %b %Y, %H:%M",
}
"""Forms of dates, as both Python and the drawing library write them."""

MOST_DECIMALS = 10
# Longer numbers are shown by their power of ten, as they are without a format.
_LARGEST = 1e15
_DATE = re.compile(r"\d{4}-\d\d(-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?")


def column_format(formats: Iterable[ColumnFormat], column: str) -> ColumnFormat | None:
    """Find the format of a column by its name; columns of one name share it."""
    return next((one for one in formats if one.column == column), None)


def formatted(value: Any, wanted: ColumnFormat | None) -> str | None:
    """Write a value as its format says; None where it says nothing of such a value.

    Example:
        >>> formatted(1234.5, ColumnFormat("a", "currency", 2, unit="€")), formatted(-3, ColumnFormat("a", "currency", 0, unit="NOK"))
        ('€1,234.50', '-3\\xa0NOK')
        >>> formatted(Decimal("0.1234"), ColumnFormat("a", "percent", 1)), formatted(12.34, ColumnFormat("a", "points"))
        ('12.3%', '12.3%')
        >>> formatted("2026-11-27", ColumnFormat("a", "day")), formatted(float("nan"), ColumnFormat("a", "number", 2))
        ('27 Nov 2026', None)
        >>> [formatted(n, ColumnFormat("a", TOLD_POINTS)) for n in (12.3456, 7, Decimal("1250.5"), 0.00123, -0.0)]
        ['12.35\\xa0%', '7\\xa0%', '1,250.5\\xa0%', '0.0012\\xa0%', '0\\xa0%']
    """
    if wanted is None or value is None or isinstance(value, bool):
        return None
    if wanted.style in DATES:
        when = moment_of(value)
        return None if when is None else _dated(when, DATES[wanted.style])
    if wanted.style == TOLD_POINTS and isinstance(value, int | float | Decimal):
        return _pointed(value)
    if wanted.style in NUMBERS and isinstance(value, int | float | Decimal):
        return _numbered(value, wanted)
    return None


def tick_format(wanted: ColumnFormat | None) -> dict[str, str]:
    """Give a format as an axis of the drawing library takes it; empty where there is none.

    Example:
        >>> tick_format(ColumnFormat("a", "currency", 0, unit="€"))
        {'tickformat': ',.0f', 'hoverformat': ',.0f', 'tickprefix': '€'}
        >>> tick_format(ColumnFormat("a", "month"))
        {'tickformat': '%b %Y', 'hoverformat': '%b %Y'}
    """
    if wanted is None or not wanted.style:
        return {}
    if wanted.style in DATES:
        return _both(DATES[wanted.style])
    comma = "," if wanted.grouped else ""
    places = _places(wanted)
    if wanted.style == "percent":
        return _both(f"{comma}.{places}%")
    told = _both(f"{comma}.{places}f" if places is not None else comma or ".12~r")
    if wanted.style == "points":
        return told | {"ticksuffix": "%"}
    if wanted.style == "currency" and wanted.unit:
        return told | (
            {"tickprefix": wanted.unit} if _leads(wanted.unit) else {"ticksuffix": f"\xa0{wanted.unit}"}
        )
    return told


def _both(form: str) -> dict[str, str]:
    return {"tickformat": form, "hoverformat": form}


def _numbered(value: int | float | Decimal, wanted: ColumnFormat) -> str | None:
    exact: Decimal | float = Decimal(value) if isinstance(value, int) else value
    if not math.isfinite(exact) or (isinstance(exact, float) and abs(exact) >= _LARGEST):
        return None
    comma, places = "," if wanted.grouped else "", _places(wanted)
    if wanted.style == "percent":
        return _signed(f"{exact:{comma}.{places}%}")
    if places is None:
        text = f"{exact:{comma}.{0 if isinstance(value, int) else 6}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{exact:{comma}.{places}f}"
    text = _signed(text)
    if wanted.style == "points":
        return f"{text}%"
    if wanted.style != "currency" or not wanted.unit:
        return text
    if not _leads(wanted.unit):
        return f"{text}\xa0{wanted.unit}"
    return f"-{wanted.unit}{text[1:]}" if text.startswith("-") else f"{wanted.unit}{text}"


def _pointed(value: int | float | Decimal) -> str | None:
    """A percentage with two decimals at most; below a hundredth of a percent with its first two digits."""
    exact = Decimal(str(value))
    if not exact.is_finite() or abs(exact) >= Decimal(_LARGEST) or 0 < abs(exact) < Decimal("1e-8"):
        return None
    places = 2 if not exact or abs(exact) >= Decimal("0.01") else 1 - exact.adjusted()
    text = f"{exact:,.{places}f}"
    return _signed(text.rstrip("0").rstrip(".")) + "\xa0%"


def _signed(text: str) -> str:
    """Take the sign from what is rounded to nothing: there is no -0.00."""
    return text if any(digit in text for digit in "123456789") else text.removeprefix("-")


def _places(wanted: ColumnFormat) -> int | None:
    usual = {"currency": 2, "percent": 1, "points": 1}
    places = usual.get(wanted.style) if wanted.decimals is None else wanted.decimals
    return None if places is None else max(0, min(MOST_DECIMALS, places))


def _leads(unit: str) -> bool:
    """Whether a currency stands before the number: signs do, letters stand behind."""
    return not any(letter.isalpha() for letter in unit)


def moment_of(value: Any) -> date | None:
    """The day or time that a value of a column of dates is; None for any other."""
    if isinstance(value, date):
        return value
    if isinstance(value, str) and len(value) < 40 and _DATE.fullmatch(value):
        try:
            return datetime.fromisoformat(value if len(value) > 7 else f"{value}-01")
        except ValueError:
            return None
    return None


def _dated(when: date, form: str) -> str:
    """Write a date; years before 1000 have four digits too, which not every system gives them."""
    return when.strftime(form.replace("%Y", f"{when.year:04d}"))
