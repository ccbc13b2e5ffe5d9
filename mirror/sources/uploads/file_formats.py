"""Tell the format of an uploaded file by what is in it, and what to do about one that is not read."""

from __future__ import annotations

import codecs
import unicodedata
from pathlib import Path

from mirror.sources.uploads.raw_tables import NoTable
from mirror.sources.uploads.text_files import wide_encoding
from mirror.sources.uploads.workbooks import archive_parts
from sqlagent.language.saying import worded

# Control characters that text files hold: tab, line ends, form feed, DOS's end of file; and 128 to 159, which are
# letters in Windows-1252.
_PLAIN = frozenset((9, 10, 12, 13, 26, *range(128, 160)))


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
        parts = archive_parts(path)
        if "xl/workbook.xml" in parts:
            return "xlsx"
        if not parts and name.lower().endswith((".xlsx", ".xlsm")):
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


def _is_binary(start: bytes) -> bool:
    """Say that the start of a file is no text: it holds characters that no text holds."""
    wide = "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else wide_encoding(start)
    text = start[: len(start) // 2 * 2].decode(wide or "latin-1", errors="replace").rstrip("\ufffd")
    return any(
        unicodedata.category(letter) in ("Cc", "Cn", "Co") for letter in text if ord(letter) not in _PLAIN
    )
