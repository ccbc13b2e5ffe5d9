"""Periodic tasks of the audit."""

from __future__ import annotations

from celery import shared_task


@shared_task
def end_days() -> None:
    """End days that are older than they are kept."""
    from mirror.audit import services

    services.days_end()
