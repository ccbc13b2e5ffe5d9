"""Parts of sentences: rows, cells, numbers and changes in words."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Sequence
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

from sqlagent.language.saying import (
    Saying,
    all_of,
    day,
    in_a_row,
    lower_first,
    name,
    number,
    worded,
    worded_count,
)
from sqlagent.rows.columns import Profile, Role, number_of, wall_clock
from sqlagent.rows.periods import part_of
from sqlagent.values import Cell, Rows

SIGNS = re.compile(r"[/*+=()<>|\[\]{}?:]|\s-\s|\bcase\b", re.IGNORECASE)
"""Signs of expressions that stand in no name that people read."""
COUNTED = re.compile(r"^(?:number of )?(?:\w+[^\Ws]s|people|staff|children|men|women)$", re.IGNORECASE)
"""Names of figures that count something."""
_MANY_DIGITS = 10_000


def column_said(column: Profile) -> str:
    """A column's name in words; of an expression its value, as nobody reads "the highest n/cid"."""
    return "value" if SIGNS.search(column.words) else column.words


def within(column: Profile) -> Saying:
    """The same, as it stands within a sentence."""
    if SIGNS.search(column.words):
        return worded("value")
    average = column.words.removeprefix("Average ")
    if column.called and average != column.words and column.called == column.words:
        return worded("average {figure}", figure=name(average))
    return name(column.words)


def listed(rows: Rows, columns: Sequence[Profile]) -> str:
    """Say how many rows there are and name a few of them."""
    label = next((c for c in columns if c.role == Role.CATEGORY), columns[0])
    cells = list(
        dict.fromkeys(cell_said(r[label.index], label) for r in rows.rows[:200] if r[label.index] is not None)
    )
    count = count_said(rows)
    if not cells:
        return in_a_row(count, ".")
    if len(cells) == 1 and len(rows.rows) > 1:
        return worded("{count}, all with {name} {value}.", count=count, name=within(label), value=cells[0])
    shown = all_of(cells[:3])
    if len(cells) <= 3 and len(rows.rows) == len(cells):
        return in_a_row(count, ": ", shown, ".")
    return worded("{count}, beginning with {values}.", count=count, values=shown)


def row_said(row: tuple[Cell, ...], named: Sequence[Profile]) -> str:
    """Name a row by at most two of its labels: Books (2026); by its key where it has none."""
    full = [c for c in named if row[c.index] is not None and row[c.index] != ""]
    parts = [cell_said(row[c.index], c) for c in full if c.role != Role.KEY][:2]
    if len(parts) > 1:
        return in_a_row(parts[0], " (", parts[1], ")")
    if parts:
        return parts[0]
    if full:
        return worded("{name} {value}", name=within(full[0]), value=cell_said(row[full[0].index], full[0]))
    return worded("the row without a name")


def cell_said(cell: Cell, column: Profile) -> str:
    """Say one cell: a time as a day, a number for reading, a text of at most 60 characters."""
    if cell is None:
        return worded("none")
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) and number_of(cell) is None:
        return worded("a number too large to say")
    if isinstance(cell, int) and 1 <= cell <= 12 and lower_first(column.words) == "month of year":
        return worded(month_name[cell])
    if column.role == Role.TIME or column.role == Role.KEY or column.ordered:
        if (part := part_of(cell, column.words)) is not None:
            quarter = f"{part.first.year}-Q{(part.first.month + 2) // 3}"
            return day(quarter if part.grain == "quarter" else f"{part.first:%Y-%m}")
        if isinstance(cell, datetime):
            at = wall_clock(cell)
            return day(at.date() if at.time().isoformat() == "00:00:00" else at)
        if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
            return str(int(cell))
        return day(cell if isinstance(cell, date) else str(cell))
    if isinstance(cell, bool):
        return worded("yes") if cell else worded("no")
    if isinstance(cell, (int, float, Decimal)):
        return number_said(cell)
    text = " ".join(str(cell).split())
    return text if len(text) <= 60 else text[:59].rstrip() + "…"


def number_said(cell: Cell) -> Saying:
    """Say a number for reading: grouped; large ones in M or billions with two decimals."""
    if number_of(cell) is None:
        return worded("a number too large to say")
    exact = Decimal(str(cell)) if not isinstance(cell, Decimal) else cell
    size = abs(exact)
    if Decimal(10) ** 9 <= size < Decimal(10) ** 13:
        return worded("{number} billion", number=_in(exact, 9))
    if Decimal(10) ** 6 <= size < Decimal(10) ** 13:
        return worded("{number} M", number=_in(exact, 6))
    if exact == exact.to_integral_value():
        return number(f"{int(exact):,}")
    if size >= _MANY_DIGITS:
        return number(f"{_round(exact, 0):,f}")
    digits = 2 if size >= 1 else min(10, 2 - exact.adjusted())
    return number(_trim(f"{_round(exact, digits):,f}"))


def _in(exact: Decimal, power: int) -> Saying:
    """A large number in millions, or billions."""
    return number(_trim(f"{_round(exact / Decimal(10) ** power, 2):,f}"))


def _round(number: Decimal, digits: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent_said(part: float | Decimal) -> Saying:
    """Say a part of the whole in percent: whole from 10 % on, else with one decimal."""
    percent = part * 100
    written = f"{percent:,.0f}" if percent >= 10 or percent == round(percent) else f"{percent:.1f}"
    return worded("{number} %", number=number(written))


def percent_change(first: Cell, last: Cell) -> str:
    """Say a change in percent; empty from or to a negative number, from zero, and from tenfold on, where percent tell little."""
    start, end = number_of(first), number_of(last)
    if start is None or end is None or start <= 0 or end < 0:
        return ""
    change = (end - start) / start
    if abs(change) >= 9.995:
        return ""
    return up_or_down(change, percent_said(abs(change)))


def up_or_down(change: float | Decimal, size: str) -> Saying:
    """Say a size with the direction of the change."""
    return worded("up {size}", size=size) if change > 0 else worded("down {size}", size=size)


def figure_said(cell: Cell, in_percent: bool) -> Saying:
    """A number, with the sign of a percentage."""
    return in_a_row(number_said(cell), " %" if in_percent else "")


def with_unit(value: str, column: Profile, percents: frozenset[str]) -> str:
    """Put the sign of a percentage behind a value of a column that holds some."""
    return in_a_row(value, " %") if column.name in percents else value


def points_change(change: float) -> str:
    """A change of a percentage: a difference in points, as percent of percent misleads."""
    points = number_said(round(abs(change), 2) or abs(change))
    return up_or_down(
        change, worded_count("{points} point", "{points} points", 1 if points == "1" else 2, points=points)
    )


def size_of(cell: Cell) -> float:
    """Give a number to sort and compare by: zero for a cell that is none."""
    return number_of(cell) or 0.0


def change_of(last: Cell, first: Cell) -> float:
    """By how much a figure grew from `first` to `last`; negative where it fell."""
    return size_of(last) - size_of(first)


def count_said(rows: Rows) -> Saying:
    """Say how many rows there are, or how many at least."""
    count = len(rows.rows)
    told = number(f"{count:,}")
    if rows.truncated:
        return worded_count("More than {count} rows", "More than {count} rows", count, count=told)
    return worded_count("{count} rows", "{count} rows", count, count=told)


def cut_said(rows: Rows) -> str:
    """Say that rows were left unread; empty where all are here."""
    if not rows.truncated:
        return ""
    count = len(rows.rows)
    return worded_count(
        " Only the first {count} rows were read.",
        " Only the first {count} rows were read.",
        count,
        count=number(f"{count:,}"),
    )
