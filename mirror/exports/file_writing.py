"""Write sheets to a file in one of the formats, in memory that does not grow with the rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

from mirror.exports.pieces import Progress, quietly
from mirror.exports.values import ARROW, FORMATS, Cover, ExportError, Sheet, Written
from sqlagent.errors import without_folders

NO_COVER = Cover()


def write(
    format: str,
    sheets: Sequence[Sheet],
    path: Path,
    cover: Cover = NO_COVER,
    progress: Progress | None = None,
) -> Written:
    """Write sheets to a file, which appears under its name when it is whole and not before.

    CSV, Parquet and JSON lines take exactly one sheet; XLSX makes a sheet and PDF a chapter of
    each. `progress` is called now and then with the number of rows written so far. A file of that
    name is replaced. Raises: ExportError for what cannot be written or does not fit on the disk,
    ResultGone, DatabaseError.
    """
    if format not in FORMATS:
        raise ExportError(f"There is no format “{format}”. Known: {', '.join(FORMATS)}.")
    if not sheets:
        raise ExportError("There is nothing to write.")
    if len(sheets) > 1 and not FORMATS[format].holds_several:
        raise ExportError(f"A {FORMATS[format].label} file holds the rows of one SQL; make one of each.")
    partial = path.with_name(f".{path.name[:100]}.{uuid4().hex[:8]}.partial")
    try:
        rows, notes = _writer(format)(sheets, partial, cover, progress or quietly)
        size = partial.stat().st_size
        os.replace(partial, path)
    except OSError as error:
        words = os.strerror(error.errno) if error.errno else without_folders(str(error))
        raise ExportError(f"The file could not be written: {words}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return Written(rows, size, notes)


def pieces(format: str, sheet: Sheet) -> Iterator[tuple[bytes, int]]:
    """Write one sheet piece by piece, each with the number of rows in it. Raises: as `write`.

    Only for formats that are streamed (`Format.is_streamed`), and Arrow.
    """
    if format == "csv":
        from mirror.exports.csv_files import chunks
    elif format == "jsonl":
        from mirror.exports.jsonl_files import chunks
    elif format == ARROW.name:
        from mirror.exports.arrow_files import chunks
    else:
        raise ExportError(f"A file of format “{format}” cannot be read before it is whole.")
    yield from chunks(sheet)


Writer = Callable[[Sequence[Sheet], Path, Cover, Progress], tuple[int, tuple[str, ...]]]


def _writer(format: str) -> Writer:
    """The function that writes a format. Its library is loaded when it is needed and not before."""
    match format:
        case "csv":
            from mirror.exports.csv_files import write as written
        case "jsonl":
            from mirror.exports.jsonl_files import write as written
        case "parquet":
            from mirror.exports.parquet_files import write as written
        case "xlsx":
            from mirror.exports.xlsx_files import write as written
        case _:
            from mirror.exports.pdf_files import write as written
    return written
