"""The way to a source through an SSH server: what is kept of it, where it may lead, and that its key was confirmed.

The SSH server's address is checked as a database's is. Where the server forwards to is its own business: the host of the
database is a name that the server knows, and is not looked up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from mirror.secrets import SecretUnreadable
from mirror.sources.addresses import AddressRefused, host_check
from mirror.sources.models import Source
from sqlagent.errors import Unreachable
from sqlagent.values import FINGERPRINT, Failure, FailureKind, SshServer

# The usual port of SSH servers.
PORT = 22
# Fields of a tunnel that are kept, beside its secrets.
NAMES = ("ssh_host", "ssh_port", "ssh_user", "ssh_by", "ssh_fingerprint")
BY_KEY, BY_PASSWORD = "key", "password"
# Secrets of a source that are typed, and kept sealed.
TUNNEL_SECRETS = ("ssh_key", "ssh_password")
SECRETS = ("password", *TUNNEL_SECRETS)
FORGOTTEN = dict.fromkeys(SECRETS, "")


def fingerprint_in(typed: str) -> str:
    """Find the fingerprint in what was pasted, such as a line of `ssh-keygen -lf`; empty where there is none.

    Example:
        >>> fingerprint_in("256 SHA256:" + "b" * 43 + " root@jump (ED25519)") == "SHA256:" + "b" * 43
        True
        >>> fingerprint_in("MD5:16:27:ac")
        ''
    """
    found = FINGERPRINT.search(typed)
    return found[0] if found else ""


def tunnel_addresses(source: Source) -> tuple[str, ...]:
    """Look where the SSH server of a source is. Raises: AddressRefused."""
    try:
        return host_check(source.tunnel["ssh_host"], source.tunnel["ssh_port"])
    except AddressRefused as error:
        raise AddressRefused(_("The SSH server: %(why)s") % {"why": error}) from None


def ssh_server(source: Source) -> SshServer | None:
    """Give the SSH server of a source as adapters take it, its secrets unlocked; None where it has none. Raises: Unreachable."""
    kept = source.tunnel
    if not kept:
        return None
    try:
        addresses = tunnel_addresses(source)
        key = str(source.ssh_key) if kept["ssh_by"] == BY_KEY else ""
        password = str(source.ssh_password)
    except AddressRefused as error:
        raise Unreachable(Failure(FailureKind.LOST, str(error))) from None
    except SecretUnreadable as error:
        advice = _("Or type the secrets of this source's SSH server again.")
        raise Unreachable(Failure(FailureKind.LOST, str(error), advice=advice)) from None
    return SshServer(
        host=kept["ssh_host"],
        port=kept["ssh_port"],
        user=kept["ssh_user"],
        fingerprint=kept["ssh_fingerprint"],
        key=key,
        password=password,
        addresses=addresses,
    )


def unconfirmed_server(source: Source) -> SshServer | None:
    """Give the SSH server of a source whose key nobody has confirmed, without any secret; None else. Raises: AddressRefused."""
    kept = source.tunnel
    if not kept or kept["ssh_fingerprint"]:
        return None
    return SshServer(kept["ssh_host"], kept["ssh_port"], "", "", addresses=tunnel_addresses(source))


def secrets_take(source: Source, typed: Mapping[str, Any]) -> None:
    """Give a source the secrets that were typed; one that was not stays. Secrets that its way does not need are deleted.

    A new key comes with its passphrase or has none. The source is not saved here.
    """
    for name in SECRETS:
        if typed.get(name):
            setattr(source, name, typed[name])
    if typed.get("ssh_key"):
        source.ssh_password = typed.get("ssh_password") or ""
    if source.tunnel.get("ssh_by") != BY_KEY:
        source.ssh_key = ""
    if not source.tunnel:
        source.ssh_password = ""
