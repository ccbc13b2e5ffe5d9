"""Pages of dashboards: list, look, arrange, add, let go."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.asking.models import Version
from mirror.asking.pages.words import heading_said
from mirror.dashboards import selectors, services
from mirror.dashboards.card_parameters import values_given
from mirror.dashboards.card_rows import supplies_refresh
from mirror.dashboards.crossing import (
    WHERE,
    Condition,
    cards_cross,
    conditions_read,
    where_carried,
)
from mirror.dashboards.errors import DashboardError
from mirror.dashboards.explore_pages import explore_page
from mirror.dashboards.exploring import Explored, overview_part, overview_parts, overview_serve
from mirror.dashboards.forms import AddForm, CardForm, DashboardForm, TextForm
from mirror.dashboards.models import Card, Dashboard
from mirror.dashboards.pages import (
    SCREEN,
    card_page,
    card_url,
    dashboard_page,
    dashboards_page,
)
from mirror.library.models import SavedSql
from mirror.people.requests import PersonRequest, is_id, posted_in, search_typed
from mirror.results.kept_pivots import chart_pivot
from mirror.results.pivot_pages import pivot_in, pivot_read
from mirror.sources.asked_views import source_asked
from mirror.sources.models import Source
from mirror.sources.selectors import ask_check
from mirror.stored_words import row_said

read_or_post = require_http_methods(["GET", "HEAD", "POST"])

PER_PAGE = 50
# Which cards are asked for; no parameter of SQL has a dash.
ONLY = "only-cards"


def _dashboard(request: PersonRequest, pk: int, *, to_change: bool = False) -> Dashboard:
    found = get_object_or_404(selectors.dashboards_visible(request.user), pk=pk)
    if to_change and not selectors.may_change(request.user, found):
        raise PermissionDenied(_("Only %(owner)s changes this dashboard.") % {"owner": found.owner})
    return found


def _card(request: PersonRequest, pk: int, *, to_change: bool = False) -> Card:
    found = get_object_or_404(selectors.cards_visible(request.user), pk=pk)
    if to_change and not selectors.may_change(request.user, found.dashboard):
        raise PermissionDenied(_("Only %(owner)s changes this dashboard.") % {"owner": found.dashboard.owner})
    return found


def _conditions(request: PersonRequest) -> list[Condition]:
    """Choices on cards, from the address."""
    return conditions_read(request.GET.getlist(WHERE))


def _values(request: PersonRequest, cards: list[Card]) -> dict[str, str]:
    """The values of an address for the parameters of cards, and whether these stand alone."""
    screen = {SCREEN: "1"} if request.GET.get(SCREEN) == "1" else {}
    return values_given(request.GET, cards) | screen


def _is_script(request: PersonRequest) -> bool:
    return "X-Requested-With" in request.headers


@require_safe
def dashboards(request: PersonRequest) -> HttpResponse:
    """List and search what one sees."""
    search = search_typed(request)
    found = Paginator(selectors.dashboards_listed(request.user, search), PER_PAGE)
    page = dashboards_page(found.get_page(request.GET.get("page")), search)
    return render(request, "dashboards/list.html", {"page": page})


@read_or_post
def new(request: PersonRequest) -> HttpResponse:
    """Make an empty dashboard."""
    form = DashboardForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        made = services.dashboard_make(request.user, typed["name"], typed["description"])
        services.dashboard_change(made, **typed)
        return redirect("dashboards:dashboard", made.pk)
    context = {"form": form, "dashboard": None}
    return render(request, "dashboards/settings.html", context, status=422 if form.is_bound else 200)


@read_or_post
def settings(request: PersonRequest, pk: int) -> HttpResponse:
    """Change name, description and how often rows are read anew."""
    found = _dashboard(request, pk, to_change=True)
    initial = {name: getattr(found, name) for name in ("name", "description", "refresh_minutes")}
    form = DashboardForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        services.dashboard_change(found, **form.cleaned_data)
        return redirect("dashboards:dashboard", pk)
    context = {"form": form, "dashboard": found}
    return render(request, "dashboards/settings.html", context, status=422 if form.is_bound else 200)


# ---------------------------------------------------------------- looking


@require_safe
def dashboard(request: PersonRequest, pk: int) -> HttpResponse:
    """A dashboard, with the values of its address."""
    return _shown(request, _dashboard(request, pk))


@require_safe
def edit(request: PersonRequest, pk: int) -> HttpResponse:
    """The same with buttons that move, size and remove cards."""
    return _shown(request, _dashboard(request, pk, to_change=True), editing=True)


def _shown(request: PersonRequest, found: Dashboard, *, editing: bool = False) -> HttpResponse:
    cards = selectors.cards_of(found)
    values = _values(request, cards)
    served = services.cards_serve(request.user, found, cards, values)
    crossing = cards_cross(served, _conditions(request))
    if editing:
        crossing = crossing.kept_aside()
    page = dashboard_page(request.user, found, served, values, crossing, editing=editing)
    return render(request, "dashboards/dashboard.html", {"page": page, "text_form": TextForm()})


@require_safe
def now(request: PersonRequest, pk: int) -> HttpResponse:
    """How chosen cards stand, as a fragment: for a page that waits, or whose values changed."""
    found = _dashboard(request, pk)
    every = selectors.cards_of(found)
    values = _values(request, every)
    wanted = {int(key) for key in request.GET.get(ONLY, "").split(",") if is_id(key)}
    conditions = _conditions(request)
    if not _is_script(request):
        return redirect(reverse("dashboards:dashboard", args=[pk]) + where_carried(values, conditions))
    is_editing = request.GET.get("is-editing") == "1"
    # The others say what can be chosen on these, and what was chosen.
    served = services.cards_serve(request.user, found, every, values, wanted)
    crossing = cards_cross(served, conditions, wanted)
    if is_editing:
        crossing = crossing.kept_aside()
    page = dashboard_page(request.user, found, served, values, crossing, editing=is_editing, only=wanted)
    return render(request, "dashboards/_now.html", {"page": page})


@require_safe
def card(request: PersonRequest, pk: int) -> HttpResponse:
    """One card that fills the page, with its rows."""
    found, conditions = _card(request, pk), _conditions(request)
    cards = selectors.cards_of(found.dashboard) if conditions else [found]
    values = _values(request, cards)
    every = services.cards_serve(request.user, found.dashboard, cards, values, {pk})
    crossing = cards_cross(every, conditions, {pk})
    page = card_page(request.user, next(one for one in every if one.card.pk == pk), values, crossing)
    return render(request, "dashboards/card.html", {"page": page})


@require_POST
def refresh(request: PersonRequest, pk: int) -> HttpResponse:
    """Read the rows of all cards anew."""
    found = _dashboard(request, pk)
    cards = selectors.cards_of(found)
    values = _values(request, cards)
    services.cards_refresh(request.user, services.cards_serve(request.user, found, cards, values))
    if _is_script(request):
        return HttpResponse(status=204)
    return redirect(reverse("dashboards:dashboard", args=[pk]) + where_carried(values, _conditions(request)))


@require_POST
def card_refresh(request: PersonRequest, pk: int) -> HttpResponse:
    """Read the rows of one card anew, and of those that show the same."""
    found = _card(request, pk)
    values = values_given(request.GET, [found])
    services.cards_refresh(request.user, services.cards_serve(request.user, found.dashboard, [found], values))
    if _is_script(request):
        return HttpResponse(status=204)
    return redirect(card_url(found, values, _conditions(request)))


@require_POST
def card_stop(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop reading the rows of a card that one asked for."""
    found = _card(request, pk)
    values = values_given(request.GET, [found])
    (served,) = services.cards_serve(request.user, found.dashboard, [found], values)
    services.card_stop(request.user, served)
    if _is_script(request):
        return HttpResponse(status=204)
    return redirect(card_url(found, values, _conditions(request)))


# ---------------------------------------------------------------- exploring


def _source(request: PersonRequest, pk: int) -> Source:
    return source_asked(request, pk)


@require_safe
def explore(request: PersonRequest, pk: int) -> HttpResponse:
    """A source's overview, made by itself."""
    source = _source(request, pk)
    found = overview_serve(request.user, source, overview_parts(source))
    return render(request, "dashboards/explore.html", {"page": explore_page(source, found)})


@require_safe
def explore_now(request: PersonRequest, pk: int) -> HttpResponse:
    """How chosen parts of an overview stand, as a fragment."""
    source = _source(request, pk)
    if not _is_script(request):
        return redirect("dashboards:explore", pk)
    wanted = request.GET.get(ONLY, "").split(",")
    parts = [part for part in overview_parts(source) if part.key in wanted]
    page = explore_page(source, overview_serve(request.user, source, parts))
    return render(request, "dashboards/_explore_now.html", {"page": page})


@require_POST
def explore_refresh(request: PersonRequest, pk: int) -> HttpResponse:
    """Read the rows of an overview anew, or those of one part."""
    source, key = _source(request, pk), request.GET.get("part", "")
    parts = [part for part in overview_parts(source) if key in ("", part.key)]
    found = overview_serve(request.user, source, parts)
    supplies_refresh(request.user, [one.supply for _, one in found if one.supply is not None])
    if _is_script(request):
        return HttpResponse(status=204)
    return redirect("dashboards:explore", pk)


# ---------------------------------------------------------------- adding and arranging


@read_or_post
def add(request: PersonRequest) -> HttpResponse:
    """Put what a run shows, or saved SQL, on a dashboard."""
    thing = _to_add(request)
    sent = posted_in(request)
    offered = selectors.dashboards_own(request.user)
    query = request.GET.copy()
    if sent is None and isinstance(thing, Version):  # a pivot that was looked at goes along
        query.update(dict(pivot_in(request.headers.get("Referer", ""))))
    pivot = pivot_read(query)
    initial = _initial(thing) | ({"shows": Card.Shows.PIVOT.value} if pivot is not None else {})
    form = AddForm(sent, offered=offered, initial=initial)
    if sent is not None and form.is_valid():
        typed = form.cleaned_data
        target = form.chosen() or services.dashboard_make(request.user, typed["name"])
        try:
            if isinstance(thing, SavedSql):
                made = services.card_add_saved(target, thing, typed["title"], typed["shows"])
            elif isinstance(thing, OfSource):
                made = services.card_add_explored(
                    target, thing.source, thing.part, typed["title"], typed["shows"]
                )
            else:
                made = services.card_add_version(target, thing, typed["title"], typed["shows"], pivot)
        except DashboardError as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request, _("“%(card)s” is on %(dashboard)s.") % {"card": made, "dashboard": target}
            )
            return redirect(card_url(made, {}))
    context = {"form": form, "title": _initial(thing)["title"], "query": query.urlencode()}
    return render(request, "dashboards/add.html", context, status=422 if form.is_bound else 200)


@dataclass(frozen=True, slots=True)
class OfSource:
    """A part of a source's overview."""

    source: Source
    part: Explored


def _to_add(request: PersonRequest) -> SavedSql | Version | OfSource:
    version, saved, source = (request.GET.get(name, "") for name in ("version", "saved", "explored"))
    found: SavedSql | Version | OfSource | None = None
    if is_id(version):
        found = selectors.version_to_add(request.user, int(version))
        if found is not None:
            ask_check(request.user, found.run.thread.source)
    elif is_id(saved):
        found = selectors.saved_to_add(request.user, int(saved))
    elif is_id(source):
        explored = _source(request, int(source))
        part = overview_part(explored, request.GET.get("part", ""))
        found = OfSource(explored, part) if part is not None else None
    if found is None:
        raise Http404(_("There is nothing to add."))
    return found


def _initial(thing: SavedSql | Version | OfSource) -> dict[str, str]:
    if isinstance(thing, OfSource):
        return {"title": thing.part.title_said, "shows": thing.part.shows}
    shows = {"shows": Card.Shows.PIVOT.value} if chart_pivot(thing.chart) else {}
    if isinstance(thing, SavedSql):
        return {"title": thing.name} | shows
    run = thing.run
    return {
        "title": row_said(thing, "title")[:120] or heading_said(run.question or run.named, thing, 120)
    } | shows


@require_POST
def text(request: PersonRequest, pk: int) -> HttpResponse:
    """Put a text on a dashboard."""
    found = _dashboard(request, pk, to_change=True)
    form = TextForm(request.POST)
    if form.is_valid():
        try:
            made = services.card_add_text(found, **form.cleaned_data)
        except DashboardError as error:
            form.add_error(None, str(error))
        else:
            return redirect(reverse("dashboards:edit", args=[pk]) + f"#card-{made.pk}")
    context = {"form": form, "dashboard": found, "card": None}
    return render(request, "dashboards/card_form.html", context, status=422)


@read_or_post
def card_change(request: PersonRequest, pk: int) -> HttpResponse:
    """Name a card, and choose what it shows."""
    found = _card(request, pk, to_change=True)
    kind = TextForm if found.kind == Card.Kind.TEXT else CardForm
    initial = {"title": selectors.title_said(found), "text": found.text, "shows": found.shows}
    form = kind(posted_in(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        services.card_change(found, **form.cleaned_data)
        return redirect(reverse("dashboards:edit", args=[found.dashboard_id]) + f"#card-{pk}")
    context = {"form": form, "dashboard": found.dashboard, "card": found}
    return render(request, "dashboards/card_form.html", context, status=422 if form.is_bound else 200)


@require_POST
def card_move(request: PersonRequest, pk: int) -> HttpResponse:
    """Move a card on or back, or change its size."""
    found = _card(request, pk, to_change=True)
    try:
        services.card_move(found, request.POST.get("to", ""))
    except DashboardError as error:
        return HttpResponse(str(error), status=422, content_type="text/plain; charset=utf-8")
    if _is_script(request):
        return JsonResponse({"width": found.width, "height": found.height})
    return redirect(reverse("dashboards:edit", args=[found.dashboard_id]) + f"#card-{pk}")


@require_POST
def card_remove(request: PersonRequest, pk: int) -> HttpResponse:
    """Take a card off its dashboard."""
    found = _card(request, pk, to_change=True)
    services.card_remove(found)
    messages.success(request, _("“%(card)s” is off this dashboard.") % {"card": found})
    values = _values(request, selectors.cards_of(found.dashboard))
    carried = where_carried(values, _conditions(request))
    return redirect(reverse("dashboards:edit", args=[found.dashboard_id]) + carried)


# ---------------------------------------------------------------- the whole of it


@read_or_post
def delete(request: PersonRequest, pk: int) -> HttpResponse:
    """Let a dashboard go, after asking once."""
    found = _dashboard(request, pk, to_change=True)
    if request.method == "POST":
        services.dashboard_delete(found)
        messages.success(request, _("%(name)s is gone.") % {"name": found.name})
        return redirect("dashboards:list")
    return render(request, "dashboards/delete.html", {"dashboard": found})
