"""Pivots kept with SQL: the columns by their names, as the next rows have them at other places, and the pivot as a plain table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from mirror.results.cells import exact_text
from mirror.results.encoding import StoredColumn
from mirror.results.filters import BadFilter
from mirror.results.formats import Formats
from mirror.results.models import StoredResult
from mirror.results.pivots import AGGREGATES, BadPivot, PivotWish, pivot, totals_named
from mirror.results.pivots_once import pivot_once
from mirror.results.rows import columns_of
from sqlagent.rows.formats import column_format

KEPT = "pivot"
"""The name of a pivot in what is kept with a chart."""


@dataclass(frozen=True, slots=True)
class PivotTable:
    """A pivot as rows of a table: its rows' values, a figure for each column, the total of the row; the totals of all in the last row.

    `row_count` are the rows of the pivot, of which the table may have the first only. `along` are the columns of the rows' values,
    by their numbers.
    """

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    row_count: int
    formats: Formats
    along: tuple[int, ...] = ()

    @property
    def values(self) -> tuple[tuple[Any, ...], ...]:
        """The values of its rows, without the totals of all."""
        return tuple(row[: len(self.along)] for row in self.rows[: self.row_count])


def pivot_kept(wish: PivotWish, columns: Sequence[StoredColumn]) -> dict[str, Any]:
    """A pivot as it is kept; nothing where a number is that of no column."""
    numbers = [*wish.rows, *(n for n in (wish.column, wish.value) if n is not None)]
    if not all(0 <= number < len(columns) for number in numbers):
        return {}
    return {
        "rows": [columns[number].name for number in wish.rows],
        "column": None if wish.column is None else columns[wish.column].name,
        "value": None if wish.value is None else columns[wish.value].name,
        "aggregate": wish.aggregate,
        "by_total": wish.by_total,
    }


def pivot_of_chart(chart: Mapping[str, Any] | None, columns: Sequence[StoredColumn]) -> PivotWish | None:
    """The pivot that goes with a chart from one result of its SQL to the next; None where there is none, or a column of it is gone."""
    kept = (chart or {}).get(KEPT)
    if not isinstance(kept, Mapping) or not isinstance(kept.get("rows"), list):
        return None
    places: dict[str | None, int] = {
        column.name: number for number, column in reversed(list(enumerate(columns)))
    }
    wanted = [*kept["rows"][:2], kept.get("column"), kept.get("value")]
    if not kept["rows"] or not all(name is None or name in places for name in wanted):
        return None
    aggregate = kept.get("aggregate")
    return PivotWish(
        tuple(places[name] for name in kept["rows"][:2]),
        places.get(kept.get("column")),
        places.get(kept.get("value")),
        aggregate if aggregate in AGGREGATES else "count",
        bool(kept.get("by_total")),
    )


def chart_pivoted(chart: Mapping[str, Any] | None, wish: PivotWish, result: StoredResult) -> dict[str, Any]:
    """A chart with a pivot of its rows; rows without a chart get one that draws nothing."""
    return {**(chart or {"mark": "none"}), KEPT: pivot_kept(wish, columns_of(result))}


def chart_pivot(chart: Mapping[str, Any] | None) -> dict[str, Any]:
    """The pivot of a chart without what it draws, for the next one of its SQL."""
    return {KEPT: chart[KEPT]} if chart and chart.get(KEPT) else {}


def pivot_table(
    result: StoredResult,
    chart: Mapping[str, Any] | None,
    formats: Formats,
    most: int,
    filters: dict[int, str] | None = None,
) -> PivotTable | None:
    """The pivot that is kept with a chart, reckoned of these rows once, or of those that pass filters; None where there is none. Raises: ResultGone."""
    columns = columns_of(result)
    wish = pivot_of_chart(chart, columns)
    if wish is None:
        return None
    try:
        found = pivot(result, wish, 0, most, filters) if filters else pivot_once(result, wish, most)
    except (BadPivot, BadFilter):
        return None
    along = [columns[number] for number in wish.rows]
    heads = [
        "NULL" if head is None else _("(empty)") if head == "" else exact_text(head) for head in found.columns
    ]
    figures = (*_apart(heads, [column.name for column in along]), totals_named(wish.aggregate))
    rows = [(*keys, *map(_figure, [*cells, total])) for keys, cells, total in found.rows]
    foot = (_("All rows"), *[""] * (len(along) - 1), *map(_figure, [*found.foot, found.whole]))
    styled = None
    if wish.value is not None and wish.aggregate in ("sum", "mean", "min", "max"):
        styled = column_format(formats, columns[wish.value].name)
    return PivotTable(
        (*(column.name for column in along), *figures),
        (*(column.kind for column in along), *["number"] * len(figures)),
        (*rows, foot) if len(rows) > 1 and len(rows) == found.row_count else tuple(rows),
        found.row_count,
        (
            *(one for one in formats if one.column in {column.name for column in along}),
            *(replace(styled, column=name, bar=False) for name in figures if styled is not None),
        ),
        wish.rows,
    )


def _figure(value: Any) -> Any:
    """A figure of a cell; where no row is there is nothing, which is not NULL."""
    return "" if value is None else value


def _apart(heads: Sequence[str], names: Sequence[str]) -> list[str]:
    """Heads of columns, none of which is called as a column of the rows' values is."""
    return [f"{head} " if head in names else head for head in heads]
