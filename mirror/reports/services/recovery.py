"""Nothing is lost: what dead workers left is handed back, what no worker came for is sent again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Max, Q
from django.utils import timezone

from mirror.reports.doors import deliver_report, make_report
from mirror.reports.models import Delivery, ReportRun
from mirror.reports.services.delivering import delivery_give_up
from mirror.reports.services.ending import run_give_up
from mirror.reports.services.running import stopped_words
from mirror.work.leases import Door, Retried, Status, due, end_unheld, hand_back

log = logging.getLogger(__name__)

# A worker that dies three times over one row is likely killed by the row.
ATTEMPTS = 3
# A message nobody came for within so many leases may be lost; one too many is harmless, the claim decides.
LOST_LEASES = 4
# Messages are taken in about the order they were sent, give or take so much.
IN_ORDER = timedelta(seconds=10)
# Rows looked at in one go; the rest waits for the next tick.
AT_ONCE = 500


def reports_recover() -> None:
    """Hand back runs and deliveries whose lease ended, and send messages again that seem lost or whose time came.

    After `ATTEMPTS` workers died over a row it is given up with the reason. Idempotent, and
    harmless beside itself: every change is conditional.
    """
    _recover(ReportRun, make_report, run_give_up)
    _recover(Delivery, deliver_report, delivery_give_up)


def _recover(model: type[Retried], door: Door, give_up: Callable[[Any, int], bool]) -> None:
    now = timezone.now()
    for row in model._default_manager.filter(status=Status.RUNNING, lease_until__lt=now)[:AT_ONCE]:
        died = row.attempts - row.tries
        if row.stop_requested:
            _stop(row)
        elif died >= ATTEMPTS:
            if give_up(row, died):
                log.error("%s %s was given up after %d attempts", model.__name__, row.pk, row.attempts)
        elif hand_back(row):
            log.warning("%s %s was handed back after its worker was lost", model.__name__, row.pk)
            door.delay(row.pk)
    unsent = Q(queued_at__lt=_lost_before(model, now)) | Q(not_before__lte=now, queued_at__lt=F("not_before"))
    waiting = model._default_manager.filter(due(model), unsent, status=Status.QUEUED).order_by("queued_at")
    for row in waiting[:AT_ONCE]:
        if row.stop_requested:
            _stop(row)
        elif waiting.filter(pk=row.pk).update(queued_at=now):
            door.delay(row.pk)


def _lost_before(model: type[Retried], now: datetime) -> datetime:
    """When a message was sent that must be lost if nobody came for it yet.

    A thousand messages may wait for minutes in a broker that lost none: while rows are begun, only what was sent
    before them counts as lost.
    """
    lost = now - timedelta(seconds=LOST_LEASES * settings.LEASE_SECONDS)
    begun = model._default_manager.filter(started_at__gte=lost).aggregate(sent=Max("queued_at"))["sent"]
    return min(lost, begun - IN_ORDER) if begun else lost


def _stop(row: Retried) -> None:
    if isinstance(row, ReportRun):
        end_unheld(row, outcome=ReportRun.Outcome.SKIPPED, reason=stopped_words(row))
    else:
        end_unheld(row)
