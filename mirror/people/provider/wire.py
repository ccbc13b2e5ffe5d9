"""Requests to the identity provider: its description, its keys, tokens, and claims of a person.

Everything comes from the addresses of its description, which must be of the issuer that the settings name. Redirects are
not followed. Descriptions and keys are kept in the process for some minutes; a signature by an unknown key has the keys
read anew, so that a provider may change them at any time. Authlib is loaded with the first request.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext_lazy as _

from mirror.people.provider.configured import Provider
from mirror.people.provider.errors import GrantRefused, ProviderDown, ProviderMistaken, Untrusted
from mirror.phrases import filled, one_line

# Seconds that one answer may take, and for how long a description and keys are kept.
ANSWER_SECONDS = 10.0
KEPT_SECONDS = 600.0
# Keys are not read more often than this for a signature by an unknown one (seconds).
KEYS_AGAIN_SECONDS = 5.0

# For how long a description that could not be had is not asked for again, so that clicks do not queue up behind it (seconds).
DOWN_SECONDS = 3.0

_kept: dict[str, tuple[float, dict[str, Any]]] = {}
_down_at: dict[str, tuple[float, ProviderDown]] = {}
_lock = Lock()


@dataclass(frozen=True, slots=True, repr=False)
class Tokens:
    """Tokens given for a code or a refresh token; missing ones are empty."""

    access: str
    refresh: str
    id_token: str
    scopes: str


@dataclass(frozen=True, slots=True, repr=False)
class Begun:
    """The address that a browser is sent to, and the values that its return is checked by."""

    url: str
    state: str
    nonce: str
    verifier: str


def description(provider: Provider) -> dict[str, Any]:
    """Read the provider's description of itself. Raises: ProviderDown, ProviderMistaken."""
    return _json_kept(provider, provider.issuer.rstrip("/") + "/.well-known/openid-configuration", _described)


def _described(provider: Provider, found: dict[str, Any]) -> None:
    if str(found.get("issuer", "")).rstrip("/") != provider.issuer.rstrip("/"):
        raise ProviderMistaken(
            filled(
                _("Mirror expects %(issuer)s and met another service there, %(found)s."),
                issuer=provider.issuer,
                found=one_line(str(found.get("issuer")), 200),
            ),
            _("An administrator sets OIDC_ISSUER to the issuer exactly as the service names itself."),
        )
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not _is_address(provider, found.get(name)):
            raise ProviderMistaken(
                filled(_("%(name)s does not say where its %(what)s is."), name=provider.name, what=name),
                _("An administrator asks who runs it."),
            )


def _is_address(provider: Provider, found: object) -> bool:
    """Whether this is an address that may be called: over TLS, unless the issuer itself is on this machine."""
    schemes = ("https", "http") if provider.issuer.startswith("http://") else ("https",)
    return isinstance(found, str) and urlsplit(found).scheme in schemes and bool(urlsplit(found).hostname)


def keys(provider: Provider, *, again: bool = False) -> dict[str, Any]:
    """The keys it signs with (JWKS); read `again` where one lacks. Raises: ProviderDown, ProviderMistaken."""
    url = str(description(provider)["jwks_uri"])
    return _json_kept(provider, url, _has_keys, KEYS_AGAIN_SECONDS if again else KEPT_SECONDS)


def _has_keys(provider: Provider, found: dict[str, Any]) -> None:
    if not isinstance(found.get("keys"), list):
        raise ProviderMistaken(
            filled(_("%(name)s does not tell its keys."), name=provider.name),
            _("An administrator asks who runs it."),
        )


def begin(provider: Provider, back: str) -> Begun:
    """Make the address that a browser is sent to. Raises: ProviderDown, ProviderMistaken."""
    from authlib.common.security import generate_token

    found = description(provider)
    nonce, verifier = generate_token(40), generate_token(64)
    with _client(provider, scope=" ".join(provider.scopes_of(found.get("scopes_supported")))) as client:
        url, state = client.create_authorization_url(
            found["authorization_endpoint"],
            state=generate_token(40),
            code_verifier=verifier,
            redirect_uri=back,
            nonce=nonce,
            **dict(provider.parameters),
        )
    return Begun(str(url), str(state), nonce, verifier)


def code_redeem(provider: Provider, code: str, verifier: str, back: str) -> Tokens:
    """Change a code for tokens. Raises: ProviderDown, ProviderMistaken, Untrusted."""
    return _tokens(
        provider,
        "fetch_token",
        grant_type="authorization_code",
        code=code,
        code_verifier=verifier,
        redirect_uri=back,
    )


def refresh(provider: Provider, token: str) -> Tokens:
    """Change a refresh token for fresh ones. Raises: ProviderDown, ProviderMistaken, GrantRefused."""
    return _tokens(provider, "refresh_token", refresh_token=token)


def userinfo(provider: Provider, access: str) -> dict[str, Any]:
    """Read the claims of the person of an access token; none where the provider has no such address.

    Raises: ProviderDown, ProviderMistaken, GrantRefused.
    """
    url = description(provider).get("userinfo_endpoint")
    if not _is_address(provider, url):
        return {}
    return _json(provider, str(url), {"Authorization": f"Bearer {access}"})


def sign_out_address(provider: Provider) -> str:
    """Where a person signs out of the provider itself; empty where it has no such page or cannot be reached."""
    try:
        url = description(provider).get("end_session_endpoint")
    except (ProviderDown, ProviderMistaken):
        return ""
    return str(url) if _is_address(provider, url) else ""


def forget() -> None:
    """Forget descriptions and keys that are kept."""
    with _lock:
        _kept.clear()
        _down_at.clear()


# ---------------------------------------------------------------- HTTP


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that the system trusts, or those of SSL_CERT_FILE; loading them takes 50 ms."""
    return ssl.create_default_context()


def _client(provider: Provider, **options: Any) -> Any:
    from authlib.integrations.httpx_client import OAuth2Client

    return OAuth2Client(
        client_id=provider.client_id,
        client_secret=provider.client_secret or None,
        code_challenge_method="S256",
        timeout=ANSWER_SECONDS,
        verify=_trusted(),
        **options,
    )


def _tokens(provider: Provider, call: str, **grant: str) -> Tokens:
    import httpx2
    from authlib.integrations.httpx_client import OAuthError

    found = description(provider)
    methods = found.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    method = "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"
    options = {"token_endpoint_auth_method": method} if provider.client_secret else {}
    try:
        with _client(provider, **options) as client:
            given = getattr(client, call)(found["token_endpoint"], **grant)
    except OAuthError as error:
        raise _refusal(provider, str(error.error or ""), one_line(str(error), 300)) from None
    except httpx2.HTTPStatusError as error:
        raise _status(provider, error.response.status_code) from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise _down(provider, error) from None
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(provider, error) from None
    return Tokens(
        *(str(given.get(name) or "") for name in ("access_token", "refresh_token", "id_token", "scope"))
    )


def _json_kept(provider: Provider, url: str, look: Any, seconds: float = KEPT_SECONDS) -> dict[str, Any]:
    with _lock:
        at, found = _kept.get(url, (0.0, {}))
        failed = _down_at.get(url)
    if found and time.monotonic() - at < seconds:
        return found
    if failed and time.monotonic() - failed[0] < DOWN_SECONDS:
        raise failed[1]
    try:
        found = _json(provider, url, {})
    except ProviderDown as error:
        with _lock:
            _down_at[url] = (time.monotonic(), error)
        raise
    look(provider, found)
    with _lock:
        _kept[url] = (time.monotonic(), found)
    return found


def _json(provider: Provider, url: str, headers: Mapping[str, str]) -> dict[str, Any]:
    import httpx2

    try:
        with httpx2.Client(timeout=ANSWER_SECONDS, verify=_trusted()) as client:
            answer = client.get(url, headers={"Accept": "application/json", **headers})
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise _down(provider, error) from None
    if headers and answer.status_code in (401, 403):
        raise GrantRefused(
            filled(_("%(name)s no longer vouches for this person."), name=provider.name),
            detail=f"{answer.status_code}",
        )
    if answer.status_code != 200:
        raise _status(provider, answer.status_code)
    try:
        found = answer.json()
    except ValueError as error:
        raise _unreadable(provider, error) from None
    if not isinstance(found, dict):
        raise _unreadable(provider, TypeError(type(found).__name__))
    return found


def _refusal(
    provider: Provider, error: str, said: str
) -> ProviderDown | ProviderMistaken | GrantRefused | Untrusted:
    """Make an error of ours of one of the token endpoint (RFC 6749, 5.2)."""
    if error == "invalid_grant":
        return GrantRefused(
            filled(_("%(name)s no longer vouches for this person."), name=provider.name), detail=said
        )
    if error in ("temporarily_unavailable", "server_error", "slow_down"):
        return _down(provider, said)
    if error in ("invalid_client", "unauthorized_client"):
        return ProviderMistaken(
            filled(
                _("%(name)s does not know Mirror by the client id and secret that it has."),
                name=provider.name,
            ),
            _("An administrator looks at OIDC_CLIENT_ID and OIDC_CLIENT_SECRET."),
            said,
        )
    return ProviderMistaken(
        filled(_("%(name)s refused the request (%(error)s)."), name=provider.name, error=one_line(error, 60)),
        _("An administrator looks at the settings of OpenID Connect."),
        said,
    )


def _down(provider: Provider, error: object) -> ProviderDown:
    return ProviderDown(
        filled(
            _("%(name)s cannot be reached just now. Nothing is wrong with your account."), name=provider.name
        ),
        _("Try again in a moment."),
        f"{type(error).__name__}: {one_line(str(error), 300)}",
    )


def _status(provider: Provider, status: int) -> ProviderDown | ProviderMistaken:
    if status >= 500 or status == 429:
        return _down(provider, f"status {status}")
    return ProviderMistaken(
        filled(_("%(name)s answered with status %(status)s."), name=provider.name, status=status),
        _("An administrator looks at OIDC_ISSUER, and whether it may be reached from this machine."),
    )


def _unreadable(provider: Provider, error: Exception) -> ProviderMistaken:
    return ProviderMistaken(
        filled(_("The answer of %(name)s could not be read."), name=provider.name),
        _("An administrator looks at OIDC_ISSUER."),
        f"{type(error).__name__}: {one_line(str(error), 200)}",
    )
