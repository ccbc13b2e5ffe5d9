"""What the pages of reports say and keep: the list, the form, the run, files and links."""

from __future__ import annotations

import asyncio
import html
import logging
import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from mirror.leases import Status
from mirror.logs import WithoutTokens
from mirror.reports import services
from mirror.reports.models import Channel, Delivery, FileLink, Report, ReportFile, ReportRun, RunPart
from mirror.reports.pages.words import run_state
from mirror.reports.schedule import Schedule
from tests.reports.working import save_report, save_sql

DAYS = [{"name": "since", "kind": "date", "default": "", "label": "Since"}]
SINCE = "SELECT count(*) AS orders FROM orders WHERE ordered_at >= :since"


def url(name: str, *args) -> str:
    return reverse(f"reports:{name}", args=args)


def said(answer) -> str:
    """The words of a page, as a person reads them."""
    text = answer.content.decode() if not answer.streaming else ""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split()).replace(" ,", ",")


@pytest.fixture
def mail(settings):
    settings.EMAIL_HOST = "mail.example.com"


@pytest.fixture
def saved(alice, shop):
    return save_sql(alice, shop)


@pytest.fixture
def typed(saved) -> dict[str, str]:
    """What a browser sends for a report every weekday at eight."""
    return {
        "title": "Countries", "note": "", "formats": "csv", "condition": "always", "keep_days": "30",
        "pause_after": "5", "part": "0", "part-0-saved": str(saved.pk), "part-0-name": saved.name,
        "kind": "weekdays", "time": "08:00", "zone": "Europe/Oslo", "missed": "last",
    }  # fmt: skip


def mailed(to: str) -> dict[str, str]:
    return {"channel": "0", "channel-0-kind": "mail", "channel-0-to": to}


def ended(report: Report, outcome: str = "made", **fields) -> ReportRun:
    return ReportRun.objects.create(
        report=report, cause="schedule", scheduled_for=fields.pop("at", timezone.now()), status=Status.DONE,
        outcome=outcome, **fields,
    )  # fmt: skip


# ---------------------------------------------------------------- the list


def test_an_empty_list_says_what_a_report_is_and_what_to_do_first(as_alice, as_charlie, saved) -> None:
    stranger, owner = said(as_charlie.get(url("list"))), said(as_alice.get(url("list")))
    assert "Save SQL first" in stranger
    assert "Ask a question" in stranger
    assert "Make a report" in owner


def test_the_list_tells_what_is_sent_when_to_whom_and_how_the_last_run_went(
    as_alice, alice, saved, mail
) -> None:
    with time_machine.travel(datetime(2026, 11, 20, 4, tzinfo=UTC), tick=False):
        report = save_report(alice, saved, to=["a@example.com", "b@example.com"])
        run = ended(report)
        Delivery.objects.create(
            run=run, kind="mail", about="report", to="a@example.com", status="done", state="sent"
        )
        Delivery.objects.create(
            run=run, kind="mail", about="report", to="b@example.com", status="done", state="given_up"
        )
        page = said(as_alice.get(url("list")))
    assert "Weekly customers Customers by country → 2 people" in page
    assert "Every day at 08:00 (Europe/Oslo)" in page
    assert "Next Fri 20 Nov, 08:00, in 3 hours" in page
    assert "Partly sent Fri 20 Nov, 05:00" in page


def test_reports_that_a_change_breaks_come_first_with_the_reason_and_the_way_to_mend_it(
    as_alice, alice, saved
) -> None:
    fine = save_report(alice, save_sql(alice, saved.source, name="Sound"), title="A sound one")
    save_report(alice, saved, title="Z breaks")
    saved.problem = "There is no column “country” in customers."
    saved.save()
    answer = as_alice.get(url("list"))
    page = said(answer)
    assert page.index("Z breaks") < page.index("A sound one")
    assert "1 will fail at the next run" in page
    assert "There is no column “country” in customers." in page
    assert reverse("library:saved", args=[saved.pk]) in answer.content.decode()
    assert "A sound one" not in said(as_alice.get(url("list"), {"q": "breaks country"}))
    assert "Nothing found" in said(as_alice.get(url("list"), {"q": "nowhere"}))
    assert "Nothing found" in said(as_alice.get(url("list"), {"q": "a@example.com"}))
    fine.parts.get().saved.delete()
    assert "2 will fail" in said(as_alice.get(url("list")))


def test_a_paused_and_a_failing_report_say_so_and_why(as_alice, alice, saved) -> None:
    report = save_report(alice, saved)
    Report.objects.update(is_paused=True, paused_why="5 runs in a row failed: no such table.", next_at=None)
    for name, args in (("list", []), ("report", [report.pk])):
        assert "5 runs in a row failed: no such table." in said(as_alice.get(url(name, *args)))
    Report.objects.update(is_paused=False, paused_why="", failures=2)
    ended(report, "failed", reason="The database did not answer.")
    page = said(as_alice.get(url("report", report.pk)))
    assert "Its last 2 runs failed" in page
    assert "After 5 in a row it pauses itself" in page
    assert "The database did not answer." in page


def test_who_may_not_look_at_the_saved_sql_is_not_led_there(as_alice, as_bob, alice, team, saved) -> None:
    report = save_report(alice, saved)
    report.teams.add(team)
    saved.problem = "There is no column “country”."
    saved.save()
    place = reverse("library:saved", args=[saved.pk])
    for name, args in (("list", []), ("report", [report.pk])):
        pages = [browser.get(url(name, *args)).content.decode() for browser in (as_alice, as_bob)]
        assert ["There is no column “country”." in page for page in pages] == [True, True]
        assert [place in page for page in pages] == [True, False]


def test_reports_that_send_one_saved_sql_are_found_before_it_is_deleted(as_alice, alice, saved) -> None:
    save_report(alice, saved, title="Sends it")
    save_report(alice, save_sql(alice, saved.source, name="Other"), title="Sends another")
    page = said(as_alice.get(url("list"), {"saved": saved.pk}))
    assert "Sends it" in page
    assert "Sends another" not in page
    assert "No report sends it." in said(as_alice.get(url("list"), {"saved": "999999"}))
    delete = as_alice.get(reverse("library:delete", args=[saved.pk])).content.decode()
    assert f"{url('list')}?saved={saved.pk}" in delete


def test_many_reports_take_few_statements(
    as_alice, alice, saved, mail, django_assert_max_num_queries
) -> None:
    for number in range(12):
        ended(save_report(alice, saved, title=f"Report {number}", to=["a@example.com"]))
    with django_assert_max_num_queries(25):
        as_alice.get(url("list"))


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


# ---------------------------------------------------------------- buttons


def test_each_button_does_what_it_says(as_alice, as_bob, alice, bob, team, saved, mail) -> None:
    report = save_report(alice, saved, to=["a@example.com"])
    channel = report.channels.get()
    Channel.objects.update(refused={"a@example.com": "550 no"})

    def press(name: str, **sent) -> str:
        answer = said(as_alice.post(url(name, report.pk), sent, follow=True))
        report.refresh_from_db()
        return answer

    assert "is paused: nothing runs until you resume it" in press("pause")
    assert (report.is_paused, report.next_at) == (True, None)
    assert "runs on schedule again" in press("resume")
    assert report.next_at is not None
    assert "550 no" in said(as_alice.get(url("report", report.pk)))
    assert "gets the next run again" in press("recipient_allow", channel=channel.pk, address="a@example.com")
    assert Channel.objects.get().refused == {}
    assert "Seen here by Analysts" in press("share", teams=[team.pk])
    assert as_bob.get(url("report", report.pk)).status_code == 200
    assert "There is nobody to hand it to" in said(as_alice.get(url("hand_over", report.pk)))
    saved.teams.add(team)
    assert "Weekly customers is Bob's now." in press("hand_over", owner=bob.pk)
    assert report.owner == bob
    alice.email = "alice@example.com"
    alice.save()
    mine = save_report(alice, saved, title="Mine")
    answer = as_alice.post(url("run_now", mine.pk))
    assert answer["Location"] == url("run", mine.runs.get().pk)
    assert "being made already" in said(as_alice.post(url("run_now", mine.pk), follow=True))
    as_alice.post(url("test", mine.pk))
    assert mine.runs.filter(cause="test").count() == 1
    as_alice.post(url("run_stop", mine.runs.first().pk))
    assert mine.runs.filter(outcome="skipped").count() == 1
    assert "is deleted and sent no more" in said(as_alice.post(url("delete", mine.pk), follow=True))
    assert not Report.objects.filter(title="Mine").exists()


def test_a_run_is_sent_again_to_one_and_to_all(as_alice, made) -> None:
    channel = Channel.objects.create(report=made.report, kind="mail", target={"to": ["a@example.com"]})
    for to in ("a@example.com", "b@example.com"):
        Delivery.objects.create(
            run=made, channel=channel, kind="mail", about="report", to=to, status="done", state="sent"
        )
    first = made.deliveries.first()
    assert "sent again to a@example.com" in said(as_alice.post(url("delivery_again", first.pk), follow=True))
    assert [one.state for one in made.deliveries.all()] == ["waiting", "sent"]
    assert "still on its way" in said(as_alice.post(url("delivery_again", first.pk), follow=True))
    assert "sent again, to 1 place." in said(as_alice.post(url("send_again", made.pk), follow=True))


# ---------------------------------------------------------------- secrets


def test_a_signing_secret_is_shown_once_and_never_given_back(as_alice, typed) -> None:
    row = {"channel": "0", "channel-0-kind": "webhook", "channel-0-url": "http://127.0.0.1:9/in?key=k"}
    answer = as_alice.post(url("new"), {**typed, **row})
    channel = Channel.objects.get()
    assert channel.secret in answer.content.decode()
    assert answer["Cache-Control"] == "no-store"
    report = Report.objects.get()
    first = channel.secret
    row["channel-0-kept"] = str(channel.pk)
    assert as_alice.post(url("edit", report.pk), {**typed, **row}).status_code == 302
    for name in ("report", "edit"):
        assert first not in as_alice.get(url(name, report.pk)).content.decode()
    assert Channel.objects.get().secret == first
    renewed = as_alice.post(url("edit", report.pk), {**typed, **row, "channel-0-renew": "on"})
    moved = as_alice.post(
        url("edit", report.pk), {**typed, **row, "channel-0-url": "http://127.0.0.1:9/other"}
    )
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
    as_alice, typed, kind, fields, secret
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


# ---------------------------------------------------------------- a run


@pytest.fixture
def made(alice, shop, saved, media) -> ReportRun:
    """A run that began twenty minutes late, with a file."""
    report = save_report(
        alice, saved, schedule=Schedule("daily", "Europe/Oslo", time=datetime(2026, 1, 1, 8).time())
    )
    at = datetime(2026, 11, 19, 7, tzinfo=UTC)
    run = ended(
        report, at=at, started_at=at + timedelta(minutes=20), ended_at=at + timedelta(minutes=20, seconds=75)
    )
    RunPart.objects.create(
        run=run, position=0, attempt=2, title="Orders since", row_count=3, source=shop, seconds=0.5,
        sql="SELECT count(*) FROM orders WHERE ordered_at >= '2026-10-01'", sentence="There are 3 orders.",
        arguments={"since": "start of last month"},
    )  # fmt: skip
    RunPart.objects.create(
        run=run, position=0, attempt=1, title="Of a dead attempt", sql="SELECT 0", source=shop
    )
    ReportFile.objects.create(
        run=run, format="csv", name="weekly kunder ñ.csv", file=ContentFile(b"a,b\r\n" * 200_000, "x.csv"),
        row_count=200_000, size=1_000_000, notes=["The rows were cut."], expires_at=timezone.now() + timedelta(days=3),
    )  # fmt: skip
    return run


def test_a_run_tells_its_times_its_sql_and_every_answer(as_alice, made) -> None:
    at = datetime(2026, 11, 19, 7, 21, tzinfo=UTC)
    Delivery.objects.create(
        run=made, kind="webhook", about="report", to="https://hooks.example.com/in", attempts=2, state="waiting",
        not_before=timezone.now() + timedelta(minutes=10),
        answers=[{"at": at.isoformat(), "ok": False, "answer": "500: no room"}, {"at": at.isoformat(), "ok": False, "answer": "It hung up."}],
    )  # fmt: skip
    page = said(as_alice.get(url("run", made.pk)))
    assert "Run of Thu 19 Nov, 08:00 (Europe/Oslo)" in page
    assert "20 min 0 s late" in page
    assert "took 1 min 15 s" in page
    assert "since start of last month (2026-10-01)" in page
    assert "Of a dead attempt" not in page
    assert "The rows were cut." in page
    assert "0 of 1 delivered" in page
    assert "500: no room" in page
    assert "Tried again in 10 minutes" in page


def test_a_waiting_page_is_told_when_the_run_has_ended(as_alice, made) -> None:
    ReportRun.objects.update(status=Status.RUNNING, outcome="")
    working = as_alice.get(url("run_live", made.pk))
    assert "X-Mirror-Ended" not in working
    assert "Working" in said(working)
    as_alice.post(url("run_stop", made.pk))
    assert "Stopping" in said(as_alice.get(url("run_live", made.pk)))
    ReportRun.objects.update(status=Status.DONE, outcome="skipped", reason="Stopped by alice.")
    over = as_alice.get(url("run_live", made.pk))
    assert over["X-Mirror-Ended"] == "1"
    assert "Stopped by alice." in said(over)


@pytest.mark.parametrize(
    ("fields", "states", "expected"),
    [
        ({"status": "queued"}, [], "waiting"),
        ({"status": "queued", "not_before": timezone.now() + timedelta(hours=1)}, [], "again"),
        ({"status": "running"}, [], "working"),
        ({"outcome": "failed"}, [], "failed"),
        ({"outcome": "nothing"}, [], "nothing"),
        ({"outcome": "skipped", "stop_requested": True}, [], "stopped"),
        ({"outcome": "made"}, [], "made"),
        ({"outcome": "made"}, ["sent", "sent"], "sent"),
        ({"outcome": "made"}, ["sent", "waiting"], "sending"),
        ({"outcome": "made"}, ["sent", "given_up"], "partly"),
        ({"outcome": "made"}, ["given_up"], "unsent"),
    ],
)
def test_every_way_a_run_can_stand_has_a_word(fields, states, expected) -> None:
    run = ReportRun(**{"status": "done", **fields})
    assert run_state(run, [Delivery(state=state) for state in states]) == expected


def test_a_failed_run_says_why_and_offers_what_to_do(as_alice, as_bob, made) -> None:
    ReportRun.objects.update(
        outcome="failed", reason="There is no column size.", advice="Look at the columns."
    )
    answer = as_alice.get(url("run", made.pk))
    assert "There is no column size. Look at the columns. Run it again Open Customers by country" in said(
        answer
    )


def test_a_button_that_cannot_be_obeyed_says_why(as_alice, made) -> None:
    answer = as_alice.post(url("send_again", made.pk), follow=True)
    assert "This run was not sent to anybody" in said(answer)
    answer = as_alice.post(url("test", made.report_id), follow=True)
    assert "You have no mail address here" in said(answer)


# ---------------------------------------------------------------- files and links


async def _pieces(answer) -> list[int]:
    return [len(piece) async for piece in answer.streaming_content]


def test_a_file_is_streamed_piece_by_piece_under_its_name(as_alice, made) -> None:
    answer = as_alice.get(url("file", made.files.get().pk))
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''weekly%20kunder%20%C3%B1.csv"
    assert answer["Content-Length"] == "1000000"
    assert answer["Cache-Control"] == "private, no-store"
    assert answer.is_async
    sizes = asyncio.run(_pieces(answer))
    assert sum(sizes) == 1_000_000
    assert max(sizes) <= 256 * 1024


def test_a_link_is_shown_once_works_signed_out_and_ends_when_revoked(client, as_alice, made) -> None:
    file = made.files.get()
    shown = as_alice.post(url("link_make", file.pk), {"hours": "24"}, headers={"HX-Request": "true"})
    address = re.search(r"http://testserver(/reports/link/[^/]+/)", shown.content.decode())[1]
    assert shown["Cache-Control"] == "no-store"
    assert address not in as_alice.get(url("run", made.pk)).content.decode()
    given = client.get(address)
    assert given.status_code == 200
    assert given["Referrer-Policy"] == "no-referrer"
    assert "no-store" in given["Cache-Control"]
    assert given["Content-Disposition"].startswith("attachment")
    assert "opened 1 time" in said(as_alice.get(url("run", made.pk)))
    as_alice.post(url("link_revoke", FileLink.objects.get().pk))
    assert "revoked" in said(as_alice.get(url("run", made.pk)))
    assert client.get(address).status_code == 404


def test_links_that_do_not_work_all_say_the_same(client, alice, as_alice, made, caplog) -> None:
    file = made.files.get()
    tokens = [services.link_make(file, alice, 24) for _ in range(4)]
    links = list(FileLink.objects.order_by("pk"))
    services.link_revoke(links[0], alice)
    FileLink.objects.filter(pk=links[1].pk).update(expires_at=timezone.now())
    tokens[2] = tokens[2][:-3]
    pages = [client.get(url("link", token)) for token in (*tokens[:3], "unknown")]
    file.file.storage.delete(file.file.name)
    pages.append(client.get(url("link", tokens[3])))
    assert {answer.status_code for answer in pages} == {404}
    assert len({answer.content for answer in pages}) == 1
    assert "This link gives no file" in said(pages[0])
    assert "no-store" in pages[0]["Cache-Control"]


def test_no_token_of_a_link_reaches_the_log(client, alice, made, caplog) -> None:
    token = services.link_make(made.files.get(), alice, 24)
    services.link_revoke(FileLink.objects.get(), alice)
    with caplog.at_level(logging.DEBUG):
        client.get(url("link", token))
    assert any("/reports/link/" in record.getMessage() for record in caplog.records)
    for record in caplog.records:
        WithoutTokens().filter(record)
        assert token not in record.getMessage()
        assert token.split(":")[-1] not in record.getMessage()


def test_a_page_of_saved_sql_leads_to_a_report_of_it(as_alice, saved) -> None:
    page = as_alice.get(reverse("library:saved", args=[saved.pk])).content.decode()
    assert f"{url('new')}?saved={saved.pk}" in page
