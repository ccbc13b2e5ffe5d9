"""Logins of teams: given by the keyboard, warned about, tried again after an error, and taken away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import sideways
from tests.browser.test_pages import seen_by_axe
from tests.servers import PASSWORD as SERVER_PASSWORD
from tests.servers import PostgresServer
from tests.web.login_world import ALL_ROWS, DATABASE, NORTH, PASSWORD, database_make


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A database with row security, and a login for a region."""
    yield database_make()


def looked_at(page: Page) -> list[str]:
    """Violations that axe finds, and the overflow of the page at three widths."""
    found = seen_by_axe(page)
    for width in (390, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        if folder := os.environ.get("SHOTS"):
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                name = f"logins-{len(list(Path(folder).iterdir())):02d}-{width}-{scheme}.png"
                page.screenshot(path=str(Path(folder) / name), full_page=True)
        if (wide := sideways(page)) > 0:
            found.append(f"{page.url} scrolls sideways by {wide} pixels at {width}")
    return found


def test_a_login_is_given_and_taken_with_the_keyboard(page: Page, server: PostgresServer) -> None:
    for team in ("Rows north", "Rows west"):
        page.goto("/teams/new/")
        page.fill("[name=name]", team)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=team)).to_be_visible()
    page.goto("/sources/connect/?engine=postgres")
    typed = {"name": "seen-sales", "host": server.host, "port": str(server.port), "database": DATABASE}
    for name, value in {**typed, "username": ALL_ROWS, "password": PASSWORD}.items():
        page.fill(f"[name={name}]", value)
    page.get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_role("heading", name="seen-sales")).to_be_visible()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Logins of teams").click()
    expect(page.get_by_role("main")).to_contain_text("Share the source first")
    found = looked_at(page)
    page.get_by_role("link", name="Share it").click()
    for team in ("Rows north", "Rows west"):
        page.get_by_label(f"{team}: sees it").check()
        page.get_by_label(f"{team}: role").select_option("analyst")
    page.get_by_role("button", name="Save").click()
    here = page.url + "logins/"
    page.goto(here)
    north = page.locator("section", has=page.get_by_role("heading", name="Rows north"))
    north.get_by_label("User").focus()
    page.keyboard.type(NORTH)
    page.keyboard.press("Tab")
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_contain_text(f"The login {NORTH} is not kept")
    found += looked_at(page)
    north.get_by_label("User").fill(NORTH)
    north.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_contain_text(f"The login {NORTH} works and is kept")
    west = page.locator("section", has=page.get_by_role("heading", name="Rows west"))
    west.get_by_label("User").fill(server.user)
    west.get_by_label("Password").fill(SERVER_PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_contain_text("Row security does not hold for this user")
    found += looked_at(page)
    west.get_by_role("link", name="Take the login away").click()
    expect(page.get_by_role("main")).to_contain_text("every row that this user reads")
    found += looked_at(page)
    page.get_by_role("button", name="Take the login away").click()
    expect(west).to_contain_text("Has no login")
    assert not found, "\n".join(found)
