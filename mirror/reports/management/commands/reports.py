"""Look at reports from a shell: what would run, when and why, and what would not."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from mirror.reports.models import Report
from mirror.reports.schedule import Schedule, ScheduleError, zone_read
from mirror.reports.services.ticking import due_of

# Times printed of one report.
SHOWN_TIMES = 5


class Command(BaseCommand):
    """`manage.py reports due [--at ISO]`: prints, and changes nothing."""

    help = "Say which reports would run up to a time and why, and which would not."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True, metavar="due")
        due = what.add_parser("due", help="what would run up to a time, and why")
        due.add_argument(
            "--at", default="", help="such as 2026-11-30T08:00; in the server's zone; now by default"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        at = _at(options["at"], now)
        due, idle = [], []
        for report in Report.objects.select_related("owner").prefetch_related("parts__saved"):
            times, left_out = _times(report, now, at)
            title = f"{report.title} ({report.owner.get_username()})"
            if times:
                due.append([title, *times, *left_out, *_problems(report)])
            else:
                idle.append([title, *left_out, _why_not(report, at), *_problems(report)])
        self.stdout.write(f"Would run up to {timezone.localtime(at):%Y-%m-%d %H:%M %Z}:")
        self._write(due)
        self.stdout.write("Would not run:")
        self._write(idle)

    def _write(self, reports: list[list[str]]) -> None:
        for title, *lines in reports:
            self.stdout.write(f"  {title}")
            for line in lines:
                self.stdout.write(f"    {line}")
        if not reports:
            self.stdout.write("  none")


def _at(typed: str, now: datetime) -> datetime:
    if not typed:
        return now
    try:
        at = datetime.fromisoformat(typed)
    except ValueError:
        raise CommandError(f"“{typed}” is not a time like 2026-11-30T08:00.") from None
    return at if at.tzinfo else timezone.make_aware(at)


def _times(report: Report, now: datetime, at: datetime) -> tuple[list[str], list[str]]:
    """The scheduled times that would run up to `at`, each with why, and those that passed and would not."""
    if report.is_paused or report.schedule is None or report.next_at is None or report.next_at > at:
        return [], []
    try:
        # What is still to come runs in its minute; only what passed already can be late.
        passed = due_of(report, min(at, now)) if report.next_at <= now else None
        schedule = Schedule.from_json(report.schedule, report.zone)
    except ScheduleError:
        return [], []
    coming = schedule.between(max(now, report.next_at - timedelta(microseconds=1)), at)
    coming_lines = _lines(report, coming, f"on schedule: {schedule.words()}")
    if passed is None:
        return coming_lines, []
    choice = Report.Missed(report.missed).label.lower()
    left_out = []
    if passed.skipped:
        ends = dict.fromkeys(_local(passed.skipped[n], report) for n in (0, -1))
        span = " to ".join(ends)
        left_out = [f"{len(passed.skipped):,} passed and left out ({span}): {choice}"]
    made = set(report.runs.exclude(scheduled_for=None).values_list("scheduled_for", flat=True))
    lines = _lines(report, (time for time in passed.made_up if time not in made), f"missed: {choice}")
    lines += _lines(report, (time for time in passed.on_time if time not in made), "on schedule")
    return lines + coming_lines, left_out


def _lines(report: Report, times: Iterable[datetime], why: str) -> list[str]:
    shown = list(islice(times, SHOWN_TIMES + 1))
    lines = [f"{_local(time, report)}  {why}" for time in shown[:SHOWN_TIMES]]
    return [*lines, "... and more"] if len(shown) > SHOWN_TIMES else lines


def _why_not(report: Report, at: datetime) -> str:
    if report.schedule is None:
        return "has no schedule: it runs by hand only"
    if report.is_paused:
        return f"is paused: {report.paused_why or 'somebody paused it'}"
    try:
        schedule = Schedule.from_json(report.schedule, report.zone)
    except ScheduleError as error:
        return f"its schedule cannot be read: {error}"
    following = schedule.next_after(at) if report.next_at and report.next_at <= at else report.next_at
    if following is None:
        return f"never fires again: {schedule.words()}"
    return f"next at {_local(following, report)}: {schedule.words()}"


def _problems(report: Report) -> list[str]:
    """Why its next run will fail, as far as that is known."""
    found = []
    for part in report.parts.all():
        if part.saved is None:
            found.append(f"will fail: the saved SQL “{part.name}” was deleted")
        elif part.saved.problem:
            found.append(f"will fail: “{part.name}” no longer runs. {part.saved.problem}")
    return found


def _local(instant: datetime, report: Report) -> str:
    try:
        return f"{instant.astimezone(zone_read(report.zone)):%Y-%m-%d %H:%M %Z}"
    except ScheduleError:
        return f"{instant:%Y-%m-%d %H:%M} UTC"
