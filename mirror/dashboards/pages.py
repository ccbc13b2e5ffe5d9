"""Data of the pages of dashboards: all of them, one with its cards, one card that fills the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.core.paginator import Page
from django.urls import reverse

from mirror.dashboards.card_pages import CardView, card_columns, card_view, more_said, nothing_shown
from mirror.dashboards.card_parameters import Field, chart_of, fields_of
from mirror.dashboards.crossing import (
    NOT_CROSSED,
    Condition,
    Crossing,
    where_carried,
)
from mirror.dashboards.forms import EVERY
from mirror.dashboards.models import Card, Dashboard
from mirror.dashboards.services import CARDS, CardServed
from mirror.dashboards.setting import settings_of
from mirror.dashboards.where_pages import (
    WherePage,
    where_page,
)
from mirror.paging import Pager, pager_of
from mirror.results.formats import formats_of_chart, ranges_of_rows, rows_cells
from mirror.results.opened_files import ResultGone
from mirror.results.pages import SHOWN_COLUMNS
from mirror.results.rows import rows_of
from mirror.sources.selectors import may_ask

if TYPE_CHECKING:
    from mirror.people.models import User

# Parameter of an address that shows the cards alone.
SCREEN = "full-screen"
# Rows of a card that fills the page.
FULL_ROWS = 500


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """A dashboard: fields for the values that its cards share, and the cards.

    `carried` is the part of the address that says the values and `where`, with its question mark. It `is_editing` where cards are moved, and
    `is_presented` where they stand alone in larger type.
    """

    dashboard: Dashboard
    cards: tuple[CardView, ...]
    fields: tuple[Field, ...]
    carried: str
    may_change: bool
    is_editing: bool
    is_full: bool
    most: int
    owner: str
    teams: tuple[str, ...]
    refreshed: str
    oldest: datetime | None
    where: WherePage
    is_presented: bool
    screen_url: str
    leave_url: str
    refresh_seconds: int


@dataclass(frozen=True, slots=True)
class CardPage:
    """One card that fills the page, with the dashboard it stands on."""

    card: CardView
    dashboard: Dashboard
    fields: tuple[Field, ...]
    carried: str
    may_change: bool
    where: WherePage
    is_presented: bool = False


@dataclass(frozen=True, slots=True)
class DashboardsPage:
    """Dashboards that somebody sees, a page at a time."""

    rows: list[Dashboard]
    search: str
    pager: Pager


def dashboards_page(found: Page[Dashboard], search: str) -> DashboardsPage:
    """Lay out one page of what a search found."""
    return DashboardsPage(list(found), search, pager_of(found, q=search))


def dashboard_page(
    user: User,
    dashboard: Dashboard,
    served: list[CardServed],
    values: Mapping[str, str],
    crossing: Crossing = NOT_CROSSED,
    *,
    editing: bool = False,
    only: set[int] | None = None,
) -> DashboardPage:
    """Lay out a dashboard for somebody, with all its cards or `only` some."""
    shown = [one for one in served if only is None or one.card.pk in only]
    settings = settings_of(served, crossing.columns)
    views = tuple(card_view(user, one, values, crossing, settings) for one in shown)
    times = [view.when for view in views if view.when is not None]
    return DashboardPage(
        dashboard=dashboard,
        cards=views,
        fields=tuple(fields_of([one.card for one in shown], values)),
        carried=where_carried(values, crossing.conditions),
        may_change=dashboard.owner_id == user.pk,
        is_editing=editing,
        is_full=len(views) >= CARDS,
        most=CARDS,
        owner=dashboard.owner.called,
        teams=tuple(sorted(team.name for team in dashboard.teams.all())),
        refreshed=str(EVERY.get(dashboard.refresh_minutes, "")) if dashboard.refresh_minutes else "",
        oldest=min(times) if times else None,
        where=where_page(served, values, crossing, settings),
        is_presented=SCREEN in values and not editing,
        screen_url=where_carried({**values, SCREEN: "1"}, crossing.conditions),
        leave_url=where_carried(
            {name: value for name, value in values.items() if name != SCREEN}, crossing.conditions
        )
        or "?",
        refresh_seconds=dashboard.refresh_minutes * 60,
    )


def card_page(
    user: User, served: CardServed, values: Mapping[str, str], crossing: Crossing = NOT_CROSSED
) -> CardPage:
    """Lay out one card as large as the page, with more of its rows."""
    dashboard, view = served.card.dashboard, card_view(user, served, values, crossing)
    result, crossed = _result(served), crossing.of(served.card.pk)
    if result is not None and view.state in ("ready", "failed") and not view.is_pivot:
        passing = crossed.passing
        try:
            rows = rows_of(result, FULL_ROWS)
            if passing is not None and passing.rows is not None:
                rows = replace(passing.rows, rows=passing.rows.rows[:FULL_ROWS])
        except ResultGone:
            view = replace(view, **nothing_shown("expired"), is_refreshing=False)
        else:
            names = rows.columns[:SHOWN_COLUMNS]
            formats = formats_of_chart(chart_of(served.card))
            read = [row[: len(names)] for row in rows.rows]
            cells = rows_cells(names, read, formats, ranges_of_rows(names, read, formats))
            count = result.row_count if passing is None else passing.matching
            more = more_said(count, len(cells), len(rows.columns) - len(names))
            view = replace(view, columns=card_columns(names, cells), rows=cells, more=more)
    if view.source_id is not None and served.card.source is not None:
        view = replace(view, opens_sql=may_ask(user, served.card.source))
    return CardPage(
        card=view,
        dashboard=dashboard,
        fields=tuple(fields_of([served.card], values)),
        carried=where_carried(values, crossing.conditions),
        may_change=dashboard.owner_id == user.pk,
        where=where_page([served], values, crossing, {}),
    )


def card_url(card: Card, values: Mapping[str, str], conditions: Iterable[Condition] = ()) -> str:
    """Where a card stands on its dashboard."""
    return (
        reverse("dashboards:dashboard", args=[card.dashboard_id])
        + where_carried(values, conditions)
        + f"#card-{card.pk}"
    )


def _result(served: CardServed) -> Any:
    supply = served.supplied.supply if served.supplied is not None else None
    return supply.result if supply is not None else None
