"""CSV: UTF-8 with its mark, commas, LF, NULL as nothing and an empty text as `""`.

Texts are defused (`defusing`), the names of columns too. Rows that lie in a file of ours are made into
lines by DuckDB, some ten times as fast as cell by cell; values that its SQL cannot write (JSON with escapes,
intervals, lone surrogates) go cell by cell. Both write the same. Lines that a source itself writes by the
same rule (`sqlagent.ports.CsvStreaming`) are taken as they come: there every text stands in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from mirror.exports.defusing import csv_text
from mirror.exports.parquet_lines import csv_lines
from mirror.exports.pieces import write_pieces
from mirror.exports.texts import exact, iso, whole
from mirror.exports.values import Cover, Sheet
from mirror.results.cells import exact_text

# So that a spreadsheet reads the file as UTF-8.
MARK = b"\xef\xbb\xbf"

_HALF = re.compile(r"[\ud800-\udfff]")


def csv_line(values: Iterable[Any]) -> str:
    """Write one line, its end included.

    Example:
        >>> csv_line(["=1+1", -5, "-5", None, "", 'a"b'])
        '"\\'=1+1",-5,"-5",,"","a""b"\\n'
    """
    return ",".join([_WRITE.get(value.__class__, _other)(value) for value in values]) + "\n"


def _text(text: str) -> str:
    return csv_text(whole(text) if _HALF.search(text) else text)


def _other(value: Any) -> str:
    return csv_text(exact(value))


# By class, because an export has millions of cells. Numbers and times hold nothing to be quoted.
_WRITE: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "",
    int: str,
    float: exact_text,
    bool: exact_text,
    str: _text,
    Decimal: exact_text,
    date: date.isoformat,
    datetime: iso,
    time: iso,
    UUID: str,
}


def chunks(sheet: Sheet) -> Iterator[tuple[bytes, int]]:
    """Write a sheet piece by piece: bytes, and the rows that are in them. Raises: ResultGone, DatabaseError.

    The line of names comes with the first piece, so that what is gone is known before anything is sent.
    """
    rows = _rows(sheet)
    head = MARK + csv_line(sheet.columns).encode()
    first, count = next(rows, (b"", 0))
    yield head + first, count
    yield from rows


def _rows(sheet: Sheet) -> Iterator[tuple[bytes, int]]:
    if sheet.csv_lines is not None:
        before = 0
        for piece in sheet.csv_lines:
            yield piece, sheet.csv_lines.row_count - before
            before = sheet.csv_lines.row_count
        return
    if sheet.kept is not None:
        with sheet.kept() as kept:
            lines = csv_lines(kept)
            if lines is not None:
                yield from lines
                return
    for batch in sheet.batches():
        yield "".join(map(csv_line, batch)).encode(), len(batch)


def write(
    sheets: Sequence[Sheet], path: Path, cover: Cover, progress: Callable[[int], None]
) -> tuple[int, tuple[str, ...]]:
    """Write one sheet to a file; see `file_writing.write`."""
    with path.open("wb") as file:
        return write_pieces(chunks(sheets[0]), file, progress).rows, ()
