"""Reports from a shell: what would run, when and why, and what would not; run one now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice
from time import sleep
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from mirror.reports import services
from mirror.reports.models import Report, ReportRun
from mirror.reports.schedule.ticking import due_of
from mirror.reports.schedule.times import Schedule, ScheduleError, zone_read
from mirror.reports.sending.pausing import pause_now
from mirror.work.doing import work_do
from mirror.work.kinds import kind_of

# Times printed of one report.
SHOWN_TIMES = 5
# How often a row is looked at that a worker took (seconds).
LOOK_SECONDS = 0.2


class Command(BaseCommand):
    """`manage.py reports due [--at ISO]` prints and changes nothing; `reports run TITLE` makes and sends one."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Say which reports would run up to a time and why, and which would not; or run one now."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True, metavar="due|run")
        due = what.add_parser("due", help="what would run up to a time, and why")
        due.add_argument(
            "--at", default="", help="such as 2026-11-30T08:00; in the server's zone; now by default"
        )

        run = what.add_parser("run", help="make a report now and send it to all its channels")
        run.add_argument("report", help="its title or number")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "run":
            self._run(_report(options["report"]))
            return
        if pause_now() is not None:
            self.stdout.write(
                "All sending is paused: nothing of this runs before `manage.py sending resume`."
            )
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

    def _run(self, report: Report) -> None:
        """Do a worker's part here, unless a worker comes first; say what came of it."""
        try:
            run = services.report_run_now(report, report.owner)
        except services.ReportError as error:
            raise CommandError(f"{error} {error.advice}".strip()) from None
        _work_off(run)
        run.refresh_from_db()
        if run.outcome != ReportRun.Outcome.MADE:
            raise CommandError(f"{run.reason} {run.advice}".strip())
        for file in run.files_in():
            self.stdout.write(f"{file.name}: {file.row_count:,} rows, {file.size:,} bytes")
        for delivery in run.deliveries.all():
            _work_off(delivery)
            delivery.refresh_from_db()
            answer = delivery.answers[-1]["answer"] if delivery.answers else ""
            self.stdout.write(
                f"{delivery.get_kind_display()} to {delivery.to}: {delivery.get_state_display()}. {answer}"
            )

    def _write(self, reports: list[list[str]]) -> None:
        for title, *lines in reports:
            self.stdout.write(f"  {title}")
            for line in lines:
                self.stdout.write(f"    {line}")
        if not reports:
            self.stdout.write("  none")


def _report(wanted: str) -> Report:
    """The report of this title or number. Raises: CommandError when there is none, or several."""
    found = Report.objects.filter(title=wanted)
    if wanted.isdecimal() and not found:
        found = Report.objects.filter(pk=int(wanted))
    numbers = list(found.values_list("pk", flat=True)[:10])
    if len(numbers) > 1:
        raise CommandError(
            f"Several reports are called “{wanted}”. Give a number: {', '.join(map(str, numbers))}."
        )
    if not numbers:
        raise CommandError(f"There is no report “{wanted}”.")
    return found.select_related("owner").get()


def _work_off(row: Any) -> None:
    """Work on a row until it has ended or is put off, here or wherever it was taken."""
    while not row.is_ended and row.not_before is None:
        if not work_do(kind_of(type(row)).name, row.pk):
            sleep(LOOK_SECONDS)
        row.refresh_from_db()


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
        # A time still to come runs in its minute; only one that passed already can be late.
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
