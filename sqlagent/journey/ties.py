"""Rows that the limit of an answer cuts off though they tie with the last row shown."""

from __future__ import annotations

from math import isclose

from sqlagent.errors import DatabaseError
from sqlagent.journey.setting import Setting
from sqlagent.language.saying import name, number, worded, worded_count
from sqlagent.method.execution import Executor
from sqlagent.rows.sorting import sorting_of, with_limit
from sqlagent.values import Cell, Rows

MOST_SHOWN = 10
"""A longer list is cut for its length, and nobody takes its end for a rank."""
LOOKED_FOR = 10
"""Ties are counted up to here."""
QUICK_SECONDS = 2.0
"""A statement that takes longer is not run again for a note, and its second run ends then."""
BILLED_BY_BYTES = frozenset(["bigquery", "athena"])
"""Dialects of engines that bill each statement by the bytes it reads: none is run there for a note."""


def tie_note(sql: str, rows: Rows, executor: Executor, setting: Setting) -> str:
    """Say how many rows the LIMIT cuts off that have the figure of the last row shown; empty where there is none.

    “The dearest product” is two products where two cost the same. Costs one statement more where so many rows are shown as a
    LIMIT of at most `MOST_SHOWN` allows, they came quickly and nobody pays for each statement, none otherwise. A database that fails
    says nothing.
    """
    dialect = setting.database.dialect
    sorting = sorting_of(sql)
    columns = [column.lower() for column in rows.columns]
    if (
        sorting is None
        or sorting.groups
        or not 0 < sorting.limit <= MOST_SHOWN
        or len(rows.rows) != sorting.limit
        or columns.count(sorting.by) != 1
        or dialect in BILLED_BY_BYTES
        or rows.seconds > QUICK_SECONDS
    ):
        return ""
    place, most = columns.index(sorting.by), sorting.limit + LOOKED_FOR
    longer = with_limit(sql, most, dialect)
    if not longer:
        return ""
    try:
        found = executor.whole(longer, setting.limits(most, QUICK_SECONDS))
    except DatabaseError:
        return ""
    last = rows.rows[-1][place]
    if len(found.rows) < sorting.limit or not _ties(found.rows[sorting.limit - 1][place], last):
        return ""  # rows came or went since
    ties = 0
    for row in found.rows[sorting.limit :]:
        if not _ties(row[place], last):
            break
        ties += 1
    return _told(ties, sorting.limit, rows.columns[place])


def _told(ties: int, shown: int, column: str) -> str:
    if not ties:
        return ""
    words = {"count": number(str(ties)), "column": name(column)}
    if shown == 1 and ties < LOOKED_FOR:
        return worded_count(
            "One more has the same {column} as the row shown.",
            "{count} more have the same {column} as the row shown.",
            ties,
            **words,
        )
    if shown == 1:
        return worded("At least {count} more have the same {column} as the row shown.", **words)
    if ties == LOOKED_FOR:
        return worded("At least {count} more have the same {column} as the last row shown.", **words)
    return worded_count(
        "One more has the same {column} as the last row shown.",
        "{count} more have the same {column} as the last row shown.",
        ties,
        **words,
    )


def _ties(one: Cell, other: Cell) -> bool:
    """Whether two figures are the same, but for the last digits of a sum of floats; two NULLs are none."""
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-12)
    return one is not None and one == other
