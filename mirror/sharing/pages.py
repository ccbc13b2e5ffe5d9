"""Data of the pages of sharing: one's links, and what a link shows to who is not signed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mirror.asking.pages.version import figure_noted
from mirror.dashboards.card_pages import CardView, card_view
from mirror.dashboards.card_parameters import fields_of
from mirror.dashboards.crossing import Condition, Crossed, Crossing, cards_cross_shown
from mirror.dashboards.showing import card_told
from mirror.dashboards.where_pages import WherePage, crossed_said, where_page
from mirror.results.formats import headings_called
from mirror.sharing import services
from mirror.sharing.models import ShareLink
from mirror.sharing.selectors import links_closed

if TYPE_CHECKING:
    from mirror.dashboards.services import CardServed
    from mirror.people.models import User

# States of cards that offer an action, which visitors by a link do not have.
_CLOSED = ("expired", "refused", "hidden", "gone", "failed", "value")


@dataclass(frozen=True, slots=True)
class LinkLine:
    """One link of a person. `state` is open, withheld, revoked or over; its `address` is shown while it is open."""

    id: UUID
    title: str
    kind: str
    state: str
    address: str
    until: datetime
    opened: str
    last: datetime | None
    page_url: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValueChoice:
    """A parameter whose listed values a reader of a link may choose from."""

    name: str
    label: str
    value: str
    listed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkBoard:
    """A dashboard as a link shows it; `is_waiting` while rows of a card are being read.

    `fixed` are the values that cards go by and a reader does not choose, each with its label. `where` says what was chosen on cards.
    """

    name: str
    description: str
    owner: str
    cards: tuple[CardView, ...]
    choices: tuple[ValueChoice, ...]
    fixed: tuple[tuple[str, str], ...]
    oldest: datetime | None
    is_waiting: bool
    where: WherePage


def link_lines(
    user: User, links: Iterable[ShareLink], absolute: Callable[[str], str]
) -> tuple[LinkLine, ...]:
    """Lay out links that somebody made; `absolute` makes an address of a path."""
    found = list(links)
    closed = links_closed(user, found)
    return tuple(_line(link, absolute, is_closed=link.pk in closed) for link in found)


def _line(link: ShareLink, absolute: Callable[[str], str], *, is_closed: bool) -> LinkLine:
    kind, page_url = _kind(link)
    state = _state(link, is_closed=is_closed)
    return LinkLine(
        id=link.pk,
        title=services.link_title(link),
        kind=kind,
        state=state,
        address=absolute(reverse("sharing:link", args=[services.link_token(link)]))
        if state == "open"
        else "",
        until=link.expires_at,
        opened=ngettext("opened %(count)s time", "opened %(count)s times", link.opened)
        % {"count": intcomma(link.opened)}
        if link.opened
        else _("never opened"),
        last=link.last_opened_at,
        page_url=page_url,
        values=tuple(f"{name}: {', '.join(listed)}" for name, listed in link.values.items()),
    )


def _state(link: ShareLink, *, is_closed: bool) -> str:
    if link.revoked_at is not None:
        return "revoked"
    if link.expires_at <= timezone.now():
        return "over"
    return "withheld" if is_closed else "open"


def _kind(link: ShareLink) -> tuple[str, str]:
    if link.version is not None:
        return _("A question"), reverse("asking:run", args=[link.version.run_id])
    if link.thread_id is not None:
        return _("A thread"), reverse("asking:thread", args=[link.thread_id])
    return _("A dashboard"), reverse("dashboards:dashboard", args=[link.dashboard_id])


def link_board(
    link: ShareLink, served: list[CardServed], values: dict[str, str], conditions: Sequence[Condition] = ()
) -> LinkBoard:
    """Lay out a dashboard for who has a link to it: no SQL, nothing to press but listed values and what filters stored rows."""
    assert link.dashboard is not None
    crossing = cards_cross_shown([one for one in served if _is_open(one)], conditions)
    views = tuple(_card(_as_shown(link.made_by, one, values, crossing)) for one in served)
    fields = fields_of([one.card for one in served if _is_open(one)], values)
    labels = {field.name: field.label for field in fields}
    choices = tuple(
        ValueChoice(name, labels.get(name, name), values[name], tuple(listed))
        for name, listed in link.values.items()
        if len(listed) > 1
    )
    chosen = {choice.name for choice in choices}
    fixed = tuple(
        (field.label, field.value or field.default)
        for field in fields
        if field.name not in chosen and (field.value or field.default)
    )
    times = [view.when for view in views if view.when is not None]
    owner = link.dashboard.owner
    return LinkBoard(
        name=link.dashboard.name,
        description=link.dashboard.description,
        owner=owner.called,
        cards=views,
        choices=choices,
        fixed=fixed,
        oldest=min(times) if times else None,
        is_waiting=any(view.is_working for view in views),
        where=where_page(served, values, crossing, {}),
    )


def _is_open(one: CardServed) -> bool:
    """Say whether the rows of a card are shown by a link, so that they can be filtered and filter others."""
    return not (one.is_hidden or one.is_gone or one.is_unwritten or one.value_problem)


def _as_shown(maker: User, one: CardServed, values: dict[str, str], crossing: Crossing) -> CardView:
    """A card with what a link tells of it; one that is no table never shows its rows in place of what it is."""
    crossed = crossing.of(one.card.pk)
    view, told = card_view(maker, one, values, crossing), card_told(one, crossed.matching, crossed.drawing)
    if not _is_open(one):
        view = replace(view, draft="")
    if not view.rows:
        return view
    assert one.supplied is not None and one.supplied.supply is not None
    if told.is_folded:
        view = replace(view, crossed=crossed_said(crossed, one.supplied.supply, is_counted=False))
    if told.form == "pivot" and view.is_pivot:
        return view
    if told.form == "number" and view.number is not None:
        return replace(view, columns=(), rows=(), picks="")
    if told.form == "table":
        return replace(_of_columns(view, told.columns), figure=None, sentence="")
    if told.form == "chart" and view.figure is not None:
        sentence = view.sentence if told.is_said else ""
        figure = figure_noted(told.figure, *_noted(one, crossed))
        return replace(_of_columns(view, told.columns), figure=figure, sentence=sentence)
    return replace(
        view, state="hidden", words="", note="", number=None, figure=None, columns=(), rows=(), picks=""
    )


def _noted(one: CardServed, crossed: Crossed) -> tuple[Any, Any]:
    """The chart of a card and what its texts are made of."""
    drawing = crossed.drawing if crossed.passing is not None else one.supplied and one.supplied.drawing
    return (drawing.chart, drawing.saying) if drawing else (None, {})


def _of_columns(view: CardView, columns: Sequence[int]) -> CardView:
    """A card with these of its columns alone; without any it has no rows."""
    places = [place for place in columns if place < len(view.columns)]
    rows = tuple(tuple(row[place] for place in places) for row in view.rows) if places else ()
    return replace(view, columns=tuple(view.columns[place] for place in places), rows=rows)


def _card(view: CardView) -> CardView:
    """A card without SQL, and without words about the source or on how to act on it."""
    view = replace(
        view, sql="", run_id=None, saved_id=None, source="", source_id=None, advice="", question=""
    )
    called = headings_called([column.name for column in view.columns])
    view = replace(
        view,
        columns=tuple(replace(one, name=words) for one, words in zip(view.columns, called, strict=True)),
    )
    if view.state in _CLOSED and not (view.rows or view.figure or view.number):
        return replace(view, state="hidden", words="The rows of this card cannot be shown now.")
    return replace(view, state="ready", words="") if view.state == "failed" else view
