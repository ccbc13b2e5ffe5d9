"""Nothing stays RUNNING for ever: what dead workers left is handed back, or ended saying why."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.utils import timezone

from mirror.asking.doors import answer_run, run_version
from mirror.asking.models import Run, Version
from mirror.asking.services.answering import STOPPED
from mirror.asking.services.versions import STOPPED_FAILURE
from mirror.work.leases import Door, Leased, Status, end_unheld, hand_back
from sqlagent.values import FailureKind, Outcome

log = logging.getLogger(__name__)

# A worker that dies three times over one row is likely killed by the row.
ATTEMPTS = 3
# A message not taken for this long may be lost; one too many is harmless, the claim decides.
LOST_SECONDS = 30
# Rows looked at in one go; the rest waits ten seconds for the next.
AT_ONCE = 100

GIVEN_UP = (
    f"The worker answering this was interrupted {ATTEMPTS} times, so it was given up. Ask again to retry."
)


def runs_recover() -> None:
    """Hand back runs and versions whose lease ended; send messages again that seem lost.

    After `ATTEMPTS` attempts a row is ended with the reason; one whose stop was asked for
    is ended as stopped. Idempotent, and harmless beside itself: every change is conditional.
    """
    _recover(
        Run,
        answer_run,
        stopped={"outcome": Outcome.FAILED, "reason": STOPPED},
        given_up={"outcome": Outcome.FAILED, "reason": GIVEN_UP},
    )
    failure = {"kind": FailureKind.LOST, "message": GIVEN_UP, "position": None, "advice": ""}
    _recover(Version, run_version, stopped={"failure": STOPPED_FAILURE}, given_up={"failure": failure})


def _recover(model: type[Leased], door: Door, *, stopped: dict[str, Any], given_up: dict[str, Any]) -> None:
    now = timezone.now()
    for row in model._default_manager.filter(status=Status.RUNNING, lease_until__lt=now)[:AT_ONCE]:
        if row.stop_requested:
            end_unheld(row, **stopped)
        elif row.attempts >= ATTEMPTS:
            end_unheld(row, **given_up)
            log.error("%s %s was given up after %d attempts", model.__name__, row.pk, row.attempts)
        elif hand_back(row):
            log.warning("%s %s was handed back after its worker was lost", model.__name__, row.pk)
            door.delay(row.pk)
    lost = now - timedelta(seconds=LOST_SECONDS)
    waiting = model._default_manager.filter(status=Status.QUEUED, queued_at__lt=lost).order_by("queued_at")
    for row in waiting[:AT_ONCE]:
        if row.stop_requested:
            end_unheld(row, **stopped)
        elif waiting.filter(pk=row.pk).update(queued_at=now):
            door.delay(row.pk)
