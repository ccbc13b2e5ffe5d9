"""Doors a worker comes in by: each takes its row and calls the service that does the work."""

from __future__ import annotations

from celery import shared_task


@shared_task
def answer_run(run_id: int) -> None:
    """Answer a run, if no other worker has it."""
    from mirror.asking import services
    from mirror.work.leases import work_under

    lease = services.run_take(run_id)
    if lease is None:
        return
    with work_under(lease, services.run_break, services.turn_pass):
        services.run_answer(lease)


@shared_task
def run_version(version_id: int) -> None:
    """Run the SQL of a version, if no other worker has it."""
    from mirror.asking import services
    from mirror.work.leases import work_under

    lease = services.version_take(version_id)
    if lease is None:
        return
    with work_under(lease, services.version_break, services.turn_pass):
        services.version_run(lease)


@shared_task
def recover_runs() -> None:
    """Hand back what dead workers left, and send again what no worker came for."""
    from mirror.asking import services

    services.runs_recover()
