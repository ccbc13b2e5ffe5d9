"""Small charts and maps: chosen, walked and read on a phone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, fits, violations, write_sql
from tests.browser.running import Mirror

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
    expect(page.locator("#announcer")).to_contain_text("Germany, Feb 2025:")
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


def test_the_fields_of_a_chart_do_not_lie_over_the_button_that_opens_them(page: Page) -> None:
    """Under a long title the button wraps to a line of its own."""
    ask(page, "profit per category 2024 vs 2025")
    answered(page)
    for width in (1440, 1300, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        page.locator("#chart-axes > summary").click()
        fields, kinds = (
            page.locator(".chart-fields").bounding_box(),
            page.locator(".chart-kinds").bounding_box(),
        )
        button = page.locator("#chart-axes > summary").bounding_box()
        assert fields and kinds and button
        assert fields["y"] >= max(button["y"] + button["height"], kinds["y"] + kinds["height"]), width
        page.locator("#chart-mark").select_option("bar")


def test_a_map_loads_with_the_first_one_from_here_alone_and_is_walked_to_its_rows(
    page: Page, mirror: Mirror
) -> None:
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    ask(page, "How many customers are there in each country?")
    answered(page)
    page.locator("mirror-chart[data-drawn]").wait_for()
    assert not [url for url in asked if "/maps." in url], "bars need no map"
    page.get_by_role("button", name="Map", exact=True).press("Enter")
    expect(page.locator("mirror-chart[data-drawn] .choroplethlayer path")).not_to_have_count(0)
    assert len([url for url in asked if "/maps." in url]) == 1
    assert not [url for url in asked if not url.startswith((mirror.url, "data:", "blob:"))], (
        "nothing from elsewhere"
    )
    place = page.locator("mirror-chart .chart-place")
    place.focus()
    expect(page.locator("mirror-chart[data-walked]")).to_be_attached()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#announcer")).to_contain_text("Germany: 506 (2 of 28)")
    ring, world = page.locator(".chart-ring").bounding_box(), place.bounding_box()
    assert ring and world
    assert 0.35 < (ring["x"] + 8 - world["x"]) / world["width"] < 0.55, "in the middle of the world"
    page.keyboard.press("Enter")
    expect(page.locator("mirror-grid tbody tr")).to_have_count(1)
    expect(page.locator("mirror-grid tbody tr")).to_contain_text("Germany")
    page.get_by_role("button", name="Back to the chart").press("Enter")

    # A click on a country shows its rows: the widest shape is that of the United States.
    page.locator(".drilled").wait_for(state="detached")
    widest = page.locator("mirror-chart[data-drawn] .choroplethlayer path").first
    widest.scroll_into_view_if_needed()  # waits until it moves no more
    shape = widest.bounding_box()
    assert shape is not None
    page.mouse.click(shape["x"] + shape["width"] * 0.62, shape["y"] + shape["height"] * 0.6)
    expect(page.locator(".drilled")).to_contain_text("Rows of ")
    page.get_by_role("button", name="Back to the chart").click()

    page.set_viewport_size(PHONE)
    assert fits(page)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []


def test_places_that_are_not_on_the_map_are_named_beside_it(page: Page) -> None:
    ask(page, "How many stores are there?")
    answered(page)
    write_sql(
        page,
        "SELECT CASE country WHEN 'Norway' THEN 'Atlantis' ELSE country END AS country, count(*) AS n FROM customers GROUP BY 1",
    )
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("28 rows")
    page.get_by_role("button", name="Map", exact=True).click()
    expect(page.locator("[data-chart-caption]")).to_contain_text(
        "1 of 28 places is not on the map: Atlantis."
    )


def test_a_map_is_zoomed_by_buttons_and_keys_and_keeps_it_when_it_is_drawn_anew(page: Page) -> None:
    ask(page, "How many customers are there in each country?")
    answered(page)
    page.get_by_role("button", name="Map", exact=True).press("Enter")
    bar = page.get_by_role("group", name="Zoom of the map")
    larger, smaller, whole = (bar.locator(f"[data-by={name}]") for name in ("in", "out", "whole"))
    expect(larger).to_be_enabled()
    expect(smaller).to_be_disabled()

    def is_drawn(test: str) -> None:
        """Wait until the library draws the map so."""
        drawn = "document.querySelector('mirror-chart .chart-place')._fullLayout.geo"
        page.wait_for_function(f"() => {{ const {{ projection, center }} = {drawn}; return {test}; }}")

    larger.press("Enter")
    expect(page.locator("#announcer")).to_have_text("The map at 150 %")
    is_drawn("projection.scale === 1.5")
    expect(smaller).to_be_enabled()
    # Colours are drawn anew with the theme; the visible part stays.
    page.locator("mirror-chart").evaluate("(chart) => chart.removeAttribute('data-drawn')")
    page.emulate_media(color_scheme="dark")
    page.evaluate("document.dispatchEvent(new CustomEvent('mirror-theme'))")
    page.locator("mirror-chart[data-drawn]").wait_for()
    is_drawn("projection.scale === 1.5")
    page.locator("mirror-chart .chart-place").focus()
    page.keyboard.press("+")
    expect(page.locator("#announcer")).to_have_text("The map at 225 %")
    is_drawn("projection.scale === 2.25")
    page.evaluate(
        "window.before = document.querySelector('mirror-chart .chart-place')._fullLayout.geo.center.lon"
    )
    page.keyboard.press("Shift+ArrowRight")
    is_drawn("center.lon > window.before")
    page.keyboard.press("0")
    expect(page.locator("#announcer")).to_have_text("The whole map")
    is_drawn("projection.scale === 1")
    expect(whole).to_be_disabled()
