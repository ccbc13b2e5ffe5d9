"""Lines of text made by DuckDB of rows that lie in a file of ours, without a Python object a cell.

One SQL expression a column says how its cells are written; DuckDB joins them to lines, and the bytes of
the lines go to the file as they lie in memory. 5,000,000 rows of eight columns as CSV: 3.3 s and 70 MB,
where cell by cell takes 50 s (measured 2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from mirror.exports.defusing import csv_text_sql
from mirror.exports.values import Kept
from mirror.results.encoding import StoredColumn
from mirror.results.selectors import file_opened

# Lines made at once: 10,000 take 4 MB with cells of usual size.
LINES = 10_000

# The letters of a tagged column (`mirror.results.plans`) whose cells SQL can write.
_SAYABLE = {"b", "i", "f", "d", "s", "x", "t", "a", "o", "u"}


def csv_lines(kept: Kept) -> Iterator[tuple[bytes, int]] | None:
    """The rows as lines of CSV with the number of rows in each piece; None where SQL cannot say them."""
    if not kept.columns or not _is_sayable(kept):
        return None
    types = pq.read_schema(kept.path)
    cells = [_csv_cell(f"c{n}", column, types.field(f"c{n}").type) for n, column in enumerate(kept.columns)]
    return _lines(kept, "concat(" + ", ',', ".join(cells) + ", chr(10))")


def _lines(kept: Kept, line: str) -> Iterator[tuple[bytes, int]]:
    with file_opened(kept.path) as connection:
        found = connection.sql(f"SELECT {line} FROM read_parquet(?)", params=[str(kept.path)])  # noqa: S608
        for batch in found.to_arrow_reader(LINES):
            yield _bytes_of(batch.column(0)), batch.num_rows


def _bytes_of(lines: pa.Array) -> bytes:
    """The characters of an array of texts, one after the other, as they lie in memory."""
    offsets = lines.buffers()[1]
    width = 8 if pa.types.is_large_string(lines.type) else 4
    first, last = lines.offset * width, (lines.offset + len(lines)) * width
    start = int.from_bytes(memoryview(offsets)[first : first + width], "little")
    end = int.from_bytes(memoryview(offsets)[last : last + width], "little")
    return bytes(memoryview(lines.buffers()[2])[start:end]) if end > start else b""


def _is_sayable(kept: Kept) -> bool:
    """Tell whether every cell can be written by SQL: looks for what cannot, where it could be."""
    looked: list[str] = []
    for n, column in enumerate(kept.columns):
        if column.stored == "interval":
            return False
        if column.stored == "tagged":
            known = ", ".join(f"'{tag}'" for tag in sorted(_SAYABLE))
            looked.append(f"bool_or(c{n}_tag NOT IN ({known}) OR (c{n}_tag = 'd' AND contains(c{n}, 'E')))")
        elif column.stored == "json":
            looked.append(f"bool_or(contains(c{n}, '\\u'))")
    if not looked:
        return True
    with file_opened(kept.path) as connection:
        found = connection.execute(
            f"SELECT {', '.join(looked)} FROM read_parquet(?)",  # noqa: S608 - names of ours
            [str(kept.path)],
        ).fetchone()
    return not any(found or ())


def _csv_cell(name: str, column: StoredColumn, type: pa.DataType) -> str:
    """The expression that writes a cell of this column, NULL as NULL."""
    if column.stored == "tagged":
        return (
            f"CASE {name}_tag WHEN 's' THEN {csv_text_sql(name)} "
            f"WHEN 'b' THEN CASE {name} WHEN '1' THEN 'true' ELSE 'false' END "
            f"WHEN 'f' THEN {_float(f'{name}_order')} WHEN 'x' THEN '0x' || {name} "
            f"WHEN 't' THEN replace({name}, 'T', ' ') ELSE {name} END"
        )
    if column.stored == "timestamptz":
        return f"CAST({name} + to_seconds({column.offset}) AS VARCHAR) || '{_zone(column.offset)}'"
    if pa.types.is_binary(type):
        return f"'0x' || lower(hex({name}))"
    if pa.types.is_floating(type):
        return _float(name)
    if pa.types.is_string(type) and column.stored != "uuid":
        return csv_text_sql(name)
    return f"CAST({name} AS VARCHAR)"


def _zone(offset: int) -> str:
    """Write an offset in seconds as `datetime.isoformat` does."""
    minutes, seconds = divmod(abs(offset), 60)
    tail = f":{seconds:02}" if seconds else ""
    return f"{'-' if offset < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}{tail}"


def _float(name: str) -> str:
    """A float as `exact_text` writes it: a whole one without its point."""
    is_whole = f"isfinite({name}) AND abs({name}) < 1e15 AND {name} = trunc({name})"
    return (
        f"CASE WHEN {is_whole} THEN CAST(CAST({name} AS BIGINT) AS VARCHAR) ELSE CAST({name} AS VARCHAR) END"
    )
