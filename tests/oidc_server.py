"""A real OpenID Connect provider on loopback: description, keys (RS256), codes with PKCE, refresh tokens that turn over, userinfo.

It checks what a provider checks: the client's secret, the redirect address, the code's verifier, that a code and a refresh
token are used once. `faults` are names of what it does wrong; `clock` is how far its clock is off (seconds).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "mirror", "the client's secret"  # noqa: S105 - of a provider that lives for a test


@cache
def _numbers(which: int) -> bytes:
    return RSAKey.generate_key(2048).as_pem(private=True)


def rsa_key(which: int, **told: str) -> RSAKey:
    """Give a key by its number, under a name: made once a process, as making one takes 0.1 s. Other numbers are other keys."""
    return RSAKey.import_key(_numbers(which), {**told})


@dataclass
class Person:
    """Somebody whom the provider knows."""

    subject: str
    groups: list[str] | None = field(default_factory=list)
    claims: dict[str, Any] = field(default_factory=dict)
    is_removed: bool = False


class OidcServer:
    """The provider; `people` by the name that they pick at its page, `asked` every path that was called."""

    def __init__(self) -> None:
        self.people: dict[str, Person] = {}
        self.faults: set[str] = set()
        self.clock = 0.0
        self.lasts = 300.0
        self.scopes = ["openid", "profile", "email", "groups", "offline_access"]
        self.asked: list[str] = []
        self.authorizations: list[dict[str, str]] = []
        self.codes: dict[str, dict[str, str]] = {}
        self.refreshes: dict[str, tuple[str, str]] = {}
        self.accesses: dict[str, str] = {}
        self.keys = [rsa_key(0, kid="first", use="sig", alg="RS256")]
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.issuer = f"http://127.0.0.1:{self.port}/realm"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def person(self, name: str, /, groups: list[str] | None = None, **claims: Any) -> Person:
        """Let it know somebody; `groups` None has it say nothing about groups."""
        told = {
            "preferred_username": name,
            "name": name.title(),
            "email": f"{name}@example.com",
            "email_verified": True,
            **claims,
        }
        self.people[name] = Person(f"subject-{name}", groups, told)
        return self.people[name]

    def remove(self, name: str) -> None:
        """Take somebody away: nothing that was given out for them works any more."""
        self.people[name].is_removed = True

    def keys_turn(self, kid: str = "second") -> None:
        """Sign with a new key from now on, which the keys that it tells have in place of the old."""
        self.keys = [rsa_key(1, kid=kid, use="sig", alg="RS256")]

    def stop(self) -> None:
        """End it; its port is closed then."""
        self._server.shutdown()
        self._server.server_close()

    def pick(self, url: str, name: str) -> str:
        """Answer as its page does when somebody picks a name: where the browser is sent back to."""
        asked = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
        self.authorizations.append(asked)
        assert asked["client_id"] == CLIENT and asked["response_type"] == "code"
        back = {"state": asked["state"]}
        if "denies" in self.faults:
            back["error"] = "access_denied"
        else:
            back["code"] = secrets.token_urlsafe(16)
            self.codes[back["code"]] = {**asked, "person": name}
        if "another iss" in self.faults:
            back["iss"] = "https://elsewhere.example"
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    # ------------------------------------------------------------ tokens

    def id_token(self, name: str, nonce: str, access: str) -> str:
        """Sign who somebody is, with the faults that are asked for."""
        person, now = self.people[name], time.time() + self.clock
        claims: dict[str, Any] = {
            "iss": self.issuer if "issuer in token" not in self.faults else "https://elsewhere.example",
            "aud": CLIENT if "audience" not in self.faults else "another-client",
            "sub": person.subject,
            "iat": int(now),
            "exp": int(now + self.lasts),
            "at_hash": base64.urlsafe_b64encode(hashlib.sha256(access.encode()).digest()[:16])
            .rstrip(b"=")
            .decode(),
            **person.claims,
        }
        if nonce:
            claims["nonce"] = nonce if "nonce" not in self.faults else "another"
        if "no nonce" in self.faults:
            claims.pop("nonce", None)
        if person.groups is not None and "groups in userinfo" not in self.faults:
            claims["groups"] = person.groups
        if "expired" in self.faults:
            claims |= {"iat": int(now - 200), "exp": int(now - 100)}
        key, header = self.keys[-1], {"alg": "RS256", "kid": str(self.keys[-1].kid)}
        if "another key" in self.faults:
            # By the name of the right one, so that only the signature tells.
            key = rsa_key(2, kid=header["kid"])
        if "unknown key" in self.faults:
            key = rsa_key(3)
            header["kid"] = "nobody's"
        if "no kid" in self.faults:
            del header["kid"]
        if "shared secret" in self.faults:
            # The public key as the secret of an HMAC: taken where an algorithm is read off the token.
            header["alg"] = "HS256"
            signed = ".".join(map(_part, (header, claims)))
            public = self.keys[0].as_pem(private=False)
            return f"{signed}.{_base64(hmac.digest(public, signed.encode(), 'sha256'))}"
        if "unsigned" in self.faults:
            parts = ({"alg": "none"}, claims)
            texts = (
                base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts
            )
            return ".".join((*texts, ""))
        token = jwt.encode(header, claims, key)
        if "changed" in self.faults:
            head, body, signature = token.split(".")
            told = json.loads(base64.urlsafe_b64decode(body + "=="))
            told["sub"] = "subject-boss"
            token = f"{head}.{_part(told)}.{signature}"
        return token

    def tokens(self, name: str, scope: str, nonce: str = "") -> dict[str, Any]:
        """Give tokens for somebody."""
        access = secrets.token_urlsafe(16)
        self.accesses[access] = name
        given = {"access_token": access, "token_type": "Bearer", "expires_in": 300, "scope": scope}
        if "no refresh" not in self.faults:
            given["refresh_token"] = secrets.token_urlsafe(16)
            self.refreshes[given["refresh_token"]] = (name, scope)
        if "no id token" not in self.faults and (nonce or "groups in userinfo" not in self.faults):
            given["id_token"] = self.id_token(name, nonce, access)
        return given

    def token_answer(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Answer the token endpoint (RFC 6749, 4.1.3 and 6; RFC 7636, 4.6)."""
        if "secret in form" in self.faults:
            client = f"{form.get('client_id')}:{form.get('client_secret')}" if not authorization else ""
        else:
            client = base64.b64decode(authorization.removeprefix("Basic ") or b"").decode()
        if client != f"{CLIENT}:{SECRET}":
            return 401, {"error": "invalid_client"}
        if form.get("grant_type") == "authorization_code":
            code = self.codes.pop(form.get("code", ""), None)
            digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            challenge = _base64(digest)
            if (
                code is None
                or code.get("code_challenge_method") != "S256"
                or code.get("code_challenge") != challenge
                or code["redirect_uri"] != form.get("redirect_uri")
            ):
                return 400, {"error": "invalid_grant"}
            return 200, self.tokens(code["person"], code["scope"], code.get("nonce", ""))
        name, scope = self.refreshes.pop(form.get("refresh_token", ""), ("", ""))
        if not name or self.people[name].is_removed:
            return 400, {"error": "invalid_grant"}
        return 200, self.tokens(name, scope)

    def described(self) -> dict[str, Any]:
        """The provider's discovery document."""
        found: dict[str, Any] = {
            "issuer": self.issuer if "issuer" not in self.faults else "https://elsewhere.example",
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "end_session_endpoint": f"{self.issuer}/out",
            "scopes_supported": self.scopes,
            "token_endpoint_auth_methods_supported": [
                "client_secret_post" if "secret in form" in self.faults else "client_secret_basic"
            ],
        }
        if "no token endpoint" in self.faults:
            del found["token_endpoint"]
        return found

    def told(self, access: str) -> tuple[int, dict[str, Any]]:
        """Answer userinfo."""
        name = self.accesses.get(access, "")
        if not name or self.people[name].is_removed:
            return 401, {"error": "invalid_token"}
        person = self.people[name]
        subject = person.subject if "userinfo of another" not in self.faults else "subject-boss"
        groups = {} if person.groups is None else {"groups": person.groups}
        return 200, {"sub": subject, **person.claims, **groups}

    # ------------------------------------------------------------ HTTP

    def _handler(server: OidcServer) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - `self` is the request there
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def _json(self, status: int, found: dict[str, Any]) -> None:
                self._send(status, "application/json", json.dumps(found).encode())

            def _send(self, status: int, kind: str, body: bytes, **headers: str) -> None:
                self.send_response(status)
                for name, value in {
                    "Content-Type": kind,
                    "Content-Length": str(len(body)),
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def _is_broken(self, path: str) -> bool:
                server.asked.append(path)
                if "down" in server.faults:
                    self.close_connection = True
                    return True
                if "breaks" in server.faults:
                    self._send(500, "text/html", b"<h1>oops</h1>")
                    return True
                if "page" in server.faults and path != "/authorize":
                    self._send(200, "text/html", b"<h1>Welcome to the hotel's network</h1>")
                    return True
                if "hangs" in server.faults:
                    time.sleep(3)
                    return True
                return False

            def do_GET(self) -> None:
                split = urlsplit(self.path)
                path = split.path.removeprefix("/realm")
                if self._is_broken(path):
                    return
                if path == "/.well-known/openid-configuration":
                    self._json(200, server.described())
                elif path == "/keys":
                    keys: list[object] = [key.as_dict(private=False) for key in server.keys]
                    if "odd keys" in server.faults:
                        keys = ["key", {"kty": "RSA", "n": "?"}, {"kty": "oct", "k": "AAAA"}, {}, *keys]
                    self._json(200, {"keys": keys})
                elif path == "/userinfo":
                    access = self.headers.get("Authorization", "").removeprefix("Bearer ")
                    self._json(*server.told(access))
                elif path == "/authorize":
                    self._authorize(parse_qs(split.query))
                elif path == "/out":
                    back = parse_qs(split.query).get("post_logout_redirect_uri", ["/"])[0]
                    self._send(302, "text/plain", b"", Location=back)
                else:
                    self._json(404, {})

            def _authorize(self, asked: dict[str, list[str]]) -> None:
                if "pick" in asked:
                    self._send(302, "text/plain", b"", Location=server.pick(self.path, asked["pick"][0]))
                    return
                buttons = "".join(
                    f'<p><a href="{self.path.replace("&", "&amp;")}&amp;pick={name}">I am {name}</a></p>'
                    for name in server.people
                )
                page = f"<!doctype html><title>Example ID</title><h1>Who are you?</h1>{buttons}"
                self._send(200, "text/html", page.encode())

            def do_POST(self) -> None:
                path = urlsplit(self.path).path.removeprefix("/realm")
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                if not self._is_broken(path):
                    form = {key: values[0] for key, values in parse_qs(body).items()}
                    self._json(*server.token_answer(form, self.headers.get("Authorization", "")))

        return Handler


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _part(found: dict[str, Any]) -> str:
    """A part of a token."""
    return _base64(json.dumps(found).encode())


@contextmanager
def oidc_server() -> Iterator[OidcServer]:
    """Start a provider for a test."""
    server = OidcServer()
    try:
        yield server
    finally:
        server.stop()
