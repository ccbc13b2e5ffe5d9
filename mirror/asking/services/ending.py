"""End threads that nobody has touched for long, where an installation keeps questions for some days only."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import CASCADE, Q, QuerySet
from django.utils import timezone

from mirror.asking.models import Run, Thread, Version
from mirror.asking.services.threads import thread_end
from mirror.audit.services import record
from mirror.work.leases import Status

log = logging.getLogger(__name__)

AT_ONCE = 200
"""Threads ended in one go: a worker is free again after some seconds."""


def threads_over(days: int, now: datetime | None = None) -> QuerySet[Thread]:
    """Give threads whose last question and last SQL are older than so many days; none for 0 days.

    Pinned ones stay, as do those that something else shows, such as a card, and those that are worked on.
    """
    if days <= 0:
        return Thread.objects.none()
    before = (now or timezone.now()) - timedelta(days=days)
    young = Q(runs__created_at__gte=before) | Q(runs__versions__created_at__gte=before)
    working = ~Q(runs__status=Status.DONE) & Q(runs__isnull=False)
    kept = Thread.objects.filter(young | working | _shown_elsewhere()).values("pk")
    old = Thread.objects.filter(is_pinned=False, created_at__lt=before).exclude(pk__in=kept)
    return old.order_by("pk")


def threads_end(now: datetime | None = None) -> int:
    """End threads that are older than `THREAD_DAYS`, with their questions, SQL and rows; returns how many. 0 keeps all."""
    days = settings.THREAD_DAYS
    over = list(threads_over(days, now)[:AT_ONCE])
    for thread in over:
        thread_end(thread)
    if over:
        before = (now or timezone.now()) - timedelta(days=days)
        record("ended threads", threads=len(over), before=f"{before:%Y-%m-%d}")
        log.info("%d threads from before %s ended", len(over), before.date())
    return len(over)


def _shown_elsewhere() -> Q:
    """That a row of another subject would lose what it shows: a card of a run, a tab at its SQL."""
    found = Q(pk__in=[])
    for model, way in ((Run, "runs"), (Version, "runs__versions")):
        for link in model._meta.related_objects:
            if link.related_model._meta.app_label != "asking" and link.on_delete is not CASCADE:
                found |= Q(**{f"{way}__{link.name}__isnull": False})
    return found
