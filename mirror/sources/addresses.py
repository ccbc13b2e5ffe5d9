"""Where a source may be: which hosts may be called and which files may be opened.

A connect form that takes any host is a way into the network behind the server. Link-local
addresses and the metadata services of clouds are refused always, however they are written; this machine
and private networks where `SOURCE_PRIVATE_HOSTS` is false. Files are confined to `SOURCE_FILES_DIR` for
people who are not staff, and the store is nobody's source.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?|[0-9A-Fa-f:.]+")
# Metadata services that are not link-local: Alibaba Cloud, Oracle Cloud, Azure; EC2 and Google Cloud over IPv6.
_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        ("100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"),
    )
)
# "This network" (RFC 1122, 3.2.1.3): Linux takes 0.0.0.0 for this machine.
_NOWHERE = ipaddress.IPv4Network("0.0.0.0/8")
# IPv6 addresses whose last 32 bits are an IPv4 address: NAT64 (RFC 6052, RFC 8215), translated (RFC 2765, 2.1),
# compatible (RFC 4291, 2.5.5.1).
_LAST_FOUR = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96", "::/96")))
# The middle of an interface's name that ISATAP gives to an IPv4 address (RFC 5214, 6.1).
_ISATAP = (0x00005EFE, 0x02005EFE)


class AddressRefused(Exception):
    """A source may not be there; the message says why and is fit to be shown."""


def host_check(host: str, port: int) -> tuple[str, ...]:
    """Give the addresses of a host that may be called. Raises: AddressRefused.

    All addresses of a name are looked at; one that may not be called refuses the name.
    """
    name_check(host)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        raise AddressRefused(
            _("No machine is called “%(host)s”. Check the spelling.") % {"host": host}
        ) from None
    addresses = tuple(dict.fromkeys(str(place[0]) for *_, place in found))
    for address in addresses:
        why = refused_because(ipaddress.ip_address(address.partition("%")[0]))
        if why:
            raise AddressRefused(_("“%(host)s” may not be a source: %(why)s.") % {"host": host, "why": why})
    return addresses


def name_check(host: str) -> None:
    """Refuse what is no name of a host, such as a connection string. Raises: AddressRefused."""
    if not _HOST.fullmatch(host):
        raise AddressRefused(_("“%(host)s” is not a host name or an address.") % {"host": host})


def refused_because(address: Address, *, private: bool | None = None) -> str:
    """Say why an address may not be called; empty when it may.

    `private` says whether this machine and private networks may be called; None asks the setting
    `SOURCE_PRIVATE_HOSTS`. An IPv6 address that leads to an IPv4 address is held to the rules of both.

    Example:
        >>> refused_because(ipaddress.ip_address("169.254.169.254"))
        'it is a link-local address, where clouds keep their secrets'
    """
    reasons = (_refused_because(one, private) for one in _behind(address))
    return next(filter(None, reasons), "")


def is_private(host: str) -> bool:
    """Say whether a name leads to this machine or into a private network; False where it leads nowhere."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    places = (ipaddress.ip_address(str(place[0]).partition("%")[0]) for *_, place in found)
    return any(not one.is_global for place in places for one in _behind(place))


def _refused_because(address: Address, private: bool | None) -> str:
    is_site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    if address.is_link_local or is_site_local or address in _METADATA:
        return _("it is a link-local address, where clouds keep their secrets")
    is_nowhere = address.is_unspecified or (address.version == 4 and address in _NOWHERE)
    if address.is_multicast or is_nowhere or (address.is_reserved and not address.is_private):
        return _("nothing can be reached at such an address")
    if not address.is_global and not (settings.SOURCE_PRIVATE_HOSTS if private is None else private):
        if private is None:
            return _("it is in a private network (the setting SOURCE_PRIVATE_HOSTS is off)")
        return _("it is in a private network, and no administrator has allowed it")
    return ""


def _behind(address: Address) -> tuple[Address, ...]:
    """Give the addresses that an address leads to: the IPv4 ones in an IPv6 address, or itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return (address,)
    number = int(address)
    last = ipaddress.IPv4Address(number & 0xFFFFFFFF)
    inside = address.ipv4_mapped or address.sixtofour
    if inside is not None:
        return (inside,)
    if address.teredo is not None:
        return address.teredo
    # ::1 and :: are themselves.
    if number > 1 and any(address in network for network in _LAST_FOUR):
        return (last,)
    return (address, last) if (number >> 32) & 0xFFFFFFFF in _ISATAP else (address,)


def file_check(typed: str, *, anywhere: bool) -> Path:
    """Give the real path of a file to open; relative ones start in `SOURCE_FILES_DIR`.

    `anywhere` is for staff; everyone else stays in that folder, links resolved.
    Raises: AddressRefused.
    """
    folder: Path = settings.SOURCE_FILES_DIR.resolve()
    if "\x00" in typed or len(typed) > 500:
        raise AddressRefused(_("This is not the path of a file."))
    path = (folder / Path(typed).expanduser()).resolve()
    if not anywhere and not path.is_relative_to(folder):
        raise AddressRefused(
            _(
                "Only files under the folder of SOURCE_FILES_DIR may be connected. An administrator may connect others."
            )
        )
    if _is_the_store(path):
        raise AddressRefused(_("This is Mirror's own store; it cannot be a source."))
    if not path.is_file():
        raise AddressRefused(_("There is no file %(typed)s.") % {"typed": typed})
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
