"""One-time codes beside a password or a link: made, looked at once each, turned off; recovery codes stand in for them.

Codes are those of RFC 6238 with six digits and half a minute, which every authenticator app makes. A code is good for its
half minute and the ones beside it, and none that is as old as one taken before. Wrong ones cost waits as passwords do.
"""

from __future__ import annotations

import base64
import logging
import secrets
import time
from datetime import timedelta
from hmac import compare_digest

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mirror.audit.services import record
from mirror.people import wrong_passwords
from mirror.people.factors import (
    FactorError,
    adding_check,
    has_codes,
    has_factor,
    is_required,
    recovery_begin,
    recovery_end,
)
from mirror.people.models import CodeMaker, Passkey, User
from mirror.people.recovery import recovery_make, recovery_use
from mirror.people.services import PeopleError
from mirror.secrets import SecretUnreadable

log = logging.getLogger(__name__)

DIGITS, SECONDS = 6, 30
# Bytes of a secret (RFC 4226, 4, recommends 20).
SECRET_BYTES = 20
# How long a secret waits for its first code.
BEGUN = timedelta(minutes=15)
# Half minutes that a clock may be off, either way.
BESIDE = 1

BEGIN_AGAIN = gettext_lazy("Begin again: there is no secret that waits for a code.")


class CodeError(FactorError):
    """A code is not taken."""


@transaction.atomic
def codes_begin(user: User) -> CodeMaker:
    """Make a fresh secret that counts once a code of it was typed. Raises: PeopleError where codes are asked already."""
    # Held, so that codes which are confirmed at once are not deleted.
    User.objects.select_for_update().get(pk=user.pk)
    if has_codes(user):
        raise PeopleError(_("One-time codes are set up already."))
    CodeMaker.objects.filter(user=user).delete()
    return CodeMaker.objects.create(user=user, secret=_text(secrets.token_bytes(SECRET_BYTES)))


def codes_begun(user: User) -> CodeMaker | None:
    """The secret that waits for its first code; None where there is none, an old one, or none that a key opens."""
    oldest = timezone.now() - BEGUN
    maker = CodeMaker.objects.filter(user=user, confirmed_at=None, made_at__gte=oldest).first()
    try:
        return maker if maker is not None and maker.secret else None
    except SecretUnreadable:
        return None


def address_of(maker: CodeMaker) -> str:
    """Give the address that an authenticator app reads: the secret with the names that it shows."""
    return _totp(maker.secret).get_provisioning_uri(maker.user.get_username(), "Mirror")


def codes_confirm(user: User, typed: str, *, is_given: bool = False) -> list[str]:
    """Have codes asked from now on, as one of them was typed; gives recovery codes, which are not kept; none where they have a passkey.

    `is_given` says that the session has given a second factor. Raises: CodeError; PeopleError where it has not, and there is one.
    """
    maker = codes_begun(user)
    if maker is None:
        raise CodeError(str(BEGIN_AGAIN))
    _look(user, maker, typed)
    with transaction.atomic():
        adding_check(user, is_given=is_given)
        fresh = recovery_begin(user)
        waiting = CodeMaker.objects.filter(pk=maker.pk, confirmed_at=None)
        if not waiting.update(confirmed_at=timezone.now()):
            raise CodeError(str(BEGIN_AGAIN))
        record("set up one-time codes", user, by=user)
        log.info("User %s set up one-time codes", user.pk)
        return fresh


def code_check(user: User, typed: str, verb: str = "signed in") -> None:
    """Look at a code of somebody's app or a recovery code, which is used up. Raises: CodeError.

    A wrong one is told to the audit, with the `verb` of what it was typed for.
    """
    maker = CodeMaker.objects.filter(user=user).exclude(confirmed_at=None).first()
    if maker is None and not has_factor(user):
        raise CodeError(_("One-time codes are not set up."))
    try:
        _look(user, maker, typed, may_recover=True)
    except CodeError as error:
        if not error.wait:
            record(verb, user, by=user, is_refused=True, why="a wrong one-time code")
        raise


def recovery_renew(user: User, typed: str) -> list[str]:
    """Make other recovery codes for a code; the earlier ones end. Raises: CodeError."""
    code_check(user, typed, "made recovery codes")
    with transaction.atomic():
        return recovery_make(user)


def may_end(user: User) -> bool:
    """Say whether somebody may turn codes off: no second factor is asked of them, or they have a passkey."""
    return not is_required(user) or Passkey.objects.filter(user=user).exists()


def codes_end(user: User, typed: str) -> None:
    """Ask somebody for codes no longer, for a code. Raises: CodeError; PeopleError where a second factor is asked and they have no other."""
    _end_check(user)
    code_check(user, typed, "reset one-time codes")
    with transaction.atomic():
        # Asked again of who is held: the passkey may have gone meanwhile.
        _end_check(User.objects.select_for_update().get(pk=user.pk))
        CodeMaker.objects.filter(user=user).delete()
        recovery_end(user)
        record("reset one-time codes", user, by=user)


def _end_check(user: User) -> None:
    if not may_end(user):
        raise PeopleError(
            _("A second factor is asked of you here: codes cannot be turned off before you have a passkey.")
        )


def _look(user: User, maker: CodeMaker | None, typed: str, *, may_recover: bool = False) -> None:
    """Take a code, or refuse it at the cost of a wait. In no transaction: what a wrong one costs must stay. Raises: CodeError."""
    tried = wrong_passwords.code_begin(user)
    if tried.wait:
        raise CodeError(_("There were too many wrong codes."), tried.wait)
    code = "".join(typed.split()).replace("-", "").upper()
    if len(code) == DIGITS:
        is_right = maker is not None and _step_take(maker, code)
    else:
        is_right = may_recover and recovery_use(user, code)
    if not is_right:
        raise CodeError(
            _("That code is wrong, too old, or was used already. Type the one that the app shows now.")
            if maker
            else _("That is none of your recovery codes, or it was used already.")
        )
    wrong_passwords.try_right(tried)


def _step_take(maker: CodeMaker, code: str) -> bool:
    """Take the code of a half minute that is later than any taken before; of two at once only one gets it."""
    now, totp = int(time.time() // SECONDS), _totp(_secret(maker))
    for step in range(now - BESIDE, now + BESIDE + 1):
        if compare_digest(totp.generate(step * SECONDS), code.encode()):
            later = CodeMaker.objects.filter(pk=maker.pk, last_step__lt=step)
            return bool(later.update(last_step=step))
    return False


def _secret(maker: CodeMaker) -> str:
    try:
        return str(maker.secret)
    except SecretUnreadable as error:
        raise CodeError(f"{error}") from None


def _totp(secret: str) -> TOTP:
    return TOTP(base64.b32decode(secret), DIGITS, SHA1(), SECONDS)  # noqa: S303 - what RFC 6238 and every app say


def _text(content: bytes) -> str:
    return base64.b32encode(content).decode().rstrip("=")
