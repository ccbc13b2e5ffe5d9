"""The tables of a file as they are read: rows of text, each with its number, and what the file declares beside them.

Numbers keep all their digits and zeros, because nothing is turned into a number here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mirror.sources.uploads.bounds import MAX_CELLS, MAX_ROWS
from mirror.sources.uploads.wording import figure
from sqlagent.language.saying import worded

Row = tuple[int, list[str | None]]


class NoTable(ValueError):
    """A file is no table, or not as it was said to be; `said` is fit to be shown."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """Columns that point at columns of a table; without `referenced` at its primary key."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawKeys:
    """Declaration of a table in a file: its name and columns as they are there, its primary key, and its foreign keys."""

    table: str
    columns: tuple[str, ...]
    primary: tuple[str, ...] = ()
    foreign: tuple[DeclaredKey, ...] = ()


@dataclass(slots=True)
class RawTable:
    """Rows of one table, each with its number in the file. Read `rows` to the end, once.

    `names` are the columns of a file that names them itself; `texts` the last row in
    which a column holds what the file says is text, whatever it looks like. Both are complete when `rows` is at its end.
    `errors` and `binary` are cells that stay empty as they hold an error, or bytes. One with a `problem` cannot be read. A sheet `is_hidden` where the workbook does not show it.
    """

    title: str
    rows: Iterator[Row]
    names: list[str] | None = None
    texts: dict[int, int] = field(default_factory=dict)
    errors: int = 0
    binary: int = 0
    is_hidden: bool = False
    keys: RawKeys | None = None
    problem: str = ""


def float_text(value: float) -> str:
    """Write a number as a cell: a whole one without its point, as far as that is exact.

    Example:
        >>> float_text(3.0), float_text(0.5), float_text(1e15)
        ('3', '0.5', '1000000000000000.0')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def table_size_check(rows: int, columns: int) -> None:
    """Refuse a table of too many rows or cells. Raises: NoTable."""
    if rows > MAX_ROWS:
        raise NoTable(worded("It has more than {most} rows, the limit for a table.", most=figure(MAX_ROWS)))
    if rows * columns > MAX_CELLS:
        raise NoTable(worded("It has more than {most} cells, the limit for a table.", most=figure(MAX_CELLS)))
