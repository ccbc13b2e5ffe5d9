"""Many columns looked at at once: their cells one below the other, so that a condition is planned once and not for each column.

DuckDB plans an expression of a column in 2 to 8 ms, whatever the rows: 600 columns of 50 rows took 4 s to guess and 3 s to
load, listed 0.9 and 0.8 s (measured 2026-11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb

CELL = "v"
"""The name of a listed cell, for conditions about it."""

LISTED_ROWS = 2_000
"""Rows of a table up to which its cells are listed: of more the copy costs more than the plans."""


def cells_list(db: duckdb.DuckDBPyConnection, columns: Sequence[str], where: str) -> None:
    """List the cells of staged columns that are not NULL, in place of those listed before. `where` begins with FROM."""
    db.execute("DROP TABLE IF EXISTS temp.cells")
    if columns:
        names = ", ".join(columns)
        cells = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in columns)
        db.execute(
            f"CREATE TEMP TABLE cells AS UNPIVOT (SELECT {cells} {where}) ON {names} INTO NAME place VALUE {CELL}"  # noqa: S608
        )


def cells_asked(
    db: duckdb.DuckDBPyConnection, columns: Iterable[str], asked: Sequence[str]
) -> Mapping[str, tuple[Any, ...]]:
    """Ask expressions over `CELL` of each of these columns among those listed; a column without a cell is not in the answer."""
    names = ", ".join(f"'{name}'" for name in columns)
    if not names:
        return {}
    rows = db.execute(
        f"SELECT place, {', '.join(asked)} FROM temp.cells WHERE place IN ({names}) GROUP BY place"  # noqa: S608
    ).fetchall()
    return {row[0]: tuple(row[1:]) for row in rows}
