"""Filters typed above a column of a result, as a condition of SQL whose texts are parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import duckdb
from django.utils.translation import gettext as _

from mirror.results.encoding import StoredColumn

_COMPARISON = re.compile(r"\s*(<=|>=|<>|!=|<|>|=)\s*(.+?)\s*$", re.S)
_BETWEEN = re.compile(r"\s*(.+?)\s*\.\.(<?)\s*(.+?)\s*$", re.S)
# The meaning of a point of a chart: the very text, its letter case and spaces too.
_EXACTLY = re.compile(r"== ?(.*)$", re.S)
# A search looks at so many cells, and ends: some 2 s (measured 2026-11; 50 million cells took 31 s).
SEARCHED_CELLS = 4_000_000
_COMPARED = {"integer": "DECIMAL(38, 6)", "number": "DOUBLE", "date": "DATE", "datetime": "TIMESTAMP"}


class BadFilter(ValueError):
    """A filter that cannot be understood; the message is fit to be shown."""


def where_of(columns: Sequence[StoredColumn], filters: dict[int, str]) -> tuple[str, list[Any]]:
    """The condition that some filters make, by the number of their column, and its parameters. Raises: BadFilter."""
    parts: list[str] = []
    values: list[Any] = []
    for number, text in filters.items():
        if 0 <= number < len(columns) and text.strip():
            part, given = _condition(number, columns[number], text)
            parts.append(f"({part})")
            values.extend(given)
    return " AND ".join(parts), values


def rows_searched(columns: Sequence[StoredColumn], row_count: int) -> int:
    """How many rows a search looks at, from the first on."""
    return min(row_count, max(1, SEARCHED_CELLS // max(1, len(columns))))


def search_of(columns: Sequence[StoredColumn], text: str, row_count: int) -> tuple[str, list[Any]]:
    """The condition that one of the cells of a row holds a text, letter case ignored, and its parameters.

    It holds of none of the rows after those that are searched.
    """
    wanted = text.strip()
    if not wanted or not columns:
        return "", []
    first = rows_searched(columns, row_count)
    reach = f"file_row_number < {first} AND " if first < row_count else ""
    # Column by column: texts that occur often are then looked at once, which a row put together never is.
    parts = (f"contains(lower(CAST(c{number} AS VARCHAR)), lower(?))" for number in range(len(columns)))
    return f"{reach}({' OR '.join(parts)})", [wanted] * len(columns)


def _condition(number: int, column: StoredColumn, text: str) -> tuple[str, list[str]]:
    low = text.strip().lower()
    if low in ("null", "not null"):
        return f"c{number} IS {low.upper()}", []
    if found := _EXACTLY.match(text):
        if column.kind in _COMPARED:
            return _compare(number, column, "=", found[1].strip())
        return f"CAST(c{number} AS VARCHAR) = ?", [found[1]]
    if found := _COMPARISON.match(text):
        sign, operand = found.groups()
        return _compare(number, column, sign.replace("!=", "<>"), operand)
    if column.kind in _COMPARED and (found := _BETWEEN.match(text)):
        first, one = _compare(number, column, ">=", found[1])
        second, two = _compare(number, column, "<" if found[2] else "<=", found[3])
        return f"{first} AND {second}", one + two
    return f"contains(lower(CAST(c{number} AS VARCHAR)), lower(?))", [text.strip()]


@lru_cache(256)
def _is_understood(text: str, kind: str) -> bool:
    """Say whether DuckDB reads a text as a value; a DuckDB of its own costs 10 ms, and a dashboard asks the same for each card."""
    with duckdb.connect(":memory:") as trial:
        found = trial.execute(f"SELECT TRY_CAST(? AS {kind})", [text]).fetchone()
    return found is not None and found[0] is not None


def _compare(number: int, column: StoredColumn, sign: str, operand: str) -> tuple[str, list[str]]:
    wanted = _COMPARED.get(column.kind)
    if wanted is None:
        return f"lower(CAST(c{number} AS VARCHAR)) {sign} lower(?)", [operand]
    plain = operand.replace(",", "") if column.kind in ("integer", "number") else operand
    if not _is_understood(plain, wanted):
        words = (
            _("“%(typed)s” is not a number, and “%(column)s” holds nothing else.")
            if column.kind in ("integer", "number")
            else _("“%(typed)s” is not a date (YYYY-MM-DD), and “%(column)s” holds nothing else.")
        )
        raise BadFilter(words % {"typed": operand, "column": column.name})
    side = f"c{number}_order" if column.stored == "tagged" else f"c{number}"
    if column.kind == "number" or column.stored == "tagged":
        side, wanted = f"CAST({side} AS DOUBLE)", "DOUBLE"
        if column.kind in ("date", "datetime"):
            return f"{side} {sign} epoch(CAST(? AS TIMESTAMP))", [plain]
    return f"{side} {sign} CAST(? AS {wanted})", [plain]
