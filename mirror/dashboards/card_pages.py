"""Data of one card as somebody sees it now, on a dashboard, an overview or a link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from mirror.asking.pages.version import figure_noted
from mirror.dashboards.card_parameters import chart_of, parameters_of, sql_of
from mirror.dashboards.crossing import (
    NOT_CROSSED,
    NOT_FILTERED,
    Crossed,
    Crossing,
    where_carried,
)
from mirror.dashboards.models import Card, Drawing, Supply
from mirror.dashboards.number_pages import NumberView, change_view, number_view
from mirror.dashboards.selectors import may_stop, title_said
from mirror.dashboards.services import CardServed
from mirror.dashboards.setting import Settings
from mirror.dashboards.where_pages import (
    cells_linked,
    crossed_said,
    preview_passing,
    preview_pivoted,
)
from mirror.library.drafts import draft_said
from mirror.phrases import counted
from mirror.results.cells import Cell
from mirror.results.formats import alike_together, formats_of_chart, rows_cells
from mirror.results.kept_pivots import pivot_table
from mirror.results.opened_files import ResultGone
from mirror.results.pages import preview_cells
from mirror.stored_words import failure_said, row_said, said_again
from mirror.work.leases import Status

if TYPE_CHECKING:
    from mirror.people.models import User

# Rows of a pivot on a card.
PIVOT_ROWS = 100
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
    if (without_rows := _without_rows(view, served)) is not None:
        return without_rows
    assert served.supplied is not None and served.supplied.supply is not None
    supply = served.supplied.supply
    if not supply.is_ended and not supply.stop_requested and may_stop(user, supply):
        view = replace(view, stop_url=reverse("dashboards:card_stop", args=[card.pk]))
    crossed = crossing.of(card.pk)
    view = card_supplied(view, card, supply, served.supplied.drawing, crossed)
    preview = preview_passing(supply, crossed)
    if card.shows == Card.Shows.PIVOT and view.state == "ready":
        return _pivoted(view, card, supply, values, crossing, settings)
    linked, picks, sets = cells_linked(card.pk, view.rows, preview, values, crossing, settings)
    return replace(view, rows=linked, picks=picks, sets=sets)


def _without_rows(view: CardView, served: CardServed) -> CardView | None:
    """A card that has no rows to show, with the reason; None where it has."""
    if served.is_gone:
        return replace(view, state="gone", words=_gone(served.card))
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
    if served.supplied is not None and served.supplied.supply is None:
        return replace(view, state="refused", words=served.supplied.refused)
    return None


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
    more = more_said(table.row_count, len(table.rows), 0)
    return replace(
        view,
        is_pivot=True,
        figure=None,
        columns=card_columns(table.columns, cells),
        rows=cells,
        more=more,
        picks="",
        sets="",
    )


def _gone(card: Card) -> str:
    if card.source_id is None:
        return _("The source of this card is gone.")
    return _("The saved SQL of this card is gone, or no longer shared with the owner of this dashboard.")


def card_supplied(
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
        return replace(view, **nothing_shown("working" if is_working else "expired"))
    preview, count = preview_passing(supply, crossed), result.row_count
    if crossed.passing is not None:
        count, drawing = crossed.passing.matching, crossed.drawing
    if not preview:  # rows of a run that are not drawn yet
        return replace(view, **nothing_shown("working" if is_working else "expired"))
    cells = preview_cells(preview, formats_of_chart(chart_of(card)))
    columns = card_columns(preview["columns"], cells)
    view = replace(
        view,
        state="failed" if view.words else "ready" if count else "empty",
        when=result.created_at,
        columns=columns,
        rows=cells,
        more=more_said(count, len(cells), preview["column_count"] - len(columns)),
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
    """A card as its owner wants it shown, as far as its rows allow that. It says where they do not."""
    chart = (drawing.chart if drawing is not None else None) or {}
    names = [column.name for column in view.columns]
    wants_number = card.shows == Card.Shows.NUMBER or (
        card.shows == Card.Shows.BEST and chart.get("mark") == "number"
    )
    if wants_number and count == 1:
        return replace(view, number=number_view(names, view.rows[0], preview))
    if card.shows == Card.Shows.CHANGE:
        last = change_view(names, view.rows, preview) if count <= len(view.rows) else None
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


def card_columns(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[Column, ...]:
    """Headings; one stands over its numbers."""
    looks = [
        next((row[n].look for row in rows if row[n].look != "null" and row[n].text), "")
        for n in range(len(names))
    ]
    return tuple(Column(name, look == "num") for name, look in zip(names, looks, strict=True))


def nothing_shown(state: str) -> dict[str, Any]:
    """The fields of a card in a state that shows no rows."""
    words = _("These rows are no longer kept.") if state == "expired" else ""
    return {"state": state, "words": words, "figure": None, "number": None, "rows": (), "columns": ()}


def _now(supply: Supply) -> str:
    """State of rows on their way; empty when they have arrived."""
    if supply.is_ended:
        return ""
    if supply.stop_requested:
        return _("Stopping")
    if supply.waits_turn:
        return _("Waiting for its turn on this source")
    return _("Waiting for a worker") if supply.status == Status.QUEUED else _("The SQL is running")


def more_said(count: int, is_shown: int, columns: int) -> str:
    """Rows and columns that a table leaves out, in words."""
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
