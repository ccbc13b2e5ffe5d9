"""Reports in a browser: made from saved SQL by mouse, by keyboard and without scripts; watched, downloaded, given away."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.helpers import clipboard_holds, sideways, violations
from tests.browser.running import Mirror
from tests.browser.test_keyboard import tab_to
from tests.browser.test_pages import seen_by_axe

STORES = "How many stores"


@pytest.fixture(scope="session")
def saved(browser: Browser, mirror: Mirror, signed_in: dict[str, object], a_run: str) -> str:
    """The address of SQL in the library."""
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(a_run)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("dialog").get_by_label("Name").fill(STORES)
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Open it").click()
    page.wait_for_url("**/library/*/")
    address = page.url
    context.close()
    return address


@pytest.fixture(scope="session")
def a_report(browser: Browser, mirror: Mirror, signed_in: dict[str, object], saved: str) -> tuple[str, str]:
    """The addresses of a report and of a run of it that was sent to a folder."""
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(saved)
    page.get_by_role("link", name="Send as a report").click()
    page.get_by_role("button", name="Folder").click()
    page.get_by_role("textbox", name="Folder").fill("stores")
    page.get_by_role("button", name="Make the report").click()
    page.wait_for_url(re.compile(r"/reports/\d+/$"))
    report = page.url
    page.get_by_role("button", name="Run now").click()
    sent(page)
    run = page.url
    context.close()
    return report, run


def sent(page: Page) -> None:
    """Wait until a run was made and delivered."""
    page.wait_for_url(re.compile(r"/reports/runs/\d+/$"))
    expect(page.locator("#deliveries .badge")).to_have_text("Sent", timeout=20_000)


def test_a_report_is_made_watched_downloaded_and_given_away_by_mouse(
    page: Page, saved: str, mirror: Mirror, browser: Browser
):
    page.goto(saved)
    page.get_by_role("link", name="Send as a report").click()
    ahead = page.locator("#next-runs li")
    expect(ahead).to_have_count(5)
    page.get_by_label("Time zone").fill("Pacific/Auckland")
    expect(page.locator("#next-runs")).to_contain_text("Every weekday at 08:00 (Pacific/Auckland)")
    page.get_by_text("Days of the week").click()
    page.get_by_text("Tue", exact=True).click()
    expect(page.locator("#next-runs")).to_contain_text("Every Monday and Tuesday")
    before = ahead.all_inner_texts()
    page.locator("[name=time]").fill("17:45")
    expect(ahead.first).to_contain_text("17:45")
    assert ahead.all_inner_texts() != before
    page.get_by_text("Cron", exact=True).click()
    expect(page.locator("#next-runs")).to_contain_text("Write a cron line")
    expect(page.locator("[name=time]")).to_be_hidden()
    page.get_by_text("Every day", exact=True).click()
    expect(page.locator("[name=time]")).to_have_value("17:45")
    page.get_by_role("textbox", name="Title").fill("Stores by mouse")
    page.get_by_label("CSV").check()
    page.get_by_role("button", name="Folder").click()
    expect(page.get_by_role("textbox", name="Folder")).to_be_focused()
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_text("Look at the fields marked below")).to_be_visible()
    expect(page.get_by_role("textbox", name="Folder")).to_be_focused()
    page.get_by_role("textbox", name="Folder").fill("by-mouse")
    page.get_by_role("button", name="Make the report").click()

    expect(page.get_by_text("Every day at 17:45 (Pacific/Auckland)")).to_be_visible()
    page.get_by_role("button", name="Run now").click()
    sent(page)
    expect(page.locator(".verdict")).to_contain_text("1 of 1 delivered")
    expect(page.locator(".run-body")).to_contain_text("20")
    assert len(list((mirror.folder / "folders" / "by-mouse").rglob("*.*"))) == 2
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").first.click()
    kept = Path(download.value.path())
    assert kept.stat().st_size > 0
    assert download.value.suggested_filename.startswith("stores-by-mouse")
    link_is_made_opened_and_revoked(page, browser, kept)

    page.goto("/reports/")
    page.get_by_role("searchbox").fill("by mouse")
    expect(page).to_have_url(re.compile("q=by"))
    expect(page.locator(".report-line")).to_have_count(1)
    expect(page.locator(".report-line")).to_contain_text("Sent")


def link_is_made_opened_and_revoked(page: Page, browser: Browser, kept: Path) -> None:
    """Make a link to the first file, open it signed out, revoke it, open it again."""
    file = page.locator(".report-file").first
    file.get_by_role("combobox").select_option(label="1 day")
    file.get_by_role("button", name="Make a link").click()
    address = file.locator("p.mono").inner_text()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    file.get_by_role("button", name="Copy").click()
    clipboard_holds(page, address)
    assert not violations(page)
    stranger = browser.new_context()
    opened = stranger.request.get(address)
    assert opened.body() == kept.read_bytes()
    file.get_by_role("button", name="Revoke").click()
    expect(file).to_contain_text("revoked")
    expect(file).to_contain_text("opened 1 time")
    gone = stranger.new_page()
    assert gone.goto(address).status == 404  # type: ignore[union-attr]
    expect(gone.get_by_role("heading", name="This link gives no file")).to_be_visible()
    stranger.close()


def test_the_first_wrong_field_has_the_focus_whichever_comes_first_the_scripts_or_the_browser(
    page: Page, saved: str
):
    """The browser gives it with the first picture of a page; the scripts lead back to the form that was sent."""
    page.goto("/reports/new/")
    page.get_by_role("button", name="Folder").click()
    folder = page.get_by_role("textbox", name="Folder")
    expect(folder).to_be_focused()
    held: list[Route] = []
    page.route(re.compile(r"/app[^/]*\.js"), lambda route: held.append(route))
    page.get_by_label("Saved SQL to add").select_option(index=1)
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Make the report").click(no_wait_after=True)
    expect(page.get_by_text("Look at the fields marked below")).to_be_visible()
    expect(folder).to_be_focused()
    folder.blur()
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(folder).to_be_focused()


@pytest.mark.parametrize("late", ["mirror-zone", "htmx.min"])
def test_a_time_zone_typed_before_the_scripts_came_stays(
    browser: Browser, mirror: Mirror, signed_in: dict[str, object], saved: str, late: str
):
    """The element puts in the zone of the browser, htmx fetches the next runs: each may come after the first keys."""
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in, timezone_id="Asia/Tokyo")  # type: ignore[arg-type]
    page = context.new_page()
    held: list[Route] = []
    page.route(re.compile(rf"/{re.escape(late)}[^/]*\.js"), lambda route: held.append(route))
    page.goto("/reports/new/", wait_until="commit")
    zone = page.get_by_label("Time zone")
    zone.fill("Pacific/Auckland")
    expect(page.locator("#next-runs")).not_to_contain_text("Auckland")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator("#next-runs")).to_contain_text("Every weekday at 08:00 (Pacific/Auckland)")
    page.evaluate("customElements.whenDefined('mirror-zone')")
    expect(zone).to_have_value("Pacific/Auckland")
    context.close()


def test_what_is_typed_while_a_row_is_on_its_way_stays(page: Page, saved: str):
    page.goto("/reports/new/")
    page.get_by_role("button", name="Folder").click()
    folder = page.get_by_role("textbox", name="Folder")
    folder.fill("sent before")
    held: list[Route] = []
    page.route("**/reports/new/", lambda route: held.append(route))
    page.get_by_role("button", name="Mail", exact=True).click()
    folder.fill("typed meanwhile")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator("#section-to .report-row")).to_have_count(2)
    expect(folder).to_have_value("typed meanwhile")
    expect(folder).to_be_focused()


def test_a_new_report_begins_in_the_time_zone_of_its_maker(
    browser: Browser, mirror: Mirror, signed_in: dict[str, object], a_report: tuple[str, str]
):
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in, timezone_id="Asia/Tokyo")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/reports/new/")
    expect(page.locator("#next-runs")).to_contain_text("Every weekday at 08:00 (Asia/Tokyo)")
    page.goto(f"{a_report[0]}edit/")
    expect(page.get_by_label("Time zone")).to_have_value("UTC")
    context.close()


def test_a_report_is_made_run_and_paused_by_keyboard_alone(page: Page, saved: str):
    page.goto("/reports/new/")
    tab_to(page, "#saved-to-add")
    page.keyboard.type(STORES)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Remove {STORES}")).to_be_visible()
    expect(page.locator("#saved-to-add")).to_be_focused()
    tab_to(page, "[name=title]")
    page.keyboard.type("Stores by keyboard")
    tab_to(page, "[name=kind]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#next-runs")).to_contain_text("On the 1st of every month")
    tab_to(page, "[name=day]")
    page.keyboard.press("Control+a")
    page.keyboard.type("15")
    expect(page.locator("#next-runs")).to_contain_text("On the 15th of every month")
    expect(page.locator("#announcer")).to_contain_text("Next run")
    expect(page.locator("[name=day]")).to_be_focused()
    tab_to(page, "[name=condition]:checked")
    page.keyboard.press("ArrowDown")
    tab_to(page, "[value='add:folder']")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Folder")).to_be_focused()
    page.keyboard.type("by-keyboard")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/reports/\d+/$"))
    report = urlsplit(page.url).path
    expect(page.get_by_text("Only when there are rows")).to_be_visible()
    tab_to(page, "form[action$='/run/'] button")
    page.keyboard.press("Enter")
    sent(page)
    tab_to(page, "button[aria-label^='Send again']")
    page.keyboard.press("Enter")
    sent(page)
    page.goto("/reports/")
    tab_to(page, f"a.list-title[href='{report}']")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{report}")
    tab_to(page, "form[action$='/pause/'] button")
    page.keyboard.press("Enter")
    expect(page.get_by_text("It is paused: nothing runs on schedule")).to_be_visible()


def test_a_report_is_made_without_scripts(
    browser: Browser, mirror: Mirror, signed_in: dict[str, object], saved: str
):
    context = browser.new_context(base_url=mirror.url, storage_state=signed_in, java_script_enabled=False)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/reports/new/")
    page.get_by_role("textbox", name="Title").fill("Stores without scripts")
    page.get_by_label("Saved SQL to add").select_option(label=f"{STORES} · shop")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("button", name=f"Remove {STORES}")).to_be_visible()
    page.get_by_text("Last day of the month").click()
    expect(page.locator("[name=day]")).to_be_hidden()
    page.get_by_role("button", name="Folder").click()
    expect(page.locator("#next-runs")).to_contain_text("On the last day of every month")
    page.get_by_role("button", name="Remove Folder").click()
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("heading", name="Stores without scripts")).to_be_visible()
    context.close()


def test_no_page_of_reports_has_a_violation_or_scrolls_sideways(page: Page, a_report: tuple[str, str]):
    report, run = a_report
    found = []
    addresses = ["/reports/", "/reports/new/", report, run, "/reports/link/unknown/"]
    addresses += [f"{report}{name}/" for name in ("edit", "share", "hand-over", "delete")]
    for address in addresses:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(address)
        if address.endswith(("new/", "edit/")):
            page.get_by_text("When a value crosses a threshold").click()
            page.get_by_text("Start, end, and runs").click()
            page.get_by_text("First Monday and the like").click()
        found += seen_by_axe(page)
        page.set_viewport_size({"width": 390, "height": 800})
        page.evaluate("document.getElementById('saved-to-add')?.add(new Option('a long name '.repeat(20)))")
        assert sideways(page) <= 0, address
    assert not found, "\n".join(found)
