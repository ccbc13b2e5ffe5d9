"""The focus stays where somebody works: by keyboard, after each thing that exchanges a part of the page or all of it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, write_sql

SPLIT = "Revenue by channel per year"


def press(page: Page, selector: str, key: str = "Enter") -> None:
    page.locator(selector).focus()
    page.keyboard.press(key)


def test_a_question_its_follow_up_and_asking_again_begin_at_the_heading(page: Page):
    ask(page, SPLIT)
    expect(page.locator("#question")).to_be_focused()
    answered(page)
    expect(page.locator("#question")).to_be_focused()
    first = page.url
    press(page, "#answer form[data-lands] button")
    page.wait_for_url(lambda url: "/runs/" in url and url != first)
    answered(page)
    expect(page.locator("#question")).to_be_focused()
    page.locator("#follow-up").fill("only 2025")
    page.keyboard.press("Enter")
    expect(page.locator("#question")).to_have_text("only 2025")
    expect(page.locator("#question")).to_be_focused()


def test_a_follow_up_that_is_not_taken_keeps_the_focus_in_its_box(page: Page, a_run: str):
    page.goto(a_run)
    page.locator("#follow-up").fill("x" * 5000)
    page.keyboard.press("Enter")
    expect(page.locator("#follow-up-problem")).not_to_be_empty()
    expect(page.locator("#follow-up")).to_be_focused()


def test_saving_gives_the_focus_back_to_the_button_that_opened_it(page: Page, a_run: str):
    page.goto(a_run)
    press(page, "[data-opens=save-dialog]")
    page.keyboard.type("Kept for the focus")
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text("Saved as")
    expect(page.locator("[data-opens=save-dialog]")).to_be_focused()


def test_the_fields_of_a_chart_stay_open_while_it_is_changed(page: Page):
    ask(page, SPLIT)
    answered(page)
    press(page, "#chart-axes > summary")
    page.locator("#chart-x_title").fill("The year")
    with page.expect_response(re.compile("/chart/")):
        page.keyboard.press("Tab")
    expect(page.locator("#chart-pane mirror-chart[data-drawn]")).to_be_visible()
    expect(page.locator("#chart-y_title")).to_be_focused()
    page.locator("#chart-y_title").fill("Money")
    with page.expect_response(re.compile("/chart/")):
        page.keyboard.press("Tab")
        page.keyboard.press("Escape")
    expect(page.locator("#chart-axes")).not_to_have_attribute("open", "")
    expect(page.locator("#chart-axes > summary")).to_be_focused()


def test_running_sql_by_its_button_keeps_the_focus_on_it(page: Page, a_run: str):
    page.goto(a_run)
    write_sql(page, "SELECT COUNT(*) AS n FROM returns")
    press(page, "#run-sql")
    expect(page.locator("#verdict")).to_contain_text("Edited")
    expect(page.locator("#result .panel-foot")).to_contain_text("row")
    expect(page.locator("#run-sql")).to_be_focused()


def test_a_new_tab_for_sql_begins_in_its_editor_and_one_with_sql_does_not(page: Page):
    page.goto("/sql/")
    page.get_by_role("button", name="New SQL").first.click()
    page.wait_for_url(re.compile(r"/sql/\d+/"))
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.insert_text("SELECT 1")
    expect(page.locator("#kept")).to_have_text("Kept")
    first = page.url
    page.keyboard.press("Alt+n")
    page.wait_for_url(lambda url: re.search(r"/sql/\d+/", url) and url != first)
    expect(page.locator(".cm-content")).to_be_focused()
    page.goto(first)
    page.locator("mirror-editor[data-ready]").wait_for()
    expect(page.locator(".cm-content")).not_to_be_focused()
