"""How often a schedule may run: people who are not administrators wait a least time between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from mirror.people.models import User
from mirror.reports.models import Report, ReportRun
from mirror.reports.schedule.times import Schedule, ScheduleError


def interval_of(*, is_staff: bool) -> timedelta:
    """The least time between two runs of somebody's schedules."""
    return timedelta(0) if is_staff else timedelta(minutes=settings.REPORT_LEAST_MINUTES)


def interval_check(schedule: Schedule, *, is_staff: bool) -> None:
    """Refuse a schedule that runs more often than it may. Raises: ScheduleError, beside the field to change."""
    least = interval_of(is_staff=is_staff)
    if schedule.least_gap() < least:
        raise ScheduleError(
            _(
                "It would run every %(schedule)s at times. Runs are %(least)s apart at least; an administrator's may follow faster."
            )
            % {"schedule": _said(schedule.least_gap()), "least": _said(least)},
            "cron" if schedule.cron else "every",
        )


def is_too_fast(schedule: Schedule, owner: User) -> bool:
    """Say whether a kept schedule runs more often than its owner's may: it was kept before, or by somebody else."""
    return schedule.least_gap() < interval_of(is_staff=owner.is_staff)


def thinned(
    report: Report, schedule: Schedule, times: Sequence[datetime], now: datetime
) -> tuple[list[datetime], datetime | None]:
    """Leave out scheduled times that follow another run too fast; give those that stay and the next to come."""
    least = interval_of(is_staff=report.owner.is_staff)
    made = report.runs.exclude(outcome=ReportRun.Outcome.SKIPPED).filter(scheduled_for__lte=now)
    last = made.order_by("-scheduled_for").values_list("scheduled_for", flat=True).first()
    kept: list[datetime] = []
    for instant in times:
        if last is None or instant - last >= least:
            kept.append(instant)
            last = instant
    after = now if last is None else max(now, last + least - timedelta(seconds=1))
    return kept, schedule.next_after(after)


def _said(gap: timedelta) -> str:
    minutes = gap.total_seconds() / 60
    if minutes < 1:
        return _("%(count)s seconds") % {"count": f"{gap.total_seconds():g}"}
    return _("minute") if minutes == 1 else _("%(count)s minutes") % {"count": f"{minutes:g}"}
