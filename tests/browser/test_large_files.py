"""A large file in a real browser: read and loaded by the worker while the page says how far it is."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, show_table, violations

LARGE = 5_000_000


def test_a_large_file_is_followed_to_its_source_without_a_click(page: Page, tmp_path: Path):
    path = tmp_path / "visits.csv"
    line = "2026-01-01,somebody of no importance,12.50\n"
    path.write_text("day,who,spent\n" + line * (LARGE // len(line) + 1_000))
    page.goto("/sources/upload/")
    page.get_by_label("Files").set_input_files(path)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="Reading the files")).to_be_visible()
    assert not violations(page)
    expect(page.get_by_role("heading", name="Make tables of files")).to_be_visible(timeout=60_000)
    page.get_by_label("Name", exact=True).fill("visits")
    page.get_by_role("button", name="Make the source").click()
    expect(page.get_by_text("visits is ready to be asked.")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("heading", name="visits", exact=True)).to_be_visible()


def test_the_columns_of_an_answer_are_counted_as_they_come_into_view(page: Page):
    ask(page, "How many orders were placed each month in 2025?")
    answered(page)
    show_table(page)
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("link", name="Statistics of all columns").click()
    expect(page.get_by_role("heading", name="Columns")).to_be_visible()
    expect(page.get_by_text("Counting")).to_have_count(0)
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    assert not violations(page)
