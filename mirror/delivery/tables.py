"""The first rows of a section as people read them in a message: short cells, numbers on the right.

A text that a spreadsheet would run as a formula has an apostrophe before it here too: tables are
copied out of mails into spreadsheets.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from mirror.delivery.parcel import Section
from mirror.delivery.parcel_words import rows_said
from mirror.exports.defusing import defused
from mirror.phrases import one_line
from mirror.results.cells import shown

# A message is read at a glance; the files and the page have the rest.
SHOWN_ROWS = 20
SHOWN_COLUMNS = 8
CELL_CHARS = 80
TEXT_CELL_CHARS = 24
# A text as short as a date is never broken into two lines.
UNBROKEN_CHARS = 16


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, and whether it holds numbers."""

    name: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell: its text, and its look (`num`, `null` or empty)."""

    text: str
    look: str = ""

    @property
    def is_unbroken(self) -> bool:
        """Whether it is kept on one line."""
        return self.look == "num" or len(self.text) <= UNBROKEN_CHARS


@dataclass(frozen=True, slots=True)
class Table:
    """The rows that are shown; `caption` says how many there are, `left_out` names columns that did not fit."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[ShownCell, ...], ...]
    caption: str
    left_out: str


def table(section: Section, most_rows: int = SHOWN_ROWS) -> Table:
    """Give the first rows and columns of a section, ready to print; whoever prints escapes."""
    kinds = (*section.kinds, *[""] * len(section.columns))
    rows = section.rows[:most_rows]
    columns = tuple(
        Column(one_line(defused(name), CELL_CHARS) or "–", kinds[i] in ("integer", "number"))
        for i, name in enumerate(section.columns[:SHOWN_COLUMNS])
    )
    cells = tuple(
        tuple(_cell(value, name) for value, name in zip(row, section.columns[:SHOWN_COLUMNS], strict=False))
        for row in rows
    )
    others = section.columns[SHOWN_COLUMNS:]
    left_out = f"{len(others)} more columns" if len(others) > 1 else "1 more column" if others else ""
    return Table(columns, cells, rows_said(section, len(rows)), left_out)


def _cell(value: Any, column: str) -> ShownCell:
    cell = shown(value, column)
    if cell.look == "num":
        return ShownCell(cell.text, "num")
    # Defused first: what is cut off or made a space may be what hides the sign.
    return ShownCell(one_line(defused(cell.text), CELL_CHARS), "null" if cell.look == "null" else "")


def as_text(content: Table) -> str:
    """Draw a table with spaces, for plain text in a fixed width; empty without columns."""
    if not content.columns:
        return ""
    lines = [[_cut(column.name) for column in content.columns]]
    lines += [[_cut(cell.text) for cell in row] for row in content.rows]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(content.columns))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(
            _padded(text, width, on_the_right=column.is_number)
            for text, width, column in zip(line, widths, content.columns, strict=True)
        ).rstrip()
        for line in lines
    )


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_CELL_CHARS else text[: TEXT_CELL_CHARS - 1] + "…"


def _width(text: str) -> int:
    """Columns of a fixed-width font; East Asian wide characters take two."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _padded(text: str, width: int, *, on_the_right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if on_the_right else text + space
