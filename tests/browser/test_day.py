"""A day's work as somebody does it who has not read the code: each test is a stumble that was met."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.helpers import answered, ask, write_sql

STORES = "SELECT COUNT(*) AS n FROM stores"


def test_sql_that_was_not_run_says_that_the_rows_are_of_other_sql(page: Page, a_run: str):
    page.goto(a_run)
    note = page.locator("[data-unrun]")
    page.locator("mirror-editor[data-ready]").wait_for()
    expect(note).to_be_hidden()
    before = page.locator("#sql-text").input_value()
    write_sql(page, "SELECT 1 AS other")
    expect(note).to_contain_text("Not run yet")

    page.reload()
    page.locator("mirror-editor[data-ready]").wait_for()
    expect(note).to_be_visible()
    page.get_by_role("button", name="Back to that SQL").focus()
    page.keyboard.press("Enter")
    expect(note).to_be_hidden()
    assert page.locator("#sql-text").input_value() == before
    expect(page.get_by_role("textbox", name="SQL")).to_be_focused()

    write_sql(page, STORES)
    page.keyboard.press("Control+Enter")
    expect(note).to_be_hidden()


def test_completions_that_come_after_the_editor_was_left_stay_away(page: Page, a_run: str):
    held: list[Route] = []
    page.route("**/complete/**", lambda route: held.append(route))
    page.goto(a_run)
    write_sql(page, "SELECT * FROM ")
    with page.expect_request("**/complete/**"):
        page.keyboard.type("st")
    page.wait_for_timeout(300)
    assert held
    page.get_by_role("textbox", name=re.compile("follow-up")).click()
    for route in held:
        route.continue_()
    page.wait_for_timeout(500)
    expect(page.locator(".cm-tooltip-autocomplete")).to_have_count(0)


def test_a_filter_of_history_is_chosen_by_arrows_and_sent_by_enter(page: Page, a_run: str):
    page.goto("/history/")
    outcome = page.get_by_label("Outcome")
    outcome.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(300)
    assert "outcome" not in page.url
    page.keyboard.press("Enter")
    page.wait_for_url("**outcome=ambiguous**")
    expect(outcome).to_be_focused()

    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    page.wait_for_url("**outcome=answered**")
    expect(page.get_by_label("From")).to_be_focused()

    outcome.select_option(label="Every outcome")
    page.wait_for_url(re.compile("outcome=&"))


def test_escape_leaves_a_search_so_that_the_keys_of_the_page_work(page: Page, a_run: str):
    page.goto("/history/")
    page.keyboard.press("/")
    page.keyboard.type("stores")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).not_to_be_focused()
    expect(page.get_by_role("searchbox")).to_have_value("stores")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url(re.compile(r"/$"))
    expect(page.get_by_role("textbox", name="What do you want to know?")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_be_visible()


def test_a_thread_of_one_question_is_renamed_from_its_run_by_keyboard(page: Page):
    ask(page, "How many stores are there?")
    answered(page)
    page.get_by_role("link", name="1 question in this thread").click()
    fold = page.locator("#rename summary")
    fold.focus()
    page.keyboard.press("Enter")
    title = page.get_by_role("textbox", name="Title")
    expect(title).to_be_focused()
    page.keyboard.press("Escape")
    expect(title).to_be_hidden()
    expect(fold).to_be_focused()
    page.keyboard.press("Enter")
    expect(title).to_be_focused()
    page.keyboard.type("Stores of the day")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Stores of the day")
    page.get_by_role("button", name="Pin").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Unpin")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Pin", exact=True)).to_be_focused()


def test_saved_sql_opens_with_the_rows_and_the_chart_it_was_saved_with(page: Page):
    ask(page, "How much revenue does each category bring?")
    answered(page)
    page.locator("#chart-mark").wait_for()
    drawn = page.locator("#chart-mark").input_value()
    page.get_by_role("button", name="Save", exact=True).first.click()
    page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="Open it").click()
    last = page.locator("#last-result")
    expect(last).to_contain_text("Your last run")
    expect(last.locator("mirror-chart[data-drawn]")).to_be_visible()

    page.get_by_role("main").get_by_role("button", name="Run").first.click()
    page.wait_for_url("**/runs/*/")
    expect(page.locator("#chart-mark")).to_have_value(drawn)


def test_numbers_of_another_reading_stand_under_their_head(page: Page):
    ask(page, "sales by category")
    answered(page)
    page.locator("summary:has(.reading-look)").first.click()
    more = page.locator(".reading-more").first
    expect(more.locator("th").last).to_have_css(
        "text-align", more.locator("td").last.evaluate("cell => getComputedStyle(cell).textAlign")
    )
    expect(more.locator("th").last).to_have_css("text-align", "right")


def test_the_tip_of_a_month_names_the_month_in_the_type_of_the_page(page: Page):
    ask(page, "What was the revenue per month?")
    answered(page)
    page.locator("mirror-chart[data-drawn]").wait_for()
    point = page.locator(".scatterlayer .point").nth(3)
    box = point.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = page.locator(".hoverlayer .hovertext text").first
    expect(tip).to_have_text(re.compile(r"^[A-Z][a-z]{2} \d{4}:"))
    assert "Inter" in tip.evaluate("tip => getComputedStyle(tip).fontFamily")


def test_one_proposed_change_offers_two_buttons_not_five(page: Page):
    ask(page, "How much revenue does each category bring?")
    answered(page)
    page.locator("mirror-editor[data-ready]").wait_for()
    page.locator("#change-words").fill("add the share of the total")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Accept all")).to_be_focused()
    expect(page.locator("[data-decides]:visible")).to_have_text(["Accept all", "Reject all"])
    page.keyboard.press("Enter")
    expect(page.locator("[data-unrun]")).to_be_visible()


def test_files_of_the_chart_are_offered_where_the_chart_is_seen(page: Page):
    ask(page, "How much revenue does each category bring?")
    answered(page)
    files = page.locator("[data-chart-file]:visible")
    expect(files).to_have_count(2)
    page.get_by_role("tab", name="Table").click()
    expect(files).to_have_count(0)
    page.get_by_role("tab", name="Chart").click()
    expect(files).to_have_count(2)


def test_adding_to_a_dashboard_begins_in_its_first_field(page: Page, a_run: str):
    page.goto(a_run)
    page.get_by_role("link", name="Add to dashboard").click()
    expect(page.get_by_label(re.compile("^(Name of the dashboard|Dashboard)"))).to_be_focused()
