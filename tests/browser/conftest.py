"""A real Mirror for a real Chromium: web server, Celery worker and scheduler, as `script/server` runs them.

One server serves all browser tests, in a folder of its own. Every page is watched: a script error, a
message of the console or a broken content security policy fails the test that met it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.helpers import answered, ask
from tests.browser.running import Mirror, chromium, running_mirror

# A view that never ends by itself: something to stop.
ENDLESS = """
CREATE TABLE stations (id INTEGER PRIMARY KEY, height REAL);
INSERT INTO stations VALUES (1, 12.5), (2, 40);
CREATE VIEW measurements AS
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT i AS id, i * 0.5 AS height FROM n;
"""

expect.set_options(timeout=10_000)


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirror]:
    """Everything, started once."""
    with running_mirror(tmp_path_factory.mktemp("mirror")) as mirror:
        yield mirror


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """This machine's own Chromium."""
    return {**browser_type_launch_args, **chromium()}


@pytest.fixture(scope="session")
def signed_in(mirror: Mirror, browser: Browser) -> dict[str, object]:
    """Browser state after the administrator used the link and the sample's values are read."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(mirror.link)
    page.get_by_role("main").get_by_role("button").click()
    page.wait_for_url(f"{mirror.url}/**")
    # On a busy machine the sample's values are read in several turns; tests choose among all of them.
    page.goto(f"{mirror.url}/sources/")
    page.get_by_role("main").get_by_role("link", name="shop", exact=True).click()
    expect(page.locator("#values-read:not([hx-get])")).to_be_visible(timeout=60_000)
    state = context.storage_state()
    context.close()
    return dict(state)


@pytest.fixture
def browser_context_args(
    browser_context_args: dict[str, object], mirror: Mirror, signed_in: dict[str, object]
) -> dict[str, object]:
    """Signed in, on a wide screen, without motion."""
    return {
        **browser_context_args,
        "base_url": mirror.url,
        "storage_state": signed_in,
        "viewport": {"width": 1440, "height": 900},
        "reduced_motion": "reduce",
    }


TOLERATED = (
    # A form says no, and an address is gone: the browser's console calls both an error.
    "status of 422",
    "status of 404",
    # A later request replaces an earlier one, as `hx-sync` asks, or the page is left. htmx calls both an error; where the
    # server could not be reached it says `htmx:sendError`.
    "htmx:sendAbort",
    "htmx:afterRequest",
)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that tolerates no error: of a script, of the console, of the content security policy."""
    page = context.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(f"{page.url}: {error}"))
    page.on("console", lambda told: told.type == "error" and trouble.append(f"{page.url}: {told.text}"))
    yield page
    met = [line for line in trouble if not any(told in line for told in TOLERATED)]
    assert not met, "\n".join(met)


@pytest.fixture(scope="session")
def endless_file(mirror: Mirror) -> Path:
    """A database whose rows never end."""
    path = mirror.folder / "endless.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.executescript(ENDLESS)
    connection.close()
    return path


@pytest.fixture(scope="session")
def a_run(browser: Browser, mirror: Mirror, signed_in: dict[str, object]) -> str:
    """The address of a question that was answered."""
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in)  # type: ignore[arg-type]
    page = context.new_page()
    ask(page, "How many stores are there?")
    answered(page)
    address = page.url
    context.close()
    return address
