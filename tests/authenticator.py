"""A device that keeps passkeys, in software: what a browser sends after `credentials.create` and `.get`, and what a hostile one may."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

FLAG = AuthenticatorData.FLAG
TYPE = CollectedClientData.TYPE


@dataclass
class Device:
    """One device with at most one passkey. It asks for its owner's finger, is touched, and counts its answers, unless told otherwise."""

    origin: str = "https://mirror.example.com"
    asks_finger: bool = True
    is_touched: bool = True
    counts: bool = True
    counter: int = 0
    key: EllipticCurvePrivateKey = field(default_factory=lambda: generate_private_key(SECP256R1()))
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    handle: str = ""

    def make(self, options: dict[str, Any]) -> str:
        """Make the passkey that options ask for."""
        self.handle = options["user"]["id"]
        made = AttestedCredentialData.create(
            b"\0" * 16, self.credential_id, ES256.from_cryptography_key(self.key.public_key())
        )
        told = self._told(options["rp"]["id"], FLAG.AT, made)
        client = self._client(TYPE.CREATE, options)
        attested = AttestationObject.create("none", told, {})
        response = {"clientDataJSON": client.b64, "attestationObject": websafe_encode(attested)}
        return self._answer(response)

    def answer(self, options: dict[str, Any]) -> str:
        """Sign the challenge of options."""
        told = self._told(options["rpId"])
        client = self._client(TYPE.GET, options)
        signature = self.key.sign(told + client.hash, ECDSA(SHA256()))
        response = {
            "clientDataJSON": client.b64,
            "authenticatorData": websafe_encode(told),
            "signature": websafe_encode(signature),
            "userHandle": self.handle,
        }
        return self._answer(response)

    def _told(self, host: str, flags: int = 0, made: bytes = b"") -> AuthenticatorData:
        self.counter += self.counts
        flags |= (FLAG.UP if self.is_touched else 0) | (FLAG.UV if self.asks_finger else 0)
        return AuthenticatorData.create(hashlib.sha256(host.encode()).digest(), flags, self.counter, made)

    def _client(self, kind: Any, options: dict[str, Any]) -> CollectedClientData:
        return CollectedClientData.create(kind, websafe_decode(options["challenge"]), self.origin)

    def _answer(self, response: dict[str, str]) -> str:
        named = websafe_encode(self.credential_id)
        return json.dumps(
            {
                "id": named,
                "rawId": named,
                "type": "public-key",
                "response": response,
                "clientExtensionResults": {},
            }
        )
