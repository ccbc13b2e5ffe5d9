"""The ways in. A session keeps the name of the one it was begun by; only a password is tried here."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend

from mirror.people.models import Identity, Session, User


class Password(ModelBackend):
    """By name and password; not for people whom the identity provider vouches for, however they came by a password."""

    def authenticate(
        self,
        request: Any,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        """Give the person whose name and password these are."""
        user = super().authenticate(request, username, password, **kwargs)
        if not isinstance(user, User) or (settings.OIDC_ISSUER and _is_vouched_for(user)):
            return None
        return user


def _is_vouched_for(user: User) -> bool:
    return Identity.objects.filter(user=user, issuer=settings.OIDC_ISSUER).exists()


class _Entered(ModelBackend):
    """By a proof that a view has checked."""

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


class Passkey(_Entered):
    """By a passkey that asked for its owner's finger, face or PIN."""


class Provider(_Entered):
    """By the identity provider."""


# The name that a session keeps, by way.
BACKENDS = {
    Session.Way.PASSWORD: f"{__name__}.Password",
    Session.Way.LINK: f"{__name__}.Link",
    Session.Way.PASSKEY: f"{__name__}.Passkey",
    Session.Way.PROVIDER: f"{__name__}.Provider",
}


def way_of(backend: str) -> Session.Way | None:
    """Tell the way that a session's backend stands for; None for none of ours."""
    return next((way for way, name in BACKENDS.items() if name == backend), None)
