"""Periodic tasks of dashboards."""

from __future__ import annotations

from celery import shared_task


@shared_task
def tick_dashboards() -> None:
    """Read the rows of dashboards anew whose time has come, and forget rows that nobody has looked at for long, and old files."""
    from mirror.dashboards import card_rows, pdf_exports, services

    services.dashboards_refresh_due()
    card_rows.supplies_tidy()
    pdf_exports.pdfs_tidy()
