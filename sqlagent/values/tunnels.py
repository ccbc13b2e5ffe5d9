"""An SSH server on the way to a database."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/])")
"""The fingerprint of a host key, as `ssh-keygen -lf` writes it."""


@dataclass(frozen=True, slots=True)
class SshServer:
    """An SSH server that forwards to a database: where it is, who signs in, and the fingerprint of its one host key.

    With a `key` somebody signs in by that, and `password` is its passphrase; else by the password. `addresses` are where `host` was
    found to be, and are called instead of it.
    """

    host: str
    port: int
    user: str
    fingerprint: str
    key: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    addresses: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Host and port, as they are said."""
        return f"{self.host}:{self.port}"


SSH_SILENT, SSH_SAID = "ssh silent", "ssh said"
"""The `code` of a failure on the way: nothing there spoke SSH, or an SSH server was heard."""
