"""How the values of one column are stored: as their one type, as numbers with a mark, or tagged.

A plan either holds values exactly or says that it cannot; `wider` then names the next one.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import filterfalse
from operator import attrgetter
from typing import Any
from uuid import UUID

import pyarrow as pa

from mirror.results.cells import exact_text, value_kind

NULL = type(None)
# Integers that a float holds exactly.
SAFE = 2**53
# Digits of the widest decimal that Parquet and DuckDB share.
_DECIMAL_DIGITS = 38


@dataclass(frozen=True, slots=True)
class Plan:
    """How a column is stored: the one type it holds, or `number`, `tagged`, `empty`."""

    stored: str
    of: type = NULL
    type: pa.DataType | None = None
    offset: int = 0
    quantum: Decimal | None = None

    @property
    def handed(self) -> pa.DataType | None:
        """The type of the arrays that are stored as they are handed over: instants say that they are UTC."""
        if self.stored == "timestamptz":
            return None if self.offset else pa.timestamp("us", "UTC")
        return self.type if self.stored in _HANDED else None

    def arrow(self) -> dict[str, pa.DataType]:
        """The file's columns, by what is added to the name."""
        if self.stored == "tagged":
            return {"": pa.string(), "_tag": pa.string(), "_order": pa.float64()}
        if self.stored == "number":
            return {"": pa.float64(), "_tag": pa.bool_()}
        return {"": self.type}

    def encode(
        self, values: Sequence[Any] | pa.Array, types: set[builtins.type]
    ) -> dict[str, pa.Array] | None:
        """The values as arrays; None where this plan would lose something of them.

        `types` are those of the values, as `types_in` tells them.
        """
        if isinstance(values, pa.Array) and types:
            if types == {self.of} == {UUID}:
                return {"": values.storage}
            if types == {self.of} and values.type == self.handed:
                return {"": values.view(self.type)}
            if types != {self.of} and self.stored not in ("tagged", "number"):
                return None
            values = values.to_pylist()
        if self.stored == "tagged":
            return _encode_tagged(values if types else [None] * len(values))
        if not types:
            return {suffix: pa.nulls(len(values), kind) for suffix, kind in self.arrow().items()}
        if self.stored == "number":
            return _encode_numbers(values) if types <= {int, float} else None
        if types != {self.of}:
            return None
        try:
            ready = _READY[self.stored](self, values) if self.stored in _READY else values
            return None if ready is None else {"": pa.array(ready, self.type, from_pandas=False)}
        except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid):
            return None


def types_in(values: Sequence[Any] | pa.Array) -> set[type]:
    """The Python types of some values, NULL left out; an array has one, or none where all are NULL.

    Example:
        >>> types_in([1, None, 2]), types_in(pa.array([None, "a"])), types_in(pa.array([None], pa.int64()))
        ({<class 'int'>}, {<class 'str'>}, set())
    """
    if isinstance(values, pa.Array):
        of = UUID if isinstance(values, pa.ExtensionArray) else _OF[values.type.id]
        return {of} if values.null_count < len(values) else set()
    return set(map(type, values)) - {NULL}


def wider(plan: Plan, types: set[type], values: Sequence[Any] | pa.Array, is_large: bool = False) -> Plan:
    """The next plan to try for values that do not fit this one; `tagged` fits everything.

    `is_large` tells that the column already holds integers that no float does.
    """
    if plan.stored == "empty" and len(types) == 1:
        return _plan_for(next(iter(types)), values)
    if plan.stored in ("empty", "plain") and types <= {int, float} and plan.of in (NULL, int, float):
        if plan.of is int and types == {int}:
            return _WIDE
        return _TAGGED if is_large else _NUMBER
    return _TAGGED


def _plan_for(of: type, values: Sequence[Any] | pa.Array) -> Plan:
    """The plan for a column that begins with values of one type."""
    if isinstance(values, pa.Array):
        values = values.drop_null()[:1].to_pylist()
    first = next(value for value in values if value is not None)
    if of is Decimal:
        exponent = first.as_tuple().exponent
        if not isinstance(exponent, int) or not -_DECIMAL_DIGITS <= exponent <= 0:
            return _TAGGED
        return Plan("decimal", of, pa.decimal128(_DECIMAL_DIGITS, -exponent), quantum=first)
    if of is datetime and first.utcoffset() is not None:
        return Plan("timestamptz", of, pa.timestamp("us"), int(first.utcoffset().total_seconds()))
    return _PLAIN.get(of, _TAGGED)


EMPTY = Plan("empty", type=pa.string())
_TAGGED = Plan("tagged")
_NUMBER = Plan("number")
_WIDE = Plan("wide", int, pa.decimal128(_DECIMAL_DIGITS, 0))
_PLAIN = {
    bool: Plan("plain", bool, pa.bool_()),
    int: Plan("plain", int, pa.int64()),
    float: Plan("plain", float, pa.float64()),
    str: Plan("plain", str, pa.string()),
    bytes: Plan("plain", bytes, pa.binary()),
    date: Plan("plain", date, pa.date32()),
    datetime: Plan("naive", datetime, pa.timestamp("us")),
    time: Plan("clock", time, pa.time64("us")),
    timedelta: Plan("interval", timedelta, pa.int64()),
    UUID: Plan("uuid", UUID, pa.string()),
    list: Plan("json", list, pa.string()),
    dict: Plan("json", dict, pa.string()),
}


# The meaning of the arrays of a `sqlagent.ports.ColumnStream`, and the plans that keep them as they are.
_OF: dict[int, type] = {
    pa.bool_().id: bool,
    pa.int64().id: int,
    pa.float64().id: float,
    pa.string().id: str,
    pa.date32().id: date,
    pa.time64("us").id: time,
    pa.timestamp("us").id: datetime,
    pa.decimal128(_DECIMAL_DIGITS).id: Decimal,
}
_HANDED = frozenset(("plain", "decimal", "naive", "clock"))


def _decimals(plan: Plan, values: Sequence[Any]) -> Sequence[Any] | None:
    known = [value for value in values if value is not None]
    assert plan.quantum is not None
    if not all(map(plan.quantum.same_quantum, known)):
        return None
    zeros = filterfalse(None, known)
    return None if any(map(Decimal.is_signed, zeros)) else values


def _naive(plan: Plan, values: Sequence[Any]) -> Sequence[Any] | None:
    zones = set(map(attrgetter("tzinfo"), filter(None, values)))
    return values if zones <= {None} else None


def _instants(plan: Plan, values: Sequence[Any]) -> Sequence[Any] | None:
    offset = timedelta(seconds=plan.offset)
    if {value.utcoffset() for value in values if value is not None} - {offset}:
        return None
    return [None if value is None else value.replace(tzinfo=None) - offset for value in values]


_READY: dict[str, Callable[[Plan, Sequence[Any]], Sequence[Any] | None]] = {
    "decimal": _decimals,
    "naive": _naive,
    "clock": _naive,
    "timestamptz": _instants,
    "wide": lambda plan, values: [None if value is None else Decimal(value) for value in values],
    "interval": lambda plan, values: [_microseconds(value) for value in values],
    "uuid": lambda plan, values: [None if value is None else str(value) for value in values],
    "json": lambda plan, values: [None if value is None else _json(value) for value in values],
}


def _encode_numbers(values: Sequence[Any]) -> dict[str, pa.Array] | None:
    if any(value.__class__ is int and not -SAFE <= value <= SAFE for value in values):
        return None
    floats = [None if value is None else float(value) for value in values]
    return {
        "": pa.array(floats, pa.float64(), from_pandas=False),
        "_tag": pa.array([None if value is None else value.__class__ is int for value in values], pa.bool_()),
    }


def zoned(offset: int) -> Callable[[Any], Any]:
    """Make what gives a time without a zone, which is UTC, in a zone so many seconds east of it."""
    zone = timezone(timedelta(seconds=offset)) if offset else UTC
    return lambda value: (value + timedelta(seconds=offset)).replace(tzinfo=zone)


# ---------------------------------------------------------------- tagged columns


def _encode_tagged(values: Sequence[Any]) -> dict[str, pa.Array]:
    cells = [(None, None, None) if v is None else tagged(v) for v in values]
    texts, tags, orders = zip(*cells, strict=True) if cells else ((), (), ())
    return {
        "": pa.array(texts, pa.string()),
        "_tag": pa.array(tags, pa.string()),
        "_order": pa.array(orders, pa.float64()),
    }


def tagged(value: Any) -> tuple[str, str, float | None]:
    """Give a value as text, with the letter of its type (`UNTAG` reads both) and a number to sort by."""
    match value:
        case bool():
            return ("1" if value else "0"), "b", float(value)
        case int():
            return str(value), "i", _approximate(value)
        case float():
            return value.hex() if value == value else "nan", "f", value
        case Decimal():
            return str(value), "d", _approximate(value)
        case str():
            try:
                value.encode()
            except UnicodeEncodeError:
                return value.encode("utf-8", "surrogatepass").hex(), "y", None
            return value, "s", None
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex(), "x", None
        case datetime():
            return value.isoformat(), "t", _epoch(value)
        case date():
            return value.isoformat(), "a", float(value.toordinal() - 719_163) * 86_400
        case time():
            return value.isoformat(), "o", None
        case timedelta():
            return str(_microseconds(value)), "l", value.total_seconds()
        case UUID():
            return str(value), "u", None
        case list() | tuple() | dict():
            return _json(value), "j", None
        case _:
            return str(value), "s", None


UNTAG: dict[str, Callable[[str], Any]] = {
    "b": lambda text: text == "1",
    "i": int,
    "f": lambda text: float("nan") if text == "nan" else float.fromhex(text),
    "d": Decimal,
    "s": str,
    "y": lambda text: bytes.fromhex(text).decode("utf-8", "surrogatepass"),
    "x": bytes.fromhex,
    "t": datetime.fromisoformat,
    "a": date.fromisoformat,
    "o": time.fromisoformat,
    "l": lambda text: timedelta(microseconds=int(text)),
    "u": UUID,
    "j": json.loads,
}


def _approximate(value: int | Decimal) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    except ValueError:
        return None


def _epoch(value: datetime) -> float:
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return (aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def _microseconds(value: timedelta | None) -> int | None:
    return None if value is None else (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds


def _json(value: Any) -> str:
    return json.dumps(value, default=exact_text, ensure_ascii=True)


NUMBERS = {"integer", "number"}


def kinds_in(types: set[type]) -> set[str]:
    """The kinds of the values that have these types; types that no engine gives count as NULL."""
    return {value_kind(_SAMPLES.get(of, ())) for of in types}


_SAMPLES: dict[type, Any] = {
    bool: True,
    int: 1,
    float: 1.0,
    Decimal: Decimal(1),
    str: "",
    bytes: b"",
    bytearray: b"",
    memoryview: b"",
    date: date.min,
    datetime: datetime.min,
    time: time.min,
    timedelta: timedelta(),
    UUID: UUID(int=0),
}
