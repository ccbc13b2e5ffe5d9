"""JSON lines: an object a row, under the columns' names (made to differ), UTF-8, LF.

Numbers that a reader would round are strings: integers beyond 2^53 and every decimal. Dates and times are
strings by ISO 8601, bytes hexadecimal, floats that are no number their name; JSON columns stay JSON. Rows
that lie in a file of ours are made into lines by DuckDB where its SQL can say them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any

from mirror.exports import names
from mirror.exports.parquet_lines import json_lines
from mirror.exports.pieces import write_pieces
from mirror.exports.spooling import received
from mirror.exports.texts import exact, iso, whole
from mirror.exports.values import Cover, Sheet
from mirror.results.cells import SAFE_INTEGER
from mirror.results.rows import batches_of

_string = json.JSONEncoder(ensure_ascii=False).encode


def json_value(value: Any) -> str:
    """Write one cell as JSON.

    Example:
        >>> json_value(7), json_value(2**60), json_value(float("nan")), json_value(None)
        ('7', '"1152921504606846976"', '"nan"', 'null')
    """
    return _WRITE.get(value.__class__, _other)(value)


def _integer(value: int) -> str:
    return str(value) if -SAFE_INTEGER <= value <= SAFE_INTEGER else f'"{value}"'


def _float(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'"{value!r}"'


def _other(value: Any) -> str:
    return _string(exact(value))


def _nested(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_string(whole(str(k)))}: {_nested(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_nested, value)) + "]"
    return json_value(value)


_WRITE: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "null",
    int: _integer,
    float: _float,
    bool: lambda value: "true" if value else "false",
    str: lambda value: _string(whole(value)),
    date: lambda value: f'"{value.isoformat()}"',
    datetime: lambda value: f'"{iso(value, "T")}"',
    time: lambda value: f'"{iso(value)}"',
    dict: _nested,
    list: _nested,
    tuple: _nested,
}


def chunks(sheet: Sheet) -> Iterator[tuple[bytes, int]]:
    """Write a sheet piece by piece: bytes, and the rows that are in them. Raises: ResultGone, DatabaseError."""
    unique = names.unique(sheet.columns)
    if sheet.kept is not None:
        with sheet.kept() as kept:
            lines = json_lines(kept, unique)
            if lines is not None:
                yield from lines
                return
    line = partial(_line, [_string(name) + ": " for name in unique])
    for batch in sheet.batches():
        yield "".join(map(line, batch)).encode(), len(batch)


def _line(keys: list[str], row: Sequence[Any]) -> str:
    cells = [key + _WRITE.get(value.__class__, _other)(value) for key, value in zip(keys, row, strict=True)]
    return "{" + ", ".join(cells) + "}\n"


def write(
    sheets: Sequence[Sheet], path: Path, cover: Cover, progress: Callable[[int], None]
) -> tuple[int, tuple[str, ...]]:
    """Write one sheet to a file; see `file_writing.write`.

    Rows that come by column are kept first: taking them twice is twice as fast as once, cell by cell.
    """
    sheet = sheets[0]
    if sheet.column_batches is None or sheet.kept is not None:
        return _write(sheet, path, progress), ()
    with received(sheet, path, progress) as kept:
        again = replace(
            sheet, kept=lambda: nullcontext(kept), batches=lambda: batches_of(kept.path, kept.columns)
        )
        return _write(again, path), ()


def _write(sheet: Sheet, path: Path, progress: Callable[[int], None] | None = None) -> int:
    with path.open("wb") as file:
        return write_pieces(chunks(sheet), file, progress).rows
