"""`manage.py reports due`: what would run up to a time and why, and what would not."""

from __future__ import annotations

from datetime import UTC, datetime, time
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command

from mirror.library.models import SavedSql
from mirror.reports.models import Report, ReportPart
from mirror.reports.schedule.times import Schedule

NOW = datetime(2026, 3, 29, 10, tzinfo=UTC)
DAILY = Schedule("daily", "Europe/Oslo", time=time(2, 30))


@pytest.fixture(autouse=True)
def _now():
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def make(alice):
    def report(title: str, schedule: Schedule | None = DAILY, **fields) -> Report:
        kept = schedule.to_json() if schedule else None
        zone = schedule.zone if schedule else "UTC"
        return Report.objects.create(owner=alice, title=title, schedule=kept, zone=zone, **fields)

    return report


def said(*arguments: str) -> tuple[list[str], list[str]]:
    """Printed lines of the reports that would run, and of those that would not."""
    out = StringIO()
    call_command("reports", "due", *arguments, stdout=out)
    run, _, idle = out.getvalue().partition("Would not run:\n")
    return [line.strip() for line in run.splitlines()[1:]], [line.strip() for line in idle.splitlines()]


def test_a_time_to_come_is_told_in_the_reports_zone_with_its_reason(make):
    make("Sales", next_at=datetime(2026, 3, 30, 0, 30, tzinfo=UTC))
    assert said() == (
        ["none"],
        ["Sales (alice)", "next at 2026-03-30 02:30 CEST: Every day at 02:30 (Europe/Oslo)"],
    )
    run, idle = said("--at", "2026-03-31T12:00")
    assert run == [
        "Sales (alice)",
        "2026-03-30 02:30 CEST  on schedule: Every day at 02:30 (Europe/Oslo)",
        "2026-03-31 02:30 CEST  on schedule: Every day at 02:30 (Europe/Oslo)",
    ]
    assert idle == ["none"]
    assert said("--at", "2027-01-01")[0][-1] == "... and more"


FIRST, SECOND = "2026-03-28 02:30 CET", "2026-03-29 03:30 CEST"


@pytest.mark.parametrize(
    ("missed", "run", "idle"),
    [
        (
            Report.Missed.LAST,
            [f"{SECOND}  missed: run the last one", f"1 passed and left out ({FIRST}): run the last one"],
            ["none"],
        ),
        (
            Report.Missed.ALL,
            [f"{FIRST}  missed: run all of them", f"{SECOND}  missed: run all of them"],
            ["none"],
        ),
        (
            Report.Missed.SKIP,
            [],
            [
                "Sales (alice)",
                f"2 passed and left out ({FIRST} to {SECOND}): skip them",
                "next at 2026-03-30 02:30 CEST: Every day at 02:30 (Europe/Oslo)",
            ],
        ),
    ],
)
def test_what_was_missed_is_told_with_the_reports_choice(make, missed, run, idle):
    make("Sales", next_at=datetime(2026, 3, 28, 1, 30, tzinfo=UTC), missed=missed)
    assert said() == (["Sales (alice)", *run] if run else ["none"], idle)
    # Up to a time in the past: what would have run then.
    assert said("--at", "2026-03-28T01:35+00:00")[0] == ["Sales (alice)", f"{FIRST}  on schedule"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"schedule": None}, "has no schedule: it runs by hand only"),
        ({"is_paused": True}, "is paused: somebody paused it"),
        (
            {"is_paused": True, "paused_why": "It failed 5 times in a row."},
            "is paused: It failed 5 times in a row.",
        ),
        ({}, "never fires again: Every day at 02:30 (Europe/Oslo)"),
    ],
)
def test_what_does_not_run_says_why(make, fields, why):
    make("Sales", **fields)
    assert said("--at", "2030-01-01") == (["none"], ["Sales (alice)", why])


def test_a_schedule_that_cannot_be_read_and_sql_that_no_longer_runs_are_told(make, alice, shop):
    broken = make("Broken", next_at=NOW)
    Report.objects.filter(pk=broken.pk).update(schedule={"kind": "sometimes"})
    sales = make("Sales", next_at=datetime(2026, 3, 30, 0, 30, tzinfo=UTC))
    saved = SavedSql.objects.create(
        owner=alice, source=shop, name="All", sql="SELECT 1", problem="No table t."
    )
    ReportPart.objects.create(report=sales, saved=saved, name="All")
    ReportPart.objects.create(report=sales, saved=None, name="Old")
    _, idle = said()
    assert idle[:1] == ["Broken (alice)"]
    assert "cannot be read: “sometimes” is no kind" in idle[1]
    assert said("--at", "2026-03-30T12:00")[0] == [
        "Sales (alice)",
        "2026-03-30 02:30 CEST  on schedule: Every day at 02:30 (Europe/Oslo)",
        "will fail: “All” no longer runs. No table t.",
        "will fail: the saved SQL “Old” was deleted",
    ]


def test_a_time_that_is_none_is_refused_in_words(db):
    with pytest.raises(CommandError, match="“soon” is not a time like 2026-11-30T08:00"):
        call_command("reports", "due", "--at", "soon")
