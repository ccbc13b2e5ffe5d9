"""The second factor beside a password or a link: one-time codes, passkeys, or both. Says who has one, and of whom one is asked."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.people.models import CodeMaker, Passkey, User
from mirror.people.recovery import recovery_forget, recovery_make
from mirror.people.services import PeopleError, sessions_end

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

log = logging.getLogger(__name__)


class FactorError(PeopleError):
    """A second factor is not taken; the message is fit to be shown. `wait` is how long to wait before another is looked at."""

    def __init__(self, said: str | StrPromise, wait: timedelta = timedelta(0)) -> None:
        super().__init__(said)
        self.wait = wait


def has_codes(user: User) -> bool:
    """Say whether somebody has set up one-time codes."""
    return CodeMaker.objects.filter(user=user).exclude(confirmed_at=None).exists()


def has_factor(user: User) -> bool:
    """Say whether somebody is asked for a second factor: whether they have one."""
    return has_codes(user) or Passkey.objects.filter(user=user).exists()


def is_required(user: User) -> bool:
    """Say whether the settings ask a second factor of somebody."""
    return settings.SECOND_FACTOR_REQUIRED == "everyone" or (
        settings.SECOND_FACTOR_REQUIRED == "administrators" and user.is_staff
    )


def lacks_factor(user: User) -> bool:
    """Say whether a second factor is asked of a person who has none yet: neither pages nor tokens work for them before. A service has none."""
    return not user.is_service and is_required(user) and not has_factor(user)


def adding_check(user: User, *, is_given: bool) -> None:
    """Hold somebody until the transaction ends, and see that they may add a second factor: `is_given` says that the session has given one. Raises: PeopleError."""
    User.objects.select_for_update().get(pk=user.pk)
    if has_factor(user) and not is_given:
        raise PeopleError(_("You have a second factor by now. Give it first, then add another."))


def recovery_begin(user: User) -> list[str]:
    """Make recovery codes for somebody who is about to have their first second factor; none for one who has one."""
    return [] if has_factor(user) else recovery_make(user)


def recovery_end(user: User) -> None:
    """End the recovery codes of somebody who has no second factor any more."""
    if not has_factor(user):
        recovery_forget(user)


@transaction.atomic
def factors_reset(user: User, by: User | None) -> None:
    """Forget the codes and passkeys of somebody who lost them; they are signed out everywhere. Raises: PeopleError."""
    codes, _rows = CodeMaker.objects.filter(user=user).delete()
    passkeys, _rows = Passkey.objects.filter(user=user).delete()
    if not codes and not passkeys:
        raise PeopleError(_("%(user)s has no second factor.") % {"user": user})
    recovery_forget(user)
    sessions_end(user)
    if codes:
        record("reset one-time codes", user, by=by)
    if passkeys:
        record("removed a passkey", user, by=by, passkeys=passkeys)
    log.info("The second factor of user %s was reset by %s", user.pk, f"user {by.pk}" if by else "a shell")
