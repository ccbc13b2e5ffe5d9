"""Data of the pages about passkeys."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from mirror.people.factors import has_codes, is_required
from mirror.people.models import Passkey, User
from mirror.people.passkeys import services
from mirror.people.passkeys.places import PlaceError, place_of
from mirror.people.recovery import recovery_left


@dataclass(frozen=True, slots=True)
class PlaceLine:
    """Whether passkeys work at the address of this page; `said` tells why not."""

    works: bool
    said: str = ""


@dataclass(frozen=True, slots=True)
class PasskeyLine:
    """One passkey; `works`: it is bound to the address of this page."""

    passkey: Passkey
    works: bool


@dataclass(frozen=True, slots=True)
class PasskeysPage:
    """Somebody's passkeys; recovery codes when they are new; `place` says whether one can be added here."""

    person: User
    place: PlaceLine
    lines: list[PasskeyLine]
    is_required: bool
    has_codes: bool
    left: int
    fresh: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PasskeyPage:
    """One passkey; `is_last`: it cannot be removed, as a second factor is asked of its person who has no other."""

    passkey: Passkey
    is_last: bool


def passkeys_page(person: User, here: str, fresh: list[str] | None = None) -> PasskeysPage:
    """Make the page for somebody, served at the origin `here`."""
    host, place = "", PlaceLine(True)
    try:
        host = place_of(here).host
    except PlaceError as error:
        place = PlaceLine(False, str(error))
    return PasskeysPage(
        person=person,
        place=place,
        lines=[PasskeyLine(one, one.host == host) for one in services.passkeys_of(person)],
        is_required=is_required(person),
        has_codes=has_codes(person),
        left=recovery_left(person),
        fresh=tuple(fresh or ()),
    )


def passkey_page(passkey: Passkey) -> PasskeyPage:
    """Make the page of one."""
    return PasskeyPage(passkey, services.is_last(passkey))


def place_line(person: User, here: str) -> PlaceLine | None:
    """Say whether a passkey of somebody works at the origin `here`; None for a person who has none."""
    hosts = {one.host for one in services.passkeys_of(person)}
    if not hosts:
        return None
    try:
        host = place_of(here).host
    except PlaceError as error:
        return PlaceLine(False, str(error))
    said = _("Your passkeys were made for %(hosts)s, not for %(host)s.") % {
        "hosts": ", ".join(sorted(hosts)),
        "host": host,
    }
    said = "" if host in hosts else said
    return PlaceLine(not said, said)


def is_offered(here: str) -> bool:
    """Say whether anybody could sign in by a passkey at the origin `here`."""
    try:
        return services.is_any_at(place_of(here).host)
    except PlaceError:
        return False
