"""Which sources somebody may look at, and what is known of them."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from mirror.people.models import Team, User
from mirror.people.selectors import teams_of
from mirror.sources.models import Source, StoredIndex, TeamRole, WithheldRight

Role = TeamRole.Role


def sources_visible(user: User) -> QuerySet[Source]:
    """List the sources somebody owns or shares by a team, the sample first. Catalogs are left unread."""
    shared = Source.teams.through.objects.filter(team__in=teams_of(user)).values("source")
    return Source.objects.filter(Q(owner=user) | Q(pk__in=shared)).defer("catalog")


def sources_with(user: User, right: WithheldRight.Right) -> QuerySet[Source]:
    """List the sources of which somebody has a right: their own, and those that a team with the right shares. Catalogs are left unread."""
    withheld = WithheldRight.objects.filter(source=OuterRef("source"), team=OuterRef("team"), right=right)
    shared = Source.teams.through.objects.filter(~Exists(withheld), team__in=teams_of(user))
    return Source.objects.filter(Q(owner=user) | Q(pk__in=shared.values("source"))).defer("catalog")


def sources_asked(user: User) -> QuerySet[Source]:
    """List the sources that somebody asks and writes SQL on: their own, and those of which a team of theirs is more than a viewer."""
    shared = _shares_asked().filter(team__in=teams_of(user))
    return Source.objects.filter(Q(owner=user) | Q(pk__in=shared.values("source"))).defer("catalog")


def asked_by(person: str) -> Q:
    """The condition on rows with a `source` that the person in another field of theirs may write SQL on it."""
    theirs = _shares_asked().filter(source=OuterRef("source"), team__memberships__user=OuterRef(person))
    return Q(source__owner=F(person)) | Q(Exists(theirs))


def _shares_asked() -> QuerySet[Any]:
    """Shares with teams that are more than viewers."""
    viewers = _teams_as(Role.VIEWER)
    return Source.teams.through.objects.filter(~Exists(viewers))


def _teams_as(role: str) -> QuerySet[TeamRole]:
    return TeamRole.objects.filter(source=OuterRef("source"), team=OuterRef("team"), role=role)


def may_ask(user: User, source: Source) -> bool:
    """Say whether somebody may ask a source questions and write SQL on it."""
    return may_change(user, source) or sources_asked(user).filter(pk=source.pk).exists()


def only_views(user: User) -> bool:
    """Say whether somebody sees sources and may ask none of them: pages for asking and writing SQL are of no use to them."""
    return not sources_asked(user).exists() and sources_visible(user).exists()


def ask_check(user: User, source: Source) -> None:
    """Demand that somebody may ask a source. Raises: PermissionDenied."""
    if not may_ask(user, source):
        raise PermissionDenied(
            _(
                "On %(name)s your team looks at dashboards and runs saved SQL; it asks no questions and writes no SQL. The owner of the source decides that."
            )
            % {"name": source.name}
        )


def may_edit(user: User, source: Source) -> bool:
    """Say whether somebody may change limits of a source: its owner, and editors."""
    shared = Source.teams.through.objects.filter(Exists(_teams_as(Role.EDITOR)), team__in=teams_of(user))
    return may_change(user, source) or shared.filter(source=source).exists()


def may_take_files(user: User, source: Source) -> bool:
    """Say whether somebody may take rows of a source away: as files, or by programs and agents."""
    return _has(user, source, WithheldRight.Right.FILES)


def files_withheld(user: User, source: Source) -> str:
    """Say why somebody may not take rows of a source away; empty where they may."""
    is_taken = may_take_files(user, source)
    return (
        ""
        if is_taken
        else _("The owner of %(name)s lets your team look at its rows, not take them away.")
        % {"name": source.name}
    )


def may_send(user: User, source: Source) -> bool:
    """Say whether somebody may send rows of a source in reports and by links."""
    return _has(user, source, WithheldRight.Right.SENDING)


def _has(user: User, source: Source, right: WithheldRight.Right) -> bool:
    return may_change(user, source) or sources_with(user, right).filter(pk=source.pk).exists()


def may_change(user: User, source: Source) -> bool:
    """Say whether somebody may edit, share and delete a source: its owner alone."""
    return source.owner_id == user.pk


def may_decide(user: User, source: Source) -> bool:
    """Say whether somebody may decide what runs on a source they see: its owner, and administrators."""
    return may_change(user, source) or user.is_staff


def may_see_values(user: User, source: Source) -> bool:
    """Say whether pages about a source show somebody its stored values: where its rows may be shown, and who decides over it."""
    return source.privacy == Source.Privacy.ROWS or may_decide(user, source)


def may_confirm_powers(user: User) -> bool:
    """Say whether somebody may confirm what the users of sources they see could do: administrators alone."""
    return user.is_staff


def teams_to_share_with(user: User) -> QuerySet[Team]:
    """List the teams somebody may share with: their own; administrators, any."""
    return Team.objects.all() if user.is_staff else teams_of(user)


def index_state(source: Source, login: str = "") -> StoredIndex | None:
    """Tell how the making of a source's value index stands, without its bytes: of what its own user reads, or a login of a team."""
    return StoredIndex.objects.defer("data").filter(source=source, login=login).first()
