"""Which saved SQL somebody may look at."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from mirror.library.models import SavedSql
from mirror.people.models import Team, User
from mirror.people.selectors import teams_of
from mirror.sources.selectors import sources_visible


def saved_visible(user: User, search: str = "") -> QuerySet[SavedSql]:
    """List the saved SQL somebody owns, or shares by a team together with its source.

    All words of `search` must be found, in name, description, question, SQL or source.
    """
    shared = SavedSql.teams.through.objects.filter(team__in=teams_of(user)).values("savedsql")
    sources = sources_visible(user).values("pk")
    found = SavedSql.objects.filter(Q(owner=user) | Q(pk__in=shared, source__in=sources))
    for word in search.split():
        found = found.filter(
            Q(name__icontains=word)
            | Q(description__icontains=word)
            | Q(question__icontains=word)
            | Q(sql__icontains=word)
            | Q(source__name__icontains=word)
        )
    return found.select_related("source", "owner").defer("source__catalog")


def may_change(user: User, saved: SavedSql) -> bool:
    """Say whether somebody may edit, share and delete saved SQL: its owner alone."""
    return saved.owner_id == user.pk


def may_run(user: User, saved: SavedSql) -> bool:
    """Say whether somebody may run saved SQL: whoever may ask its source."""
    return sources_visible(user).filter(pk=saved.source_id).exists()


def teams_to_share_with(user: User) -> QuerySet[Team]:
    """List the teams somebody may share saved SQL with: those they are in."""
    return teams_of(user)
