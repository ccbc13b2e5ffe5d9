"""Rows to a Parquet file and back, cell for cell.

A column whose values are all of one type is stored as that type. Every other column (the
mixed types SQLite allows, integers beyond 38 digits, decimals of several scales, times with
several offsets) is *tagged*: the text of each cell, a letter for its type, and a number to
sort by. File columns are `c0`, `c1` ..., because names may repeat; what each holds is the
list of `StoredColumn` kept beside the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from mirror.results.cells import exact_text, kind_of

# Rows of one Parquet row group: small enough to page through, large enough to compress.
_GROUP_ROWS = 50_000
_INT64 = range(-(2**63), 2**63)
_DECIMAL_DIGITS = 38


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """One column of a stored result: its name, its kind, how it is stored, and the offset of its times."""

    name: str
    kind: str
    stored: str
    offset: int = 0


def write(
    path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]], kinds: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Write rows to a Parquet file; returns its stored columns as JSON.

    Every value read back equals the one written, in type and in digits; NULL stays apart
    from the empty text and NaN from NULL.
    """
    by_column: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else [()] * len(columns)
    stored: list[StoredColumn] = []
    arrays: list[pa.Array] = []
    names: list[str] = []
    for number, (name, values) in enumerate(zip(columns, by_column, strict=True)):
        told = kinds[number] if number < len(kinds) else ""
        column, parts = _encode(name, told, values)
        stored.append(column)
        for suffix, array in parts.items():
            names.append(f"c{number}{suffix}")
            arrays.append(array)
    if not arrays:
        arrays, names = [pa.nulls(len(rows))], ["none"]
    pq.write_table(pa.table(arrays, names=names), path, row_group_size=_GROUP_ROWS, compression="zstd")
    return [asdict(column) for column in stored]


def decoder(column: StoredColumn) -> Callable[[Any], Any]:
    """The function that gives back a stored value; a tagged one is given as `(text, tag)`."""
    plain: dict[str, Callable[[Any], Any]] = {
        "wide": int,
        "uuid": UUID,
        "json": json.loads,
        "interval": lambda us: timedelta(microseconds=us),
        "timestamptz": _zoned(column.offset),
        "tagged": lambda pair: None if pair[1] is None else _UNTAG[pair[1]](pair[0]),
    }
    decode = plain.get(column.stored)
    if decode is None:
        return lambda value: value
    return lambda value: None if value is None else decode(value)


def _encode(name: str, told: str, values: Sequence[Any]) -> tuple[StoredColumn, dict[str, pa.Array]]:
    types = set(map(type, values)) - {type(None)}
    found = (
        {kind_of(v) for v in values if v is not None} if len(types) > 1 else {_kind_of_type(t) for t in types}
    )
    kind = told or (found.pop() if len(found) == 1 else "other" if found else "text")
    if len(types) <= 1:
        plain = _encode_plain(types.pop() if types else type(None), values)
        if plain is not None:
            stored, array, offset = plain
            return StoredColumn(name, kind, stored, offset), {"": array}
    return StoredColumn(name, kind, "tagged"), _encode_tagged(values)


def _encode_plain(of: type, values: Sequence[Any]) -> tuple[str, pa.Array, int] | None:
    """Store a column of one type as itself; None where that would lose something."""
    simple = {
        type(None): pa.string(),
        bool: pa.bool_(),
        float: pa.float64(),
        bytes: pa.binary(),
        date: pa.date32(),
    }
    if of in simple:
        return "plain", pa.array(values, simple[of], from_pandas=False), 0
    if of is int:
        return _encode_integers(values)
    if of is Decimal:
        return _encode_decimals(values)
    if of is datetime:
        return _encode_datetimes(values)
    if of is time and all(v is None or v.tzinfo is None for v in values):
        return "plain", pa.array(values, pa.time64("us")), 0
    if of is timedelta:
        return "interval", pa.array([_microseconds(v) for v in values], pa.int64()), 0
    if of is str:
        try:
            return "plain", pa.array(values, pa.string()), 0
        except UnicodeEncodeError:
            return None
    if of is UUID:
        return "uuid", pa.array([None if v is None else str(v) for v in values], pa.string()), 0
    if of in (list, dict):
        return "json", pa.array([None if v is None else _json(v) for v in values], pa.string()), 0
    return None


def _encode_integers(values: Sequence[Any]) -> tuple[str, pa.Array, int] | None:
    known = [v for v in values if v is not None]
    if min(known) in _INT64 and max(known) in _INT64:
        return "plain", pa.array(values, pa.int64()), 0
    if max(abs(min(known)), abs(max(known))) < 10**_DECIMAL_DIGITS:
        wide = [None if v is None else Decimal(v) for v in values]
        return "wide", pa.array(wide, pa.decimal128(_DECIMAL_DIGITS, 0)), 0
    return None


def _encode_decimals(values: Sequence[Any]) -> tuple[str, pa.Array, int] | None:
    known = [v for v in values if v is not None]
    exponents = {v.as_tuple().exponent for v in known}
    if len(exponents) != 1:
        return None
    (exponent,) = exponents
    digits = max(len(v.as_tuple().digits) for v in known)
    if not isinstance(exponent, int) or exponent > 0 or max(digits, -exponent) > _DECIMAL_DIGITS:
        return None
    if any(v.is_zero() and v.is_signed() for v in known):
        return None
    return "plain", pa.array(values, pa.decimal128(_DECIMAL_DIGITS, -exponent)), 0


def _encode_datetimes(values: Sequence[Any]) -> tuple[str, pa.Array, int] | None:
    offsets = {v.utcoffset() for v in values if v is not None}
    if len(offsets) != 1:
        return None
    (offset,) = offsets
    if offset is None:
        return "plain", pa.array(values, pa.timestamp("us")), 0
    if offset.microseconds:
        return None
    try:
        utc = [None if v is None else v.replace(tzinfo=None) - offset for v in values]
    except OverflowError:
        return None
    return "timestamptz", pa.array(utc, pa.timestamp("us")), int(offset.total_seconds())


def _zoned(offset: int) -> Callable[[Any], Any]:
    zone = timezone(timedelta(seconds=offset)) if offset else UTC
    return lambda value: (value + timedelta(seconds=offset)).replace(tzinfo=zone)


# ---------------------------------------------------------------- tagged columns


def _encode_tagged(values: Sequence[Any]) -> dict[str, pa.Array]:
    tagged = [(None, None, None) if v is None else _tag(v) for v in values]
    texts, tags, orders = zip(*tagged, strict=True) if tagged else ((), (), ())
    return {
        "": pa.array(texts, pa.string()),
        "_tag": pa.array(tags, pa.string()),
        "_order": pa.array(orders, pa.float64()),
    }


def _tag(value: Any) -> tuple[str, str, float | None]:
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


_UNTAG: dict[str, Callable[[str], Any]] = {
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


def _kind_of_type(of: type) -> str:
    samples: dict[type, Any] = {
        bool: True,
        int: 1,
        float: 1.0,
        Decimal: Decimal(1),
        str: "",
        bytes: b"",
        date: date.min,
        datetime: datetime.min,
        time: time.min,
        timedelta: timedelta(),
        UUID: UUID(int=0),
    }
    return kind_of(samples.get(of, ()))
