"""An administrator sets a language model, tests it, and the next question goes by it, with nothing started again."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, violations
from tests.scripted_server import serving


def test_a_page_whose_test_is_gone_says_so_and_asks_no_more(page: Page):
    polled: list[int] = []
    with serving("late", seconds=20) as server:
        page.goto("/language-models/new/")
        page.get_by_label("Name").fill("Removed")
        page.get_by_label("Address").fill(server.base_url)
        page.get_by_label("Model", exact=True).fill("scripted-1")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Test Removed").click()
        expect(page.get_by_text("Waiting for the model")).to_be_visible()
        page.on("response", lambda got: polled.append(got.status) if "/tests/" in got.url else None)
        other = page.context.new_page()
        other.goto("/language-models/")
        other.get_by_role("link", name="Removed").click()
        other.get_by_text("Remove it", exact=True).click()
        other.get_by_role("button", name="Remove Removed").click()
        expect(other.get_by_text("Removed is removed.")).to_be_visible()
        expect(page.get_by_text("This test is gone")).to_be_visible()
        assert violations(page) == []
        count = len(polled)
        page.wait_for_timeout(1_500)
        assert polled[-1] == 286 and len(polled) == count
        other.close()


def test_a_language_model_is_added_tested_asked_and_removed(page: Page):
    with serving("```sql\nSELECT count(*) AS n FROM customers\n```") as server:
        page.goto("/language-models/")
        page.get_by_role("link", name="Add a language model").click()
        page.get_by_label("Name").fill("On trial")
        page.get_by_label("Address").fill(server.base_url)
        page.get_by_label("Model", exact=True).fill("scripted-1")
        page.get_by_label("Key").fill("sk-on-trial-123")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("button", name="Test On trial").click()
        expect(page.get_by_text("It replied after")).to_be_visible()
        expect(page.get_by_text("SELECT count(*) AS n FROM customers")).to_be_visible()
        assert violations(page) == []
        ask(page, "How many customers are there?")
        answered(page)
        page.locator("#why summary").click()
        expect(page.locator("#why")).to_contain_text("scripted-1 (On trial)")
        page.goto("/language-models/")
        page.get_by_role("link", name="On trial").click()
        page.get_by_text("Remove it", exact=True).click()
        page.get_by_role("button", name="Remove On trial").click()
        expect(page.get_by_text("On trial is removed.")).to_be_visible()


def test_a_language_model_that_is_down_is_told_above_the_analysts_answer(page: Page):
    page.goto("/language-models/new/")
    page.get_by_label("Name").fill("Dead one")
    page.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    page.get_by_label("Model", exact=True).fill("m-1")
    page.get_by_role("button", name="Save").click()
    ask(page, "revenue per country in 2025")
    answered(page)
    expect(page.locator("#without-llm")).to_have_text(
        "The language model did not reply. The built-in analyst was asked instead."
    )
    expect(page.locator("#chips-lead")).to_have_text("Understood as")
    assert violations(page) == []
    page.goto("/language-models/")
    page.get_by_role("link", name="Dead one").click()
    page.get_by_label("Used for questions").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Dead one is kept. It is not used, so no question goes to it.")).to_be_visible()
    page.get_by_role("link", name="Dead one").click()
    page.get_by_text("Remove it", exact=True).click()
    page.get_by_role("button", name="Remove Dead one").click()
    expect(page.get_by_text("Dead one is removed.")).to_be_visible()
