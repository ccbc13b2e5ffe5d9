"""The model of a source by keyboard: a correction made, refused, gone by and taken back; how it looks small and dark."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, sideways
from tests.browser.test_pages import seen_by_axe


def looked_at(page: Page) -> list[str]:
    wide = sideways(page)
    return [*seen_by_axe(page), *([f"{page.url} scrolls sideways by {wide} pixels"] if wide > 0 else [])]


def press_until(page: Page, role: str, name: str) -> None:
    """Walk by Tab to something, as somebody without a mouse does."""
    wanted = page.get_by_role(role, name=name, exact=True).first  # type: ignore[arg-type]
    wanted.wait_for()
    for _ in range(120):
        if wanted.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"No way by keyboard to {role} {name}")


def test_a_model_is_corrected_by_keyboard_alone_and_the_next_question_goes_by_it(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    ask(page, "number of patrons by country", "shop")
    answered(page)
    expect(page.locator("#answer")).to_contain_text("patrons")
    page.goto("/sources/1/")
    press_until(page, "link", "Model")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Model of shop")
    found = looked_at(page)
    page.get_by_role("searchbox", name="Search tables, columns and words").fill("customers")
    expect(page.get_by_text("1 of 9 tables")).to_have_count(0)
    press_until(page, "link", "customers")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Customers")
    fold = page.locator("#correct > summary")
    fold.focus()
    page.keyboard.press("Enter")
    press_until(page, "textbox", "Also called")
    page.keyboard.type("x")
    press_until(page, "button", "Save")
    page.keyboard.press("Enter")
    expect(page.locator(".field-error")).to_contain_text("“x” is one letter")
    expect(page.get_by_role("textbox", name="Also called")).to_have_attribute("aria-invalid", "true")
    found += looked_at(page)
    page.get_by_role("textbox", name="Also called").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("patron")
    press_until(page, "button", "Save")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is also called “patron”")).to_be_visible()
    found += looked_at(page)
    ask(page, "number of patrons by country", "shop")
    answered(page)
    expect(page.locator("#answer")).to_contain_text("number of patrons, per country")
    page.goto("/sources/1/model/")
    press_until(page, "button", "Take back: customers is also called “patron”")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The correction is taken back.")).to_be_visible()
    found += looked_at(page)
    assert not found, "\n".join(found)
