"""The content of columns of some rows: a measure, a time, a category or a key.

Shared by the stages that draw and tell rows. It decides from the kinds a driver tells, from
column names and from the cells; nothing here knows a catalog, a chart or a sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from zoneinfo import ZoneInfo

from sqlagent.values import Cell, Kind, Rows

SAMPLE = 2_000
"""Cells looked at to tell what a column holds, where the driver does not say."""


LARGEST = 1e290
"""Numbers beyond this are not reckoned with: sums of them leave the range of floats."""


class Role(StrEnum):
    """The use of a column when rows are drawn or told."""

    MEASURE = "measure"
    TIME = "time"
    CATEGORY = "category"
    KEY = "key"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Profile:
    """One column: its place, what it holds and what that is good for.

    `ordered` says that its values have an order of their own (times, years, months, weekdays). `called` is what it is
    called where its name does not say enough.
    """

    name: str
    index: int
    kind: Kind
    role: Role
    distinct: int
    nulls: int
    ordered: bool = False
    called: str = ""

    @property
    def words(self) -> str:
        """The column's name in words, or the one that somebody gave it."""
        return self.called or in_words(self.name)


_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?")
_DATETIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_QUARTER = re.compile(r"\d{4}[- ]?Q[1-4]|Q[1-4][- ]?\d{4}|\d{4}-W\d\d", re.IGNORECASE)
_KEY = re.compile(
    r"(?:^|_)(?:id|ids|uuid|guid|key|pk|fk|sku|isbn|ean|iban|zip|zipcode|postcode|postal_code|phone|fax|ssn|code"
    r"|hash|oid|rowid)$",
    re.IGNORECASE,
)
_CAMEL_KEY = re.compile(r"[a-z](?:ID|Id|Key|Code)$")
# A year, or the two digits of a month, day, hour or week, as SQLite's STRFTIME writes them.
_PART = re.compile(r"1\d{3}|2[01]\d\d|[0-5]\d")
_YEAR = re.compile(r"(?:^|_)(?:year|yr|season|jahr|ann[eé]e)(?:$|_)|[a-z]Year$", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?:^|_)(?:month|quarter|week|weekday|dow|day_of_week|day|hour|isoweek|month_number)(?:$|_)",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?:count|sum|total|avg|average|mean|num|number|n|max|min|median)\b|\(", re.IGNORECASE)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def profiles(rows: Rows) -> tuple[Profile, ...]:
    """Tell what each column holds.

    Numbers that name things (ids, codes, years, months) are not measures. Texts that all look
    like ISO dates are times, as SQLite has no other.

    Example:
        >>> [str(p.role) for p in profiles(Rows(("city", "sales_id", "year", "sales"), (("Oslo", 7, 2024, 1.5),)))]
        ['category', 'key', 'time', 'measure']
    """
    return tuple(_profile(rows, i) for i in range(len(rows.columns)))


def profile(rows: Rows, name: str) -> Profile:
    """Tell what one column holds. Raises: ValueError when there is no such column."""
    return _profile(rows, rows.columns.index(name))


def _profile(rows: Rows, index: int) -> Profile:
    name = rows.columns[index]
    cells = [row[index] for row in rows.rows]
    full = [cell for cell in cells if cell is not None]
    told = rows.kinds[index] if index < len(rows.kinds) else Kind.OTHER
    kind = _kind(full[:SAMPLE], told)
    role, ordered = _role(name, kind, full[:SAMPLE], len(rows.rows))
    try:
        distinct = len(set(full))
    except TypeError:
        distinct = len({repr(cell) for cell in full})
    return Profile(name, index, kind, role, distinct, len(cells) - len(full), ordered)


def _kind(cells: Sequence[Cell], told: Kind) -> Kind:
    if told not in (Kind.OTHER, Kind.TEXT):
        return told
    if not cells:
        return told
    if all(isinstance(c, bool) for c in cells):
        return Kind.BOOLEAN
    if all(isinstance(c, int) and not isinstance(c, bool) for c in cells):
        return Kind.INTEGER
    if all(isinstance(c, (int, float, Decimal)) and not isinstance(c, bool) for c in cells):
        return Kind.NUMBER
    if all(isinstance(c, datetime) for c in cells):
        return Kind.DATETIME
    if all(isinstance(c, date) for c in cells):
        return Kind.DATE
    if all(isinstance(c, time) for c in cells):
        return Kind.TIME
    if all(isinstance(c, str) for c in cells):
        if all(_DATE.fullmatch(c) for c in cells):
            return Kind.DATE
        if all(_DATETIME.fullmatch(c) for c in cells):
            return Kind.DATETIME
        return Kind.TEXT
    if all(isinstance(c, (bytes, bytearray, memoryview)) for c in cells):
        return Kind.BINARY
    return told


def _role(name: str, kind: Kind, cells: Sequence[Cell], rows: int) -> tuple[Role, bool]:
    if kind in (Kind.DATE, Kind.DATETIME):
        return Role.TIME, True
    if kind in (Kind.INTEGER, Kind.NUMBER) and not any(number_of(c) is not None for c in cells):
        return Role.OTHER, False
    key = bool(_KEY.search(name) or _CAMEL_KEY.search(name)) and not _COUNTED.match(name)
    if kind == Kind.INTEGER:
        if key:
            return Role.KEY, False
        if is_year(name, cells):
            return Role.TIME, True
        if _PERIOD.search(name) and not _COUNTED.match(name) and all(0 <= c <= 53 for c in cells):
            return Role.CATEGORY, True
        return Role.MEASURE, False
    if kind == Kind.NUMBER:
        if is_year(name, cells):
            return Role.TIME, True
        return (Role.KEY if key else Role.MEASURE), False
    if kind == Kind.BOOLEAN:
        return Role.CATEGORY, False
    if kind in (Kind.TEXT, Kind.TIME):
        if kind == Kind.TEXT and key and rows > 1 and len(set(map(str, cells))) == len(cells):
            return Role.KEY, False
        return Role.CATEGORY, kind == Kind.TIME or has_order(cells)
    return Role.OTHER, False


def is_year(name: str, cells: Iterable[Cell]) -> bool:
    """Say whether a column of numbers holds years: by its name, and by its cells.

    Example:
        >>> is_year("founded_year", [1998, 2011]), is_year("year_count", [3, 4])
        (True, False)
    """
    if not _YEAR.search(name):
        return False
    return all(
        c == int(c) and 1000 <= c <= 2200
        for c in cells
        if isinstance(c, (int, float, Decimal)) and _finite(c)
    )


def has_order(cells: Sequence[Cell]) -> bool:
    """Say whether texts are years, months, weekdays or quarters, which have an order of their own.

    Example:
        >>> has_order(["2024", "2023"]), has_order(["09", "10"]), has_order(["Oslo"])
        (True, True, False)
    """
    texts = [str(c) for c in cells]
    if not texts:
        return False
    if all(_PART.fullmatch(t) for t in texts):
        return True
    if all(_QUARTER.fullmatch(t) for t in texts):
        return True
    return all(_calendar(t) is not None for t in texts)


def order_key(cell: Cell) -> tuple[int, float | str]:
    """Give a cell its place among ordered values: numbers, calendar names, then texts; NULL last.

    Example:
        >>> sorted(["Mar", "Jan", "Feb"], key=order_key)
        ['Jan', 'Feb', 'Mar']
    """
    if cell is None:
        return (3, "")
    number = number_of(cell)
    if number is not None:
        return (0, number)
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        return (2, str(cell.astimezone(UTC)))
    text = str(cell)
    place = _calendar(text)
    if place is not None:
        return (1, float(place))
    quarter = re.fullmatch(r"(Q[1-4])[- ]?(\d{4})", text, re.IGNORECASE)
    return (2, f"{quarter[2]}-{quarter[1]}" if quarter else text)


def _calendar(text: str) -> int | None:
    low = text.strip().lower()
    short = low[:3]
    for names, full in ((_MONTHS, _MONTH_NAMES), (_DAYS, _DAY_NAMES)):
        if short in names and (low == short or low in full or low.rstrip(".") == short):
            return names.index(short)
    return None


_MONTH_NAMES = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "sept",
        "october",
        "november",
        "december",
    ]
)
_DAY_NAMES = frozenset(
    [
        "monday",
        "tuesday",
        "tues",
        "wednesday",
        "wednes",
        "thursday",
        "thur",
        "thurs",
        "friday",
        "saturday",
        "sunday",
    ]
)


_WINDOWED = {"running": "running total", "moving": "moving average"}
"""Figures over the rows before, which the built-in analyst names by how they go."""


_OF_PERIOD = re.compile(
    r"(\w.*) (q[1-4]|january|february|march|april|may|june|july|august|september|october|november|december) ((?:19|20)\d\d)"
)
"""A figure with its quarter or month: "revenue q3 2026"."""


def in_words(name: str) -> str:
    """Say a column's name in words; an expression too long to be a name is a result.

    Example:
        >>> in_words("total_revenue"), in_words("SUM(o.net_amount)"), in_words("COUNT(*)"), in_words("firstName")
        ('Total revenue', 'Total net amount', 'Count', 'First name')
        >>> in_words("revenue_q3_2026"), in_words("orders_march_2026"), in_words("revenue_2026")
        ('Revenue, Q3 2026', 'Orders, March 2026', 'Revenue 2026')
    """
    text = name.strip().strip('"`[]')
    call = re.fullmatch(r"(\w+)\s*\((.*)\)", text, re.DOTALL)
    if call and _balanced(call[2]):
        return _call(call[1].lower(), call[2].strip())
    if re.fullmatch(r"[\w.\"`]+", text):
        text = text.split(".")[-1].strip('"`')
        text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).replace("_", " ").strip()
        words = [w if w.isupper() and len(w) > 1 and not text.isupper() else w.lower() for w in text.split()]
        text = _WINDOWED.get(" ".join(words), " ".join(words))
        text = _OF_PERIOD.sub(lambda found: f"{found[1]}, {found[2].capitalize()} {found[3]}", text)
    elif len(text) > LONG_NAME and re.search(r"[()*/+=<>]", text):
        return "Result"
    return text[:1].upper() + text[1:]


def _call(function: str, arguments: str) -> str:
    """Say a call of a function as the name of what it gives."""
    if function in _PERIODS:
        return _period(arguments)
    distinct = re.match(r"distinct\s+", arguments, re.IGNORECASE)
    inner = arguments[distinct.end() :] if distinct else arguments
    if function in _WRAPPERS:
        return in_words(_first_argument(inner))
    simple = re.fullmatch(r"[\w.\"`]+", inner) is not None and not inner.isdigit()
    of = in_words(inner) if simple else ""
    of = of[:1].lower() + of[1:]
    if function == "count":
        key = inner.split(".")[-1].strip('"`')
        if not of or (not distinct and (_KEY.search(key) or _CAMEL_KEY.search(key))):
            return "Count"
        return f"Number of {'distinct ' if distinct else ''}{of}"
    if not of:
        return _CALLS.get(function, "Result")
    return (
        f"{_CALLS[function]} {of}" if function in _CALLS else f"{function[:1].upper()}{function[1:]} of {of}"
    )


def _first_argument(arguments: str) -> str:
    """Take what a rounding, a cast or a default stands around."""
    depth = 0
    for i, character in enumerate(arguments):
        depth += (character == "(") - (character == ")")
        if not depth and (character == "," or arguments[i : i + 4].lower() == " as "):
            return arguments[:i]
    return arguments


def _balanced(text: str) -> bool:
    """Say whether brackets pair within a text, so that the call around it is the whole."""
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


LONG_NAME = 30
"""Characters from which an expression is no longer shown as a name."""
_WRAPPERS = frozenset(
    ("round", "coalesce", "ifnull", "cast", "abs", "trunc", "floor", "ceil", "ceiling", "printf", "format")
)
_CALLS = {
    "sum": "Total", "total": "Total", "avg": "Average", "mean": "Average", "min": "Smallest", "max": "Largest",
    "median": "Median",
}  # fmt: skip
_PERIODS = frozenset(["strftime", "date_format", "to_char", "date_trunc", "extract", "date_part", "datepart"])
_UNITS = {"%y-%m-%d": "day", "%y-%m": "month", "yyyy-mm": "month", "%y": "year", "yyyy": "year", "%m": "month",
          "%d": "day", "%h": "hour", "%w": "weekday", "%j": "day of the year"}  # fmt: skip


def _period(arguments: str) -> str:
    """Name what a date is cut to: `'%Y-%m', created_at` is a month."""
    quoted = re.search(r"'([^']*)'", arguments)
    word = quoted[1].lower() if quoted else arguments.split()[0].lower() if arguments.split() else ""
    unit = _UNITS.get(word, word if word.isalpha() else "date")
    return unit[:1].upper() + unit[1:]


def is_aggregate(name: str) -> bool:
    """Say whether a column's name is that of an aggregate: `count(*)`, `avg_price`, `n`.

    Example:
        >>> is_aggregate("MAX(speed)"), is_aggregate("total_sales"), is_aggregate("cylinders")
        (True, True, False)
    """
    return bool(_COUNTED.match(name.replace("_", " ")))


def number_of(cell: Cell) -> float | None:
    """Read a cell as a number for computing; None when it is none, infinite or beyond `LARGEST`.

    Example:
        >>> number_of(Decimal("1.50")), number_of("x"), number_of(float("nan"))
        (1.5, None, None)
    """
    if isinstance(cell, timedelta):
        return cell.total_seconds()
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) and _finite(cell):
        try:
            number = float(cell)
        except OverflowError:
            return None
        return number if abs(number) < LARGEST else None
    return None


def wall_clock(cell: datetime) -> datetime:
    """Give a moment in a zone of its own as the clocks there show it, without the zone; others, and hours shown twice, stay.

    Example:
        >>> from zoneinfo import ZoneInfo
        >>> str(wall_clock(datetime(2026, 7, 1, 8, tzinfo=ZoneInfo("Europe/Oslo")))), str(wall_clock(datetime(2026, 7, 1, 8, tzinfo=UTC)))
        ('2026-07-01 08:00:00', '2026-07-01 08:00:00+00:00')
    """
    is_local = isinstance(cell.tzinfo, ZoneInfo) and cell.tzinfo.key != "UTC"
    if not is_local or cell.utcoffset() != cell.replace(fold=1 - cell.fold).utcoffset():
        return cell
    return cell.replace(tzinfo=None)


def _finite(cell: int | float | Decimal) -> bool:
    return (
        cell.is_finite() if isinstance(cell, Decimal) else not isinstance(cell, float) or math.isfinite(cell)
    )


_ADDITIVE = re.compile(
    r"count|sum|total|amount|revenue|sales|quantity|qty|cost|spend|profit|orders|units|number|volume|payment|visits|views|clicks",
    re.IGNORECASE,
)
_NOT_ADDITIVE = re.compile(
    r"avg|average|mean|median|rate|ratio|percent|pct|share|price|score|rating|age|temperature|max|min|largest|smallest"
    r"|rank|margin_pct|per_",
    re.IGNORECASE,
)


def is_additive(name: str) -> bool:
    """Say whether adding up a column's numbers means something, as far as its name tells.

    Example:
        >>> is_additive("revenue"), is_additive("avg_price"), is_additive("height")
        (True, False, False)
    """
    return bool(_ADDITIVE.search(name)) and not is_not_additive(name)


def is_not_additive(name: str) -> bool:
    """Say whether a column's name tells that its numbers do not add up.

    Example:
        >>> is_not_additive("avg_price"), is_not_additive("tickets")
        (True, False)
    """
    return bool(_NOT_ADDITIVE.search(name))
