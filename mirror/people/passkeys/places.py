"""Where passkeys hold: they are bound to the name in the address of the installation, and a browser tells from which page it asks."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from mirror.people.services import PeopleError

_USUAL_PORTS = {"http": 80, "https": 443}


class PlaceError(PeopleError):
    """A page is served where no passkey works; the message says where one would."""


@dataclass(frozen=True, slots=True)
class Place:
    """The name that passkeys are bound to (the RP id), and the origin that a browser has to tell."""

    host: str
    origin: str


def place_of(address: str) -> Place:
    """Give the place of a page by its address. It has to be served at `SITE_URL`, by https or on localhost. Raises: PlaceError."""
    here, home = origin_of(address), origin_of(settings.SITE_URL)
    host, home_host = _host(here), _host(home)
    if _is_this_machine(host) and _is_this_machine(home_host):
        if host == "localhost":
            return Place(host, here)
        named = origin_of(f"{urlsplit(here).scheme}://localhost:{urlsplit(here).port or 80}")
        raise PlaceError(
            _("A passkey is bound to a name, and %(host)s is a number. Open Mirror at %(named)s for it.")
            % {"host": host, "named": named}
        )
    if _is_number(home_host):
        raise PlaceError(
            _(
                "A passkey is bound to a name, and %(home_host)s is a number. An administrator can give Mirror "
                "a name (SITE_URL)."
            )
            % {"home_host": home_host}
        )
    if not home.startswith("https:"):
        raise PlaceError(
            _(
                "Passkeys need https. This Mirror is at %(home)s; an administrator can serve it by https "
                "(SITE_URL)."
            )
            % {"home": home}
        )
    if here != home:
        raise PlaceError(
            _("Passkeys work at %(home)s alone. This page came from %(here)s: open Mirror there.")
            % {"home": home, "here": here}
        )
    return Place(home_host, home)


def home_host() -> str:
    """The name that passkeys of this installation are bound to."""
    host = _host(origin_of(settings.SITE_URL))
    return "localhost" if _is_this_machine(host) else host


def origin_of(address: str) -> str:
    """Give scheme, host and port of an address as browsers tell them.

    Example:
        >>> origin_of("HTTPS://Mirror.Example.com:443/account/"), origin_of("http://localhost:8000")
        ('https://mirror.example.com', 'http://localhost:8000')
    """
    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    is_usual = parts.port in (None, _USUAL_PORTS.get(parts.scheme))
    return f"{parts.scheme}://{host}" if is_usual else f"{parts.scheme}://{host}:{parts.port}"


def _host(origin: str) -> str:
    return urlsplit(origin).hostname or ""


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_this_machine(host: str) -> bool:
    return host == "localhost" or (_is_number(host) and ip_address(host).is_loopback)
