"""A mail as it is read on a phone: what is said first, which columns stand there, figures without a picture, values and days."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from mirror.delivery import slack
from mirror.delivery.parcel import Figure, Introduction, Section
from mirror.delivery.parcel_words import SUBJECT_CHARS, data_said, subject
from mirror.delivery.tables import NARROW_COLUMNS, NARROW_ROWS, table
from tests.delivery.parcels import MONTHS, attachment, parcel
from tests.delivery.test_channels_letter import Cells, html_of, read, text_of

READ = datetime(2026, 11, 20, 7, 0, 4, tzinfo=UTC)
TEN = Section(
    "Customers by revenue", "Ann leads.",
    ("id", "customer", "mail", "city", "country", "region", "signed_up", "orders", "units", "revenue"),
    ("integer", "text", "text", "text", "text", "text", "date", "integer", "integer", "number"),
    tuple((n, f"Customer {n}", f"customer{n}@mail.example", "Tromsø", "Norway", "Nordics", date(2021, 8, 25), 42, 224, 25_333.9 + n / 4)
          for n in range(20)),
    30, first=(1, 9, 7, 8, 3, 4, 5, 6, 2, 0),
)  # fmt: skip
NUMBER = Section(
    "Revenue", "The revenue is 720,523, up 3.2 % from 698,423 on 2 November 2026.", ("revenue",), ("number",), ((720_523.17,),), 1,
    figures=(Figure("Revenue", "720,523.17", "up 3.2 % from 698,423 on 2 November 2026"),),
)  # fmt: skip


def test_a_subject_has_values_and_the_day_of_the_data() -> None:
    period = parcel(title="Revenue", values="1 to 31 October 2025", read_at=READ)
    assert subject(period) == "Revenue, 1 to 31 October 2025 (20 November 2026)"
    late = parcel(title="Revenue", read_at=datetime(2026, 11, 20, 23, 30, tzinfo=UTC))
    assert subject(late) == "Revenue (21 November 2026)", "the day of the parcel's zone"
    alert = parcel(title="Revenue", read_at=READ, introduction=Introduction("Alert"))
    assert subject(alert) == "Alert: Revenue (20 November 2026)"


def test_a_long_title_is_cut_before_values_and_day() -> None:
    said = subject(parcel(title="T" * 200, values="v" * 200, read_at=READ))
    assert len(said) <= SUBJECT_CHARS
    assert said.endswith("… (20 November 2026)")
    assert subject(parcel(title="T" * 200, values="May", read_at=READ)).endswith("T…, May (20 November 2026)")


def test_a_mail_says_when_its_data_were_read_and_when_they_were_due() -> None:
    on_time = parcel(read_at=READ)
    assert data_said(on_time) == "Data of Friday 20 November 2026, 08:00 (Europe/Berlin)"
    late = parcel(read_at=READ + timedelta(hours=26))
    assert data_said(late).endswith("; it was due Friday 20 November 2026, 08:00 (Europe/Berlin)")
    assert data_said(parcel(scheduled_for=None)) == ""
    message = read(parcel(scheduled_for=None, read_at=READ, values="1 to 31 October 2025"))
    for body in (text_of(message), html_of(message)):
        assert "1 to 31 October 2025" in body
        assert "Data of Friday 20 November 2026, 08:00 (Europe/Berlin)" in body


def test_the_most_important_columns_come_first_and_the_others_are_in_the_files() -> None:
    shown = table(TEN)
    names = [column.name for column in shown.columns]
    assert names[:4] == ["customer", "revenue", "orders", "units"]
    assert "mail" not in names[:NARROW_COLUMNS]
    assert shown.is_stacked
    assert [column.is_wide for column in shown.columns] == [n >= NARROW_COLUMNS for n in range(len(names))]
    assert [is_wide for is_wide, _ in shown.lines] == [n >= NARROW_ROWS for n in range(20)]
    assert shown.left_out == f"{10 - len(names)} more columns"
    page = html_of(read(parcel(sections=(TEN,), files=(attachment("a.csv", b"x"),))))
    assert f"First 10 of 30 rows, {10 - NARROW_COLUMNS} more columns; all are in the files" in page
    assert f"{shown.left_out} in the files" in page
    assert Cells(page).labels[: len(names) - 1] == names[1:]


def test_a_table_that_fits_on_a_phone_stays_one_in_its_own_order() -> None:
    narrow = Section(
        "x",
        "",
        ("country", "month", "orders"),
        ("text", "text", "integer"),
        (("Norway", "2026-05", 82),),
        1,
        first=(2, 0, 1),
    )
    shown = table(narrow)
    assert [column.name for column in shown.columns] == ["country", "month", "orders"]
    assert not shown.is_stacked
    page = html_of(read(parcel(sections=(narrow,), files=())))
    assert 'class="stack"' not in page
    assert Cells(page).labels == []


def test_a_word_too_wide_for_the_mail_does_not_push_others_out_of_sight() -> None:
    wide = Section(
        "x",
        "",
        ("name", "address", "sum"),
        ("text", "text", "number"),
        (("Ann", "x" * 200, 5.5),),
        1,
        first=(0, 2, 1),
    )
    assert [column.name for column in table(wide).columns] == ["name", "sum"]


def test_times_stand_on_the_clocks_of_the_zone_and_decimals_below_each_other() -> None:
    night = (
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
        datetime(2026, 7, 1, 22, 0, 5, tzinfo=UTC),
    )
    section = Section(
        "x", "", ("at", "sum"), ("datetime", "number"), tuple(zip(night, (1.5, 2, 1_000.25), strict=True)), 3
    )
    cells = [[cell.text for cell in row] for row in table(section, "Europe/Oslo").rows]
    assert cells == [
        ["2026-10-25 02:30 +0200", "1.50"], ["2026-10-25 02:30 +0100", "2.00"], ["2026-07-02 00:00:05", "1,000.25"],
    ]  # fmt: skip


def test_one_number_stands_once_large_without_picture_and_table() -> None:
    message = read(parcel(title="Revenue", sections=(NUMBER,), files=()))
    page = html_of(message)
    assert page.count("720,523") == 2, "the line an inbox shows, and the figure"
    assert "up 3.2 % from 698,423 on 2 November 2026" in page
    assert "<img" not in page
    assert Cells(page).cells == []
    assert "1 row" not in page
    assert text_of(message).count("720,523") == 1
    words = str(slack.content(parcel(title="Revenue", sections=(NUMBER,)))["blocks"])
    assert "```" not in words
    assert "up 3.2 %" in words


def test_figures_beside_a_name_keep_sentence_and_table() -> None:
    section = Section(
        "x",
        "Norway: orders 5.",
        ("country", "orders"),
        ("text", "integer"),
        (("Norway", 5),),
        1,
        figures=(Figure("Orders", "5"),),
    )
    page = html_of(read(parcel(sections=(section,), files=())))
    assert "Norway: orders 5." in page
    assert [text for text, _ in Cells(page).cells] == ["country", "orders", "Norway", "5"]


@pytest.mark.parametrize("values", ["", "1 to 31 October 2025"])
def test_a_section_tells_its_own_values(values) -> None:
    section = Section("x", "", (), (), (), 0, values=values)
    assert ("1 to 31 October 2025" in html_of(read(parcel(sections=(section, MONTHS))))) == bool(values)
    assert ("1 to 31 October 2025" in str(slack.content(parcel(sections=(section,))))) == bool(values)
