"""Every page, light and dark, wide and narrow: axe has nothing to say, and nothing scrolls sideways."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import sideways, violations, write_sql
from tests.browser.running import Mirror

PAGES = (
    "/",
    "/history/",
    "/library/",
    "/reports/",
    "/reports/sending/",
    "/sources/",
    "/sources/1/",
    "/sources/upload/",
    "/sources/1/limits/",
    "/sources/1/may-run/",
    "/sources/1/model/",
    "/sources/1/model/calendar/",
    "/sources/1/model/table/?table=orders",
    "/sources/1/model/column/?table=orders&column=channel",
    "/sources/connect/?engine=sqlite",
    "/sources/connect/?engine=postgres",
    "/sources/connect/?engine=spark",
    "/sources/connect/?engine=sqlalchemy",
    "/people/",
    "/people/new/",
    "/teams/",
    "/teams/new/",
    "/language-models/",
    "/language-models/new/",
    "/language-models/use/",
    "/people/sign-in/",
    "/account/",
    "/account/codes/",
    "/account/passkeys/",
    "/account/tokens/",
    "/sources/1/agents/",
    "/threads/1/",
    "/share/",
    "/share/questions/1/",
    "/share/threads/1/",
    "/history/?by=others",
    "/go/",
    "/nowhere/",
)


@pytest.mark.parametrize("addresses", [PAGES[n::4] for n in range(4)], ids=[PAGES[n] for n in range(4)])
def test_no_page_has_an_accessibility_violation_light_or_dark(
    page: Page, a_run: str, addresses: tuple[str, ...]
):
    found = []
    for address in addresses:
        page.goto(address)
        found += seen_by_axe(page)
    assert not found, "\n".join(found)


def test_no_answer_has_an_accessibility_violation_light_or_dark(page: Page, a_run: str):
    found = []
    for address in (f"{a_run}sent/", a_run):
        page.goto(address)
        found += seen_by_axe(page)
    everything_open(page)
    found += seen_by_axe(page)
    page.get_by_role("button", name="Save", exact=True).click()
    found += seen_by_axe(page)
    assert not found, "\n".join(found)


def test_signed_out_pages_have_no_accessibility_violation(browser: Browser, mirror: Mirror):
    context = browser.new_context(base_url=mirror.url)
    page = context.new_page()
    found = []
    for address in ("/sign-in/", "/sign-in/link/wrong/"):
        page.goto(address)
        found += seen_by_axe(page)
    context.close()
    assert not found, "\n".join(found)


def test_nothing_scrolls_sideways_on_a_telephone(page: Page, a_run: str):
    page.set_viewport_size({"width": 390, "height": 800})
    for address in (*PAGES, f"{a_run}sent/", a_run):
        page.goto(address)
        assert sideways(page) <= 0, address
    everything_open(page)
    write_sql(page, "SELECT " + ", ".join(f"'a long value {n}' AS column_number_{n}" for n in range(30)))
    page.keyboard.press("Control+Enter")
    expect(page.locator("mirror-grid th").first).to_be_visible()
    assert sideways(page) <= 0


def test_tabs_wrap_and_tables_show_that_they_scroll_on_a_telephone(page: Page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/status/")
    tabs = page.get_by_role("navigation", name="People and teams").get_by_role("link").all()
    assert len(tabs) == 8
    for tab in tabs:
        place = tab.bounding_box()
        assert place and place["x"] >= 0 and place["x"] + place["width"] <= 390, tab.inner_text()
    frame = page.get_by_role("region", name="Table of work")
    assert frame.evaluate("(one) => one.scrollWidth > one.clientWidth")
    # The shade lies still at both sides; its covers go with the cells.
    assert (
        frame.evaluate("(one) => getComputedStyle(one).backgroundAttachment")
        == "local, local, scroll, scroll"
    )


def test_a_page_keeps_its_title_when_a_list_of_another_comes_into_it(page: Page):
    page.goto("/sources/")
    page.get_by_role("main").get_by_role("link", name="shop", exact=True).click()
    page.wait_for_url("**/sources/*/")
    with page.expect_response(lambda reply: "/reports/" in reply.url):
        page.goto(f"{page.url}delete/")
    expect(page.get_by_role("link", name="Look which")).to_have_count(0)
    expect(page).to_have_title("Delete shop · Mirror")


def test_the_rail_is_a_menu_on_a_telephone(page: Page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    library = page.get_by_role("link", name="Library")
    expect(library).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(library).to_be_visible()
    page.keyboard.press("Escape")
    expect(library).to_be_hidden()


def test_the_theme_is_chosen_and_remembered(page: Page):
    page.goto("/sources/")
    page.get_by_role("combobox", name="Theme").select_option("dark")
    dark = ground(page)
    page.reload()
    assert ground(page) == dark
    page.get_by_role("combobox", name="Theme").select_option("light")
    assert ground(page) != dark


def test_the_first_tab_leads_past_the_rail(page: Page):
    page.goto("/sources/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("main").locator(":focus")).to_have_count(1)


def seen_by_axe(page: Page) -> list[str]:
    """All of axe's rules in the light; in the dark those that colours can break."""
    page.emulate_media(color_scheme="light")
    found = violations(page)
    page.emulate_media(color_scheme="dark")
    return found + violations(page, "color-contrast", "link-in-text-block")


def everything_open(page: Page) -> None:
    """Open what is folded away on a run page, and the dialog."""
    page.get_by_text("How this was found").click()
    page.get_by_text("Read every attempt").click()
    expect(page.locator("#attempts pre").first).to_be_visible()


def ground(page: Page) -> str:
    """The colour the page stands on."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert re.match(r"\w+\(", colour)
    return str(colour)
