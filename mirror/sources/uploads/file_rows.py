"""Read files as sheets of rows of text: which format, encoding and delimiter, and every cell as it stands.

Numbers keep all their digits and zeros, because nothing is turned into a number here.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, TextIO

from django.utils.translation import gettext_noop

from mirror.sources.uploads.bounds import (
    BOOK_PARTS,
    CELL_CHARS,
    LINE_CHARS,
    MAX_COLUMNS,
    NESTING,
    PART_BYTES,
    SHARED_STRINGS,
    SHEET_COLUMNS,
    SHEET_ROWS,
    UNPACKED_LEAST,
    UNPACKED_MOST,
    UNPACKED_TIMES,
)
from mirror.sources.uploads.wording import figure
from sqlagent.errors import without_folders
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

# A text of a workbook begins.
_STRING = re.compile(rb"<(?:\w+:)?si[\s/>]")
# Control characters that text files hold: tab, line ends, form feed, DOS's end of file; and 128 to 159, which are
# letters in Windows-1252.
_PLAIN = frozenset((9, 10, 12, 13, 26, *range(128, 160)))

# What openpyxl and zipfile raise, between them, at a workbook that is damaged (seen by damaging some, 2026-11), beside
# openpyxl's own InvalidFileException: that is for names of files, and it is given none.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    SyntaxError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)

Row = tuple[int, list[str | None]]


class NoTable(ValueError):
    """A file is no table, or not as it was said to be; `said` is fit to be shown."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """Columns that point at columns of a table; without `referenced` at its primary key."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawKeys:
    """What a file declares of a table: its name and its columns as they are there, its primary key, and its keys to tables."""

    table: str
    columns: tuple[str, ...]
    primary: tuple[str, ...] = ()
    foreign: tuple[DeclaredKey, ...] = ()


@dataclass(slots=True)
class RawTable:
    """Rows of one table, each with its number in the file. Read `rows` to the end, once.

    `names` are the columns of a file that names them itself; `texts` the last row in
    which a column holds what the file says is text, whatever it looks like. Both are complete when `rows` is at its end.
    `errors` and `binary` are cells that stay empty as they hold an error, or bytes. One with a `problem` cannot be read. A sheet `is_hidden` where the workbook does not show it.
    """

    title: str
    rows: Iterator[Row]
    names: list[str] | None = None
    texts: dict[int, int] = field(default_factory=dict)
    errors: int = 0
    binary: int = 0
    is_hidden: bool = False
    keys: RawKeys | None = None
    problem: str = ""


def format_of(path: Path, name: str) -> str:
    """Tell a file's format by what is in it. Raises: NoTable when it is none of ours."""
    with path.open("rb") as file:
        start = file.read(4096)
    if not start.strip():
        raise NoTable(worded("The file is empty."))
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"SQLite format 3\0"):
        return "sqlite"
    if start[8:12] == b"DUCK":
        raise NoTable(
            worded(
                "This is a DuckDB file. Export its tables (EXPORT DATABASE 'folder' (FORMAT parquet)) and upload those."
            )
        )
    if name.lower().endswith((".sqlite", ".sqlite3", ".db", ".db3")):
        raise NoTable(
            worded(
                "This is no SQLite database: it does not begin as one. It may be encrypted, or made by another program."
            )
        )
    if start.startswith(b"PK\x03\x04"):
        archived = _archived(path)
        if "xl/workbook.xml" in archived:
            return "xlsx"
        if not archived and name.lower().endswith((".xlsx", ".xlsm")):
            raise NoTable(worded("This file is damaged or not whole. Save it again, or save it as CSV."))
        raise NoTable(worded("This is an archive, not a table. Unpack it and upload the files in it."))
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise NoTable(
            worded(
                "This is an old Excel file (.xls) or one with a password. Save it as .xlsx or CSV without one."
            )
        )
    if _is_binary(start):
        raise NoTable(
            worded(
                "This is no table: the file holds bytes that are not text. Upload CSV, XLSX, Parquet, JSON lines or SQLite."
            )
        )
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"{") or name.lower().endswith((".jsonl", ".ndjson", ".json")):
        return "jsonl"
    if text[:15].lower().startswith((b"<!doctype", b"<html", b"<?xml", b"%pdf-", b"{\\rtf")):
        raise NoTable(
            worded("This is a document, not a table. Upload CSV, XLSX, Parquet, JSON lines or SQLite.")
        )
    return "csv"


def _archived(path: Path) -> dict[str, int]:
    """The files in an archive with their sizes; none when it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {item.filename: item.file_size for item in archive.infolist()}
    except DAMAGED:
        return {}


def _is_binary(start: bytes) -> bool:
    """Say that the start of a file is no text: it holds characters that no text holds."""
    wide = "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else _wide(start)
    text = start[: len(start) // 2 * 2].decode(wide or "latin-1", errors="replace").rstrip("\ufffd")
    return any(
        unicodedata.category(letter) in ("Cc", "Cn", "Co") for letter in text if ord(letter) not in _PLAIN
    )


# ---------------------------------------------------------------- text


def encoding_of(path: Path) -> str:
    """Guess the encoding: by its mark, by its zero bytes, UTF-8 if all of it is that, else Windows-1252."""
    with path.open("rb") as file:
        start = file.read(4096)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        if wide := _wide(start):
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


def _wide(start: bytes) -> str:
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


# ---------------------------------------------------------------- workbooks


def xlsx_sheets(path: Path, title: str) -> Iterator[RawTable]:
    """Read a workbook: a table each sheet with anything in it. Formulas give what they last gave."""
    import openpyxl  # 0.3 s and 30 MB, for those who read workbooks alone

    _book_check(path)
    with path.open("rb") as file:
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        except DAMAGED as error:
            raise NoTable(
                worded(
                    "This workbook cannot be read: {reason}. Save it again as .xlsx, or as CSV.",
                    reason=without_folders(str(error)),
                )
            ) from None
        with closing(book):
            for page in book.worksheets:
                sheet = RawTable(page.title if len(book.worksheets) > 1 else title, iter(()))
                sheet.rows = _xlsx_rows(page, sheet)
                sheet.is_hidden = page.sheet_state != "visible"
                yield sheet


def _book_check(path: Path) -> None:
    """Refuse a workbook whose parts are too many or unpack to too much. Raises: NoTable."""
    parts = _archived(path)
    unpacked = sum(parts.values())
    if unpacked > max(UNPACKED_TIMES * path.stat().st_size, UNPACKED_LEAST):
        raise NoTable(
            worded(
                "This workbook unpacks to far more than its size. Save its sheets as CSV and upload those."
            )
        )
    if unpacked > UNPACKED_MOST:
        raise NoTable(
            worded(
                "This workbook unpacks to {size} MB; the limit is {most} MB.",
                size=figure(unpacked // 1000000),
                most=figure(UNPACKED_MOST // 1000000),
            )
        )
    if len(parts) > BOOK_PARTS:
        raise NoTable(
            worded(
                "This workbook has {count} parts; the limit is {most}.",
                count=figure(len(parts)),
                most=figure(BOOK_PARTS),
            )
        )
    for name, size in parts.items():
        if size > PART_BYTES and not name.startswith(("xl/worksheets/", "xl/sharedStrings", "xl/media/")):
            raise NoTable(
                worded(
                    "The part {part} of this workbook is larger than {most} MB, the limit for parts that are not sheets.",
                    part=name[:60],
                    most=figure(PART_BYTES // 1000000),
                )
            )
    strings = next((name for name in parts if name.lower() == "xl/sharedstrings.xml"), None)
    if strings is not None and _strings_in(path, strings) > SHARED_STRINGS:
        raise NoTable(
            worded(
                "This workbook has more than {most} different texts, the limit. Save its sheets as CSV and upload those.",
                most=figure(SHARED_STRINGS),
            )
        )


def _strings_in(path: Path, part: str) -> int:
    """Count the texts in a part of a workbook, without keeping any."""
    count, tail = 0, b""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(part) as file:
            while count <= SHARED_STRINGS and (chunk := file.read(1 << 20)):
                count += len(_STRING.findall(tail + chunk))
                tail = chunk[-1:] if chunk.endswith(b"<") else b""
    except DAMAGED:
        return 0  # it is said when the workbook is read
    return count


def _width_checked(get: Callable[..., Any]) -> Callable[..., Any]:
    """Openpyxl's making of a row, which fills what is missing before its last cell, however far that is."""

    def checked(row: Any, *args: Any, **how: Any) -> Any:
        if row and row[-1]["column"] > SHEET_COLUMNS:
            raise NoTable(
                worded(
                    "A sheet has more than {most} columns, the limit of Excel.",
                    most=figure(SHEET_COLUMNS),
                )
            )
        return get(row, *args, **how)

    return checked


def _xlsx_rows(page: Any, sheet: RawTable) -> Iterator[Row]:
    page.reset_dimensions()  # what a file says about its size is often wrong
    page._get_row = _width_checked(page._get_row)
    try:
        for number, cells in enumerate(page.iter_rows(), 1):
            if number > SHEET_ROWS:
                raise NoTable(
                    worded("A sheet has more than {most} rows, the limit of Excel.", most=figure(SHEET_ROWS))
                )
            row = [_cell_text(cell, sheet) for cell in cells]
            while row and row[-1] is None:
                row.pop()
            if not row:
                continue
            for place, cell in enumerate(cells):
                if cell.data_type in ("s", "str", "inlineStr") and cell.value:
                    sheet.texts[place] = number
            yield number, row
    except NoTable:
        raise
    except DAMAGED as error:
        raise NoTable(
            worded(
                "The sheet “{title}” cannot be read: {reason}. Save it as CSV.",
                title=page.title,
                reason=without_folders(str(error)),
            )
        ) from None


def _cell_text(cell: Any, sheet: RawTable) -> str | None:
    value = cell.value
    if value is None or value == "":
        return None
    if cell.data_type == "e":
        sheet.errors += 1
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return (
            value.date().isoformat() if value == datetime(value.year, value.month, value.day) else str(value)
        )
    return value.isoformat() if isinstance(value, date) else str(value)
