"""Charts for who reads German: numbers on their axes, beside their points and in their hover texts."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask

FIGURE = """async () => {
  const { inLanguage } = await import("/static/js/figure-words.js");
  const bars = { type: "bar", text: ["2,442,090", "0.5"], hovertext: ["1,000 to 2,000: 12,345"] };
  const points = { type: "scatter", mode: "markers", text: ["Oslo 1,000"] };
  const map = { type: "choropleth", hovertext: ["Area 1.5: 1,234.5"] };
  const layout = { xaxis: { visible: false }, annotations: [{ text: "+48,570 (+7.2%) since 2026-09" }] };
  const drawn = inLanguage({ data: [bars, points, map], layout });
  return [...drawn.data.flatMap(({ text, hovertext }) => [...(text ?? []), ...(hovertext ?? [])]), drawn.layout.annotations[0].text];
}"""
TICKS = """() => [...document.querySelectorAll("mirror-chart .ytick text")].map((text) => text.textContent)"""
SEPARATORS = """() => document.querySelector("mirror-chart .js-plotly-plot")._fullLayout.separators"""


def test_the_numbers_of_a_chart_are_written_as_the_language_does(page: Page) -> None:
    ask(page, "revenue by month in 2025")
    answered(page)
    page.set_extra_http_headers({"Accept-Language": "de"})
    page.reload()
    page.locator("mirror-chart[data-drawn]").wait_for()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert page.evaluate(SEPARATORS) == ",."
    ticks = page.evaluate(TICKS)
    assert ticks and not [tick for tick in ticks if re.search(r"[kMB]|,\d{3}", tick)]
    assert page.evaluate(FIGURE) == [
        "2.442.090", "0,5", "1.000 to 2.000: 12.345", "Oslo 1,000", "Area 1.5: 1.234,5", "+48.570 (+7,2\u00a0%) since 2026-09",
    ]  # fmt: skip


def test_the_numbers_of_an_english_chart_stay(page: Page) -> None:
    ask(page, "revenue by month in 2025")
    answered(page)
    page.locator("mirror-chart[data-drawn]").wait_for()
    assert page.evaluate(SEPARATORS) == ".,"
    assert page.evaluate(FIGURE)[0] == "2,442,090"
