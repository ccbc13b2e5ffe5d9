"""Rows read by keyboard alone: a column in a format, a chart's points and their rows, a pivot kept in the address."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, fits, violations, write_sql


def test_a_format_a_point_and_a_pivot_by_keyboard_alone(page: Page) -> None:
    ask(page, "Revenue by month in 2025")
    answered(page)
    page.get_by_role("tab", name="Table").press("Enter")
    more = page.locator('th[data-column="1"] .grid-more')
    more.press("Enter")
    page.get_by_role("button", name="Format and bars").press("Enter")
    page.get_by_label("Shown as").select_option("currency")
    page.get_by_label("Currency").fill("€")
    page.get_by_label("A bar for each value").press("Space")
    page.get_by_role("button", name="Show it so").press("Enter")
    expect(page.locator("td.has-bar").first).to_contain_text("€")
    expect(more).to_be_focused()

    page.get_by_role("tab", name="Chart").press("Enter")
    chart = page.locator("mirror-chart[data-drawn] .chart-place")
    expect(chart).to_contain_text("€")
    chart.focus()
    expect(page.locator("#announcer")).not_to_contain_text("Jan 2025")
    expect(page.locator("mirror-chart[data-walked]")).to_be_attached()
    chart.press("ArrowRight")
    expect(page.locator("#announcer")).to_contain_text("Jan 2025: €")
    chart.press("Enter")
    expect(page.locator("mirror-grid tbody tr")).to_have_count(1)
    assert not violations(page)
    back = page.get_by_role("button", name="Back to the chart")
    expect(back).to_be_focused()
    back.press("Enter")
    expect(chart).to_be_focused()
    expect(page.locator("mirror-grid tbody tr")).to_have_count(12)

    page.get_by_role("tab", name="Pivot").press("Enter")
    page.locator("select[name=pc]").select_option("0")
    page.wait_for_url("**/*pc=0*")
    page.reload()
    expect(page.locator("select[name=pc]")).to_have_value("0")
    page.set_viewport_size({"width": 390, "height": 844})
    assert fits(page) and not violations(page)


def test_a_pivot_outlives_saving_and_is_not_carried_to_other_rows(page: Page) -> None:
    ask(page, "Revenue by channel per year")
    answered(page)
    page.get_by_role("tab", name="Pivot").press("Enter")
    # The address says the pivot while it is looked at, the one it began with too.
    page.wait_for_url("**/*pr=*")
    page.get_by_role("tab", name="Chart").press("Enter")
    expect(page).not_to_have_url(re.compile("pr="))
    page.get_by_role("tab", name="Pivot").press("Enter")
    expect(page).to_have_url(re.compile("pr="))
    page.locator("select[name=pc]").select_option("")
    page.wait_for_url(lambda url: "pr=" in url and "pc=" not in url)
    page.locator("select[name=pc]").select_option("1")
    page.wait_for_url("**/*pc=1*")
    page.locator("[data-opens=save-dialog]").press("Enter")
    page.keyboard.type("Pivoted")
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text("Saved as")
    expect(page.locator("select[name=pc]")).to_have_value("1")
    expect(page).to_have_url(re.compile("pc=1"))
    # Another result begins with its chart, and the address says no pivot of the one before.
    write_sql(page, "SELECT channel, COUNT(*) AS n FROM orders GROUP BY channel")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#verdict")).to_contain_text("Edited")
    expect(page.get_by_role("tab", name="Chart")).to_have_attribute("aria-selected", "true")
    page.wait_for_url(lambda url: "pr=" not in url)
    write_sql(page, "SELECT COUNT(*) AS n FROM orders")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("1 row ")
    expect(page.get_by_role("tab", name="Pivot")).to_have_count(0)
