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
    """Read or load large uploaded files, if no other worker does."""
    from mirror.leases import work_under
    from mirror.sources import upload_work as work

    lease = work.work_take(upload_id)
    if lease is None:
        return
    with work_under(lease, work.work_break):
        work.work_do(lease)
