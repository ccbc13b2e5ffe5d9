"""PDF: for reading. Title and note, and of each sheet its sentence, its chart and the first rows of its table.

Tables repeat their heads on every page; one too wide for a page lies across, and one too wide for that comes
in parts that each begin with the first column. Cells are as a page shows them, on one line; a text too long
ends in an ellipsis. Which letters can be shown is decided in `pdf_letters`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from mirror.exports.pdf_letters import FAMILY, Letters
from mirror.exports.values import PDF_ROWS, Cover, Row, Sheet
from mirror.phrases import day_said, one_line, separated
from mirror.results.cells import aligned, clock_text, on_clock, shown
from sqlagent.rows.contents import Content, contents_of
from sqlagent.rows.formats import column_format, formatted
from sqlagent.values import ColumnFormat

# A table wider than this is shown in part: parts of a table are read side by side, and five are many.
PDF_COLUMNS = 40

_MARGIN, _LINE, _TEXT_SIZE, _ROW = 14.0, 4.6, 9.5, 4.4
_TABLE_SIZE = 7.5
_NARROWEST, _WIDEST, _PADDING = 9.0, 62.0, 2.4
# A chart that is taller than wide has bars that lie down, and each of them a name to be read.
_TALLEST_CHART, _TALLEST_BARS = 95.0, 170.0
# A chapter begins a page, except after one of figures alone that ends above this: a page for one number looks empty.
_GOES_ON = 110.0
# Characters of a cell that are looked at: no more fit in the widest.
_CELL_CHARS = 90

_INK, _MUTED, _LINES, _HEAD = (25, 35, 41), (79, 90, 97), (221, 226, 228), (244, 247, 248)

# Missing signs of a font were looked at already; other warnings of these libraries are for those who make fonts.
logging.getLogger("fpdf.output").setLevel(logging.ERROR)
logging.getLogger("fontTools").setLevel(logging.ERROR)


class _Paper(FPDF):
    """A4 with page numbers."""

    def __init__(self, title: str, made_at: datetime) -> None:
        super().__init__(format="A4")
        self.letters = Letters(self)
        self._foot = self.letters.fit(title)
        self.set_margin(_MARGIN)
        self.set_auto_page_break(True, margin=_MARGIN + 4)
        self.set_title(title)
        self.set_creator("Mirror")
        self.set_creation_date(made_at)
        self.set_draw_color(*_LINES)

    def footer(self) -> None:
        """Write the title and the page's number."""
        self.set_y(-_MARGIN)
        self.set_font(FAMILY, size=7)
        self.set_text_color(*_MUTED)
        self.cell(self.epw - 40, 5, self._foot[:110])
        self.cell(
            40, 5, _("Page %(number)s of %(count)s") % {"number": self.page_no(), "count": "{nb}"}, align="R"
        )

    def say(self, text: str, size: float = _TEXT_SIZE, *, bold: bool = False, muted: bool = False) -> None:
        """Write a paragraph."""
        self.set_font(FAMILY, "B" if bold else "", size)
        self.set_text_color(*(_MUTED if muted else _INK))
        self.multi_cell(0, size * 0.5, self.letters.fit(text), align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(1.4)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table ready to be laid out: texts of cells, and of each column its width and side."""

    heads: tuple[str, ...]
    rows: list[tuple[tuple[str, str], ...]]
    widths: list[float]
    is_number: list[bool]


def write(
    sheets: Sequence[Sheet], path: Path, cover: Cover, progress: Callable[[int], None]
) -> tuple[int, tuple[str, ...]]:
    """Write a document with a chapter for each sheet; see `file_writing.write`."""
    title = one_line(cover.title) or one_line(sheets[0].title) or _("Rows")
    made_at = cover.made_at or datetime.now(UTC)
    paper = _Paper(title, made_at)
    rows, notes, after_figures = 0, [], False
    for number, sheet in enumerate(sheets):
        read, has_more = _read(sheet)
        table = _table(sheet, read, paper.letters, cover.zone)
        is_wide = sum(table.widths) > 210 - 2 * _MARGIN
        if not after_figures or is_wide or paper.get_y() > _GOES_ON:
            paper.add_page(orientation="landscape" if is_wide else "portrait")
        after_figures = only_figures = len(sheet.figures) == len(sheet.columns) > 0
        if not number:
            _cover(paper, title, cover, made_at)
        name = one_line(sheet.title)
        if name and (len(sheets) > 1 or name != title):
            paper.say(name, 12, bold=True)
        if sheet.sentence and not (only_figures and len(sheet.figures) == 1):
            paper.say(_lines(sheet.sentence))
        for called, *told in sheet.figures:
            _figure(paper, "" if called.casefold() == name.casefold() else called, *told)
        if sheet.chart_image:
            _chart(paper, sheet.chart_image)
        said = _notes(sheet, len(read), has_more)
        notes += [f"{name}: {note}" if len(sheets) > 1 and name else note for note in said]
        if cover.zone and any(isinstance(cell, datetime) and cell.tzinfo for row in read for cell in row):
            said.append(_("Times are those of %(zone)s.") % {"zone": cover.zone})
        if said:
            paper.say(" ".join(said), 8, muted=True)
        for part in () if only_figures else _parts(table.widths, paper.epw):
            _draw(paper, table, part)
        rows += len(read)
        progress(rows)
    if lacking := paper.letters.note():
        notes.append(lacking)
        paper.say(lacking, 8, muted=True)
    paper.output(str(path))
    return rows, tuple(notes)


def _read(sheet: Sheet) -> tuple[list[Row], bool]:
    """The rows that are shown, and whether there are more."""
    rows = list(islice((row for batch in sheet.batches() for row in batch), PDF_ROWS + 1))
    return rows[:PDF_ROWS], len(rows) > PDF_ROWS


def _notes(sheet: Sheet, count: int, has_more: bool) -> list[str]:
    said = []
    if has_more:
        total = separated(f"{sheet.row_count:,}") if sheet.row_count is not None else _("many")
        said.append(
            _("The first %(count)s of %(total)s rows are shown here; a file of another format has all.")
            % {"count": separated(f"{count:,}"), "total": total}
        )
    if len(sheet.columns) > PDF_COLUMNS:
        said.append(
            _("The first %(count)s of %(total)s columns are shown here.")
            % {"count": PDF_COLUMNS, "total": separated(f"{len(sheet.columns):,}")}
        )
    if sheet.truncated:
        said.append(_("The source had more rows than were kept."))
    if not count:
        said.append(_("There are no rows."))
    return said


def _lines(text: str) -> str:
    """A text of several lines without controls."""
    return "\n".join(one_line(line) for line in text.splitlines())


def _cover(paper: _Paper, title: str, cover: Cover, made_at: datetime) -> None:
    paper.say(title, 17, bold=True)
    if cover.note:
        paper.say(_lines(cover.note))
    for line in cover.lines:
        paper.say(one_line(line), 8.5, muted=True)
    paper.say(
        one_line(cover.data)
        or _("Made %(moment)s") % {"moment": f"{day_said(f'{made_at:%Y-%m-%d %H:%M}')} {made_at:%Z}".strip()},
        8.5,
        muted=True,
    )
    paper.ln(2)


def _figure(paper: _Paper, name: str, said: str, change: str) -> None:
    """Write one number large, with what it is and how it changed."""
    if name:
        paper.say(one_line(name), 8.5, muted=True)
    paper.say(one_line(said), 26, bold=True)
    if change:
        paper.say(one_line(change))
    paper.ln(2)


def _chart(paper: _Paper, image: bytes) -> None:
    # A PNG begins with its signature and, in its first chunk, its width and height.
    width, height = (int.from_bytes(image[at : at + 4]) for at in (16, 20))
    tallest = _TALLEST_BARS if height > width else _TALLEST_CHART
    room = paper.page_break_trigger - paper.get_y()
    paper.image(
        BytesIO(image),
        w=min(paper.epw, 182),
        h=min(tallest, max(room, _TALLEST_CHART)),
        keep_aspect_ratio=True,
    )
    paper.ln(3)


# ---------------------------------------------------------------- tables


def _table(sheet: Sheet, rows: Sequence[Row], letters: Letters, zone: str) -> _Table:
    names = sheet.columns[:PDF_COLUMNS]
    clock = ZoneInfo(zone) if zone else None
    formats, contents = [column_format(sheet.formats, name) for name in names], contents_of(names, rows)
    columns = [
        _aligned([_cell(row[place], name, letters, clock, wanted, content) for row in rows])
        for place, (name, wanted, content) in enumerate(zip(names, formats, contents, strict=True))
    ]
    cells = [tuple(column[number] for column in columns) for number in range(len(rows))]
    heads = tuple(letters.fit(one_line(name)[:_CELL_CHARS]) for name in names)
    widths, sides = [], []
    for place, head in enumerate(heads):
        column = [row[place] for row in cells]
        widest = max([_width(head, True), *(_width(text) for text, _ in column)])
        widths.append(min(max(widest + _PADDING, _NARROWEST), _WIDEST))
        looks = {look for _, look in column} - {"null"}
        sides.append(looks == {"num"})
    return _Table(heads, cells, widths, sides)


def _aligned(cells: list[tuple[str, str]]) -> list[tuple[str, str]]:
    texts = aligned([text if look == "num" else "" for text, look in cells])
    return [
        (text, look) if look == "num" else (old, look) for (old, look), text in zip(cells, texts, strict=True)
    ]


def _cell(
    value: Any,
    column: str,
    letters: Letters,
    clock: ZoneInfo | None,
    wanted: ColumnFormat | None,
    content: Content,
) -> tuple[str, str]:
    is_part = wanted is None and content.has_periods
    if clock is not None and isinstance(value, datetime) and not is_part:
        here = on_clock(value, clock)
        return formatted(here, wanted) or clock_text(here), ""
    cell = shown(value, column, wanted, content)
    return letters.fit(one_line(cell.text[: _CELL_CHARS * 2])[:_CELL_CHARS]), cell.look


@cache
def _measure() -> tuple[dict[str, float], dict[str, float]]:
    """Widths of letters at the size of tables, in millimetres, regular and bold; filled as they occur."""
    return {}, {}


@cache
def _ruler() -> _Paper:
    return _Paper("", datetime.now(UTC))


def _width(text: str, bold: bool = False) -> float:
    """How wide a text is in a table."""
    known = _measure()[bold]
    total = 0.0
    for letter in text:
        width = known.get(letter)
        if width is None:
            ruler = _ruler()
            ruler.set_font(FAMILY, "B" if bold else "", _TABLE_SIZE)
            is_own = ruler.letters.is_own(letter)
            width = known[letter] = ruler.get_string_width(letter) if is_own else ruler.font_size
        total += width
    return total


def _fitted(text: str, width: float, bold: bool = False) -> str:
    """A text cut to a width."""
    if _width(text, bold) <= width:
        return text
    room = width - _width("…", bold)
    used, kept = 0.0, 0
    for letter in text:
        used += _width(letter, bold)
        if used > room:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def _parts(widths: Sequence[float], room: float) -> Iterator[list[int]]:
    """Which columns stand side by side; each part but the first begins with the first column again."""
    if not widths:
        return
    part, used = [0], widths[0]
    for place in range(1, len(widths)):
        if used + widths[place] > room:
            yield part
            part, used = [0], widths[0]
        part.append(place)
        used += widths[place]
    yield part


def _draw(paper: _Paper, table: _Table, part: Sequence[int]) -> None:
    """Draw some columns of a table, on as many pages as it takes."""
    if len(part) < len(table.widths):
        first = part[1] if part[1:2] != [1] else part[0]
        paper.say(f"Columns {first + 1} to {part[-1] + 1} of {len(table.widths)}", 8, muted=True)
    spare = max(0.0, paper.epw - sum(table.widths[place] for place in part))
    grow = min(spare / len(part), 8.0)
    widths = [table.widths[place] + grow for place in part]
    if paper.get_y() + 4 * _ROW > paper.page_break_trigger:
        paper.add_page(same=True)
    _head(paper, table, part, widths)
    for row in table.rows:
        if paper.get_y() + _ROW > paper.page_break_trigger:
            paper.add_page(same=True)
            _head(paper, table, part, widths)
        _row(paper, table, row, part, widths)
    paper.ln(4)


def _head(paper: _Paper, table: _Table, part: Sequence[int], widths: Sequence[float]) -> None:
    paper.set_font(FAMILY, "B", _TABLE_SIZE)
    paper.set_fill_color(*_HEAD)
    paper.set_text_color(*_INK)
    for place, width in zip(part, widths, strict=True):
        text = _fitted(table.heads[place], width - 2, bold=True)
        paper.cell(width, _ROW + 1, text, border="B", fill=True, align="R" if table.is_number[place] else "L")
    paper.ln(_ROW + 1)
    paper.set_font(FAMILY, "", _TABLE_SIZE)


def _row(
    paper: _Paper,
    table: _Table,
    row: Sequence[tuple[str, str]],
    part: Sequence[int],
    widths: Sequence[float],
) -> None:
    for place, width in zip(part, widths, strict=True):
        text, look = row[place]
        paper.set_text_color(*(_MUTED if look == "null" else _INK))
        paper.cell(
            width,
            _ROW,
            _fitted(text, width - 2),
            border="B",
            align="R" if table.is_number[place] else "L",
        )
    paper.ln(_ROW)
