"""Retention: how long things are kept, and how much is over. Nothing is deleted to find that out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils import timezone

from mirror.asking.models import Thread
from mirror.asking.services import threads_end, threads_over
from mirror.audit.models import AuditRow
from mirror.audit.services import days_end
from mirror.phrases import counted
from mirror.reports.making.report_files import HISTORY_DAYS, files_expire
from mirror.reports.models import ReportFile, ReportRun
from mirror.results.models import StoredResult
from mirror.results.services import results_expire
from mirror.work.leases import Status

GOES = 1_000
"""Rounds of deleting at most: each ends some hundred rows."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One kind of rows: what they are, how long they are kept, how many there are, how many are over, and bytes of these."""

    what: str
    kept: str
    count: int
    over: int
    size: int = 0


def kept(now: datetime | None = None, threads: int | None = None) -> Iterator[Kept]:
    """Tell of each kind what is over at a time, now unless another is given; threads by another number of days than is set, where one is given."""
    now = now or timezone.now()
    days = settings.THREAD_DAYS if threads is None else threads
    yield Kept(
        "threads of questions",
        f"{_days(days)} after their last question (THREAD_DAYS)",
        Thread.objects.count(),
        threads_over(days, now).count(),
    )
    yield _expiring(
        "stored rows", f"{_days(settings.RESULT_DAYS)} (RESULT_DAYS)", StoredResult.objects.all(), now
    )
    yield _expiring("files of reports", "as each report says", ReportFile.objects.all(), now)
    done = ReportRun.objects.filter(status=Status.DONE, files=None)
    past = done.filter(ended_at__lt=now - timedelta(days=HISTORY_DAYS))
    yield Kept("runs of reports without files", _days(HISTORY_DAYS), done.count(), past.count())
    rows = AuditRow.objects.all()
    first = now.astimezone(UTC).date() - timedelta(days=settings.AUDIT_DAYS)
    over = rows.filter(day__lt=first).count() if settings.AUDIT_DAYS else 0
    yield Kept("rows of the audit", f"{_days(settings.AUDIT_DAYS)} (AUDIT_DAYS)", rows.count(), over)


def end() -> int:
    """Delete what is over by the settings, as the scheduler does each hour; returns how many rows and files went."""
    gone = 0
    for step in (threads_end, results_expire, files_expire, days_end):
        for _ in range(GOES):
            count = step()
            gone += count
            if not count:
                break
    return gone


def _expiring(
    what: str, kept: str, rows: QuerySet[StoredResult] | QuerySet[ReportFile], now: datetime
) -> Kept:
    over = rows.filter(expires_at__lte=now)
    return Kept(what, kept, rows.count(), over.count(), over.aggregate(size=Sum("size"))["size"] or 0)


def _days(days: int) -> str:
    return counted(days, "day") if days > 0 else "for ever"
