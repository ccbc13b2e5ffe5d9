"""Count what a person does so many times within a while, whatever the number of processes and threads.

A use is counted under a lock on the row of its quota (SQLite: its transactions write one at a time), in a window that
moves: at no moment were there more than `most` uses within the last `per`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from mirror.people.models import Quota, QuotaMet, QuotaUse, User

# How long a use is remembered by its key: longer than anything is tried again.
KEPT = timedelta(days=7)


@transaction.atomic
def quota_use(person: User, kind: str, key: str, *, most: int, per: timedelta) -> datetime | None:
    """Count a use and give None, or give when there is room again and count nothing.

    A key that was counted before is the same use: it is let through, and not counted again.
    """
    quota, now = _locked(person, kind), timezone.now()
    if quota.uses.filter(key=key).exists():
        return None
    # Times in the future, left by a clock that was ahead, count for nothing once it is right.
    counted = quota.uses.filter(at__gt=now - per, at__lte=now + per).order_by("-at")
    full = counted.values_list("at", flat=True)[max(most, 1) - 1 : max(most, 1)]
    if most < 1 or full:
        return (full[0] if full else now) + per
    QuotaUse.objects.create(quota=quota, key=key, at=now)
    quota.uses.exclude(at__gt=now - max(per, KEPT), at__lte=now + max(per, KEPT)).delete()
    return None


@transaction.atomic
def quota_met(person: User, kind: str, *, most: int, per: timedelta) -> bool:
    """Remember that somebody came upon a bound; True once within `per`, whatever the kinds: then administrators are told."""
    # One row for all kinds, so that of two bounds met at once one is told.
    _locked(person, Quota.Kind.MAILS)
    now = timezone.now()
    lately = QuotaMet.objects.filter(person=person, at__gt=now - per, at__lte=now + per)
    is_first = not lately.exists()
    if not lately.filter(kind=kind).update(held=F("held") + 1):
        QuotaMet.objects.create(person=person, kind=kind, most=most, at=now)
    return is_first


def _locked(person: User, kind: str) -> Quota:
    """The quota's row, locked until the transaction ends."""
    quota, _ = Quota.objects.get_or_create(person=person, kind=kind)
    return Quota.objects.select_for_update().get(pk=quota.pk)
