"""A table of rows as something to work with: search, totals, and columns by mouse and by keyboard."""

from __future__ import annotations

from itertools import count

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import show_table, sideways, violations, write_sql

SQL = "SELECT id, name, price, '<i>x</i>' AS \"a <b>b\", printf('%.6000c', 'y') AS long FROM products WHERE id <= {} ORDER BY id"
# Each test has a result of its own size, so that none takes that of the one before for its own.
SIZES = count(100)


@pytest.fixture
def grid(page: Page, a_run: str) -> Page:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(a_run)
    size = next(SIZES)
    write_sql(page, SQL.format(size))
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result .panel-foot")).to_contain_text(f"{size} rows")
    show_table(page)
    expect(page.get_by_role("button", name="More about price")).to_be_attached()
    return page


def names(page: Page) -> list[str]:
    heads = page.locator("mirror-grid thead tr:first-child th:not([hidden])")
    return [text.strip() for text in heads.all_inner_texts()]


def copied(page: Page) -> str:
    page.evaluate("navigator.clipboard.writeText('')")
    page.keyboard.press("Control+c")
    page.wait_for_function("async () => await navigator.clipboard.readText() !== ''")
    return str(page.evaluate("navigator.clipboard.readText()"))


def about(page: Page, column: str, choice: str) -> None:
    page.get_by_role("button", name=f"More about {column}").focus()
    page.keyboard.press("Enter")
    page.locator("#grid-menu").get_by_role("button", name=choice, exact=True).press("Enter")


def test_rows_are_searched_and_added_up(grid: Page):
    grid.get_by_role("searchbox", name="Search all columns").press_sequentially("be")
    expect(grid.locator(".grid-foot")).to_contain_text("rows match")
    expect(grid.get_by_role("searchbox", name="Search all columns")).to_be_focused()
    grid.get_by_role("link", name="Totals").click()
    expect(grid.locator("mirror-grid tfoot")).to_contain_text("average")
    assert not violations(grid)


def test_columns_are_hidden_moved_and_kept_in_sight_and_stay_so(grid: Page):
    about(grid, "long", "Hide")
    about(grid, "price", "Move left")
    assert names(grid) == ["id", "price", "name", "a <b>b"]
    about(grid, "id", "Keep in sight, with all before it")
    expect(grid.locator("mirror-grid th.is-frozen").first).to_have_css("position", "sticky")
    grid.get_by_role("link", name="Next").click()
    expect(grid.locator("mirror-grid tbody td").first).to_have_text("51")
    assert names(grid) == ["id", "price", "name", "a <b>b"]
    grid.get_by_role("button", name="Columns").click()
    assert not violations(grid)
    grid.get_by_role("checkbox", name="long").check()
    grid.get_by_role("button", name="As they came").click()
    assert names(grid) == ["id", "name", "price", "a <b>b", "long"]


def test_a_column_is_sorted_measured_and_told_in_its_menu(grid: Page):
    grid.get_by_role("button", name="More about price").press("Enter")
    expect(grid.locator("#grid-menu")).to_contain_text("Average")
    assert not violations(grid)
    grid.keyboard.press("Escape")
    expect(grid.get_by_role("button", name="More about price")).to_be_focused()
    about(grid, "id", "Sort downwards")
    expect(grid.locator("mirror-grid tbody td").first).not_to_have_text("1")
    expect(grid.get_by_role("button", name="More about name")).to_be_attached()
    about(grid, "name", "Filter")
    expect(grid.get_by_role("searchbox", name="Filter name")).to_be_focused()


def test_an_edge_is_dragged_to_make_a_column_wider(grid: Page):
    head = grid.locator("mirror-grid th[data-column='1']")
    before = head.bounding_box()
    assert before
    grid.mouse.move(before["x"] + before["width"] - 2, before["y"] + 10)
    grid.mouse.down()
    grid.mouse.move(before["x"] + before["width"] + 78, before["y"] + 10, steps=4)
    grid.mouse.up()
    after = head.bounding_box()
    assert after and round(after["width"] - before["width"]) in range(70, 90)
    assert sideways(grid) <= 0


def test_a_range_of_cells_is_selected_and_copied_exactly(grid: Page):
    grid.locator("#result mirror-grid .table-frame").focus()
    for key in ("ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight"):
        grid.keyboard.press(key)
    lines = copied(grid).split("\n")
    assert [line.split("\t")[0] for line in lines] == ["1", "2"]
    cells = grid.locator("mirror-grid tbody tr")
    cells.nth(1).locator("td").nth(0).hover()
    grid.mouse.down()
    cells.nth(2).locator("td").nth(2).hover()
    grid.mouse.up()
    assert [len(line.split("\t")) for line in copied(grid).split("\n")] == [3, 3]


def test_a_value_that_is_too_long_for_the_page_is_copied_whole(grid: Page):
    grid.locator("#result mirror-grid .table-frame").focus()
    grid.keyboard.press("ArrowDown")
    grid.keyboard.press("End")
    grid.keyboard.press("Control+c")
    expect(grid.locator("#announcer")).to_have_text("Value copied")
    assert grid.evaluate("navigator.clipboard.readText()") == "y" * 6000
