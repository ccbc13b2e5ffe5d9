"""Operations on dashboards and their cards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.asking.models import headed
from mirror.audit.services import record
from mirror.dashboards import selectors
from mirror.dashboards.card_parameters import sql_fed
from mirror.dashboards.card_rows import (
    Supplied,
    Wish,
    supplies_refresh,
    supply_begin,
    supply_stop,
    wishes_supply,
)
from mirror.dashboards.errors import DashboardError
from mirror.dashboards.exploring import Explored
from mirror.dashboards.models import COLUMNS, NAME_CHARS, NARROWEST, TALLEST, Card, Dashboard, Supply
from mirror.people.services import teams_share
from mirror.phrases import one_line
from mirror.queries.parameters import ParameterError
from mirror.results.kept_pivots import chart_pivoted
from mirror.results.pivots import PivotWish
from mirror.storable import storable
from mirror.stored_words import row_said

if TYPE_CHECKING:
    from mirror.asking.models import Version
    from mirror.library.models import SavedSql
    from mirror.people.models import Team, User
    from mirror.sources.models import Source

# Cards of one dashboard. More are another dashboard: nobody reads so many at once.
CARDS = 40
# How wide and tall cards begin: of rows, and of one number. A text takes all columns, and a row for so many of its lines.
SIZE, NUMBER_SIZE = (6, 4), (3, 2)
LINES, LINE_CHARS = 3, 110

_DRAGGED_TO, _DRAGGED_SIZE = re.compile(r"place ([0-9]{1,3})"), re.compile(r"size ([0-9]{1,2}) ([0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class CardServed:
    """A card with what it shows to somebody now: rows that are supplied, or why there are none.

    It `is_hidden` where they do not see its source, or as viewers see no rows of SQL whose owner writes none on the source
    any more (`is_unwritten`), and `is_gone` where what it shows is. `value_problem` says which value it
    needs.
    """

    card: Card
    supplied: Supplied | None = None
    is_hidden: bool = False
    is_gone: bool = False
    is_unwritten: bool = False
    value_problem: str = ""


# ---------------------------------------------------------------- dashboards


@transaction.atomic
def dashboard_make(owner: User, name: str, description: str = "") -> Dashboard:
    """Make an empty dashboard."""
    made = Dashboard.objects.create(owner=owner, name=_line(name) or "Dashboard", description=description)
    record("made a dashboard", made, by=owner)
    return made


def dashboard_change(dashboard: Dashboard, *, name: str, description: str, refresh_minutes: int) -> None:
    """Name it, describe it, and say how often its rows are read anew."""
    dashboard.name, dashboard.description = _line(name) or dashboard.name, description
    dashboard.refresh_minutes = refresh_minutes
    dashboard.save()


@transaction.atomic
def dashboard_share(dashboard: Dashboard, teams: Iterable[Team], by: User) -> None:
    """Share with exactly these of the teams that `by` is in; others stay as they are."""
    record("shared a dashboard", dashboard, by=by, teams=teams_share(dashboard, teams, by))


@transaction.atomic
def dashboard_delete(dashboard: Dashboard) -> None:
    """Let a dashboard go with its cards. Saved SQL and runs stay."""
    pk = dashboard.pk
    dashboard.delete()
    dashboard.pk = pk  # which is gone from the store, and named in the audit
    record("deleted a dashboard", dashboard)


# ---------------------------------------------------------------- cards


def card_add_saved(dashboard: Dashboard, saved: SavedSql, title: str = "", shows: str = "") -> Card:
    """Put saved SQL on a dashboard. Raises: DashboardError when it is full."""
    return _add(
        dashboard, Card.Kind.SAVED, title or saved.name, shows, saved=saved, source_id=saved.source_id
    )


def card_add_version(
    dashboard: Dashboard,
    version: Version,
    title: str = "",
    shows: str = "",
    pivot: PivotWish | None = None,
) -> Card:
    """Put what a run shows on a dashboard: its SQL as it is now, with the values it ran with as defaults, and a pivot of its rows. Raises: DashboardError."""
    run = version.run
    parameters = [
        {**one, "default": str(version.arguments.get(one["name"], one.get("default") or ""))}
        for one in version.parameters or (run.saved.parameters if run.saved is not None else ())
    ]
    question = version.title or run.question or run.asked
    chart, saying = version.chart, version.draft_saying
    if not title or title == _line(row_said(version, "title")):  # nobody typed another
        title = version.title
        saying |= {"title": version.saying["title"]} if "title" in version.saying else {}
    if pivot is not None and version.result is not None:
        chart = chart_pivoted(chart, pivot, version.result)
    card = _add(
        dashboard,
        Card.Kind.SQL,
        title or version.title or headed(run.question or run.named, version),
        shows,
        run=run,
        source=run.thread.source,
        sql=version.sql,
        parameters=parameters,
        chart=chart,
        question=question,
        draft=version.draft,
        saying=saying,
    )
    with suppress(ParameterError):  # the card says which value it needs
        supply_begin(dashboard.owner, _wish(card, sql_fed(card, {})), version.result)
    return card


def card_add_explored(
    dashboard: Dashboard, source: Source, part: Explored, title: str = "", shows: str = ""
) -> Card:
    """Put a part of a source's overview on a dashboard. Raises: DashboardError when it is full."""
    asked = {"sql": part.sql, "question": part.question, "source_id": source.pk}
    return _add(dashboard, Card.Kind.SQL, title or part.question, shows, **asked)


def card_add_text(dashboard: Dashboard, title: str, text: str) -> Card:
    """Put a text on a dashboard. Raises: DashboardError when it is full, or there is no text."""
    if not title.strip() and not text.strip():
        raise DashboardError(_("Type a title or a text."))
    return _add(dashboard, Card.Kind.TEXT, title, "", text=str(storable(text)))


@transaction.atomic
def _add(dashboard: Dashboard, kind: Card.Kind, title: str, shows: str, **fields: Any) -> Card:
    Dashboard.objects.select_for_update().get(pk=dashboard.pk)
    if dashboard.cards.count() >= CARDS:
        raise DashboardError(
            _("“%(dashboard)s” has %(count)s cards, which is the most. Put it on another dashboard.")
            % {"dashboard": dashboard, "count": CARDS}
        )
    last = dashboard.cards.aggregate(last=Max("place"))["last"] or 0
    width, height = _size(kind, shows, fields)
    card = Card.objects.create(
        dashboard=dashboard,
        kind=kind,
        place=last + 1,
        title=_line(title),
        shows=shows,
        width=width,
        height=height,
        **fields,
    )
    _touch(dashboard)
    return card


def _size(kind: Card.Kind, shows: str, fields: Mapping[str, Any]) -> tuple[int, int]:
    if kind == Card.Kind.TEXT:
        lines = sum(1 + len(line) // LINE_CHARS for line in fields["text"].split("\n"))
        return COLUMNS, min(TALLEST, 1 + lines // LINES)
    saved = fields.get("saved")
    chart = (saved.chart if saved is not None else fields.get("chart")) or {}
    is_number = chart.get("mark") == "number" and shows == Card.Shows.BEST
    return NUMBER_SIZE if is_number or shows in (Card.Shows.NUMBER, Card.Shows.CHANGE) else SIZE


def card_change(card: Card, *, title: str, shows: str = "", text: str = "") -> None:
    """Name a card, and say what it shows. A title that stands as it was said keeps its parts."""
    if title == selectors.title_said(card):
        title = card.title
    card.title, card.shows, card.text = _line(title), shows, str(storable(text))
    card.save(update_fields=["title", "shows", "text"])
    _touch(card.dashboard)


def card_move(card: Card, to: str) -> None:
    """Move a card one place on or back, or make it a column or a row larger or smaller. Raises: DashboardError.

    One that was dragged is told its place, counted from 1, or its size: `place 3`, `size 6 4`.
    """
    sizes = {
        "wider": ("width", min(COLUMNS, card.width + 1)),
        "narrower": ("width", max(NARROWEST, card.width - 1)),
        "taller": ("height", min(TALLEST, card.height + 1)),
        "shorter": ("height", max(1, card.height - 1)),
    }
    if to in sizes:
        name, size = sizes[to]
        setattr(card, name, size)
        card.save(update_fields=[name])
    elif to in ("earlier", "later"):
        _place(card, lambda now: now + (-1 if to == "earlier" else 1))
    elif place := _DRAGGED_TO.fullmatch(to):
        _place(card, lambda now: int(place[1]) - 1)
    elif sides := _DRAGGED_SIZE.fullmatch(to):
        card.width = min(COLUMNS, max(NARROWEST, int(sides[1])))
        card.height = min(TALLEST, max(1, int(sides[2])))
        card.save(update_fields=["width", "height"])
    else:
        raise DashboardError(_("A card cannot be moved like that."))
    _touch(card.dashboard)


@transaction.atomic
def _place(card: Card, to: Callable[[int], int]) -> None:
    """Put a card at another place among its neighbours, counted from 0; places are made anew, whatever they were."""
    Dashboard.objects.select_for_update().get(pk=card.dashboard_id)
    order = list(card.dashboard.cards.order_by("place", "pk"))
    now = next(n for n, one in enumerate(order) if one.pk == card.pk)
    then = min(len(order) - 1, max(0, to(now)))
    order.insert(then, order.pop(now))
    for place, one in enumerate(order, 1):
        one.place = place
    Card.objects.bulk_update(order, ["place"])


def card_remove(card: Card) -> None:
    """Take a card off its dashboard. The thing it shows stays."""
    card.delete()
    _touch(card.dashboard)


def _touch(dashboard: Dashboard) -> None:
    Dashboard.objects.filter(pk=dashboard.pk).update(updated_at=timezone.now())


def _line(text: str) -> str:
    return one_line(str(storable(text)), NAME_CHARS)


# ---------------------------------------------------------------- what cards show


def cards_serve(
    user: User,
    dashboard: Dashboard,
    cards: list[Card],
    values: Mapping[str, str],
    asked: set[int] | None = None,
) -> list[CardServed]:
    """Give each card its rows for somebody with these values. A worker reads rows that were never read, of all cards or those `asked` for."""
    sources = selectors.sources_seen(user, cards)
    saved = selectors.saved_seen(dashboard.owner, cards)
    run = selectors.cards_run(user, cards)
    served: dict[int, CardServed] = {}
    wishes: dict[int, Wish] = {}
    for card in cards:
        if card.kind == Card.Kind.TEXT:
            served[card.pk] = CardServed(card)
        elif card.source_id is None or (card.kind == Card.Kind.SAVED and card.saved_id not in saved):
            served[card.pk] = CardServed(card, is_gone=True)
        elif card.source_id not in sources:
            served[card.pk] = CardServed(card, is_hidden=True)
        elif card.pk not in run:
            served[card.pk] = CardServed(card, is_hidden=True, is_unwritten=True)
        else:
            try:
                wishes[card.pk] = _wish(card, sql_fed(card, values), asked is None or card.pk in asked)
            except ParameterError as error:
                served[card.pk] = CardServed(card, value_problem=str(error))
    for card, supplied in zip(
        (card for card in cards if card.pk in wishes),
        wishes_supply(user, list(wishes.values())),
        strict=True,
    ):
        served[card.pk] = CardServed(card, supplied)
    return [served[card.pk] for card in cards]


def _wish(card: Card, sql: str, is_asked: bool = True) -> Wish:
    question, chart = card.question, card.chart
    if card.saved is not None:
        question, chart = card.saved.question or card.saved.name, card.saved.chart
    assert card.source is not None
    is_drawn = card.shows not in (Card.Shows.TABLE, Card.Shows.PIVOT, Card.Shows.NUMBER, Card.Shows.CHANGE)
    return Wish(card.source, sql, question, chart, is_drawn, is_asked)


def cards_refresh(user: User, served: Iterable[CardServed]) -> int:
    """Have the rows of cards read anew; says how many statements that are."""
    supplies: dict[int, Supply] = {}
    for one in served:
        if one.supplied is not None and one.supplied.supply is not None:
            supplies[one.supplied.supply.pk] = one.supplied.supply
    return supplies_refresh(user, supplies.values())


def card_stop(user: User, served: CardServed) -> None:
    """Stop reading the rows of a card, if somebody asked for them themselves."""
    supply = served.supplied.supply if served.supplied is not None else None
    if supply is not None and selectors.may_stop(user, supply):
        supply_stop(supply)


def dashboards_refresh_due() -> int:
    """Have the rows of each dashboard read anew whose time has come, with the values its cards begin with; says how many dashboards."""
    now, count = timezone.now(), 0
    due = Dashboard.objects.filter(refresh_minutes__gt=0, owner__is_active=True).select_related("owner")
    for dashboard in due:
        since = now - timedelta(minutes=dashboard.refresh_minutes)
        late = Q(refreshed_at=None) | Q(refreshed_at__lte=since)
        if not Dashboard.objects.filter(late, pk=dashboard.pk).update(refreshed_at=now):
            continue
        served = cards_serve(dashboard.owner, dashboard, selectors.cards_of(dashboard), {})
        cards_refresh(dashboard.owner, served)
        count += 1
    return count


__all__ = [
    "CARDS",
    "CardServed",
    "DashboardError",
    "card_add_explored",
    "card_add_saved",
    "card_add_text",
    "card_add_version",
    "card_change",
    "card_move",
    "card_remove",
    "card_stop",
    "cards_refresh",
    "cards_serve",
    "dashboard_change",
    "dashboard_delete",
    "dashboard_make",
    "dashboard_share",
    "dashboards_refresh_due",
]
