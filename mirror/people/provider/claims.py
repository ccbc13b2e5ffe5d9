"""Proof by an ID token: signature, issuer, audience, times and nonce are checked, and the person is read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from mirror.people.provider import wire
from mirror.people.provider.configured import Provider
from mirror.people.provider.errors import Untrusted
from mirror.phrases import counted, filled, one_line

# Signatures by a key pair. None is never taken, nor one by a shared secret.
ALGORITHMS = [
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "Ed25519",
    "EdDSA",
]
# Entra ID dates its tokens back by five minutes (seconds).
DATED_BACK = 300
# Groups of one person that are looked at.
MOST_GROUPS = 1_000


@dataclass(frozen=True, slots=True)
class Known:
    """A person at the provider. `groups` is None where it did not say; `email` is empty unless it is verified and can be written to."""

    subject: str
    username: str
    name: str
    email: str
    groups: tuple[str, ...] | None


def proved(provider: Provider, token: str, nonce: str = "", access: str = "") -> dict[str, Any]:
    """The claims of an ID token, once all of it is looked at. Raises: Untrusted, ProviderDown, ProviderMistaken.

    Without a `nonce` none is asked for: so it is with a token that a refresh token was changed for.
    """
    from authlib.oidc.core import CodeIDToken
    from joserfc.errors import JoseError

    if not token:
        raise Untrusted(
            filled(_("%(name)s sent no proof of who you are."), name=provider.name),
            _("An administrator sees to it that the scope openid is allowed for Mirror."),
        )
    found = _signed(provider, token)
    claims = found.claims
    _times(provider, claims)
    options: Any = {
        "iss": {"essential": True, "values": [str(wire.description(provider)["issuer"])]},
        "aud": {"essential": True, "value": provider.client_id},
    }
    known = CodeIDToken(
        claims,
        found.header,
        options,
        {"client_id": provider.client_id, "nonce": nonce, "access_token": access},
    )
    try:
        known.validate(leeway=provider.leeway)
    except (JoseError, ValueError, TypeError) as error:
        raise Untrusted(
            filled(
                _("The proof of your identity from %(name)s was not meant for this sign-in."),
                name=provider.name,
            ),
            _("Begin again. If it stays so, an administrator looks at OIDC_ISSUER and OIDC_CLIENT_ID."),
            one_line(str(error), 300),
        ) from None
    if not isinstance(known["sub"], str) or not 1 <= len(known["sub"]) <= 255 or "\x00" in known["sub"]:
        raise Untrusted(
            filled(_("%(name)s did not say who you are."), name=provider.name),
            _("An administrator asks who runs it."),
        )
    return dict(known)


def _signed(provider: Provider, token: str) -> Any:
    """The token, decoded by one of the provider's keys, which are read anew where none fits."""
    from joserfc.errors import JoseError

    why: Exception | None = None
    for again in (False, True):
        try:
            return _decoded(token, wire.keys(provider, again=again))
        except (JoseError, ValueError, KeyError, TypeError) as error:
            why = error
    raise Untrusted(
        filled(_("The proof of who you are is not signed with a key of %(name)s."), name=provider.name),
        _(
            "Begin again. If it stays so, tell an administrator: something stands between Mirror and the sign-in service, or"
            " its keys changed a moment ago."
        ),
        f"{type(why).__name__}: {one_line(str(why), 200)}",
    )


def _decoded(token: str, keys: dict[str, Any]) -> Any:
    """The token by the key that it names, or, where it names none, by one of all. Raises: JoseError, ValueError."""
    from joserfc import jws, jwt
    from joserfc.errors import JoseError

    registry = jws.JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    kid = jws.extract_compact(token.encode()).headers().get("kid")
    why: Exception = ValueError("no key fits")
    for key in _usable(keys):
        if kid is None or key.kid == kid:
            try:
                return jwt.decode(token, key, registry=registry)
            except (JoseError, ValueError, KeyError, TypeError) as error:
                why = error
    raise why


def _usable(keys: dict[str, Any]) -> Iterator[Any]:
    """The keys that sign. One that cannot be read is left out: others may be fine."""
    from joserfc.errors import JoseError
    from joserfc.jwk import import_key

    for key in keys["keys"]:
        if (
            isinstance(key, dict)
            and key.get("kty") in ("RSA", "EC", "OKP")
            and key.get("use", "sig") == "sig"
        ):
            with suppress(JoseError, ValueError, KeyError, TypeError):
                yield import_key(key)


def _times(provider: Provider, claims: dict[str, Any]) -> None:
    """Refuse what was made at another time than now by this machine's clock, and say by how much."""
    now = time.time()
    made, ends = _time(claims, "iat"), _time(claims, "exp")
    if made is None or ends is None:
        raise Untrusted(
            filled(_("%(name)s did not say until when its word holds."), name=provider.name),
            _("An administrator asks who runs it."),
        )
    if made > now + provider.leeway or made < now - provider.leeway - DATED_BACK:
        apart = max(round(abs(made - now) / 60), 1)
        raise Untrusted(
            filled(
                _("The clocks of %(name)s and of Mirror are %(time)s apart."),
                name=provider.name,
                time=lazy(counted, str)(apart, "minute"),
            ),
            _("An administrator sets the clock of the machine that Mirror runs on, by NTP for example."),
            f"iat is {made - now:+.0f} s off",
        )
    if ends <= now - provider.leeway:
        raise Untrusted(
            filled(_("The word of %(name)s was out of date when it came."), name=provider.name),
            _(
                "Begin again. If it stays so, an administrator looks at the clock of the machine that Mirror runs on."
            ),
            f"exp was {now - ends:.0f} s ago",
        )


def _time(claims: dict[str, Any], name: str) -> float | None:
    found = claims.get(name)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def known_by(claims: dict[str, Any]) -> Known:
    """Read who somebody is."""
    email = _text(claims, "email")
    local = email.partition("@")[0]
    return Known(
        subject=str(claims["sub"]),
        username=_text(claims, "preferred_username") or local or _text(claims, "name") or "person",
        name=_text(claims, "name")[:150],
        email=email if claims.get("email_verified") in (True, "true") and _is_mail(email) else "",
        groups=groups_in(claims, settings.OIDC_GROUPS_CLAIM),
    )


def _is_mail(email: str) -> bool:
    """Whether Mirror could keep this as a mail address: a provider in a company may verify dora@corp."""
    try:
        validate_email(email)
    except ValidationError:
        return False
    return True


def _text(claims: dict[str, Any], name: str) -> str:
    found = claims.get(name)
    return one_line(found, 254) if isinstance(found, str) else ""


def groups_in(claims: dict[str, Any], path: str) -> tuple[str, ...] | None:
    """The groups that claims list under a name, or under a path of names; None where there is no such claim.

    Example:
        >>> groups_in({"groups": ["a", "b"]}, "groups"), groups_in({}, "groups"), groups_in({"groups": "a"}, "groups")
        (('a', 'b'), None, ('a',))
        >>> groups_in({"realm_access": {"roles": []}}, "realm_access.roles")
        ()
    """
    found: Any = claims.get(path)
    if found is None:
        found = claims
        for step in path.split("."):
            found = found.get(step) if isinstance(found, dict) else None
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list):
        return None
    return tuple(one[:200] for one in found if isinstance(one, str) and one and "\x00" not in one)[
        :MOST_GROUPS
    ]
