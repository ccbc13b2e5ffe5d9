"""The ways in. A session keeps the name of the one it was begun by; only a password is tried here."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend

from mirror.people.models import Session, User


class Password(ModelBackend):
    """By name and password."""


class _Entered(ModelBackend):
    """By something that a view looked at before."""

    def authenticate(
        self,
        request: Any,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        """Let nobody in."""
        return None


class Link(_Entered):
    """By a one-time link."""


class Provider(_Entered):
    """By the identity provider."""


# The name that a session keeps, by way.
BACKENDS = {
    Session.Way.PASSWORD: f"{__name__}.Password",
    Session.Way.LINK: f"{__name__}.Link",
    Session.Way.PROVIDER: f"{__name__}.Provider",
}


def way_of(backend: str) -> Session.Way | None:
    """Tell the way that a session's backend stands for; None for none of ours."""
    return next((way for way, name in BACKENDS.items() if name == backend), None)
