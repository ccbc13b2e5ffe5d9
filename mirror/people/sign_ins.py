"""Tells the audit of signing in and out, by whichever way, and of wrong passwords."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver

from mirror.audit.services import record
from mirror.people.models import User


@receiver(user_logged_in)
def signed_in(user: User, **_: Any) -> None:
    """Somebody is let in."""
    record("signed in", user, by=user)


@receiver(user_logged_out)
def signed_out(user: User | None, **_: Any) -> None:
    """Somebody goes."""
    if user is not None:
        record("signed out", user, by=user)


@receiver(user_login_failed)
def refused(credentials: dict[str, Any], **_: Any) -> None:
    """A password was wrong. A name that nobody has is not kept: it may be a password in the wrong field."""
    name = str(credentials.get("username", ""))[:150]
    known = User.objects.filter(username=name).first()
    record("signed in", known or "a name that nobody has", is_refused=True)
