"""Visibility of dashboards and of the rows on them.

A dashboard is seen by its owner and the members of its teams. A person sees the rows of a card if they see its source; saved SQL is shown as long as the dashboard's owner sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Count, Q, QuerySet

from mirror.asking.models import Version
from mirror.asking.selectors import versions_visible_to
from mirror.dashboards.models import Card, Dashboard, Supply
from mirror.library.models import SavedSql
from mirror.library.selectors import runnable, saved_visible
from mirror.people.selectors import teams_of
from mirror.sources.selectors import asked_by, sources_asked, sources_visible
from mirror.stored_words import said_again

if TYPE_CHECKING:
    from mirror.people.models import User


def title_said(card: Card) -> str:
    """Give the title of a card in the language that is active; one that somebody typed as it stands."""
    return said_again(card.title, card.saying, "title") if "title" in card.saying else card.title


def dashboards_visible(user: User, search: str = "") -> QuerySet[Dashboard]:
    """List the dashboards somebody owns or shares by a team; all words of `search` must be found."""
    shared = Dashboard.teams.through.objects.filter(team__in=teams_of(user)).values("dashboard")
    found = Dashboard.objects.filter(Q(owner=user) | Q(pk__in=shared)).select_related("owner")
    for word in search.split()[:8]:
        found = found.filter(Q(name__icontains=word) | Q(description__icontains=word))
    return found


def dashboards_listed(user: User, search: str = "") -> QuerySet[Dashboard]:
    """List them with the number of cards on each, the one changed last first."""
    return dashboards_visible(user, search).annotate(card_count=Count("cards")).order_by("-updated_at", "-pk")


def dashboards_own(user: User) -> list[Dashboard]:
    """List those that somebody may add cards to, the one changed last first."""
    return list(Dashboard.objects.filter(owner=user).order_by("-updated_at", "-pk"))


def may_change(user: User, dashboard: Dashboard) -> bool:
    """Say whether somebody may change, share and delete a dashboard: its owner alone."""
    return dashboard.owner_id == user.pk


def may_stop(user: User, supply: Supply) -> bool:
    """Say whether somebody may stop rows from being read: who asked for them."""
    return supply.owner_id == user.pk


def cards_of(dashboard: Dashboard) -> list[Card]:
    """The cards of a dashboard in their order, each with its source and its saved SQL."""
    cards = dashboard.cards.select_related("source", "saved").defer("source__catalog")
    return list(cards.order_by("place", "pk"))


def cards_visible(user: User) -> QuerySet[Card]:
    """The cards of all dashboards somebody sees."""
    cards = Card.objects.filter(dashboard__in=dashboards_visible(user).values("pk"))
    return cards.select_related("dashboard__owner", "source", "saved").defer("source__catalog")


def sources_seen(user: User, cards: list[Card]) -> set[int]:
    """Which of the sources of cards somebody sees."""
    wanted = {card.source_id for card in cards if card.source_id is not None}
    return set(sources_visible(user).filter(pk__in=wanted).values_list("pk", flat=True)) if wanted else set()


def cards_run(user: User, cards: list[Card]) -> set[int]:
    """Which cards, by their ids, show rows to somebody as far as roles go: all on a source they ask.

    A viewer sees those of which the SQL is somebody's who writes SQL on the source: the owner of saved SQL, else of the dashboard.
    """
    given = [card.pk for card in cards]
    asked = Q(source__in=sources_asked(user).values("pk"))
    seen = Q(source__in=sources_visible(user).values("pk"))
    written = Q(kind=Card.Kind.SAVED, saved__in=SavedSql.objects.filter(asked_by("owner")).values("pk"))
    written |= Q(kind=Card.Kind.SQL) & asked_by("dashboard__owner")
    return set(Card.objects.filter(asked | (seen & written), pk__in=given).values_list("pk", flat=True))


def saved_seen(owner: User, cards: list[Card]) -> set[int]:
    """Which of the saved SQL of cards the owner of their dashboard sees."""
    wanted = {card.saved_id for card in cards if card.saved_id is not None}
    return set(saved_visible(owner).filter(pk__in=wanted).values_list("pk", flat=True)) if wanted else set()


def version_to_add(user: User, pk: int) -> Version | None:
    """The version of a run that somebody may put on a dashboard."""
    return versions_visible_to(user).filter(pk=pk).first()


def saved_to_add(user: User, pk: int) -> SavedSql | None:
    """The saved SQL that somebody may put on a dashboard: what they see and may run."""
    return runnable(user, saved_visible(user)).filter(pk=pk).first()
