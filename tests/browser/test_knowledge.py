"""A team's knowledge in a browser: a term tried and saved, an answer verified, feedback given and read; and its layout on a phone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, sideways
from tests.browser.test_pages import seen_by_axe


def looked_at(page: Page) -> list[str]:
    wide = sideways(page)
    return [*seen_by_axe(page), *([f"{page.url} scrolls sideways by {wide} pixels"] if wide > 0 else [])]


def test_a_term_is_tried_saved_and_gone_by_and_an_answer_verified_and_doubted(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    ask(page, "clean takings by country", "shop")
    answered(page)
    page.goto("/sources/1/")
    page.get_by_role("link", name="Knowledge", exact=True).click()
    page.get_by_role("link", name="New term").click()
    words = page.get_by_label("Words", exact=True)
    words.fill("x")
    page.get_by_label("Meaning, in SQL").fill("SUM(amount) FILTER (WHERE colour = 'x')")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator(".field-error")).to_contain_text("One letter")
    found = looked_at(page)
    words.fill("clean takings")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator(".field-error")).to_contain_text("There is no column colour", timeout=20_000)
    page.get_by_label("Meaning, in SQL").fill("SUM(amount) FILTER (WHERE status = 'delivered')")
    page.get_by_label("Description").fill("what delivered orders brought")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What “clean takings” changes", timeout=20_000)
    expect(page.get_by_role("article", name="clean takings by country")).to_be_visible()
    found += looked_at(page)
    page.get_by_role("button", name="Save the term").click()
    expect(page.get_by_role("link", name="clean takings")).to_be_visible()
    found += looked_at(page)
    ask(page, "clean takings by country", "shop")
    answered(page)
    expect(page.locator("#terms")).to_contain_text("clean takings = what delivered orders brought, by")
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_text("Verified. The same question")).to_be_visible()
    ask(page, "Clean takings by country?", "shop")
    answered(page)
    expect(page.locator("#verdict")).to_contain_text("Verified by")
    page.get_by_text("Wrong…").click()
    page.get_by_label("Kind of fault").select_option("figure")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#say")).to_contain_text("You said that this is wrong")
    found += looked_at(page)
    page.goto("/sources/1/knowledge/feedback/")
    expect(page.get_by_role("heading", name="Clean takings by country?")).to_be_visible()
    found += looked_at(page)
    page.get_by_role("button", name="Never again").click()
    expect(page.get_by_text("Nothing waits")).to_be_visible()
    page.get_by_role("link", name="Evaluations").click()
    page.get_by_role("button", name="Evaluate now").click()
    expect(page.get_by_role("cell", name="1 of 1, 100 %").first).to_be_visible(timeout=30_000)
    found += looked_at(page)
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 of 1, 100 % right")
    found += looked_at(page)
    page.get_by_role("link", name="evaluations").click()
    page.get_by_role("link", name="Verified answers").click()
    found += looked_at(page)
    page.get_by_role("button", name="Take back").first.click()
    page.get_by_role("link", name="Terms", exact=True).click()
    page.get_by_role("link", name="clean takings").click()
    page.get_by_role("button", name="Delete this term").click()
    expect(page.get_by_text("No terms yet")).to_be_visible()
    assert found == []


def test_proposed_questions_are_verified_in_chosen_wordings_or_refused_by_keyboard(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/sources/1/knowledge/answers/")
    page.get_by_role("link", name="Questions to verify").first.click()
    found = looked_at(page)
    page.get_by_role("button", name="Propose questions").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Propose other questions")).to_be_visible(timeout=60_000)
    found += looked_at(page)
    first = page.get_by_role("article").first
    name = first.get_by_role("heading").inner_text()
    first.get_by_role("checkbox").nth(1).focus()
    page.keyboard.press("Space")
    first.get_by_role("button", name="Verify").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 questions verified.")).to_be_visible()
    expect(page.get_by_role("heading", name=name, exact=True)).to_have_count(0)
    second = page.get_by_role("article").first.get_by_role("heading").inner_text()
    page.get_by_role("article").first.get_by_role("button", name="Never again").click()
    expect(page.get_by_text("It is not proposed again.")).to_be_visible()
    expect(page.get_by_role("heading", name=second, exact=True)).to_have_count(0)
    page.get_by_role("link", name="Verified answers").click()
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    for button in page.get_by_role("button", name="Take back").all():
        button.click()
        break
    page.get_by_role("button", name="Take back").first.click()
    assert found == []


def test_knowledge_improves_itself_step_by_step_and_the_page_follows(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/sources/1/knowledge/questions/")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_role("button", name="Propose other questions")).to_be_visible(timeout=60_000)
    for _ in range(3):
        page.get_by_role("button", name="Verify:").first.click()
        expect(page.get_by_text("1 question verified.")).to_be_visible()
    page.get_by_role("link", name="Improving").click()
    expect(page.get_by_text("Nothing was tried yet")).to_be_visible()
    found = looked_at(page)
    page.get_by_label("Answers it may ask for").fill("60")
    page.get_by_role("button", name="Improve").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Go on")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("heading", name="Steps")).to_be_visible()
    expect(page.get_by_text("With fewer than 15 templates")).to_be_visible()
    found += looked_at(page)
    page.get_by_role("link", name="Verified answers").click()
    while (buttons := page.get_by_role("button", name="Take back")).count():
        buttons.first.click()
    assert found == []
