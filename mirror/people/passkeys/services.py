"""Passkeys: added, named, removed; asked as a second factor beside a password or a link, or in the place of both.

As a second factor a passkey of the person is asked, and refusals cost waits as wrong codes do. In the place of a password any
passkey is, which tells whose it is and has to have asked for its owner's finger, face or PIN.
"""

from __future__ import annotations

import logging
import secrets
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from mirror.audit.services import record
from mirror.people import wrong_passwords
from mirror.people.factors import adding_check, has_codes, is_required, recovery_begin, recovery_end
from mirror.people.models import CodeMaker, Passkey, User
from mirror.people.passkeys import ceremonies
from mirror.people.passkeys.ceremonies import Asked, PasskeyError, Purpose
from mirror.people.provider.configured import identity_of
from mirror.people.services import PeopleError
from mirror.people.wrong_passwords import Try
from mirror.phrases import filled

log = logging.getLogger(__name__)

# Passkeys of one person.
MOST = 20
# Bytes by which a device knows the person.
HANDLE_BYTES = 32


def passkeys_of(user: User) -> QuerySet[Passkey]:
    """List somebody's passkeys, the oldest first."""
    return Passkey.objects.filter(user=user)


def is_any_at(host: str) -> bool:
    """Say whether anybody has a passkey that is bound to this name."""
    return Passkey.objects.filter(host=host).exists()


def is_last(passkey: Passkey) -> bool:
    """Say whether a passkey is the only second factor of a person of whom the settings ask one: it stays then."""
    others = passkeys_of(passkey.user).exclude(pk=passkey.pk).exists()
    return is_required(passkey.user) and not others and not has_codes(passkey.user)


def adding_begin(asked: Asked, user: User) -> dict[str, Any]:
    """Tell a browser to make a passkey. Raises: PeopleError for one too many."""
    _room_check(user)
    known = passkeys_of(user).first()
    return ceremonies.making_begin(asked, user, known.handle if known else _handle())


def passkey_add(asked: Asked, user: User, name: str, answer: str, *, is_given: bool = False) -> list[str]:
    """Keep a passkey that a browser made; gives recovery codes, which are not kept, where it is the first second factor.

    `is_given` says that the session has given a second factor. Raises: PasskeyError; PeopleError where it has not, and there is one.
    """
    made = ceremonies.making_end(asked, user, answer)
    try:
        with transaction.atomic():
            # Held until the passkey is kept, so that two at once are counted one after the other.
            adding_check(user, is_given=is_given)
            _room_check(user)
            fresh = recovery_begin(user)
            # An earlier session may know the secret of codes that were begun.
            CodeMaker.objects.filter(user=user, confirmed_at=None).delete()
            passkey = Passkey.objects.create(
                user=user,
                name=name,
                host=asked.place.host,
                credential_id=made.credential_id,
                credential=made.credential,
                handle=made.handle,
                counter=made.counter,
            )
            record("added a passkey", user, by=user, passkey=passkey.name)
    except IntegrityError:
        raise PasskeyError(_("Mirror knows this passkey already.")) from None
    log.info("User %s added passkey %s", user.pk, passkey.pk)
    return fresh


@transaction.atomic
def passkey_rename(passkey: Passkey, name: str) -> None:
    """Call a passkey by another name."""
    was, passkey.name = passkey.name, name
    passkey.save(update_fields=["name"])
    record("renamed a passkey", passkey.user, by=passkey.user, passkey=name, was=was)


@transaction.atomic
def passkey_remove(passkey: Passkey) -> None:
    """Take a passkey no longer. Raises: PeopleError for the last second factor of a person of whom one is asked."""
    user = User.objects.select_for_update().get(pk=passkey.user_id)
    if is_last(passkey):
        raise PeopleError(
            _("You need a second factor here, and this is your only one. Set up another one first.")
        )
    passkey.delete()
    recovery_end(user)
    record("removed a passkey", user, by=user, passkey=passkey.name)
    log.info("User %s removed a passkey", user.pk)


def factor_begin(asked: Asked, user: User) -> dict[str, Any]:
    """Ask a browser for one of somebody's passkeys. Raises: PeopleError where none is bound to this place."""
    if not passkeys_of(user).filter(host=asked.place.host).exists():
        raise PeopleError(_("You have no passkey for %(host)s.") % {"host": asked.place.host})
    return ceremonies.asking_begin(asked, Purpose.FACTOR, user)


def factor_check(asked: Asked, user: User, answer: str) -> None:
    """Look at the answer of one of somebody's passkeys, as their second factor. Raises: PasskeyError."""
    tried = _tried(wrong_passwords.code_begin(user))
    try:
        answered = ceremonies.asking_end(asked, Purpose.FACTOR, user, answer)
        _passkey_look(asked, answered, passkeys_of(user))
    except PasskeyError as error:
        _refused(user, error, user)
        raise
    wrong_passwords.try_right(tried)


def sign_in_begin(asked: Asked) -> dict[str, Any]:
    """Ask a browser for a passkey of whomever it has one of."""
    return ceremonies.asking_begin(asked, Purpose.SIGN_IN, None)


def sign_in_check(asked: Asked, answer: str, address: str) -> User:
    """Give the person whose passkey answered, and asked for their finger, face or PIN. Raises: PasskeyError."""
    tried, claimed = _tried(wrong_passwords.passkey_begin(address)), ""
    try:
        answered = ceremonies.asking_end(asked, Purpose.SIGN_IN, None, answer)
        claimed = answered.credential_id
        passkey = _passkey_look(asked, answered, Passkey.objects.all())
        user = passkey.user
        if passkey.handle != answered.handle:
            raise PasskeyError(_("This passkey does not say whose it is. Sign in with your password."))
        if not user.is_active or user.is_service:
            raise PasskeyError(_("You can no longer sign in. Ask an administrator."))
        if identity_of(user):
            raise PasskeyError(_("You sign in by the identity provider."))
    except PasskeyError as error:
        known = Passkey.objects.filter(credential_id=claimed).select_related("user").first()
        _refused(known.user if known else "a passkey that Mirror does not know", error)
        raise
    wrong_passwords.try_right(tried)
    return user


def _passkey_look(asked: Asked, answered: ceremonies.Answered, among: QuerySet[Passkey]) -> Passkey:
    """Give the passkey of an answer that holds, and count the answer. Raises: PasskeyError."""
    passkey = among.filter(credential_id=answered.credential_id).select_related("user").first()
    if passkey is None:
        raise PasskeyError(_("Mirror does not know this passkey, or no longer."))
    count = ceremonies.answer_check(asked, answered, passkey)
    earlier = {"counter__lt": count} if count else {"counter": 0}
    if not Passkey.objects.filter(pk=passkey.pk, **earlier).update(counter=count, used_at=timezone.now()):
        log.warning("Passkey %s counted %d answers, after %d", passkey.pk, count, passkey.counter)
        raise PasskeyError(
            _(
                "This passkey has counted fewer answers than it gave: it may have been copied. Remove it, and add it anew."
            )
        )
    return passkey


def _tried(tried: Try) -> Try:
    if tried.wait:
        raise PasskeyError(_("There were too many tries."), tried.wait)
    return tried


def _refused(thing: User | str, error: PasskeyError, by: User | None = None) -> None:
    record("signed in", thing, by=by, is_refused=True, why=filled("by passkey: %(error)s", error=error))


def _room_check(user: User) -> None:
    if passkeys_of(user).count() >= MOST:
        raise PeopleError(
            _("You have %(most)s passkeys, and no more are kept. Remove one first.") % {"most": MOST}
        )


def _handle() -> str:
    from fido2.utils import websafe_encode

    return websafe_encode(secrets.token_bytes(HANDLE_BYTES))
