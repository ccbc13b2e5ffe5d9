"""Periodic tasks of questions."""

from __future__ import annotations

from celery import shared_task


@shared_task
def end_threads() -> None:
    """End threads that are older than they are kept."""
    from mirror.asking import services

    services.threads_end()
