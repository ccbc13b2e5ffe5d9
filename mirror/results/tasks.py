"""Periodic tasks of stored results."""

from __future__ import annotations

from celery import shared_task


@shared_task
def expire_results() -> None:
    """Delete results whose time is over."""
    from mirror.results import services

    services.results_expire()
