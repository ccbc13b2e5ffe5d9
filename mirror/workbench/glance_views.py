"""The content of a source beside an editor: its tables as a tree, one table with its first rows, the plan of a statement."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.asking import services as asking
from mirror.people.requests import PersonRequest, is_id, search_typed, wants_fragment
from mirror.queries.values_typed import values_typed
from mirror.sources.asked_views import source_asked
from mirror.sources.models import Source
from mirror.workbench import glancing, selectors, services
from mirror.workbench.errors import WorkbenchError
from mirror.workbench.glance_pages import glance_view, peek_page
from mirror.workbench.models import Glance
from mirror.workbench.pages import tree_page


def _source(request: PersonRequest, pk: int) -> Source:
    return source_asked(request, pk)


def _glance(request: PersonRequest, pk: int) -> Glance:
    return get_object_or_404(selectors.glances_visible_to(request.user), pk=pk)


@require_safe
def tree(request: PersonRequest, pk: int) -> HttpResponse:
    """The tables of a source that a search finds, as a fragment."""
    page = tree_page(_source(request, pk), search_typed(request))
    if not wants_fragment(request):
        return redirect("sources:source", pk)
    return render(request, "workbench/_tables.html", {"tree": page})


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def peek(request: PersonRequest, pk: int) -> HttpResponse:
    """One table with what is known of its columns; sent to, its first rows are read."""
    source = _source(request, pk)
    key = (request.POST if request.method == "POST" else request.GET).get("table", "")
    try:
        glance = glancing.glance_rows(request.user, source, key) if request.method == "POST" else None
    except WorkbenchError as error:
        raise Http404(str(error)) from None
    page = peek_page(request.user, source, key, glance)
    if page is None:
        raise Http404(_("%(source)s has no such table.") % {"source": source.name})
    template = "workbench/_peek.html" if wants_fragment(request) else "workbench/peek.html"
    return render(request, template, {"page": page})


@require_POST
def explain(request: PersonRequest, pk: int) -> HttpResponse:
    """Ask the engine how it would run a statement of a tab."""
    tab = get_object_or_404(selectors.tabs_of(request.user), pk=pk)
    source = selectors.source_of(tab)
    if source is None:
        raise Http404(_("The source of this tab is not there for you."))
    sql, at = request.POST.get("sql", ""), request.POST.get("at", "")
    try:
        services.tab_keep(tab, sql)
        part = services.statement_meant(tab, request.POST.get("part", ""), int(at) if is_id(at) else None)
        glance = glancing.glance_plan(request.user, source, part, values_typed(request.POST))
    except WorkbenchError as error:
        words = {"state": "untaken", "title": "", "message": str(error), "advice": "", "tab_id": pk}
        template = "parts/_sql_problem.html" if wants_fragment(request) else "workbench/plan_problem.html"
        return render(request, template, words, status=422)
    if not wants_fragment(request):
        return redirect("workbench:glance", glance.pk)
    response = render(request, "workbench/_glance.html", {"glance": glance_view(glance)})
    response["X-Mirror-Revision"] = str(tab.revision)
    return response


@require_safe
@vary_on_headers("HX-Request")
def glance(request: PersonRequest, pk: int) -> HttpResponse:
    """How a glance stands, and what came of it."""
    found = _glance(request, pk)
    followed = request.headers.get("X-Requested-With") == "mirror-run"
    if followed and not found.is_ended:
        return render(request, "workbench/_glance_now.html", {"glance": glance_view(found)})
    template = "workbench/_glance.html" if wants_fragment(request) else "workbench/glance.html"
    response = render(request, template, {"glance": glance_view(found)})
    if found.is_ended:
        response["X-Mirror-Ended"] = "1"
    return response


@require_POST
def glance_stop(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop a glance, its statement in the database too."""
    found = _glance(request, pk)
    asking.statement_stop(found)
    if not wants_fragment(request):
        return redirect("workbench:glance", pk)
    found.refresh_from_db()
    return render(request, "workbench/_glance.html", {"glance": glance_view(found)})
