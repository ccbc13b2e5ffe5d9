"""One switch that stops all sending: nothing is handed over and no schedule runs until somebody says so.

It is on after a restore: a copy of an installation would otherwise send what the first one sends. Looked at right
before a delivery is handed over; one that is being handed over at that moment goes out.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.audit.services import record
from mirror.comments.services import mentions_waiting
from mirror.comments.telling import mentions_go_on
from mirror.knowledge.regressions import regressions_go_on, regressions_waiting
from mirror.reports.editing.report_changes import next_time
from mirror.reports.models import Delivery, Report, ReportRun, SendingPause
from mirror.reports.schedule.times import ScheduleError
from mirror.sharing.notices import notices_waiting
from mirror.sharing.telling import notices_go_on
from mirror.work.kinds import send
from mirror.work.leases import Status, end_unheld

if TYPE_CHECKING:
    from mirror.people.models import User

log = logging.getLogger(__name__)

DROPPED = gettext_noop("Sending was paused when this was queued, and it was dropped when sending went on.")


def pause_now() -> SendingPause | None:
    """The pause that is on; None while things are sent."""
    return SendingPause.objects.filter(ended_at=None).first()


def deliveries_waiting() -> int:
    """How many deliveries wait to go out, for whatever reason."""
    return (
        Delivery.objects.filter(status=Status.QUEUED).count()
        + len(regressions_waiting())
        + len(mentions_waiting())
        + len(notices_waiting())
    )


@transaction.atomic
def sending_pause(by: User | None = None, why: str = "") -> SendingPause:
    """Stop all sending; a pause that is on already keeps its words."""
    kept = SendingPause.objects.select_for_update().filter(ended_at=None).first()
    if kept is None:
        kept = SendingPause.objects.create(began_by=by.get_username() if by else "", why=why.strip()[:300])
        record("paused all sending", by=by, why=kept.why)
        log.warning("All sending was paused by %s", f"user {by.pk}" if by else "a command")
    return kept


@transaction.atomic
def sending_resume(by: User | None = None, *, drop: bool = False) -> int:
    """Let things be sent again; returns how many deliveries waited.

    They go out now, and each report does with the times it missed what its owner chose. With `drop` they are
    given up, as are runs that nobody began, and schedules go on with their next time from now.
    """
    ended = SendingPause.objects.filter(ended_at=None).update(
        ended_at=timezone.now(), ended_by=by.get_username() if by else ""
    )
    if not ended:
        return 0
    waiting = list(Delivery.objects.select_for_update().filter(status=Status.QUEUED).order_by("pk"))
    count = len(waiting) + regressions_go_on(drop=drop) + mentions_go_on(drop=drop) + notices_go_on(drop=drop)
    if drop:
        _drop(waiting)
    else:
        Delivery.objects.filter(status=Status.QUEUED, held_for=Delivery.Held.PAUSE).update(not_before=None)
        for row in waiting:
            if row.held_for == Delivery.Held.PAUSE:
                send(row)
    record("let sending go on", by=by, waiting=count, dropped=drop)
    log.warning(
        "Sending goes on by %s; %d deliveries were %s",
        f"user {by.pk}" if by else "a command",
        count,
        "dropped" if drop else "let go",
    )
    return count


def _drop(waiting: list[Delivery]) -> None:
    now = timezone.now()
    for row in waiting:
        said = {"at": now.isoformat(), "ok": False, "answer": DROPPED}
        end_unheld(row, state=Delivery.State.GIVEN_UP, answers=[*row.answers, said])
    for run in ReportRun.objects.filter(status=Status.QUEUED):
        end_unheld(run, outcome=ReportRun.Outcome.SKIPPED, reason=DROPPED)
    for report in Report.objects.filter(next_at__lte=now):
        try:
            Report.objects.filter(pk=report.pk, next_at=report.next_at).update(next_at=next_time(report))
        except ScheduleError as error:
            log.warning("The schedule of report %s cannot be read: %s", report.pk, error)
