"""Private keys for an SSH server, as they were pasted: read, or refused in plain words.

A key tells itself how much work its passphrase takes. One that asks for more than any honest key is refused before that is begun.
"""

from __future__ import annotations

import binascii
import re
from functools import lru_cache

import asyncssh
from asyncssh.asn1 import der_decode
from asyncssh.packet import SSHPacket

from sqlagent.adapters.failures import unreachable
from sqlagent.values import SSH_SAID

# How many private keys a process has read at one time.
KEYS = 32
# Rounds of OpenSSH's own form, 10 ms each (ssh-keygen makes 16 or 24, asyncssh 128), and of PKCS#8, a million of which take 0.3 s.
BCRYPT_ROUNDS, PKCS8_ROUNDS = 256, 1_000_000

# The first key of a text, found as asyncssh finds it: its kind, and what it holds.
_KEY = re.compile(
    rb"^-----BEGIN ([^\n]*)(?<= )PRIVATE KEY-----[^\S\n]*\n(.*?)-----END", re.MULTILINE | re.DOTALL
)
_OPENSSH = b"openssh-key-v1\0"


@lru_cache(maxsize=KEYS)
def key_read(key: str, passphrase: str) -> asyncssh.SSHKey:
    """Read a private key; read ones stay, as a passphrase takes 0.2 s and more by design. Raises: Unreachable."""
    message = "The private key for the SSH server cannot be read."
    advice = "Paste the whole file of the private key, from -----BEGIN to the last line."
    try:
        if not _asks_too_much(key):
            return asyncssh.import_private_key(key, passphrase or None)
        message = "The passphrase of the private key for the SSH server takes too long to check."
        advice = "Give the key its passphrase anew, with fewer rounds: ssh-keygen -p -a 100 -f KEY."
    except (asyncssh.KeyEncryptionError, asyncssh.KeyImportError) as error:
        said = str(error).lower()
        if "passphrase must be" in said:
            message = "The private key for the SSH server has a passphrase, and none was given."
            advice = "Type the passphrase that the key was made with."
        elif isinstance(error, asyncssh.KeyEncryptionError) or "decrypt" in said:
            message = "The passphrase does not open the private key for the SSH server."
            advice = "Type the passphrase that the key was made with."
    except (ValueError, OverflowError, RecursionError):
        pass  # numbers that make no key, or parts in parts
    raise unreachable(message, advice, SSH_SAID)


def _asks_too_much(key: str) -> bool:
    """Say whether the head of a key asks for more rounds than are done. Raises: ValueError, RecursionError where it cannot be read."""
    found = _KEY.search(key.encode("ascii"))
    if found is None or (kind := found[1].strip()) not in (b"OPENSSH", b"ENCRYPTED"):
        return False  # no key, or one that is not locked or by a single round
    if b":" in found[2]:
        raise ValueError("Lines before these kinds of keys lock them once more, which no program does.")
    data = binascii.a2b_base64(found[2])
    if kind == b"ENCRYPTED":
        return _largest(der_decode(data)) > PKCS8_ROUNDS
    head = SSHPacket(data.removeprefix(_OPENSSH))
    _, way, options = head.get_string(), head.get_string(), SSHPacket(head.get_string())
    if way != b"bcrypt":
        return False
    options.get_string()
    return options.get_uint32() > BCRYPT_ROUNDS


def _largest(part: object) -> int:
    """Give the largest number among the parts of a value."""
    if isinstance(part, tuple):
        return max(map(_largest, part), default=0)
    return part if isinstance(part, int) else 0
