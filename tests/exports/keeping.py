"""Sheets of rows in memory, and in a file as a stored result has them, without a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from mirror.exports.values import KeptFile, Sheet
from mirror.results import encoding
from mirror.results.encoding import StoredColumn
from sqlagent.values import Rows


def sheet_of_rows(
    rows: Rows, title: str = "", *, sentence: str = "", chart_image: bytes | None = None
) -> Sheet:
    """A few rows that are in memory."""
    return Sheet(
        title=title,
        columns=rows.columns,
        kinds=tuple(map(str, rows.kinds)),
        batches=lambda: iter([rows.rows]),
        row_count=len(rows.rows),
        truncated=rows.truncated,
        sentence=sentence,
        chart_image=chart_image,
    )


def sheet_kept(rows: Rows, path: Path, title: str = "") -> Sheet:
    """A sheet of rows that are kept in a file; they are in memory too, for formats that read no files."""
    stored = encoding.write(path, rows.columns, rows.rows, [str(kind) for kind in rows.kinds])
    columns = tuple(StoredColumn(**column) for column in stored)

    @contextmanager
    def kept() -> Iterator[KeptFile]:
        yield KeptFile(path, columns)

    return replace(sheet_of_rows(rows, title), kept=kept)
