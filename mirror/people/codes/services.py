"""One-time codes beside a password or a link: made, looked at once each, reset; and recovery codes in their place.

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
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from mirror.audit.services import record
from mirror.people import wrong_passwords
from mirror.people.models import CodeMaker, RecoveryCode, User
from mirror.people.services import PeopleError, sessions_end
from mirror.secrets import SecretUnreadable

log = logging.getLogger(__name__)

DIGITS, SECONDS = 6, 30
# Bytes of a secret (RFC 4226, 4, recommends 20).
SECRET_BYTES = 20
# Half minutes that a clock may be off, either way.
BESIDE = 1
RECOVERY_CODES = 10


class CodeError(PeopleError):
    """A code is not taken; the message is fit to be shown. `wait` is how long to wait before another is looked at."""

    def __init__(self, said: str, wait: timedelta = timedelta(0)) -> None:
        super().__init__(said)
        self.wait = wait


def is_on(user: User) -> bool:
    """Say whether somebody is asked for codes."""
    return CodeMaker.objects.filter(user=user).exclude(confirmed_at=None).exists()


def is_required(user: User) -> bool:
    """Say whether the settings ask codes of somebody."""
    return settings.SECOND_FACTOR_REQUIRED == "everyone" or (
        settings.SECOND_FACTOR_REQUIRED == "administrators" and user.is_staff
    )


def lacks_codes(user: User) -> bool:
    """Say whether codes are asked of a person who has none yet: neither pages nor tokens work for them before. A service has no codes."""
    return not user.is_service and is_required(user) and not is_on(user)


@transaction.atomic
def codes_begin(user: User) -> CodeMaker:
    """Make a fresh secret that counts once a code of it was typed. Raises: PeopleError where codes are asked already."""
    if is_on(user):
        raise PeopleError("One-time codes are set up already.")
    CodeMaker.objects.filter(user=user).delete()
    return CodeMaker.objects.create(user=user, secret=_text(secrets.token_bytes(SECRET_BYTES)))


def codes_begun(user: User) -> CodeMaker | None:
    """The secret that waits for its first code; None where there is none, or none that a key opens."""
    maker = CodeMaker.objects.filter(user=user, confirmed_at=None).first()
    try:
        return maker if maker is not None and maker.secret else None
    except SecretUnreadable:
        return None


def address_of(maker: CodeMaker) -> str:
    """Give the address that an authenticator app reads: the secret with the names that it shows."""
    return _totp(maker.secret).get_provisioning_uri(maker.user.get_username(), "Mirror")


def codes_confirm(user: User, typed: str) -> list[str]:
    """Have codes asked from now on, as one of them was typed; gives recovery codes, which are not kept. Raises: CodeError."""
    maker = codes_begun(user)
    if maker is None:
        raise CodeError("Begin again: there is no secret that waits for a code.")
    _look(maker, typed)
    with transaction.atomic():
        CodeMaker.objects.filter(pk=maker.pk).update(confirmed_at=timezone.now())
        record("set up one-time codes", user, by=user)
        log.info("User %s set up one-time codes", user.pk)
        return _recovery_make(user)


def code_check(user: User, typed: str, verb: str = "signed in") -> None:
    """Look at a code of somebody's app or a recovery code, which is used up. Raises: CodeError.

    A wrong one is told to the audit, with the `verb` of what it was typed for.
    """
    maker = CodeMaker.objects.filter(user=user).exclude(confirmed_at=None).first()
    if maker is None:
        raise CodeError("One-time codes are not set up.")
    try:
        _look(maker, typed, may_recover=True)
    except CodeError as error:
        if not error.wait:
            record(verb, user, by=user, is_refused=True, why="a wrong one-time code")
        raise


def recovery_renew(user: User, typed: str) -> list[str]:
    """Make other recovery codes for a code; the earlier ones end. Raises: CodeError."""
    code_check(user, typed, "made recovery codes")
    with transaction.atomic():
        return _recovery_make(user)


def codes_end(user: User, typed: str) -> None:
    """Ask somebody for codes no longer, for a code. Raises: CodeError; PeopleError where the settings ask them."""
    if is_required(user):
        raise PeopleError("One-time codes are asked of you here: they cannot be turned off.")
    code_check(user, typed, "reset one-time codes")
    with transaction.atomic():
        _forget(user)
        record("reset one-time codes", user, by=user)


@transaction.atomic
def codes_reset(user: User, by: User | None) -> None:
    """Forget somebody's secret and recovery codes, who lost them; they are signed out everywhere. Raises: PeopleError."""
    if not CodeMaker.objects.filter(user=user).exists():
        raise PeopleError(f"{user} has no one-time codes.")
    _forget(user)
    sessions_end(user)
    record("reset one-time codes", user, by=by)
    log.info("One-time codes of user %s were reset by %s", user.pk, f"user {by.pk}" if by else "a shell")


def recovery_left(user: User) -> int:
    """How many recovery codes somebody has that were not used."""
    return RecoveryCode.objects.filter(user=user, used_at=None).count()


def _forget(user: User) -> None:
    CodeMaker.objects.filter(user=user).delete()
    RecoveryCode.objects.filter(user=user).delete()


def _look(maker: CodeMaker, typed: str, *, may_recover: bool = False) -> None:
    """Take a code, or refuse it at the cost of a wait. In no transaction: what a wrong one costs must stay. Raises: CodeError."""
    tried = wrong_passwords.code_begin(maker.user)
    if tried.wait:
        raise CodeError("There were too many wrong codes.", tried.wait)
    code = "".join(typed.split()).replace("-", "").upper()
    is_right = (
        _step_take(maker, code) if len(code) == DIGITS else may_recover and _recovery_use(maker.user, code)
    )
    if not is_right:
        raise CodeError(
            "That code is wrong, too old, or was used already. Type the one that the app shows now."
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


def _recovery_make(user: User) -> list[str]:
    RecoveryCode.objects.filter(user=user).delete()
    codes = [_text(secrets.token_bytes(10)) for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, code_hash=_hash(user, code)) for code in codes)
    record("made recovery codes", user, by=user)
    return ["-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in codes]


@transaction.atomic
def _recovery_use(user: User, code: str) -> bool:
    row = RecoveryCode.objects.filter(user=user, code_hash=_hash(user, code), used_at=None)
    if not row.update(used_at=timezone.now()):
        return False
    record("used a recovery code", user, by=user, left=recovery_left(user))
    return True


def _hash(user: User, code: str) -> str:
    return salted_hmac("mirror.people.codes", f"{user.pk}\0{code}", algorithm="sha256").hexdigest()


def _totp(secret: str) -> TOTP:
    return TOTP(base64.b32decode(secret), DIGITS, SHA1(), SECONDS)  # noqa: S303 - what RFC 6238 and every app say


def _text(content: bytes) -> str:
    return base64.b32encode(content).decode().rstrip("=")
