"""People and the identity provider: who is made or found by what it proves, and who is out because it says so."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from mirror.audit.services import record
from mirror.people.models import Identity, Session, User
from mirror.people.provider import wire
from mirror.people.provider.claims import Known, groups_in, known_by, proved
from mirror.people.provider.configured import Provider, provider
from mirror.people.provider.errors import (
    GrantRefused,
    NotLetIn,
    ProviderDown,
    ProviderError,
    ProviderMistaken,
    Stale,
    Untrusted,
)
from mirror.people.provider.groups import groups_allow, groups_apply, groups_matter
from mirror.people.services import (
    PeopleError,
    sessions_end,
    user_activate,
    user_create,
    user_deactivate,
    user_password_forget,
)
from mirror.phrases import one_line
from mirror.secrets import SecretUnreadable

log = logging.getLogger(__name__)

# How often the provider is asked about each person: with the ticks of half a minute and a slow answer, less than five
# minutes go by between somebody's removal there and the end of their access here.
ASK_EVERY = timedelta(minutes=2)
# For how long one tick asks (seconds), and how many people at once.
ASK_SECONDS, AT_ONCE = 20.0, 8

REMOVED = "the provider no longer vouches for them"


# ---------------------------------------------------------------- signing in


@dataclass(frozen=True, slots=True, repr=False)
class Proof:
    """What one sign-in proved, and what to ask the provider with later."""

    issuer: str
    known: Known
    grant: str
    kind: Identity.Grant
    is_lasting: bool


def proof_fetch(code: str, nonce: str, verifier: str, back: str) -> Proof:
    """Change the code that a browser came back with for a proof of who its user is. Raises: ProviderError."""
    at = _provider()
    try:
        tokens = wire.code_redeem(at, code, verifier, back)
    except GrantRefused as error:
        raise Stale(f"{at.name} no longer knows this sign-in.", "Begin again.", error.detail) from None
    claims = proved(at, tokens.id_token, nonce, tokens.access)
    known = known_by(_with_userinfo(at, claims, tokens.access))
    kind = Identity.Grant.REFRESH if tokens.refresh else Identity.Grant.ACCESS
    # A scope that is not told is what was asked for (RFC 6749, 5.1).
    granted = tokens.scopes or " ".join(at.scopes_of(wire.description(at).get("scopes_supported")))
    return Proof(
        at.issuer,
        known,
        tokens.refresh or tokens.access,
        kind,
        bool(tokens.refresh) and at.is_lasting(granted),
    )


def _provider() -> Provider:
    at = provider()
    if at is None:
        raise ProviderMistaken("There is no sign-in service.", "An administrator sets OIDC_ISSUER.")
    return at


def _with_userinfo(at: Provider, claims: dict[str, Any], access: str) -> dict[str, Any]:
    """Claims with what the ID token leaves to the page of the person: names, address, groups."""
    wanted = "email" in claims and "name" in claims
    has_groups = groups_in(claims, settings.OIDC_GROUPS_CLAIM) is not None
    if not access or (wanted and (has_groups or not groups_matter())):
        return claims
    try:
        told = wire.userinfo(at, access)
    except GrantRefused as error:
        log.warning("The provider gave nothing more of a person: %s", error.detail)
        return claims
    # It may be that of somebody else, if tokens were mixed up (OpenID Connect Core, 5.3.2).
    if told and told.get("sub") != claims["sub"]:
        raise Untrusted(f"{at.name} told of somebody else.", "Begin again.")
    if "email" in claims and claims["email"] != told.get("email"):
        # Whether an address is verified is said of that address.
        told.pop("email_verified", None)
    return {**told, **claims}


def identity_enter(proof: Proof) -> User:
    """Find or make the person of a proof, with teams and role by their groups. Raises: NotLetIn.

    Found by issuer and subject alone: somebody who has the same mail address or name here is another person, until they
    connect the account themselves.
    """
    groups = _groups_checked(proof)
    try:
        return _enter(proof, groups)
    except (IntegrityError, ValidationError):
        # Made by another request a moment ago: the person, or somebody of the same name.
        return _enter(proof, groups)


@transaction.atomic
def _enter(proof: Proof, groups: Sequence[str]) -> User:
    account = _account(proof)
    if account is None:
        known = proof.known
        user = user_create(_free_name(known.username), name=known.name, email=known.email)
        account = Identity(user=user, issuer=proof.issuer, subject=known.subject)
        record("connected an identity", user, by=user, issuer=proof.issuer)
    user = account.user
    if not user.is_active:
        if account.shut_out_at is None:
            raise NotLetIn("An administrator shut you out.", "Ask an administrator.")
        user_activate(user)
    _vouched(account, proof, groups)
    groups_apply(user, groups)
    return User.objects.get(pk=user.pk)


@transaction.atomic
def identity_connect(user: User, proof: Proof) -> None:
    """Have somebody who is signed in sign in by the provider from now on; their password ends. Raises: NotLetIn."""
    groups = _groups_checked(proof)
    account = _account(proof)
    if account is not None and account.user_id != user.pk:
        raise NotLetIn("This account is somebody else's here.", "Sign out there and take your own.")
    if account is None:
        if user.is_service or Identity.objects.filter(user=user, issuer=proof.issuer).exists():
            raise NotLetIn("You are connected with another account already.", "Ask an administrator.")
        # One at an issuer that the settings no longer name: nobody can sign in by it.
        Identity.objects.filter(user=user).delete()
        account = Identity(user=user, issuer=proof.issuer, subject=proof.known.subject)
        record("connected an identity", user, by=user, issuer=proof.issuer)
    user_password_forget(user)
    sessions_end(user)
    _vouched(account, proof, groups)
    groups_apply(user, groups)
    log.info("User %s signs in by the identity provider from now on", user.pk)


@transaction.atomic
def identity_disconnect(user: User, by: User) -> None:
    """Have somebody sign in by a password or a link again: their sessions by the provider end. Raises: PeopleError."""
    gone, _ = Identity.objects.filter(user=user).delete()
    if not gone:
        raise PeopleError("They do not sign in by an identity provider.")
    Session.objects.filter(user=user, way=Session.Way.PROVIDER).delete()
    record("disconnected an identity", user, by=by)
    log.info("User %s no longer signs in by the identity provider, by user %s", user.pk, by.pk)


def refusal_record(error: ProviderError) -> None:
    """Tell the audit that nobody was let in, and why."""
    record("signed in", "by the identity provider", is_refused=True, why=str(error))
    log.warning("A sign-in by the identity provider failed: %s: %s", type(error).__name__, error.detail)


def _account(proof: Proof) -> Identity | None:
    found = Identity.objects.select_related("user", "user__identity")
    return found.filter(issuer=proof.issuer, subject=proof.known.subject).first()


def _groups_checked(proof: Proof) -> tuple[str, ...]:
    """The groups of a proof, where they let the person in. Raises: NotLetIn."""
    groups = proof.known.groups
    if groups is None and groups_matter():
        raise NotLetIn(
            f"{settings.OIDC_NAME} did not say which groups you are in, and what you may do here hangs on them.",
            f"An administrator of {settings.OIDC_NAME} has it send the claim “{settings.OIDC_GROUPS_CLAIM}” to Mirror.",
        )
    if not groups_allow(groups or ()):
        raise NotLetIn(
            "You are in none of the groups that may use Mirror.",
            f"Ask who gives out groups at {settings.OIDC_NAME}.",
        )
    return groups or ()


def _vouched(account: Identity, proof: Proof, groups: Iterable[str]) -> None:
    now = timezone.now()
    account.grant, account.grant_kind, account.is_lasting = proof.grant, proof.kind, proof.is_lasting
    account.groups = list(groups)
    account.asked_at = account.vouched_at = now
    account.refused_at = account.shut_out_at = None
    account.is_unsure = False
    account.save()


def _free_name(wanted: str) -> str:
    """A username that nobody has, letter case ignored: that which is wanted, or with a number behind it."""
    name = re.sub(r"[^\w.@+-]+", ".", User.normalize_username(wanted)).strip(".")[:140] or "person"
    taken = {
        one.casefold()
        for one in User.objects.filter(username__istartswith=name).values_list("username", flat=True)
    }
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(one for one in (name, *numbered) if one.casefold() not in taken)


# ---------------------------------------------------------------- asking again


@dataclass(frozen=True, slots=True, repr=False)
class Word:
    """What the provider said of one person: whether it vouches for them, the next grant, their groups where it told them.

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
        raise Untrusted("The provider told of somebody else.")


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
    """Shut out whoever was away from the provider for `OIDC_AWAY_DAYS`."""
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
