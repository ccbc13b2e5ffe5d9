"""Operations on tokens: made, used, ended."""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.api import problems
from mirror.api.models import Scope, Token
from mirror.audit.acting import acting_now
from mirror.audit.models import HERE
from mirror.audit.services import record
from mirror.people.factors import lacks_factor
from mirror.phrases import one_line
from mirror.sources.selectors import sources_visible

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

log = logging.getLogger(__name__)

# The beginning of every token, so that scanners of code and logs know one.
PREFIX = "mir_"
# The longest that a token works, and how many of one person work at once.
DAYS, TOKENS = 366, 50
# A use is told to the audit once within this, unless it comes from elsewhere; calls that do something always are.
TOLD_AGAIN = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


class TokenError(Exception):
    """A token cannot be made so; the message is fit to be shown."""


@transaction.atomic
def token_make(
    owner: User,
    name: str,
    scopes: Sequence[str],
    *,
    days: int,
    sources: Iterable[Source] | None = None,
    use: str = Token.Use.PROGRAM,
    by: User | None = None,
) -> tuple[Token, str]:
    """Make a token and give it with its secret, which is not kept. `sources` limits it to these; `by` makes it, where that is not the owner. Raises: TokenError."""
    name = one_line(name, 80)
    if not name:
        raise TokenError(_("Give the token a name that says its purpose."))
    chosen = [scope.value for scope in Scope if scope.value in scopes]
    if not chosen or len(chosen) != len(set(scopes)):
        raise TokenError(_("Choose what the token may do."))
    if not 1 <= days <= DAYS:
        raise TokenError(_("A token works for 1 to %(days)s days.") % {"days": DAYS})
    limited = None if sources is None else list(sources)
    if limited is not None:
        seen = set(sources_visible(owner).filter(pk__in=[one.pk for one in limited]))
        if not limited or seen != set(limited):
            raise TokenError(_("Choose sources that you see, or all of them."))
    if Token.objects.filter(owner=owner, revoked_at=None, expires_at__gt=timezone.now()).count() >= TOKENS:
        raise TokenError(
            _("You have %(count)s working tokens, the limit. Revoke one first.") % {"count": TOKENS}
        )
    secret = PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        owner=owner,
        name=name,
        use=use,
        token_hash=_hash(secret),
        ending=secret[-4:],
        scopes=chosen,
        is_limited=limited is not None,
        expires_at=timezone.now() + timedelta(days=days),
    )
    token.sources.set(limited or [])
    record(
        "made a token",
        token,
        by=by or owner,
        of=owner.get_username() if by else "",
        scopes=chosen,
        sources=[one.name for one in limited] if limited is not None else "all",
        until=f"{token.expires_at:%Y-%m-%d}",
        use=use,
    )
    log.info("Token %s was made by user %s", token.pk, (by or owner).pk)
    return token, secret


@transaction.atomic
def token_revoke(token: Token, by: User) -> None:
    """End a token now, for good."""
    if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record("ended a token", token, by=by)
        log.info("Token %s was revoked by user %s", token.pk, by.pk)


@transaction.atomic
def tokens_end(owner: User) -> None:
    """End every token of somebody who was shut out; being let in again brings none back."""
    for token in Token.objects.filter(owner=owner, revoked_at=None):
        Token.objects.filter(pk=token.pk).update(revoked_at=timezone.now())
        record("ended a token", token, of=owner.get_username())


def token_find(secret: str) -> Token:
    """The token that a secret is of, if it works. Raises: Problem; the refusal of one that is known is told to the audit."""
    found = Token.objects.select_related("owner__identity").filter(token_hash=_hash(secret)).first()
    if found is None:
        raise problems.unknown_token()
    if not found.owner.is_active:
        refused, why = problems.shut_out(), "shut out"
    elif found.owner.is_away:
        refused, why = problems.away(), "away from the identity provider"
    elif lacks_factor(found.owner):
        refused, why = problems.codes_lacking(), "without a second factor"
    elif found.revoked_at is not None:
        refused, why = problems.revoked(), "revoked"
    elif found.expires_at <= timezone.now():
        refused, why = problems.expired(), "expired"
    else:
        return found
    token_use(found, "", is_refused=True, about={"why": why})
    raise refused


def token_check(token: Token, scopes: Sequence[Scope], use: Token.Use, doing: str) -> None:
    """See that a token is for this use and has one of these scopes, if any. Raises: Problem; the audit is told."""
    if token.use != use:
        token_use(token, doing, is_refused=True, about={"why": "of another use"})
        raise problems.for_agents() if token.use == Token.Use.AGENT else problems.for_programs()
    if scopes and not any(scope.value in token.scopes for scope in scopes):
        token_use(token, doing, is_refused=True, about={"why": "without the scope"})
        lacking = " or ".join(f"“{scope.label}”" for scope in scopes)
        raise problems.Problem(
            403,
            "scope-missing",
            f"This token may not do this: it lacks {lacking}.",
            "Make a token that may under Your account.",
            scopes=[scope.value for scope in scopes],
        )


def token_use(
    token: Token,
    doing: str,
    *,
    is_refused: bool = False,
    told: bool = False,
    about: Mapping[str, str] | None = None,
) -> None:
    """Count a call against the token's pace, remember it, and tell the audit where that is due. Raises: Problem (429).

    The pace is one of `API_CALLS_PER_MINUTE`, of which a minute's worth may come at once. One row is changed, only if
    nobody changed it meanwhile, so that calls on several machines count together.
    """
    now, origin = timezone.now(), _origin()
    used_at, used_from = token.used_at, token.used_from
    for _try in range(20):
        free_at = max(token.free_at, now) + MINUTE / settings.API_CALLS_PER_MINUTE
        if (ahead := free_at - now - MINUTE) > timedelta():
            raise too_fast(ahead)
        fields: dict[str, Any] = {"free_at": free_at}
        if not is_refused:
            fields |= {"used_at": now, "used_from": origin}
        if Token.objects.filter(pk=token.pk, free_at=token.free_at).update(**fields):
            break
        token.refresh_from_db(fields=["free_at"])
    else:
        raise too_fast(timedelta(seconds=1))
    is_news = used_at is None or now - used_at > TOLD_AGAIN or used_from != origin
    if is_refused or told or is_news:
        record("used a token", token, by=token.owner, is_refused=is_refused, doing=doing, **(about or {}))


def too_fast(ahead: timedelta) -> problems.Problem:
    """The refusal of a call that comes too early."""
    return problems.Problem(
        429,
        "too-many-calls",
        f"This token makes more than {settings.API_CALLS_PER_MINUTE} calls a minute.",
        "Wait as long as Retry-After says.",
        wait=max(ceil(ahead.total_seconds()), 1),
    )


def _origin() -> str:
    acting = acting_now()
    return acting.origin if acting else HERE


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
