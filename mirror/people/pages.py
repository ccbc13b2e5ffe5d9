"""What the pages about people show."""

from __future__ import annotations

from dataclasses import dataclass

from mirror.people.models import Membership, Team, User


@dataclass(frozen=True, slots=True)
class LinkPage:
    """A one-time link to hand over, shown once."""

    person: User
    url: str
    hours: int


@dataclass(frozen=True, slots=True)
class TeamPage:
    """One team and who is in it."""

    team: Team
    memberships: list[Membership]
    may_manage: bool
