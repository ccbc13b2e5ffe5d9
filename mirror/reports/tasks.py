"""Doors a worker comes in by: each takes its row and calls the service that does the work."""

from __future__ import annotations

from celery import shared_task


@shared_task
def tick_reports() -> None:
    """Make runs of what is due."""
    from mirror.reports import services

    services.reports_due_make()


@shared_task
def expire_reports() -> None:
    """Delete files whose time is over and what dead attempts left; set right what a wrong clock left."""
    from mirror.reports import services

    services.files_expire()
    services.schedules_heal()


@shared_task
def look_ahead() -> None:
    """See to it that the tables reports will read soon are looked at before."""
    from mirror.reports import services

    for pk in services.sources_to_look_at():
        look_at_source.delay(pk)


@shared_task
def look_at_source(source_id: int) -> None:
    """Look at the tables of one source."""
    from mirror.reports import services

    services.source_look(source_id)
