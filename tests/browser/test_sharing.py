"""A question shared by a link and commented on: signed out, on a phone, by keyboard, without scripts."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import answered, ask, fits, sideways, violations

ASKED = "Which five countries bring the most revenue?"


def test_a_question_is_shared_by_a_link_that_is_looked_at_and_revoked(page: Page, browser: Browser):
    ask(page, ASKED)
    answered(page)
    page.get_by_role("link", name="Share", exact=True).click()
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_text("The link is made.")).to_be_visible()
    expect(page.get_by_label("Address of the link").first).to_be_focused()
    assert violations(page) == [] and sideways(page) <= 0
    address = page.get_by_label("Address of the link").input_value()
    for scripts, scheme in ((True, "light"), (False, "dark")):
        outside = browser.new_context(
            viewport={"width": 390, "height": 800}, java_script_enabled=scripts, color_scheme=scheme
        )
        other = outside.new_page()
        other.goto(address)
        expect(other.get_by_role("heading", name=ASKED)).to_be_visible()
        expect(other.get_by_role("cell", name="United States")).to_be_visible()
        expect(other.get_by_text("SELECT")).to_have_count(0)
        if scripts:
            expect(other.locator("mirror-chart .main-svg").first).to_be_visible()
            assert fits(other) and violations(other) == []
        outside.close()
    page.get_by_role("link", name="All your links").click()
    expect(page.get_by_text("opened 2 times").first).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Revoke").first.click()
    expect(page.get_by_text("The link shows nothing any more.")).to_be_visible()
    outside = browser.new_context()
    gone = outside.new_page()
    assert gone.goto(address).status == 404
    outside.close()


def test_people_who_see_a_dashboard_are_mentioned_by_keyboard(page: Page):
    page.goto("/people/new/")
    page.get_by_label("Username").fill("talia")
    page.get_by_role("button", name="Add and make the link").click()
    expect(page.locator("#one-time-link")).to_be_visible()
    page.goto("/teams/new/")
    page.get_by_label("Name").fill("Talkers")
    page.get_by_role("button", name="Make the team").click()
    page.goto("/teams/")
    page.get_by_role("link", name="Talkers").click()
    for name in ("talia", "admin"):
        page.get_by_label("Username").fill(name)
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_role("button", name=f"Remove {name}")).to_be_visible()
    page.goto("/dashboards/new/")
    page.get_by_label("Name").fill("Talked about")
    page.get_by_role("main").get_by_role("button").last.click()
    page.get_by_role("link", name="Share", exact=True).click()
    page.get_by_role("checkbox", name="Talkers").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Talked about").first.click()
    field = page.get_by_label("Write a comment")
    field.fill("Is this right, ")
    field.press_sequentially("@ta")
    offered = page.get_by_role("listbox", name="People who see this page")
    expect(offered.get_by_role("option", name="talia")).to_have_attribute("aria-selected", "true")
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(field).to_have_value("Is this right, @talia ")
    expect(offered).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".comment .mention")).to_have_text("@talia")
    expect(page).to_have_url(re.compile("#comment-"))
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(page) and violations(page) == []
    page.get_by_role("link", name="Edit your comment").click()
    page.get_by_label("Comment").fill("It is right.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".comment")).to_contain_text("It is right.")
    expect(page.locator(".comment")).to_contain_text("edited")
    page.get_by_role("link", name="Edit your comment").click()
    page.get_by_role("button", name="Delete this comment").click()
    expect(page.locator(".comment")).to_have_count(0)
