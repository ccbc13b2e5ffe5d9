"""Periodic tasks of knowledge."""

from __future__ import annotations

from celery import shared_task


@shared_task
def tick_knowledge() -> None:
    """Ask for the evaluations whose time came."""
    from mirror.knowledge.evaluation_plans import evaluations_due

    evaluations_due()
