"""Parquet: the columns under their own names (made to differ) and in real types.

Integers are int64, decimals decimal128, floats doubles, dates, times and timestamps themselves (those with a
zone in UTC), bytes binary, JSON its text. Integers beyond 64 bits are decimals. A column of several types is
text, unless they are all integers and decimals that fit one decimal128 (PostgreSQL's `numeric`). Rows that
come cell by cell are first kept in a file of ours, which finds out what their columns hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mirror.exports import names
from mirror.exports.pieces import quietly
from mirror.exports.spooling import received
from mirror.exports.texts import exact
from mirror.exports.values import Cover, KeptFile, Sheet
from mirror.results.encoding import StoredColumn, decoded_column
from mirror.results.opened_files import file_opened

# Digits of the widest decimal that Parquet's readers share.
_DIGITS = 38
# Rows of one row group.
_GROUP_ROWS = 50_000


def write(
    sheets: Sequence[Sheet], path: Path, cover: Cover, progress: Callable[[int], None]
) -> tuple[int, tuple[str, ...]]:
    """Write one sheet to a file; see `file_writing.write`."""
    sheet = sheets[0]
    if sheet.kept is not None:
        with sheet.kept() as kept:
            return _convert(kept, sheet, path, progress)
    with received(sheet, path, progress) as kept:
        return _convert(kept, sheet, path, quietly)


def _convert(
    kept: KeptFile, sheet: Sheet, path: Path, progress: Callable[[int], None]
) -> tuple[int, tuple[str, ...]]:
    schema, batches = arrow_batches(kept, sheet)
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    rows = 0
    with pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=texts or False) as written:
        for batch in batches:
            written.write_batch(batch)
            rows += batch.num_rows
            progress(rows)
    renamed = [name for name, given in zip(schema.names, sheet.columns, strict=True) if name != given]
    notes = [f"Columns of one name were renamed: {', '.join(renamed[:10])}."] if renamed else []
    return rows, tuple(notes)


def arrow_batches(kept: KeptFile, sheet: Sheet) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The rows in real types: the schema they have, and batches of them."""
    types = pq.read_schema(kept.path)
    columns = [_Column(n, column, *_target(kept, n, column, types)) for n, column in enumerate(kept.columns)]
    named = names.unique(sheet.columns)
    schema = pa.schema([pa.field(name, column.type) for name, column in zip(named, columns, strict=True)])

    def batches() -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(kept.path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=_GROUP_ROWS, use_threads=False):
                arrays = [column.made(batch) for column in columns]
                # Rows without columns are counted all the same.
                yield pa.RecordBatch.from_arrays(arrays, schema=schema) if arrays else batch.select([])

    return schema, batches()


class _Column:
    """How one stored column becomes a column of the file."""

    def __init__(self, number: int, column: StoredColumn, type: pa.DataType, how: str) -> None:
        self.number, self.column, self.type, self._how = number, column, type, how

    def made(self, batch: pa.RecordBatch) -> pa.Array:
        """The column of a batch, in its type of the file."""
        stored = batch.column(f"c{self.number}")
        if self._how == "itself":
            return stored
        if self._how == "cast":
            return pc.cast(stored, self.type)
        values = decoded_column(batch, self.number, self.column)
        if self._how == "decimal":
            return pa.array([None if v is None else Decimal(v) for v in values], self.type)
        return pa.array([None if v is None else exact(v) for v in values], self.type)


def _target(kept: KeptFile, number: int, column: StoredColumn, types: pa.Schema) -> tuple[pa.DataType, str]:
    """The type a column has in the file, and how it comes to it."""
    stored = types.field(f"c{number}").type
    match column.stored:
        case "timestamptz":
            return pa.timestamp("us", "UTC"), "cast"
        case "interval":
            return pa.string(), "text"
        case "tagged":
            decimal = _decimal_of(kept, number)
            return (decimal, "decimal") if decimal is not None else (pa.string(), "text")
    return stored, "itself"


def _decimal_of(kept: KeptFile, number: int) -> pa.DataType | None:
    """The decimal type that holds a whole tagged column exactly, or None."""
    name = f"c{number}"
    with file_opened(kept.path) as connection:
        found = connection.execute(
            f"SELECT bool_and({name}_tag IN ('i', 'd') AND NOT regexp_matches({name}, '[eEnN]')), "  # noqa: S608
            f"max(length(regexp_replace(split_part({name}, '.', 1), '^-?0*', ''))), "
            f"max(length(split_part({name}, '.', 2))) FROM read_parquet(?)",
            [str(kept.path)],
        ).fetchone()
    if found is None or not found[0]:
        return None
    whole, places = int(found[1] or 0), int(found[2] or 0)
    return pa.decimal128(_DIGITS, places) if whole + places <= _DIGITS else None
