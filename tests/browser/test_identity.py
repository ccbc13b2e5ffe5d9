"""Signing in by a provider of identities, and with a one-time code, in a real browser against a Mirror of its own."""

from __future__ import annotations

import base64
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from playwright.sync_api import Browser, Page, expect

from tests.browser.helpers import sideways, violations, visiting
from tests.browser.running import Mirror, running_mirror
from tests.oidc_server import CLIENT, SECRET, OidcServer, oidc_server


@pytest.fixture(scope="module")
def idp() -> Iterator[OidcServer]:
    with oidc_server() as server:
        yield server


@pytest.fixture(scope="module")
def company(idp: OidcServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirror]:
    """A Mirror whose people sign in by the provider."""
    told = {
        "OIDC_ISSUER": idp.issuer,
        "OIDC_CLIENT_ID": CLIENT,
        "OIDC_CLIENT_SECRET": SECRET,
        "OIDC_NAME": "Example ID",
    }
    with running_mirror(tmp_path_factory.mktemp("company"), told) as mirror:
        yield mirror


@pytest.fixture
def visitor(browser: Browser, company: Mirror) -> Iterator[Page]:
    """A browser in which nobody is signed in."""
    with visiting(browser, company.url) as page:
        yield page


def test_somebody_signs_in_by_the_provider_and_out_of_both(visitor: Page, idp: OidcServer):
    idp.person("dora", ["analysts"])
    visitor.goto("/library/")
    assert violations(visitor) == [] and sideways(visitor) <= 0
    button = visitor.get_by_role("link", name="Sign in with Example ID")
    button.focus()
    visitor.keyboard.press("Enter")
    visitor.get_by_role("link", name="I am dora").click()
    visitor.wait_for_url("**/library/")
    visitor.goto("/account/")
    expect(visitor.get_by_text("You sign in by Example ID and need no password here.")).to_be_visible()
    expect(visitor.get_by_text("by identity provider since")).to_be_visible()
    assert violations(visitor) == [] and sideways(visitor) <= 0
    visitor.set_viewport_size({"width": 1440, "height": 900})
    visitor.locator(".rail-foot summary").click()
    visitor.get_by_role("button", name="Sign out", exact=True).click()
    expect(visitor.get_by_role("heading", name="You are signed out of Mirror")).to_be_visible()
    assert violations(visitor) == []
    visitor.get_by_role("link", name="Sign out of Example ID").click()
    expect(visitor.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    assert "/out" in idp.asked


def test_a_provider_that_gives_way_is_told_and_another_try_gets_in(visitor: Page, idp: OidcServer):
    idp.person("emil", [])
    visitor.goto("/sign-in/")
    visitor.get_by_role("link", name="Sign in with Example ID").click()
    idp.faults = {"another key"}
    visitor.get_by_role("link", name="I am emil").click()
    expect(visitor.get_by_role("heading", name="The sign-in could not be trusted")).to_be_visible()
    expect(visitor.get_by_text("not signed with a key of Example ID")).to_be_visible()
    assert violations(visitor) == [] and sideways(visitor) <= 0
    idp.faults = set()
    visitor.get_by_role("link", name="Try again").click()
    visitor.get_by_role("link", name="I am emil").click()
    expect(visitor.get_by_role("heading", level=1)).to_be_visible()
    visitor.goto("/account/")
    expect(visitor.get_by_text("You are signed in as emil.")).to_be_visible()


@pytest.mark.long
@pytest.mark.timeout(400)
def test_a_removed_person_is_out_by_the_worker_alone(visitor: Page, idp: OidcServer, company: Mirror):
    """Nobody calls anything here: scheduler and worker ask the provider by themselves, at the next tick after two minutes.

    The two minutes have passed in the store, where the time of the last question is set back.
    """
    idp.person("finn", [])
    visitor.goto("/sign-in/")
    visitor.get_by_role("link", name="Sign in with Example ID").click()
    visitor.get_by_role("link", name="I am finn").click()
    visitor.goto("/account/")
    expect(visitor.get_by_text("You are signed in as finn.")).to_be_visible()
    idp.remove("finn")
    with closing(sqlite3.connect(company.folder / "store.sqlite3", timeout=20)) as db, db:
        assert db.execute("UPDATE people_identity SET asked_at = datetime(asked_at, '-1 hour')").rowcount > 0
    since = time.monotonic()
    while time.monotonic() - since < 300:
        visitor.goto("/account/")
        if "/sign-in/" in visitor.url:
            return
        time.sleep(0.5)
    raise AssertionError("still in after five minutes")


def test_one_time_codes_are_set_up_and_asked(visitor: Page, company: Mirror):
    visitor.goto(company.link)
    visitor.get_by_role("main").get_by_role("button").click()
    visitor.goto("/account/")
    visitor.get_by_label("New password", exact=True).fill("a long pass phrase")
    visitor.get_by_label("New password confirmation").fill("a long pass phrase")
    visitor.get_by_role("button", name="Save the password").click()
    visitor.get_by_role("link", name="Set up one-time codes").click()
    visitor.get_by_label("Your password").fill("a long pass phrase")
    visitor.get_by_role("button", name="Set up one-time codes").click()
    expect(visitor.get_by_role("img", name="The secret as a picture")).to_be_visible()
    assert (
        visitor.get_by_role("img", name="The secret as a picture").evaluate("image => image.naturalWidth") > 0
    )
    assert violations(visitor) == [] and sideways(visitor) <= 0
    secret = visitor.locator("code").first.inner_text().replace(" ", "")
    visitor.get_by_label("Code").fill(code_of(secret))
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    assert violations(visitor) == [] and sideways(visitor) <= 0
    spare = visitor.locator("li code").first.inner_text()
    visitor.context.clear_cookies()
    visitor.goto("/account/")
    visitor.get_by_label("Username").fill("admin")
    visitor.get_by_label("Password").fill("a long pass phrase")
    visitor.get_by_role("button", name="Sign in", exact=True).click()
    expect(visitor.get_by_role("heading", name="One-time code")).to_be_visible()
    visitor.get_by_label("Code").fill("000000")
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_text("That code is wrong")).to_be_visible()
    assert violations(visitor) == [] and sideways(visitor) <= 0
    visitor.get_by_label("Code").fill(spare)
    visitor.keyboard.press("Enter")
    visitor.wait_for_url("**/account/")
    expect(visitor.get_by_text("A code of your app is asked when you sign in.")).to_be_visible()


def code_of(secret: str) -> str:
    """The code that an authenticator app with this secret shows now."""
    return TOTP(base64.b32decode(secret), 6, SHA1(), 30).generate(time.time()).decode()  # noqa: S303 - as apps do
