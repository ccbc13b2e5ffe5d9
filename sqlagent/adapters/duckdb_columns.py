"""The columns of a DuckDB statement as Arrow arrays, which it makes by itself.

Integers become int64, decimals of 38 digits. A batch with a date or a time that Python does not
know is left to DuckDB's own Python values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from sqlagent.adapters.arrow import Column, Columns, uuids

# Rows at a time: DuckDB's own vectors, so that long texts are held no more than once.
BATCH_ROWS = 2_048
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_ARROW = {
    "BOOLEAN": pa.bool_(),
    "FLOAT": pa.float64(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "UUID": pa.string(),
    "DATE": pa.date32(),
    "TIME": pa.time64("us"),
    "TIMESTAMP": pa.timestamp("us"),
    **dict.fromkeys(_INTEGERS, pa.int64()),
}
_DAY = 86_400_000_000
_FIRST, _LAST = (day.toordinal() - date(1970, 1, 1).toordinal() for day in (date.min, date.max))
# The range of Python's date, time and datetime, as Arrow counts them.
_BOUNDS = {
    pa.date32(): (_FIRST, _LAST),
    pa.time64("us"): (0, _DAY - 1),
    pa.timestamp("us"): (_FIRST * _DAY, (_LAST + 1) * _DAY - 1),
}


def shape(name: str) -> pa.DataType:
    """Tell the array that a column of a type becomes.

    Example:
        >>> shape("UTINYINT"), shape("DECIMAL(9,2)")
        (DataType(int64), Decimal128Type(decimal128(38, 2)))
    """
    if name.startswith("DECIMAL("):
        return pa.decimal128(38, int(name.rstrip(")").partition(",")[2]))
    return _ARROW[name]


def column_batches(relation: duckdb.DuckDBPyRelation, types: Sequence[str]) -> Iterator[Columns]:
    """Run it and give its columns, batch by batch. Raises: duckdb.Error."""
    shapes = list(map(shape, types))
    # Left open, a reader keeps the file from opening again.
    with closing(relation.to_arrow_reader(BATCH_ROWS)) as reader:
        for batch in reader:
            columns = [_column(array, wanted) for array, wanted in zip(batch.columns, shapes, strict=True)]
            yield [
                uuids(column) if name == "UUID" else column
                for column, name in zip(columns, types, strict=True)
            ]


def _column(array: pa.Array, shape: pa.DataType) -> Column:
    if shape in _BOUNDS:
        first, last = _BOUNDS[shape]
        found = pc.min_max(array.view(pa.int32() if pa.types.is_date(shape) else pa.int64())).as_py()
        if found["min"] is not None and not first <= found["min"] <= found["max"] <= last:
            return _by_duckdb(array)
    return array if array.type == shape else array.cast(shape)


def _by_duckdb(array: pa.Array) -> list[object]:
    """Have DuckDB make Python's values of an array, as it does of rows."""
    with duckdb.connect(":memory:") as own:
        return [row[0] for row in own.from_arrow(pa.table({"c": array})).fetchall()]
