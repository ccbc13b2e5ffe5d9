"""Compares the two ways a stream hands rows over: each must give every cell, in value and in type.

And what a stored result keeps of either way.
"""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from mirror.results.encoding import StoredColumn, Writer, decoded_column
from sqlagent.ports import ColumnStream, SourceDatabase
from sqlagent.values import Limits

MANY = Limits(30, 1_000_000)


def exact(value: Any) -> tuple[type, str]:
    """A value so that nothing else is the same; of a time zone, what it does to the time."""
    return type(value), value.isoformat() if isinstance(value, date | datetime) else repr(value)


def by_column(database: SourceDatabase, sql: str, limits: Limits = MANY) -> tuple[list[tuple[Any, ...]], Any]:
    """The rows of a statement put together from its columns, and the stream they came in."""
    rows: list[tuple[Any, ...]] = []
    with database.stream(sql, limits) as stream:
        assert isinstance(stream, ColumnStream)
        for batch in stream.column_batches():
            rows += zip(*(c.to_pylist() if isinstance(c, pa.Array) else c for c in batch), strict=True)
    return rows, stream


def stored(database: SourceDatabase, sql: str, path: Path, *, rows_only: bool) -> tuple[Any, list[Any]]:
    """Write a statement's rows to a file of stored results; give its columns, and the rows read back."""
    with database.stream(sql, MANY) as stream:
        writer = Writer(path, stream.columns, [str(kind) for kind in stream.kinds])
        if isinstance(stream, ColumnStream) and not rows_only:
            for columns in stream.column_batches():
                writer.add_columns(columns)
        else:
            for rows in stream:
                writer.add(rows)
        columns = writer.close()
    table = parquet.read_table(path)
    cells = [decoded_column(table, n, StoredColumn(**column)) for n, column in enumerate(columns)]
    return columns, list(zip(*cells, strict=True))


def assert_same(database: SourceDatabase, sql: str, folder: Path) -> None:
    """Compare a statement's rows with its columns, and with both of its files, cell for cell, type for type."""
    wanted = [tuple(map(exact, row)) for row in database.execute(sql, MANY).rows]
    with database.stream(sql, MANY) as stream:
        is_copied = isinstance(stream, ColumnStream)
    if is_copied:
        got, _ = by_column(database, sql)
        assert [tuple(map(exact, row)) for row in got] == wanted
    told_rows, by_rows = stored(database, sql, folder / "rows", rows_only=True)
    told_columns, by_columns = stored(database, sql, folder / "columns", rows_only=False)
    assert told_columns == told_rows
    assert [tuple(map(exact, row)) for row in by_columns] == [tuple(map(exact, row)) for row in by_rows]
