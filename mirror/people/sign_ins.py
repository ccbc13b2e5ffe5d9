"""Tells the audit of signing in and out, by whichever way, and of wrong passwords; notes in a session from where it was begun."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.utils import timezone

from mirror.audit.services import record
from mirror.people.models import User
from mirror.people.session_store import FROM
from mirror.people.ways import way_of
from mirror.phrases import one_line


@receiver(user_logged_in)
def signed_in(user: User, request: Any, **_: Any) -> None:
    """Somebody is let in."""
    browser = one_line(request.META.get("HTTP_USER_AGENT", ""), 300)
    request.session[FROM] = [request.META.get("REMOTE_ADDR", "")[:64], browser, timezone.now().isoformat()]
    way = way_of(request.session.get(BACKEND_SESSION_KEY, ""))
    record("signed in", user, by=user, way=way.label if way else "")


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
