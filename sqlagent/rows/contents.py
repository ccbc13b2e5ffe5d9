"""The cells of a column as a whole: numbers that name things, months and quarters. One cell alone does not tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlagent.rows.naming import are_names, names_things
from sqlagent.rows.periods import holds_periods


@dataclass(frozen=True, slots=True)
class Content:
    """Whether the numbers of a column name things rather than count, and whether its other cells are months or quarters."""

    is_named: bool
    has_periods: bool


def content_of(column: str, values: Iterable[Any]) -> Content:
    """Tell it of a column by its name and its values.

    Example:
        >>> content_of("founded", [1987, 2011]), content_of("paid", [5, 1200])
        (Content(is_named=True, has_periods=False), Content(is_named=False, has_periods=False))
    """
    found = list(values)
    return Content(names_things(column) or are_names(column, found), holds_periods(column, found))


def contents_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Content]:
    """Tell it of each column of some rows."""
    return [content_of(name, (row[at] for row in rows if at < len(row))) for at, name in enumerate(names)]
