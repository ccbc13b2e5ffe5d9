"""Keys sealed with a passphrase: what opens the secrets in a backup is of no use to who finds the backup alone."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from mirror.upkeep.backup.archive import BROKEN
from mirror.upkeep.backup.errors import BackupError

# 64 MB and some 0.3 s a guess (RFC 7914).
COST, BLOCK, LANES = 2**16, 8, 1
LEAST_CHARS = 12


def sealed(keys: dict[str, str], passphrase: str) -> dict[str, Any]:
    """Seal keys. Raises: BackupError for a passphrase that is guessed soon."""
    if len(passphrase) < LEAST_CHARS:
        raise BackupError(f"The passphrase has fewer than {LEAST_CHARS} characters. Choose a longer one.")
    salt = os.urandom(16)
    token = _fernet(passphrase, salt, COST, BLOCK, LANES).encrypt(json.dumps(keys).encode())
    salted = base64.b64encode(salt).decode()
    return {"salt": salted, "cost": COST, "block": BLOCK, "lanes": LANES, "sealed": token.decode()}


def opened(kept: dict[str, Any], passphrase: str) -> dict[str, str]:
    """Open sealed keys. Raises: BackupError for another passphrase."""
    try:
        cost, block, lanes = (int(kept[name]) for name in ("cost", "block", "lanes"))
        salt, token = base64.b64decode(kept["salt"]), kept["sealed"].encode()
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        raise BackupError(BROKEN) from None
    if min(cost - 1, block, lanes) < 1 or cost & (cost - 1):
        raise BackupError(BROKEN)
    if cost * block * lanes > 8 * COST * BLOCK:  # what somebody wrote into the file must not take all memory
        raise BackupError("The keys in this backup are sealed in a way that this Mirror does not open.")
    fernet = _fernet(passphrase, salt, cost, block, lanes)
    try:
        keys: dict[str, str] = json.loads(fernet.decrypt(token))
    except InvalidToken:
        raise BackupError(
            "The passphrase does not open the keys of this backup. Nothing was changed."
        ) from None
    return keys


def _fernet(passphrase: str, salt: bytes, cost: int, block: int, lanes: int) -> Fernet:
    key = Scrypt(salt=salt, length=32, n=cost, r=block, p=lanes).derive(passphrase.encode())
    return Fernet(base64.urlsafe_b64encode(key))
