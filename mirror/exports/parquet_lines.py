"""Lines of text made by DuckDB of rows that lie in a file of ours, without a Python object a cell.

One SQL expression a column says how its cells are written; DuckDB joins them to lines, and the bytes of
the lines go to the file as they lie in memory. 5,000,000 rows of eight columns as CSV: 3.3 s and 70 MB,
where cell by cell takes 50 s (measured 2026-11).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from mirror.exports.defusing import csv_text_sql, sql_literal
from mirror.exports.values import KeptFile
from mirror.results.cells import SAFE_INTEGER
from mirror.results.encoding import StoredColumn
from mirror.results.opened_files import file_opened

# Lines made at once: 10,000 take 4 MB with cells of usual size.
LINES = 10_000

# The letters of a tagged column (`mirror.results.column_storage`) whose cells SQL can write.
_SAYABLE = "'b', 'i', 'f', 'd', 's', 'x', 't', 'a', 'o', 'u'"
# Parts of kept JSON that must be read and written anew: escapes for CSV; for JSON lone surrogates, numbers
# that would be rounded, NaN and Infinity.
_ESCAPES = "contains({0}, '\\u')"
_UNFIT = "regexp_matches({0}, '\\\\u[dD]|[0-9]{{16}}|(^|[\\[ ,:])-?(NaN|Infinity)')"


def csv_lines(kept: KeptFile) -> Iterator[tuple[bytes, int]] | None:
    """The rows as lines of CSV with the number of rows in each piece; None where SQL cannot say them."""
    if not kept.columns or not _is_sayable(kept, _ESCAPES):
        return None
    cells = [f"coalesce({_csv_cell(*column)}, '')" for column in _columns(kept)]
    return _lines(kept, " || ',' || ".join(cells) + " || chr(10)")


def json_lines(kept: KeptFile, names: Sequence[str]) -> Iterator[tuple[bytes, int]] | None:
    """The rows as JSON objects under these names, a line each; None where SQL cannot say them."""
    if not kept.columns or not _is_sayable(kept, _UNFIT):
        return None
    keys = [sql_literal(f"{json.dumps(name, ensure_ascii=False)}: ") for name in names]
    cells = [f"coalesce({_json_cell(*column)}, 'null')" for column in _columns(kept)]
    pairs = [f"{key} || {cell}" for key, cell in zip(keys, cells, strict=True)]
    return _lines(kept, "'{' || " + " || ', ' || ".join(pairs) + " || '}' || chr(10)")


# A float with its point, which tells readers of JSON that it is one.
_FLOAT = "CAST({0} AS VARCHAR)"


def _columns(kept: KeptFile) -> list[tuple[str, StoredColumn, pa.DataType]]:
    types = pq.read_schema(kept.path)
    return [(f"c{n}", column, types.field(f"c{n}").type) for n, column in enumerate(kept.columns)]


def _lines(kept: KeptFile, line: str) -> Iterator[tuple[bytes, int]]:
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


def _is_sayable(kept: KeptFile, unfit_json: str) -> bool:
    """Tell whether every cell can be written by SQL: looks for what cannot, where it could be."""
    looked: list[str] = []
    for n, column in enumerate(kept.columns):
        if column.stored == "interval":
            return False
        if column.stored == "tagged":
            looked.append(f"c{n}_tag NOT IN ({_SAYABLE}) OR (c{n}_tag = 'd' AND contains(c{n}, 'E'))")
        elif column.stored == "json":
            looked.append(unfit_json.format(f"c{n}"))
    if not looked:
        return True
    found = " OR ".join(f"coalesce(bool_or({what}), false)" for what in looked)
    with file_opened(kept.path) as connection:
        row = connection.execute(
            f"SELECT {found} FROM read_parquet(?)",  # noqa: S608 - names of ours
            [str(kept.path)],
        ).fetchone()
    return row is not None and not row[0]


def _csv_cell(name: str, column: StoredColumn, type: pa.DataType) -> str:
    """The expression that writes a cell of CSV, NULL as NULL."""
    if column.stored == "tagged":
        return (
            f"CASE {name}_tag WHEN 's' THEN {csv_text_sql(name)} WHEN 't' THEN replace({_iso(name)}, 'T', ' ') "
            f"{_tagged(name)} END"
        )
    if _is_text(column, type):
        return csv_text_sql(name)
    return _exact(name, column, type)


def _json_cell(name: str, column: StoredColumn, type: pa.DataType) -> str:
    """The expression that writes a cell of JSON, NULL as NULL."""
    if column.stored == "json":
        return name
    if column.stored == "tagged":
        float_ = f"WHEN 'f' THEN {_FLOAT.format(f'{name}_order')}"
        text = f"CASE {name}_tag WHEN 't' THEN {_iso(name)} {float_} {_tagged(name)} END"
        is_bare = (
            f"{name}_tag = 'b' OR {name}_tag = 'i' AND abs({name}_order) <= {SAFE_INTEGER} "
            f"OR {name}_tag = 'f' AND isfinite({name}_order)"
        )
        return (
            f"CASE WHEN {name}_tag = 's' THEN {_string(name)} WHEN {is_bare} THEN {text} "
            f"""ELSE '"' || {text} || '"' END"""
        )
    if _is_text(column, type):
        return _string(name)
    text = _exact(name, column, type)
    if pa.types.is_boolean(type):
        return text
    if pa.types.is_integer(type):
        return f"""CASE WHEN abs({name}) <= {SAFE_INTEGER} THEN {text} ELSE '"' || {text} || '"' END"""
    if pa.types.is_floating(type):
        if column.stored == "number":
            text = f"CASE WHEN {name}_tag THEN CAST(CAST({name} AS BIGINT) AS VARCHAR) ELSE {_FLOAT.format(name)} END"
        else:
            text = _FLOAT.format(name)
        return f"""CASE WHEN isfinite({name}) THEN {text} ELSE '"' || {text} || '"' END"""
    if column.stored == "wide":
        return f"""CASE WHEN abs({name}) <= {SAFE_INTEGER} THEN {text} ELSE '"' || {text} || '"' END"""
    if pa.types.is_timestamp(type):
        text = f"replace({text}, ' ', 'T')"
    return f"""'"' || {text} || '"'"""


def _is_text(column: StoredColumn, type: pa.DataType) -> bool:
    return pa.types.is_string(type) and column.stored != "uuid"


def _string(name: str) -> str:
    return f"CAST(to_json({name}) AS VARCHAR)"


def _iso(name: str) -> str:
    """A moment as text without the zeros at the end of its fraction, as `texts.iso` writes it."""
    return rf"regexp_replace({name}, '(\.[0-9]*[1-9])0+($|[+-])', '\1\2')"


def _tagged(name: str) -> str:
    """The cases of a tagged column that are written alike in every format, but for quotes."""
    return (
        f"WHEN 'b' THEN CASE {name} WHEN '1' THEN 'true' ELSE 'false' END WHEN 'f' THEN {_float(f'{name}_order')} "
        f"WHEN 'x' THEN '0x' || {name} WHEN 'o' THEN {_iso(name)} ELSE {name}"
    )


def _exact(name: str, column: StoredColumn, type: pa.DataType) -> str:
    """The exact text of a cell that is no text of somebody's."""
    if column.stored == "timestamptz":
        return f"CAST({name} + to_seconds({column.offset}) AS VARCHAR) || '{_zone(column.offset)}'"
    if pa.types.is_binary(type):
        return f"'0x' || lower(hex({name}))"
    if pa.types.is_floating(type):
        return _float(name)
    if pa.types.is_decimal(type) and type.scale == type.precision:
        # DuckDB writes such a decimal without the zero before its point.
        return rf"regexp_replace(CAST({name} AS VARCHAR), '^(-?)\.', '\10.')"
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
