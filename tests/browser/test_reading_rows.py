"""Rows read by keyboard alone: a column in a format, a chart's points and their rows, a pivot kept in the address."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, fits, violations


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
    expect(page.locator("#announcer")).not_to_contain_text("2025-01")
    expect(page.locator("mirror-chart[data-walked]")).to_be_attached()
    chart.press("ArrowRight")
    expect(page.locator("#announcer")).to_contain_text("2025-01: €")
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
