"""The run page in a hurry: a hint added by keyboard, drafts and readings on a phone, and SQL that is long."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.helpers import answered, ask, fits, sideways, violations, write_sql

QUESTION, HINT = "How many customers are whales?", "whales refers to country = 'Norway'"
UNSURE = "lapsed customers"
PHONE = {"width": 390, "height": 844}

# How far texts of the readings are cut, and how far their buttons lie over them, in pixels.
CUT = """() => [...document.querySelectorAll('.reading')].map((reading) => {
    const words = reading.querySelector('.reading-words').getBoundingClientRect();
    const button = reading.querySelector('.reading-use, form').getBoundingClientRect();
    const over = Math.min(words.right, button.right) > Math.max(words.left, button.left)
        && Math.min(words.bottom, button.bottom) > Math.max(words.top, button.top) + 1;
    const cut = [...reading.querySelectorAll('.reading-difference, .reading-rows')]
        .some((part) => part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1);
    return over || cut;
})"""


def test_a_hint_is_added_by_keyboard_and_goes_on_with_the_question(page: Page):
    page.goto("/?source=shop")
    box = page.get_by_role("textbox", name="What do you want to know?")
    box.press_sequentially(QUESTION)
    expect(page.locator(".mark-unknown")).to_have_text("whales")
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.hint-field > summary')"):
            break
    expect(page.get_by_text("Add a hint")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="Hint")).to_be_focused()
    page.keyboard.type(HINT)
    expect(page.locator(".mark-unknown")).to_have_count(0)
    assert not violations(page)
    page.reload()
    expect(page.get_by_role("textbox", name="Hint")).to_have_value(HINT)
    expect(box).to_have_value(QUESTION)
    box.press("Enter")
    page.wait_for_url("**/runs/*/")
    answered(page)
    expect(page.locator("#asked-hint")).to_have_text(f"Hint: {HINT}")
    expect(page.locator("mirror-editor")).to_contain_text("'Norway'")
    page.get_by_text("With the hint").press("Enter")
    expect(page.get_by_role("textbox", name="Hint")).to_have_value(HINT)
    assert not violations(page)
    page.goto("/?source=shop")
    expect(page.get_by_role("textbox", name="Hint")).to_be_hidden()
    expect(page.get_by_text("Add a hint")).to_be_visible()


def test_one_number_is_whole_on_a_phone(page: Page):
    page.set_viewport_size(PHONE)
    ask(page, "total revenue", source="shop")
    answered(page)
    page.locator("mirror-chart[data-drawn]").wait_for()
    number, place = (
        page.locator("mirror-chart .annotation-text").bounding_box(),
        page.locator("mirror-chart").bounding_box(),
    )
    assert place["x"] <= number["x"] and number["x"] + number["width"] <= place["x"] + place["width"]


def test_readings_are_whole_on_a_phone_and_a_draft_says_why_first(page: Page):
    page.set_viewport_size(PHONE)
    ask(page, UNSURE, source="shop")
    answered(page)
    expect(page.locator(".reading").first).to_be_visible()
    assert page.evaluate(CUT) == [False] * page.locator(".reading").count()
    assert sideways(page) <= 0
    caveat = page.locator("#told .notice").bounding_box()
    told, result = page.locator("#told .sentence").bounding_box(), page.locator("#result").bounding_box()
    assert caveat and told and result
    assert caveat["y"] < told["y"] < result["y"]
    expect(page.locator("#told .sentence")).to_contain_text("Draft")
    expect(page.locator("#result .panel-head")).to_contain_text("Draft")
    page.locator(".reading summary").first.press("Enter")
    assert not violations(page)
    assert sideways(page) <= 0


def test_long_sql_is_scrolled_by_keyboard(page: Page):
    page.set_viewport_size(PHONE)
    ask(page, "How many customers are there?", source="shop")
    answered(page)
    write_sql(page, "SELECT 1\n" + "\n".join(f"  + {n}" for n in range(120)))
    page.keyboard.press("Control+Home")
    scroller = page.locator(".cm-scroller")
    assert scroller.evaluate("one => one.scrollHeight > one.clientHeight")
    page.keyboard.press("Control+End")
    page.wait_for_function("() => document.querySelector('.cm-scroller').scrollTop > 0")
    assert not violations(page)


def test_a_hint_that_is_not_used_is_told_beside_the_verdict_and_in_history(page: Page):
    page.set_viewport_size(PHONE)
    asked_with_hint(page, "revenue by country in 2025", "please use the good numbers")
    expect(page.locator("#verdict")).to_contain_text("Answered")
    expect(page.locator("#verdict")).to_contain_text("Hint not used")
    told = page.locator("#unused-hint")
    expect(told).to_have_text("Not used of the hint: “please use the good numbers”.")
    notice, result = told.bounding_box(), page.locator("#result").bounding_box()
    assert notice and result and notice["y"] + notice["height"] < result["y"]
    assert notice["y"] < PHONE["height"]
    assert sideways(page) <= 0 and not violations(page)
    page.goto("/history/")
    first = page.locator("#runs .list-item").first
    expect(first).to_contain_text("Hint not used")
    assert sideways(page) <= 0 and not violations(page)


def test_a_condition_of_a_hint_is_told_as_it_was_used(page: Page):
    asked_with_hint(page, "revenue of heavy products by category", "heavy refers to weight of more than 5")
    expect(page.locator("#verdict")).to_contain_text("Answered")
    expect(page.locator("#verdict")).not_to_contain_text("Hint not used")
    expect(page.locator("#understood")).to_contain_text("weight")
    expect(page.locator("mirror-editor")).to_contain_text("weight > 5")
    assert not violations(page)


def asked_with_hint(page: Page, question: str, hint: str) -> None:
    """Ask with a hint, and wait for the answer."""
    page.goto("/?source=shop")
    box = page.get_by_role("textbox", name="What do you want to know?")
    box.fill(question)
    box.blur()  # suggestions lie over the hint while somebody types
    page.get_by_text("Add a hint").click()
    page.get_by_role("textbox", name="Hint").fill(hint)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url("**/runs/*/")
    answered(page)


def test_a_chart_begins_above_the_fold_of_a_phone_and_the_menu_stays_on_a_wide_screen(page: Page):
    page.set_viewport_size({"width": 390, "height": 844})
    ask(page, "Revenue by category per year")
    answered(page)
    chart = page.locator("#chart-pane mirror-chart[data-drawn]")
    expect(chart).to_be_visible()
    assert chart.bounding_box()["y"] < 720
    # Eight names stand in columns, not one below the other.
    expect(chart).to_have_attribute("data-named", "")
    assert chart.locator(".legend .bg").bounding_box()["height"] < 110
    assert fits(page)
    page.set_viewport_size({"width": 1440, "height": 500})
    page.mouse.move(700, 300)
    page.mouse.wheel(0, 700)
    expect(page.locator("#rail .brand")).to_be_in_viewport()
    page.wait_for_function("scrollY > 300")
    expect(page.locator("#rail .brand")).to_be_in_viewport()
