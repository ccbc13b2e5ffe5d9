"""Data of the page about one-time codes, and of the one that asks for a second factor."""

from __future__ import annotations

from dataclasses import dataclass

from mirror.people.codes import services
from mirror.people.factors import has_codes, is_required
from mirror.people.models import User
from mirror.people.passkeys.pages import PlaceLine, place_line
from mirror.people.recovery import recovery_left


@dataclass(frozen=True, slots=True)
class CodesPage:
    """Whether codes are asked, and may be turned off; the secret for an app, while they are set up; recovery codes when they are new.

    `picture` is an address of the kind `data:`.
    """

    person: User
    is_on: bool
    is_required: bool
    may_end: bool
    left: int
    secret: str = ""
    picture: str = ""
    fresh: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodePage:
    """The person who is asked for a second factor, and by which means; `query` is of the address, for the passkey's form."""

    person: User
    has_codes: bool
    passkey: PlaceLine | None
    query: str


def code_page(person: User, here: str, query: str) -> CodePage:
    """Make the page that asks somebody, served at the origin `here`."""
    return CodePage(person, has_codes(person), place_line(person, here), query)


def codes_page(person: User, fresh: list[str] | None = None) -> CodesPage:
    """Make the page for somebody."""
    begun = services.codes_begun(person)
    secret = begun.secret if begun else ""
    return CodesPage(
        person=person,
        is_on=has_codes(person),
        is_required=is_required(person),
        may_end=services.may_end(person),
        left=recovery_left(person),
        secret=" ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        picture=_picture(services.address_of(begun)) if begun else "",
        fresh=tuple(fresh or ()),
    )


def _picture(address: str) -> str:
    import segno

    code = segno.make(address, error="m", micro=False)
    return str(code.svg_data_uri(scale=5, border=4, dark="#000", light="#fff"))
