"""Data of the page about the identity provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from mirror.people.models import GroupRule, Identity
from mirror.people.provider import wire
from mirror.people.provider.configured import Provider, provider
from mirror.people.provider.errors import ProviderError


@dataclass(frozen=True, slots=True)
class ProviderPage:
    """The provider, whether it answers now, its rules, and how many people sign in by it."""

    provider: Provider | None
    back: str
    scopes: str
    claim: str
    allowed: Sequence[str]
    problem: ProviderError | None
    rules: Sequence[GroupRule]
    people: int
    away: int


def provider_page(back: str) -> ProviderPage:
    """Make the page; the provider is asked for its description."""
    at, problem, scopes = provider(), None, ""
    if at is not None:
        try:
            scopes = " ".join(at.scopes_of(wire.description(at).get("scopes_supported")))
            wire.keys(at)
        except ProviderError as error:
            problem = error
    accounts = Identity.objects.filter(issuer=settings.OIDC_ISSUER)
    return ProviderPage(
        provider=at,
        back=back,
        scopes=scopes,
        claim=settings.OIDC_GROUPS_CLAIM,
        allowed=settings.OIDC_ALLOWED_GROUPS,
        problem=problem,
        rules=list(GroupRule.objects.select_related("team")),
        people=accounts.count(),
        away=accounts.exclude(refused_at=None).count(),
    )
