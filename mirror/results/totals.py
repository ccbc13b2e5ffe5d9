"""Totals of the figures of stored rows: a sum where they add up, else an average, of all rows that pass.

Averages and rates that the SQL reckoned of groups come to nothing: neither their sum nor their average is that of all groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb

from mirror.results.encoding import StoredColumn
from mirror.results.models import StoredResult
from mirror.results.opened_files import file_kept, file_opened
from mirror.results.rows import columns_of, passing, rows_of
from sqlagent.rows.columns import Role, is_additive, profiles

# Rows by which a column of figures is told from one of keys or years.
_LOOKED_AT = 500


@dataclass(frozen=True, slots=True)
class Total:
    """The total of a column. `is_sum` says which it is; an average is a float. It is None for averages and rates of several groups."""

    column: int
    is_sum: bool
    value: Any


def totals(result: StoredResult, filters: dict[int, str] | None = None, search: str = "") -> list[Total]:
    """Reckon each column of figures; keys, years and other names of things are left out.

    Raises: ResultGone, BadFilter.
    """
    columns = columns_of(result)
    where, values = passing(result, filters or {}, search)
    wanted = [
        (p.index, is_additive(p.name))
        for p in profiles(rows_of(result, _LOOKED_AT))
        if p.role == Role.MEASURE
    ]
    if not wanted:
        return []
    filtered = f"WHERE {where}" if where else ""
    with file_kept(result) as path, file_opened(path) as connection:

        def reckon(is_exact: bool) -> tuple[Any, ...]:
            chosen = ", ".join(_reckoned(n, columns[n], is_sum, is_exact) for n, is_sum in wanted)
            sql = f"SELECT {chosen} FROM read_parquet(?, file_row_number = true) {filtered}"  # noqa: S608
            return tuple(connection.execute(sql, [str(path), *values]).fetchall()[0])

        try:
            found = reckon(True)
        except duckdb.OutOfRangeException:  # a sum of more than 38 digits
            found = reckon(False)
    return [
        Total(number, is_sum, value)
        for (number, is_sum), value in zip(wanted, found, strict=True)
        if value is not None or columns[number].of_groups
    ]


def _reckoned(number: int, column: StoredColumn, is_sum: bool, is_exact: bool) -> str:
    name = f"c{number}_order" if column.stored == "tagged" else f"c{number}"
    if not is_sum or not is_exact or column.stored == "number":
        name = f"CAST({name} AS DOUBLE)"
    told = f"{'sum' if is_sum else 'avg'}({name})"
    return f"CASE WHEN count(*) = 1 THEN {told} END" if column.of_groups else told
