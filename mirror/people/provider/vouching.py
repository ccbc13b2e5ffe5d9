"""The identity provider asked again about each person: access goes on or ends by its word."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from mirror.audit.services import record
from mirror.people.models import Identity, Session
from mirror.people.provider import wire
from mirror.people.provider.claims import groups_in, proved
from mirror.people.provider.configured import Provider, provider
from mirror.people.provider.errors import (
    GrantRefused,
    ProviderDown,
    ProviderError,
    ProviderMistaken,
    Untrusted,
)
from mirror.people.provider.groups import groups_allow, groups_apply, groups_matter
from mirror.people.services import PeopleError, sessions_end, user_deactivate
from mirror.phrases import one_line
from mirror.secrets import SecretUnreadable

log = logging.getLogger(__name__)

# How often the provider is asked about each person: with the ticks of half a minute and a slow answer, less than five
# minutes go by between somebody's removal there and the end of their access here.
ASK_EVERY = timedelta(minutes=2)
# For how long one tick asks (seconds), and how many people at once.
ASK_SECONDS, AT_ONCE = 20.0, 8

REMOVED = "the provider no longer vouches for them"


@dataclass(frozen=True, slots=True, repr=False)
class Word:
    """The provider's answer about one person: whether it vouches for them, the next grant, their groups where it told them.

    `is_vouched` is None where it gave the next grant, and nothing else that can be trusted.
    """

    is_vouched: bool | None
    grant: str = ""
    groups: tuple[str, ...] | None = None


def identities_ask() -> int:
    """Ask the provider about everybody whom it has not vouched for of late; return about how many it answered.

    Where it cannot be reached, sessions go on until `OIDC_GRACE_MINUTES` after its last word.
    """
    at, until, answered = provider(), monotonic() + ASK_SECONDS, 0
    if at is None:
        return 0
    needs_groups = groups_matter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while monotonic() < until and (claimed := _claim(at)):
            words = list(pool.map(lambda account: _asked(at, account, needs_groups), claimed))
            for account, word in zip(claimed, words, strict=True):
                if word is not None:
                    _heard(account, word)
            answered += sum(word is not None and word.is_vouched is not None for word in words)
            if None in words:
                break
    return answered


def _claim(at: Provider) -> list[Identity]:
    """Take the accounts that were asked about longest ago, so that no other process asks too: a refresh token is used once."""
    now = timezone.now()
    due = Identity.objects.filter(
        issuer=at.issuer, refused_at=None, user__is_active=True, asked_at__lt=now - ASK_EVERY
    )
    claimed = []
    for account in due.select_related("user").order_by("asked_at")[:AT_ONCE]:
        if Identity.objects.filter(pk=account.pk, asked_at=account.asked_at).update(
            asked_at=now, is_unsure=True
        ):
            account.asked_at = now
            claimed.append(account)
    return claimed


def _asked(at: Provider, account: Identity, needs_groups: bool) -> Word | None:
    """Ask about one person; None where nothing is known. Touches no row: it runs in a thread of its own."""
    try:
        if account.grant_kind == Identity.Grant.ACCESS:
            claims = wire.userinfo(at, account.grant)
            _same_look(account, claims)
            return Word(True, account.grant, groups_in(claims, settings.OIDC_GROUPS_CLAIM))
        tokens = wire.refresh(at, account.grant)
    except GrantRefused:
        return Word(is_vouched=False)
    except (ProviderError, SecretUnreadable) as error:
        _fault_log(error)
        return None
    grant = tokens.refresh or account.grant
    try:
        return Word(True, grant, _groups_refreshed(at, account, tokens, needs_groups))
    except ProviderError as error:
        # The token before may be worth nothing by now.
        _fault_log(error)
        return Word(None, grant)


def _groups_refreshed(
    at: Provider, account: Identity, tokens: wire.Tokens, needs_groups: bool
) -> tuple[str, ...] | None:
    """The groups of somebody whose token was changed, where they are told. Raises: ProviderError for a proof that cannot be trusted."""
    claims: dict[str, Any] = {}
    if tokens.id_token:
        claims = proved(at, tokens.id_token)
        _same_look(account, claims)
    groups = groups_in(claims, settings.OIDC_GROUPS_CLAIM)
    if groups is not None or not needs_groups:
        return groups
    try:
        claims = wire.userinfo(at, tokens.access)
    except (GrantRefused, ProviderDown, ProviderMistaken) as error:
        # It has vouched for them by the new token.
        _fault_log(error)
        return None
    _same_look(account, claims)
    return groups_in(claims, settings.OIDC_GROUPS_CLAIM)


def _same_look(account: Identity, claims: dict[str, Any]) -> None:
    if claims.get("sub", account.subject) != account.subject:
        raise Untrusted(_("The provider told of somebody else."))


def _fault_log(error: ProviderError | SecretUnreadable) -> None:
    detail = error.detail if isinstance(error, ProviderError) else str(error)
    log.warning("The identity provider could not be asked: %s: %s", type(error).__name__, detail)


@transaction.atomic
def _heard(account: Identity, word: Word) -> None:
    """Act on the provider's word, unless the person signed in anew or was shut out meanwhile."""
    kept = Identity.objects.select_for_update().filter(pk=account.pk, asked_at=account.asked_at).first()
    # Somebody whom an administrator shut out meanwhile stays shut out by them.
    if kept is None or not kept.user.is_active:
        return
    if word.is_vouched is None:
        kept.grant, kept.is_unsure = word.grant, False
        kept.save(update_fields=["grant", "is_unsure"])
        return
    groups = tuple(kept.groups) if word.groups is None else word.groups
    if not word.is_vouched or not groups_allow(groups):
        _refused(kept, has_left=kept.is_lasting and not account.is_unsure or word.is_vouched)
        return
    now = timezone.now()
    kept.grant, kept.groups, kept.vouched_at, kept.is_unsure = word.grant, list(groups), now, False
    kept.save(update_fields=["grant", "groups", "vouched_at", "is_unsure"])
    begun = now - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    Session.objects.filter(user=kept.user_id, way=Session.Way.PROVIDER, begun_at__gt=begun).update(
        expire_date=now + timedelta(minutes=settings.OIDC_GRACE_MINUTES)
    )
    groups_apply(kept.user, groups)


def _refused(account: Identity, has_left: bool) -> None:
    """End what somebody has here whom the provider does not vouch for; for good where that means that they left."""
    account.refused_at, account.grant = timezone.now(), ""
    account.save(update_fields=["refused_at", "grant"])
    sessions_end(account.user)
    record("lost the word of the provider", account.user)
    log.info("The identity provider no longer vouches for user %s", account.user_id)
    if has_left:
        _shut_out(account)


def identities_shut_out() -> None:
    """Shut out people who were away from the provider for `OIDC_AWAY_DAYS`."""
    since = timezone.now() - timedelta(days=settings.OIDC_AWAY_DAYS)
    for account in Identity.objects.filter(
        issuer=settings.OIDC_ISSUER, refused_at__lt=since, shut_out_at=None, user__is_active=True
    ).select_related("user"):
        _shut_out(account)


def identities_rest() -> None:
    """Have the provider asked about nobody before they sign in anew, and their tokens rest until then: for a restored copy.

    Another Mirror may ask with the same tokens: one that is used twice ends, there and here, as if somebody had left.
    """
    now = timezone.now()
    Identity.objects.filter(refused_at=None).update(refused_at=now, grant="", vouched_at=None)


@transaction.atomic
def _shut_out(account: Identity) -> None:
    try:
        user_deactivate(account.user, None, why=REMOVED)
    except PeopleError as error:
        log.warning("User %s is not shut out: %s", account.user_id, one_line(str(error)))
        return
    account.shut_out_at = timezone.now()
    account.save(update_fields=["shut_out_at"])
