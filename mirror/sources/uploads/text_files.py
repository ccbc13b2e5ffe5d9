"""Read CSV and JSON lines as sheets of rows of text: which encoding and delimiter, and every cell as it stands."""

from __future__ import annotations

import codecs
import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from django.utils.translation import gettext_noop

from mirror.sources.uploads.bounds import CELL_CHARS, LINE_CHARS, MAX_COLUMNS, NESTING
from mirror.sources.uploads.raw_tables import NoTable, RawTable, Row
from mirror.sources.uploads.wording import figure
from sqlagent.language.saying import worded

DELIMITERS = {
    ",": gettext_noop("comma ,"),
    ";": gettext_noop("semicolon ;"),
    "\t": gettext_noop("tab"),
    "|": gettext_noop("bar |"),
}
ENCODINGS = {
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": gettext_noop("UTF-16 LE without a mark"),
    "utf-16-be": gettext_noop("UTF-16 BE without a mark"),
    "cp1252": gettext_noop("Windows-1252 (Western Europe)"),
    "cp1250": gettext_noop("Windows-1250 (Central Europe)"),
    "cp1251": gettext_noop("Windows-1251 (Cyrillic)"),
    "iso8859-1": gettext_noop("Latin-1"),
    "iso8859-15": gettext_noop("Latin-9"),
    "shift_jis": gettext_noop("Shift JIS"),
    "gb18030": gettext_noop("GB 18030"),
}
SAMPLE_CHARS = 65_536


def encoding_of(path: Path) -> str:
    """Guess the encoding: by its mark, by its zero bytes, UTF-8 if all of it is that, else Windows-1252."""
    with path.open("rb") as file:
        start = file.read(4096)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        if wide := wide_encoding(start):
            return wide
        decoder = codecs.getincrementaldecoder("utf-8")()
        file.seek(0)
        try:
            while chunk := file.read(1 << 20):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8-sig"


def wide_encoding(start: bytes) -> str:
    """Say by the zero bytes at the start of a file which UTF-16 without a mark it is; empty where it is none."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) < len(start) / 6 or min(even, odd) > max(even, odd) / 10:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def delimiter_of(path: Path, encoding: str) -> str:
    """Guess the delimiter: the one that cuts most of the first lines into equally many cells."""
    sample = _sample(path, encoding)
    if sample[:4].lower() == "sep=" and sample[4:5] in DELIMITERS:
        return sample[4]
    best, most = ",", 0.0
    for delimiter in DELIMITERS:
        widths = Counter(
            len(row) for row in csv.reader(sample.splitlines(True)[:200], delimiter=delimiter) if row
        )
        wide = {width: count for width, count in widths.items() if width > 1}
        if wide:
            width, count = max(wide.items(), key=lambda pair: pair[1])
            score = count / sum(widths.values()) + min(width, 50) / 1000
            if score > most:
                best, most = delimiter, score
    return best


def _sample(path: Path, encoding: str) -> str:
    try:
        with path.open(encoding=encoding, newline="", errors="replace") as file:
            text = file.read(SAMPLE_CHARS)
    except UnicodeError:
        raise NoTable(
            worded(
                "The file cannot be read as {encoding}. Choose another encoding.",
                encoding=worded(ENCODINGS[encoding]),
            )
        ) from None
    return text if len(text) < SAMPLE_CHARS else text[: text.rfind("\n") + 1] or text


def _lines(file: TextIO, held: list[int]) -> Iterator[str]:
    """Lines as they stand. `held` counts characters; a reader sets it to 0 at the end of a row. Raises: NoTable."""
    number = 0
    while line := file.readline(LINE_CHARS + 1):
        number += 1
        held[0] += len(line)
        if held[0] > LINE_CHARS:
            where = (
                worded("Line {number}", number=figure(number))
                if len(line) > LINE_CHARS
                else worded("The row that ends in line {number}", number=figure(number))
            )
            raise NoTable(
                worded(
                    "{where} is longer than {most} characters, the limit for a row. Perhaps the file has no line ends, or a quotation mark is never closed.",
                    where=where,
                    most=figure(LINE_CHARS),
                )
            )
        yield line


def csv_sheet(path: Path, title: str, encoding: str, delimiter: str) -> RawTable:
    """Read delimited text; a cell in quotation marks may hold delimiters and line ends."""
    return RawTable(title, _csv_rows(path, encoding, delimiter))


def _csv_rows(path: Path, encoding: str, delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(CELL_CHARS)
    number, held = 0, [0]
    try:
        with path.open(encoding=encoding, newline="") as file:
            for number, cells in enumerate(csv.reader(_lines(file, held), delimiter=delimiter), 1):
                held[0] = 0
                if number == 1 and len(cells) <= 2 and cells and cells[0][:4].lower() == "sep=":
                    continue
                if any(cells):
                    yield number, [cell.replace("\x00", "") or None for cell in cells]
    except UnicodeError:
        raise NoTable(
            worded(
                "After row {number} the file is not {encoding}. Choose another encoding.",
                number=figure(number),
                encoding=worded(ENCODINGS[encoding]),
            )
        ) from None
    except csv.Error as error:
        if "field larger" in str(error):
            raise NoTable(
                worded(
                    "A cell after row {number} is longer than {most} characters. Perhaps a quotation mark is never closed.",
                    number=figure(number),
                    most=figure(CELL_CHARS),
                )
            ) from None
        raise NoTable(worded("After row {number}: {reason}.", number=figure(number), reason=error)) from None


def jsonl_sheet(path: Path, title: str, encoding: str) -> RawTable:
    """Read JSON lines: one object a line, its names the columns; numbers as they are written."""
    sheet = RawTable(title, iter(()), names=[])
    sheet.rows = _jsonl_rows(path, encoding, sheet)
    return sheet


def _jsonl_rows(path: Path, encoding: str, sheet: RawTable) -> Iterator[Row]:
    places: dict[str, int] = {}
    assert sheet.names is not None
    number, held = 0, [0]
    try:
        with path.open(encoding=encoding) as file:
            for number, line in enumerate(_lines(file, held), 1):
                held[0] = 0
                if not line.strip():
                    continue
                cells: list[str | None] = [None] * len(places)
                for name, value in _object(line, number).items():
                    if name not in places:
                        if len(places) == MAX_COLUMNS:
                            raise NoTable(
                                worded(
                                    "The objects up to line {number} have more than {most} different names; the limit is {most} columns.",
                                    number=figure(number),
                                    most=figure(MAX_COLUMNS),
                                )
                            )
                        places[name] = len(places)
                        sheet.names.append(name)
                        cells.append(None)
                    cells[places[name]] = _json_text(value, number)
                    if isinstance(value, str) and not isinstance(value, _Number):
                        sheet.texts[places[name]] = number
                yield number, cells
    except UnicodeError:
        raise NoTable(
            worded(
                "After line {number} the file is not {encoding}. Choose another encoding.",
                number=figure(number),
                encoding=worded(ENCODINGS[encoding]),
            )
        ) from None


class _Number(str):
    """A number as it is written in JSON."""

    __slots__ = ()


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line, parse_int=_Number, parse_float=_Number, parse_constant=_Number)
    except RecursionError:
        raise NoTable(
            worded(
                "Line {number} has more than {most} brackets in each other, the limit.",
                number=figure(number),
                most=figure(NESTING),
            )
        ) from None
    except ValueError:
        if line.lstrip()[:1] in "[{" and number == 1:
            raise NoTable(
                worded("This is one JSON document. Mirror reads JSON lines: one object on each line.")
            ) from None
        raise NoTable(
            worded(
                "Line {number} is not JSON. JSON lines have one object on each line.", number=figure(number)
            )
        ) from None
    if not isinstance(found, dict):
        raise NoTable(
            worded(
                'Line {number} is not an object like {"name": 1}. JSON lines have one on each line.',
                number=figure(number),
            )
        )
    return found


def _json_text(value: Any, number: int) -> str | None:
    if value is None or isinstance(value, _Number):
        return value
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, bool):
        return "true" if value else "false"
    return _written(value, number, 1)


def _written(value: Any, number: int, depth: int) -> str:
    """The content of a cell, as JSON again, its numbers as they were written. Raises: NoTable."""
    if depth > NESTING:
        raise NoTable(
            worded(
                "Line {number} has more than {most} brackets in each other, the limit.",
                number=figure(number),
                most=figure(NESTING),
            )
        )
    if isinstance(value, dict):
        parts = (
            f"{json.dumps(name, ensure_ascii=False)}: {_written(part, number, depth + 1)}"
            for name, part in value.items()
        )
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_written(part, number, depth + 1) for part in value) + "]"
    return str(value) if isinstance(value, _Number) else json.dumps(value, ensure_ascii=False)
