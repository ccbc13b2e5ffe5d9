"""Dashboards by mouse and by keyboard: from an answer to a card, values that reload what they feed, cards moved and sized."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Request, expect

from tests.browser.helpers import answered, ask, sideways, violations, write_sql

OF_COUNTRY = "SELECT count(*) AS customers FROM customers WHERE country = :country"


def add(page: Page, title: str, new: str = "") -> None:
    """Add what is shown to a dashboard: to a new one of this name, or to the one changed last."""
    page.get_by_role("link", name="Add to dashboard").click()
    if new:
        if page.get_by_label("Dashboard", exact=True).count():
            page.get_by_label("Dashboard", exact=True).select_option(label="A new dashboard")
        page.get_by_label("Name of the").fill(new)
    page.get_by_label("Title").fill(title)
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_url(re.compile(r"/dashboards/\d+/#card-\d+$"))


def test_a_dashboard_from_its_first_card_to_its_end(page: Page) -> None:
    ask(page, "How many orders were placed each month in 2025?")
    answered(page)
    add(page, "Orders", new="Morning")
    board = page.url.partition("#")[0]
    expect(page.locator("mirror-chart[data-drawn]")).to_be_visible()
    # SQL with a :name, written on a run: the value it ran with is where the card begins.
    ask(page, "How many stores are there?")
    answered(page)
    write_sql(page, OF_COUNTRY)
    page.get_by_label(":country").fill("Norway")
    page.keyboard.press("Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("1 row")
    expect(page.locator("#versions")).to_contain_text("edited")
    expect(page.get_by_label(":country")).to_be_focused()
    add(page, "Customers")
    number = page.locator(".card", has_text="Customers").locator(".card-number")
    expect(number).to_have_text("259")
    # Its PDF tells times by the clocks of this browser.
    clocks = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(page.locator("input[name=zone]")).to_have_value(clocks)

    # A point whose value no card has and no field takes says so where it was pressed.
    place = page.locator(".card", has_text="Orders").locator(".chart-place")
    place.focus()
    expect(page.locator("mirror-chart[data-walked]")).to_be_visible()
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".card", has_text="Orders").locator("[data-told]")).to_contain_text(
        "Nothing here can be filtered"
    )

    # A value that is typed reloads the card that it feeds, and nothing else.
    asked: list[str] = []

    def keep(request: Request) -> None:
        if "/now/" in request.url:
            asked.append(request.url)

    page.on("request", keep)
    page.get_by_label("country").fill("Germany")
    page.keyboard.press("Enter")
    expect(number).not_to_have_text("259")
    expect(page).to_have_url(re.compile(r"\?country=Germany$"))
    cards = {re.search(r"only-cards=([\d%C,]*)", url)[1] for url in asked}  # type: ignore[index]
    assert len(cards) == 1
    expect(number).to_have_text(re.compile(r"^\d+$"))
    germany = number.inner_text()
    page.reload()
    expect(number).to_have_text(germany)
    page.get_by_role("button", name="Read “Customers” anew").click()
    expect(page.locator("#announcer")).to_contain_text("Customers is there")
    expect(page).to_have_url(re.compile(r"\?country=Germany$"))
    assert violations(page) == []

    # Arranged by keyboard alone, kept by the server.
    page.get_by_role("link", name="Arrange").click()
    handle = page.get_by_role("button", name="Move “Customers”")
    handle.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#announcer")).to_have_text("Customers: place 1 of 2")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#announcer")).to_have_text(re.compile(r"Customers: \d+ columns, \d+ rows"))
    expect(handle).to_be_focused()
    wide = page.locator(".card").first.evaluate("card => getComputedStyle(card).gridColumn")
    page.get_by_role("button", name="Add", exact=True).scroll_into_view_if_needed()
    page.locator("#id_text").fill("Look at it every morning.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Look at it every morning.")).to_be_visible()
    assert page.locator(".card h2").all_inner_texts()[:2] == ["Customers", "Orders"]
    assert page.locator(".card").first.evaluate("card => getComputedStyle(card).gridColumn") == wide
    assert violations(page) == []
    for width in (1024, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert sideways(page) <= 0
    page.set_viewport_size({"width": 1440, "height": 900})

    # One card as large as the page, and back.
    page.goto(board)
    page.get_by_role("link", name="Orders", exact=True).click()
    expect(page.locator("mirror-chart[data-drawn]")).to_be_visible()
    expect(page.get_by_role("region", name="Rows of Orders")).to_contain_text("Dec 2025")
    assert violations(page) == []
    page.get_by_role("link", name="Morning").click()
    page.get_by_role("link", name="Arrange").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete Morning").click()
    expect(page.get_by_role("main")).to_contain_text("Morning is gone.")


def test_a_number_what_it_changed_by_and_its_line_do_not_cover_each_other_on_a_card(page: Page) -> None:
    ask(page, "revenue by month")
    answered(page)
    with page.expect_response(lambda reply: reply.request.method == "POST"):
        page.locator("select[name=mark]").select_option("number")
    add(page, "Revenue", new="Low")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        page.locator("mirror-chart[data-drawn]").wait_for()
        card = page.locator(".card").bounding_box()
        number, change = (
            page.locator("mirror-chart .annotation-text").nth(n).bounding_box() for n in range(2)
        )
        assert card and number and change
        assert card["y"] < number["y"]
        assert number["y"] + number["height"] <= change["y"] + 2
        assert change["y"] + change["height"] < card["y"] + card["height"]
        line = page.locator("mirror-chart .scatterlayer .js-line")
        if line.evaluate("line => getComputedStyle(line.closest('.trace')).opacity") != "0":
            drawn = line.bounding_box()
            assert drawn and drawn["y"] >= change["y"] + change["height"] - 2
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("link", name="Arrange").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete Low").click()
    expect(page.get_by_role("main")).to_contain_text("Low is gone.")


def test_cards_filter_cards_and_a_link_says_so(page: Page) -> None:
    ask(page, "How many customers are there in each country?")
    answered(page)
    add(page, "Countries", new="Places")
    board = page.url.partition("#")[0]
    ask(page, "How many stores are there?")
    answered(page)
    write_sql(
        page, "SELECT country, city, count(*) AS customers FROM customers GROUP BY 1, 2 ORDER BY 3 DESC"
    )
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("rows")
    add(page, "Cities")
    page.goto(board)
    expect(page.locator("mirror-chart[data-drawn]").first).to_be_visible()

    # A point of a chart by keyboard, its chip away by keyboard.
    place = page.locator(".card", has_text="Countries").locator(".chart-place")
    place.focus()
    expect(page.locator("mirror-chart[data-walked]").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#announcer")).to_contain_text("Enter filters the other cards")
    page.keyboard.press("Enter")
    expect(page.locator("#announcer")).to_contain_text("1 card filtered")
    expect(page.locator(".card-crossed[data-filtered]")).to_contain_text("Filtered: country is")
    expect(place).to_be_focused()
    expect(page).to_have_url(re.compile("where="))
    assert violations(page) == []
    # Its address is a link: somebody who follows it sees the same cards filtered, and goes back by it.
    followed = page.context.new_page()
    followed.goto(page.url)
    expect(followed.locator(".card-crossed[data-filtered]")).to_contain_text("Filtered: country is")
    followed.get_by_role("link", name="Remove the filter").click()
    expect(followed.locator(".card-crossed")).to_have_count(0)
    followed.go_back()
    expect(followed.locator(".card-crossed[data-filtered]")).to_contain_text("Filtered: country is")
    followed.close()
    page.get_by_role("link", name="Remove the filter").press("Enter")
    expect(page.locator(".card-crossed")).to_have_count(0)
    expect(page).to_have_url(board)
    page.get_by_role("link", name="Arrange").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete Places").click()


def test_cards_fill_the_screen_and_are_dragged(page: Page) -> None:
    ask(page, "How many customers are there in each country?")
    answered(page)
    add(page, "Countries", new="Walls")
    board = page.url.partition("#")[0]
    ask(page, "How many stores are there?")
    answered(page)
    add(page, "Stores")
    page.goto(board)
    expect(page.locator("mirror-chart[data-drawn]").first).to_be_visible()
    page.keyboard.press("f")
    expect(page.get_by_role("link", name="Leave full screen")).to_be_focused()
    expect(page.get_by_role("navigation")).to_be_hidden()
    expect(page).to_have_url(re.compile("full-screen=1"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Full screen", exact=True)).to_be_visible()

    # Dragged: given up by Escape, then kept.
    page.get_by_role("link", name="Arrange").click()
    expect(page.locator(".card-grip").first).to_be_attached()
    for key in ("Escape", ""):
        page.get_by_role("button", name="Move “Countries”").hover()
        page.mouse.down()
        box = page.locator(".card").nth(1).bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.8, steps=8)
        expect(page.locator(".card[data-dragged]")).to_be_visible()
        if key:
            page.keyboard.press(key)
        page.mouse.up()
        said = "Countries stays where it was" if key else "Countries: place 2 of 2"
        expect(page.locator("#announcer")).to_have_text(said)
    page.reload()
    assert page.locator(".card h2 > a").all_inner_texts() == ["Stores", "Countries"]
    page.goto(board)
    page.get_by_role("link", name="Arrange").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete Walls").click()


def test_a_point_sets_a_value_of_the_dashboard_by_keyboard_and_by_mouse(page: Page) -> None:
    ask(page, "How many customers are there in each country?")
    answered(page)
    add(page, "Countries", new="Sets")
    board = page.url.partition("#")[0]
    ask(page, "How many stores are there?")
    answered(page)
    write_sql(page, OF_COUNTRY)
    page.get_by_label(":country").fill("Norway")
    page.keyboard.press("Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text("1 row")
    expect(page.locator("#versions")).to_contain_text("edited")
    add(page, "Customers")
    page.goto(board)
    number = page.locator(".card", has_text="Customers").locator(".card-number")
    expect(number).to_have_text("259")
    place = page.locator(".card", has_text="Countries").locator("mirror-chart[data-drawn] .chart-place")
    place.focus()
    expect(page.locator("mirror-chart[data-walked]")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "/now/" in one.url else None)

    # By keyboard: a menu, closed by Escape, then chosen from.
    page.keyboard.press("ArrowRight")
    expect(page.locator("#announcer")).to_contain_text("Enter offers what to do with it")
    told = page.locator("#announcer").inner_text()
    country = told.partition(":")[0]
    page.keyboard.press("Enter")
    item = page.get_by_role("menuitem", name=f"Set country to {country}")
    expect(item).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(item).to_have_count(0)
    expect(place).to_be_focused()
    assert page.url == board and not asked
    page.keyboard.press("Enter")
    expect(item).to_be_focused()
    page.keyboard.press("Enter")
    expect(number).not_to_have_text("259")
    expect(page).to_have_url(re.compile(rf"\?country={re.escape(country.replace(' ', '+'))}$"))
    expect(page.get_by_role("textbox", name="country")).to_have_value(country)
    expect(place).to_be_focused()
    fed = {re.search(r"only-cards=([\d%C,]*)", url)[1] for url in asked}  # type: ignore[index]
    assert len(fed) == 1 and "," not in fed.pop(), "the other card is not asked for"
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Clear country")).to_be_focused()
    page.keyboard.press("Escape")
    expect(number).to_have_text(re.compile(r"^\d+$"))
    chosen = number.inner_text()
    page.reload()
    expect(number).to_have_text(chosen)
    expect(page.locator("mirror-chart[data-drawn]")).to_be_visible()
    page.go_back()
    expect(number).to_have_text("259")

    # By mouse: the last bar.
    bar = page.locator("mirror-chart[data-drawn] .bars .point path").first
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("mirror-chart[data-walked]")).to_be_visible()
    page.mouse.down()
    page.mouse.up()
    page.get_by_role("menuitem", name="Set country to").click()
    expect(page).to_have_url(re.compile(r"\?country="))
    page.set_viewport_size({"width": 390, "height": 844})
    assert sideways(page) <= 0
    page.goto(board)
    page.get_by_role("link", name="Arrange").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete Sets").click()


def test_why_a_figure_changed_is_watched_as_it_is_read_and_leads_to_a_value(page: Page) -> None:
    ask(page, "Number of returns by month in 2025")
    answered(page)
    page.get_by_role("link", name="Why did this change?").click()
    sentence = page.locator("#why .sentence")
    expect(sentence).to_contain_text("from November to December 2025", timeout=20_000)
    page.locator("#period-now").select_option(label="June 2025")
    page.locator("#period-before").select_option(label="March 2025")
    page.get_by_role("button", name="Compare").click()
    expect(sentence).to_contain_text("from March to June 2025", timeout=20_000)
    expect(page.locator(".why-table").first).to_be_visible()
    assert not violations(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert sideways(page) <= 0
    value = page.locator(".why-table tbody a").first
    said = value.inner_text()
    value.click()
    expect(page.get_by_role("textbox", name="What do you want to know?")).to_have_value(
        re.compile(re.escape(said))
    )
