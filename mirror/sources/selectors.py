"""Which sources somebody may look at, and what is known of them."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from mirror.people.models import Team, User
from mirror.people.selectors import teams_of
from mirror.sources.models import Source, StoredIndex


def sources_visible(user: User) -> QuerySet[Source]:
    """List the sources somebody owns or shares by a team, the sample first. Catalogs are left unread."""
    shared = Source.teams.through.objects.filter(team__in=teams_of(user)).values("source")
    return Source.objects.filter(Q(owner=user) | Q(pk__in=shared)).defer("catalog")


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


def index_state(source: Source) -> StoredIndex | None:
    """Tell how the making of a source's value index stands, without its bytes."""
    return StoredIndex.objects.defer("data").filter(source=source).first()
