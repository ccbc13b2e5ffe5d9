"""Saving and sharing in a browser: sources, saved SQL with parameters, people invited by a link."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.helpers import answered, ask, violations, write_sql
from tests.browser.running import Mirror


@pytest.fixture(scope="session")
def pets_file(mirror: Mirror) -> Path:
    """A small database to connect."""
    path = mirror.folder / "pets.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE pets (name TEXT, kind TEXT, age INTEGER)")
        db.execute("INSERT INTO pets VALUES ('Rex', 'dog', 3), ('Tom', 'cat', 5)")
    db.close()
    return path


def test_a_source_is_tried_connected_searched_shared_and_let_go(page: Page, pets_file: Path):
    page.goto("/sources/connect/?engine=sqlite")
    page.get_by_label("Name").fill("pets")
    page.get_by_label("Path of the file").fill(f"{pets_file}.gone")
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("There is no file")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("pets")
    page.get_by_label("Path of the file").fill(str(pets_file))
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("Connected to SQLite")).to_be_visible()
    page.get_by_role("button", name="Connect").click()
    page.wait_for_url(re.compile(r"/sources/\d+/$"))

    sent: list[str] = []

    def answer_nothing(route: Route) -> None:
        sent.append(route.request.url)
        route.fulfill(status=204)

    page.route("**/refresh/", answer_nothing)
    page.get_by_role("button", name="Read the tables again").click()
    expect(page.get_by_role("button", name=re.compile(r"Reading the tables … \d s"))).to_be_visible()
    page.get_by_role("button", name="Reading the tables").click()
    assert len(sent) == 1, "pressed twice, it was sent once"
    page.unroute("**/refresh/")
    page.reload()
    page.get_by_role("button", name="Read the tables again").click()
    expect(page.get_by_text("1 table was read")).to_be_visible()

    page.get_by_role("searchbox").fill("kind")
    expect(page.locator("mark", has_text="kind")).to_be_visible()
    expect(page).to_have_url(re.compile(r"q=kind"))
    assert not violations(page)
    page.get_by_role("searchbox").fill("no such thing")
    expect(page.get_by_text("Nothing is called that")).to_be_visible()

    page.get_by_role("link", name="Ask about it").click()
    expect(page.get_by_role("combobox", name="Source")).to_have_value("pets")
    page.go_back()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Share").click()
    assert not violations(page)
    page.go_back()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Delete").click()
    assert not violations(page)
    page.get_by_role("button", name="Delete pets").click()
    expect(page.get_by_text("pets is gone from Mirror")).to_be_visible()


def test_sql_is_saved_given_a_parameter_and_run_with_another_value(page: Page):
    ask(page, "How many customers are there in Norway?", "shop")
    answered(page)
    write_sql(page, "SELECT name FROM stores WHERE country = 'Norway'")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#verdict")).to_contain_text("your SQL")
    page.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Stores of a country")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as")).to_be_visible()

    page.get_by_role("link", name="Library").click()
    page.get_by_role("link", name="Stores of a country").click()
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.get_by_role("textbox", name="SQL")).to_contain_text("SELECT name FROM stores")
    write_sql(page, "SELECT count(*) AS stores FROM stores WHERE country = :country")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("New in the SQL: :country")).to_be_visible()
    assert not violations(page)
    page.get_by_label("Shown as").first.fill("Country")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Run it")).to_be_visible()
    assert not violations(page)
    page.get_by_label("Country").fill("Germany")
    page.get_by_role("button", name="Run").click()
    page.wait_for_url("**/runs/*/")
    expect(page.locator("#answer")).to_be_visible(timeout=20_000)


def test_somebody_is_let_in_by_a_link_and_sees_only_what_is_shared(
    page: Page, browser: Browser, mirror: Mirror
):
    page.goto("/teams/new/")
    page.get_by_label("Name").fill("Analysts")
    page.get_by_role("button", name="Make the team").click()
    page.goto("/people/new/")
    page.get_by_label("Username").fill("bob")
    page.get_by_role("button", name="Add and make the link").click()
    assert not violations(page)
    link = page.locator("#one-time-link").inner_text()

    context = browser.new_context(base_url=mirror.url)
    bobs = context.new_page()
    bobs.goto(link)
    bobs.get_by_role("button", name="Sign in").click()
    bobs.goto("/sources/")
    expect(bobs.get_by_text("No sources yet")).to_be_visible()

    page.goto("/teams/")
    page.get_by_role("link", name="Analysts").click()
    page.get_by_label("Username").fill("bob")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("button", name="Remove bob")).to_be_visible()
    page.goto("/sources/1/share/")
    page.get_by_role("checkbox", name="Analysts: sees it").check()
    page.get_by_label("Analysts: role").select_option("analyst")
    page.get_by_role("button", name="Save").click()
    bobs.reload()
    bobs.get_by_role("link", name="shop").click()
    expect(bobs.get_by_role("heading", name="shop")).to_be_visible()
    expect(bobs.get_by_role("link", name="Edit")).to_have_count(0)
    assert not violations(bobs)
    context.close()
