"""How the columns of stored rows are shown: the styles that suit a column, and the lengths of its bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.results.cells import Bar, Cell, aligned, shown
from mirror.results.encoding import StoredColumn
from mirror.results.models import StoredResult
from mirror.results.opened_files import file_kept, file_opened
from sqlagent.rows.columns import in_words
from sqlagent.rows.contents import contents_of
from sqlagent.rows.formats import TOLD_POINTS, column_format
from sqlagent.values import ColumnFormat

# Formats kept with one result: more columns are not shown either.
MOST_FORMATS = 100

_AS_IT_IS = {"": gettext_noop("As it is")}
_NUMBERS = {
    "number": gettext_noop("Number"),
    "currency": gettext_noop("Currency"),
    "percent": gettext_noop("Percent, 0.12 is 12%"),
    "points": gettext_noop("Percent, 12 is 12%"),
}
_DATES = {
    "day": "27 Nov 2026",
    "weekday": gettext_noop("Fri 27 Nov 2026"),
    "minute": "27 Nov 2026, 14:05",
    "month": "Nov 2026",
    "year": "2026",
    "dots": "27.11.2026",
    "slashes": "27/11/2026",
    "american": "11/27/2026",
}


def headings_called(names: Sequence[str]) -> tuple[str, ...]:
    """Call columns in words, for people who see no SQL: "Return rate" of `return_rate`. Names that would be the same stay as they are.

    Example:
        >>> headings_called(["return_rate", "Country", "SUM(a)", ""])
        ('Return rate', 'Country', 'Total a', '')
    """
    words = [in_words(name) if name else "" for name in names]
    return tuple(said if words.count(said) == 1 else name for said, name in zip(words, names, strict=True))


Formats = tuple[ColumnFormat, ...]
Range = tuple[float, float]


def styles_of(kind: str) -> dict[str, str]:
    """The styles that values of a kind can be shown in, each with its words. Texts may be dates, as SQLite has them."""
    if is_number(kind):
        styles = _AS_IT_IS | _NUMBERS
    else:
        styles = _AS_IT_IS | (_DATES if kind in ("date", "datetime", "text") else {})
    return {style: _(words) for style, words in styles.items()}


def is_number(kind: str) -> bool:
    """Say whether a column of a kind holds numbers, which alone have decimals and bars."""
    return kind in ("integer", "number")


def formats_chosen(result: StoredResult) -> Formats:
    """How the columns of a result are shown, where that was chosen."""
    return ColumnFormat.read(result.formats)


def formats_of(result: StoredResult) -> Formats:
    """How the columns of a result are shown: as was chosen, and percentages as such."""
    in_percent = [str(one["name"]) for one in result.columns if one.get("in_percent")]
    return _with_percents(formats_chosen(result), in_percent)


def _with_percents(chosen: Formats, in_percent: Iterable[str]) -> Formats:
    """Formats that were chosen, and those of columns of percentages that have none. Bars are kept."""
    percents = dict.fromkeys(in_percent)
    kept = tuple(
        replace(one, style=TOLD_POINTS) if one.column in percents and not one.style else one for one in chosen
    )
    known = {one.column for one in chosen}
    return (*kept, *(ColumnFormat(name, TOLD_POINTS) for name in percents if name not in known))


def format_chosen(result: StoredResult, column: str) -> dict[str, Any]:
    """The fields of a column's format, for a form; those of one that was never chosen are as usual."""
    found = column_format(formats_chosen(result), column) or ColumnFormat(column)
    return {name: value for name, value in asdict(found).items() if name != "column"}


def formats_chosen_of_chart(chart: Mapping[str, Any] | None) -> Formats:
    """The formats that go with a chart from one result of its SQL to the next."""
    return ColumnFormat.read((chart or {}).get("formats"))


def formats_of_chart(chart: Mapping[str, Any] | None) -> Formats:
    """How the columns of a chart's rows are shown: as was chosen, and percentages as such."""
    return _with_percents(formats_chosen_of_chart(chart), map(str, (chart or {}).get("percents") or ()))


def cell_of(value: Any, name: str, formats: Formats, column: str | None = None) -> Cell:
    """The cell of a value in the format of its column, which is called as the value is unless it is named."""
    return shown(value, name, column_format(formats, name if column is None else column))


def rows_cells(
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    formats: Formats = (),
    ranges: Mapping[int, Range] | None = None,
) -> tuple[tuple[Cell, ...], ...]:
    """The cells of rows in the formats of their columns, with bars as long as the `ranges` say."""
    wanted = [column_format(formats, name) for name in names]
    rows = tuple(rows)
    contents = contents_of(names, rows)
    cells = tuple(tuple(map(shown, row, names, wanted, contents)) for row in rows)
    cells = alike(cells, amount_columns(names, rows, formats))
    if not ranges:
        return cells
    return tuple(
        tuple(
            replace(cell, bar=bar_of(value, ranges[n])) if n in ranges else cell
            for n, (cell, value) in enumerate(zip(told, row, strict=False))
        )
        for told, row in zip(cells, rows, strict=True)
    )


def amount_columns(names: Sequence[str], rows: Sequence[Sequence[Any]], formats: Formats) -> list[int]:
    """The columns of amounts that have no format of their own, and of percentages."""
    wanted = [column_format(formats, name) for name in names]
    return [
        n
        for n, one in enumerate(wanted)
        if (one is None and are_amounts(row[n] for row in rows if n < len(row)))
        or (one is not None and one.style == TOLD_POINTS)
    ]


def are_amounts(values: Iterable[Any]) -> bool:
    """Say whether numbers of a column are amounts: none has more than two decimals, and one has two.

    Example:
        >>> are_amounts([368749.0, 1778237.4, 412140.83]), are_amounts([7.5, 8]), are_amounts([0.125, 0.25])
        (True, False, False)
    """
    numbers = [value for value in values if value is not None]
    if not all(isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in numbers):
        return False
    found = [_float(value) for value in numbers if not isinstance(value, int)]
    return all(n is not None and _has_places(n, 2) for n in found) and any(
        n is not None and not _has_places(n, 1) for n in found
    )


def _has_places(number: float, places: int) -> bool:
    # A sum of floats is off by its last digits.
    return math.isclose(number, round(number, places), rel_tol=1e-12, abs_tol=1e-9)


def alike(cells: tuple[tuple[Cell, ...], ...], columns: Iterable[int]) -> tuple[tuple[Cell, ...], ...]:
    """Give the numbers of each of these columns as many decimals as the one with most has; a copy still gives the value itself."""
    texts = {n: aligned([row[n].text for row in cells]) for n in columns}
    if not texts:
        return cells
    return tuple(
        tuple(
            replace(cell, text=texts[n][at], exact=cell.exact or cell.text)
            if n in texts and texts[n][at] != cell.text
            else cell
            for n, cell in enumerate(row)
        )
        for at, row in enumerate(cells)
    )


def alike_together(cells: tuple[tuple[Cell, ...], ...], first: int) -> tuple[tuple[Cell, ...], ...]:
    """Give the numbers of all columns from the `first` one as many decimals as the one with most has."""
    texts = iter(aligned([cell.text for row in cells for cell in row[first:]]))
    return tuple(
        (
            *row[:first],
            *(
                cell
                if (text := next(texts)) == cell.text
                else replace(cell, text=text, exact=cell.exact or cell.text)
                for cell in row[first:]
            ),
        )
        for row in cells
    )


def bar_ranges(
    result: StoredResult, columns: Sequence[StoredColumn], formats: Iterable[ColumnFormat]
) -> dict[int, Range]:
    """The least and greatest value, zero among them, of each column with bars. Raises: ResultGone."""
    barred = {one.column for one in formats if one.bar}
    numbers = [n for n, column in enumerate(columns) if column.name in barred and is_number(column.kind)]
    if not numbers:
        return {}
    with file_kept(result) as path:
        found = number_ranges(path, columns, numbers)
    return {n: (min(0.0, low or 0.0), max(0.0, high or 0.0)) for n, (low, high) in found.items()}


def number_ranges(
    path: Path, columns: Sequence[StoredColumn], places: Sequence[int]
) -> dict[int, tuple[float | None, float | None]]:
    """The least and greatest finite value of some columns of numbers in a file; None where there is none."""
    if not places:
        return {}
    sides = {n: f"CAST(c{n}{'_order' if columns[n].stored == 'tagged' else ''} AS DOUBLE)" for n in places}
    chosen = ", ".join(
        f"{what}({side}) FILTER (isfinite({side}))" for side in sides.values() for what in ("min", "max")
    )
    with file_opened(path) as connection:
        found = connection.execute(f"SELECT {chosen} FROM read_parquet(?)", [str(path)]).fetchall()[0]  # noqa: S608
    return {n: (found[2 * at], found[2 * at + 1]) for at, n in enumerate(sides)}


def ranges_of_rows(
    names: Sequence[str], rows: Iterable[Sequence[Any]], formats: Iterable[ColumnFormat]
) -> dict[int, Range]:
    """The same of a few rows at hand, as a card has them."""
    barred = {one.column for one in formats if one.bar}
    places = [n for n, name in enumerate(names) if name in barred]
    if not places:
        return {}
    found = dict.fromkeys(places, (0.0, 0.0))
    for row in rows:
        for n in places:
            value = _float(row[n])
            if value is not None:
                found[n] = (min(found[n][0], value), max(found[n][1], value))
    return found


def bar_of(value: Any, reach: Range | None) -> Bar | None:
    """The bar of a value from zero; None where there is none, as for NULL, NaN and infinity.

    Example:
        >>> bar_of(5, (0.0, 10.0)), bar_of(-5, (-5.0, 15.0))
        (Bar(start=0.0, length=50.0, zero=0.0, is_negative=False), Bar(start=0.0, length=25.0, zero=25.0, is_negative=True))
    """
    number = _float(value)
    # Halved first: the distance of two large numbers is beyond every float.
    low, high = (side / 2 for side in reach) if reach else (0.0, 0.0)
    if number is None or not high - low > 0:
        return None
    zero = round(abs(low) / (high - low) * 100, 2)
    length = round(min(abs(number) / 2 / (high - low), 1.0) * 100, 2)
    return Bar(max(0.0, round(zero - length, 2)) if number < 0 else zero, length, zero, number < 0)


def _float(value: Any) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
