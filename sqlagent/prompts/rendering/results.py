"""Results as a language model may see them: how many rows, headings, and where allowed first rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time

from sqlagent.prompts.rendering.fencing import CELL_CHARS, one_line, shape
from sqlagent.prompts.rendering.masking import catalog_names, names_of
from sqlagent.values import (
    Catalog,
    Cell,
    ExecutionGroup,
    Rows,
)

SHOWN_ROWS = 5
"""First rows of a result shown to a judge (docs/method.md, Ranking)."""

SHOWN_COLUMNS = 20
"""Columns of a result shown to a judge; wider ones are told by their number."""


def result_text(group: ExecutionGroup, privacy: str, sql: str, catalog: Catalog) -> str:
    """Describe a group's result: row count, header and, where allowed, first rows.

    `sql` is the statement as the model sees it: below `rows` a heading is shown where it is a name there
    or in the catalog. A PIVOT's columns are named by stored values.
    """
    rows = group.rows
    count = f"more than {len(rows.rows)}" if rows.truncated else str(len(rows.rows))
    head = ", ".join(headings(rows.columns[:SHOWN_COLUMNS], privacy, sql, catalog))
    lines = [f"rows: {count}; columns ({len(rows.columns)}): {head}"]
    if group.status == "all_null":
        lines.append("every cell is NULL")
    if privacy not in ("masked", "rows"):
        return "\n".join(lines)
    lines += [" | ".join(cells) for cells in _cells(rows, privacy)]
    if len(rows.rows) > SHOWN_ROWS:
        lines.append("...")
    return "\n".join(lines)


def headings(columns: Sequence[str], privacy: str, sql: str, catalog: Catalog) -> list[str]:
    """Give the headings of a result as a model may see them: names it knows, calls it wrote, else a number.

    Example:
        >>> headings(("city", "COUNT(*)", "Ann"), "schema", "SELECT city, count( * ), n FROM t", Catalog("sqlite", ()))
        ['city', 'COUNT(*)', 'column 3']
        >>> headings(("city", "Ann"), "schema", "PIVOT t ON name GROUP BY city", Catalog("duckdb", ()))
        ['city', 'pivoted column 2']
    """
    if privacy == "rows":
        return [one_line(column, CELL_CHARS) for column in columns]
    names = names_of(sql, catalog.dialect)
    other = "pivoted column" if any(name.startswith("pivot") for name in names) else "column"
    names |= catalog_names(catalog) | _COMMON_HEADINGS
    bare = "".join(sql.split()).casefold()
    return [
        one_line(column, CELL_CHARS)
        if column.casefold() in names or (_CALL.match(column) and "".join(column.split()).casefold() in bare)
        else f"{other} {number}"
        for number, column in enumerate(columns, 1)
    ]


_COMMON_HEADINGS = frozenset(("?column?", "count_star()"))
_CALL = re.compile(r"[A-Za-z_]\w*\s*\(.*\)\Z", re.DOTALL)


def _cells(rows: Rows, privacy: str) -> Sequence[Sequence[str]]:
    return [[cell_text(cell, privacy) for cell in row[:SHOWN_COLUMNS]] for row in rows.rows[:SHOWN_ROWS]]


def cell_text(cell: Cell, privacy: str) -> str:
    """Write one cell for a model; below `rows` only its shape."""
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes | bytearray | memoryview):
        return f"{len(cell)} bytes"
    if isinstance(cell, datetime | date | time):
        cell = cell.isoformat()
    text = one_line(str(cell), CELL_CHARS)
    return text if privacy == "rows" else shape(text)
