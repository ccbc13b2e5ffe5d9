"""Chips of a reading, changed one by one: by keyboard alone, by touch on a phone, without scripts; and words marked while typing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import answered, ask, fits, sideways, violations, write_sql
from tests.browser.running import Mirror

QUESTION = "revenue by category 2025"


@pytest.fixture(scope="module")
def understood(browser: Browser, mirror: Mirror, signed_in: dict[str, object]) -> str:
    """The address of a question that was understood."""
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in)  # type: ignore[arg-type]
    page = context.new_page()
    ask(page, QUESTION, source="shop")
    answered(page)
    address = page.url
    context.close()
    return address


def chip(page: Page, words: str):
    return page.locator("mirror-chips summary", has_text=words)


def test_chips_are_changed_by_keyboard_alone_and_keep_the_focus(page: Page):
    ask(page, QUESTION, source="shop")
    answered(page)
    for _ in range(40):
        if page.evaluate("document.activeElement.matches('#chip-where-0-button')"):
            break
        page.keyboard.press("Tab")
    expect(chip(page, "2025")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("searchbox", name="Find a choice")).to_be_focused()
    page.keyboard.press("Escape")
    expect(chip(page, "2025")).to_be_focused()
    expect(page.locator(".understood-chip[open]")).to_have_count(0)

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="2024", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_contain_text("period changed to 2024")
    expect(chip(page, "2024")).to_be_focused()
    expect(page.locator("#result .panel-foot")).to_contain_text("complete")
    expect(page.locator("mirror-editor")).to_contain_text("'2024-01-01'")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{QUESTION} (changed: period to 2024)")
    expect(page.get_by_role("heading", name="Revenue by category, 2024")).to_be_visible()
    expect(chip(page, "2024")).to_be_focused()

    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("mon")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_contain_text("by month instead of category")
    expect(chip(page, "month")).to_be_focused()
    expect(page.locator("#result .panel-foot")).to_contain_text("12 rows")

    undo = page.get_by_role("button", name="Undo change")
    undo.press("Enter")
    expect(chip(page, "category")).to_be_visible()
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    expect(chip(page, "2025")).to_be_visible()
    expect(undo).to_have_count(0)
    expect(page.locator(".understood-chip > summary").first).to_be_focused()
    expect(page.locator("#versions")).to_contain_text("3 versions")
    page.reload()
    expect(chip(page, "2025")).to_be_visible()
    expect(page.locator("mirror-editor")).to_contain_text("'2025-01-01'")


def test_a_chip_is_taken_away_and_another_one_added(page: Page, understood: str):
    page.goto(understood)
    chip(page, "2025").click()
    page.get_by_role("button", name="All time").click()
    expect(page.locator("#chip-where-0")).to_have_count(0)
    expect(page.locator("#result .panel-foot")).to_contain_text("complete")
    expect(chip(page, "Add")).to_be_focused()
    chip(page, "Add").press("Enter")
    page.keyboard.type("channel web")
    page.keyboard.press("Enter")
    expect(chip(page, "channel of orders is web")).to_be_visible()
    expect(page.locator("#result .panel-foot")).to_contain_text("complete")


def test_sql_written_by_hand_has_no_chips_and_leads_back(page: Page):
    ask(page, QUESTION, source="shop")
    answered(page)
    write_sql(page, "SELECT 7 AS seven")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#understood")).to_have_text(re.compile("This SQL was written by hand."))
    expect(page.locator("mirror-chips")).to_have_count(0)
    expect(page.locator("#result .panel-foot")).to_contain_text("1 row")
    page.get_by_text("where from?").click()
    expect(page.locator("#why")).to_contain_text("SQL that you wrote")
    page.keyboard.press("Escape")
    assert not violations(page)
    page.get_by_role("button", name="Back to the first answer").press("Enter")
    expect(chip(page, "revenue")).to_be_focused()
    expect(page.locator("mirror-editor")).to_contain_text("categories.name")
    expect(page.locator("#versions")).to_contain_text("2 versions")


def test_an_unanswerable_question_leaves_the_editor_empty(page: Page):
    ask(page, "What is the colour of happiness on the moon?", source="shop")
    answered(page)
    expect(page.locator("#verdict")).to_contain_text("Not answerable")
    page.locator("mirror-editor[data-ready]").wait_for()
    expect(page.locator(".cm-placeholder")).to_have_text("SELECT …")
    assert page.locator("#sql-text").input_value() == ""
    assert not violations(page)


def test_a_long_chip_is_shown_whole_and_the_focus_in_its_menu_is_not_clipped(page: Page):
    ask(page, "percentage of orders paid by PayPal from customers in the Nordics in 2025", source="shop")
    answered(page)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        gaps = page.evaluate("""() => [...document.querySelectorAll(".understood-chip")].map(chip => {
            const [outer, inner, text] = [chip, chip.querySelector(".chip-button") ?? chip, chip.querySelector(".chip-words")];
            return [outer.getBoundingClientRect().width - inner.getBoundingClientRect().width, text.scrollWidth - text.clientWidth];
        })""")
        assert all(free <= 1 and cut <= 0 for free, cut in gaps), gaps
        assert fits(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    chip(page, "2025").press("Enter")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineOffset)") < 0


@pytest.mark.parametrize("width", [1440, 390])
def test_look_and_use_stand_on_one_line(page: Page, width: int):
    ask(page, "sales by region", source="shop")
    answered(page)
    page.set_viewport_size({"width": width, "height": 900})
    look, use = (
        page.locator(".reading-look").first.bounding_box(),
        page.locator(".reading form button").first.bounding_box(),
    )
    assert look
    assert use
    assert abs(look["y"] + look["height"] / 2 - use["y"] - use["height"] / 2) <= 2


def test_one_number_takes_little_room_and_a_phone_hears_of_no_keys(page: Page):
    ask(page, "How many stores are there?", source="shop")
    answered(page)
    page.locator("mirror-chart[data-drawn]").wait_for()
    box = page.locator("#chart-pane").bounding_box()
    assert box
    assert box["height"] <= 240
    page.set_viewport_size({"width": 390, "height": 900})
    expect(page.locator("#sql-keys")).to_be_hidden()
    page.goto("/")
    expect(page.locator("#ask-keys")).to_be_hidden()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator("#ask-keys")).to_be_visible()


def test_a_menu_that_finds_nothing_says_so_and_a_click_elsewhere_closes_it(page: Page, understood: str):
    page.goto(understood + "?version=1")
    chip(page, "category").click()
    page.keyboard.type("zzzz")
    expect(page.locator(".understood-chip[open] .chip-none")).to_be_visible()
    page.get_by_role("heading", level=1).click()
    expect(page.locator(".understood-chip[open]")).to_have_count(0)


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1440, "light"),
        (390, "dark"),
        pytest.param(1440, "dark", marks=pytest.mark.long),
        pytest.param(390, "light", marks=pytest.mark.long),
    ],
)
def test_chips_and_their_menus_are_accessible_and_fit(page: Page, understood: str, width: int, scheme: str):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(understood + "?version=1")
    for words in ("revenue", "category", "2025", "Add"):
        opened = chip(page, words)
        opened.click()
        menu = page.locator(".understood-chip[open] .chip-menu")
        expect(menu).to_be_visible()
        box = menu.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert sideways(page) <= 0
        assert not violations(page)
        page.keyboard.press("Escape")


def test_words_that_were_not_used_are_struck_through(page: Page):
    ask(page, "foobar orders by country", source="shop")
    answered(page)
    struck = page.locator("mirror-chips s")
    expect(struck).to_have_text("foobar")
    expect(page.locator("mirror-chips .chip-unused")).to_have_text("not used: foobar")
    assert "line-through" in struck.evaluate("e => getComputedStyle(e).textDecorationLine")
    chip(page, "country").click()
    page.keyboard.type("year")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_contain_text("by year instead of country")
    expect(page.locator("#told")).not_to_contain_text("leaves out")


def test_a_chip_is_changed_without_scripts(
    browser: Browser, mirror: Mirror, signed_in: dict[str, object], understood: str
):
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in, java_script_enabled=False)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(understood + "?version=1")
    page.locator("#chip-where-0 > summary").click()
    page.locator("#chip-where-0").get_by_role("button", name="2023", exact=True).click()
    expect(page.locator("#verdict")).to_contain_text("period changed to 2023")
    context.close()


def test_words_that_are_understood_are_marked_while_typing_and_nothing_moves(page: Page):
    page.goto("/")
    box = page.get_by_role("textbox", name="What do you want to know?")
    before = box.bounding_box()
    page.keyboard.type("frobnicated revenue by category ")
    expect(page.locator(".mark-known")).to_have_text(["revenue", "by", "category"])
    expect(page.locator(".mark-unknown")).to_have_text("frobnicated")
    expect(box).to_have_accessible_description(re.compile("Not understood: frobnicated"))
    assert box.bounding_box() == before
    layer, area = (page.locator(s).bounding_box() for s in (".ask-marks", "#question"))
    assert layer
    assert area
    assert abs(layer["x"] - area["x"]) <= 1
    assert abs(layer["y"] - area["y"]) <= 1
    assert not violations(page)
    box.fill("")
    expect(page.locator("mark")).to_have_count(0)
    expect(box).not_to_have_accessible_description(re.compile("Not understood"))


def test_undo_and_redo_are_typed_and_lead_through_the_thread(page: Page):
    ask(page, QUESTION, source="shop")
    answered(page)
    first = page.url
    box = page.get_by_role("textbox", name="Ask a follow-up")
    box.fill("by month instead")
    box.press("Enter")
    page.wait_for_url(lambda url: url != first)
    answered(page)
    second = page.url
    for typed, place in (("undo", first), ("redo", second), ("undo", first)):
        page.get_by_role("textbox", name="Ask a follow-up").fill(typed)
        page.keyboard.press("Enter")
        page.wait_for_url(place)
        expect(page.locator(".messages")).to_contain_text("Typed as a follow-up")
    page.get_by_role("textbox", name="Ask a follow-up").fill("undo")
    page.keyboard.press("Enter")
    expect(page.locator("#follow-up-problem")).to_contain_text("nothing left to undo")
    expect(page.locator("#follow-note")).to_contain_text("A follow-up goes on from this question")
    assert not violations(page)
