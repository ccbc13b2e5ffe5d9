"""Times, sizes and states of reports as people say them.

Times are told in the report's own zone, wherever the reader is: a report is on time or late there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from mirror.phrases import took
from mirror.reports.models import Delivery, Report, ReportRun
from mirror.reports.schedule.times import Schedule, ScheduleError
from mirror.reports.schedule.zones import at_zone
from mirror.work.leases import Status


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant: for machines, in words of a zone, and how far away it is."""

    iso: str
    text: str
    away: str


def moment(at: datetime | None, zone: str, now: datetime | None = None) -> Moment | None:
    """Tell an instant in a zone.

    Example:
        >>> from datetime import UTC
        >>> noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
        >>> moment(noon, "Europe/Oslo", now=datetime(2026, 11, 20, 9, tzinfo=UTC))
        Moment(iso='2026-11-20T13:00:00+01:00', text='Fri 20 Nov, 13:00', away='in 3 hours')
    """
    if at is None:
        return None
    now = now or timezone.now()
    local = at_zone(at, zone)
    year = f" {local.year}" if local.year != now.astimezone(local.tzinfo).year else ""
    return Moment(
        local.isoformat(), f"{local:%a} {local.day} {local:%b}{year}, {local:%H:%M}", away(at - now)
    )


def instant(kept: object) -> datetime | None:
    """Read an instant kept as JSON; nothing when it is none."""
    try:
        found = datetime.fromisoformat(str(kept))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


# Units with their seconds. Two of a month or a year are needed before those are said: "in 41 days", "in 3 months".
_MONTH = 2_629_800
_UNITS = ((12 * _MONTH, "year"), (_MONTH, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))


def away(distance: timedelta) -> str:
    """Say how far away an instant is, in its largest unit.

    Example:
        >>> away(timedelta(minutes=150)), away(timedelta(days=-1, hours=-2)), away(timedelta(days=800))
        ('in 3 hours', '1 day ago', 'in 2 years')
    """
    seconds = abs(distance.total_seconds())
    for size, unit in _UNITS:
        if seconds >= size * (0.95 if size < _MONTH else 2):
            number = max(1, int(seconds / size + 0.5))
            words = f"{number} {unit}{'' if number == 1 else 's'}"
            return f"in {words}" if distance > timedelta(0) else f"{words} ago"
    return "in less than a minute" if distance > timedelta(0) else "just now"


def lasted(start: datetime | None, end: datetime | None) -> str:
    """Say how long something took; nothing when it did not begin or has not ended."""
    return took((end - start).total_seconds()) if start and end else ""


def run_state(run: ReportRun, deliveries: list[Delivery] | None = None) -> str:
    """Name where a run stands: a word of `reports/_state.html`.

    With `deliveries`, a run that was made is *sent*, *sending*, *held* back or *partly* sent.
    """
    if run.status == Status.RUNNING:
        return "stopping" if run.stop_requested else "working"
    if run.status == Status.QUEUED:
        return "again" if run.not_before and run.not_before > timezone.now() else "waiting"
    if run.outcome != ReportRun.Outcome.MADE:
        return "stopped" if run.stop_requested else run.outcome or "failed"
    states = {delivery.state for delivery in deliveries or []}
    if not states:
        return "made"
    if Delivery.State.WAITING in states:
        return "sending"
    if Delivery.State.HELD in states:
        return "held"
    if Delivery.State.GIVEN_UP in states:
        return "partly" if Delivery.State.SENT in states else "unsent"
    return "sent"


# What a state is called and looks like: its words, its icon and the look of its badge.
STATES: dict[str, tuple[str, str, str]] = {
    "waiting": ("Waiting", "clock", ""),
    "again": ("Tried again soon", "clock", "badge-warn"),
    "working": ("Working", "play", "badge-accent"),
    "stopping": ("Stopping", "stop", ""),
    "made": ("Made", "check", "badge-accent"),
    "sending": ("Sending", "play", "badge-accent"),
    "sent": ("Sent", "check", "badge-accent"),
    "partly": ("Partly sent", "warning", "badge-warn"),
    "unsent": ("Not sent", "cross", "badge-bad"),
    "nothing": ("Nothing to send", "table", ""),
    "skipped": ("Skipped", "right", ""),
    "stopped": ("Stopped", "stop", ""),
    "failed": ("Failed", "cross", "badge-bad"),
    "held": ("Held back", "clock", "badge-warn"),
    "given_up": ("Given up", "cross", "badge-bad"),
    "paused": ("Paused", "stop", ""),
}


@dataclass(frozen=True, slots=True)
class State:
    """A state as it is shown."""

    name: str
    words: str
    icon: str
    look: str


def state(name: str) -> State:
    """How a state is shown."""
    words, icon, look = STATES[name]
    return State(name, words, icon, look)


def schedule_words(report: Report) -> str:
    """Say when a report runs."""
    if not report.schedule:
        return "Only by hand"
    try:
        return Schedule.from_json(report.schedule, report.zone).words()
    except ScheduleError as error:
        return f"No longer a schedule: {error}"


def cause_words(run: ReportRun) -> str:
    """Say why a run exists."""
    by = run.asked_by.called if run.asked_by else "somebody"
    if run.cause == ReportRun.Cause.NOW:
        return f"by hand, {by}"
    if run.cause == ReportRun.Cause.TEST:
        return f"test, {by}"
    return str(run.get_cause_display())


def value_words(value: Any) -> str:
    """A stored JSON value as words."""
    return "yes" if value is True else "no" if value is False else str(value)
