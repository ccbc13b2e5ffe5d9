"""Values as exact text, alike in every format that writes text: digits, dates, bytes, lone surrogates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from mirror.results.cells import exact_text

# Lone surrogates, which UTF-8 has no bytes for.
REPLACED = "\ufffd"


def whole(text: str) -> str:
    """Give a text that UTF-8 can write: halves that belong together are joined, a lone one becomes U+FFFD.

    Example:
        >>> whole("a" + chr(0xD83D) + chr(0xDE00)) == "a\U0001f600", whole(chr(0xDC80)) == chr(0xFFFD)
        (True, True)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def iso(value: date | time, sep: str = " ") -> str:
    """Write a date, a time or both by ISO 8601, with no more digits of a second than there are.

    Example:
        >>> iso(datetime(1815, 6, 18, 11, 0, 0, 500_000)), iso(date(1, 2, 3)), iso(time(7, 5), "T")
        ('1815-06-18 11:00:00.5', '0001-02-03', '07:05:00')
    """
    if not isinstance(value, datetime | time):
        return value.isoformat()
    text = value.isoformat(sep) if isinstance(value, datetime) else value.isoformat()
    if not value.microsecond:
        return text
    seconds, fraction = text.split(".", 1)
    return f"{seconds}.{fraction[:6].rstrip('0')}{fraction[6:]}"


def exact(value: Any) -> str:
    """Write any value but NULL so that nothing is lost."""
    return _EXACT.get(value.__class__, _other)(value)


def _other(value: Any) -> str:
    return whole(exact_text(value))


# By class, because an export has millions of cells.
_EXACT: dict[type, Callable[[Any], str]] = {
    str: whole,
    int: str,
    float: exact_text,
    bool: exact_text,
    Decimal: exact_text,
    date: date.isoformat,
    datetime: iso,
    time: iso,
}
