"""Mails as a client shows them: light and dark, wide and narrow, axe has nothing to say and nothing scrolls sideways."""

from __future__ import annotations

import base64

import pytest
from playwright.sync_api import Browser

from mirror.delivery.parcel import Introduction, Section, Tone
from tests.browser.helpers import sideways, violations
from tests.delivery.parcels import MONTHS, attachment, parcel
from tests.delivery.test_channels_letter import html_of, read
from tests.delivery.test_channels_phone import NUMBER, TEN

WIDE = Section(
    "Customers " * 9,
    "x" * 300,
    tuple(f"a_column_with_a_long_name_{i}" for i in range(12)),
    ("text",) * 12,
    (("a text that is broken into lines where it has to be, and " + "y" * 60,) * 12, (None,) * 12),
    2,
)
MAILS = {
    "report": parcel(
        sections=(MONTHS, WIDE),
        files=(attachment("n" * 150, b"x"), attachment("l.csv", b"x" * 30_000_000, url="https://m/f")),
    ),
    "alert": parcel(
        introduction=Introduction("Alert", "Alert", Tone.WARN, why="Sent to you as a recipient. " * 4),
        message="4 is below 10. " + "z" * 200,
    ),
    "ten columns": parcel(sections=(TEN,)),
    "one number": parcel(sections=(NUMBER,)),
}


@pytest.mark.parametrize("name", MAILS)
def test_a_mail_can_be_read_on_any_screen(browser: Browser, name):
    message = read(MAILS[name])
    html = html_of(message)
    for part in message.walk():
        if part["Content-ID"]:
            image = base64.b64encode(part.get_content()).decode()
            html = html.replace(f"cid:{part['Content-ID'].strip('<>')}", f"data:image/png;base64,{image}")
    assert "cid:" not in html
    page = browser.new_page()
    try:
        page.set_content(html)
        for scheme, width in (("light", 600), ("dark", 390), ("dark", 1440), ("light", 320)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert sideways(page) == 0
            assert violations(page) == []
    finally:
        page.close()


def test_on_a_phone_rows_are_labels_and_values_and_the_measure_is_in_sight(browser: Browser):
    page = browser.new_page()
    try:
        page.set_content(html_of(read(MAILS["ten columns"])))
        page.set_viewport_size({"width": 1440, "height": 800})
        measure = page.get_by_role("cell", name="25,333.90").first
        label = page.locator("span.label", has_text="revenue").first
        assert measure.is_visible()
        assert not label.is_visible()
        assert page.get_by_role("columnheader", name="revenue").is_visible()
        assert page.locator("tbody tr:visible").count() > 10
        page.set_viewport_size({"width": 390, "height": 800})
        place = measure.bounding_box()
        assert place and place["x"] >= 0 and place["x"] + place["width"] <= 390
        assert label.is_visible()
        assert not page.get_by_role("columnheader", name="revenue").is_visible()
        assert page.locator("table.stack tbody tr:visible").count() == 10
        assert page.locator("table.stack tbody tr").first.locator("td:visible").count() == 5
    finally:
        page.close()
