"""A dashboard as the beginning of a report: its cards as saved SQL, in their order, its texts as the note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction

from mirror.dashboards.card_parameters import chart_of, parameters_of, sql_fed, sql_of
from mirror.dashboards.models import Card, Dashboard
from mirror.dashboards.selectors import cards_of, saved_seen, sources_seen, title_said
from mirror.library.models import SavedSql
from mirror.library.services import sql_save
from mirror.queries.parameters import ParameterError
from mirror.reports.editing.report_changes import MOST_PARTS, NOTE_CHARS
from mirror.reports.selectors import saved_usable
from mirror.results.kept_pivots import KEPT, chart_pivot
from mirror.sources.selectors import sources_asked

if TYPE_CHECKING:
    from mirror.people.models import User


@dataclass(frozen=True, slots=True)
class Sendable:
    """Saved SQL for the cards of a dashboard: how many of it was saved for that, and the cards that are left out."""

    saved: tuple[SavedSql, ...]
    made: int
    left_out: tuple[str, ...]


def dashboard_note(dashboard: Dashboard) -> str:
    """The words of a dashboard: its description and its texts, as far as a note goes."""
    texts = [dashboard.description]
    for card in cards_of(dashboard):
        if card.kind == Card.Kind.TEXT:
            texts += [card.title, card.text]
    return "\n\n".join(text.strip() for text in texts if text.strip())[:NOTE_CHARS]


@transaction.atomic
def dashboard_sendable(user: User, dashboard: Dashboard, values: Mapping[str, str]) -> Sendable:
    """Give saved SQL for the cards that somebody may run; SQL of a run is saved in their library, once.

    Left out are cards whose source they do not see, whose SQL is gone or whose values do not fit, and those beyond what a report takes.
    """
    cards = [card for card in cards_of(dashboard) if card.kind != Card.Kind.TEXT]
    seen, shown = sources_seen(user, cards), saved_seen(dashboard.owner, cards)
    asked = set(sources_asked(user).values_list("pk", flat=True))
    usable = {one.pk: one for one in saved_usable(user)} if cards else {}
    found: dict[int, SavedSql] = {}
    made, left = 0, []
    for card in cards:
        is_gone = card.kind == Card.Kind.SAVED and card.saved_id not in shown
        if card.source is None or card.source_id not in seen or is_gone or len(found) >= MOST_PARTS:
            left.append(str(card))
            continue
        one = usable.get(card.saved_id) if card.saved_id is not None else None
        if one is not None and not _is_sent_as_shown(card, one) and card.source_id in asked:
            one = None  # kept beside it, as the card shows it
        if one is None and card.source_id not in asked:  # SQL of their own is not run
            left.append(str(card))
            continue
        if one is None:
            try:
                sql_fed(card, values)
                one, is_new = _saved(user, card)
            except ParameterError:
                left.append(str(card))
                continue
            made += is_new
        found.setdefault(one.pk, one)
    return Sendable(tuple(found.values()), made, tuple(left))


def _chart_sent(card: Card) -> dict[str, Any] | None:
    """The chart that saved SQL sends a card with: of a pivot the pivot alone, of any other card none."""
    chart = chart_of(card)
    if card.shows == Card.Shows.PIVOT and chart:
        formats = {"formats": chart["formats"]} if chart.get("formats") else {}
        return {"mark": "none"} | formats | chart_pivot(chart)
    return {name: part for name, part in chart.items() if name != KEPT} if chart else chart


def _is_sent_as_shown(card: Card, saved: SavedSql) -> bool:
    """Say whether saved SQL sends a pivot where its card shows one, and rows where it shows none."""
    return bool(chart_pivot(saved.chart)) == (
        card.shows == Card.Shows.PIVOT and bool(chart_pivot(chart_of(card)))
    )


def _saved(user: User, card: Card) -> tuple[SavedSql, bool]:
    """The SQL of a card in somebody's own library, and whether it was put there now."""
    sql, parameters = sql_of(card), parameters_of(card)
    kept = SavedSql.objects.filter(owner=user, source=card.source, sql=sql)
    chart = _chart_sent(card)
    for one in kept:
        if one.parameters == parameters and chart_pivot(one.chart) == chart_pivot(chart):
            return one, False
    assert card.source is not None
    of = card.saved
    return sql_save(
        user,
        card.source,
        title_said(card) or str(card),
        sql,
        question=of.question if of is not None else card.question,
        parameters=parameters,
        chart=chart,
        draft=(of or card).draft,
        saying=(of or card).saying,
    ), True
