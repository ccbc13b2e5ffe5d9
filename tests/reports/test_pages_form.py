"""The page that makes and changes a report: what it keeps, what it says, what it never gives back."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime

import pytest
import time_machine
from django.urls import reverse

from mirror.dashboards.models import Card
from mirror.dashboards.services import dashboard_make
from mirror.library.models import SavedSql
from mirror.library.services import sql_save
from mirror.reports.models import Channel, Report
from tests.reports.looking import said, url
from tests.reports.working import save_report, save_sql

DAYS = [{"name": "since", "kind": "date", "default": "", "label": "Since"}]
SINCE = "SELECT count(*) AS orders FROM orders WHERE ordered_at >= :since"


@pytest.fixture
def typed(saved) -> dict[str, str]:
    """Fields that a browser sends for a report every weekday at eight."""
    return {
        "title": "Countries", "note": "", "formats": "csv", "condition": "always", "keep_days": "30",
        "pause_after": "5", "part": "0", "part-0-saved": str(saved.pk), "part-0-name": saved.name,
        "kind": "weekdays", "time": "08:00", "zone": "Europe/Oslo", "missed": "last",
    }  # fmt: skip


def mailed(to: str) -> dict[str, str]:
    return {"channel": "0", "channel-0-kind": "mail", "channel-0-to": to}


# ---------------------------------------------------------------- the form


def test_a_report_is_made_from_saved_sql_and_shown_as_it_was_typed(as_alice, saved, typed, mail) -> None:
    page = as_alice.get(url("new"), {"saved": saved.pk}).content.decode()
    assert 'value="Customers by country"' in page
    answer = as_alice.post(url("new"), {**typed, **mailed("a@example.com, b@example.com"), "note": "Hello"})
    report = Report.objects.get()
    assert answer["Location"] == url("report", report.pk)
    assert report.channels.get().target == {"to": ["a@example.com", "b@example.com"]}
    shown = said(as_alice.get(answer["Location"]))
    assert "Every weekday at 08:00 (Europe/Oslo)" in shown
    form = as_alice.get(url("edit", report.pk)).content.decode()
    assert "a@example.com\nb@example.com</textarea>" in form
    assert re.search(r'value="weekdays" checked', form)
    again = as_alice.post(url("edit", report.pk), {**typed, **mailed("c@example.com"), "title": "Other"})
    assert again.status_code == 302
    report.refresh_from_db()
    assert (report.title, report.channels.get().target) == ("Other", {"to": ["c@example.com"]})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"title": "x" * 201}, "at most 200 characters (it has 201)"),
        ({"part-0-saved": "999999"}, "This saved SQL was deleted, or is no longer shared with you. Remove it."),
        ({"part": ""}, "Choose at least one saved SQL to send."),
        ({"kind": "weekly"}, "Choose at least one day of the week."),
        ({"kind": "cron", "cron": "0 8 31 2 *"}, "1 to 31, L for the last"),
        ({"zone": "Europe/Olso"}, "Did you mean Europe/Oslo?"),
        ({"ends_on": "2020-01-01"}, "never fires again"),
        ({"condition": "threshold", "alert_value": "much"}, "Give the number it is held against"),
        ({"condition": "threshold", "alert_value": "5"}, "Name the column whose value is looked at."),
        ({"keep_days": "0"}, "greater than or equal to 1"),
        (mailed("a@example.com nonsense, b@"), "“nonsense” is not a mail address. “b@” is not a mail address."),
        (mailed(" ".join(f"p{n}@example.com" for n in range(201))), "These are 201 recipients; a report goes to 200 at most."),
        ({"channel": "1", "channel-1-kind": "webhook", "channel-1-url": "http://169.254.169.254/latest"}, "169.254.169.254"),
        ({"channel": "1", "channel-1-kind": "s3", "channel-1-bucket": "x"}, "Fill this in, or take the whole of it out with ×."),
        ({"channel": "1", "channel-1-kind": "folder", "channel-1-path": "/etc"}, "An administrator may name other folders."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_and_nothing_typed_is_lost(as_alice, typed, mail, wrong, words) -> None:
    answer = as_alice.post(url("new"), {**typed, "note": "A note that stays", **wrong})
    assert answer.status_code == 422
    assert "It is not saved yet" in said(answer)
    assert words in said(answer)
    page = html.unescape(answer.content.decode())
    assert "A note that stays" in page
    for name, value in wrong.items():
        assert not value or name.startswith(("part", "kind", "channel-0-kind")) or value in page
    assert Report.objects.count() == 0


def test_without_a_mail_server_the_page_says_so_before_and_after(
    as_alice, as_charlie, typed, settings
) -> None:
    settings.EMAIL_HOST = ""
    assert "No mail server is set" in said(as_alice.get(url("new")))
    assert "Save SQL first" in said(as_charlie.get(url("new")))
    assert "No mail server is set" in said(as_alice.post(url("new"), {**typed, **mailed("a@example.com")}))


def test_dates_in_words_are_kept_as_words_and_wrong_ones_are_said_beside_the_field(
    as_alice, alice, shop, typed
) -> None:
    saved = save_sql(alice, shop, SINCE, "Orders since", parameters=DAYS)
    rows = {"part-0-saved": str(saved.pk), "part-0-with-since": "start of lst month"}
    answer = as_alice.post(url("new"), {**typed, **rows})
    assert answer.status_code == 422
    assert "Did you mean start of last month" in said(answer)
    rows["part-0-with-since"] = "start of last month"
    assert as_alice.post(url("new"), {**typed, **rows}).status_code == 302
    assert Report.objects.get().parts.get().arguments == {"since": "start of last month"}


def test_rows_are_added_moved_and_removed_without_scripts_and_without_a_word_of_complaint(
    as_alice, alice, shop, saved, typed, mail
) -> None:
    other = save_sql(alice, shop, SINCE, "Orders since", parameters=DAYS)

    def names(answer) -> list[str]:
        return re.findall(r'name="part-\d+-name" value="([^"]*)"', answer.content.decode())

    sent = {**typed, "title": ""}
    answer = as_alice.post(url("new"), {**sent, "change": "part:add", "saved": str(other.pk)})
    assert names(answer) == ["Customers by country", "Orders since"]
    assert "required" not in said(answer)
    both = {**sent, "part": ["0", "1"], "part-1-saved": str(other.pk), "part-1-with-since": "today"}
    moved = as_alice.post(url("new"), {**both, "change": "part:up-1"})
    assert names(moved) == ["Orders since", "Customers by country"]
    assert 'value="today"' in moved.content.decode()
    assert names(as_alice.post(url("new"), {**both, "change": "part:remove-0"})) == ["Orders since"]
    added = as_alice.post(url("new"), {**sent, "change": "add:slack"}).content.decode()
    assert 'name="channel-0-secret"' in added
    assert "Choose the saved SQL to add" in said(as_alice.post(url("new"), {**sent, "change": "part:add"}))
    assert Report.objects.count() == 0


def test_a_report_whose_saved_sql_is_gone_says_so_and_is_mended(as_alice, alice, saved, typed) -> None:
    report = save_report(alice, saved)
    other = save_sql(alice, saved.source, name="Other")
    saved.delete()
    assert "The next run will fail: Customers by country no longer runs" in said(
        as_alice.get(url("report", report.pk))
    )
    page = said(as_alice.get(url("edit", report.pk)))
    assert (
        "Customers by country This saved SQL was deleted, or is no longer shared with you. Remove it." in page
    )
    assert as_alice.post(url("edit", report.pk), typed).status_code == 422
    assert as_alice.post(url("edit", report.pk), {**typed, "part-0-saved": other.pk}).status_code == 302
    assert "will fail" not in said(as_alice.get(url("report", report.pk)))


# ---------------------------------------------------------------- secrets


def test_a_signing_secret_is_shown_once_and_never_given_back(as_alice, typed, here_allowed) -> None:
    row = {"channel": "0", "channel-0-kind": "webhook", "channel-0-url": "http://127.0.0.1:9/in?key=k"}
    shown = as_alice.post(url("new"), {**typed, **row}, follow=True)
    report, channel = Report.objects.get(), Channel.objects.get()
    first = channel.secret
    assert first in shown.content.decode()
    assert "no-store" in shown["Cache-Control"]
    assert first not in str(dict(as_alice.session))
    assert as_alice.get(url("secret", report.pk))["Location"] == url("report", report.pk)
    row["channel-0-kept"] = str(channel.pk)
    again = as_alice.post(url("edit", report.pk), {**typed, **row})
    assert again["Location"] == url("report", report.pk)
    for name in ("report", "edit"):
        assert first not in as_alice.get(url(name, report.pk)).content.decode()
    assert Channel.objects.get().secret == first
    renewed = as_alice.post(url("edit", report.pk), {**typed, **row, "channel-0-renew": "on"}, follow=True)
    elsewhere = {**typed, **row, "channel-0-url": "http://127.0.0.1:9/other"}
    moved = as_alice.post(url("edit", report.pk), elsewhere, follow=True)
    secrets = [re.findall(r"whsec_[\w-]+", answer.content.decode()) for answer in (renewed, moved)]
    assert len({first, *secrets[0], *secrets[1]}) == 3
    assert Channel.objects.get().secret == secrets[1][0]


@pytest.mark.parametrize(
    ("kind", "fields", "secret"),
    [
        ("slack", {}, "http://127.0.0.1:9/services/T0/B0/hidden"),
        ("s3", {"bucket": "numbers", "region": "eu-north-1", "access_key": "AKIAEXAMPLE"}, "hidden-s3-key"),
    ],
)
def test_a_secret_that_was_typed_is_kept_when_left_empty_and_never_shown(
    as_alice, typed, here_allowed, kind, fields, secret
) -> None:
    row = {
        "channel": "0",
        "channel-0-kind": kind,
        **{f"channel-0-{name}": value for name, value in fields.items()},
    }
    assert as_alice.post(url("new"), {**typed, **row, "channel-0-secret": secret}).status_code == 302
    report, channel = Report.objects.get(), Channel.objects.get()
    pages = [as_alice.get(url(name, report.pk)).content.decode() for name in ("report", "edit")]
    row["channel-0-kept"] = str(channel.pk)
    refused = as_alice.post(
        url("edit", report.pk), {**typed, **row, "channel-0-secret": secret, "keep_days": "0"}
    )
    assert all(secret not in page for page in pages)
    assert secret in refused.content.decode()
    assert refused["Cache-Control"] == "no-store"
    assert as_alice.post(url("edit", report.pk), {**typed, **row, "channel-0-secret": ""}).status_code == 302
    assert Channel.objects.get().secret == secret
    if kind == "s3":
        answer = as_alice.post(url("edit", report.pk), {**typed, **row, "channel-0-bucket": "elsewhere"})
        assert "Type it again: it goes to another place now." in said(answer)


# ---------------------------------------------------------------- the next runs


def ahead(browser, **typed: str) -> str:
    return said(browser.post(url("ahead"), {"time": "08:00", "minute": "0", "missed": "last", **typed}))


def test_the_next_runs_follow_what_is_typed_and_tell_when_the_clocks_change(as_alice) -> None:
    with time_machine.travel(datetime(2026, 10, 23, 12, tzinfo=UTC), tick=False):
        weekly = ahead(as_alice, kind="daily", zone="Europe/Oslo")
        without = ahead(as_alice, kind="daily", zone="Asia/Kolkata")
    assert re.findall(r"(\w{3} \d+ Oct), 08:00", weekly) == [
        "Sat 24 Oct",
        "Sun 25 Oct",
        "Mon 26 Oct",
        "Tue 27 Oct",
        "Wed 28 Oct",
    ]
    assert "Sun 25 Oct, 08:00 in 2 days Clocks go back 1 hour before this" in weekly
    assert weekly.count("Clocks") == 1
    assert "Clocks" not in without
    with time_machine.travel(datetime(2026, 10, 2, 12, tzinfo=UTC), tick=False):
        assert "Clocks go forward 30 minutes" in ahead(as_alice, kind="daily", zone="Australia/Lord_Howe")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"kind": "", "zone": "UTC"}, "It runs when somebody presses Run now."),
        ({"kind": "weekly", "zone": "UTC"}, "None yet: Choose at least one day of the week."),
        ({"kind": "cron", "cron": "* *", "zone": "UTC"}, "A cron line has five fields"),
        ({"kind": "daily", "zone": "UTC", "ends_on": "2020-01-01"}, "It has no run to come."),
    ],
)
def test_a_schedule_without_next_runs_says_why(as_alice, typed, words) -> None:
    assert words in ahead(as_alice, **typed)


def test_a_dashboard_begins_a_report_with_its_cards_in_order_and_its_values(
    alice, as_alice, as_bob, as_charlie, team, shop, stock, media
) -> None:
    country = {"name": "country", "kind": "text", "default": "", "label": "Country"}
    sql = "SELECT count(*) AS customers FROM customers WHERE country = :country"
    board = dashboard_make(alice, "Morning", "For the north.")
    board.teams.add(team)
    kept = sql_save(alice, shop, "Kept", sql, parameters=[country])
    Card.objects.create(
        dashboard=board, kind="sql", place=1, title="Orders", source=shop, sql="SELECT 1 AS n"
    )
    Card.objects.create(dashboard=board, kind="text", place=2, title="Mind", text="Holidays.")
    Card.objects.create(dashboard=board, kind="saved", place=3, title="Kept", source=shop, saved=kept)
    Card.objects.create(
        dashboard=board, kind="sql", place=4, title="Pieces", source=stock, sql="SELECT 2 AS n"
    )
    place = reverse("reports:of_dashboard", args=[board.pk]) + "?country=Norway&other=x"
    page = as_alice.get(reverse("dashboards:dashboard", args=[board.pk])).content.decode()
    assert "Send as a report" in page
    assert as_charlie.post(place).status_code == 404 and SavedSql.objects.count() == 1
    sent = as_alice.post(place)
    names = ["Orders", "Kept", "Pieces"]
    made = [SavedSql.objects.get(owner=alice, name=name) for name in names]
    told = "&".join(f"saved={one.pk}" for one in made)
    assert sent.url == f"{reverse('reports:new')}?dashboard={board.pk}&{told}&country=Norway"
    assert as_alice.post(place).url == sent.url and SavedSql.objects.count() == 3, "saved once"
    form = as_alice.get(sent.url).content.decode()
    assert [form.index(f">{name}</span>") for name in names] == sorted(
        form.index(f">{n}</span>") for n in names
    )
    assert 'value="Morning"' in form and 'value="Norway"' in form
    assert "For the north.\n\nMind\n\nHolidays." in form
    theirs = as_bob.post(place, follow=True)
    assert [one.name for one in SavedSql.objects.filter(owner__username="bob").order_by("pk")] == [
        "Orders",
        "Kept",
    ]
    assert "Left out: Pieces." in theirs.content.decode()


def test_a_card_is_sent_as_it_looks_its_pivot_as_a_pivot_and_others_as_rows(
    alice, as_alice, shop, transactional_db
) -> None:
    sql = "SELECT country, city, count(*) AS n FROM customers GROUP BY 1, 2"
    pivot = {"rows": ["country"], "column": None, "value": "n", "aggregate": "sum", "by_total": False}
    plain = sql_save(alice, shop, "Plain", sql)
    kept = sql_save(alice, shop, "Kept", sql.replace("1, 2", "2, 1"), chart={"mark": "none", "pivot": pivot})
    board = dashboard_make(alice, "Morning")
    card = {"dashboard": board, "source": shop}
    chart = {"mark": "bar", "x": "city", "y": ["n"], "chosen": True, "pivot": pivot}
    Card.objects.create(**card, kind="sql", place=1, title="Pivot", sql=sql, shows="pivot", chart=chart)
    Card.objects.create(**card, kind="sql", place=2, title="Rows", sql=sql, shows="table", chart=chart)
    Card.objects.create(**card, kind="saved", place=3, title="Saved pivot", saved=kept, shows="pivot")
    Card.objects.create(**card, kind="saved", place=4, title="Saved rows", saved=kept, shows="table")
    sent = as_alice.post(reverse("reports:of_dashboard", args=[board.pk]))
    made = [SavedSql.objects.get(pk=int(one)) for one in re.findall(r"saved=(\d+)", sent.url)]
    assert [bool((one.chart or {}).get("pivot")) for one in made] == [True, False, True, False]
    assert made[0].chart["mark"] == "none" and made[1] == plain and made[2] == kept
    assert as_alice.post(reverse("reports:of_dashboard", args=[board.pk])).url == sent.url, "saved once"
    form = as_alice.get(sent.url).content.decode()
    assert form.count("Its pivot is the table and the picture of mails and PDF files") == 2


def test_a_chart_in_the_excel_file_is_wished_for_kept_and_taken_back(as_alice, typed) -> None:
    as_alice.post(url("new"), typed | {"formats": "xlsx", "native_chart": "on"})
    report = Report.objects.get()
    assert report.native_chart
    page = as_alice.get(url("edit", report.pk)).content.decode()
    assert "checked" in page[page.index('name="native_chart"') :].partition(">")[0]
    as_alice.post(url("edit", report.pk), typed | {"formats": "xlsx"})
    report.refresh_from_db()
    assert not report.native_chart
