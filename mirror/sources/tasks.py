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
