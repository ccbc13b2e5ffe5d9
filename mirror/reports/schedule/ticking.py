"""The tick: runs of what is due, each scheduled time once, whatever the number of beats and however late they are.

A report's `next_at` moves by compare and swap, in one transaction with the rows of its runs, which are
unique on report and scheduled time. The second one changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction
from django.utils import timezone

from mirror.reports.making.failing import report_stop
from mirror.reports.models import Report, ReportRun
from mirror.reports.schedule.intervals import is_too_fast, thinned
from mirror.reports.schedule.times import Schedule, ScheduleError
from mirror.reports.sending.pausing import pause_now
from mirror.work.kinds import send
from mirror.work.leases import Status
from mirror.zones import at_zone

log = logging.getLogger(__name__)

# Later than this a scheduled time is missed, and the report's choice says what becomes of it.
GRACE = timedelta(minutes=15)
# Missed times that are made up for at most, the latest of them; the rest is one row saying how many.
MOST_MADE_UP = 50
# Times looked at after a downtime; a schedule of every minute has as many in a week.
MOST_COUNTED = 10_000
# Of more than that, those of so long are looked at.
LATEST = timedelta(hours=6)
# Reports of one transaction: few enough that others wait little for the store.
BATCH = 25

Cause = ReportRun.Cause


@dataclass(frozen=True, slots=True)
class Due:
    """The fate of a report's scheduled times up to now: which run and which were missed, and what comes next."""

    on_time: tuple[datetime, ...]
    made_up: tuple[datetime, ...]
    skipped: tuple[datetime, ...]
    next_at: datetime | None
    is_more: bool = False


def reports_due_make() -> int:
    """Make a run for each scheduled time that has come; returns how many. None while all sending is paused."""
    if pause_now() is not None:
        return 0  # times that pass meanwhile are missed ones
    now, made = timezone.now(), 0
    found = [(report, _due_of(report, now)) for report in due_reports(now)]
    for start in range(0, len(found), BATCH):
        with transaction.atomic():
            made += sum(_make_due(report, due) for report, due in found[start : start + BATCH] if due)
    if made:
        log.info("%d runs of reports are due", made)
    return made


def due_reports(now: datetime) -> Iterable[Report]:
    """List the reports whose next time has come, the longest due first."""
    return (
        Report.objects.filter(next_at__lte=now, is_paused=False)
        .select_related("owner")
        .order_by("next_at", "pk")
    )


def due_of(report: Report, now: datetime) -> Due:
    """Say what becomes of the times from `next_at` to now; those that follow too fast are left out.

    Raises: ScheduleError.
    """
    assert report.next_at is not None and report.schedule is not None
    schedule = Schedule.from_json(report.schedule, report.zone)
    times = [report.next_at, *islice(schedule.between(report.next_at, now), MOST_COUNTED)]
    is_more = len(times) > MOST_COUNTED
    if is_more:
        times += [instant for instant in schedule.between(now - LATEST, now) if instant > times[-1]]
    next_at = schedule.next_after(now)
    if is_too_fast(schedule, report.owner):
        times, next_at = thinned(report, schedule, times, now)
    on_time = tuple(instant for instant in times if now - instant <= GRACE)
    missed = tuple(times[: len(times) - len(on_time)])
    made_up: tuple[datetime, ...] = ()
    if report.missed == Report.Missed.ALL:
        made_up = missed[-MOST_MADE_UP:]
    elif report.missed == Report.Missed.LAST and not on_time:
        made_up = missed[-1:]
    skipped = missed[: len(missed) - len(made_up)]
    return Due(on_time, made_up, skipped, next_at, is_more)


def _due_of(report: Report, now: datetime) -> Due | None:
    try:
        return due_of(report, now)
    except ScheduleError as error:
        report_stop(report, f"Its schedule cannot be read: {error}")
        return None


def _make_due(report: Report, due: Due) -> int:
    """Move the report on and make its runs, unless somebody else did; returns how many."""
    moved = Report.objects.filter(pk=report.pk, next_at=report.next_at, is_paused=False).update(
        next_at=due.next_at
    )
    if not moved:
        return 0
    rows = [_run(report, instant, Cause.SCHEDULE) for instant in due.on_time]
    rows += [_run(report, instant, Cause.MISSED) for instant in due.made_up]
    if due.skipped:
        rows.append(_skipped(report, due))
    times = [row.scheduled_for for row in rows]
    known = set(report.runs.filter(scheduled_for__in=times).values_list("scheduled_for", flat=True))
    new = [row for row in rows if row.scheduled_for not in known]
    queued = [row for row in ReportRun.objects.bulk_create(new) if row.status == Status.QUEUED]
    for row in queued:
        send(row)
    return len(queued)


def _run(report: Report, instant: datetime, cause: Cause) -> ReportRun:
    return ReportRun(report=report, scheduled_for=instant, cause=cause)


def _skipped(report: Report, due: Due) -> ReportRun:
    """One row that says how many scheduled times passed, and why they were not made up for."""
    first, last = (f"{at_zone(due.skipped[n], report.zone):%Y-%m-%d %H:%M}" for n in (0, -1))
    count = f"{'More than ' if due.is_more else ''}{len(due.skipped):,}"
    passed = (
        f"The scheduled time {first}"
        if len(due.skipped) == 1
        else f"{count} scheduled times ({first} to {last})"
    )
    why = {
        Report.Missed.SKIP: "this report skips what was missed",
        Report.Missed.LAST: "of what was missed only the last is made up for",
        Report.Missed.ALL: f"no more than {MOST_MADE_UP} are made up for",
    }[Report.Missed(report.missed)]
    return ReportRun(
        report=report,
        scheduled_for=due.skipped[-1],
        cause=Cause.MISSED,
        status=Status.DONE,
        outcome=ReportRun.Outcome.SKIPPED,
        reason=f"{passed} passed while nothing ran; {why}.",
        ended_at=timezone.now(),
    )


def schedules_heal() -> int:
    """Set right what a clock that was wrong for a while left: next times too far ahead, or none.

    A scheduled time that had its run keeps it: nothing runs twice. Returns how many were set right.
    """
    now, healed = timezone.now(), 0
    for report in Report.objects.filter(is_paused=False).exclude(schedule=None).iterator():
        try:
            next_at = Schedule.from_json(report.schedule or {}, report.zone).next_after(now)
        except ScheduleError:
            continue  # the tick pauses it when its time comes
        if next_at is None or (report.next_at is not None and report.next_at <= next_at):
            continue
        healed += Report.objects.filter(pk=report.pk, next_at=report.next_at, is_paused=False).update(
            next_at=next_at
        )
    if healed:
        log.warning("%d schedules were set right: their next time was too far ahead", healed)
    return healed
