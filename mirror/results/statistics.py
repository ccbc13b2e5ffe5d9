"""The content of one column of a stored result, counted from its file: how many, how different, between what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mirror.results.encoding import StoredColumn, decoder, file_columns
from mirror.results.models import StoredResult
from mirror.results.opened_files import file_kept, file_opened
from mirror.results.rows import Sort, columns_of, rows_page

# Values shown that occur most often.
FREQUENT = 3


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Counts of a column, its `mean` where it holds numbers, and its most frequent values with their counts.

    `least` and `greatest` are as the column sorts; all values are as the source gave them.
    """

    column: StoredColumn
    rows: int
    empty: int
    distinct: int
    least: Any
    greatest: Any
    mean: float | None
    frequent: tuple[tuple[Any, int], ...]


def column_statistics(result: StoredResult, number: int) -> ColumnStatistics:
    """Count what a column holds; the source is not asked.

    A million rows take about 0.5 s (measured 2026-11). Raises: ResultGone, IndexError.
    """
    column = columns_of(result)[number]
    names, mean = file_columns(number, column), _mean(number, column)
    with file_kept(result) as path, file_opened(path) as connection:
        counted = connection.execute(
            f"SELECT count(*), count(c{number}), {mean} FROM read_parquet(?)",  # noqa: S608 - our own names
            [str(path)],
        ).fetchall()[0]
        grouped = connection.execute(
            f"SELECT {', '.join(names)}, count(*) AS n, count(*) OVER () FROM read_parquet(?) "  # noqa: S608
            f"WHERE c{number} IS NOT NULL GROUP BY {', '.join(names)} ORDER BY n DESC, {names[0]} LIMIT {FREQUENT}",
            [str(path)],
        ).fetchall()
    decode = decoder(column)
    return ColumnStatistics(
        column=column,
        rows=counted[0],
        empty=counted[0] - counted[1],
        distinct=grouped[0][-1] if grouped else 0,
        least=_first(result, Sort(number)),
        greatest=_first(result, Sort(number, descending=True)),
        mean=counted[2],
        frequent=tuple((decode(row[:2] if len(names) > 1 else row[0]), row[-2]) for row in grouped),
    )


def _mean(number: int, column: StoredColumn) -> str:
    if column.kind not in ("integer", "number"):
        return "NULL"
    if column.stored in ("plain", "decimal", "number"):
        return f"avg(CAST(c{number} AS DOUBLE))"
    return f"avg(c{number}_order)" if column.stored == "tagged" else "NULL"


def _first(result: StoredResult, sort: Sort) -> Any:
    rows = rows_page(result, 0, 1, sort).rows
    return rows[0][sort.column] if rows else None
