"""The first rows of a section as people read them in a message: short cells, numbers on the right.

A message is narrow: of many columns those are shown that come first in `Section.first`, the files have the others.
A text that a spreadsheet would run as a formula has an apostrophe before it here too: tables are
copied out of mails into spreadsheets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import ngettext

from mirror.delivery.parcel import Section
from mirror.delivery.parcel_words import rows_said
from mirror.exports.defusing import defused
from mirror.phrases import one_line
from mirror.results.cells import aligned, clock_text, on_clock, shown
from sqlagent.rows.contents import Content, contents_of
from sqlagent.rows.formats import column_format, formatted
from sqlagent.values import ColumnFormat

# A message is read at a glance; the files and the page have the rest.
SHOWN_ROWS = 20
SHOWN_COLUMNS = 8
CELL_CHARS = 80
TEXT_CELL_CHARS = 24
# A text as short as a date is never broken into two lines.
UNBROKEN_CHARS = 16
# Under 480 pixels a table that does not fit there becomes rows of label and value, so many of each.
NARROW_ROWS, NARROW_COLUMNS = 10, 5

# Widths in pixels: of a letter, of one of a bold heading and of a column's edge as `mail_section.html` writes them, of a text
# that can be broken, and of the room in a mail and on a phone of 390.
_LETTER, _BOLD, _EDGE, _BREAKABLE = 7.3, 8.1, 16, 88
_WIDE, _NARROW = 582, 330


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, whether it holds numbers, and whether only wide screens show it."""

    name: str
    is_number: bool
    is_wide: bool = False


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
    """The rows that are shown; `caption` says how many there are, `left_out` how many columns did not fit.

    One that `is_stacked` becomes rows of label and value on a narrow screen; `narrow_caption` is the caption there.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[ShownCell, ...], ...]
    caption: str
    left_out: str
    is_stacked: bool = False
    narrow_caption: str = ""

    @property
    def lines(self) -> list[tuple[bool, list[tuple[Column, ShownCell]]]]:
        """Each row: whether only wide screens show it, and its cells with their columns."""
        return [
            (self.is_stacked and number >= NARROW_ROWS, list(zip(self.columns, row, strict=False)))
            for number, row in enumerate(self.rows)
        ]


def table(section: Section, zone: str = "UTC", most_rows: int = SHOWN_ROWS) -> Table:
    """Give the first rows and columns of a section, ready to print, times as the clocks of `zone` show them. Escape them to print.

    Columns that all fit on a phone stand in their own order, others with the most important first.
    """
    clock = ZoneInfo(zone)
    names = section.columns
    kinds = (*section.kinds, *[""] * len(names))
    rows = section.rows[:most_rows]
    formats = [column_format(section.formats, name) for name in names]
    contents = contents_of(names, rows)
    cells = [
        [_cell(row[place], name, clock, formats[place], contents[place]) for row in rows]
        for place, name in enumerate(names)
    ]
    cells = [_aligned(column) for column in cells]
    heads = [one_line(defused(name), CELL_CHARS) or "–" for name in names]
    widths = [_pixels(head, column) for head, column in zip(heads, cells, strict=True)]
    is_stacked = sum(widths) - _EDGE > _NARROW
    order = (*section.first, *(place for place in range(len(names)) if place not in section.first))
    chosen = _fitting(order, widths)
    if not is_stacked or len(chosen) == len(names) and not section.first:
        chosen = sorted(chosen)
    columns = tuple(
        Column(heads[place], kinds[place] in ("integer", "number"), is_stacked and number >= NARROW_COLUMNS)
        for number, place in enumerate(chosen)
    )
    return Table(
        columns,
        tuple(tuple(cells[place][number] for place in chosen) for number in range(len(rows))),
        rows_said(section, len(rows)),
        _left_out(len(names) - len(chosen)),
        is_stacked,
        ", ".join(
            filter(
                None,
                (
                    rows_said(section, min(len(rows), NARROW_ROWS)),
                    _left_out(len(names) - min(len(chosen), NARROW_COLUMNS)),
                ),
            )
        ),
    )


def _fitting(order: Sequence[int], widths: Sequence[float]) -> list[int]:
    """The columns there is room for, in their order: one that is too wide is passed over for others; two at least."""
    chosen: list[int] = []
    used: float = -_EDGE
    for place in order:
        if len(chosen) < SHOWN_COLUMNS and (len(chosen) < 2 or used + widths[place] <= _WIDE):
            chosen.append(place)
            used += widths[place]
    return chosen


def _pixels(head: str, cells: Sequence[ShownCell]) -> float:
    """How wide a column is at least."""
    broken = [word for cell in cells if not cell.is_unbroken for word in cell.text.split()]
    kept = [cell.text for cell in cells if cell.is_unbroken]
    letters = max(map(len, (*broken, *kept)), default=0) * _LETTER
    heading = max(map(len, head.split()), default=0) * _BOLD
    return max(letters, heading, _BREAKABLE if broken else 0) + _EDGE


def _left_out(count: int) -> str:
    return (
        ngettext("%(count)s more column", "%(count)s more columns", count) % {"count": count} if count else ""
    )


def _aligned(cells: list[ShownCell]) -> list[ShownCell]:
    texts = aligned([cell.text if cell.look == "num" else "" for cell in cells])
    return [
        replace(cell, text=text) if cell.look == "num" else cell
        for cell, text in zip(cells, texts, strict=True)
    ]


def _cell(
    value: Any, column: str, clock: ZoneInfo, wanted: ColumnFormat | None, content: Content
) -> ShownCell:
    if isinstance(value, datetime) and (wanted is not None or not content.has_periods):
        here = on_clock(value, clock)
        return ShownCell(formatted(here, wanted) or clock_text(here))
    cell = shown(value, column, wanted, content)
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
