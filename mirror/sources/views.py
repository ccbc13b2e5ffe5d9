"""Pages to connect sources, look into them, share them and let them go."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.paging import pager_of
from mirror.people.requests import PersonRequest, posted_in, search_typed
from mirror.sources import selectors, services, visits
from mirror.sources.asked_views import source_asked
from mirror.sources.corrections import catalog_described
from mirror.sources.errors import NotTried, SourceError
from mirror.sources.form_pages import TestPage, form_page
from mirror.sources.forms import SourceForm, SourceShareForm, form_for
from mirror.sources.index_pages import index_page
from mirror.sources.logins import ENGINES
from mirror.sources.models import Source, Visit, WithheldRight
from mirror.sources.pages import (
    TABLES_A_PAGE,
    SourcePage,
    column_names,
    table_block,
    table_blocks,
    tables_found,
)
from mirror.sources.powers import powers_of
from mirror.sources.sight import catalog_shown, index_seen, seen_by, sight_now, whole_check
from mirror.sources.tunnels import SECRETS

read_or_post = require_http_methods(["GET", "HEAD", "POST"])


def _source(request: PersonRequest, pk: int, *, to_change: bool = False) -> Source:
    source = get_object_or_404(selectors.sources_visible(request.user), pk=pk)
    if to_change and not selectors.may_change(request.user, source):
        raise PermissionDenied(_("Only %(owner)s changes this source.") % {"owner": source.owner})
    return seen_by(request.user, source)


@require_safe
def sources(request: PersonRequest) -> HttpResponse:
    """List the sources one may ask about."""
    found = selectors.sources_visible(request.user).select_related("owner").prefetch_related("teams")
    return render(request, "sources/list.html", {"sources": found})


@require_safe
def source(request: PersonRequest, pk: int) -> HttpResponse:
    """Browse and search a source's catalog."""
    source = _source(request, pk)
    if not selectors.may_ask(request.user, source):
        return render(request, "sources/looked_at.html", {"source": source})
    search, sight = search_typed(request), sight_now(source)
    shown = catalog_shown(catalog_described(source), sight)
    found = Paginator(tables_found(shown, search), TABLES_A_PAGE).get_page(request.GET.get("page"))
    page = SourcePage(
        source=source,
        may_edit=selectors.may_edit(request.user, source),
        may_change=selectors.may_change(request.user, source),
        may_decide=selectors.may_decide(request.user, source),
        team_names=list(source.teams.values_list("name", flat=True)),
        search=search,
        tables=table_blocks(found, search),
        pager=pager_of(found, place="#tables", q=search),
        total=len((shown or {}).get("tables", [])),
        is_whole=not sight,
        withholds=bool(sight.withheld),
        login=sight.login.name,
        login_problem=sight.login.problem,
        may_give_logins=source.engine in ENGINES,
        index=index_page(index_seen(source)),
        is_held=services.source_is_held(source),
        powers=powers_of(source),
        may_confirm=selectors.may_confirm_powers(request.user),
    )
    return render(request, "sources/source.html", {"page": page})


@require_safe
def columns(request: PersonRequest, pk: int) -> HttpResponse:
    """The columns of one table, for a page on which it is opened; without scripts the page with that table alone."""
    source, key = source_asked(request, pk), request.GET.get("table", "")
    block = table_block(catalog_shown(catalog_described(source), sight_now(source)), key)
    if block is None:
        raise Http404(_("There is no such table."))
    if not request.headers.get("HX-Request"):
        return redirect(f"{reverse('sources:source', args=[source.pk])}?{urlencode({'q': key})}#tables")
    return render(request, "sources/_columns.html", {"table": block, "source_id": source.pk})


@require_safe
def names(request: PersonRequest, pk: int) -> JsonResponse:
    """Give the names of tables and columns to the editor."""
    source = source_asked(request, pk)
    return JsonResponse({"tables": column_names(catalog_shown(source.catalog, sight_now(source)))})


@require_safe
def values(request: PersonRequest, pk: int) -> HttpResponse:
    """How far the stored values of a source are read, for its page, which asks while reading goes on."""
    source = source_asked(request, pk)
    whole_check(request.user, source)
    if not request.headers.get("HX-Request"):
        return redirect("sources:source", source.pk)
    index = index_page(index_seen(source))
    return render(request, "sources/_values_read.html", {"index": index, "source_id": source.pk})


# ---------------------------------------------------------------- connecting and changing


def _engine(request: PersonRequest) -> Source.Engine:
    asked = request.GET.get("engine", Source.Engine.SQLITE)
    return Source.Engine(asked) if asked in Source.Engine.values else Source.Engine.SQLITE


@sensitive_post_parameters(*SECRETS)
@read_or_post
def connect(request: PersonRequest) -> HttpResponse:
    """Connect a source: a worker keeps it once it answers."""
    engine = _engine(request)
    form = form_for(engine)(posted_in(request), instance=Source(engine=engine))
    if form.is_valid():
        return _visit(request, Visit.Work.CONNECT, form)
    return _show_form(request, form)


@sensitive_post_parameters(*SECRETS)
@read_or_post
def edit(request: PersonRequest, pk: int) -> HttpResponse:
    """Change a source: a worker keeps the change once it answers."""
    source = _source(request, pk, to_change=True)
    form = form_for(source.engine, is_upload=source.is_upload)(posted_in(request), instance=source)
    if form.is_valid():
        return _visit(request, Visit.Work.CHANGE, form)
    return _show_form(request, form)


def _confirmed(request: PersonRequest) -> bool:
    """Whether an administrator ticked that they know what the source's user could do."""
    return selectors.may_confirm_powers(request.user) and "confirm_powers" in request.POST


def _visit(request: PersonRequest, work: str, form: SourceForm) -> HttpResponse:
    """Have a worker do what a form says, and follow it."""
    try:
        visit = _asked(request, work, form)
    except visits.VisitRefused as error:
        return _show_form(request, form, NotTried(str(error)))
    return redirect("sources:visit", visit.pk)


def _asked(request: PersonRequest, work: str, form: SourceForm) -> Visit:
    typed = {name: form.cleaned_data.get(name, "") for name in SECRETS}
    return visits.visit_ask(
        request.user, work, form.instance, form.typed_fields, typed, confirmed=_confirmed(request)
    )


def _show_form(request: PersonRequest, form: SourceForm, error: SourceError | None = None) -> HttpResponse:
    page = form_page(request.user, form, error)
    return render(request, "sources/form.html", {"page": page}, status=422 if form.is_bound else 200)


@sensitive_post_parameters(*SECRETS)
@require_POST
def test(request: PersonRequest, pk: int | None = None) -> HttpResponse:
    """Have what is in the form tried, and tell what happens in a fragment beside the button."""
    source = _source(request, pk, to_change=True) if pk is not None else Source(engine=_engine(request))
    form = form_for(source.engine, is_upload=source.is_upload)(request.POST, instance=source)
    if not form.is_valid():
        return render(request, "sources/_test.html", {"page": TestPage(form=form)})
    try:
        visit = _asked(request, Visit.Work.TEST, form)
    except visits.VisitRefused as error:
        page = TestPage(error=NotTried(str(error)))
        return render(request, "sources/_test.html", {"page": page})
    return render(request, "sources/_testing.html", {"visit": visit, "fingerprint": form.confirmed})


@require_POST
def confirm_powers(request: PersonRequest, pk: int) -> HttpResponse:
    """Take down that an administrator knows what a source's user could do beyond reading."""
    source = _source(request, pk)
    if not selectors.may_confirm_powers(request.user):
        raise PermissionDenied(_("Only administrators confirm what a source's user could do."))
    if "confirm_powers" in request.POST:
        services.source_powers_confirm(source, request.user)
        messages.success(
            request, _("The powers of the user of %(name)s are confirmed.") % {"name": source.name}
        )
    else:
        messages.error(request, _("Tick the box to confirm it."))
    return redirect("sources:source", pk)


@require_POST
def refresh(request: PersonRequest, pk: int) -> HttpResponse:
    """Have the catalog read anew."""
    source = source_asked(request, pk)
    whole_check(request.user, source)
    try:
        visit = visits.visit_ask(request.user, Visit.Work.REFRESH, source)
    except visits.VisitRefused as error:
        messages.error(request, str(error))
        return redirect("sources:source", pk)
    return redirect("sources:visit", visit.pk)


@read_or_post
def share(request: PersonRequest, pk: int) -> HttpResponse:
    """Choose the teams that see a source."""
    source = _source(request, pk, to_change=True)
    offered = selectors.teams_to_share_with(request.user)
    form = SourceShareForm(posted_in(request), offered=offered, source=source)
    if form.is_valid():
        services.source_share(source, form.cleaned_data["teams"], request.user)
        services.roles_give(source, form.roles(), request.user)
        for right in WithheldRight.Right:
            services.rights_withhold(source, right, form.cleaned_data[f"no_{right}"], request.user)
        shown = get_text_list([str(team) for team in form.cleaned_data["teams"]], _("and")) or _("no team")
        said = {"source": source.name, "teams": shown}
        messages.success(request, _("%(source)s is shared with %(teams)s.") % said)
        return redirect("sources:source", source.pk)
    status = 422 if form.is_bound else 200
    return render(request, "sources/share.html", {"form": form, "source": source}, status=status)


@read_or_post
def delete(request: PersonRequest, pk: int) -> HttpResponse:
    """Let a source go, after asking once."""
    source = _source(request, pk, to_change=True)
    if request.method == "POST":
        services.source_delete(source)
        words = _("%(source)s is gone from Mirror.")
        if not source.is_upload:
            words = _("%(source)s is gone from Mirror. The database itself was not touched.")
        messages.success(request, words % {"source": source.name})
        return redirect("sources:list")
    return render(request, "sources/delete.html", {"source": source})
