"""Tables and columns withheld from a team: ticked in a tree, found by a search, by keyboard alone."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import fits, violations

TEAM = "Withheld from"


def test_a_table_and_a_column_are_withheld_in_the_tree(page: Page) -> None:
    page.goto("/teams/new/")
    page.fill("[name=name]", TEAM)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=TEAM)).to_be_visible()
    page.goto("/sources/1/share/")
    page.get_by_label(f"{TEAM}: sees it").check()
    page.get_by_label(f"{TEAM}: role").select_option("analyst")
    page.get_by_role("main").get_by_role("button", name=re.compile("Share|Save")).click()

    page.goto("/sources/1/withhold/")
    tree = page.locator(".withhold", has_text=f"Withheld from {TEAM}")
    returns = tree.get_by_role("checkbox", name="returns", exact=True)
    returns.focus()
    page.keyboard.press("Space")
    expect(returns).to_be_checked()
    customers = tree.locator("li", has=page.locator("summary", has_text="of customers"))
    customers.locator("summary").press("Enter")
    city = customers.get_by_role("checkbox", name="city", exact=True)
    city.press("Space")
    assert not violations(page)
    page.get_by_role("main").get_by_role("button", name="Save").press("Enter")
    page.wait_for_url(lambda url: "/withhold/" not in url)

    # They are ticked when the page is seen again, and a search that hides them keeps them.
    page.goto("/sources/1/withhold/")
    expect(returns).to_be_checked()
    expect(city).to_be_checked()
    page.get_by_role("searchbox", name="Search tables and columns").fill("stores")
    page.keyboard.press("Enter")
    expect(tree.get_by_role("checkbox", name="stores", exact=True)).to_be_visible()
    expect(returns).to_have_count(0)
    page.get_by_role("main").get_by_role("button", name="Save").click()
    page.wait_for_url(lambda url: "/withhold/" not in url)
    page.goto("/sources/1/withhold/")
    expect(returns).to_be_checked()
    page.set_viewport_size({"width": 390, "height": 844})
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert fits(page) and not violations(page)
    returns.uncheck()
    if not city.is_visible():
        customers.locator("summary").click()
    city.uncheck()
    page.get_by_role("main").get_by_role("button", name="Save").click()
    page.wait_for_url(lambda url: "/withhold/" not in url)
