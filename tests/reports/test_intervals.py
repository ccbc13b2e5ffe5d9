"""How often schedules may run: in the form, in the service, at the tick, and by the report's owner at the time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine

from mirror.people.models import User
from mirror.reports import services
from mirror.reports.editing.schedule_forms import ScheduleForm
from mirror.reports.models import Report
from mirror.reports.schedule.times import Schedule
from tests.reports.looking import said, url
from tests.reports.working import save_report, save_sql

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MINUTELY = Schedule("cron", "UTC", cron="* * * * *")
CRONS = [
    ("* * * * *", 1), ("*/5 * * * *", 5), ("*/14 * * * *", 4), ("0,14 8 * * *", 14), ("0,1 3 29 2 *", 1),
    ("59,0 * * * *", 1), ("55 22,23 * * *", 60), ("0,50 0,23 * * *", 10), ("7-9 1 1 1 *", 1), ("* 8 * * MON#1", 1),
    ("*/15 * * * *", 15), ("0 * * * *", 60), ("0 8 * * 1-5", 1440), ("0 8 L * *", 1440), ("5 9,17 * * *", 480),
]  # fmt: skip


@pytest.mark.parametrize(("cron", "minutes"), CRONS)
def test_the_least_time_between_two_runs_of_a_cron_line_is_known(cron, minutes) -> None:
    assert Schedule("cron", "UTC", cron=cron).least_gap() == timedelta(minutes=minutes)


def test_no_other_schedule_is_faster_than_an_hour() -> None:
    for every in range(1, 24):
        assert Schedule("hourly", "UTC", every=every, minute=59).least_gap() >= timedelta(hours=1)
    assert Schedule("daily", "UTC", time=time(8)).least_gap() == timedelta(days=1)


@pytest.mark.parametrize(("cron", "minutes"), CRONS)
def test_what_is_too_fast_is_refused_in_the_form_and_in_the_service(alice, shop, cron, minutes) -> None:
    schedule = Schedule("cron", "UTC", cron=cron)
    typed = {"kind": "cron", "cron": cron, "zone": "UTC"}
    form, by_staff = ScheduleForm(typed), ScheduleForm(typed, by_staff=True)
    assert by_staff.is_valid()
    assert form.is_valid() == (minutes >= 15)
    if minutes >= 15:
        save_report(alice, save_sql(alice, shop), schedule=schedule)
        return
    words = "Runs are 15 minutes apart at least; an administrator's may follow faster."
    assert words in form.errors["cron"][0]
    with pytest.raises(services.ReportError, match=re.escape(words)):
        save_report(alice, save_sql(alice, shop), schedule=schedule)
    alice.is_staff = True
    assert save_report(alice, save_sql(alice, shop), schedule=schedule).next_at


def test_the_least_time_is_a_setting(alice, shop, settings) -> None:
    settings.REPORT_LEAST_MINUTES = 90
    refused = ScheduleForm({"kind": "hourly", "every": 1, "minute": 0, "zone": "UTC"})
    assert (
        "It would run every 60 minutes at times. Runs are 90 minutes apart at least"
        in refused.errors["every"][0]
    )
    settings.REPORT_LEAST_MINUTES = 0
    assert save_report(alice, save_sql(alice, shop), schedule=MINUTELY)


def test_the_page_says_it_while_it_is_typed_and_loses_nothing(as_alice, as_admin, saved) -> None:
    typed = {"kind": "cron", "cron": "* * * * *", "zone": "UTC"}
    assert "None yet: It would run every minute at times." in said(as_alice.post(url("ahead"), typed))
    assert "None yet" not in said(as_admin.post(url("ahead"), typed))
    row = {"part": "0", "part-0-saved": str(saved.pk), "part-0-name": saved.name}
    rest = {"title": "Kept", "condition": "always", "keep_days": "30", "pause_after": "5", "missed": "last"}
    answer = as_alice.post(url("new"), {**typed, **row, **rest})
    assert answer.status_code == 422
    assert "Runs are 15 minutes apart at least" in said(answer)
    assert 'value="* * * * *"' in answer.content.decode()


# ---------------------------------------------------------------- at the tick


@pytest.fixture
def kept(alice, shop) -> Report:
    """A report of every minute that was kept before there was a bound."""
    with time_machine.travel(NOON - timedelta(seconds=30), tick=False):
        report = save_report(alice, save_sql(alice, shop), formats=[])
    Report.objects.update(schedule=MINUTELY.to_json(), zone="UTC", next_at=NOON)
    return report


def tick_at(instant: datetime) -> int:
    with time_machine.travel(instant, tick=False):
        return services.reports_due_make()


def minutes(report: Report) -> list[int]:
    times = (
        report.runs.exclude(outcome="skipped")
        .order_by("scheduled_for")
        .values_list("scheduled_for", flat=True)
    )
    return [round((one - NOON).total_seconds() / 60) for one in times]


def test_a_schedule_that_was_kept_too_fast_runs_as_often_as_it_may(kept, as_alice) -> None:
    for minute in range(61):
        tick_at(NOON + timedelta(minutes=minute))
        # A move of its next time, as by the hourly healing of schedules.
        if minute % 7 == 0:
            Report.objects.update(next_at=NOON + timedelta(minutes=minute + 1))
    assert minutes(kept) == [0, 15, 30, 45, 60]
    kept.refresh_from_db()
    assert kept.next_at is not None
    page = said(as_alice.get(url("report", kept.pk)))
    assert "Runs are 15 minutes apart at least, so some of its times are left out." in page


def test_its_next_time_is_the_next_that_it_may_run(kept) -> None:
    tick_at(NOON)
    kept.refresh_from_db()
    assert kept.next_at == NOON + timedelta(minutes=15)


@pytest.mark.parametrize("missed", ["last", "all", "skip"])
def test_what_was_missed_is_made_up_for_no_faster(kept, missed) -> None:
    Report.objects.update(missed=missed)
    tick_at(NOON + timedelta(minutes=64))
    made = minutes(kept)
    assert all(after - before >= 15 for before, after in zip(made, made[1:], strict=False))
    assert len(made) <= 5
    assert made


def test_pausing_resuming_and_saving_again_make_it_no_faster(kept, alice) -> None:
    for minute in range(31):
        tick_at(NOON + timedelta(minutes=minute))
        with time_machine.travel(NOON + timedelta(minutes=minute), tick=False):
            kept.refresh_from_db()
            services.report_pause(kept, alice)
            services.report_resume(kept, alice)
    assert minutes(kept) == [0, 15, 30]


def test_an_administrators_runs_every_minute_until_it_is_somebody_elses(kept, alice) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    for minute in range(5):
        tick_at(NOON + timedelta(minutes=minute))
    assert minutes(kept) == [0, 1, 2, 3, 4]
    User.objects.filter(pk=alice.pk).update(is_staff=False)
    for minute in range(5, 25):
        tick_at(NOON + timedelta(minutes=minute))
    assert minutes(kept) == [0, 1, 2, 3, 4, 19]


def test_a_clock_that_was_ahead_holds_it_back_for_no_longer(kept) -> None:
    Report.objects.update(next_at=NOON + timedelta(days=400))
    tick_at(NOON + timedelta(days=400))
    Report.objects.update(next_at=NOON)
    tick_at(NOON)
    assert minutes(kept) == [0, 400 * 24 * 60]
