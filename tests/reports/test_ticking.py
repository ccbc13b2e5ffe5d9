"""When runs come to be: each scheduled time once, whatever the number of beats, after downtime, and by a wrong clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine
from django.utils import timezone

from mirror.people.models import User
from mirror.reports import services
from mirror.reports.models import Report, ReportRun
from mirror.reports.schedule.times import Schedule
from mirror.work.leases import Status
from tests.reports.working import due, save_report, save_sql

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOURLY = Schedule("hourly", "UTC", every=1, minute=0)


@pytest.fixture
def hourly(alice, shop) -> Report:
    with time_machine.travel(NOON, tick=False):
        return save_report(alice, save_sql(alice, shop), schedule=HOURLY, zone="UTC", formats=[])


def tick_at(instant: datetime) -> int:
    with time_machine.travel(instant, tick=False):
        return services.reports_due_make()


def hours(report: Report, **those) -> list[int]:
    return [run.scheduled_for.hour for run in report.runs.filter(**those).order_by("scheduled_for")]


def test_a_scheduled_time_has_one_run_however_often_it_is_looked_at(hourly) -> None:
    assert hourly.next_at == NOON + timedelta(hours=1)
    assert tick_at(NOON + timedelta(minutes=59)) == 0
    assert tick_at(NOON + timedelta(hours=1, seconds=7)) == 1
    assert tick_at(NOON + timedelta(hours=1, seconds=7)) == 0
    # A second beat that read the report before the first moved it on.
    due(hourly, NOON + timedelta(hours=1))
    assert tick_at(NOON + timedelta(hours=1, minutes=1)) == 0
    assert hours(hourly) == [13]
    hourly.refresh_from_db()
    assert hourly.next_at == NOON + timedelta(hours=2)


@pytest.mark.parametrize(
    ("missed", "made", "skipped"),
    [("last", [16], "3 scheduled times"), ("all", [13, 14, 15, 16], None), ("skip", [], "4 scheduled times")],
)
def test_what_was_missed_in_a_downtime_follows_the_reports_choice(hourly, missed, made, skipped) -> None:
    Report.objects.update(missed=missed)
    assert tick_at(NOON + timedelta(hours=4, minutes=40)) == len(made)
    assert hours(hourly, cause="missed", status=Status.QUEUED) == made
    said = [run.reason for run in hourly.runs.filter(outcome="skipped")]
    if skipped is None:
        assert said == []
    else:
        assert said[0].startswith(f"{skipped} (2026-11-20 13:00 to 2026-11-20 1")
    hourly.refresh_from_db()
    assert hourly.next_at == NOON + timedelta(hours=5)


def test_what_is_a_little_late_is_on_time_and_stands_for_what_was_missed_before(hourly) -> None:
    assert tick_at(NOON + timedelta(hours=3, minutes=14)) == 1
    assert hours(hourly, cause="schedule") == [15]
    assert hours(hourly, outcome="skipped") == [14]


def test_a_year_of_downtime_makes_up_for_no_more_than_fifty(hourly, alice) -> None:
    Report.objects.update(missed="all")
    with time_machine.travel(NOON + timedelta(days=365, minutes=40), tick=False):
        assert services.reports_due_make() == 50
    assert "8,710 scheduled times" in hourly.runs.get(outcome="skipped").reason
    # Every minute is for administrators.
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    every_minute = Schedule("cron", "UTC", cron="* * * * *")
    Report.objects.update(schedule=every_minute.to_json(), next_at=NOON)
    # 12:00 had its run a moment ago.
    assert tick_at(NOON + timedelta(days=365, minutes=40)) == 16 + 50 - 1
    assert hourly.runs.filter(outcome="skipped", reason__startswith="More than 10,").exists()


def test_a_report_that_is_paused_or_over_makes_no_runs(hourly, alice) -> None:
    services.report_pause(hourly, alice)
    assert tick_at(NOON + timedelta(hours=3)) == 0
    with time_machine.travel(NOON + timedelta(hours=3, minutes=5), tick=False):
        services.report_resume(hourly, alice)
    assert hourly.next_at == NOON + timedelta(hours=4)
    last = Schedule("daily", "UTC", time=time(16), ends_on=NOON.date())
    Report.objects.update(schedule=last.to_json())
    assert tick_at(NOON + timedelta(hours=4)) == 1
    hourly.refresh_from_db()
    assert hourly.next_at is None


def test_a_clock_that_jumped_ahead_and_back_runs_nothing_twice_and_loses_nothing(hourly) -> None:
    assert tick_at(NOON + timedelta(hours=1)) == 1
    assert tick_at(NOON + timedelta(days=400, hours=2)) == 1
    back = NOON + timedelta(hours=1, minutes=30)
    assert tick_at(back) == 0
    with time_machine.travel(back, tick=False):
        assert services.schedules_heal() == 1
        assert services.schedules_heal() == 0
    hourly.refresh_from_db()
    assert hourly.next_at == NOON + timedelta(hours=2)
    assert tick_at(NOON + timedelta(hours=2)) == 1
    due(hourly, NOON + timedelta(hours=1))
    assert tick_at(NOON + timedelta(hours=2, minutes=1)) == 0
    assert hours(hourly, outcome="") == [13, 14, 14]


def test_a_schedule_that_cannot_be_read_pauses_its_report_and_stops_no_other(hourly, alice, shop) -> None:
    other = save_report(alice, save_sql(alice, shop, name="Other"), formats=[])
    due(other, timezone.now())
    Report.objects.filter(pk=hourly.pk).update(schedule={"kind": "lunar"}, next_at=timezone.now())
    assert services.reports_due_make() == 1
    hourly.refresh_from_db()
    assert hourly.is_paused
    assert hourly.paused_why.startswith("Its schedule cannot be read: “lunar”")


def test_two_beats_at_one_time_make_one_run(hourly, monkeypatch) -> None:
    """The second beat's compare and swap comes after the first's, with what it had read before."""
    from mirror.reports.schedule import ticking

    real = ticking.due_of

    def first_beat_in_between(report, now):
        found = real(report, now)
        monkeypatch.setattr(ticking, "due_of", real)
        assert ticking.reports_due_make() == 1
        return found

    monkeypatch.setattr(ticking, "due_of", first_beat_in_between)
    assert tick_at(NOON + timedelta(hours=1)) == 0
    assert ReportRun.objects.count() == 1


def test_the_scheduler_goes_on_when_the_clock_is_set_back() -> None:
    from mirror.celery import Scheduler, app

    with time_machine.travel(NOON, tick=False):
        scheduler = Scheduler(app, lazy=True)
        entry = scheduler.Entry(
            name="tick",
            task="mirror.reports.tasks.tick_reports",
            schedule=20.0,
            app=app,
            last_run_at=app.now(),
        )
        assert scheduler.is_due(entry) == (False, 20)
    with time_machine.travel(NOON - timedelta(hours=1), tick=False):
        assert entry.is_due().is_due is False, "Celery alone would wait an hour"
        assert scheduler.is_due(entry) == (True, 20)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"title": " \n\x07 "}, "Give the report a title."),
        ({"title": "x" * 201}, "has 201 characters; the longest taken has 200"),
        ({"formats": ["docx"]}, "There is no format “docx”. Known: csv, xlsx"),
        ({"zone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"missed": "never"}, "“never” is no choice"),
        ({"keep_days": 0}, "Files are kept 1 to 3,650 days."),
        ({"pause_after": 101}, "A schedule pauses after 1 to 100 failures."),
        ({"parts": []}, "at least one saved SQL"),
        ({"channels": [("pigeon", {}, None)]}, "“pigeon” is no kind of channel"),
        ({"channels": [("mail", {"to": "nobody"}, None)]}, "Mail: “nobody” is not a mail address"),
        ({"condition": "threshold", "threshold": {"column": ""}}, "Name the column"),
        ({"condition": "threshold", "threshold": {"column": "n", "test": "odd"}}, "“odd” is no test"),
        (
            {"condition": "threshold", "threshold": {"column": "n", "test": "above", "value": "many"}},
            "The threshold is “many”, and that is not a number.",
        ),
        (
            {"condition": "threshold", "threshold": {"column": "n", "test": "above", "value": "1e999999"}},
            "The threshold is “1e999999”, a number of more than 200,000 digits.",
        ),
        (
            {"schedule": Schedule("daily", "UTC", time=time(8), ends_on=datetime(2020, 1, 2).date())},
            "This schedule never fires again.",
        ),
    ],
)
def test_what_cannot_be_a_report_is_refused_in_words(alice, shop, settings, fields, words) -> None:
    settings.EMAIL_HOST = "127.0.0.1"
    with pytest.raises(services.ReportError, match=re.escape(words)):
        save_report(alice, save_sql(alice, shop), **fields)
    assert not Report.objects.exists()


def test_a_part_needs_a_right_and_a_value(alice, charlie, shop) -> None:
    parameters = [{"name": "least", "kind": "number", "default": "", "label": "Least"}]
    saved = save_sql(alice, shop, "SELECT * FROM orders WHERE id > :least", parameters=parameters)
    with pytest.raises(services.ReportError, match="Give a value for Least"):
        save_report(alice, saved)
    with pytest.raises(services.ReportError, match="You may not run"):
        save_report(charlie, saved, parts=[(saved, {"least": "5"})])
    report = save_report(
        alice, saved, parts=[(saved, {"least": "5"})], title="Sa\u202eles\r\nBcc: eve@example.com\x00"
    )
    assert report.title == "Sales Bcc: eve@example.com"
