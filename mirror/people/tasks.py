"""Doors a worker comes in by: each calls the service that does the work."""

from __future__ import annotations

from celery import shared_task


@shared_task
def tick_people() -> None:
    """Ask the identity provider who is still there, and end the access of who is not."""
    from mirror.people.provider import vouching

    vouching.identities_ask()
    vouching.identities_shut_out()


@shared_task
def end_sessions() -> None:
    """Delete the rows of sessions that ended."""
    from mirror.people import services

    services.sessions_forget()
