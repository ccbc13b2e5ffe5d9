"""Doors a worker comes in by: each takes its row and calls the service that does the work."""

from __future__ import annotations

from celery import shared_task


@shared_task
def tick_reports() -> None:
    """Make runs of what is due, and hand back and send again what was lost."""
    from mirror.reports import services

    services.reports_tick()


@shared_task
def make_report(run_id: int) -> None:
    """Make one run of a report, if no other worker has it."""
    from mirror.reports import services
    from mirror.work.leases import work_under

    lease = services.run_take(run_id)
    if lease is None:
        return
    with work_under(lease, services.run_break, services.run_leave):
        services.run_make(lease)


@shared_task
def deliver_report(delivery_id: int) -> None:
    """Hand one delivery over, if no other worker has it."""
    from mirror.reports import services
    from mirror.work.leases import work_under

    lease = services.delivery_take(delivery_id)
    if lease is None:
        return
    with work_under(lease, services.delivery_break):
        services.delivery_make(lease)


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
