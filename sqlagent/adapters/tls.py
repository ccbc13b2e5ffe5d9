"""The meaning of a TLS mode, for drivers that take a context; the modes are named as PostgreSQL names them."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

OPTIONS = ("sslmode", "sslrootcert")
MODES = ("disable", "require", "verify-ca", "verify-full")


def mode_of(options: Mapping[str, str]) -> str:
    """Give the mode among some options, empty where none is said. Raises: ValueError for an unknown one."""
    mode = options.get("sslmode", "")
    if mode not in ("", *MODES):
        raise ValueError(f"Unknown sslmode '{mode}'. Known: {', '.join(MODES)}.")
    return mode


def context_for(mode: str, root: str = "") -> ssl.SSLContext | None:
    """Give the context of a mode, checking against the certificates in the file `root`, or the machine's.

    None where there is to be no TLS (`disable`, or no mode). Raises: ssl.SSLError (an OSError) for
    a file that cannot be read or holds no certificates.

    Example:
        >>> context_for("require").check_hostname
        False
    """
    if not mode or mode == "disable":
        return None
    if mode == "require":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    try:
        context = ssl.create_default_context(cafile=root or None)
    except OSError as error:
        raise ssl.SSLError(f"the certificates in {root} cannot be read: {error.strerror or error}") from error
    context.check_hostname = mode == "verify-full"
    return context
