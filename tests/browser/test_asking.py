"""The main job in a real browser: ask, watch, stop, edit, run, draw, read otherwise, follow up, save."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from mirror.exports.images.paper_style import contrast
from tests.browser.helpers import answered, ask, clipboard_holds, connect, show_table, write_sql

TOP = "Which five countries bring the most revenue?"


def test_a_question_is_asked_watched_and_answered(page: Page):
    page.goto("/")
    expect(page.get_by_role("textbox", name="What do you want to know?")).to_be_focused()
    page.get_by_role("button", name=TOP).click()
    page.wait_for_url("**/runs/*/")
    expect(page.get_by_role("heading", level=1)).to_have_text(TOP)
    answered(page)
    expect(page.locator("#verdict")).to_contain_text("Answered")
    expect(page.locator("#verdict")).to_contain_text(re.compile(r"The best of \d+ attempts|The only attempt"))
    expect(page.locator("#verdict")).to_contain_text("% sure")
    expect(page.locator(".sentence")).not_to_be_empty()
    expect(page.locator("mirror-chart[data-drawn] svg").first).to_be_visible()
    page.get_by_role("tab", name="Table").click()
    expect(page.locator("mirror-grid tbody tr")).to_have_count(5)
    expect(page.locator("mirror-grid tbody td.num").first).to_have_text(re.compile(r"^[\d,.]+$"))
    expect(page.get_by_role("textbox", name="SQL")).to_contain_text("SELECT")
    page.get_by_text("How this was found").click()
    expect(page.locator(".group-first .tile").first).to_be_visible()
    page.get_by_text("why?", exact=True).click()
    expect(page.locator("#why")).to_contain_text("Nothing was sent.")


def test_a_run_is_followed_where_no_events_come_through(page: Page):
    page.route("**/events/", lambda route: route.fulfill(status=204))
    with page.expect_response("**/live/"):
        ask(page, "How many stores are there?")
    answered(page)
    expect(page.locator("#verdict")).to_contain_text("Answered")


def test_sql_is_edited_and_run_and_the_earlier_result_is_kept(page: Page):
    ask(page, "How many web visits came from each device?")
    answered(page)
    write_sql(page, "SELECT COUNT(*) AS many FROM stores")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#result")).to_contain_text("1 row")
    show_table(page)
    expect(page.locator("mirror-grid tbody td")).to_have_text("20")
    expect(page.locator("#verdict")).to_contain_text("Edited")
    page.locator("#versions").get_by_text("2 versions").click()
    page.get_by_role("link", name="1, the answer").click()
    expect(page.get_by_role("textbox", name="SQL")).to_contain_text("web_visits")


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("DELETE FROM orders", "was not run"),
        ("SELECT nosuch FROM orders", "nosuch"),
        ("SELECT 1 FROM", "SQL"),
        ("", "no SQL to run"),
    ],
)
def test_sql_that_cannot_run_says_why_beside_the_editor_and_stays(
    page: Page, a_run: str, sql: str, words: str
):
    page.goto(a_run)
    write_sql(page, sql)
    page.keyboard.press("Control+Enter")
    problem = page.locator("#problem").get_by_role("alert")
    expect(problem).to_be_visible()
    expect(problem).to_contain_text(re.compile(words, re.I))
    expect(page.get_by_role("textbox", name="SQL")).to_have_text(sql or "SELECT …")


def test_sql_typed_but_not_run_survives_a_reload(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "SELECT 'not run yet'")
    page.reload()
    expect(page.get_by_role("textbox", name="SQL")).to_have_text("SELECT 'not run yet'")


def test_who_was_signed_out_meanwhile_signs_in_again_and_finds_the_sql(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "SELECT 'typed before the end'")
    kept = page.context.cookies()
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/sign-in/**")
    page.context.add_cookies(kept)  # type: ignore[arg-type]
    page.goto(a_run)
    expect(page.locator("#sql-text")).to_have_value("SELECT 'typed before the end'")


def test_the_editor_knows_the_tables_and_columns(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "SELECT * FROM orde")
    page.keyboard.press("Control+Space")
    expect(page.get_by_role("option", name="orders", exact=True)).to_be_visible()


def test_the_sql_is_laid_out(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "select name, count(*) from stores group by name")
    page.get_by_role("button", name="Format").click()
    expect(page.locator("#sql-text")).to_have_value("SELECT name, COUNT(*)\nFROM stores\nGROUP BY name")


def test_what_would_be_refused_is_said_before_it_runs(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "SELECT nme FROM stores")
    expect(page.locator("#sql-lint")).to_contain_text("nme")
    expect(page.locator(".cm-lintRange-error")).to_have_text("nme")
    write_sql(page, "SELECT name FROM stores")
    expect(page.locator("#sql-lint")).to_be_hidden()
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)


def test_a_part_of_the_sql_is_run_and_the_whole_stays(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "SELECT 41 + 1 AS answer")
    page.keyboard.press("Control+a")
    page.keyboard.press("ArrowRight")
    page.keyboard.insert_text("\nFROM nowhere")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Shift+End")
    page.keyboard.press("Control+Shift+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("1 row")
    expect(page.locator("#result")).to_contain_text("42")
    expect(page.locator("#sql-text")).to_have_value("SELECT 41 + 1 AS answer\nFROM nowhere")


def test_rows_are_sorted_filtered_and_turned_over(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "SELECT id, name, price FROM products ORDER BY id")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("147 rows")
    show_table(page)
    first = page.locator("mirror-grid tbody tr").first.locator("td").first
    page.get_by_role("link", name="Next").click()
    expect(first).to_have_text("51")
    page.get_by_role("link", name="id", exact=True).click()
    expect(first).to_have_text("1")
    page.get_by_role("link", name="id", exact=True).click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("id")
    expect(first).to_have_text("147")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("searchbox", name="Filter id").press_sequentially("10..12")
    expect(page.locator("mirror-grid tbody tr")).to_have_count(3)
    expect(page.get_by_role("searchbox", name="Filter id")).to_be_focused()


def test_questions_and_names_are_offered_while_one_types(page: Page):
    page.goto("/")
    page.keyboard.type("How many cust")
    offered = page.get_by_role("listbox", name="Suggestions")
    expect(offered.get_by_role("option", name=re.compile("How many customers are there"))).to_be_visible()
    expect(offered.get_by_role("option", name=re.compile("^customers"))).to_be_visible()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="What do you want to know?")).to_have_value(
        re.compile(r"^How many cust\w+")
    )
    page.keyboard.press("Escape")


def test_a_stored_value_is_completed_while_one_types(page: Page):
    page.goto("/")
    page.keyboard.type("revenue in norw")
    offered = page.get_by_role("listbox", name="Suggestions")
    expect(offered.get_by_role("option", name=re.compile("^Norway"))).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="What do you want to know?")).to_have_value("revenue in Norway ")
    expect(offered).to_have_count(0)


def test_a_follow_up_is_completed_too(page: Page, a_run: str):
    page.goto(a_run)
    box = page.get_by_role("textbox", name="Ask a follow-up")
    box.press_sequentially("only norw")
    option = page.get_by_role("option", name=re.compile("^Norway"))
    expect(option).to_be_visible()
    option.click()
    expect(box).to_have_value("only Norway ")


def test_the_chart_is_changed_and_stays_so(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(
        page, "SELECT strftime('%Y-%m', ordered_at) AS month, COUNT(*) AS orders FROM orders GROUP BY 1"
    )
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("36 rows")
    page.get_by_role("tab", name="Chart").click()
    expect(page.get_by_role("combobox", name="Chart type")).to_have_value("line")
    page.get_by_role("combobox", name="Chart type").select_option("bar")
    expect(page.locator("mirror-chart .bars")).to_have_count(1)
    page.reload()
    expect(page.get_by_role("combobox", name="Chart type")).to_have_value("bar")
    expect(page.locator("mirror-chart .bars")).to_have_count(1)
    page.get_by_role("combobox", name="Chart type").select_option("pie")
    expect(page.get_by_text(re.compile("largest 11 of 36"))).to_be_visible()


def test_values_over_points_are_written_where_there_is_room(page: Page):
    ask(page, "orders by month 2025")
    answered(page)
    page.locator("mirror-chart[data-drawn]").wait_for()
    values = page.locator("mirror-chart .textpoint")
    expect(values).to_have_count(12)
    page.set_viewport_size({"width": 390, "height": 900})
    expect(values).to_have_count(0)
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(values).to_have_count(12)


CELLS = """async () => {
  const chart = document.querySelector("mirror-chart[data-drawn]");
  const traces = chart.place._fullData;
  const written = [...chart.querySelectorAll(".heatmap-label text")].map((text) => [text.textContent, getComputedStyle(text).fill]);
  return [traces.map(({ z, zmin, zmax, colorscale, textfont, showscale }) => ({ z, zmin, zmax, colorscale, ink: textfont.color, showscale })), written];
}"""


def test_numbers_on_the_cells_of_a_heatmap_are_read_well_in_both_themes(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(
        page,
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 95) "
        "SELECT 'x' || (i % 12) AS place, 'y' || (i / 12) AS line, i AS points FROM n",
    )
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("96 rows")
    page.get_by_role("tab", name="Chart").click()
    page.get_by_role("combobox", name="Chart type").select_option("heatmap")
    # The other type's script and all 96 cells come after a round trip: seconds on a busy machine.
    expect(page.locator("mirror-chart[data-drawn] .hm").first).to_be_attached(timeout=30_000)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.reload()
        expect(page.locator("mirror-chart[data-drawn] .heatmap-label")).to_have_count(96, timeout=30_000)
        traces, written = page.evaluate(CELLS)
        assert [trace["showscale"] for trace in traces] == [True, False]
        assert {words for words, _ in written} == {str(n) for n in range(96)}
        assert (
            {colour for _, colour in written}
            == {trace["ink"] for trace in traces}
            == {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}
        )
        for trace in traces:
            cells = [cell for row in trace["z"] for cell in row if cell is not None]
            worst = min(contrast(parts(trace["ink"]), ground(trace, cell)) for cell in cells)
            assert worst >= 4.5, (theme, trace["ink"], worst)


def ground(trace: dict[str, Any], cell: float) -> list[float]:
    """The colour of a cell, between two of the scale."""
    at = (cell - trace["zmin"]) / (trace["zmax"] - trace["zmin"])
    low, high = next((one, two) for one, two in pairwise(trace["colorscale"]) if at <= two[0])
    share = (at - low[0]) / (high[0] - low[0])
    return [one + (two - one) * share for one, two in zip(parts(low[1]), parts(high[1]), strict=True)]


def parts(colour: str) -> list[float]:
    return [int(part) / 255 for part in re.findall(r"\d+", colour)]


def test_a_value_is_read_where_a_point_is_pointed_at_though_its_word_has_no_room(page: Page, a_run: str):
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12) "
    month = "SELECT '2025-' || substr('0' || i, -2) AS month, 700000000 + i AS revenue"
    page.goto(a_run)
    for more, marks, words in (
        ("", ("line", "bar"), ("May 2025: 700,000,005",)),
        (", i AS orders", ("combo",), ("Orders: 5", "Revenue: 700,000,005")),
    ):
        write_sql(page, f"{rows}{month}{more} FROM n")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#result .panel-foot")).to_contain_text("12 rows")
        page.get_by_role("tab", name="Chart").click()
        for mark in marks:
            page.get_by_role("combobox", name="Chart type").select_option(mark)
            spots = "bar" if mark == "bar" else "scatter"
            spot = page.locator(f"mirror-chart[data-drawn] .{spots}layer .point").nth(4)
            expect(spot).to_be_visible()
            for _ in range(5):  # a chart that is drawn again as it finds its size takes away what was told
                page.mouse.move(0, 0)
                spot.hover(force=True)
                with suppress(PlaywrightTimeout):
                    page.locator("mirror-chart .hovertext, mirror-chart .hoverlayer .legend").first.wait_for(
                        timeout=1_000
                    )
                    break
            for told in words:
                expect(page.locator("mirror-chart .hoverlayer")).to_contain_text(told)


def test_a_chart_type_chosen_while_another_is_on_its_way_is_drawn(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "SELECT country, COUNT(*) AS customers FROM customers GROUP BY 1")
    page.keyboard.press("Control+Enter")
    page.get_by_role("tab", name="Chart").click()
    kind = page.get_by_role("combobox", name="Chart type")
    expect(page.locator("mirror-chart[data-drawn] .barlayer")).to_be_attached()

    held: list[Route] = []
    page.route("**/chart/", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/chart/"):
        kind.select_option("pie")
    kind.select_option("bar")
    with page.expect_request(lambda sent: "mark=bar" in (sent.post_data or "")):
        held[0].continue_()
    expect(page.locator("mirror-chart[data-drawn] .barlayer .point").first).to_be_visible()
    expect(kind).to_have_value("bar")


def test_a_link_in_a_heading_or_a_cell_is_words_in_the_chart_and_in_the_table(page: Page, a_run: str):
    link = "<a href=//evil.x>y</a>"
    page.goto(a_run)
    write_sql(
        page, f'SELECT \'{link} \' || country AS "{link} x", COUNT(*) AS "{link} y" FROM customers GROUP BY 1'
    )
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("rows")
    page.get_by_role("tab", name="Table").click()
    expect(page.get_by_role("columnheader").filter(has_text=link).first).to_be_visible()
    page.get_by_role("tab", name="Chart").click()
    page.get_by_role("combobox", name="Chart type").select_option("bar")
    page.locator("mirror-chart[data-drawn]").wait_for(state="attached")
    expect(
        page.locator("mirror-chart .ytitle, mirror-chart .xtitle").filter(has_text=link).first
    ).to_be_attached()
    assert page.locator('a[href^="http://evil"], a[href^="https://evil"], a[href^="//evil"]').count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('a')].every(a => !new URL(a.href.baseVal ?? a.href, location).host.includes('evil'))"
    )


@pytest.mark.parametrize(
    ("button", "ending", "begins"), [("PNG", ".png", b"\x89PNG"), ("SVG", ".svg", b"<svg")]
)
def test_the_chart_is_taken_away_as_a_file(page: Page, a_run: str, button: str, ending: str, begins: bytes):
    page.goto(a_run)
    page.locator("mirror-chart[data-drawn]").wait_for(state="attached")
    with page.expect_download() as taken:
        page.get_by_role("button", name=button).click()
    assert taken.value.suggested_filename.endswith(ending)
    assert Path(taken.value.path()).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("format", "ending", "begins"),
    [("CSV", ".csv", b"\xef\xbb\xbf"), ("Excel", ".xlsx", b"PK"), ("PDF", ".pdf", b"%PDF")],
)
def test_the_rows_are_taken_away_from_a_menu_that_opens_by_keyboard(
    page: Page, a_run: str, format: str, ending: str, begins: bytes
):
    page.goto(a_run)
    menu, item = page.locator("#result summary", has_text="Download"), page.get_by_role("link", name=format)
    menu.focus()
    page.keyboard.press("Enter")
    expect(item).to_be_visible()
    page.keyboard.press("Escape")
    expect(item).not_to_be_visible()
    expect(menu).to_be_focused()
    menu.click()
    with page.expect_download() as taken:
        item.click()
    assert taken.value.suggested_filename.endswith(ending)
    assert Path(taken.value.path()).read_bytes().startswith(begins)
    expect(item).not_to_be_visible()


def test_an_exact_value_is_copied_where_a_grouped_one_is_shown(page: Page, a_run: str):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(a_run)
    write_sql(page, "SELECT 9007199254740993 AS big, 1234567.125 AS fine, 'x' AS word")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("1 row")
    show_table(page)
    expect(page.locator("mirror-grid tbody td").first).to_have_text("9,007,199,254,740,993")
    page.locator("mirror-grid .table-frame").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+c")
    clipboard_holds(page, "9007199254740993")
    page.locator("mirror-grid tbody tr").evaluate("row => getSelection().selectAllChildren(row)")
    page.keyboard.press("Control+c")
    clipboard_holds(page, "9007199254740993\t1234567.125\tx")


def test_another_reading_becomes_the_answer(page: Page):
    ask(page, "refunds by category", source="shop")
    answered(page)
    reading = page.locator(".reading").first
    reading.get_by_text("Look").click()
    sql = reading.locator("pre").inner_text()
    reading.get_by_role("button", name="Use this reading").click()
    expect(page.locator("#verdict")).to_contain_text("Another reading")
    expect(page.locator("#result")).to_contain_text("row")
    expect(page.locator("#sql-text")).to_have_value(sql)
    expect(page.locator(".reading").first).to_contain_text("Shown")


def test_a_follow_up_is_shown_with_what_it_was_understood_as(page: Page):
    ask(page, "How many orders were placed each month in 2025?")
    answered(page)
    first = page.url
    page.get_by_role("textbox", name="Ask a follow-up").fill("only 2024")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/runs/" in url and url != first)
    answered(page)
    expect(page.locator("#understood")).to_have_text(re.compile(r"ordered at\s+2024"))
    expect(
        page.get_by_role("link", name="How many orders were placed each month in 2025?").first
    ).to_be_visible()


def test_the_sql_is_saved_and_found_in_the_library(page: Page):
    ask(page, "How many returns were there for each reason?")
    answered(page)
    page.get_by_role("button", name="Save", exact=True).click()
    name = page.get_by_role("dialog").get_by_label("Name")
    expect(name).to_have_value("How many returns were there for each reason?")
    name.fill("")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    name.fill("Returns by reason")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as “Returns by reason”.")).to_be_visible()
    page.get_by_role("link", name="Library").click()
    expect(page.get_by_role("link", name="Returns by reason")).to_be_visible()


def test_an_empty_question_is_not_sent_and_a_draft_is_kept(page: Page):
    page.goto("/")
    box = page.get_by_role("textbox", name="What do you want to know?")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Type a question first")
    box.fill("half a quest")
    page.goto("/history/")
    page.goto("/")
    expect(box).to_have_value("half a quest")


def test_statements_and_runs_that_never_end_are_stopped(page: Page, endless_file: Path):
    connect(page, "endless", endless_file)
    ask(page, "What is the average height of the measurements?", source="endless")
    expect(page.locator("#run-steps")).to_contain_text(re.compile("attempt|Looking|measurements"))
    page.reload()
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    stop.click()
    answered(page)
    expect(page.locator("#answer")).to_contain_text("Stopped")
    write_sql(page, "SELECT SUM(height) FROM measurements")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#problem")).to_contain_text("Stopped")
    expect(page.get_by_role("textbox", name="SQL")).to_be_visible()
