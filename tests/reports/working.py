"""A worker's part, done in the test's own process; and a report to do it with."""

from __future__ import annotations

import sqlite3
from datetime import datetime, time
from typing import Any

from django.core.files.storage import default_storage
from django.utils import timezone

from mirror.library.models import SavedSql
from mirror.reports import services
from mirror.reports.models import Delivery, Report, ReportRun
from mirror.reports.schedule.times import Schedule
from mirror.sources.models import Source
from mirror.work.leases import Status
from mirror.work.turns import turn_take

EIGHT = Schedule("daily", "Europe/Oslo", time=time(8))
COUNTRIES = "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY 2 DESC, 1 LIMIT 5"


def save_sql(
    owner, source, sql: str = COUNTRIES, name: str = "Customers by country", **fields: Any
) -> SavedSql:
    """SQL in the library."""
    return SavedSql.objects.create(owner=owner, source=source, name=name, sql=sql, **fields)


def save_report(owner, saved: SavedSql, *, to: list[str] | None = None, **fields: Any) -> Report:
    """A report every day at eight in Oslo, as CSV by mail."""
    given: dict[str, Any] = {
        "title": "Weekly customers",
        "formats": ["csv"],
        "schedule": EIGHT,
        "zone": "Europe/Oslo",
        "parts": [(saved, {})],
        "channels": [("mail", {"to": to}, None)] if to else [],
    }
    return services.report_create(owner, **(given | fields))


def due(report: Report, at: datetime) -> None:
    """Let a report's next scheduled time be this one."""
    Report.objects.filter(pk=report.pk).update(next_at=at)
    report.refresh_from_db()


def make(run: ReportRun) -> ReportRun:
    """Make a queued run."""
    lease = turn_take(ReportRun, run.pk)
    assert lease is not None
    services.report_run_make(lease)
    run.refresh_from_db()
    return run


def deliver(delivery: Delivery) -> Delivery:
    """Hand a queued delivery over."""
    lease = turn_take(Delivery, delivery.pk)
    assert lease is not None
    services.delivery_make(lease)
    delivery.refresh_from_db()
    return delivery


def work_off() -> None:
    """Make and deliver all that is due."""
    for run in ReportRun.objects.filter(status=Status.QUEUED):
        if lease := turn_take(ReportRun, run.pk):
            services.report_run_make(lease)
    for delivery in Delivery.objects.filter(status=Status.QUEUED):
        if lease := turn_take(Delivery, delivery.pk):
            services.delivery_make(lease)


def write(source: Source, sql: str) -> None:
    """Change a source from behind."""
    with sqlite3.connect(source.database) as db:
        db.execute(sql)


def runs_of(report: Report, at=None) -> ReportRun:
    """Let the next scheduled time come, and do all that follows."""
    before = set(report.runs.values_list("pk", flat=True))
    due(report, at or timezone.now())
    assert services.reports_due_make() == 1
    work_off()
    report.refresh_from_db()
    return report.runs.exclude(pk__in=before).get()


def kept() -> list[str]:
    """Every file that reports keep in the storage."""
    found = []
    for run in default_storage.listdir("reports")[0] if default_storage.exists("reports") else ():
        for attempt in default_storage.listdir(f"reports/{run}")[0]:
            found += [f"{attempt}/{name}" for name in default_storage.listdir(f"reports/{run}/{attempt}")[1]]
    return sorted(found)
