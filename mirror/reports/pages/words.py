"""Times, sizes and states of reports as people say them.

Times are told in the report's own zone, wherever the reader is: a report is on time or late there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext_lazy, pgettext_lazy

from mirror.phrases import took
from mirror.reports.models import Delivery, Report, ReportRun
from mirror.reports.schedule.times import Schedule, ScheduleError
from mirror.reports.sending.consents import ASKED, LATER
from mirror.reports.sending.delivering import GIVEN_UP
from mirror.reports.sending.holding import WAITS
from mirror.reports.sending.mails_beside import UNCONFIRMED
from mirror.stored_words import translated
from mirror.work.leases import Status
from mirror.zones import at_zone


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
    # Translators: days and times in the letters of Django's filter "date".
    form = _("D j M, H:i") if local.year == now.astimezone(local.tzinfo).year else _("D j M Y, H:i")
    return Moment(local.isoformat(), date_format(local, form), away(at - now))


def instant(kept: object) -> datetime | None:
    """Read an instant kept as JSON; nothing when it is none."""
    try:
        found = datetime.fromisoformat(str(kept))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


# Units: their seconds, and an instant that far ahead and back. Two of a month or a year are needed before those are said: "in 41 days", "in 3 months".
_MONTH = 2_629_800
_UNITS = (
    (
        12 * _MONTH,
        ngettext_lazy("in %(count)s year", "in %(count)s years", "count"),
        ngettext_lazy("%(count)s year ago", "%(count)s years ago", "count"),
    ),
    (
        _MONTH,
        ngettext_lazy("in %(count)s month", "in %(count)s months", "count"),
        ngettext_lazy("%(count)s month ago", "%(count)s months ago", "count"),
    ),
    (
        86_400,
        ngettext_lazy("in %(count)s day", "in %(count)s days", "count"),
        ngettext_lazy("%(count)s day ago", "%(count)s days ago", "count"),
    ),
    (
        3_600,
        ngettext_lazy("in %(count)s hour", "in %(count)s hours", "count"),
        ngettext_lazy("%(count)s hour ago", "%(count)s hours ago", "count"),
    ),
    (
        60,
        ngettext_lazy("in %(count)s minute", "in %(count)s minutes", "count"),
        ngettext_lazy("%(count)s minute ago", "%(count)s minutes ago", "count"),
    ),
)


def away(distance: timedelta) -> str:
    """Say how far away an instant is, in its largest unit.

    Example:
        >>> away(timedelta(minutes=150)), away(timedelta(days=-1, hours=-2)), away(timedelta(days=800))
        ('in 3 hours', '1 day ago', 'in 2 years')
    """
    seconds = abs(distance.total_seconds())
    for size, ahead, back in _UNITS:
        if seconds >= size * (0.95 if size < _MONTH else 2):
            number = max(1, int(seconds / size + 0.5))
            return str((ahead if distance > timedelta(0) else back) % {"count": number})
    return _("in less than a minute") if distance > timedelta(0) else _("just now")


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


# The words, the icon and the badge of a state.
STATES: dict[str, tuple[object, str, str]] = {
    "waiting": (gettext_noop("Waiting"), "clock", ""),
    "again": (gettext_noop("Tried again soon"), "clock", "badge-warn"),
    "working": (gettext_noop("Working"), "play", "badge-accent"),
    "stopping": (gettext_noop("Stopping"), "stop", ""),
    "made": (gettext_noop("Made"), "check", "badge-accent"),
    "sending": (pgettext_lazy("state of a run", "Sending"), "play", "badge-accent"),
    "sent": (gettext_noop("Sent"), "check", "badge-accent"),
    "partly": (gettext_noop("Partly sent"), "warning", "badge-warn"),
    "unsent": (gettext_noop("Not sent"), "cross", "badge-bad"),
    "nothing": (gettext_noop("Nothing to send"), "table", ""),
    "skipped": (gettext_noop("Skipped"), "right", ""),
    "stopped": (gettext_noop("Stopped"), "stop", ""),
    "failed": (gettext_noop("Failed"), "cross", "badge-bad"),
    "held": (gettext_noop("Held back"), "clock", "badge-warn"),
    "given_up": (gettext_noop("Given up"), "cross", "badge-bad"),
    "paused": (gettext_noop("Paused"), "stop", ""),
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
    return State(name, _(str(words)), icon, look)


# Templates of texts that deliveries keep of their end.
_ANSWERS = (WAITS, ASKED, LATER, UNCONFIRMED, GIVEN_UP)


def answer_words(kept: str) -> str:
    """The answer to a delivery, in the reader's language where Mirror said it; a server's words as they came."""
    return translated(kept, _ANSWERS)


def schedule_words(report: Report) -> str:
    """Say when a report runs."""
    if not report.schedule:
        return _("Only by hand")
    try:
        return Schedule.from_json(report.schedule, report.zone).words()
    except ScheduleError as error:
        return _("No longer a schedule: %(error)s") % {"error": error}


def cause_words(run: ReportRun) -> str:
    """Say why a run exists."""
    by = run.asked_by.called if run.asked_by else _("somebody")
    if run.cause == ReportRun.Cause.NOW:
        return _("by hand, %(by)s") % {"by": by}
    if run.cause == ReportRun.Cause.TEST:
        return _("test, %(by)s") % {"by": by}
    return str(run.get_cause_display())


def value_words(value: Any) -> str:
    """A stored JSON value as words."""
    return _("yes") if value is True else _("no") if value is False else str(value)
