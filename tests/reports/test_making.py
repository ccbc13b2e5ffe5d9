"""Ends of a run: made and sent, not worth sending, handed over; by the services, in this process."""

from __future__ import annotations

import re
from datetime import date, timedelta
from io import StringIO
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone
from openpyxl import load_workbook

from mirror.library.services import sql_delete
from mirror.people.services import member_remove, user_deactivate
from mirror.queries.values_said import day_in_full
from mirror.reports import services
from mirror.reports.models import Report, ReportFile, ReportRun
from mirror.results.models import StoredResult
from tests.reports.working import due, kept, make, runs_of, save_report, save_sql, work_off, write

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_report_that_is_due_is_made_and_mailed_once(post, alice, saved) -> None:
    report = save_report(alice, saved, to=["a@example.com", "b@example.com"], formats=["csv", "xlsx"])
    run = runs_of(report, timezone.now() - timedelta(minutes=1))
    assert (run.outcome, run.cause) == ("made", "schedule")
    assert [file.row_count for file in run.files.all()] == [5, 5]
    part = run.parts.get()
    assert part.sql.startswith("SELECT country, count(*)")
    assert part.sentence
    assert part.chart["mark"] == "bar"
    assert [mail.to for mail in post.mails()] == [("a@example.com",), ("b@example.com",)]
    message = post.mails()[0].message
    assert "Weekly customers" in message["Subject"]
    assert [one.get_filename() for one in message.iter_attachments()] == [f.name for f in run.files.all()]
    assert report.next_at > timezone.now()
    work_off()
    assert len(post.mails()) == 2


def test_several_sql_are_sheets_of_one_workbook_and_a_csv_each(post, alice, shop, saved) -> None:
    again = save_sql(alice, shop, "SELECT 1 AS one", "Customers by country")
    report = save_report(alice, saved, formats=["csv", "xlsx"], parts=[(saved, {}), (again, {})])
    before = timezone.now()
    run = runs_of(report)
    day = run.scheduled_for.astimezone(ZoneInfo("Europe/Oslo")).date().isoformat()
    assert [(file.name, file.row_count) for file in run.files.all()] == [
        (f"weekly-customers-customers-by-country-{day}.csv", 5),
        (f"weekly-customers-customers-by-country-{day}-2.csv", 1),
        (f"weekly-customers-{day}.xlsx", 6),
    ]
    assert not run.deliveries.exists()
    notes = load_workbook(run.files.last().file.open("rb"))["Notes"]
    here = [at.astimezone(ZoneInfo("Europe/Oslo")) for at in (before, timezone.now())]
    hours = {f"Data of {day_in_full(at.date())}, {at:%H:}" for at in here}
    assert [row[0] for row in notes.values if str(row[0]).startswith(tuple(hours))]


def test_the_picture_is_that_of_the_rows_and_drawn_once_for_the_same(post, alice, stock, monkeypatch) -> None:
    from mirror.reports.making import picturing

    drawn: list[int] = []
    real = picturing.chart_image
    monkeypatch.setattr(
        picturing, "chart_image", lambda *given, **size: drawn.append(1) or real(*given, **size)
    )
    saved = save_sql(alice, stock, "SELECT item, pieces FROM stock ORDER BY 1")
    pictures = []
    for pieces in (40, 41, 40):
        write(stock, f"UPDATE stock SET pieces = {pieces} WHERE item = 'nut'")
        part = runs_of(save_report(alice, saved, formats=[])).parts.get()
        pictures.append(part.image.read())
    assert len(drawn) == 2
    assert pictures[0] == pictures[2]
    assert pictures[0] != pictures[1]


def test_a_run_by_hand_goes_to_all_and_a_test_to_oneself_alone(post, alice, saved) -> None:
    alice.email = "alice@example.com"
    alice.save()
    report = save_report(alice, saved, to=["a@example.com"], condition="changed")
    runs_of(report)
    assert runs_of(report).reason == "The rows are the same as those last sent."
    make(services.report_test(report, alice))
    work_off()
    assert [mail.to for mail in post.mails()] == [("a@example.com",), ("alice@example.com",)]
    assert "test" in post.mails("alice@example.com")[0].message["Subject"].lower()
    make(services.report_run_now(report, alice))
    work_off()
    assert len(post.mails("a@example.com")) == 2
    with pytest.raises(services.ReportError, match="made already"):
        services.report_run_now(report, alice)
        services.report_run_now(report, alice)
    alice.email = ""
    with pytest.raises(services.ReportError, match="no mail address"):
        services.report_test(report, alice)


def test_relative_dates_are_read_for_the_scheduled_day_in_the_reports_zone(post, alice, shop) -> None:
    parameters = [{"name": "day", "kind": "date", "default": "yesterday", "label": "Day"}]
    saved = save_sql(alice, shop, "SELECT :day AS day", parameters=parameters)
    report = save_report(alice, saved, zone="Pacific/Kiritimati", schedule=None, missed="all")
    Report.objects.update(schedule={"kind": "daily", "time": "00:30", "zone": "Pacific/Kiritimati"})
    at = timezone.now().replace(hour=10, minute=30, second=0, microsecond=0) - timedelta(days=3)
    due(report, at)
    services.reports_due_make()
    run = make(report.runs.order_by("scheduled_for").first())
    assert run.scheduled_for == at
    wanted: date = at.date()  # 00:30 of the next day in Kiritimati, and yesterday there
    assert wanted.isoformat() in run.parts.get().sql


# ---------------------------------------------------------------- conditions


def test_rows_that_did_not_change_since_they_were_sent_are_not_sent(post, alice, stock) -> None:
    saved = save_sql(alice, stock, "SELECT * FROM stock")
    report = save_report(alice, saved, to=["a@example.com"], condition="changed")
    assert runs_of(report).outcome == "made"
    write(stock, "INSERT INTO stock SELECT * FROM stock WHERE item = 'nut'")
    write(stock, "DELETE FROM stock WHERE rowid = 1")  # another order of the same rows
    run = runs_of(report)
    assert (run.outcome, run.parts.get().result, run.parts.get().row_count) == ("nothing", None, 2)
    write(stock, "UPDATE stock SET pieces = 8 WHERE item = 'bolt'")
    post.orders(refuse={"a@example.com": "550 no such user"})
    assert runs_of(report).outcome == "made"
    post.orders()
    services.recipient_allow(report.channels.get(), "a@example.com")
    assert runs_of(report).outcome == "made", "what was not delivered was not sent"
    assert runs_of(report).outcome == "nothing"
    assert len(post.mails()) == 2


def test_a_report_of_rows_is_not_sent_without_any(post, alice, stock) -> None:
    saved = save_sql(alice, stock, "SELECT * FROM stock WHERE pieces < 5")
    report = save_report(alice, saved, to=["a@example.com"], condition="rows")
    assert runs_of(report).reason == "There are no rows."
    write(stock, "UPDATE stock SET pieces = 4")
    assert runs_of(report).outcome == "made"
    assert StoredResult.objects.count() == 1


def test_an_alert_is_told_once_then_after_its_quiet_time_and_when_it_is_over(post, alice, stock) -> None:
    saved = save_sql(alice, stock, "SELECT item, pieces FROM stock ORDER BY item DESC")
    threshold = {"column": "Pieces", "test": "below", "value": "10", "row": "any", "quiet_hours": 2}
    report = save_report(
        alice, saved, to=["a@example.com"], condition="threshold", threshold=threshold, formats=[]
    )
    told = []
    for hour, pieces in [(0, 12), (1, 9), (2, 8), (4, 7), (5, 11), (6, 11)]:
        write(stock, f"UPDATE stock SET pieces = {pieces} WHERE item = 'bolt'")
        with time_machine.travel(timezone.now() + timedelta(hours=hour)):
            run = runs_of(report)
        told.append((run.outcome, run.about, run.value))
    assert told == [
        ("nothing", "", "12"),
        ("made", "alert", "9"),
        ("nothing", "", "8"),
        ("made", "alert", "7"),
        ("made", "recovered", "11"),
        ("nothing", "", "11"),
    ]
    assert report.runs.filter(about="alert").first().reason == "Pieces is 7: still below 10."
    assert len(post.mails()) == 3


def test_a_run_by_hand_neither_begins_an_alert_nor_ends_one(post, alice, stock) -> None:
    saved = save_sql(alice, stock, "SELECT pieces FROM stock WHERE item = 'bolt'")
    threshold = {"column": "pieces", "test": "below", "value": "10", "row": "first"}
    report = save_report(alice, saved, condition="threshold", threshold=threshold, formats=[])
    for pieces, about in ((7, "alert"), (11, "recovered")):
        write(stock, f"UPDATE stock SET pieces = {pieces} WHERE item = 'bolt'")
        services.report_run_now(report, alice)
        work_off()
        assert runs_of(report).about == about


# ---------------------------------------------------------------- owners


def test_an_owner_who_left_hands_over_to_a_manager_who_sees_all_sources(
    post, alice, bob, admin, team, saved, shop
) -> None:
    bob.email = "bob@example.com"
    bob.save()
    report = save_report(alice, saved, to=["a@example.com"])
    report.teams.add(team)
    user_deactivate(alice, by=admin)
    assert runs_of(report).outcome == "made"
    assert report.owner == bob
    work_off()
    assert "yours now" in post.mails("bob@example.com")[0].message.get_body(("plain",)).get_content()
    user_deactivate(bob, by=admin)
    run = runs_of(report)
    assert (run.outcome, report.is_paused) == ("failed", True)
    assert (
        report.paused_why == "Its owner bob is no longer here, and nobody in its teams sees all its sources."
    )


def test_nobody_takes_over_who_does_not_see_the_source(post, alice, bob, admin, team, shop, saved) -> None:
    report = save_report(alice, saved)
    report.teams.add(team)
    shop.teams.clear()
    user_deactivate(alice, by=admin)
    assert runs_of(report).outcome == "failed"
    assert report.is_paused


def test_files_go_when_their_time_is_over_and_dead_attempts_leave_no_folder(
    post, alice, saved, media
) -> None:
    report = save_report(alice, saved, keep_days=1)
    run = runs_of(report)
    stray = media / f"reports/{run.pk}/7"
    stray.mkdir()
    (stray / "half.csv").write_text("half")
    (media / "reports/999/1").mkdir(parents=True)
    assert len(kept()) == 3
    assert services.files_expire() == 0
    assert len(kept()) == 2
    with time_machine.travel(timezone.now() + timedelta(days=3)):
        from mirror.results.services import results_expire

        results_expire()
        assert services.files_expire() == 1
    assert kept() == []
    assert ReportFile.objects.count() == 0
    assert report.runs.get().outcome == "made"
    services.report_delete(report, alice)
    assert not ReportRun.objects.exists()


def test_a_member_who_lost_the_source_sees_no_rows(post, alice, bob, charlie, team, shop, saved) -> None:
    from mirror.reports import selectors

    report = save_report(alice, saved)
    report.teams.add(team)
    run = runs_of(report)
    file = run.files.get()

    def sees(user) -> tuple[bool, bool, bool]:
        return (
            selectors.reports_visible(user).exists(),
            selectors.run_visible(user, run.pk) is not None,
            selectors.file_visible(user, file.pk) is not None,
        )

    assert [sees(user) for user in (alice, bob, charlie)] == [(True,) * 3, (True,) * 3, (False,) * 3]
    token = services.link_make(file, alice, 1)
    with pytest.raises(services.ReportError, match="Only the owner"):
        services.link_make(file, bob, 1)
    assert services.link_open(token) == file
    shop.teams.clear()
    assert sees(bob) == (False,) * 3
    shop.owner = charlie
    shop.save()
    assert sees(alice) == (True, True, False)
    with pytest.raises(services.LinkGone):
        services.link_open(token)
    member_remove(team, bob.pk)


def test_a_report_is_run_from_a_shell(post, alice, saved) -> None:
    report = save_report(alice, saved, to=["a@example.com"])
    out = StringIO()
    call_command("reports", "run", "Weekly customers", stdout=out)
    file, delivery = out.getvalue().splitlines()
    assert re.fullmatch(r"weekly-customers-[0-9-]+\.csv: 5 rows, [0-9]+ bytes", file)
    assert delivery.startswith("Mail to a@example.com: sent. ")
    assert len(post.mails()) == 1
    save_report(alice, saved)
    for wanted, words in [("Nothing", "no report “Nothing”"), ("Weekly customers", "Give a number: ")]:
        with pytest.raises(CommandError, match=words):
            call_command("reports", "run", wanted)
    sql_delete(saved)
    with pytest.raises(CommandError, match="was deleted"):
        call_command("reports", "run", str(report.pk))


def test_a_report_of_sql_saved_from_a_draft_says_so_on_its_pages_in_mails_and_in_files(
    post, alice, as_alice, saved
) -> None:
    saved.draft = "“foo” was not understood."
    saved.save()
    report = save_report(alice, saved, to=["a@example.com"], formats=["csv", "xlsx"])
    run = runs_of(report, timezone.now() - timedelta(minutes=1))
    told = "This SQL was saved from a draft. “foo” was not understood."
    assert [file.name.startswith("draft-weekly-customers-") for file in run.files.all()] == [True, True]
    assert [file.notes for file in run.files.all()] == [[f"{saved.name}: {told}"]] * 2
    book = load_workbook(run.files.last().file.open("rb"))
    assert book.sheetnames[0].startswith("Draft")
    text = post.mails()[0].message.get_body(("plain",)).get_content()
    assert told in " ".join(text.split())
    for address in (reverse("reports:report", args=[report.pk]), reverse("reports:run", args=[run.pk])):
        assert "“foo” was not understood." in as_alice.get(address).content.decode()
    # A run tells what held when it was made.
    saved.draft = ""
    saved.save()
    assert "saved from a draft" in as_alice.get(reverse("reports:run", args=[run.pk])).content.decode()
    assert runs_of(report).parts.get().draft == ""
