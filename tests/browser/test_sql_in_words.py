"""SQL changed and told in words: changes accepted and rejected one by one, by keyboard and by mouse."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.helpers import sideways, violations, write_sql
from tests.browser.test_sql_page import editor, new_tab
from tests.scripted_server import serving

SQL = "SELECT country, count(*) AS customers\nFROM customers\nWHERE country <> 'Norway'\nGROUP BY country"


def test_a_proposal_is_accepted_change_by_change_and_the_sql_told(page: Page):
    new_tab(page)
    write_sql(page, SQL)
    words = page.get_by_role("textbox", name="Change in words")
    words.fill("without Germany and add the share of the total, top 3")
    page.keyboard.press("Enter")
    told = page.locator("#change-told")
    expect(told).to_contain_text("2 changes to accept or reject")
    expect(page.locator("#announcer")).to_contain_text("2 changes to accept or reject")
    expect(page.get_by_role("button", name="Accept all")).to_be_focused()
    expect(page.locator("#sql-text")).to_have_value(SQL)
    assert not violations(page)
    assert sideways(page) <= 0
    page.get_by_role("button", name="Accept this").focus()
    page.keyboard.press("Enter")
    expect(told).to_contain_text("1 change to accept or reject")
    page.locator(".cm-deletedChunk").get_by_role("button", name="Reject", exact=True).click()
    expect(told).to_have_text("Done: 1 of 2 changes accepted.")
    expect(editor(page)).to_be_focused()
    expect(page.locator("#sql-text")).to_have_value(re.compile(r"AS share[\s\S]*GROUP BY country$"))
    words.fill("only the shiny ones")
    page.get_by_role("button", name="Propose").click()
    expect(told).to_contain_text("Not understood and left out: “only the shiny ones”")
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#plan")).to_contain_text("One row for each")
    assert not violations(page)


def test_a_language_model_proposes_what_the_rules_do_not_know(page: Page):
    nordic = SQL.replace("<> 'Norway'", "IN ('Norway', 'Sweden')")
    with serving(f"```sql\n{nordic}\n```", seconds=1) as server:
        page.goto("/language-models/new/")
        page.get_by_label("Name").fill("Words")
        page.get_by_label("Address").fill(server.base_url)
        page.get_by_label("Model", exact=True).fill("scripted-1")
        page.get_by_role("button", name="Save").click()
        new_tab(page)
        write_sql(page, SQL)
        words = page.get_by_role("textbox", name="Change in words")
        told = page.locator("#change-told")
        words.fill("only customers in the Nordics")
        page.keyboard.press("Enter")
        expect(told).to_contain_text("The language model reads what you typed.")
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        expect(told).to_contain_text(
            "Proposed by scripted-1 (Words), a language model. Changed: condition. 1 change"
        )
        expect(page.get_by_role("link", name="See what it was sent")).to_be_visible()
        assert not violations(page)
        assert sideways(page) <= 0
        page.get_by_role("button", name="Accept all").click()
        expect(page.locator("#sql-text")).to_have_value(nordic)
        words.fill("top 3")
        page.keyboard.press("Enter")
        expect(told).to_contain_text("Proposed: at most 3 rows")
        page.get_by_role("button", name="Reject all").click()
        page.get_by_role("button", name="Ask scripted-1 (Words) instead").click()
        expect(told).to_contain_text("gave the SQL back as it was")
        expect(page.locator("#sql-text")).to_have_value(nordic)
        words.fill("only friendly ones")
        page.keyboard.press("Enter")
        expect(told).to_contain_text("The language model reads")
        write_sql(page, "SELECT 1")
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(told).to_contain_text("It was stopped.")
        expect(page.locator("#sql-text")).to_have_value("SELECT 1")
        page.goto("/language-models/")
        page.get_by_role("link", name="Words").click()
        page.get_by_text("Remove it", exact=True).click()
        page.get_by_role("button", name="Remove Words").click()
