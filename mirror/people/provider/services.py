"""Signing in by the identity provider: a person is made or found by a proof, connected and disconnected."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from mirror.audit.services import record
from mirror.people.models import Identity, Session, User
from mirror.people.provider import wire
from mirror.people.provider.claims import Known, groups_in, known_by, proved
from mirror.people.provider.configured import Provider, provider
from mirror.people.provider.errors import (
    GrantRefused,
    NotLetIn,
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
    user_password_forget,
)
from mirror.phrases import filled

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, repr=False)
class Proof:
    """The person of one sign-in, and the grant by which the provider is asked again."""

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
        raise Stale(
            filled(_("%(name)s no longer knows this sign-in."), name=at.name), _("Begin again."), error.detail
        ) from None
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
        raise ProviderMistaken(_("There is no sign-in service."), _("An administrator sets OIDC_ISSUER."))
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
        raise Untrusted(filled(_("%(name)s told of somebody else."), name=at.name), _("Begin again."))
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
            raise NotLetIn(_("An administrator shut you out."), _("Ask an administrator."))
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
        raise NotLetIn(_("This account is somebody else's here."), _("Sign out there and take your own."))
    if account is None:
        if user.is_service or Identity.objects.filter(user=user, issuer=proof.issuer).exists():
            raise NotLetIn(_("You are connected with another account already."), _("Ask an administrator."))
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
    gone, _rows = Identity.objects.filter(user=user).delete()
    if not gone:
        raise PeopleError(_("They do not sign in by an identity provider."))
    Session.objects.filter(user=user, way=Session.Way.PROVIDER).delete()
    record("disconnected an identity", user, by=by)
    log.info("User %s no longer signs in by the identity provider, by user %s", user.pk, by.pk)


def refusal_record(error: ProviderError) -> None:
    """Tell the audit that nobody was let in, and why."""
    record("signed in", "by the identity provider", is_refused=True, why=error)
    log.warning("A sign-in by the identity provider failed: %s: %s", type(error).__name__, error.detail)


def _account(proof: Proof) -> Identity | None:
    found = Identity.objects.select_related("user", "user__identity")
    return found.filter(issuer=proof.issuer, subject=proof.known.subject).first()


def _groups_checked(proof: Proof) -> tuple[str, ...]:
    """The groups of a proof, where they let the person in. Raises: NotLetIn."""
    groups = proof.known.groups
    if groups is None and groups_matter():
        raise NotLetIn(
            filled(
                _("%(name)s did not say which groups you are in, and what you may do here hangs on them."),
                name=settings.OIDC_NAME,
            ),
            filled(
                _("An administrator of %(name)s has it send the claim “%(claim)s” to Mirror."),
                name=settings.OIDC_NAME,
                claim=settings.OIDC_GROUPS_CLAIM,
            ),
        )
    if not groups_allow(groups or ()):
        raise NotLetIn(
            _("You are in none of the groups that may use Mirror."),
            filled(_("Ask who gives out groups at %(name)s."), name=settings.OIDC_NAME),
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
