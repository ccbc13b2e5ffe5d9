"""Messages to a browser about a passkey, and the checks of its answer: the standard's, by the library.

A challenge is kept for its session and taken once. Everything in an answer comes from a browser: each way in which it can be
broken is a `PasskeyError`.
"""

from __future__ import annotations

import json
import logging
import secrets
import struct
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from mirror.people.factors import FactorError
from mirror.people.models import Passkey, PasskeyChallenge, User
from mirror.people.passkeys.places import Place

if TYPE_CHECKING:
    from fido2.cose import CoseKey
    from fido2.server import Fido2Server

log = logging.getLogger(__name__)

Purpose = PasskeyChallenge.Purpose
# For how long a challenge may be answered (seconds), and how long an answer may be (a key of 2 kB takes 5 of them).
CHALLENGE_SECONDS, ANSWER_CHARACTERS = 300, 20_000
# How reading a foreign answer fails: texts, CBOR, keys of a kind that the library does not know.
_BROKEN = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    AssertionError,
    NotImplementedError,
    OverflowError,
    RecursionError,
    struct.error,
)


class PasskeyError(FactorError):
    """A passkey is not taken."""


@dataclass(frozen=True, slots=True)
class Asked:
    """In which session and at which place a passkey is asked."""

    session: str
    place: Place


@dataclass(frozen=True, slots=True)
class Made:
    """A passkey that was just made, as it told of itself."""

    credential_id: str
    credential: str
    counter: int
    handle: str


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that a challenge waited for, not yet checked: of which passkey it claims to be, and of which person."""

    credential_id: str
    handle: str
    response: Any
    state: dict[str, str]


def making_begin(asked: Asked, user: User, handle: str) -> dict[str, Any]:
    """Tell a browser to make a passkey for somebody, on a device that has none of theirs yet."""
    from fido2.utils import websafe_decode
    from fido2.webauthn import PublicKeyCredentialUserEntity, ResidentKeyRequirement

    entity = PublicKeyCredentialUserEntity(
        name=user.get_username(), display_name=user.called, id=websafe_decode(handle)
    )
    options, _ = _server(asked.place).register_begin(
        entity,
        _credentials(Passkey.objects.filter(user=user, host=asked.place.host)),
        resident_key_requirement=ResidentKeyRequirement.PREFERRED,
        user_verification=_verification(Purpose.ADD),
        challenge=_challenge_keep(asked, Purpose.ADD, user, handle),
    )
    return _plain(options.public_key)


def making_end(asked: Asked, user: User, answer: str) -> Made:
    """Check a passkey that was made. Raises: PasskeyError."""
    from fido2.cose import CoseKey
    from fido2.utils import websafe_encode

    challenge = _challenge_take(asked, Purpose.ADD, user)
    try:
        told = _server(asked.place).register_complete(
            _state(challenge), _read(answer, "RegistrationResponse")
        )
        made = told.credential_data
        assert made is not None and made.public_key.ALGORITHM in CoseKey.supported_algorithms()
        _key_check(made.public_key)
        return Made(websafe_encode(made.credential_id), websafe_encode(made), told.counter, challenge.handle)
    except _BROKEN as error:
        raise _refused(error) from None


def asking_begin(asked: Asked, purpose: Purpose, user: User | None) -> dict[str, Any]:
    """Tell a browser to ask for a passkey: one of this person's, or any where nobody is known yet."""
    known = Passkey.objects.filter(user=user, host=asked.place.host) if user else None
    options, _ = _server(asked.place).authenticate_begin(
        _credentials(known) if known is not None else None,
        user_verification=_verification(purpose),
        challenge=_challenge_keep(asked, purpose, user),
    )
    return _plain(options.public_key)


def asking_end(asked: Asked, purpose: Purpose, user: User | None, answer: str) -> Answered:
    """Take the challenge and read its answer, for the passkey to be looked up. Raises: PasskeyError."""
    from fido2.utils import websafe_encode

    challenge = _challenge_take(asked, purpose, user)
    try:
        response = _read(answer, "AuthenticationResponse")
        handle = response.response.user_handle
        return Answered(response.id, websafe_encode(handle) if handle else "", response, _state(challenge))
    except _BROKEN as error:
        raise _refused(error) from None


def answer_check(asked: Asked, answered: Answered, passkey: Passkey) -> int:
    """Check the signature of an answer and all that it covers; give the passkey's count of answers. Raises: PasskeyError."""
    from fido2.utils import websafe_decode
    from fido2.webauthn import AttestedCredentialData

    try:
        known = [AttestedCredentialData(websafe_decode(passkey.credential))]
        _server(asked.place).authenticate_complete(answered.state, known, answered.response)
        return int(answered.response.response.authenticator_data.counter)
    except _BROKEN as error:
        raise _refused(error) from None


def _key_check(key: CoseKey) -> None:
    """Refuse a key that no signature could be checked with: it would shut its owner out. Raises: one of `_BROKEN`."""
    from cryptography.exceptions import InvalidSignature

    with suppress(InvalidSignature):
        key.verify(b"", b"")


def _server(place: Place) -> Fido2Server:
    from fido2.server import Fido2Server
    from fido2.webauthn import AttestationConveyancePreference, PublicKeyCredentialRpEntity

    server = Fido2Server(
        PublicKeyCredentialRpEntity(name="Mirror", id=place.host),
        AttestationConveyancePreference.NONE,
        # The library's own check takes every name below the host, and any port.
        verify_origin=lambda told: told == place.origin,
    )
    # The library annotates nothing here.
    server.timeout = CHALLENGE_SECONDS * 1_000  # type: ignore[assignment]
    return server


def _verification(purpose: str) -> Any:
    """Finger, face or PIN are always asked for, and have to be told where the passkey stands for the password too."""
    from fido2.webauthn import UserVerificationRequirement

    is_alone = purpose == Purpose.SIGN_IN
    return UserVerificationRequirement.REQUIRED if is_alone else UserVerificationRequirement.PREFERRED


def _credentials(passkeys: Any) -> list[Any]:
    from fido2.utils import websafe_decode
    from fido2.webauthn import AttestedCredentialData

    return [AttestedCredentialData(websafe_decode(one.credential)) for one in passkeys]


def _challenge_keep(asked: Asked, purpose: Purpose, user: User | None, handle: str = "") -> bytes:
    """Make a challenge for a session, in place of one that waits there."""
    from fido2.utils import websafe_encode

    challenge = secrets.token_bytes(32)
    PasskeyChallenge.objects.update_or_create(
        session_id=asked.session,
        defaults={
            "purpose": purpose,
            "user": user,
            "challenge": websafe_encode(challenge),
            "handle": handle,
            "made_at": timezone.now(),
        },
    )
    return challenge


def _challenge_take(asked: Asked, purpose: Purpose, user: User | None) -> PasskeyChallenge:
    """Take the challenge of a session; of two at once one gets it. Raises: PasskeyError where there is none, or an old one."""
    found = PasskeyChallenge.objects.filter(session_id=asked.session, purpose=purpose, user=user).first()
    taken = (
        found is not None
        and PasskeyChallenge.objects.filter(pk=found.pk, challenge=found.challenge).delete()[0]
    )
    oldest = timezone.now() - timedelta(seconds=CHALLENGE_SECONDS)
    if found is None or not taken or found.made_at < oldest:
        raise PasskeyError(_("That took too long, or was sent twice. Press the button again."))
    return found


def _state(challenge: PasskeyChallenge) -> dict[str, str]:
    return {"challenge": challenge.challenge, "user_verification": _verification(challenge.purpose)}


def _read(answer: str, kind: str) -> Any:
    from fido2 import webauthn

    if len(answer) > ANSWER_CHARACTERS:
        raise ValueError("too long an answer")
    response = getattr(webauthn, kind).from_dict(json.loads(answer))
    if response.response.client_data.cross_origin:
        raise ValueError("asked from within a page of another origin")
    return response


def _refused(error: Exception) -> PasskeyError:
    log.warning("The answer of a passkey was refused: %s", f"{type(error).__name__} {error}"[:200])
    return PasskeyError(_("The answer of the passkey does not hold. Press the button again."))


def _plain(options: Any) -> dict[str, Any]:
    """Give options as the JSON that a browser's `parse...OptionsFromJSON` reads."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(options)))
    return plain
