"""One stored value as people and programs see it: for reading, for copying, and as JSON.

Decides how a cell is written down; the kind of a column tells its content. For reading,
numbers are grouped and rounded; for copying and as JSON nothing is lost.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from typing import Any
from uuid import UUID

from mirror.phrases import dated, part_said, separated, separators
from sqlagent.rows.contents import Content, content_of
from sqlagent.rows.formats import formatted, moment_of
from sqlagent.rows.percents import is_fraction
from sqlagent.rows.periods import part_of
from sqlagent.values import ColumnFormat

# The largest integer a browser's number holds exactly (IEEE 754 double).
SAFE_INTEGER = 2**53 - 1

# The longest text shown in a table cell, and the longest that stays one copy away; a download has every one.
SHOWN_CHARS = 300
EXACT_CHARS = 5_000

# Formats with names of months and days, as Django writes them.
_FORMS = {"day": "j M Y", "weekday": "D j M Y", "minute": "j M Y, H:i", "month": "M Y"}


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a cell: where it begins and how long it is, in percent of the cell's width. Zero is at `zero`."""

    start: float
    length: float
    zero: float
    is_negative: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell ready to print: what is shown, what a copy gives, and its look (`num`, `null`, `code`, ``).

    One that `is_cut` is so long that a copy has to ask for it. Where it is a choice, its address is `url`; `why` it holds no figure.
    """

    text: str
    exact: str = ""
    look: str = ""
    is_cut: bool = field(default=False, repr=False)
    bar: Bar | None = field(default=None, repr=False)
    url: str = field(default="", repr=False)
    why: str = field(default="", repr=False)
    is_chosen: bool = field(default=False, repr=False)


def shown(
    value: Any, column: str = "", wanted: ColumnFormat | None = None, content: Content | None = None
) -> Cell:
    """Write a value for reading, in a format if one is `wanted`; `exact` is filled where the shown text is not the value itself.

    `content` says what the whole column holds; without it the value stands alone.

    Example:
        >>> shown(1234567.128)
        Cell(text='1,234,567.13', exact='1234567.128', look='num')
        >>> shown(2024, "year").text
        '2024'
        >>> shown(None).text, shown("2025-11", "month").text, shown(date(2025, 7, 1), "quarter")
        ('NULL', 'Nov 2025', Cell(text='Q3 2025', exact='2025-07-01', look=''))
    """
    if value is None:
        return Cell("NULL", look="null")
    if isinstance(value, bool):
        return Cell("true" if value else "false")
    styled = formatted(value, wanted)
    if styled is not None:
        styled = _in_language(styled, value, wanted)
        exact = exact_text(value)
        is_number = isinstance(value, int | float | Decimal)
        return Cell(styled, "" if styled == exact else exact, "num" if is_number else "")
    content = content or content_of(column, (value,))
    if isinstance(value, int | float | Decimal):
        text, exact = separated(_number(value, column, not content.is_named)), exact_text(value)
        return Cell(text, "" if text == exact else exact, "num")
    exact = exact_text(value)
    is_plain = content.has_periods and (wanted is None or not wanted.style)
    part = part_of(value, column) if is_plain else None
    if part is not None:
        return Cell(part_said(part.grain, part.first), exact)
    look = "code" if isinstance(value, bytes | list | dict | UUID) else ""
    text = exact if len(exact) <= SHOWN_CHARS else exact[:SHOWN_CHARS] + "…"
    is_cut = len(exact) > EXACT_CHARS
    return Cell(text, "" if text == exact or is_cut else exact, look, is_cut)


def _in_language(styled: str, value: Any, wanted: ColumnFormat | None) -> str:
    """A formatted value as the language writes it: its months, its separators."""
    form = _FORMS.get(wanted.style) if wanted else None
    moment = moment_of(value) if form else None
    if form and moment is not None:
        return dated(moment, form)
    return separated(styled) if isinstance(value, int | float | Decimal) else styled


def on_clock(at: datetime, zone: tzinfo) -> datetime:
    """Give a time that has a zone as the clocks of another one show it; where these would need the year 0 or 10000, and without a zone, as it is.

    Example:
        >>> from datetime import UTC
        >>> from zoneinfo import ZoneInfo
        >>> str(on_clock(datetime(2026, 7, 1, 22, tzinfo=UTC), ZoneInfo("Europe/Oslo")))
        '2026-07-02 00:00:00+02:00'
        >>> str(on_clock(datetime(9999, 12, 31, 23, 59, tzinfo=UTC), ZoneInfo("Europe/Oslo")))
        '9999-12-31 23:59:00+00:00'
    """
    try:
        return at.astimezone(zone) if at.tzinfo is not None else at
    except OverflowError:
        return at


def clock_text(at: datetime) -> str:
    """Write a moment for reading, as a clock shows it: seconds only where there are some, the zone only where the clock shows it twice.

    Example:
        >>> clock_text(datetime(2026, 10, 25, 12, 35)), clock_text(datetime(2026, 10, 25, 12, 35, 7))
        ('2026-10-25 12:35', '2026-10-25 12:35:07')
    """
    text = at.replace(tzinfo=None, microsecond=0).isoformat(" ", "seconds" if at.second else "minutes")
    return f"{text} {at:%z}" if is_repeated(at) else text


def is_repeated(at: datetime) -> bool:
    """Say whether the clocks of a moment's zone show its hour twice, as where they are set back.

    Example:
        >>> from zoneinfo import ZoneInfo
        >>> is_repeated(datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Oslo"))), is_repeated(datetime(2026, 10, 25, 2, 30))
        (True, False)
    """
    return at.tzinfo is not None and at.utcoffset() != at.replace(fold=1 - at.fold).utcoffset()


def aligned(texts: Sequence[str]) -> list[str]:
    """Give numbers of one column as many decimals as the one with most has; texts that are no such numbers stay as they are.

    They are written in the language that is active.

    Example:
        >>> aligned(["1,234.5", "7", "0.25", "NULL"]), aligned(["7", "8"]), aligned(["1.5e+20", "2"])
        (['1,234.50', '7.00', '0.25', 'NULL'], ['7', '8'], ['1.5e+20', '2'])
        >>> aligned(["12.35\\xa0%", "7\\xa0%"])
        ['12.35\\xa0%', '7.00\\xa0%']
    """
    point, group = separators()
    number = re.compile(rf"-?[0-9][0-9{re.escape(group)}]*(?:{re.escape(point)}([0-9]+))?(\xa0%)?")
    plain = [number.fullmatch(text) for text in texts]
    places = max((len(found[1] or "") for found in plain if found), default=0)
    if not places or any("e" in text and text[-1:].isdigit() for text in texts):
        return list(texts)
    return [
        text if not found else _padded(text, places - len(found[1] or ""), point, found[2] or "")
        for text, found in zip(texts, plain, strict=True)
    ]


def _padded(text: str, zeros: int, point: str, unit: str) -> str:
    """A number with so many zeros behind its decimals, before its unit."""
    number = text.removesuffix(unit)
    return (number if point in number else f"{number}{point}") + "0" * zeros + unit


def most_decimals(value: float) -> int | None:
    """Give the most decimals that a number of this size is shown with; None where it is written with an exponent, or is no finite number.

    Example:
        >>> most_decimals(376696.52), most_decimals(396.1), most_decimals(-0.3), most_decimals(1e-7), most_decimals(math.inf)
        (2, 4, 6, None, None)
    """
    size = abs(value)
    if not math.isfinite(value) or size >= 1e15 or 0 < size < 1e-4:
        return None
    return 2 if size >= 1000 else 4 if size >= 1 else 6


def decimals_shown(value: float) -> int | None:
    """Count the decimals that a number is shown with; None where it is written with an exponent, or is no finite number.

    Example:
        >>> decimals_shown(376696.520000001), decimals_shown(396.1279142857), decimals_shown(8.0), decimals_shown(1e-7)
        (2, 4, 0, None)
    """
    text = _number(value)
    return len(text.partition(".")[2]) if re.fullmatch(r"-?[0-9.]+", text) else None


def exact_text(value: Any) -> str:
    """Write a value so that nothing is lost; NULL is empty.

    Example:
        >>> exact_text(Decimal("5.00")), exact_text(datetime(1815, 6, 18, 11, 0)), exact_text(b"\\x00a")
        ('5.00', '1815-06-18 11:00:00', '0x0061')
    """
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case float():
            return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case Decimal():
            return format(value, "f") if value.is_finite() else str(value)
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case bytes() | bytearray() | memoryview():
            return "0x" + bytes(value).hex()
        case list() | tuple() | dict():
            return json.dumps(value, default=exact_text, ensure_ascii=False)
        case _:
            return str(value)


def json_cell(value: Any, chars: int | None = None) -> Any:
    """Write a value as JSON that every reader reads alike.

    Decimals, integers beyond 2^53, dates and bytes are strings; a float that is no number is
    its name. Texts longer than `chars` are cut with an ellipsis.

    Example:
        >>> json_cell(2**60), json_cell(7), json_cell(Decimal("1.50")), json_cell(float("nan"))
        ('1152921504606846976', 7, '1.50', 'nan')
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    text = exact_text(value).encode("utf-8", "replace").decode()
    return text if chars is None or len(text) <= chars else text[:chars] + "…"


def value_kind(value: Any) -> str:
    """Name what a value is, in the words of `sqlagent.values.Kind`; empty for NULL."""
    match value:
        case None:
            return ""
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float() | Decimal():
            return "number"
        case str() | UUID():
            return "text"
        case datetime():
            return "datetime"
        case date():
            return "date"
        case time() | timedelta():
            return "time"
        case bytes() | bytearray() | memoryview():
            return "binary"
        case _:
            return "other"


def _number(value: int | float | Decimal, column: str = "", grouped: bool = False) -> str:
    """Write a number for reading, thousands apart if `grouped`."""
    if isinstance(value, int):
        return f"{value:,}" if grouped else str(value)
    if not math.isfinite(value):
        return str(value)
    if isinstance(value, Decimal) and -int(value.as_tuple().exponent) <= 4:
        return f"{value:,f}" if grouped else f"{value:f}"
    places = most_decimals(float(value))
    if places is None:
        return f"{value:.6g}"
    if column and is_fraction(column, float(value)):
        places = min(places, 4)
    text = f"{value:,.{places}f}" if grouped else f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
