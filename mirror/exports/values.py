"""Content of a file, and the outcome of writing it: plain values, no file and no database in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from mirror.results.encoding import StoredColumn
from sqlagent.ports import CsvLines
from sqlagent.values import ColumnFormat

Row = tuple[Any, ...]


class ExportError(Exception):
    """Something cannot be written; the message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """Rows that lie in a Parquet file of ours, and what its columns hold (`mirror.results.encoding`)."""

    path: Path
    columns: tuple[StoredColumn, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of one SQL on their way to a file.

    `kinds` has a word of `sqlagent.values.Kind` a column, or an empty one where that is not known.
    `figures` are its numbers where it has nothing else: name, number and change, each for reading. `chart` is the chart that a
    workbook draws by itself (a `sqlagent.values.Chart` as a dict), None for none. `formats` of columns are for files to
    read, PDF alone; the others have the exact values.

    `batches` starts at the first row each time it is called, unless the rows come straight from a
    source: then it may be called once. `row_count` is None while nobody has counted; `truncated`
    tells that the source had more rows than these. `kept` opens the file the rows lie in, where
    there is one: some formats are written much faster from it. `column_batches` gives rows by
    column (`sqlagent.ports.ColumnStream`), `csv_lines` the lines of a CSV file that the source
    itself writes; both where a source can.
    """

    title: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    batches: Callable[[], Iterator[Sequence[Row]]]
    row_count: int | None
    truncated: bool = False
    sentence: str = ""
    chart_image: bytes | None = None
    kept: Callable[[], AbstractContextManager[KeptFile]] | None = None
    column_batches: Callable[[], Iterator[Sequence[Iterable[Any]]]] | None = None
    csv_lines: CsvLines | None = None
    figures: tuple[tuple[str, str, str], ...] = ()
    chart: Mapping[str, Any] | None = None
    formats: tuple[ColumnFormat, ...] = ()


@dataclass(frozen=True, slots=True)
class Cover:
    """The head of a whole file: its title, a note, when it was made, and lines of its own.

    XLSX says it on a sheet of notes, PDF at the head; the other formats hold rows and nothing else. `data` says
    of when the data are and is told in place of `made_at`. With a `zone` both show times that have one as its clocks do.
    """

    title: str = ""
    note: str = ""
    made_at: datetime | None = None
    lines: tuple[str, ...] = ()
    data: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A finished file: rows in it, its size in bytes, and what its reader must be told.

    `notes` are whole sentences: rows or cells that did not fit, numbers written as text.
    """

    rows: int
    size: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: how it is called, and the most rows of one sheet.

    One that `holds_several` takes more than one sheet; one that `is_streamed` can be read while it is written.
    """

    name: str
    label: str
    extension: str
    media_type: str
    holds_several: bool = False
    most_rows: int | None = None
    is_streamed: bool = False


# 1,048,576 rows fit in a sheet of Excel (its specifications and limits); the first holds the names.
XLSX_ROWS = 1_048_575
# A PDF is for reading: twenty pages of a table are more than anybody reads.
PDF_ROWS = 1_000

# For programs alone, which ask for it by name: nobody opens a file of it.
ARROW = Format("arrow", "Arrow", "arrows", "application/vnd.apache.arrow.stream", is_streamed=True)

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("csv", "CSV", "csv", "text/csv; charset=utf-8", is_streamed=True),
        Format(
            "xlsx",
            "Excel",
            "xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            holds_several=True,
            most_rows=XLSX_ROWS,
        ),
        Format("parquet", "Parquet", "parquet", "application/vnd.apache.parquet"),
        Format("jsonl", "JSON lines", "jsonl", "application/jsonl", is_streamed=True),
        Format("pdf", "PDF", "pdf", "application/pdf", holds_several=True, most_rows=PDF_ROWS),
    )
}
