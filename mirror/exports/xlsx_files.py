"""XLSX: a sheet for each SQL, cells with types, and a sheet of notes where there is something to say.

Numbers, dates, times and booleans keep their types. Values that Excel would change become text: numbers of more
than 15 digits (it keeps no more; zeros at the end are none), dates before March 1900 (its calendar is wrong there), times with a
zone unless the cover names the clocks that they are shown on.
Numbers are shown as on pages, with their decimals, thousands, currencies and percent, and stay what they are: 0.1 + 0.2 is shown as 0.3.
Months are days that Excel shows as months.
Texts are always texts, never formulas or links. The sheet of notes and the return value of `write` name what did not fit.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from xlsxwriter import Workbook
from xlsxwriter.exceptions import XlsxFileError
from xlsxwriter.format import Format as CellFormat
from xlsxwriter.worksheet import Worksheet

from mirror.exports import names
from mirror.exports.decimals import column_decimals, is_told
from mirror.exports.defusing import is_live
from mirror.exports.texts import exact, whole
from mirror.exports.values import XLSX_ROWS, Cover, Sheet
from mirror.exports.xlsx_charts import chart_insert
from mirror.exports.xlsx_formats import MONTH, CellFormats, dates_shown, numbers_shown
from mirror.exports.xlsx_plain import PlainSheet
from mirror.phrases import day_said, one_line, part_said, separated
from mirror.results.cells import decimals_shown, is_repeated, on_clock
from sqlagent.rows.contents import contents_of
from sqlagent.rows.formats import column_format
from sqlagent.rows.periods import part_of

# Excel, "Specifications and limits": digits of a number, characters of a cell, columns of a sheet.
_DIGITS = 15
_CELL_CHARS = 32_767
_COLUMNS = 16_384
_LARGEST = 10**_DIGITS - 1
# Excel believes that there was a 29 February 1900.
_FIRST_DAY = date(1900, 3, 1)
_FIRST_MOMENT = datetime(1900, 3, 1)
# Later fractions of a second would round up to the year 10000.
_LAST_MOMENT = datetime(9999, 12, 31, 23, 59, 59)

# Pages set thousands apart from here on.
_GROUPED = 1_000

# Column widths are looked at in so many rows, in characters from the first to the second.
_WIDTH_ROWS, _NARROWEST, _WIDEST = 200, 8, 60


class _Filling:
    """Fills one sheet, and counts what could not be written as it is."""

    def __init__(self, page: Worksheet, formats: CellFormats, sheet: Sheet, zone: str) -> None:
        self._page, self._formats = page, formats
        self._names = sheet.columns[:_COLUMNS]
        columns = len(self._names)
        self._wanted = [column_format(sheet.formats, name) for name in self._names]
        self._looks: dict[tuple[int, int], CellFormat] = {}
        self._clock = ZoneInfo(zone) if zone else None
        self.has_moved_times = False
        self.repeated_times = 0
        self._widths = [0] * columns
        # Told by the first rows: a sheet is written as its rows come.
        self._contents = contents_of(self._names, ())
        self._decimals: list[int | None] = [None] * columns
        self.rows = self.cut_cells = self.long_numbers = 0
        self.is_full = False
        self._write: dict[type, Callable[[int, int, Any], None]] = {
            bool: self._boolean,
            int: self._integer,
            float: self._float,
            Decimal: self._decimal,
            str: self._text,
            datetime: self._datetime,
            date: self._date,
            time: self._time,
            timedelta: self._duration,
        }

    def head(self) -> None:
        """Write the names of the columns, which stay in sight."""
        for place, name in enumerate(self._names):
            self._page.write_string(0, place, self._cut(whole(name)), self._formats.head)
            self._widths[place] = len(name) + 3
        self._page.freeze_panes(1, 0)

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """Write some rows below those before."""
        if self.rows < _WIDTH_ROWS:
            if not self.rows:
                self._contents = contents_of(self._names, rows)
                self._decimals = [column_decimals(rows[:_WIDTH_ROWS], n) for n in range(len(self._widths))]
            self._measure(rows[: _WIDTH_ROWS - self.rows])
        write, other, number = self._write, self._other, self.rows
        is_wide = any(len(row) > len(self._widths) for row in rows[:1])
        for row in rows:
            number += 1
            for place, value in enumerate(row[: len(self._widths)] if is_wide else row):
                if value is not None:
                    write.get(value.__class__, other)(number, place, value)
        self.rows = number

    def end(self) -> None:
        """Say what is only known now: widths, and what can be filtered."""
        for place, width in enumerate(self._widths):
            self._page.set_column(place, place, min(max(width, _NARROWEST), _WIDEST))
        if self._widths:
            self._page.autofilter(0, 0, self.rows, len(self._widths) - 1)

    def _measure(self, rows: Sequence[Sequence[Any]]) -> None:
        for row in rows:
            for place, value in enumerate(row[: len(self._widths)]):
                if value is not None:
                    text = value if isinstance(value, str) else exact(value)
                    if isinstance(value, float) and is_told(value, self._decimals[place]):
                        text = f"{value:,.{self._decimals[place]}f}"
                    elif isinstance(value, int | Decimal) and not -_GROUPED < value < _GROUPED:
                        text = f"{value:,}"
                    longest = max(map(len, text[:2_000].splitlines()), default=0)
                    self._widths[place] = max(self._widths[place], longest + 1)

    def _boolean(self, row: int, place: int, value: bool) -> None:
        self._page.write_boolean(row, place, value)

    def _integer(self, row: int, place: int, value: int) -> None:
        if -_LARGEST <= value <= _LARGEST:
            # In a column of floats they have decimals as the others.
            self._page.write_number(row, place, value, self._look(place, self._decimals[place] or 0))
        else:
            self._as_text(row, place, value)

    def _float(self, row: int, place: int, value: float) -> None:
        if not math.isfinite(value):
            self._page.write_string(row, place, repr(value))
        elif is_told(value, self._decimals[place]):
            self._page.write_number(row, place, value, self._look(place, self._decimals[place] or 0))
        else:
            shown = decimals_shown(value) if abs(value) >= _GROUPED or self._wanted[place] else None
            self._page.write_number(row, place, value, None if shown is None else self._look(place, shown))

    def _decimal(self, row: int, place: int, value: Decimal) -> None:
        if not value.is_finite():
            self._page.write_string(row, place, str(value))
            return
        # PostgreSQL gives an average of numbers as 770.0110000000000000.
        number = value if _fits(value) else Decimal(_without_zeros(value))
        if not _fits(number):
            self._as_text(row, place, value)
            return
        exponent = int(number.as_tuple().exponent)
        self._page.write_number(row, place, number, self._look(place, max(0, -exponent)))

    def _look(self, place: int, decimals: int) -> CellFormat:
        """The format of numbers of a column, each looked up once."""
        found = self._looks.get((place, decimals))
        if found is None:
            found = self._formats.of(
                numbers_shown(decimals, self._wanted[place], is_named=self._contents[place].is_named)
            )
            self._looks[place, decimals] = found
        return found

    def _part(self, row: int, place: int, value: date | str) -> bool:
        """Write a month as its first day, shown as a month, and a quarter by its name; tell whether the value is one."""
        if not self._contents[place].has_periods or self._wanted[place]:
            return False
        part = part_of(value, self._names[place])
        if part is None:
            return False
        if part.grain == "month" and part.first >= _FIRST_DAY:
            self._page.write_datetime(row, place, part.first, self._formats.of(MONTH))
        else:
            self._page.write_string(row, place, part_said(part.grain, part.first))
        return True

    def _datetime(self, row: int, place: int, value: datetime) -> None:
        if self._part(row, place, value):
            return
        if self._clock is not None and value.tzinfo is not None:
            value = on_clock(value, self._clock)
            if value.tzinfo is self._clock:
                self.repeated_times += is_repeated(value)
                value = value.replace(tzinfo=None)
                self.has_moved_times = True
        if value.tzinfo is not None or not _FIRST_MOMENT <= value <= _LAST_MOMENT:
            self._page.write_string(row, place, exact(value))
            return
        usual = "yyyy-mm-dd hh:mm:ss.000" if value.microsecond else "yyyy-mm-dd hh:mm:ss"
        shown = dates_shown(self._wanted[place]) or usual
        self._page.write_datetime(row, place, value, self._formats.of(shown))

    def _date(self, row: int, place: int, value: date) -> None:
        if self._part(row, place, value):
            return
        if value < _FIRST_DAY:
            self._page.write_string(row, place, value.isoformat())
        else:
            shown = dates_shown(self._wanted[place]) or "yyyy-mm-dd"
            self._page.write_datetime(row, place, value, self._formats.of(shown))

    def _time(self, row: int, place: int, value: time) -> None:
        if value.tzinfo is not None:
            self._page.write_string(row, place, exact(value))
            return
        shown = "hh:mm:ss.000" if value.microsecond else "hh:mm:ss"
        self._page.write_datetime(row, place, value, self._formats.of(shown))

    def _duration(self, row: int, place: int, value: timedelta) -> None:
        if value < timedelta():
            self._page.write_string(row, place, exact(value))
        else:
            self._page.write_datetime(row, place, value, self._formats.of("[h]:mm:ss"))

    def _as_text(self, row: int, place: int, number: int | Decimal) -> None:
        self.long_numbers += 1
        self._text(row, place, exact(number))

    def _other(self, row: int, place: int, value: Any) -> None:
        self._text(row, place, exact(value))

    def _text(self, row: int, place: int, value: str) -> None:
        if self._part(row, place, value):
            return
        look = self._formats.quoted if is_live(value) else None
        self._page.write_string(row, place, self._cut(whole(value)), look)

    def _cut(self, text: str) -> str:
        """Cut as Excel counts: a character beyond U+FFFF is two."""
        if len(text) * 2 <= _CELL_CHARS:
            return text
        counted = text.encode("utf-16-le")
        if len(counted) <= _CELL_CHARS * 2:
            return text
        self.cut_cells += 1
        return counted[: (_CELL_CHARS - 1) * 2].decode("utf-16-le", "ignore") + "…"


def _fits(number: Decimal) -> bool:
    """Whether Excel keeps every digit that a number is written with."""
    _, digits, exponent = number.as_tuple()
    return len(digits) + max(int(exponent), 0) <= _DIGITS and int(exponent) >= -_DIGITS


def _without_zeros(number: Decimal) -> str:
    """A number's text without zeros at the end of its decimals."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def write(
    sheets: Sequence[Sheet], path: Path, cover: Cover, progress: Callable[[int], None]
) -> tuple[int, tuple[str, ...]]:
    """Write a workbook with a sheet for each of the sheets; see `file_writing.write`."""
    rows, is_local = 0, False
    notes: list[str] = []
    with tempfile.TemporaryDirectory(prefix=".mirror-xlsx-", dir=path.parent) as folder:
        book = Workbook(
            str(path),
            {
                "constant_memory": True,
                "tmpdir": folder,
                "use_zip64": True,
                "strings_to_formulas": False,
                "strings_to_urls": False,
                "strings_to_numbers": False,
            },
        )
        book.set_properties({"title": one_line(cover.title)[:200], "comments": "Made by Mirror"})
        formats = CellFormats(book)
        titles = names.sheet_names((sheet.title for sheet in sheets), reserved=("History", _("Notes")))
        for sheet, title in zip(sheets, titles, strict=True):
            page = book.add_worksheet(title, worksheet_class=PlainSheet)
            filling = _fill(page, formats, sheet, cover.zone, partial(_further, progress, rows))
            if sheet.chart:
                chart_insert(book, page, title, sheet, filling.rows)
            rows += filling.rows
            is_local |= filling.has_moved_times
            notes += _notes(sheet, title if len(sheets) > 1 else "", filling)
        if is_local:
            cover = replace(
                cover, lines=(*cover.lines, _("Times are those of %(zone)s.") % {"zone": cover.zone})
            )
        _notes_sheet(book, formats, sheets, titles, cover, notes)
        try:
            book.close()
        except XlsxFileError as error:
            raise OSError(*getattr(error.args[0], "args", error.args)) from error
    return rows, tuple(notes)


def _further(progress: Callable[[int], None], before: int, count: int) -> None:
    """Tell how many rows are written in all, those of earlier sheets among them."""
    progress(before + count)


def _fill(
    page: Worksheet, formats: CellFormats, sheet: Sheet, zone: str, progress: Callable[[int], None]
) -> _Filling:
    filling = _Filling(page, formats, sheet, zone)
    filling.head()
    for batch in sheet.batches():
        room = XLSX_ROWS - filling.rows
        filling.add(batch[:room])
        progress(filling.rows)
        if len(batch) > room:
            filling.is_full = True
            break
    filling.end()
    return filling


def _notes(sheet: Sheet, title: str, filling: _Filling) -> list[str]:
    """Notes to the reader of a sheet; with its title where there are several."""
    said = []
    if filling.is_full and sheet.row_count is None:
        said.append(
            _("Only the first %(rows)s rows fit in a sheet; there are more; take the CSV for all.")
            % {"rows": _written(filling.rows)}
        )
    elif filling.is_full:
        said.append(
            _("Only the first %(rows)s of %(all)s rows fit in a sheet; take the CSV for all.")
            % {"rows": _written(filling.rows), "all": _written(sheet.row_count or 0)}
        )
    if len(sheet.columns) > _COLUMNS:
        said.append(
            _("Only the first %(columns)s of %(all)s columns fit in a sheet.")
            % {"columns": _written(_COLUMNS), "all": _written(len(sheet.columns))}
        )
    if filling.cut_cells:
        said.append(
            _("%(texts)s texts were longer than %(most)s characters, the most a cell can hold, and were cut.")
            % {"texts": _written(filling.cut_cells), "most": _written(_CELL_CHARS)}
        )
    if filling.long_numbers:
        said.append(
            _(
                "%(numbers)s numbers have more than %(digits)s digits, the most Excel keeps; they are written as text, so that nothing is rounded."
            )
            % {"numbers": _written(filling.long_numbers), "digits": _DIGITS}
        )
    if filling.repeated_times:
        said.append(
            _(
                "%(times)s times are in an hour that clocks there show twice, as they are set back; a CSV file tells them apart."
            )
            % {"times": _written(filling.repeated_times)}
        )
    return [f"{title}: {note}" for note in said] if title else said


def _written(count: int) -> str:
    return separated(f"{count:,}")


def _notes_sheet(
    book: Workbook,
    formats: CellFormats,
    sheets: Sequence[Sheet],
    titles: Sequence[str],
    cover: Cover,
    notes: Sequence[str],
) -> None:
    """Add a last sheet that says what the cover says, each sheet's sentence and what did not fit."""
    lines = [(one_line(cover.title), True)] if cover.title else []
    lines += [(line, False) for line in (cover.note, *cover.lines) if line]
    if cover.data:
        lines.append((cover.data, False))
    elif cover.made_at is not None:
        moment = f"{day_said(f'{cover.made_at:%Y-%m-%d %H:%M}')} {cover.made_at:%Z}".strip()
        lines.append((_("Made %(moment)s") % {"moment": moment}, False))
    for sheet, title in zip(sheets, titles, strict=True):
        cut = [_("The source had more rows than these.")] if sheet.truncated else []
        said = [text for text in (sheet.sentence, *cut) if text]
        if said:
            lines += [("", False), (title, True), *((text, False) for text in said)]
    if notes:
        lines += [("", False), (_("Misfits"), True), *((note, False) for note in notes)]
    if not lines:
        return
    page = book.add_worksheet(_("Notes"), worksheet_class=PlainSheet)
    page.set_column(0, 0, 100)
    for row, (line, is_head) in enumerate(lines):
        page.write_string(
            row,
            0,
            whole(line).replace("\r", "")[: _CELL_CHARS // 2],
            formats.bold if is_head else formats.wrapped,
        )
