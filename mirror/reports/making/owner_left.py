"""When an owner has left: the report goes to somebody of its teams who sees all its sources, or pauses."""

from __future__ import annotations

import logging

from django.db import transaction

from mirror.reports.making.failing import report_stop
from mirror.reports.models import Delivery, Report, ReportRun
from mirror.reports.reasons import reasons_leave
from mirror.reports.selectors import owners_offered
from mirror.reports.sending.queueing import notice_send
from mirror.work.leases import Lease

log = logging.getLogger(__name__)


def owner_settle(report: Report, run: ReportRun, lease: Lease) -> bool:
    """Hand a report over whose owner was shut out; False when nobody can take it.

    Then the run is ended, and the report paused saying so. Raises: LeaseLost.
    """
    left = report.owner.get_username()
    offered = owners_offered(report)
    with transaction.atomic():
        if not offered:
            why = f"Its owner {left} is no longer here, and nobody in its teams sees all its sources."
            advice = "Whoever of its teams sees its sources and its saved SQL can take it over on its page, and resume it."
            lease.end(outcome=ReportRun.Outcome.FAILED, reason=why, advice=advice)
            report_stop(report, why)
            return False
        lease.write()
        reasons_leave(report, offered[0])
        Report.objects.filter(pk=report.pk).update(owner=offered[0])
        report.owner = offered[0]
        notice_send(run, Delivery.About.HANDED, offered[0])
    log.warning("Report %s was handed over from %s to user %s", report.pk, left, offered[0].pk)
    return True
