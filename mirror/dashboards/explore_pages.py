"""Data of the overview of a source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.urls import reverse

from mirror.dashboards.card_pages import HALF, CardView, card_supplied
from mirror.dashboards.models import Card

if TYPE_CHECKING:
    from mirror.dashboards.card_rows import Supplied
    from mirror.dashboards.exploring import Explored
    from mirror.sources.models import Source


@dataclass(frozen=True, slots=True)
class ExplorePage:
    """The overview of a source; `known` are the words of the team's terms and verified questions that it goes by."""

    source: Source
    cards: tuple[CardView, ...]
    oldest: datetime | None
    known: tuple[str, ...] = ()


def explore_page(source: Source, found: list[tuple[Explored, Supplied]]) -> ExplorePage:
    """Lay out an overview."""
    views = tuple(_explored(source, part, supplied) for part, supplied in found)
    times = [view.when for view in views if view.when is not None]
    known = tuple(dict.fromkeys(words.lower() for part, _ in found for words in part.known))
    return ExplorePage(source, views, min(times) if times else None, known)


def _explored(source: Source, part: Explored, supplied: Supplied) -> CardView:
    card = Card(kind=Card.Kind.SQL, shows=part.shows, title=part.question)
    view = CardView(
        id=part.key,
        kind="explored",
        title=part.title_said,
        text="",
        question=part.question,
        url="",
        refresh_url=reverse("dashboards:explore_refresh", args=[source.pk]) + f"?part={part.key}",
        state="working",
        width=part.width,
        height=part.height,
        is_narrow=part.width <= HALF,
        fed=(),
        carried="",
        source=source.name,
        draft="",
        source_id=source.pk,
        sql=part.sql,
        why_url=reverse("dashboards:explore_why", args=[source.pk]) + f"?part={part.key}"
        if part.changes
        else "",
    )
    if supplied.supply is None:
        return replace(view, state="refused", words=supplied.refused)
    return card_supplied(view, card, supplied.supply, supplied.drawing)
