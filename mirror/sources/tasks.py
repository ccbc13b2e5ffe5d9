"""Doors a worker comes in by."""

from __future__ import annotations

from celery import shared_task


@shared_task
def index_build(source_id: int) -> None:
    """Make a source's stored values searchable; a source that is gone by now needs none."""
    from mirror.sources import services
    from mirror.sources.models import Source

    source = Source.objects.filter(pk=source_id).first()
    if source is not None:
        services.index_build(source)


@shared_task
def upload_work(upload_id: str) -> None:
    """Read or load uploaded files, if no other worker does."""
    from mirror.sources import upload_work as work
    from mirror.work.leases import work_under

    lease = work.work_take(upload_id)
    if lease is None:
        return
    with work_under(lease, work.work_break):
        work.work_do(lease)


@shared_task
def visit_work(visit_id: str) -> None:
    """Open a database for somebody who waits, if no other worker does."""
    from mirror.sources import visits
    from mirror.work.leases import work_under

    lease = visits.visit_take(visit_id)
    if lease is None:
        return
    with work_under(lease, visits.visit_break):
        visits.visit_do(lease)
