"""Rows on their way from a source, kept in a file of ours for as long as a file is made of them.

A format that must know what a whole column holds, or that is written many times faster from a file than
cell by cell, takes rows twice: once into this file, once out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mirror.exports.values import KeptFile, Sheet
from mirror.results.encoding import StoredColumn, Writer


@contextmanager
def received(sheet: Sheet, path: Path, progress: Callable[[int], None]) -> Iterator[KeptFile]:
    """Keep rows in a file beside the one that is wanted; it is gone afterwards."""
    beside = path.with_name(path.name + ".rows")
    try:
        writer = Writer(beside, sheet.columns, sheet.kinds)
        if sheet.column_batches is None:
            for rows in sheet.batches():
                writer.add(rows)
                progress(writer.row_count)
        else:
            for columns in sheet.column_batches():
                writer.add_columns(columns)
                progress(writer.row_count)
        yield KeptFile(beside, tuple(StoredColumn(**column) for column in writer.close()))
    finally:
        beside.unlink(missing_ok=True)
        beside.with_suffix(".narrow").unlink(missing_ok=True)
