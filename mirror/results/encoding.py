"""Rows to a Parquet file and back, cell for cell, in memory that does not grow.

A column whose values are all of one type is stored as that type. A column of integers and
floats together (SQLite's NUMERIC) is stored as floats with a mark on the integers. Every other
column (the mixed types SQLite allows, integers beyond 38 digits, decimals of several scales,
times with several offsets) is *tagged*: the text of each cell, a letter for its type, and a
number to sort by. File columns are `c0`, `c1` ..., because names may repeat; what each holds is
the list of `StoredColumn` kept beside the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mirror.results.column_storage import EMPTY, NUMBERS, SAFE, UNTAG, Plan, kinds_in, types_in, wider, zoned

# Rows of one Parquet row group: small enough to page through, large enough to compress.
_GROUP_ROWS, _GROUP_BYTES = 50_000, 32_000_000
# Stored as what it is: reading needs no decoding.
ITSELF = {"plain", "decimal", "naive", "clock"}

# Facts of a column from its SQL: kept where there are some.
OF_SQL = ("of_groups", "adds_up")


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """One column of a stored result: its name, its kind, how it is stored, and the offset of its times.

    It is `of_groups` where its SQL reckoned an average or a rate of each group: those of several groups have no total.
    `adds_up` says whether its SQL made it of sums and counts; None where it is no aggregate.
    Its numbers are `in_percent` where its name or its SQL says so.
    """

    name: str
    kind: str
    stored: str
    offset: int = 0
    of_groups: bool = False
    adds_up: bool | None = None
    in_percent: bool = False


class Writer:
    """Writes rows to a Parquet file as they come; `close` tells what the columns came to be.

    How a column is stored is decided by its first rows and widened when later ones do not fit:
    then the file so far is written anew. Every value read back equals the one written, in type
    and in digits; NULL stays apart from the empty text and NaN from NULL.
    """

    def __init__(self, path: Path, columns: Sequence[str], kinds: Sequence[str] = ()) -> None:
        self._path, self._names = path, list(columns)
        self._kinds = [kinds[n] if n < len(kinds) else "" for n in range(len(columns))]
        self._plans = [EMPTY for _ in columns]
        self._found: list[set[str]] = [set() for _ in columns]
        self._large: set[int] = set()
        self._varied: set[str] = set()
        self._pending: list[pa.RecordBatch] = []
        self._waiting = self._waiting_bytes = 0
        self._file: pq.ParquetWriter | None = None
        self.row_count = 0

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """Write some rows."""
        if not rows:
            return
        if not self._names:
            self.row_count += len(rows)
            self._hold(pa.record_batch([pa.nulls(len(rows))], names=["none"]))
            return
        self.add_columns(list(zip(*rows, strict=True)))

    def add_columns(self, columns: Sequence[Sequence[Any] | pa.Array]) -> None:
        """Write some rows that come by column; see `sqlagent.ports.ColumnStream` for what arrays mean."""
        self.row_count += len(columns[0])
        arrays: list[dict[str, pa.Array]] = []
        widened: dict[int, Plan] = {}
        for number, values in enumerate(columns):
            types = types_in(values)
            if not self._kinds[number]:
                self._found[number] |= kinds_in(types)
            plan, parts = self._plans[number], None
            while (parts := plan.encode(values, types)) is None:
                plan = wider(plan, types, values, number in self._large)
            if plan != self._plans[number]:
                widened[number] = plan
            if plan.of is int and plan.stored == "plain":
                self._note_large(number, parts[""])
            arrays.append(parts)
        if widened:
            self._widen(widened)
        flat = {f"c{n}{suffix}": array for n, parts in enumerate(arrays) for suffix, array in parts.items()}
        self._hold(pa.record_batch(list(flat.values()), names=list(flat)))

    def _note_large(self, number: int, integers: pa.Array) -> None:
        """Remember a column that holds integers no float does."""
        bounds = pc.min_max(integers).as_py()
        if bounds["min"] is not None and not -SAFE <= bounds["min"] <= bounds["max"] <= SAFE:
            self._large.add(number)

    def close(self) -> list[dict[str, Any]]:
        """Finish the file; returns its stored columns as JSON."""
        self._flush()
        if self._file is None:
            self._file = self._opened()
        self._file.close()
        told = [asdict(column) for column in self._columns()]
        return [{name: value for name, value in one.items() if name not in OF_SQL} for one in told]

    def _columns(self) -> list[StoredColumn]:
        made = []
        for name, told, found, plan in zip(self._names, self._kinds, self._found, self._plans, strict=True):
            kind = told or (next(iter(found)) if len(found) == 1 else "number" if found == NUMBERS else "")
            stored = "plain" if plan.stored == "empty" else plan.stored
            made.append(StoredColumn(name, kind or ("other" if found else "text"), stored, plan.offset))
        return made

    def _schema(self) -> pa.Schema:
        fields = [(f"c{n}{s}", t) for n, plan in enumerate(self._plans) for s, t in plan.arrow().items()]
        return pa.schema(fields or [("none", pa.null())])

    def _opened(self) -> pq.ParquetWriter:
        """A dictionary only for texts that repeat: for others it costs time (a quarter of writing) and space."""
        schema = self._schema()
        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        if self._pending:
            first = self._pending[0]
            self._varied = {name for name in texts if pc.count_distinct(first[name]).as_py() > len(first) / 2}
        repeating = [name for name in texts if name not in self._varied]
        return pq.ParquetWriter(self._path, schema, compression="zstd", use_dictionary=repeating or False)

    def _hold(self, batch: pa.RecordBatch) -> None:
        self._pending.append(batch)
        self._waiting += batch.num_rows
        self._waiting_bytes += batch.nbytes
        if self._waiting >= _GROUP_ROWS or self._waiting_bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if not self._pending:
            return
        if self._file is None:
            self._file = self._opened()
        self._file.write_table(pa.Table.from_batches(self._pending), row_group_size=_GROUP_ROWS)
        self._pending, self._waiting, self._waiting_bytes = [], 0, 0

    def _widen(self, plans: dict[int, Plan]) -> None:
        """Store some columns another way from now on, and what was written of them too."""
        self._flush()
        before = self._columns()
        for number, plan in plans.items():
            self._plans[number] = plan
        if self._file is None:
            return
        self._file.close()
        old = self._path.with_suffix(".narrow")
        self._path.rename(old)
        self._file = self._opened()
        with pq.ParquetFile(old) as file:
            for group in range(file.num_row_groups):
                self._file.write_table(self._rewritten(file.read_row_group(group), before, plans))
        old.unlink()

    def _rewritten(self, table: pa.Table, before: list[StoredColumn], plans: dict[int, Plan]) -> pa.Table:
        flat: dict[str, Any] = {}
        for number, plan in enumerate(self._plans):
            if number not in plans:
                flat |= {f"c{number}{suffix}": table[f"c{number}{suffix}"] for suffix in plan.arrow()}
                continue
            values = list(decoded_column(table, number, before[number]))
            parts = plan.encode(values, types_in(values))
            assert parts is not None, "a wider plan holds what a narrower one held"
            flat |= {f"c{number}{suffix}": array for suffix, array in parts.items()}
        return pa.table(flat)


def write(
    path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]], kinds: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Write rows to a Parquet file; returns its stored columns as JSON. See `Writer`."""
    writer = Writer(path, columns, kinds)
    for start in range(0, len(rows), _GROUP_ROWS):
        writer.add(rows[start : start + _GROUP_ROWS])
    return writer.close()


def decoded_column(table: pa.Table | pa.RecordBatch, number: int, column: StoredColumn) -> Iterator[Any]:
    """The values of one stored column, read from its columns of the file."""
    parts = [table.column(name).to_pylist() for name in file_columns(number, column)]
    decode = decoder(column)
    return map(decode, zip(*parts, strict=True)) if len(parts) > 1 else map(decode, parts[0])


def file_columns(number: int, column: StoredColumn) -> tuple[str, ...]:
    """The file's columns that a stored column is read from."""
    has_tag = column.stored in ("tagged", "number")
    return (f"c{number}", f"c{number}_tag") if has_tag else (f"c{number}",)


def decoder(column: StoredColumn) -> Callable[[Any], Any]:
    """The function that gives back a stored value; one with a tag is given as `(value, tag)`."""
    plain: dict[str, Callable[[Any], Any]] = {
        "wide": int,
        "uuid": UUID,
        "json": json.loads,
        "interval": lambda us: timedelta(microseconds=us),
        "timestamptz": zoned(column.offset),
    }
    if column.stored == "tagged":
        return lambda pair: None if pair[1] is None else UNTAG[pair[1]](pair[0])
    if column.stored == "number":
        return lambda pair: int(pair[0]) if pair[1] else pair[0]
    decode = plain.get(column.stored)
    if decode is None:
        return lambda value: value
    return lambda value: None if value is None else decode(value)
