"""Passkeys in a real Chromium with its own virtual authenticator: added by the keyboard, asked beside a password, signing in alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.browser.helpers import sideways, violations, visiting
from tests.browser.running import Mirror, running_mirror

PASSWORD = "a long pass phrase"  # noqa: S105 - of a test
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="module")
def home(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirror]:
    """A Mirror whose administrator has a password."""
    with running_mirror(tmp_path_factory.mktemp("passkeys")) as mirror:
        page = browser.new_page(base_url=mirror.url)
        page.goto(mirror.link)
        page.get_by_role("main").get_by_role("button").click()
        page.goto("/account/")
        page.get_by_label("New password", exact=True).fill(PASSWORD)
        page.get_by_label("New password confirmation").fill(PASSWORD)
        page.get_by_role("button", name="Save the password").click()
        expect(page.get_by_text("Your password is set.")).to_be_visible()
        page.close()
        yield mirror


@pytest.fixture
def visitor(browser: Browser, home: Mirror) -> Iterator[Page]:
    """A browser in which nobody is signed in, at a name: a passkey is bound to one."""
    at = home.url.replace("127.0.0.1", "localhost")
    with visiting(browser, at) as page:
        yield page


def plugged_in(page: Page, **told: object) -> tuple[CDPSession, str]:
    """Give a page a device that keeps passkeys."""
    wire = page.context.new_cdp_session(page)
    wire.send("WebAuthn.enable")
    return wire, wire.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE | told})["authenticatorId"]


def is_accessible(page: Page) -> None:
    assert violations(page) == [] and sideways(page) <= 0


def by_password(page: Page) -> None:
    page.context.clear_cookies()
    page.goto("/account/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_passkey_is_added_asked_signs_in_alone_and_is_removed(visitor: Page, home: Mirror):
    wire, device = plugged_in(visitor)
    by_password(visitor)
    visitor.get_by_role("link", name="Add a passkey").click()
    is_accessible(visitor)
    visitor.get_by_label("Your password").fill("wrong")
    visitor.get_by_role("button", name="Add a passkey").click()
    expect(visitor.get_by_role("alert")).to_have_text("That is not your password.")
    is_accessible(visitor)
    # By the keyboard alone.
    visitor.get_by_label("Name").focus()
    visitor.keyboard.press("Control+A")
    visitor.keyboard.type("Laptop")
    visitor.keyboard.press("Tab")
    visitor.keyboard.press("Control+A")
    visitor.keyboard.type(PASSWORD)
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    is_accessible(visitor)
    spare = visitor.locator("li code").first.inner_text()
    visitor.get_by_role("link", name="I have kept them").click()
    expect(visitor.locator(".list-title")).to_have_text("Laptop")
    is_accessible(visitor)
    assert len(wire.send("WebAuthn.getCredentials", {"authenticatorId": device})["credentials"]) == 1
    # The same device once more: the browser says so, and nothing is sent.
    visitor.get_by_label("Your password").first.fill(PASSWORD)
    visitor.get_by_role("button", name="Add a passkey").click()
    expect(visitor.get_by_role("alert")).to_have_text("This device has a passkey of yours already.")

    by_password(visitor)
    expect(visitor.get_by_role("heading", name="One more proof")).to_be_visible()
    is_accessible(visitor)
    visitor.get_by_label("Code").fill("000000")
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_text("That is none of your recovery codes")).to_be_visible()
    visitor.get_by_role("button", name="Use a passkey").focus()
    visitor.keyboard.press("Enter")
    visitor.wait_for_url("/account/")

    visitor.context.clear_cookies()
    visitor.goto("/library/")
    is_accessible(visitor)
    visitor.get_by_role("button", name="Sign in with a passkey").focus()
    visitor.keyboard.press("Enter")
    visitor.wait_for_url("/library/")
    visitor.goto("/account/")
    expect(visitor.get_by_text("by passkey since")).to_be_visible()
    is_accessible(visitor)

    # Without scripts the page says so, and a recovery code gets in.
    plain = visitor.context.browser.new_context(base_url=visitor.url, java_script_enabled=False)  # type: ignore[union-attr]
    page = plain.new_page()
    page.goto("/sign-in/")
    expect(page.get_by_text("needs scripts, which are off")).to_be_visible()
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_hidden()
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("A passkey needs scripts, which are off")).to_be_visible()
    expect(page.get_by_role("button", name="Use a passkey")).to_be_hidden()
    page.get_by_label("Code").fill(spare)
    page.get_by_role("button", name="Sign in with a code").click()
    page.goto("/account/passkeys/")
    expect(page.get_by_text("A passkey needs scripts, which are off")).to_be_visible()
    expect(page.get_by_role("button", name="Add a passkey")).to_be_hidden()
    plain.close()

    # A number in place of the name: the page says where to go.
    visitor.goto(f"{home.url}/sign-in/")
    expect(visitor.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)
    visitor.get_by_label("Username").fill("admin")
    visitor.get_by_label("Password").fill(PASSWORD)
    visitor.get_by_role("button", name="Sign in", exact=True).click()
    expect(visitor.get_by_text("Open Mirror at http://localhost:")).to_be_visible()
    is_accessible(visitor)

    visitor.goto(
        visitor.url.replace("127.0.0.1", "localhost").replace("/sign-in/code/", "/account/passkeys/")
    )
    visitor.get_by_role("link", name="Rename or remove Laptop").click()
    is_accessible(visitor)
    visitor.get_by_label("Your password").fill(PASSWORD)
    visitor.get_by_role("button", name="Remove this passkey").click()
    expect(visitor.get_by_text("“Laptop” no longer signs you in")).to_be_visible()
    visitor.context.clear_cookies()
    visitor.goto("/sign-in/")
    expect(visitor.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)
    by_password(visitor)
    expect(visitor.get_by_role("heading", name="Your account")).to_be_visible()


def test_a_device_that_asks_nobody_is_a_second_factor_and_no_more(visitor: Page, home: Mirror):
    """A key without PIN, and one whose owner turns back."""
    wire, device = plugged_in(visitor, transport="usb", hasResidentKey=False, hasUserVerification=False)
    by_password(visitor)
    visitor.goto("/account/passkeys/")
    visitor.get_by_label("Your password").fill(PASSWORD)
    visitor.get_by_role("button", name="Add a passkey").click()
    expect(visitor.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    by_password(visitor)
    visitor.get_by_role("button", name="Use a passkey").click()
    visitor.wait_for_url("/account/")
    visitor.goto("/account/passkeys/")
    visitor.get_by_role("link", name="Rename or remove").click()
    visitor.get_by_label("Your password").fill("wrong")
    visitor.get_by_role("button", name="Remove this passkey").click()
    expect(visitor.get_by_text("That is not your password.")).to_be_visible()
    wire.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": device})
    visitor.context.clear_cookies()
    visitor.goto("/sign-in/")
    visitor.evaluate(
        "() => { navigator.credentials.get = () => Promise.reject(new DOMException('no', 'NotAllowedError')); }"
    )
    visitor.get_by_role("button", name="Sign in with a passkey").click()
    expect(visitor.get_by_role("alert")).to_contain_text("No passkey was given")
    is_accessible(visitor)
    by_password(visitor)
    expect(visitor.get_by_role("button", name="Use a passkey")).to_be_visible()
