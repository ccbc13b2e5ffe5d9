"""Where a source may be: which hosts may be called and which files may be opened.

A connect form that takes any host is a way into the network behind the server. Link-local
addresses (the metadata services of clouds) are refused always; this machine and private
networks where `SOURCE_PRIVATE_HOSTS` is false. Files are confined to `SOURCE_FILES_DIR` for
people who are not staff, and the store is nobody's source.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from pathlib import Path

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?|[0-9A-Fa-f:.]+")
# Metadata services that are not link-local: Alibaba Cloud, Oracle Cloud, EC2 over IPv6.
_METADATA = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "192.0.0.192", "fd00:ec2::254")))

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class AddressRefused(Exception):
    """A source may not be there; the message says why and is fit to be shown."""


def host_check(host: str, port: int) -> tuple[str, ...]:
    """Give the addresses of a host that may be called. Raises: AddressRefused.

    All addresses of a name are looked at; one that may not be called refuses the name.
    """
    if not _HOST.fullmatch(host):
        raise AddressRefused(f"“{host}” is not a host name or an address.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        raise AddressRefused(f"No machine is called “{host}”. Check the spelling.") from None
    addresses = tuple(dict.fromkeys(str(place[0]) for *_, place in found))
    for address in addresses:
        why = refused_because(ipaddress.ip_address(address.partition("%")[0]))
        if why:
            raise AddressRefused(f"“{host}” may not be a source: {why}.")
    return addresses


def refused_because(address: Address) -> str:
    """Say why an address may not be called; empty when it may.

    Example:
        >>> refused_because(ipaddress.ip_address("169.254.169.254"))
        'it is a link-local address, where clouds keep their secrets'
    """
    address = _behind(address)
    if address.is_link_local or address in _METADATA:
        return "it is a link-local address, where clouds keep their secrets"
    if address.is_multicast or address.is_unspecified or (address.is_reserved and not address.is_private):
        return "nothing can be reached at such an address"
    if not settings.SOURCE_PRIVATE_HOSTS and not address.is_global:
        return "it is in a private network (the setting SOURCE_PRIVATE_HOSTS is off)"
    return ""


def _behind(address: Address) -> Address:
    """Give the IPv4 address that an IPv6 address leads to: mapped, 6to4, NAT64 (RFC 6052, 2.1); else itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def file_check(typed: str, *, anywhere: bool) -> Path:
    """Give the real path of a file to open; relative ones start in `SOURCE_FILES_DIR`.

    `anywhere` is for staff; everyone else stays in that folder, links resolved.
    Raises: AddressRefused.
    """
    folder: Path = settings.SOURCE_FILES_DIR.resolve()
    if "\x00" in typed or len(typed) > 500:
        raise AddressRefused("This is not the path of a file.")
    path = (folder / Path(typed).expanduser()).resolve()
    if not anywhere and not path.is_relative_to(folder):
        raise AddressRefused(
            "Only files under the folder of SOURCE_FILES_DIR may be connected. An administrator may connect others."
        )
    if _is_the_store(path):
        raise AddressRefused("This is Mirror's own store; it cannot be a source.")
    if not path.is_file():
        raise AddressRefused(f"There is no file {typed}.")
    return path


def _is_the_store(path: Path) -> bool:
    """Say whether a path leads to the store's file, by whichever name or hard link."""
    kept = settings.DATABASES["default"]
    if not kept["ENGINE"].endswith("sqlite3"):
        return False
    store = Path(str(kept["NAME"])).resolve()
    try:
        return path == store or path.samefile(store)
    except OSError:
        return False
