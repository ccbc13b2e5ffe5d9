"""SQL changed and told in words: changes accepted and rejected one by one, by keyboard and by mouse."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.helpers import sideways, violations, write_sql
from tests.browser.test_sql_page import editor, new_tab

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
    taken = page.locator("#sql-text").input_value()
    assert "AS share" in taken and taken.endswith("GROUP BY country")
    words.fill("only the shiny ones")
    page.get_by_role("button", name="Propose").click()
    expect(told).to_contain_text("Not understood and left out: “only the shiny ones”")
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("#plan")).to_contain_text("One row for each")
    assert not violations(page)
