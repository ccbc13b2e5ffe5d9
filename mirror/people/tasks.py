"""Doors a worker comes in by: each calls the service that does the work."""

from __future__ import annotations

from celery import shared_task


@shared_task
def tick_people() -> None:
    """Ask the identity provider who is still there, and end the access of who is not."""
    from mirror.people.provider import services

    services.identities_ask()
    services.identities_shut_out()


@shared_task
def end_sessions() -> None:
    """Delete what is left of sessions that ended."""
    from mirror.people import services

    services.sessions_forget()
