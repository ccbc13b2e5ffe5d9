"""Workbooks and PDF files as their readers see them: heads, notes, what did not fit, pages."""

from __future__ import annotations

import os
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from pypdf import PdfReader

from mirror.delivery.parcel import Section
from mirror.delivery.tables import table
from mirror.exports import images, pdf_letters, xlsx_files
from mirror.exports.file_writing import pieces, write
from mirror.exports.values import FORMATS, Cover, ExportError
from mirror.results.cells import shown
from mirror.results.formats import rows_cells
from sqlagent.values import ColumnFormat, Rows
from tests import warm
from tests.exports.keeping import sheet_of_rows

ROOT = Path(__file__).resolve().parents[2]
COUNTS = Rows(("n", "name"), tuple((n, f"name {n}") for n in range(10)))


def book_of(sheets, tmp_path, cover=Cover()):  # noqa: B008 - a value that never changes
    written = write("xlsx", sheets, tmp_path / "out.xlsx", cover)
    return openpyxl.load_workbook(tmp_path / "out.xlsx"), written


def pages_of(sheets, tmp_path, cover=Cover()):  # noqa: B008 - a value that never changes
    written = write("pdf", sheets, tmp_path / "out.pdf", cover)
    return PdfReader(tmp_path / "out.pdf"), written


# ---------------------------------------------------------------- workbooks


def test_a_sheet_has_its_head_in_sight_and_widths_that_fit(tmp_path):
    rows = Rows(("id", "note"), ((1, "a note of some length"), (2, None)))
    page = book_of([sheet_of_rows(rows, "Notes")], tmp_path)[0].worksheets[0]
    assert page.title == "Notes (2)", "the sheet of notes has a name of its own"
    assert page["A1"].font.b
    assert page.freeze_panes == "A2"
    assert page.auto_filter.ref == "A1:B3"
    assert page.column_dimensions["B"].width > 20 > page.column_dimensions["A"].width


def test_cells_have_the_types_that_excel_keeps_exactly(tmp_path):
    cells = [
        (Decimal("5.00"), "n", "#,##0.00"),
        (10**14, "n", "#,##0"),
        (10**15, "s", "General"),
        (Decimal("0.1234567890123456"), "s", "General"),
        (0.1 + 0.2, "n", "General"),
        (True, "b", "General"),
        (date(2024, 2, 29), "d", "yyyy-mm-dd"),
        (date(1900, 2, 28), "s", "General"),
        (datetime(2024, 2, 29, 12, 30), "d", "yyyy-mm-dd hh:mm:ss"),
        (datetime(2024, 2, 29, tzinfo=UTC), "s", "General"),
        (float("nan"), "s", "General"),
    ]
    rows = Rows(("n", "cell"), tuple((n, cell[0]) for n, cell in enumerate(cells)))
    book, written = book_of([sheet_of_rows(rows)], tmp_path)
    found = [book.worksheets[0].cell(n, 2) for n in range(2, len(cells) + 2)]
    assert [(cell.data_type, cell.number_format) for cell in found] == [cell[1:] for cell in cells]
    assert found[4].value == 0.1 + 0.2
    assert written.notes == (
        "2 numbers have more than 15 digits, the most Excel keeps; they are written as text, so that "
        "nothing is rounded.",
    )


def test_floats_are_shown_with_the_decimals_of_pages_and_stay_exact(tmp_path):
    sums, averages, tiny = (
        (376696.520000001, 2442090.11000001, 12.5),
        (383.94097639, 8.0, 0.5),
        (1e-7, 2.5, 3.0),
    )
    rows = Rows(("revenue", "average", "tiny"), tuple(zip(sums, averages, tiny, strict=True)))
    page = book_of([sheet_of_rows(rows, "Rows")], tmp_path)[0].worksheets[0]
    seen = [[page.cell(row, place) for row in (2, 3, 4)] for place in (1, 2, 3)]
    assert [cell.value for cell in seen[0]] == list(sums), "every digit is kept"
    assert [{cell.number_format for cell in cells} for cells in seen] == [
        {"#,##0.00"},
        {"#,##0.000"},
        {"General"},
    ]
    assert page.column_dimensions["A"].width < 14


def test_a_float_with_more_decimals_than_the_first_rows_shows_them(tmp_path):
    rows = Rows(("n",), tuple((n + 0.5,) for n in range(300)) + ((0.0625,), (1500.125,)))
    page = book_of([sheet_of_rows(rows, "Rows")], tmp_path)[0].worksheets[0]
    assert [page.cell(row, 1).number_format for row in (2, 301, 302, 303)] == [
        "#,##0.0",
        "#,##0.0",
        "General",
        "#,##0.00",
    ]


@pytest.mark.parametrize("known", [10, None])
def test_rows_that_do_not_fit_are_said_in_the_file_and_to_whoever_sends_it(tmp_path, monkeypatch, known):
    monkeypatch.setattr(xlsx_files, "XLSX_ROWS", 4)
    book, written = book_of([replace(sheet_of_rows(COUNTS), row_count=known)], tmp_path)
    assert book.worksheets[0].max_row == 5
    assert written.rows == 4
    of = " of 10 rows fit in a sheet" if known else " rows fit in a sheet; there are more"
    assert written.notes == (f"Only the first 4{of}; take the CSV for all.",)
    assert written.notes[0] in [cell.value for cell in book["Notes"]["A"]]
    monkeypatch.setattr(xlsx_files, "XLSX_ROWS", 10)
    assert book_of([replace(sheet_of_rows(COUNTS), row_count=known)], tmp_path)[1].notes == ()


def test_a_text_that_does_not_fit_is_cut_between_characters_and_said(tmp_path):
    rows = Rows(("short", "long"), (("x" * 32_767, "😀" * 20_000),))
    book, written = book_of([sheet_of_rows(rows)], tmp_path)
    short, long = (cell.value for cell in book.worksheets[0][2])
    assert short == "x" * 32_767
    assert long == "😀" * 16_383 + "…"
    assert written.notes[0].startswith("1 texts were longer than 32,767 characters")


def test_several_sheets_have_names_that_excel_takes_and_say_whose_note_it_is(tmp_path):
    titles = ["Sales: 1/2 [draft]", "sales 1 2 draft", "'History'", "x" * 40, "x" * 40, "", "a\x07b"]
    sheets = [sheet_of_rows(Rows(("n",), ((2**60,),)), title) for title in titles]
    book, written = book_of(sheets, tmp_path)
    assert book.sheetnames == [
        *("Sales 1 2 draft", "sales 1 2 draft (2)", "History (2)", "x" * 31, "x" * 27 + " (2)"),
        *("Sheet6", "a b", "Notes"),
    ]
    assert written.notes[0].startswith("Sales 1 2 draft: 1 numbers")


def test_the_sheet_of_notes_says_what_the_cover_says(tmp_path):
    cover = Cover("Weekly\r\nsales", "=1+1\nline two", datetime(2026, 1, 2, 3, 4, tzinfo=UTC), ("from shop",))
    sheet = replace(sheet_of_rows(COUNTS, "Cities", sentence="Oslo leads."), truncated=True)
    notes = book_of([sheet], tmp_path, cover)[0]["Notes"]
    said = [cell.value for cell in notes["A"]]
    assert said[:4] == ["Weekly sales", "=1+1\nline two", "from shop", "Made 2026-01-02 03:04 UTC"]
    assert said[5:] == ["Cities", "Oslo leads.", "The source had more rows than these."]
    assert notes["A2"].data_type == "s"


# ---------------------------------------------------------------- PDF


def test_a_pdf_says_title_note_sentence_and_shows_chart_and_table(tmp_path, settings):
    settings.CHART_IMAGES = "simple"
    rows = Rows(("city", "sales"), (("Oslo", 1234567), ("Łódź", None), ("Αθήνα", 2)))
    image = images.chart_image({"mark": "bar", "x": "city", "y": ["sales"]}, rows)
    sheet = sheet_of_rows(rows, "By city", sentence="Oslo leads.", chart_image=image)
    cover = Cover("Weekly\x07 sales\r\n", "First line\nsecond\x1b line", datetime(2026, 1, 2, tzinfo=UTC))
    reader, written = pages_of([sheet], tmp_path, cover)
    text = reader.pages[0].extract_text()
    for words in ("Weekly sales", "First line", "second line", "By city", "Oslo leads.", "Łódź", "Αθήνα"):
        assert words in text
    assert "1,234,567" in text
    assert "Page 1 of 1" in text
    assert len(reader.pages[0].images) == 1
    assert reader.metadata.title == "Weekly sales"
    assert (written.rows, written.notes) == (3, ())


def test_every_page_of_a_long_table_has_its_head_and_its_number(tmp_path):
    rows = Rows(("order_id", "customer"), tuple((n, f"customer {n}") for n in range(1_200)))
    reader, written = pages_of([sheet_of_rows(rows, "Orders")], tmp_path)
    texts = [page.extract_text() for page in reader.pages]
    assert all("order_id" in text for text in texts)
    assert f"Page {len(texts)} of {len(texts)}" in texts[-1]
    assert "customer 999" in texts[-1]
    assert "customer 1000" not in "".join(texts)
    assert written.rows == 1_000
    assert written.notes == (
        "The first 1,000 of 1,200 rows are shown here; a file of another format has all.",
    )


def test_a_wide_table_lies_across_and_comes_in_parts_that_begin_alike(tmp_path):
    wide = Rows(tuple(f"column_{n}" for n in range(60)), (tuple(range(1_000, 1_060)),))
    reader, written = pages_of([sheet_of_rows(COUNTS, "Few"), sheet_of_rows(wide, "Many")], tmp_path)
    first, *others = reader.pages
    assert first.mediabox.width < first.mediabox.height
    assert all(page.mediabox.width > page.mediabox.height for page in others)
    text = "".join(page.extract_text() for page in others)
    assert text.count("column_0") == text.count("Columns ") > 1
    assert "column_39" in text
    assert "column_40" not in text
    assert written.notes == ("Many: The first 40 of 60 columns are shown here.",)


@pytest.mark.parametrize("rows", [Rows((), ()), Rows(("a",), ()), Rows((), ((), ()))])
def test_nothing_is_written_as_nothing_in_every_format(rows, tmp_path):
    for format in ("csv", "jsonl", "parquet", "xlsx", "pdf"):
        assert write(format, [sheet_of_rows(rows, "Nothing")], tmp_path / "out").rows == len(rows.rows)


# ---------------------------------------------------------------- what cannot be written


def test_what_makes_no_sense_is_said_and_leaves_no_file(tmp_path):
    sheet = sheet_of_rows(COUNTS)
    for call, said in (
        (("exe", [sheet], tmp_path / "out"), "There is no format “exe”"),
        (("csv", [sheet, sheet], tmp_path / "out"), "A CSV file holds the rows of one SQL"),
        (("csv", [], tmp_path / "out"), "There is nothing to write"),
        (("csv", [sheet], tmp_path / "gone/out"), "No such file or directory"),
    ):
        with pytest.raises(ExportError, match=said):
            write(*call)
    with pytest.raises(ExportError, match="cannot be read before it is whole"):
        list(pieces("xlsx", sheet))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet", "xlsx", "pdf"])
def test_a_source_that_fails_halfway_leaves_the_earlier_file_and_nothing_else(format, tmp_path):
    def batches():
        yield COUNTS.rows
        raise ConnectionResetError(104, "Connection reset by peer")

    out = tmp_path / "out"
    out.write_text("earlier")
    with pytest.raises(ExportError, match="Connection reset by peer"):
        write(format, [replace(sheet_of_rows(COUNTS), batches=batches)], out)
    assert out.read_text() == "earlier"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_disk_that_is_full_is_told_in_every_format_and_leaves_no_file(tmp_path):
    code = """
import resource, sys
from pathlib import Path
import django
django.setup()
from tests.exports.keeping import sheet_of_rows
from mirror.exports.values import FORMATS, ExportError
from mirror.exports.file_writing import write
from sqlagent.values import Rows
rows = Rows(("n", "text"), tuple((n, "%x" % hash(n * 7.1)) for n in range(900)))
for format in FORMATS:
    write(format, [sheet_of_rows(rows)], Path(sys.argv[1]) / "warm").size
(Path(sys.argv[1]) / "warm").unlink()
resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))
for format in FORMATS:
    try:
        write(format, [sheet_of_rows(rows)], Path(sys.argv[1]) / "out")
    except ExportError as error:
        print(format, error)
"""
    done = warm.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"{format} The file could not be written: File too large." for format in FORMATS
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["csv", "jsonl", "xlsx"])
def test_progress_is_told_while_rows_are_written(format, tmp_path):
    told: list[int] = []
    sheet = replace(sheet_of_rows(COUNTS), batches=lambda: iter([COUNTS.rows[:4], COUNTS.rows[4:]]))
    write(format, [sheet], tmp_path / "out", progress=told.append)
    assert told == [4, 10]


# ---------------------------------------------------------------- letters that DejaVu lacks

ABROAD = Rows(("名前", "n"), (("東京 名 \ufe0f😀", 1), ("Ærø é", 2)))


@pytest.fixture
def fonts(monkeypatch):
    """The fonts of the system, as a list to put paths into."""
    found: list[str] = []
    monkeypatch.setattr(pdf_letters, "findSystemFonts", lambda: found)
    pdf_letters.further_font.cache_clear()
    yield found
    pdf_letters.further_font.cache_clear()


def a_font(path: Path, letters: str) -> str:
    """A font whose every letter is a square."""
    names = [".notdef", *(f"u{ord(letter):04X}" for letter in letters)]
    pen = TTGlyphPen(None)
    for point, draw in zip(
        [(100, 0), (100, 800), (900, 800), (900, 0)], [pen.moveTo, *[pen.lineTo] * 3], strict=True
    ):
        draw(point)
    pen.closePath()
    font = FontBuilder(1000)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(letter): name for letter, name in zip(letters, names[1:], strict=True)})
    font.setupGlyf(dict.fromkeys(names, pen.glyph()))
    font.setupHorizontalMetrics(dict.fromkeys(names, (1000, 100)))
    font.setupHorizontalHeader(ascent=900, descent=-100)
    font.setupNameTable({"familyName": "Further", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(path)
    return str(path)


def test_letters_that_no_font_has_are_told_rather_than_drawn_as_boxes(tmp_path, fonts):
    found, written = pages_of([sheet_of_rows(ABROAD, "東")], tmp_path)
    text = found.pages[0].extract_text()
    (note,) = written.notes
    assert "4 different letters are shown as �" in note
    assert "U+540D, U+524D" in note or "U+524D, U+540D" in note
    assert "�� �" in text
    assert "Ærø é" in text
    assert "no font here has them" in text


def test_one_letter_that_no_font_has_is_told_as_one(tmp_path, fonts):
    _, written = pages_of([sheet_of_rows(Rows(("city",), (("東",),)), "Cities")], tmp_path)
    (note,) = written.notes
    assert note.startswith("1 letter is shown as �, because no font here has it (U+6771);")
    assert note.endswith("files of other formats have it.")


def test_letters_of_east_asia_are_drawn_by_a_font_of_the_system(tmp_path, fonts):
    fonts += ["/nowhere/Arial.ttf", a_font(tmp_path / "NotoSansCJK-Regular.ttf", "東京名前")]
    found, written = pages_of([sheet_of_rows(ABROAD, "東")], tmp_path)
    text = found.pages[0].extract_text()
    assert "東京 名 " in text
    assert "😀 1" in text
    assert written.notes == ()


def test_a_font_that_is_broken_is_done_without(tmp_path, fonts):
    (tmp_path / "wqy-zenhei.ttc").write_bytes(b"no font")
    fonts.append(str(tmp_path / "wqy-zenhei.ttc"))
    assert "because no font here has them" in pages_of([sheet_of_rows(ABROAD, "東")], tmp_path)[1].notes[0]


def test_numbers_have_thousands_apart_where_pages_have_them_and_names_of_things_never(tmp_path):
    names = ("year", "customer_id", "zip_code", "month", "yearmonth", "orders", "revenue", "sales_last_year")
    row = (2025, 10248, 12345, 11, 202511, 1234567, Decimal("1234.50"), 4321)
    page = book_of([sheet_of_rows(Rows(names, (row,)), "Rows")], tmp_path)[0].worksheets[0]
    looks = [page.cell(2, place).number_format for place in range(1, len(names) + 1)]
    assert looks == ["0", "0", "0", "0", "0", "#,##0", "#,##0.00", "#,##0"]
    assert [page.cell(2, place).value for place in range(1, len(names) + 1)] == [*row[:6], 1234.5, 4321]
    assert [shown(value, name).text for value, name in zip(row, names, strict=True)] == [
        "2025", "10248", "12345", "11", "202511", "1,234,567", "1,234.50", "4,321",
    ]  # fmt: skip


def test_formats_of_columns_are_those_of_the_workbook_too(tmp_path):
    rows = Rows(
        ("share_pct", "paid", "rate", "day", "month", "quarter"),
        ((12.3456, 1234567.5, 0.125, date(2025, 11, 3), "2025-11", "2025-Q3"),),
    )
    formats = (
        ColumnFormat("share_pct", "told_points"),
        ColumnFormat("paid", "currency", 0, unit="€"),
        ColumnFormat("rate", "percent"),
        ColumnFormat("day", "dots"),
    )
    sheet = replace(sheet_of_rows(rows, "Rows"), formats=formats)
    page = book_of([sheet], tmp_path)[0].worksheets[0]
    assert [page.cell(2, place).number_format for place in range(1, 7)] == [
        '#,##0.00" %"', '"€"#,##0', "#,##0.0%", "dd.mm.yyyy", "mmm yyyy", "General",
    ]  # fmt: skip
    assert [page.cell(2, place).value for place in (1, 2, 5, 6)] == [
        12.3456, 1234567.5, datetime(2025, 11, 1), "Q3 2025",
    ]  # fmt: skip


def test_a_row_wider_than_a_sheet_is_cut_and_told(tmp_path):
    wide = 16_386
    rows = Rows(tuple(f"c{n}" for n in range(wide)), (tuple(range(wide)),))
    written = write("xlsx", [sheet_of_rows(rows, "Rows")], tmp_path / "out.xlsx", Cover())
    assert written.notes == ("Only the first 16,384 of 16,386 columns fit in a sheet.",)
    with zipfile.ZipFile(tmp_path / "out.xlsx") as book:
        cells = book.read("xl/worksheets/sheet1.xml").decode()
    assert '<c r="XFD2"' in cells
    assert "<v>16384</v>" not in cells


def test_a_currency_with_a_control_character_breaks_no_workbook(tmp_path):
    sheet = replace(
        sheet_of_rows(Rows(("paid",), ((5,),)), "Rows"),
        formats=(ColumnFormat("paid", "currency", 0, unit="N\x01K\x02"),),
    )
    assert book_of([sheet], tmp_path)[0].worksheets[0]["A2"].number_format == '#,##0" N K"'


NAMED = (
    "orderid", "YEAR(order_date)", "MAX(year)", "birthyear", "barcode", "customerid", "CUSTNO", "ean13", "account", "kundennummer",
    "yyyymmdd", "yearweek", "mobile", "isin", "EXTRACT(YEAR FROM d)", "CAST(o.year AS INTEGER)",
)  # fmt: skip
COUNTED = (
    "paid", "amount_paid", "unpaid", "COUNT(orderid)", "COUNT(DISTINCT customer_id)", "SUM(year)", "orders_per_account",
    "revenuelastyear", "visits_mobile", "casino", "maxbid", "YEAR_total", "revenue_account",
)  # fmt: skip


def looks_of(names, rows, tmp_path):
    page = book_of([sheet_of_rows(Rows(names, rows), "Rows")], tmp_path)[0].worksheets[0]
    return [page.cell(2, place).number_format for place in range(1, len(names) + 1)]


def test_names_in_calls_and_run_together_have_no_thousands_apart(tmp_path):
    looks = looks_of(NAMED + COUNTED, ((202_412,) * len(NAMED + COUNTED),), tmp_path)
    assert {name for name, look in zip(NAMED + COUNTED, looks, strict=True) if look == "0"} == set(NAMED)
    assert {shown(202_412, name).text for name in NAMED} == {"202412"}


def test_whole_numbers_that_look_like_years_or_keys_have_no_thousands_apart(tmp_path):
    names = ("founded", "badge", "mixed", "short", "orders", "same", "rated", "tags")
    rows = (
        (1987, 40_012_345, 1987, 4_001_234, 1987, 2_024, 1987.5, [1]),
        (2011, 40_012_399, 20_110, 4_001_239, 2011, 2_024, 2011.5, [2]),
        (None,) * 8,
    )
    looks = looks_of(names, rows, tmp_path)
    assert looks[:7] == ["0", "0", "#,##0", "#,##0", "#,##0", "#,##0", "#,##0.0"]
    told = [cell.text for cell in rows_cells(names, rows)[0]]
    assert told[:6] == ["1987", "40012345", "1,987", "4,001,234", "1,987", "2,024"]


def test_a_column_holds_months_or_none(tmp_path):
    names = (
        "billing_period_end",
        "fiscal_period",
        "month",
        "starts_in_month",
        "quarter",
        "period",
        "period_no",
    )
    rows = (
        ("2025-01-01", "2025-01", "2025-01-01", date(2025, 1, 1), "2025-Q1", "2025-01", "2025-01"),
        ("2025-01-15", "2025-02", "2025-02-01", date(2025, 1, 15), "2025-Q2", "2025-Q1", "2025-02"),
    )
    sheet = sheet_of_rows(Rows(names, rows), "Rows")
    found = [cell.value for cell in book_of([sheet], tmp_path)[0].worksheets[0][2]]
    assert found == [
        "2025-01-01", "2025-01", datetime(2025, 1, 1), datetime(2025, 1, 1), "Q1 2025", "2025-01", "2025-01",
    ]  # fmt: skip
    looks = looks_of(names, rows, tmp_path)
    assert [looks[2], looks[3]] == ["mmm yyyy", "yyyy-mm-dd"]
    told = [cell.text for cell in rows_cells(names, rows)[0]]
    assert told == ["2025-01-01", "2025-01", "Jan 2025", "2025-01-01", "Q1 2025", "2025-01", "2025-01"]
    section = Section("Rows", "", names, ("text",) * 7, rows, 2)
    assert [cell.text for _, cell in table(section).lines[0][1]][:3] == told[:3]
    words = pages_of([sheet], tmp_path)[0].pages[0].extract_text()
    assert words.count("Jan 2025") == 1


def test_texts_of_columns_without_periods_are_not_looked_at_for_them(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(xlsx_files, "part_of", lambda value, column: seen.append(column))
    rows = Rows(("name", "month"), tuple((f"2025-{n:02}", f"2025-{n:02}") for n in range(1, 13)))
    book_of([sheet_of_rows(rows, "Rows")], tmp_path)
    assert seen == ["month"] * 12
