"""Why somebody may or may not do what on a source: each right, the answer of who decides it, and the rule behind it.

Whether they may is asked of the selectors that guard the pages; here is only the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from mirror.people.models import Team, User
from mirror.people.selectors import teams_of
from mirror.sources import selectors
from mirror.sources.logins import OWN, Login, login_of
from mirror.sources.models import Source, TeamRole, WithheldRight
from mirror.sources.sight import may_correct, withheld_of
from sqlagent.guard import Withheld

if TYPE_CHECKING:
    from collections.abc import Callable

Role, Right = TeamRole.Role, WithheldRight.Right


@dataclass(frozen=True, slots=True)
class ThroughTeam:
    """A team of somebody that a source is shared with: its role, and the rights that are withheld from it."""

    name: str
    role: str
    withheld: frozenset[str]

    @property
    def role_said(self) -> str:
        """The role in words."""
        return role_said(self.role)


@dataclass(frozen=True, slots=True)
class RightTold:
    """One thing that can be done with a source, whether somebody may do it, and why."""

    words: str
    is_had: bool
    why: str


@dataclass(frozen=True, slots=True)
class Access:
    """All that somebody may do with a source, and through which teams; `shut_out` says why they do nothing at all.

    `hidden` are the tables and columns that are withheld from them, `login` the user of the database by which they read it.
    """

    person: User
    source: Source
    role: str
    shut_out: str
    teams: tuple[ThroughTeam, ...]
    rights: tuple[RightTold, ...]
    hidden: tuple[str, ...] = ()
    login: Login = OWN

    @property
    def role_said(self) -> str:
        """The role in words."""
        return role_said(self.role)


def may_explain(user: User) -> bool:
    """Say whether somebody is told why others may do what: administrators, and owners of a source."""
    return user.is_staff or Source.objects.filter(owner=user).exists()


def sources_explained(user: User) -> QuerySet[Source]:
    """List the sources of which somebody is told who may do what: their own; administrators, all. Catalogs are left unread."""
    found = Source.objects.all() if user.is_staff else Source.objects.filter(owner=user)
    return found.defer("catalog").select_related("owner").order_by("name")


def people_explained(user: User) -> QuerySet[User]:
    """List the people and services of whom somebody is told: members of teams that their sources are shared with, and of their own teams."""
    if user.is_staff:
        return User.objects.order_by("username")
    teams = Team.objects.filter(Q(sources__owner=user) | Q(pk__in=teams_of(user).values("pk")))
    members = Q(memberships__team__in=teams.values("pk"))
    return User.objects.filter(members | Q(pk=user.pk)).distinct().order_by("username")


def access_of(person: User, source: Source) -> Access:
    """Explain what somebody may do with a source."""
    teams = _teams(person, source)
    is_owner, sees = selectors.may_change(person, source), selectors.sources_visible(person)
    is_seen = sees.filter(pk=source.pk).exists()
    own = _("%(person)s owns it.") % {"person": person} if is_owner else ""
    return Access(
        person,
        source,
        "owner" if is_owner else _strongest(teams),
        _shut_out(person),
        teams,
        (
            RightTold(
                _("See it: dashboards, reports and saved SQL that are shared"),
                is_seen,
                own or _through(teams, lambda _: True, _("It is shared with no team of theirs.")),
            ),
            RightTold(
                _("Ask questions, write SQL, browse tables"),
                selectors.may_ask(person, source),
                own or _through(teams, lambda one: one.role != Role.VIEWER, _lacking(teams, _("viewers"))),
            ),
            RightTold(
                _("Change terms, verified answers and the model"),
                may_correct(person, source),
                own or _corrects(person, source, teams),
            ),
            RightTold(
                _("Change limits"),
                selectors.may_edit(person, source),
                own or _through(teams, lambda one: one.role == Role.EDITOR, _lacking(teams, _("no editors"))),
            ),
            RightTold(
                _("Take rows away as files, or by programs and agents"),
                selectors.may_take_files(person, source),
                own or _unless_withheld(teams, Right.FILES, _("No files")),
            ),
            RightTold(
                _("Send rows in reports, and by links"),
                selectors.may_send(person, source),
                own or _unless_withheld(teams, Right.SENDING, _("No sending")),
            ),
            RightTold(
                _("Decide what may run"),
                is_seen and selectors.may_decide(person, source),
                own or _decides(person, is_seen),
            ),
            RightTold(
                _("Share it, change how it is connected, delete it"),
                is_owner,
                own or _("Only its owner, %(owner)s, does that.") % {"owner": source.owner},
            ),
        ),
        _names(withheld_of(person, source)) if is_seen else (),
        login_of(person, source) if is_seen else OWN,
    )


def role_said(role: str) -> str:
    """A role as it stands in a line."""
    said = {"owner": _("owner"), "viewer": _("viewer"), "analyst": _("analyst"), "editor": _("editor")}
    return said.get(role, role)


def _names(withheld: Withheld) -> tuple[str, ...]:
    return tuple(sorted([*withheld.tables, *(f"{one.table}.{one.column}" for one in withheld.columns)]))


def _teams(person: User, source: Source) -> tuple[ThroughTeam, ...]:
    roles = dict(source.team_roles.values_list("team", "role"))
    withheld = list(source.withheld.values_list("team", "right"))
    return tuple(
        ThroughTeam(
            str(team),
            roles.get(team.pk, Role.ANALYST),
            frozenset(right for pk, right in withheld if pk == team.pk),
        )
        for team in source.teams.filter(pk__in=teams_of(person).values("pk")).order_by("name")
    )


def _strongest(teams: tuple[ThroughTeam, ...]) -> str:
    order = list(Role.values)
    return max((one.role for one in teams), key=order.index, default="")


def _shut_out(person: User) -> str:
    if not person.is_active:
        return _("%(person)s was shut out: nobody signs in as them, and their tokens have ended.") % {
            "person": person
        }
    if person.is_away:
        return _(
            "The identity provider does not vouch for %(person)s now: they have no session, and their tokens rest."
        ) % {"person": person}
    return ""


def _through(teams: tuple[ThroughTeam, ...], gives: Callable[[ThroughTeam], bool], otherwise: str) -> str:
    """Name the teams that give a right, with their roles; the default text where none does."""
    given = [f"{one.name} ({role_said(one.role)})" for one in teams if gives(one)]
    return _("Through %(given)s.") % {"given": ", ".join(given)} if given else otherwise


def _lacking(teams: tuple[ThroughTeam, ...], role: str) -> str:
    if not teams:
        return _("It is shared with no team of theirs.")
    named = ", ".join(one.name for one in teams)
    return _("Members of %(named)s are %(role)s here.") % {"named": named, "role": role}


def _corrects(person: User, source: Source, teams: tuple[ThroughTeam, ...]) -> str:
    if _lacks_part(person, source):
        return _(
            "Part of the source is withheld from them, or they read it by a login of their team, and what is known of it tells of all."
        )
    if selectors.may_edit(person, source):
        return _through(teams, lambda one: one.role == Role.EDITOR, "")
    if may_correct(person, source):
        return _("As an administrator who asks it.")
    return _lacking(teams, _("no editors"))


def _lacks_part(person: User, source: Source) -> bool:
    may = selectors.may_edit(person, source) or (person.is_staff and selectors.may_ask(person, source))
    return may and not may_correct(person, source)


def _unless_withheld(teams: tuple[ThroughTeam, ...], right: str, rule: str) -> str:
    if not teams:
        return _("It is shared with no team of theirs.")
    withheld = ", ".join(one.name for one in teams)
    return _through(
        teams,
        lambda one: right not in one.withheld,
        _("The rule “%(rule)s” of %(withheld)s.") % {"rule": rule, "withheld": withheld},
    )


def _decides(person: User, is_seen: bool) -> str:
    if person.is_staff and is_seen:
        return _("As an administrator who sees it.")
    if person.is_staff:
        return _("An administrator decides that only on sources that they see.")
    return _("Only its owner does that, and administrators who see it.")
