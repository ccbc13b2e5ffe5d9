"""The SQL page by mouse, by keyboard alone, signed out in the middle, in two windows, and without scripts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.browser.helpers import show_table, sideways, violations, write_sql
from tests.browser.running import Mirror

COUNTRIES = "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY 2 DESC LIMIT 5"


def new_tab(page: Page) -> None:
    """Open a tab of one's own on the sample shop."""
    page.goto("/sql/")
    page.get_by_role("main").get_by_role("button", name=re.compile("New SQL")).first.click()
    page.wait_for_url("**/sql/*/")
    page.locator("mirror-editor[data-ready]").wait_for()


def ran(page: Page) -> None:
    """Wait for rows."""
    expect(page.locator("#result mirror-tabs")).to_be_visible(timeout=20_000)


def editor(page: Page):
    return page.get_by_role("textbox", name="SQL", exact=True)


def accept(page: Page) -> None:
    """Take what is offered first, as late as an editor believes that somebody read it."""
    page.evaluate("new Promise((done) => setTimeout(done, 150))")
    page.keyboard.press("Enter")


def test_a_journey_by_mouse(page: Page):
    new_tab(page)
    page.get_by_role("searchbox", name="Search tables and columns").fill("country")
    expect(page.locator("#sql-tables .is-found").first).to_contain_text("country")
    editor(page).click()
    page.keyboard.insert_text("SELECT ")
    page.locator("#sql-tables").get_by_role("button", name="country").first.click()
    expect(page.locator("#sql-text")).to_have_value("SELECT country")
    page.get_by_role("link", name="Look at customers").click()
    expect(page.get_by_role("dialog")).to_contain_text("Figures are of")
    page.get_by_role("button", name="Show the first rows").click()
    expect(page.locator(".peek-rows tbody tr")).to_have_count(20)
    assert not violations(page)
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    write_sql(page, COUNTRIES)
    page.get_by_role("button", name="Run", exact=True).click()
    ran(page)
    show_table(page)
    expect(page.locator("#result tbody")).to_contain_text("United States")
    expect(page.locator("#result .panel-foot")).to_contain_text("5 rows")
    page.get_by_role("button", name="Plan").click()
    expect(page.get_by_role("region", name="Plan")).to_contain_text("customers")
    expect(page.locator("#versions")).to_contain_text("History: 1 run")
    expect(page.locator("[data-tab-label]")).to_have_text("customers")
    assert not violations(page)
    assert sideways(page) <= 0
    page.locator("#told").get_by_role("button", name="Save").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Customers by country, from the SQL page")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as “Customers by country, from the SQL page”")).to_be_visible()
    page.get_by_role("textbox", name="Ask about this").fill("How many stores are there?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url("**/runs/*/")
    expect(page.locator("#question")).to_have_text("How many stores are there?")


def test_a_journey_by_keyboard_alone(page: Page):
    page.goto("/")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.press("n")
    page.wait_for_url("**/sql/*/")
    page.locator("mirror-editor[data-ready]").wait_for()
    expect(editor(page)).to_be_focused()
    page.keyboard.type("SELECT * FROM orders o JOIN customers c ON ")
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("o.customer_id = c.id")
    accept(page)
    page.keyboard.type(" WHERE c.country = 'norw")
    expect(page.locator(".cm-tooltip-autocomplete li")).to_have_count(1)
    accept(page)
    expect(page.locator("#sql-text")).to_have_value(
        "SELECT * FROM orders o JOIN customers c ON o.customer_id = c.id WHERE c.country = 'Norway'"
    )
    page.keyboard.press("Control+Enter")
    ran(page)
    expect(page.locator("#result")).to_be_visible()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(";\nSELECT count(*) AS n FROM stores")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#told .sql-of")).to_contain_text("FROM stores")
    page.keyboard.press("Alt+n")
    expect(page.locator("#sql-text")).to_have_value("")
    assert not violations(page)


def test_what_the_sql_may_not_mean_is_marked_and_said(page: Page):
    new_tab(page)
    write_sql(page, "SELECT * FROM orders WHERE store_id = NULL")
    expect(page.locator("#sql-lint")).to_contain_text("Write IS NULL")
    expect(page.locator(".cm-lintRange-warning")).to_have_count(1)
    assert not violations(page)
    write_sql(page, "SELECT * FROM orders WHERE store_id IS NULL LIMIT 3")
    expect(page.locator("#sql-lint")).to_be_hidden()


def test_what_was_wrong_is_not_said_beside_the_plan_of_other_sql(page: Page):
    new_tab(page)
    write_sql(page, "SELECT contry FROM customers")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#problem")).to_contain_text("no column contry")
    page.get_by_role("button", name="Plan").click()
    expect(page.locator("#plan")).to_contain_text("no column contry")
    expect(page.locator("#problem")).to_contain_text("no column contry")
    write_sql(page, "SELECT country FROM customers")
    page.get_by_role("button", name="Plan").click()
    expect(page.get_by_role("region", name="Plan")).to_contain_text("customers")
    expect(page.locator("#problem")).to_be_empty()


def test_a_name_in_the_sql_becomes_a_field(page: Page):
    new_tab(page)
    write_sql(page, "SELECT name FROM stores WHERE id = :which")
    page.locator("#values input").fill("1")
    page.get_by_role("button", name="Run", exact=True).click()
    ran(page)
    expect(page.locator("#result .panel-foot")).to_contain_text("1 row")
    expect(page.locator("#values input")).to_have_value("1")
    assert not violations(page)


def test_nothing_typed_is_lost_by_a_reload_or_a_session_that_ended(page: Page):
    new_tab(page)
    write_sql(page, "SELECT 'kept at once'")
    page.reload()
    page.locator("mirror-editor[data-ready]").wait_for()
    expect(page.locator("#sql-text")).to_have_value("SELECT 'kept at once'")
    expect(page.locator("#kept")).to_have_text(re.compile("^(Kept)?$"))
    cookies = page.context.cookies()
    page.context.clear_cookies(name="sessionid")
    write_sql(page, "SELECT 'signed out'")
    expect(page.locator("#kept")).to_contain_text("signed out")
    page.context.add_cookies(cookies)
    page.reload()
    page.locator("mirror-editor[data-ready]").wait_for()
    expect(page.locator("#sql-text")).to_have_value("SELECT 'signed out'")
    expect(page.locator("#kept")).to_have_text("Kept")


def test_two_windows_do_not_overwrite_each_other(browser: Browser, context, page: Page):
    new_tab(page)
    other = context.new_page()
    other.goto(page.url)
    other.locator("mirror-editor[data-ready]").wait_for()
    write_sql(page, "SELECT 'the first'")
    expect(page.locator("#kept")).to_have_text("Kept")
    write_sql(other, "SELECT 'the second'")
    expect(other.locator("#kept")).to_contain_text("changed in another window")
    other.get_by_role("button", name="Take that one").click()
    expect(other.locator("#sql-text")).to_have_value("SELECT 'the first'")


def test_a_text_that_comes_late_is_no_other_window(context: BrowserContext):
    page = context.new_page()  # its console may tell of a 409
    new_tab(page)
    late: list[Route] = []

    def hold(route: Route) -> None:
        late.append(route)

    page.route("**/keep/", hold, times=1)
    with page.expect_request("**/keep/"):
        write_sql(page, "SELECT 'typed first'")
    write_sql(page, "SELECT 'run meanwhile'")
    page.keyboard.press("Control+Enter")
    ran(page)
    with page.expect_response("**/keep/") as told:
        late[0].continue_()
    assert told.value.status == 409
    expect(page.locator("#kept")).to_have_text("Kept")
    expect(page.locator("#sql-text")).to_have_value("SELECT 'run meanwhile'")


def test_a_statement_is_stopped_and_the_page_goes_on(page: Page):
    new_tab(page)
    write_sql(
        page,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT count(*) FROM n",
    )
    page.keyboard.press("Control+Enter")
    page.locator("#stop-version").click()
    expect(page.locator("#problem")).to_contain_text("Stopped", timeout=20_000)
    write_sql(page, "SELECT 1 AS one")
    page.keyboard.press("Control+Enter")
    ran(page)


@pytest.mark.parametrize(("width", "scheme"), [(1024, "light"), (390, "light"), (390, "dark")])
def test_it_fits_narrow_screens_in_both_themes(page: Page, width: int, scheme: str):
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto("/sql/")
    if page.get_by_role("textbox", name="SQL", exact=True).count() == 0:
        new_tab(page)
    write_sql(page, COUNTRIES)
    page.keyboard.press("Control+Enter")
    ran(page)
    assert sideways(page) <= 0
    assert not violations(page)


def test_it_works_without_scripts(browser: Browser, mirror: Mirror, signed_in: dict[str, object]):
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in, java_script_enabled=False)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/sql/")
    page.get_by_role("button", name="New SQL").first.click()
    page.locator("#sql-text").fill("SELECT name FROM stores WHERE id = :which")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator("#values input").fill("1")
    page.get_by_role("button", name="Run", exact=True).click()
    for _ in range(40):
        if page.locator("#result tbody tr").count():
            break
        page.wait_for_timeout(250)
        page.reload()
    expect(page.locator("#result tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Plan").click()
    expect(page.get_by_role("heading", name="How the database would run it").first).to_be_visible()
    context.close()
