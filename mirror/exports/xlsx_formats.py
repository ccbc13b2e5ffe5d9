"""Number formats of a workbook: how Excel shows what stays exact in the cell, as pages show it."""

from __future__ import annotations

from xlsxwriter import Workbook
from xlsxwriter.format import Format as CellFormat

from mirror.phrases import one_line
from sqlagent.rows.formats import TOLD_POINTS
from sqlagent.values import ColumnFormat

MONTH = "mmm yyyy"

# The forms of dates of `sqlagent.rows.formats` in Excel's words. A slash alone would be the separator of the reader's country.
_DATES = {
    "day": "d mmm yyyy",
    "weekday": "ddd d mmm yyyy",
    "month": MONTH,
    "year": "yyyy",
    "dots": "dd.mm.yyyy",
    "slashes": r"dd\/mm\/yyyy",
    "american": r"mm\/dd\/yyyy",
    "minute": r"d mmm yyyy\, hh:mm",
}
_USUAL = {"currency": 2, "percent": 1, "points": 1}


class CellFormats:
    """How the cells of one workbook look, each made once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._made: dict[str, CellFormat] = {}
        self.head = book.add_format({"bold": True, "bottom": 1, "valign": "top"})
        self.bold = book.add_format({"bold": True})
        # A text that stays one when somebody edits its cell.
        self.quoted = book.add_format({"quote_prefix": True})
        self.wrapped = book.add_format({"text_wrap": True, "valign": "top"})

    def of(self, shown: str) -> CellFormat:
        """The format that shows numbers in Excel's words `shown`."""
        if shown not in self._made:
            self._made[shown] = self._book.add_format({"num_format": shown})
        return self._made[shown]


def numbers_shown(decimals: int, wanted: ColumnFormat | None = None, *, is_named: bool = False) -> str:
    """Write how Excel shows numbers: in the format that is `wanted`, else with so many decimals, thousands apart unless they are names of things.

    Example:
        >>> numbers_shown(2), numbers_shown(0, is_named=True), numbers_shown(4, ColumnFormat("share_pct", "told_points"))
        ('#,##0.00', '0', '#,##0.00" %"')
        >>> numbers_shown(5, ColumnFormat("paid", "currency", unit="€")), numbers_shown(0, ColumnFormat("paid", "currency", 0, unit="NOK"))
        ('"€"#,##0.00', '#,##0" NOK"')
        >>> numbers_shown(4, ColumnFormat("rate", "percent")), numbers_shown(0, ColumnFormat("n", "points", 2, grouped=False))
        ('#,##0.0%', '0.00"%"')
    """
    style = wanted.style if wanted else ""
    if wanted is None or style not in ("number", "currency", "percent", "points", TOLD_POINTS):
        return _digits(decimals, grouped=not is_named)
    if style == TOLD_POINTS:
        return f'{_digits(min(decimals, 2), grouped=True)}" %"'
    usual = _USUAL.get(style, decimals)
    places = usual if wanted.decimals is None else max(0, wanted.decimals)
    digits = _digits(places, grouped=wanted.grouped)
    if style == "percent":
        return f"{digits}%"
    if style == "points":
        return f'{digits}"%"'
    unit = one_line(wanted.unit).replace('"', "") if style == "currency" else ""
    if not unit:
        return digits
    is_word = any(letter.isalpha() for letter in unit)
    return f'{digits}" {unit}"' if is_word else f'"{unit}"{digits}'


def dates_shown(wanted: ColumnFormat | None) -> str:
    """Write how Excel shows days in a format that was chosen; empty where none was.

    Example:
        >>> dates_shown(ColumnFormat("day", "dots")), dates_shown(None)
        ('dd.mm.yyyy', '')
    """
    return _DATES.get(wanted.style, "") if wanted else ""


def _digits(decimals: int, *, grouped: bool) -> str:
    whole = "#,##0" if grouped else "0"
    return f"{whole}.{'0' * decimals}" if decimals else whole
