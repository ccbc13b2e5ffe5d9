"""The content of the page about the columns of stored rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.urls import reverse

from mirror.results.encoding import StoredColumn
from mirror.results.formats import cell_of, formats_of, styles_of
from mirror.results.models import StoredResult
from mirror.results.pages import SHOWN_COLUMNS, kind_said
from mirror.results.rows import columns_of
from mirror.results.statistics import column_statistics


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """One column; without its counts where they were not asked for yet. `frequent` are texts with counts."""

    number: int
    name: str
    holds: str
    url: str
    format_url: str = ""
    is_counted: bool = False
    empty: int = 0
    distinct: int = 0
    least: str = ""
    greatest: str = ""
    mean: str = ""
    frequent: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnsPage:
    """The columns of a result, and where its rows are."""

    rows_url: str
    row_count: int
    is_cut: bool
    hidden: int
    lines: list[ColumnCounts] = field(default_factory=list)


def columns_page(result: StoredResult, counted: ColumnCounts | None = None) -> ColumnsPage:
    """List the columns of a result, one of them counted already."""
    columns = columns_of(result)
    lines = [_line(result, number, column) for number, column in enumerate(columns[:SHOWN_COLUMNS])]
    if counted is not None and counted.number < len(lines):
        lines[counted.number] = counted
    return ColumnsPage(
        rows_url=reverse("results:rows", args=[result.pk]),
        row_count=result.row_count,
        is_cut=result.truncated,
        hidden=len(columns) - len(lines),
        lines=lines,
    )


def column_line(result: StoredResult, number: int) -> ColumnCounts:
    """Count one column. Raises: ResultGone, IndexError."""
    found = column_statistics(result, number)
    name = found.column.name
    formats = formats_of(result)

    def text(value: object) -> str:
        return "" if value is None else cell_of(value, name, formats).text

    return ColumnCounts(
        number=number,
        name=name,
        holds=kind_said(found.column.kind),
        url=reverse("results:column", args=[result.pk, number]),
        format_url=_format_url(result, number, found.column),
        is_counted=True,
        empty=found.empty,
        distinct=found.distinct,
        least=text(found.least),
        greatest=text(found.greatest),
        mean=text(found.mean),
        frequent=tuple((text(value), count) for value, count in found.frequent),
    )


def _line(result: StoredResult, number: int, column: StoredColumn) -> ColumnCounts:
    url = reverse("results:column", args=[result.pk, number])
    return ColumnCounts(number, column.name, kind_said(column.kind), url, _format_url(result, number, column))


def _format_url(result: StoredResult, number: int, column: StoredColumn) -> str:
    """Where its format is chosen; empty where there is nothing to choose."""
    if len(styles_of(column.kind)) < 2:
        return ""
    return reverse("results:column_format", args=[result.pk, number])
