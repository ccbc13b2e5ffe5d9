"""Stored rows as files to take away, streamed in constant memory.

CSV as RFC 4180 with a NULL as nothing and an empty text as `""`. A text a spreadsheet would
run as a formula gets an apostrophe before it; numbers, negative ones too, are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from mirror.results import selectors
from mirror.results.cells import exact_text
from mirror.results.models import StoredResult

# OWASP, "CSV Injection": a cell that begins with one of these is a formula to a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# What a text must hold to be anything but itself: a mark, a formula's beginning, an edge of space, a half character.
_SPECIAL = re.compile(r'[,"\r\n\x00\ud800-\udfff]|^[=+\-@\s]|\s$|^$')
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def csv_cell(value: Any) -> str:
    """Write one cell of a CSV file.

    Example:
        >>> csv_cell("=1+1"), csv_cell(-5), csv_cell("-5"), csv_cell(None), csv_cell(""), csv_cell('a"b')
        ("'=1+1", '-5', '-5', '', '""', '"a""b"')
    """
    return _WRITE.get(value.__class__, _other)(value)


def csv_line(values: Iterable[Any]) -> str:
    """Write one line of a CSV file, its end included."""
    return ",".join([_WRITE.get(value.__class__, _other)(value) for value in values]) + "\r\n"


def _text(text: str) -> str:
    if _SPECIAL.search(text) is None:
        return text
    if text.startswith(_FORMULA) and not _PLAIN_NUMBER.fullmatch(text):
        text = "'" + text
    text = text.replace("\x00", "").encode("utf-8", "replace").decode()
    if not text:
        return '""'
    return _quoted(text)


def _other(value: Any) -> str:
    return _quoted(exact_text(value))


def _quoted(text: str) -> str:
    if any(mark in text for mark in ',"\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


# By type, because a download has millions of cells. Numbers and times hold nothing to be quoted.
_WRITE: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "",
    int: str,
    float: exact_text,
    bool: exact_text,
    str: _text,
    Decimal: exact_text,
    date: date.isoformat,
    datetime: lambda value: value.isoformat(sep=" "),
}


def csv_chunks(result: StoredResult) -> Iterator[bytes]:
    """Write a result as CSV (UTF-8 with its mark), some thousand lines at a time. Raises: ResultGone."""
    lines = [csv_line([column.name for column in selectors.columns_of(result)])]
    mark = "\ufeff"
    for batch in selectors.batches(result):
        lines.extend(map(csv_line, batch))
        yield (mark + "".join(lines)).encode()
        mark, lines = "", []
    if lines:
        yield (mark + "".join(lines)).encode()


def file_name(title: str, result: StoredResult) -> str:
    """Name a download after what was asked; a result that was cut says so in its name.

    Example:
        >>> file_name("Which five countries?", StoredResult(truncated=True, row_count=10))
        'which-five-countries.first-10-rows.csv'
    """
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-") or "rows"
    cut = f".first-{result.row_count}-rows" if result.truncated else ""
    return f"{stem}{cut}.csv"
