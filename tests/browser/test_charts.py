"""Charts of many parts: small charts chosen, walked and read on a phone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, fits, violations

PHONE = {"width": 390, "height": 844}

# The left edges of small charts, and how far titles of one lie over those of another, in pixels.
COLUMNS = """() => {
  const titles = [...document.querySelectorAll("mirror-chart .annotation-text")].map((text) => text.getBoundingClientRect());
  const over = titles.filter((one, n) => titles.some((other, m) => m > n && one.right > other.left + 1 && other.right > one.left + 1
    && one.bottom > other.top + 1 && other.bottom > one.top + 1)).length;
  return [new Set(titles.map(({ left }) => Math.round(left))).size, over];
}"""


def test_small_charts_are_offered_walked_and_stand_two_abreast_on_a_phone(page: Page) -> None:
    ask(page, "revenue by month and country in 2025")
    answered(page)
    page.locator("mirror-chart[data-drawn]").wait_for()
    page.get_by_role("button", name="Small charts").press("Enter")
    chart = page.locator("mirror-chart[data-drawn]")
    expect(chart.locator(".xy .scatterlayer .trace")).to_have_count(1)
    expect(chart.locator(".annotation-text")).to_have_count(12)
    expect(page.locator("[data-chart-caption]")).to_contain_text("The largest 12 of 28 drawn, without Japan,")
    assert page.evaluate(COLUMNS) == [3, 0]
    assert (
        chart.locator(".cartesianlayer .js-line").evaluate_all(
            "lines => new Set(lines.map((line) => getComputedStyle(line).stroke)).size"
        )
        == 1
    ), "titles tell them apart, not colours"

    place = chart.locator(".chart-place")
    place.focus()
    expect(page.locator("mirror-chart[data-walked]")).to_be_attached()
    for key in ("ArrowRight", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator("#announcer")).to_contain_text("Germany, 2025-02:")
    page.keyboard.press("Enter")
    expect(page.locator("mirror-grid tbody tr")).to_have_count(1)
    expect(page.locator("mirror-grid tbody tr")).to_contain_text("Germany")
    page.get_by_role("button", name="Back to the chart").press("Enter")

    page.set_viewport_size(PHONE)
    assert fits(page)
    page.wait_for_function(f"() => ({COLUMNS})()[0] === 2")
    assert page.evaluate(COLUMNS) == [2, 0]
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_text("Edit", exact=True).first.click()
    expect(page.get_by_label("Several")).to_have_value("small")
    page.get_by_role("button", name="In one chart").click()
    expect(chart.locator(".annotation-text")).to_have_count(0)
