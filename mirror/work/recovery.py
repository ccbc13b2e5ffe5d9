"""Nothing stays RUNNING for ever: rows of dead workers are handed back, rows that no worker took are sent again."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime, timedelta
from time import sleep
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone

from mirror.work.kinds import KINDS, Kind, kind_of, tell
from mirror.work.leases import Leased, Retried, Status, due, hand_back

log = logging.getLogger(__name__)

# Messages are taken in the order they were sent, within this time.
IN_ORDER = timedelta(seconds=10)
# Rows looked at in one go; the rest waits for the next.
AT_ONCE = 500
# A lease that is over is looked at again after this long: after an outage of the store a living worker renews it first.
LOOK_AGAIN_SECONDS = 1.0


def work_recover() -> None:
    """Hand back rows whose lease ended, and send messages again that seem lost or whose time came.

    A row over which workers died too often is given up with the reason; one whose stop was asked for is ended as
    stopped. Idempotent, and safe to run twice at once: every change is conditional.
    """
    over = [(kind, row) for kind in KINDS.values() for row in _over(kind)[:AT_ONCE]]
    if over:
        sleep(LOOK_AGAIN_SECONDS)
    for kind, row in over:
        if _over(kind).filter(pk=row.pk, lease_token=row.lease_token).exists():
            _handed_back(kind, row)
    for kind in KINDS.values():
        _sent_again(kind)


def row_look(row: Leased) -> None:
    """Recover one row at once, as `work_recover` does, for a person who waits for it, and read it again.

    A row that somebody removed meanwhile stays as it was read: who asks for it next hears that it is gone.
    """
    kind, now = kind_of(type(row)), timezone.now()
    if row.status == Status.RUNNING and row.lease_until and row.lease_until < now:
        _handed_back(kind, row)
    elif row.status == Status.QUEUED:
        old = now - timedelta(seconds=kind.lost_seconds)
        if kind.model._default_manager.filter(pk=row.pk, queued_at__lt=old).update(queued_at=now):
            tell(kind, row.pk)
    with suppress(ObjectDoesNotExist):
        row.refresh_from_db()


def waits_long(row: Leased, since: datetime, seconds: float) -> bool:
    """Say that no worker has taken a row for so long, though it is its turn."""
    is_old = since < timezone.now() - timedelta(seconds=seconds)
    return row.status == Status.QUEUED and not row.waits_turn and not row.attempts and is_old


def _over(kind: Kind) -> QuerySet[Any]:
    rows = kind.model._default_manager.filter(status=Status.RUNNING, lease_until__lt=timezone.now())
    return rows.only(*_read(kind))


def _read(kind: Kind) -> list[str]:
    """The fields of a row's state; others are read where a kind needs them."""
    base = Retried if issubclass(kind.model, Retried) else Leased
    return ["pk", *(field.name for field in base._meta.local_fields)]


def _handed_back(kind: Kind, row: Any) -> None:
    died = row.died
    if row.stop_requested:
        kind.stopped(row)
    elif died >= kind.attempts:
        if kind.given_up(row, died):
            log.error("%s %s was given up after %d attempts", kind.model.__name__, row.pk, row.attempts)
    elif hand_back(row):
        log.warning("%s %s was handed back after its worker was lost", kind.model.__name__, row.pk)
        tell(kind, row.pk)


def _sent_again(kind: Kind) -> None:
    now = timezone.now()
    unsent = Q(queued_at__lt=_lost_before(kind, now))
    if issubclass(kind.model, Retried):
        unsent |= Q(not_before__lte=now, queued_at__lt=F("not_before"))
    rows = kind.model._default_manager.filter(due(kind.model), unsent, status=Status.QUEUED)
    waiting = rows.only(*_read(kind)).order_by("queued_at")
    for row in waiting[:AT_ONCE]:
        if row.stop_requested:
            kind.stopped(row)
        elif rows.filter(pk=row.pk).update(queued_at=now):
            tell(kind, row.pk)


def _lost_before(kind: Kind, now: datetime) -> datetime:
    """The time before which a message that no worker took counts as lost.

    A thousand messages may wait for minutes in a broker that lost none: while rows are begun, only what was sent
    before them counts as lost.
    """
    lost = now - timedelta(seconds=kind.lost_seconds)
    begun = kind.model._default_manager.filter(started_at__gte=lost).aggregate(sent=Max("queued_at"))["sent"]
    return min(lost, begun - IN_ORDER) if begun else lost
