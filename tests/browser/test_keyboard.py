"""The main job without a mouse: ask, read otherwise, edit, run, change the chart, walk the rows, save, follow up."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered

TOP = "sales by category"


def test_the_whole_job_by_keyboard_alone(page: Page):
    page.goto("/")
    page.keyboard.type(TOP)
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*/")
    answered(page)

    tab_to(page, "summary:has(.reading-look)")
    page.keyboard.press("Enter")
    expect(page.locator(".reading-more").first).to_be_visible()
    tab_to(page, "[id^=use-]")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_contain_text("Another reading")
    expect(page.locator("#result .panel-foot")).to_contain_text("row")

    tab_to(page, "#result [role=tab][aria-selected=true]")
    other = "ArrowRight" if page.locator(":focus").text_content() == "Chart" else "ArrowLeft"
    page.keyboard.press(other)
    expect(page.get_by_role("tab", name="Table")).to_be_focused()
    tab_to(page, "#result .table-frame")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("td[data-here]")).to_have_count(1)
    expect(page.locator("#announcer")).not_to_be_empty()

    tab_to(page, ".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("SELECT reason, COUNT(*) AS many FROM returns GROUP BY reason")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#verdict")).to_contain_text("Edited")
    expect(page.locator("#result .panel-foot")).to_contain_text("row")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.locator(".cm-content")).not_to_be_focused()

    tab_to(page, "#result [role=tab][aria-selected=true]", backwards=True)
    page.keyboard.press("ArrowLeft")
    tab_to(page, "#chart-mark")
    page.keyboard.type("Pie")
    expect(page.locator("mirror-chart .pielayer .slice").first).to_be_visible()
    expect(page.locator("#chart-mark")).to_be_focused()

    tab_to(page, "[data-opens=save-dialog]", backwards=True)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_label("Name")).to_be_focused()
    page.keyboard.type("Returns, saved by keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("Saved as"))).to_be_visible()

    tab_to(page, "#follow-up")
    first = page.url
    page.keyboard.type("only 2024")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/runs/" in url and url.split("#")[0] != first)
    answered(page)


def test_the_palette_goes_anywhere_and_gives_the_focus_back(page: Page):
    page.goto("/history/")
    link = page.locator("#rail a[href='/library/']")
    link.focus()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
    expect(page.get_by_role("option", name="History")).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("g, then n")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
    page.keyboard.type("shop")
    expect(page.get_by_role("option", name="Ask “shop”")).to_be_visible()
    expect(page.locator("#palette [aria-selected=true]")).to_contain_text("source")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#palette [aria-selected=true]")).not_to_contain_text("source")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sources/1/")
    page.evaluate("document.activeElement.blur()")
    for key, place in (("l", "library"), ("h", "history"), ("r", "reports"), ("o", "sources")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(f"**/{place}/")


def tab_to(page: Page, selector: str, backwards: bool = False) -> None:
    """Press Tab until the element has the focus, as a person would; Escape leaves the editor first."""
    passed: list[str] = []
    for _ in range(70):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        if page.evaluate("document.activeElement.matches('.cm-content')"):
            page.keyboard.press("Escape")
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
        passed.append(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
    raise AssertionError(f"Tab does not reach {selector}; it passed\n" + "\n".join(passed))
