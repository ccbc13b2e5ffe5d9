"""Make sheets of what there is: a stored result, or rows on their way from a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from mirror.exports.values import KeptFile, Sheet
from mirror.results.formats import formats_of
from mirror.results.kept_pivots import pivot_table
from mirror.results.models import StoredResult
from mirror.results.opened_files import file_kept
from mirror.results.rows import columns_of, rows_batches
from sqlagent.ports import ColumnStream, CsvLines, RowStream

# Rows of a pivot in a file that is read, not reckoned with.
PIVOT_ROWS = 1_000


def sheet_of(
    result: StoredResult,
    title: str = "",
    *,
    sentence: str = "",
    chart_image: bytes | None = None,
    figures: tuple[tuple[str, str, str], ...] = (),
    chart: Mapping[str, Any] | None = None,
) -> Sheet:
    """The rows of a stored result. Nothing is read yet; writing it may raise ResultGone."""

    @contextmanager
    def kept() -> Iterator[KeptFile]:
        with file_kept(result) as path:
            yield KeptFile(path, columns)

    columns = columns_of(result)
    return Sheet(
        title=title,
        columns=tuple(column.name for column in columns),
        kinds=tuple(column.kind for column in columns),
        batches=lambda: rows_batches(result),
        row_count=result.row_count,
        truncated=result.truncated,
        sentence=sentence,
        chart_image=chart_image,
        kept=kept,
        figures=figures,
        chart=chart,
        formats=formats_of(result),
    )


def sheet_pivoted(
    sheet: Sheet,
    result: StoredResult,
    chart: Mapping[str, Any] | None,
    filters: dict[int, str] | None = None,
) -> Sheet:
    """A sheet of the pivot that is kept with a chart, of all rows or of those that pass filters; the sheet as it is where there is none.

    Raises: ResultGone.
    """
    table = pivot_table(result, chart, sheet.formats, PIVOT_ROWS, filters)
    if table is None:
        return sheet
    return replace(
        sheet,
        columns=table.columns,
        kinds=table.kinds,
        batches=lambda: iter([table.rows]),
        row_count=len(table.rows),
        kept=None,
        formats=table.formats,
    )


def sheet_of_columns(sheet: Sheet, places: Sequence[int]) -> Sheet:
    """A sheet with these of its columns alone, by their numbers."""
    return replace(
        sheet,
        columns=tuple(sheet.columns[place] for place in places),
        kinds=tuple(sheet.kinds[place] for place in places),
        batches=lambda: (
            [tuple(row[place] for place in places) for row in batch] for batch in sheet.batches()
        ),
        kept=None,
    )


def sheet_of_stream(stream: RowStream, title: str = "") -> Sheet:
    """Rows as a source sends them; they can be written once. Writing may raise DatabaseError."""
    return Sheet(
        title=title,
        columns=stream.columns,
        kinds=tuple(map(str, stream.kinds)),
        batches=lambda: iter(stream),
        row_count=None,
        column_batches=stream.column_batches if isinstance(stream, ColumnStream) else None,
    )


def sheet_of_lines(lines: CsvLines, title: str = "") -> Sheet:
    """Lines of CSV as a source writes them: for a CSV file, and once. Writing may raise DatabaseError."""
    return Sheet(
        title=title,
        columns=lines.columns,
        kinds=tuple(map(str, lines.kinds)),
        batches=lambda: iter(()),
        row_count=None,
        csv_lines=lines,
    )
