"""A source whose user could do more than read: the warning, the statements to copy, and an administrator's tick."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import sideways
from tests.browser.test_pages import seen_by_axe
from tests.servers import PASSWORD, PostgresServer, postgres_server


@pytest.fixture(scope="module")
def erp() -> PostgresServer:
    """A database whose user owns a table in it."""
    server = postgres_server()
    with server.connect() as db:
        db.execute("CREATE DATABASE seen_erp")
    with server.connect("seen_erp") as db:
        db.execute(f"CREATE ROLE seen_owner LOGIN PASSWORD '{PASSWORD}'; CREATE TABLE invoices (id int)")
        db.execute("ALTER TABLE invoices OWNER TO seen_owner")
    return server


def too_wide(page: Page) -> list[str]:
    wide = sideways(page)
    return [f"{page.url} scrolls sideways by {wide} pixels"] if wide > 0 else []


def test_the_warning_stays_until_an_administrator_confirms_it(page: Page, erp: PostgresServer) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/sources/connect/?engine=postgres")
    typed = {"name": "seen-erp", "host": erp.host, "port": str(erp.port), "database": "seen_erp"}
    for name, value in {**typed, "username": "seen_owner", "password": PASSWORD}.items():
        page.fill(f"[name={name}]", value)
    page.get_by_role("button", name="Test", exact=True).click()
    told = page.locator("#test-result")
    expect(told).to_contain_text("could do more than read")
    expect(told).to_contain_text("Change and drop 1 table of its own in schema public (invoices)")
    found = [*seen_by_axe(page), *too_wide(page)]
    page.get_by_role("button", name="Connect", exact=True).click()
    warning = page.locator(".notice-warn", has_text="The user seen_owner could do more than read")
    expect(warning).to_be_visible()
    warning.get_by_text("Statements that make a user which only reads").click()
    warning.get_by_role("button", name="Copy").first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith('CREATE ROLE "mirror_reader" LOGIN PASSWORD \'')
    assert 'GRANT CONNECT ON DATABASE "seen_erp" TO "mirror_reader";' in copied
    found += [*seen_by_axe(page), *too_wide(page)]
    warning.get_by_label("I know what this user could do").check()
    warning.get_by_role("button", name="Confirm").click()
    expect(warning).to_have_count(0)
    page.get_by_text("Powers of its user beyond reading").click()
    expect(page.locator("#powers")).to_contain_text("confirmed by")
    found += [*seen_by_axe(page), *too_wide(page)]
    assert not found, "\n".join(found)
