"""A database that takes its time, and a small file, in a real browser: followed, stopped by keyboard, nothing typed is lost."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.helpers import sideways, violations
from tests.rogue import mysql_byte_by_byte, rogue


def fill(page: Page, port: int) -> None:
    page.goto("/sources/connect/?engine=mysql")
    page.get_by_label("Name").fill("slow")
    page.get_by_label("Description").fill("takes its time")
    page.get_by_label("Host", exact=True).fill("127.0.0.1")
    page.locator("#id_port").fill(str(port))
    page.get_by_label("Database", exact=True).fill("shop")


def looked_at(page: Page) -> list[str]:
    """Violations of a page, light and dark, wide and narrow."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found += violations(page)
    page.set_viewport_size({"width": 390, "height": 800})
    assert sideways(page) <= 0
    page.set_viewport_size({"width": 1440, "height": 900})
    return found


def test_a_slow_database_is_followed_and_stopped_by_keyboard(page: Page):
    with rogue(mysql_byte_by_byte) as port:
        fill(page, port)
        page.get_by_role("button", name="Test").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#test-result")).to_contain_text("Trying it")
        assert not looked_at(page)
        page.get_by_label("Name").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Connecting slow")).to_be_visible()
        expect(page.get_by_role("status").filter(has_text="Reading the tables.")).to_be_visible()
        assert not looked_at(page)
        page.get_by_role("button", name="Stop").focus()
        page.wait_for_timeout(1_200)
        expect(page.get_by_role("button", name="Stop")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("It was stopped.")
    expect(page.locator("#id_port")).to_have_value(str(port))
    expect(page.get_by_label("Description")).to_have_value("takes its time")
    assert not looked_at(page)


def test_a_small_file_becomes_a_source_by_keyboard_alone(page: Page, tmp_path: Path):
    path = tmp_path / "birds.csv"
    path.write_text("bird,seen\nwren,3\nrobin,5\n")
    page.goto("/sources/upload/")
    page.get_by_label("Files").set_input_files(path)
    page.get_by_role("button", name="Upload").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Make tables of files")).to_be_visible()
    assert not looked_at(page)
    page.get_by_role("button", name="Make the source").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("birds is ready to be asked.")).to_be_visible()


def test_a_file_that_is_no_table_leads_back_with_the_reason(page: Page, tmp_path: Path):
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"\xff\xd8\x00\x01\x02" * 20)
    page.goto("/sources/upload/")
    page.get_by_label("Files").set_input_files(path)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_contain_text("photo.jpg: This is no table")
    expect(page.get_by_label("Files")).to_be_visible()
    assert not looked_at(page)
