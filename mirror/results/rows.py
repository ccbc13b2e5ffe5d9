"""Read the rows of stored results: a page of them sorted and filtered, all of them, or in batches.

The file is read by DuckDB with everything outside it locked away; no text of a person enters
its SQL other than as a parameter.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
from django.utils.translation import gettext as _

from mirror.results.encoding import ITSELF, StoredColumn, decoder, file_columns
from mirror.results.filters import BadFilter, rows_searched, search_of, where_of
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone, file_kept, file_opened
from sqlagent.values import Kind, Rows

log = logging.getLogger(__name__)

# Rows read at once when a whole result is walked through.
BATCH_ROWS = 5_000
# So few rows are read faster without opening a DuckDB, which takes some 10 ms (measured 2026-11).
FEW_ROWS = 500

_IN_ORDER = "file_row_number"


@dataclass(frozen=True, slots=True)
class Sort:
    """Order by one column, counted from 0."""

    column: int
    descending: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Some rows of a result: values as the source gave them, and how many pass the filter.

    `searched` is how many rows a search looked at, where it did not look at all.
    """

    columns: tuple[StoredColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    offset: int
    matching: int
    total: int
    searched: int | None = None


def columns_of(result: StoredResult) -> tuple[StoredColumn, ...]:
    """The columns of a result, in order."""
    return tuple(StoredColumn(**column) for column in result.columns)


def rows_page(
    result: StoredResult,
    offset: int = 0,
    limit: int = 50,
    sort: Sort | None = None,
    filters: dict[int, str] | None = None,
    search: str = "",
) -> ResultPage:
    """Read `limit` rows from `offset`, sorted and filtered. NULLs come last in both directions.

    Rows that compare equal, and all rows without `sort`, keep the order the source gave. A
    filter is a text to contain (letter case ignored), `> 5`, `<= 2024-01-31`, `= Oslo`,
    `10..20`, `10..<20`, `== Oslo` (that very text), `null` or `not null`; `search` is a text that any cell of the row contains, looked for in
    as many of the first rows as `rows_searched` says.
    Raises: ResultGone, BadFilter.
    """
    columns = columns_of(result)
    if not columns:
        return ResultPage(
            (), ((),) * min(limit, result.row_count), offset, result.row_count, result.row_count
        )
    where, values = passing(result, filters or {}, search)
    first = rows_searched(columns, result.row_count)
    searched = first if search.strip() and first < result.row_count else None
    with _opened(result) as (connection, path):
        matching = result.row_count
        order, skipped = _order(columns, sort), offset
        if search.strip() and order == _IN_ORDER:  # searched once; rows found are read where they lie
            seen = connection.execute(_sql(_IN_ORDER, where, f"ORDER BY {_IN_ORDER}"), [path, *values])
            places = seen.fetchnumpy()[_IN_ORDER]
            matching, values, skipped = len(places), places[offset : offset + limit].tolist(), 0
            where = f"file_row_number IN ({', '.join('?' * len(values))})" if values else "false"
        elif where:
            counted = connection.execute(_sql("count(*)", where), [path, *values])
            matching = int((counted.fetchone() or (0,))[0])
        elif order == _IN_ORDER:  # read where they lie: 5 ms anywhere in a million rows, not 115
            where, values, skipped = "file_row_number BETWEEN ? AND ?", [offset, offset + limit - 1], 0
        found = connection.execute(
            _sql(_chosen(columns), where, f"ORDER BY {order} LIMIT ? OFFSET ?"),
            [path, *values, limit, skipped],
        )
        rows = tuple(_decoded(columns, found.fetchall()))
    return ResultPage(columns, rows, offset, matching, result.row_count, searched)


def passing(result: StoredResult, filters: dict[int, str], search: str) -> tuple[str, list[Any]]:
    """The condition that rows pass filters and a search, and its parameters. Raises: BadFilter."""
    columns = columns_of(result)
    parts = [where_of(columns, filters), search_of(columns, search, result.row_count)]
    return " AND ".join(part for part, _ in parts if part), [value for _, given in parts for value in given]


def rows_batches(result: StoredResult, size: int = BATCH_ROWS) -> Iterator[list[tuple[Any, ...]]]:
    """Walk through a whole result in batches, in its order and in memory that does not grow.

    A million rows of eight columns: 10 s, 20 MB (measured 2026-11). Raises: ResultGone.
    """
    with file_kept(result) as path:
        yield from batches_of(path, columns_of(result), size)


def batches_of(
    path: Path, columns: Sequence[StoredColumn], size: int = BATCH_ROWS
) -> Iterator[list[tuple[Any, ...]]]:
    """Walk through a file of stored rows in batches."""
    names = [name for n, column in enumerate(columns) for name in file_columns(n, column)]
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=size, columns=names):
            if not columns:
                yield [()] * batch.num_rows
                continue
            by_name = [batch.column(name).to_pylist() for name in names]
            yield list(_decoded(columns, list(zip(*by_name, strict=True))))


def rows_of(result: StoredResult, limit: int | None = None) -> Rows:
    """Read a result back as the Rows that were stored, or its first `limit`. Raises: ResultGone."""
    columns = columns_of(result)
    wanted = result.row_count if limit is None else min(limit, result.row_count)
    if wanted <= FEW_ROWS:
        rows = tuple(islice(chain.from_iterable(rows_batches(result, FEW_ROWS)), wanted))
    else:
        rows = rows_page(result, 0, wanted).rows
    return Rows(
        columns=tuple(column.name for column in columns),
        rows=rows,
        truncated=result.truncated or len(rows) < result.row_count,
        seconds=result.seconds,
        cut_cells=result.cut_cells,
        kinds=tuple(Kind(column.kind) if column.kind else Kind.OTHER for column in columns),
    )


@dataclass(frozen=True, slots=True)
class Passing:
    """The first rows of a result that pass its filters, and how many do. `problem` says why they could not be looked for."""

    rows: Rows | None
    matching: int = 0
    problem: str = ""


def results_passing(wanted: Sequence[tuple[StoredResult, dict[int, str]]], limit: int) -> list[Passing]:
    """Filter several results, all by one DuckDB: opening it costs more than reading a small file. Filters are those of `rows_page`."""
    with ExitStack() as stack:
        paths: dict[Any, Path | str] = {}
        for result, _ in wanted:
            if result.pk not in paths:
                try:
                    paths[result.pk] = stack.enter_context(file_kept(result))
                except ResultGone as error:
                    paths[result.pk] = str(error)
        connection = stack.enter_context(
            file_opened(*(path for path in paths.values() if isinstance(path, Path)))
        )
        return [_passing(connection, result, paths[result.pk], filters, limit) for result, filters in wanted]


def _passing(
    connection: duckdb.DuckDBPyConnection,
    result: StoredResult,
    path: Path | str,
    filters: dict[int, str],
    limit: int,
) -> Passing:
    if isinstance(path, str):
        return Passing(None, problem=path)
    columns = columns_of(result)
    try:
        where, values = where_of(columns, filters)
        tail = f"ORDER BY {_IN_ORDER} LIMIT ?"
        raw = connection.execute(_sql(_chosen(columns), where, tail), [str(path), *values, limit]).fetchall()
        matching = len(raw)
        if matching == limit:
            counted = connection.execute(_sql("count(*)", where), [str(path), *values]).fetchone()
            matching = int((counted or (0,))[0])
        rows = tuple(_decoded(columns, raw))
    except BadFilter as error:
        return Passing(None, problem=str(error))
    except duckdb.Error as error:
        log.warning("The file of result %s could not be filtered: %s", result.pk, error)
        return Passing(None, problem=_("The file with these rows is damaged. Run the SQL again."))
    told = tuple(Kind(column.kind) if column.kind else Kind.OTHER for column in columns)
    names = tuple(column.name for column in columns)
    cut = result.truncated or matching > len(rows)
    return Passing(Rows(columns=names, rows=rows, truncated=cut, kinds=told), matching)


@contextmanager
def _opened(result: StoredResult) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    with file_kept(result) as path, file_opened(path) as connection:
        yield connection, str(path)


def _sql(chosen: str, where: str, tail: str = "") -> str:
    """Put a statement together from our own words; every text of a person is a parameter."""
    filtered = f"WHERE {where}" if where else ""
    return f"SELECT {chosen} FROM read_parquet(?, file_row_number = true) {filtered} {tail}"  # noqa: S608


def _chosen(columns: Sequence[StoredColumn]) -> str:
    return ", ".join(name for n, column in enumerate(columns) for name in file_columns(n, column))


def _decoded(columns: Sequence[StoredColumn], raw: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    if all(column.stored in ITSELF for column in columns):
        yield from raw
        return
    decoders = [(decoder(column), len(file_columns(0, column)) > 1) for column in columns]
    for row in raw:
        cells = iter(row)
        yield tuple(
            decode((next(cells), next(cells)) if tagged else next(cells)) for decode, tagged in decoders
        )


def _order(columns: Sequence[StoredColumn], sort: Sort | None) -> str:
    if sort is None or not 0 <= sort.column < len(columns):
        return _IN_ORDER
    n, way = sort.column, "DESC NULLS LAST" if sort.descending else "ASC NULLS LAST"
    keys = [f"c{n} {way}"]
    if columns[n].stored == "tagged":
        numbers = f"CASE WHEN c{n}_tag IN ('i', 'f', 'd', 'b') THEN 0 WHEN c{n} IS NOT NULL THEN 1 END"
        keys = [f"{numbers} {way}", f"c{n}_order {way}", f"c{n} {way}"]
    return ", ".join([*keys, "file_row_number"])
