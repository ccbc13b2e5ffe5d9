"""Which rows of the audit somebody may look at."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db.models import Q, QuerySet

from mirror.audit.models import AuditRow
from mirror.audit.verbs import VERBS


def rows_visible(user: Any) -> QuerySet[AuditRow]:
    """List the rows somebody may see, the newest first: administrators all, everybody their own."""
    return AuditRow.objects.all() if user.is_staff else AuditRow.objects.filter(who_id=user.pk)


def rows_found(
    rows: QuerySet[AuditRow],
    *,
    search: str = "",
    about: str = "",
    since: date | None = None,
    until: date | None = None,
) -> QuerySet[AuditRow]:
    """Look among rows: words of who, what and from where, a group of verbs, days (UTC)."""
    for word in search.split():
        rows = rows.filter(
            Q(who__icontains=word)
            | Q(verb__icontains=word)
            | Q(thing__icontains=word)
            | Q(origin__icontains=word)
        )
    if about:
        rows = rows.filter(verb__in=[verb for verb, group in VERBS.items() if group == about])
    if since:
        rows = rows.filter(day__gte=since)
    return rows.filter(day__lte=until) if until else rows
