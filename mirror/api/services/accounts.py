"""Services: accounts of programs, which act by tokens; nobody signs in as one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from mirror.api.models import Token
from mirror.api.services.tokens import TokenError, token_make
from mirror.people.services import member_remove, service_create, user_deactivate
from mirror.sources.selectors import sources_visible

if TYPE_CHECKING:
    from mirror.people.models import Team, User
    from mirror.sources.models import Source


@transaction.atomic
def account_make(
    by: User,
    name: str,
    *,
    teams: Sequence[Team],
    sources: Sequence[Source],
    scopes: Sequence[str],
    days: int,
    use: str = Token.Use.PROGRAM,
) -> tuple[Token, str]:
    """Make a service with its first token, and give that with its secret.

    It is a member of these teams and sees, of what is shared with them, what is on these sources; `by` has to see these too. Raises: TokenError.
    """
    _check(by)
    lacking = set(sources) - set(sources_visible(by).filter(pk__in=[one.pk for one in sources]))
    if lacking or not sources:
        raise TokenError(_("Choose sources that you see."))
    try:
        service = service_create(name, teams, by)
    except ValidationError as error:
        raise TokenError(" ".join(error.messages)) from None
    unshared = set(sources) - set(sources_visible(service).filter(pk__in=[one.pk for one in sources]))
    if unshared:
        names = ", ".join(sorted(one.name for one in unshared))
        raise TokenError(
            _("%(names)s: shared with none of these teams. Its owner shares it first.") % {"names": names}
        )
    return token_make(service, name, scopes, days=days, sources=sources, use=use, by=by)


@transaction.atomic
def account_renew(service: User, by: User) -> tuple[Token, str]:
    """Make one more token of a service and give it with its secret: the earlier ones work on.

    It is like the last one: use, scopes, as many days, and the sources that the service sees still. Raises: TokenError.
    """
    _check(by)
    last = service.tokens.order_by("-pk").first()
    if last is None or not service.is_active:
        raise TokenError(_("This service was ended."))
    days = round((last.expires_at - last.created_at) / timedelta(days=1))
    seen = sources_visible(service).filter(pk__in=last.sources.values("pk"))
    return token_make(
        service, service.username, last.scopes, days=days, sources=list(seen), use=last.use, by=by
    )


@transaction.atomic
def account_end(service: User, by: User) -> None:
    """End a service with all its tokens, for good; its name stays, for the audit. Raises: TokenError."""
    _check(by)
    user_deactivate(service, by)
    for membership in service.memberships.select_related("team"):
        member_remove(membership.team, service.pk)


def _check(by: User) -> None:
    if not by.is_staff:
        raise TokenError(_("Only administrators manage services."))
