"""Data of the page about one-time codes."""

from __future__ import annotations

from dataclasses import dataclass

from mirror.people.codes import services
from mirror.people.models import User


@dataclass(frozen=True, slots=True)
class CodesPage:
    """Whether codes are asked; the secret for an app, while they are set up; recovery codes when they are new.

    `picture` is an address of the kind `data:`.
    """

    person: User
    is_on: bool
    is_required: bool
    left: int
    secret: str = ""
    picture: str = ""
    fresh: tuple[str, ...] = ()


def codes_page(person: User, fresh: list[str] | None = None) -> CodesPage:
    """Make the page for somebody."""
    begun = services.codes_begun(person)
    secret = begun.secret if begun else ""
    return CodesPage(
        person=person,
        is_on=services.is_on(person),
        is_required=services.is_required(person),
        left=services.recovery_left(person),
        secret=" ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        picture=_picture(services.address_of(begun)) if begun else "",
        fresh=tuple(fresh or ()),
    )


def _picture(address: str) -> str:
    import segno

    code = segno.make(address, error="m", micro=False)
    return str(code.svg_data_uri(scale=5, border=4, dark="#000", light="#fff"))
