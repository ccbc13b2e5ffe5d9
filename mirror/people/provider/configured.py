"""The identity provider that the settings name."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl

from django.conf import settings

from mirror.people.models import Identity, User

# Scopes of the request where the settings name none, as far as the provider has them.
WANTED = ("openid", "profile", "email", "groups", "offline_access")
# Of these, the ones left out where the provider lists none: it refuses scopes that it does not know.
_UNSURE = ("groups",)


@dataclass(frozen=True, slots=True, repr=False)
class Provider:
    """One provider, as the settings have it."""

    issuer: str
    client_id: str
    client_secret: str
    name: str
    scopes: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...]
    leeway: int

    def scopes_of(self, supported: object) -> tuple[str, ...]:
        """Name the scopes to ask for, by the list of those that the provider has.

        Example:
            >>> one = Provider("https://id.example", "mirror", "", "Example", (), (), 60)
            >>> one.scopes_of(["openid", "email", "profile"]), one.scopes_of(None)
            (('openid', 'profile', 'email'), ('openid', 'profile', 'email', 'offline_access'))
        """
        if self.scopes:
            return self.scopes if "openid" in self.scopes else ("openid", *self.scopes)
        if isinstance(supported, list):
            return tuple(scope for scope in WANTED if scope in supported or scope == "openid")
        return tuple(scope for scope in WANTED if scope not in _UNSURE)

    def is_lasting(self, granted: str) -> bool:
        """Say whether a refresh token with these scopes outlives the person's session at the provider."""
        return "offline_access" in granted.split() or ("access_type", "offline") in self.parameters


def provider() -> Provider | None:
    """The provider; None where the settings name none."""
    if not settings.OIDC_ISSUER:
        return None
    return Provider(
        issuer=settings.OIDC_ISSUER,
        client_id=settings.OIDC_CLIENT_ID,
        client_secret=settings.OIDC_CLIENT_SECRET,
        name=settings.OIDC_NAME,
        scopes=tuple(settings.OIDC_SCOPES.split()),
        parameters=tuple(parse_qsl(settings.OIDC_AUTHORIZE_PARAMS)),
        leeway=settings.OIDC_CLOCK_SECONDS,
    )


def identity_of(user: User) -> Identity | None:
    """The account at the provider that somebody signs in by; None for one who has a password or links here.

    An account at another issuer than that of the settings does not count: nobody could sign in by it.
    """
    if not settings.OIDC_ISSUER:
        return None
    return Identity.objects.filter(user=user, issuer=settings.OIDC_ISSUER).first()
