"""Data of the pages of dashboards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.paginator import Page
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from mirror.asking.pages.version import figure_noted
from mirror.dashboards.card_parameters import Field, chart_of, fields_of, parameters_of, sql_of
from mirror.dashboards.crossing import (
    NOT_CROSSED,
    NOT_FILTERED,
    Condition,
    Crossed,
    Crossing,
    where_carried,
)
from mirror.dashboards.forms import EVERY
from mirror.dashboards.models import Card, Dashboard, Drawing, Supply
from mirror.dashboards.selectors import may_stop, title_said
from mirror.dashboards.services import CARDS, CardServed
from mirror.dashboards.setting import Settings, settings_of
from mirror.dashboards.where_pages import (
    WherePage,
    cells_linked,
    crossed_said,
    preview_passing,
    preview_pivoted,
    where_page,
)
from mirror.library.drafts import draft_said
from mirror.paging import Pager, pager_of
from mirror.phrases import counted, separated
from mirror.results.cells import Cell
from mirror.results.formats import alike_together, formats_of_chart, ranges_of_rows, rows_cells
from mirror.results.kept_pivots import pivot_table
from mirror.results.opened_files import ResultGone
from mirror.results.pages import SHOWN_COLUMNS, preview_cells
from mirror.results.rows import rows_of
from mirror.sources.selectors import may_ask
from mirror.stored_words import failure_said, row_said, said_again
from mirror.work.leases import Status

if TYPE_CHECKING:
    from mirror.dashboards.card_rows import Supplied
    from mirror.dashboards.exploring import Explored
    from mirror.people.models import User
    from mirror.sources.models import Source

# What an address says where cards stand alone.
SCREEN = "full-screen"
# Rows of a card that fills the page.
FULL_ROWS = 500
# Rows of a pivot on a card.
PIVOT_ROWS = 100
# Cells that stand under one number.
BESIDE = 3
# A card that is so wide takes half of a page of middling width, and a wider one all of it.
HALF = 4
NOTHING_SET: Settings = {}

_FAILED = {
    "refused": gettext_noop("This SQL was not run"),
    "timeout": gettext_noop("This took too long"),
    "cancelled": gettext_noop("Stopped"),
    "lost": gettext_noop("The database could not be reached"),
    "unkept": gettext_noop("The rows could not be kept"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a card's rows."""

    name: str
    is_number: bool


@dataclass(frozen=True, slots=True)
class NumberView:
    """One number, with what it is called, what stands beside it in its row, and how it changed."""

    name: str
    cell: Cell
    beside: tuple[tuple[str, Cell], ...] = ()
    change: str = ""


@dataclass(frozen=True, slots=True)
class CardView:
    """One card as somebody sees it now.

    `state` is text, ready, empty, working, failed, value (it needs one), hidden (its source is not shared), gone (what it shows
    is), expired, or refused (too much waits). It `is_refreshing` where older rows are shown until newer ones are there. `fed` are the parameters that
    feed it, and `carried` is the address's part that says their values. Rows of one that `is_pivot` are those of its pivot. `why_url` tells why its figure changed.
    """

    id: int | str
    kind: str
    title: str
    text: str
    question: str
    url: str
    refresh_url: str
    state: str
    width: int
    height: int
    is_narrow: bool
    fed: tuple[str, ...]
    carried: str
    source: str
    draft: str
    source_id: int | None = None
    saved_id: int | None = None
    run_id: int | None = None
    sql: str = ""
    opens_sql: bool = False
    why_url: str = ""
    words: str = ""
    advice: str = ""
    note: str = ""
    now: str = ""
    is_working: bool = False
    is_refreshing: bool = False
    stop_url: str = ""
    when: datetime | None = None
    number: NumberView | None = None
    figure: dict[str, Any] | None = None
    sentence: str = ""
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    more: str = ""
    is_cut: bool = False
    crossed: str = ""
    is_filtered: bool = False
    is_pivot: bool = False
    picks: str = ""
    sets: str = ""


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
            view = replace(view, **_nothing("expired"), is_refreshing=False)
        else:
            names = rows.columns[:SHOWN_COLUMNS]
            formats = formats_of_chart(chart_of(served.card))
            read = [row[: len(names)] for row in rows.rows]
            cells = rows_cells(names, read, formats, ranges_of_rows(names, read, formats))
            count = result.row_count if passing is None else passing.matching
            more = _more(count, len(cells), len(rows.columns) - len(names))
            view = replace(view, columns=_columns(names, cells), rows=cells, more=more)
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


def card_view(
    user: User,
    served: CardServed,
    values: Mapping[str, str],
    crossing: Crossing = NOT_CROSSED,
    settings: Settings = NOTHING_SET,
) -> CardView:
    """Lay out one card, under what was chosen on others; `settings` are the parameters that its columns give values of."""
    card, carried = served.card, where_carried(values, crossing.conditions)
    fed = tuple(str(one["name"]) for one in parameters_of(card))
    is_seen = card.source is not None and not served.is_hidden and not served.is_gone
    told = card.saved if card.saved is not None else card
    view = CardView(
        id=card.pk,
        kind=card.kind,
        title=title_said(card),
        text=card.text,
        question="",
        url=reverse("dashboards:card", args=[card.pk]),
        refresh_url=reverse("dashboards:card_refresh", args=[card.pk]),
        state="text",
        width=card.width,
        height=card.height,
        is_narrow=card.width <= HALF,
        fed=fed,
        carried=carried,
        source=card.source.name if card.source is not None and is_seen else "",
        source_id=card.source_id if is_seen else None,
        draft=draft_said(told.draft, told.saying),
        sql=sql_of(card) if is_seen else "",
        saved_id=card.saved_id if is_seen else None,
        run_id=card.run_id if card.dashboard.owner_id == user.pk else None,
    )
    if card.kind == Card.Kind.TEXT:
        return view
    if served.is_gone:
        return replace(view, state="gone", words=_gone(card))
    if served.is_unwritten:
        words = _("The author of this card’s SQL may no longer write SQL on its source.")
        return replace(view, state="hidden", words=words, advice=_("Ask the owner of the dashboard."))
    if served.is_hidden:
        words = _("The source of this card is not shared with you.")
        return replace(
            view, state="hidden", words=words, advice=_("Ask the owner of the dashboard to share it.")
        )
    if served.value_problem:
        return replace(view, state="value", words=served.value_problem)
    assert served.supplied is not None
    if served.supplied.supply is None:
        return replace(view, state="refused", words=served.supplied.refused)
    supply = served.supplied.supply
    if not supply.is_ended and not supply.stop_requested and may_stop(user, supply):
        view = replace(view, stop_url=reverse("dashboards:card_stop", args=[card.pk]))
    crossed = crossing.of(card.pk)
    view = _supplied(view, card, supply, served.supplied.drawing, crossed)
    preview = preview_passing(supply, crossed)
    if card.shows == Card.Shows.PIVOT and view.state == "ready":
        return _pivoted(view, card, supply, values, crossing, settings)
    linked, picks, sets = cells_linked(card.pk, view.rows, preview, values, crossing, settings)
    return replace(view, rows=linked, picks=picks, sets=sets)


def _pivoted(
    view: CardView,
    card: Card,
    supply: Supply,
    values: Mapping[str, str],
    crossing: Crossing,
    settings: Settings,
) -> CardView:
    """A card with the pivot that was saved with its SQL, of its rows or of those that others leave of them. Values of its rows lead on."""
    chart = chart_of(card)
    table = None
    if supply.result is not None:
        filters = dict(crossing.of(card.pk).filters)
        with suppress(ResultGone):
            table = pivot_table(supply.result, chart, formats_of_chart(chart), PIVOT_ROWS, filters)
    if table is None:
        return replace(
            view, figure=None, note=_("No pivot is saved with this SQL, or a column of it is gone.")
        )
    cells = alike_together(rows_cells(table.columns, table.rows, table.formats), len(table.along))
    own, preview = len(table.values), preview_pivoted(table)
    linked, _picks, _sets = cells_linked(
        card.pk, cells[:own], preview, values, crossing, settings, table.along
    )
    cells = (*linked, *cells[own:])
    more = _more(table.row_count, len(table.rows), 0)
    return replace(
        view,
        is_pivot=True,
        figure=None,
        columns=_columns(table.columns, cells),
        rows=cells,
        more=more,
        picks="",
        sets="",
    )


def _gone(card: Card) -> str:
    if card.source_id is None:
        return _("The source of this card is gone.")
    return _("The saved SQL of this card is gone, or no longer shared with the owner of this dashboard.")


def _supplied(
    view: CardView, card: Card, supply: Supply, drawing: Drawing | None, crossed: Crossed = NOT_FILTERED
) -> CardView:
    """A card for which rows are there, on their way, or could not be read."""
    result, is_working = supply.result, not supply.is_ended
    view = replace(
        view, is_working=is_working, is_refreshing=is_working and result is not None, now=_now(supply)
    )
    if supply.failure and not is_working:
        told = supply.failure
        title = _(_FAILED.get(str(told.get("kind", "")), gettext_noop("The database could not run this")))
        message, advice = (failure_said(told, name) for name in ("message", "advice"))
        view = replace(view, words=f"{title}: {message}", advice=advice)
        if result is None:
            return replace(view, state="failed")
    if result is None:
        return replace(view, **_nothing("working" if is_working else "expired"))
    preview, count = preview_passing(supply, crossed), result.row_count
    if crossed.passing is not None:
        count, drawing = crossed.passing.matching, crossed.drawing
    if not preview:  # rows of a run that are not drawn yet
        return replace(view, **_nothing("working" if is_working else "expired"))
    cells = preview_cells(preview, formats_of_chart(chart_of(card)))
    columns = _columns(preview["columns"], cells)
    view = replace(
        view,
        state="failed" if view.words else "ready" if count else "empty",
        when=result.created_at,
        columns=columns,
        rows=cells,
        more=_more(count, len(cells), preview["column_count"] - len(columns)),
        is_cut=result.truncated,
        crossed=crossed_said(crossed, supply),
        is_filtered=crossed.passing is not None,
    )
    if not count:
        return view
    return _shown(view, card, preview, count, drawing)


def _shown(
    view: CardView, card: Card, preview: dict[str, Any], count: int, drawing: Drawing | None
) -> CardView:
    """A card as its owner wants it shown, as far as its rows allow that; what they do not allow is said."""
    chart = (drawing.chart if drawing is not None else None) or {}
    wants_number = card.shows == Card.Shows.NUMBER or (
        card.shows == Card.Shows.BEST and chart.get("mark") == "number"
    )
    if wants_number and count == 1:
        return replace(view, number=_number(view, preview))
    if card.shows == Card.Shows.CHANGE:
        last = _last(view, preview) if count <= len(view.rows) else None
        if last is not None:
            return replace(view, number=last)
        return replace(view, note=_("A change needs some rows in their order, with a number each."))
    if card.shows == Card.Shows.NUMBER:
        words = ngettext(
            "One number needs one row; these are %(count)s row.",
            "One number needs one row; these are %(count)s rows.",
            count,
        )
        note = words % {"count": intcomma(count)}
        return replace(view, note=note)
    if drawing is None or drawing.figure is None:
        note = said_again(str(chart.get("note", "")), drawing.saying if drawing else {}, "note") or _(
            "No chart suits these rows."
        )
        return replace(
            view, note=note if drawing and (view.is_filtered or card.shows == Card.Shows.CHART) else ""
        )
    return replace(
        view,
        figure=figure_noted(drawing.figure, drawing.chart, drawing.saying),
        sentence=row_said(drawing, "sentence"),
    )


def _number(view: CardView, preview: dict[str, Any]) -> NumberView:
    cells = view.rows[0]
    kinds = preview.get("kinds", [])
    place = next((n for n, kind in enumerate(kinds[: len(cells)]) if kind in ("integer", "number")), 0)
    beside = tuple((view.columns[n].name, cell) for n, cell in enumerate(cells[: BESIDE + 1]) if n != place)
    cell = cells[place]
    return NumberView(
        view.columns[place].name, Cell(_("no value")) if cell.look == "null" else cell, beside[:BESIDE]
    )


def _last(view: CardView, preview: dict[str, Any]) -> NumberView | None:
    """The last number of rows in the order of their first column, and how it changed from the one before."""
    kinds, rows = preview.get("kinds", []), preview["rows"]
    place = next((n for n, kind in enumerate(kinds) if n and kind in ("integer", "number")), None)
    if place is None or len(rows) < 2:
        return None
    last, before = (-1, -2) if str(rows[0][0]) <= str(rows[-1][0]) else (0, 1)
    try:
        new, old = (Decimal(str(rows[n][place])) for n in (last, before))
    except InvalidOperation:
        return None
    figure = view.columns[place].name.replace("_", " ").strip()
    words = _("%(figure)s in %(period)s")
    name = words % {
        "figure": f"{figure[:1].upper()}{figure[1:]}",
        "period": _when(view.rows[last][0].text),
    }
    said = words % {"figure": view.rows[before][place].text, "period": _when(view.rows[before][0].text)}
    return NumberView(name, view.rows[last][place], (), _changed(new, old, said))


def _when(text: str) -> str:
    """A month in words; anything else as it is.

    Example:
        >>> _when("2026-10"), _when("2026-13"), _when("Q3")
        ('October 2026', '2026-13', 'Q3')
    """
    try:
        return date_format(datetime.strptime(text, "%Y-%m"), "F Y")
    except ValueError:
        return text


def _changed(new: Decimal, old: Decimal, said: str) -> str:
    """How a number changed, in words.

    Example:
        >>> _changed(Decimal(3), Decimal(2), "2 in May"), _changed(Decimal(1), Decimal(0), "0 in May")
        ('up 50 % from 2 in May', 'up from 0 in May')
    """
    if not (new.is_finite() and old.is_finite()) or new == old:
        return (_("as %(before)s") if new == old else _("before: %(before)s")) % {"before": said}
    is_up = new > old
    if not old:
        return (_("up from %(before)s") if is_up else _("down from %(before)s")) % {"before": said}
    share = abs((new - old) / old * 100)
    told = separated(f"{share:,.0f}" if share >= 10 else f"{share:.1f}".removesuffix(".0"))
    words = _("up %(share)s %% from %(before)s") if is_up else _("down %(share)s %% from %(before)s")
    return words % {"share": told, "before": said}


def _columns(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[Column, ...]:
    """Headings; one stands over its numbers."""
    looks = [
        next((row[n].look for row in rows if row[n].look != "null" and row[n].text), "")
        for n in range(len(names))
    ]
    return tuple(Column(name, look == "num") for name, look in zip(names, looks, strict=True))


def _nothing(state: str) -> dict[str, Any]:
    words = _("These rows are no longer kept.") if state == "expired" else ""
    return {"state": state, "words": words, "figure": None, "number": None, "rows": (), "columns": ()}


def _now(supply: Supply) -> str:
    """What rows that are on their way wait for."""
    if supply.is_ended:
        return ""
    if supply.stop_requested:
        return _("Stopping")
    if supply.waits_turn:
        return _("Waiting for its turn on this source")
    return _("Waiting for a worker") if supply.status == Status.QUEUED else _("The SQL is running")


def _more(count: int, is_shown: int, columns: int) -> str:
    """What a table leaves out."""
    rows = counted(count, "row")
    if count > is_shown:
        words = ngettext(
            "the first %(shown)s of %(count)s row", "the first %(shown)s of %(count)s rows", count
        )
        rows = words % {"shown": intcomma(is_shown), "count": intcomma(count)}
    if columns <= 0:
        return rows
    words = ngettext("%(count)s more column", "%(count)s more columns", columns)
    return f"{rows}, {words % {'count': intcomma(columns)}}"


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
    return _supplied(view, card, supplied.supply, supplied.drawing)


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
