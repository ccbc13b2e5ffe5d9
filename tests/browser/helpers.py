"""Shared steps in a browser: ask, connect, write SQL; and checks by axe and of the layout."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect


def ask(page: Page, question: str, source: str = "shop") -> None:
    """Type a question and press Enter; the source is said, as Ask keeps the one that was chosen last."""
    page.goto(f"/?source={source}")
    page.get_by_role("textbox", name="What do you want to know?").fill(question)
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*/")


def answered(page: Page) -> None:
    """Wait for the outcome of the run."""
    expect(page.locator("#answer")).to_be_visible(timeout=20_000)


SETTLED = """() => Promise.all(document.getAnimations()
    .filter(motion => Number.isFinite(motion.effect.getComputedTiming().endTime))
    .map(motion => motion.finished.catch(() => null))).then(() => null)"""


def violations(page: Page, *rules: str) -> list[str]:
    """Violations that axe finds, one line each; of these rules only, or of all.

    Colour transitions (a theme that changed just now) are waited for. Passes are not described place by place: nobody reads
    them.
    """
    page.evaluate(SETTLED)
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{page.url} {v['id']}: {n['html'][:160]}" for v in found for n in v["nodes"]]


def sideways(page: Page) -> int:
    """How far the page can be scrolled sideways, in pixels; 0 is right. A page that comes just now is waited for."""
    page.wait_for_load_state()
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def fits(page: Page, seconds: float = 10) -> bool:
    """Whether the page fits its width, once a chart has followed the window."""
    for _ in range(int(seconds * 10)):
        if sideways(page) <= 0:
            return True
        page.wait_for_timeout(100)
    return False


def connect(page: Page, name: str, path: Path) -> None:
    """Connect a database file through the form."""
    page.goto("/sources/connect/?engine=sqlite")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Path of the file").fill(str(path))
    page.get_by_role("button", name="Connect").click()
    page.wait_for_url(re.compile(r"/sources/\d+/"))


def write_sql(page: Page, sql: str) -> None:
    """Replace what the editor holds, by typing."""
    page.locator("mirror-editor[data-ready]").wait_for()
    page.get_by_role("textbox", name="SQL").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(sql)


def clipboard_holds(page: Page, text: str) -> None:
    """Wait until this text is on the clipboard: it is written after the click or the key."""
    page.wait_for_function("async (text) => await navigator.clipboard.readText() === text", arg=text)


def show_table(page: Page) -> None:
    """Choose the table where there is a chart too."""
    page.get_by_role("tab", name="Table").click()


@contextmanager
def visiting(browser: Browser, address: str) -> Iterator[Page]:
    """A telephone in which nobody is signed in; no script of a page fails there, nor is one refused."""
    context = browser.new_context(base_url=address, viewport={"width": 390, "height": 844})
    trouble: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on(
        "console", lambda said: trouble.append(said.text) if "Content Security Policy" in said.text else None
    )
    yield page
    context.close()
    assert trouble == []
