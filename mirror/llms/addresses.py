"""Where a language model may be: an address of the web that holds no secret and leads to no metadata service.

This machine and private networks are legitimate for administrators, whatever `SOURCE_PRIVATE_HOSTS` says: that is where
models of one's own run. Beyond them https is asked for, so that prompts and keys cannot be read on the way.
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from mirror.sources.addresses import is_private, refused_because


class UrlRefused(Exception):
    """A language model may not be there; the message says why and is fit to be shown."""


def url_check(typed: str) -> str:
    """Give an address as it is kept, without a slash at its end. Raises: UrlRefused."""
    url = typed.strip().rstrip("/")
    try:
        split = urlsplit(url)
        host, _ = split.hostname or "", split.port
    except ValueError:
        raise UrlRefused("This is not an address of the web.") from None
    if split.scheme not in ("http", "https") or not host or not url.isascii() or not url.isprintable():
        raise UrlRefused("Type an address such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1.")
    if " " in url or "\\" in url:
        raise UrlRefused("An address has no spaces and no backslashes.")
    if split.username is not None or split.password is not None or split.query or split.fragment:
        raise UrlRefused(
            "Leave names, passwords and all from “?” on out of the address; a key has its own field."
        )
    host_check(url)
    if split.scheme == "http" and not is_private(host):
        raise UrlRefused(
            "Over http, prompts and the key could be read on the way: begin with https://, unless it is on this machine "
            "or in a private network."
        )
    return url


def host_check(url: str) -> None:
    """Look at what a kept address leads to now; a name that leads nowhere is no fault here. Raises: UrlRefused."""
    host = urlsplit(url).hostname or ""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return
    for *_, place in found:
        if why := refused_because(ipaddress.ip_address(str(place[0]).partition("%")[0]), private=True):
            raise UrlRefused(f"“{host}” may not be called: {why}.")
