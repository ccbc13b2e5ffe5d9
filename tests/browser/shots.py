"""Look at every page: `python -m tests.browser.shots FOLDER` writes each at three widths, light and dark.

Starts a Mirror of its own, asks it things, and takes the pictures of the README too (`--docs`).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.helpers import answered, ask, show_table, write_sql
from tests.browser.running import ROOT, chromium, running_mirror

WIDTHS = (1440, 1024, 390)
TOP = "Which five countries bring the most revenue?"
PAGES = {
    "ask": "/",
    "history": "/history/",
    "library": "/library/",
    "dashboards": "/dashboards/",
    "dashboard-new": "/dashboards/new/",
    "overview": "/dashboards/explore/1/",
    "reports": "/reports/",
    "report-new": "/reports/new/",
    "sending": "/reports/sending/",
    "sources": "/sources/",
    "source": "/sources/1/",
    "model": "/sources/1/model/",
    "model-days": "/sources/1/model/calendar/",
    "model-table": "/sources/1/model/table/?table=orders",
    "model-column": "/sources/1/model/column/?table=orders&column=channel",
    "connect-file": "/sources/connect/?engine=sqlite",
    "connect-server": "/sources/connect/?engine=postgres",
    "connect-spark": "/sources/connect/?engine=spark",
    "connect-other": "/sources/connect/?engine=sqlalchemy",
    "people": "/people/",
    "teams": "/teams/",
    "account": "/account/",
    "codes": "/account/codes/",
    "passkeys": "/account/passkeys/",
    "signing-in": "/people/sign-in/",
    "tokens": "/account/tokens/",
    "api": "/account/api/",
    "agents": "/sources/1/agents/",
    "audit": "/audit/",
    "language-models": "/language-models/",
    "language-model-new": "/language-models/new/",
    "language-models-use": "/language-models/use/",
    "missing": "/nowhere/",
}


def main() -> None:
    """Start, ask, look."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--docs", action="store_true", help="write docs/ask.png and docs/ask-dark.png only")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as var,
        running_mirror(Path(var)) as mirror,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(**chromium())  # type: ignore[arg-type]
        context = browser.new_context(base_url=mirror.url)
        page = context.new_page()
        page.goto(mirror.link)
        page.get_by_role("main").get_by_role("button").click()
        if wanted.docs:
            docs(browser, context, page)
        else:
            everything(browser, context, page, wanted.folder)
        browser.close()


def everything(browser: Browser, context: BrowserContext, page: Page, folder: Path) -> None:
    """Make something to look at, then look at it in every size and theme."""
    pages = dict(PAGES)
    for name, question in {
        "run": TOP,
        "run-line": "How many orders were placed each month in 2025?",
        "run-number": "How many stores are there?",
        "run-unanswerable": "What is the colour of happiness on the moon?",
    }.items():
        ask(page, question)
        answered(page)
        pages[name] = page.url
    ask(page, "How many returns were there for each reason?")
    answered(page)
    write_sql(page, "SELECT reason, COUNT(*) AS n\nFROM returns\nGROUP BY reasn")
    page.keyboard.press("Control+Enter")
    page.locator("#problem [role=alert]").wait_for()
    pages["run-error"] = page.url
    state = context.storage_state()
    for theme in ("light", "dark"):
        for width in WIDTHS:
            seen = browser.new_context(
                base_url=page.url.split("/runs")[0],
                storage_state=state,
                color_scheme=theme,
                viewport={"width": width, "height": 900},
                reduced_motion="reduce",
            )
            look(seen, pages, folder, f"{width}-{theme}")
            seen.close()


def look(context: BrowserContext, pages: dict[str, str], folder: Path, suffix: str) -> None:
    """Photograph every page, and the run page's table and folds."""
    page = context.new_page()
    for name, address in pages.items():
        page.goto(address)
        settle(page)
        page.screenshot(path=folder / f"{name}-{suffix}.png", full_page=True)
    page.goto(pages["run"])
    settle(page)
    show_table(page)
    page.get_by_text("How this was found").click()
    page.get_by_text("Read every attempt").click()
    page.screenshot(path=folder / f"run-open-{suffix}.png", full_page=True)


def docs(browser: Browser, context: BrowserContext, page: Page) -> None:
    """Take the README's pictures."""
    ask(page, TOP)
    answered(page)
    state = context.storage_state()
    for theme, name in (("light", "ask.png"), ("dark", "ask-dark.png")):
        seen = browser.new_context(
            storage_state=state,
            color_scheme=theme,
            viewport={"width": 1360, "height": 860},
            reduced_motion="reduce",
        )
        picture = seen.new_page()
        picture.goto(page.url)
        settle(picture)
        picture.screenshot(path=ROOT / "docs" / name)
        seen.close()


def settle(page: Page) -> None:
    """Wait until editor and chart are there."""
    page.wait_for_load_state("networkidle")
    if page.locator("mirror-editor").count():
        page.locator("mirror-editor[data-ready]").wait_for()
    if page.locator("mirror-chart:visible").count():
        page.locator("mirror-chart[data-drawn]:visible").first.wait_for()


if __name__ == "__main__":
    main()
