"""Workbooks and PDF files that read well: averages are numbers, times are dates of a zone, charts of the cells, one number large."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from decimal import Decimal

import openpyxl
import pytest
from django.utils.translation import override
from pypdf import PdfReader

from mirror.exports.file_writing import write
from mirror.exports.values import Cover
from mirror.results.figure_words import figure_worded, figure_written
from sqlagent.telling import charting
from sqlagent.values import Rows
from tests.exports.keeping import sheet_of_rows

NOWHERE = Cover()
OSLO = Cover("Readings", data="Data of 2 November 2026, 08:00 (Europe/Oslo)", zone="Europe/Oslo")


def book_of(rows, tmp_path, cover=NOWHERE, **more):
    written = write("xlsx", [replace(sheet_of_rows(rows, "Rows"), **more)], tmp_path / "out.xlsx", cover)
    return openpyxl.load_workbook(tmp_path / "out.xlsx"), written


def words_of(rows, tmp_path, cover=NOWHERE, **more):
    write("pdf", [replace(sheet_of_rows(rows, "Rows"), **more)], tmp_path / "out.pdf", cover)
    return " ".join(page.extract_text() for page in PdfReader(tmp_path / "out.pdf").pages)


@pytest.mark.parametrize(
    ("number", "cell", "look"),
    [
        ("770.0110000000000000", 770.011, "#,##0.000"),
        ("770.0000000000000000", 770, "#,##0"),
        ("0E-20", 0, "#,##0"),
        ("-0.5000000000000000", -0.5, "#,##0.0"),
        ("710.010", 710.01, "#,##0.000"),
        ("33.3333333333333333", "33.3333333333333333", "General"),
        ("123456789012.1234567890000", "123456789012.1234567890000", "General"),
        ("1234567890123456", "1234567890123456", "General"),
    ],
)
def test_zeros_at_the_end_are_no_digits_and_longer_numbers_stay_texts(tmp_path, number, cell, look):
    book, written = book_of(Rows(("average",), ((Decimal(number),),)), tmp_path)
    found = book.worksheets[0]["A2"]
    assert (found.value, found.number_format) == (cell, look)
    assert bool(written.notes) == isinstance(cell, str)


def test_times_with_a_zone_are_dates_on_the_clocks_of_the_covers_zone(tmp_path):
    rows = Rows(
        ("at",),
        ((datetime(2026, 7, 1, 22, 30, tzinfo=UTC),), (datetime(1815, 6, 18, 11, tzinfo=UTC),), (None,)),
    )
    book, written = book_of(rows, tmp_path, OSLO)
    cell = book.worksheets[0]["A2"]
    assert (cell.value, cell.is_date, cell.number_format) == (
        datetime(2026, 7, 2, 0, 30),
        True,
        "yyyy-mm-dd hh:mm:ss",
    )
    assert book.worksheets[0]["A3"].value.startswith("1815-06-18 11:43"), "Excel has no such day"
    notes = [row[0] for row in book["Notes"].values]
    assert notes[:3] == [
        "Readings",
        "Times are those of Europe/Oslo.",
        "Data of 2 November 2026, 08:00 (Europe/Oslo)",
    ]
    assert written.notes == ()
    assert book_of(rows, tmp_path)[0].worksheets[0]["A2"].value == "2026-07-01 22:30:00+00:00", (
        "without a zone nothing is moved"
    )


def test_an_hour_that_clocks_show_twice_is_told(tmp_path):
    night = tuple((datetime(2026, 10, 25, hour, 30, tzinfo=UTC),) for hour in (0, 1, 2))
    book, written = book_of(Rows(("at",), night), tmp_path, OSLO)
    assert [row[0].hour for row in book.worksheets[0].iter_rows(min_row=2, values_only=True)] == [2, 2, 3]
    assert written.notes[0].startswith("2 times are in an hour that clocks there show twice")
    words = words_of(Rows(("at",), night), tmp_path, OSLO)
    assert "2026-10-25 02:30 +0200" in words
    assert "2026-10-25 02:30 +0100" in words
    assert "Times are those of Europe/Oslo." in words


SALES = Rows(("month", "orders", "revenue"), tuple((f"2026-{n:02}", n, n * 10.5) for n in range(1, 13)))
LINE = {"mark": "line", "x": "month", "y": ["revenue"], "series": "", "aggregate": "none", "title": "Revenue"}


def test_excel_draws_a_chart_of_the_cells_itself(tmp_path):
    page = book_of(SALES, tmp_path, chart=LINE)[0].worksheets[0]
    (chart,) = page._charts
    (series,) = chart.series
    assert series.val.numRef.f == "Rows!$C$2:$C$13"
    assert (
        series.cat.strRef.f == "Rows!$A$2:$A$13"
        if series.cat.strRef
        else series.cat.numRef.f == "Rows!$A$2:$A$13"
    )
    assert chart.anchor._from.col > 2


@pytest.mark.parametrize(
    "change",
    [
        {"mark": "heatmap"}, {"mark": "none"}, {"series": "orders"}, {"aggregate": "sum"}, {"x": "gone"}, {"y": ["gone"]}, {"y": []},
    ],
)  # fmt: skip
def test_what_excel_cannot_draw_as_it_is_gets_no_chart(tmp_path, change):
    assert book_of(SALES, tmp_path, chart=LINE | change)[0].worksheets[0]._charts == []
    assert book_of(SALES, tmp_path)[0].worksheets[0]._charts == []


def test_many_bars_lie_down_and_too_many_are_not_drawn(tmp_path):
    bar = LINE | {"mark": "bar"}
    many = Rows(("month", "orders", "revenue"), tuple((f"Customer {n}", n, n) for n in range(30)))
    (chart,) = book_of(many, tmp_path, chart=bar)[0].worksheets[0]._charts
    assert chart.barDir == "bar"
    too_many = Rows(many.columns, many.rows * 2)
    assert book_of(too_many, tmp_path, chart=bar)[0].worksheets[0]._charts == []


def test_a_pdf_has_one_number_large_with_its_change_and_no_table(tmp_path):
    rows = Rows(("revenue",), ((720_523.17,),))
    figures = (("Revenue", "720,523.17", "up 3.2 % from 698,423 on 2 November 2026"),)
    words = words_of(rows, tmp_path, OSLO, sentence="The revenue is 720,523, up.", figures=figures)
    assert words.count("720,523") == 1
    assert "up 3.2 % from 698,423" in words
    assert "Data of 2 November 2026, 08:00 (Europe/Oslo)" in words
    assert "Made" not in words
    beside = words_of(
        Rows(("country", "revenue"), (("Norway", 7),)),
        tmp_path,
        sentence="Norway: 7.",
        figures=(("Revenue", "7", ""),),
    )
    assert "Norway: 7." in beside
    assert beside.count("Norway") == 2


def test_decimals_of_a_pdf_stand_below_each_other(tmp_path):
    assert "58,678.30" in words_of(Rows(("revenue",), ((58_678.3,), (41_090.86,))), tmp_path)


def test_notes_of_a_workbook_are_in_the_language_of_its_reader(tmp_path):
    night = tuple((datetime(2026, 10, 25, hour, 30, tzinfo=UTC),) for hour in (0, 1, 2))
    with override("de"):
        book, written = book_of(Rows(("at",), night), tmp_path, OSLO)
    assert written.notes[0].startswith("2 Uhrzeiten liegen in der Stunde")
    assert "Uhrzeiten gelten für Europe/Oslo." in [row[0] for row in book["Hinweise"].values]


SALES_OF_WEEKS = Rows(("month", "week"), tuple((f"2026-{n:02}-01", n * 1000.5) for n in range(1, 4)))


def test_a_picture_says_its_own_words_and_numbers_as_the_language_does():
    chart = charting.suggest(SALES_OF_WEEKS)
    with override("de"):
        figure = figure_written(
            figure_worded(charting.figure(chart, SALES_OF_WEEKS), asdict(chart)), chart.note
        )
    assert figure["layout"]["title"]["text"] == "Woche nach Monat"
    assert figure["layout"]["xaxis"]["title"]["text"] == "Monat"
    assert figure["layout"]["separators"] == ",."


def test_a_column_of_shares_is_no_button_in_german():
    """Its axis said "Freigeben", the word of the button."""
    chart = charting.suggest(Rows(("channel", "share"), (("web", 60.0), ("phone", 40.0))))
    rows = Rows(("channel", "share"), (("web", 60.0), ("phone", 40.0)))
    with override("de"):
        layout = figure_worded(charting.figure(chart, rows), asdict(chart))["layout"]
    assert layout["yaxis"]["title"]["text"] == "Anteil"
    assert layout["title"]["text"] == "Anteil nach Channel"


def test_a_number_alone_has_no_page_of_its_own(tmp_path):
    one = sheet_of_rows(Rows(("revenue",), ((5,),)), "Revenue")
    number = replace(one, figures=(("Revenue", "5", ""),))
    write("pdf", [number, sheet_of_rows(SALES, "Months")], tmp_path / "out.pdf", Cover("Sales"))
    (page,) = PdfReader(tmp_path / "out.pdf").pages
    assert page.extract_text().count("Revenue") == 1, "the title of the chapter names the number"
