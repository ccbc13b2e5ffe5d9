"""Read a workbook's sheets as rows of text, its parts counted before they are unpacked."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

from mirror.sources.uploads.bounds import (
    BOOK_PARTS,
    PART_BYTES,
    SHARED_STRINGS,
    SHEET_COLUMNS,
    SHEET_ROWS,
    UNPACKED_LEAST,
    UNPACKED_MOST,
    UNPACKED_TIMES,
)
from mirror.sources.uploads.raw_tables import NoTable, RawTable, Row, float_text
from mirror.sources.uploads.wording import figure
from sqlagent.errors import without_folders
from sqlagent.language.saying import worded

# A text of a workbook begins.
_STRING = re.compile(rb"<(?:\w+:)?si[\s/>]")

# Exceptions of openpyxl and zipfile at a damaged workbook (found by damaging some, 2026-11). openpyxl's own
# InvalidFileException is not among them: that is for names of files, and it is given none.
_DAMAGED = (
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


def archive_parts(path: Path) -> dict[str, int]:
    """The files in an archive with their sizes; none when it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {item.filename: item.file_size for item in archive.infolist()}
    except _DAMAGED:
        return {}


def xlsx_sheets(path: Path, title: str) -> Iterator[RawTable]:
    """Read a workbook: a table each sheet with anything in it. Formulas give what they last gave."""
    import openpyxl  # 0.3 s and 30 MB, for those who read workbooks alone

    _book_check(path)
    with path.open("rb") as file:
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        except _DAMAGED as error:
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
    parts = archive_parts(path)
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
    except _DAMAGED:
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
    except _DAMAGED as error:
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
        return float_text(value)
    if isinstance(value, datetime):
        return (
            value.date().isoformat() if value == datetime(value.year, value.month, value.day) else str(value)
        )
    return value.isoformat() if isinstance(value, date) else str(value)
