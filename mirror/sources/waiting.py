"""Work that somebody waits for on a page: files to be read, a database to be looked at. Taken in turns.

What one person may have worked on at once is bounded, so that four files made to take ten minutes each keep
nobody else waiting.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from mirror.people.models import User
from mirror.work.leases import Lease, Leased, Status, claim, end_unheld, hand_back, send

# Of one person, of each kind, at once. The worker takes four things at once (`script/serve.py`).
AT_ONCE = 2
# A message not taken for this long may be lost.
LOST_SECONDS = 15


def waiting_take(model: type[Leased], pk: Any) -> Lease | None:
    """Take a row that waits; None when another worker has it, or its owner has enough that is worked on."""
    row = model._default_manager.filter(pk=pk).first()
    if row is None:
        return None
    others = model._default_manager.filter(
        owner=row.owner_id, status=Status.RUNNING, lease_until__gt=timezone.now()
    )
    if others.exclude(pk=pk).count() >= AT_ONCE:
        model._default_manager.filter(pk=pk, status=Status.QUEUED).update(waits_turn=True)
        return None
    return claim(model, pk)


def waiting_next(model: type[Leased], owner: User | int, task: Any) -> None:
    """Send the row of somebody that waits for its turn longest, now that another has ended."""
    rows = model._default_manager.filter(owner=owner, status=Status.QUEUED, waits_turn=True)
    row = rows.order_by("created_at").first()
    if row is not None:
        send(task, str(row.pk))


def waiting_look(row: Leased, task: Any, attempts: int, given_up: str) -> None:
    """See to it that a row somebody looks at is worked on: hand back what a dead worker left, send again."""
    now = timezone.now()
    if row.status == Status.RUNNING and row.lease_until and row.lease_until < now:
        if row.attempts >= attempts:
            end_unheld(row, said={"error": given_up})
        elif hand_back(row):
            send(task, str(row.pk))
    elif row.status == Status.QUEUED:
        same = type(row)._default_manager.filter(pk=row.pk)
        if same.filter(queued_at__lt=now - timedelta(seconds=LOST_SECONDS)).update(queued_at=now):
            send(task, str(row.pk))
    row.refresh_from_db()


def waits_long(row: Leased, since: datetime, seconds: float) -> bool:
    """Say that no worker has taken a row for so long, though it is its turn."""
    is_old = since < timezone.now() - timedelta(seconds=seconds)
    return row.status == Status.QUEUED and not row.waits_turn and not row.attempts and is_old
