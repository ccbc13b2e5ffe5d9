"""How a run ends badly: kept with its reason, counted, told to the owner; a schedule that keeps failing pauses."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext_noop

from mirror.reports.making.report_files import attempts_forget
from mirror.reports.models import Delivery, Report, ReportRun
from mirror.reports.reasons import FAILED_OFTEN, FAILED_ONCE
from mirror.reports.sending.queueing import notice_send
from mirror.storable import storable
from mirror.stored_words import sayings
from mirror.work.leases import Lease, end_unheld

log = logging.getLogger(__name__)

GIVEN_UP = gettext_noop("The worker making this report was interrupted {count} times, so it was given up.")
GIVEN_UP_ADVICE = gettext_noop(
    "Run it by hand. If that ends so too, ask the administrator of this server to look at its log."
)


def report_run_fail(lease: Lease, run: ReportRun, reason: str, advice: str = "") -> None:
    """End a run that a worker holds as failed. Raises: LeaseLost."""

    def write() -> None:
        lease.end(**_fields(reason, advice))
        _failed(run, reason)

    lease.keep(write)


def report_run_give_up(run: ReportRun, count: int) -> bool:
    """End a run whose workers died, as it was read; False if it has moved on since."""
    with transaction.atomic():
        reason = GIVEN_UP.format(count=count)
        if not end_unheld(run, **_fields(reason, GIVEN_UP_ADVICE)):
            return False
        _failed(run, reason)
    attempts_forget(run)
    return True


def report_stop(report: Report, why: str) -> None:
    """Pause a report's schedule because of what happened, and keep why."""
    Report.objects.filter(pk=report.pk).update(is_paused=True, paused_why=storable(why), next_at=None)
    log.warning("Report %s paused itself", report.pk)


def _fields(reason: str, advice: str) -> dict[str, Any]:
    failed = ReportRun.Outcome.FAILED
    return {"outcome": failed} | reason_fields(reason, advice)


def reason_fields(reason: str, advice: str) -> dict[str, Any]:
    """The columns of a run that say why it could not be made, and what to do."""
    return {
        "reason": storable(reason),
        "advice": storable(advice),
        "saying": sayings(reason=reason, advice=advice),
    }


def _failed(run: ReportRun, reason: str) -> None:
    """Count a failure of the schedule and tell the owner. A person who runs it by hand sees it on the page."""
    log.warning("Run %s of report %s failed", run.pk, run.report_id)
    if run.cause not in (ReportRun.Cause.SCHEDULE, ReportRun.Cause.MISSED):
        return
    Report.objects.filter(pk=run.report_id).update(failures=F("failures") + 1)
    report = Report.objects.select_related("owner").get(pk=run.report_id)
    if report.failures < report.pause_after or report.is_paused:
        notice_send(run, Delivery.About.FAILED, report.owner)
        return
    why = FAILED_ONCE if report.failures == 1 else FAILED_OFTEN
    report_stop(report, why.format(count=report.failures, reason=reason))
    notice_send(run, Delivery.About.PAUSED, report.owner)
