"""Pages to connect sources, look into them, share them and let them go."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.people.forms import ShareForm
from mirror.sources import selectors, services
from mirror.sources.drift import drift_words
from mirror.sources.forms import SourceForm, form_for
from mirror.sources.models import Source
from mirror.sources.pages import TABLES_SHOWN, SourcePage, column_names, table_blocks
from mirror.sources.powers import powers_of, powers_told

read_or_post = require_http_methods(["GET", "HEAD", "POST"])


def _posted(request: HttpRequest) -> QueryDict | None:
    """What was typed; None when nothing was sent yet, so that an empty form is not full of errors."""
    return request.POST if request.method == "POST" else None


def _source(request: HttpRequest, pk: int, *, to_change: bool = False) -> Source:
    source = get_object_or_404(selectors.sources_visible(request.user), pk=pk)
    if to_change and not selectors.may_change(request.user, source):
        raise PermissionDenied(f"Only {source.owner} changes this source.")
    return source


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """List the sources one may ask about."""
    found = selectors.sources_visible(request.user).select_related("owner").prefetch_related("teams")
    return render(request, "sources/list.html", {"sources": found})


@require_safe
def source(request: HttpRequest, pk: int) -> HttpResponse:
    """Browse and search a source's catalog."""
    source = _source(request, pk)
    search = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    found = table_blocks(source.catalog, search)
    page = SourcePage(
        source=source,
        may_change=selectors.may_change(request.user, source),
        may_decide=selectors.may_decide(request.user, source),
        team_names=list(source.teams.values_list("name", flat=True)),
        search=search,
        tables=found[:TABLES_SHOWN],
        found=len(found),
        total=len((source.catalog or {}).get("tables", [])),
        index=selectors.index_state(source),
        is_held=services.source_is_held(source),
        powers=powers_of(source),
        may_confirm=selectors.may_confirm_powers(request.user),
    )
    return render(request, "sources/source.html", {"page": page})


@require_safe
def names(request: HttpRequest, pk: int) -> JsonResponse:
    """Give the names of tables and columns to the editor."""
    return JsonResponse({"tables": column_names(_source(request, pk).catalog)})


# ---------------------------------------------------------------- connecting and changing


def _engine(request: HttpRequest) -> Source.Engine:
    asked = request.GET.get("engine", Source.Engine.SQLITE)
    return Source.Engine(asked) if asked in Source.Engine.values else Source.Engine.SQLITE


@sensitive_post_parameters("password")
@read_or_post
def connect(request: HttpRequest) -> HttpResponse:
    """Connect a source: it is kept once it answers."""
    engine = _engine(request)
    form = form_for(engine)(_posted(request), instance=Source(engine=engine))
    if form.is_valid():
        try:
            source = services.source_connect(form.instance, request.user, confirmed=_confirmed(request))
        except services.SourceError as error:
            return _form_page(request, form, error)
        messages.success(request, f"{source.name} is connected.")
        return redirect("sources:source", source.pk)
    return _form_page(request, form)


@sensitive_post_parameters("password")
@read_or_post
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change a source: the change is kept once it answers."""
    source = _source(request, pk, to_change=True)
    form = form_for(source.engine, is_upload=source.is_upload)(_posted(request), instance=source)
    if form.is_valid():
        try:
            services.source_update(form.instance, request.user, confirmed=_confirmed(request))
        except services.SourceError as error:
            return _form_page(request, form, error)
        messages.success(request, f"{source.name} is changed.")
        return redirect("sources:source", source.pk)
    return _form_page(request, form)


def _confirmed(request: HttpRequest) -> bool:
    """Whether an administrator ticked that they know what the source's user could do."""
    return selectors.may_confirm_powers(request.user) and "confirm_powers" in request.POST


def _form_page(
    request: HttpRequest, form: SourceForm, error: services.SourceError | None = None
) -> HttpResponse:
    page = {
        "form": form,
        "source": form.instance,
        "name": form.initial.get("name", ""),
        "engines": Source.Engine.choices,
        "error": error,
        "powers": error.powers if isinstance(error, services.PowersRefused) else None,
        "may_confirm": selectors.may_confirm_powers(request.user),
    }
    return render(request, "sources/form.html", page, status=422 if form.is_bound else 200)


@sensitive_post_parameters("password")
@require_POST
def test(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Try what is in the form and tell what happened, in a fragment beside the button."""
    source = _source(request, pk, to_change=True) if pk is not None else Source(engine=_engine(request))
    form = form_for(source.engine, is_upload=source.is_upload)(request.POST, instance=source)
    if not form.is_valid():
        return _tested(request, form=form)
    try:
        check = services.source_test(form.instance, request.user)
    except services.SourceError as error:
        return _tested(request, error=error)
    told, is_refused = powers_told(check), services.powers_would_be_refused(check)
    return _tested(request, check=check, powers=told, is_refused=is_refused)


@require_POST
def confirm_powers(request: HttpRequest, pk: int) -> HttpResponse:
    """Take down that an administrator knows what a source's user could do beyond reading."""
    source = _source(request, pk)
    if not selectors.may_confirm_powers(request.user):
        raise PermissionDenied("Only administrators confirm what a source's user could do.")
    if "confirm_powers" in request.POST:
        services.source_powers_confirm(source, request.user)
        messages.success(request, f"What the user of {source.name} could do is confirmed.")
    else:
        messages.error(request, "Tick the box to confirm it.")
    return redirect("sources:source", pk)


def _tested(request: HttpRequest, **found: object) -> HttpResponse:
    """Tell one of three: the `form` cannot be tried, the `error` that came, or the `check` of a connection."""
    nothing = {"form": None, "error": None, "check": None, "powers": None, "is_refused": False}
    return render(request, "sources/_test.html", nothing | found)


@require_POST
def refresh(request: HttpRequest, pk: int) -> HttpResponse:
    """Read the catalog anew."""
    source, started = _source(request, pk), timezone.now().isoformat()
    try:
        catalog = services.catalog_refresh(source)
        is_changed = source.drift is not None and source.drift["at"] >= started
        found = f"Changed: {drift_words(source.drift)}." if is_changed else "Nothing has changed."
        count = len(catalog.tables)
        read = f"{count:,} tables were read" if count != 1 else "1 table was read"
        messages.success(request, f"{read}. {found} Stored values follow in a moment.")
    except services.SourceError as error:
        messages.error(request, f"The tables could not be read: {error} {error.advice}")
    return redirect("sources:source", source.pk)


@read_or_post
def share(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose the teams that see a source."""
    source = _source(request, pk, to_change=True)
    offered = selectors.teams_to_share_with(request.user)
    form = ShareForm(_posted(request), offered=offered, initial={"teams": source.teams.all()})
    if form.is_valid():
        services.source_share(source, form.cleaned_data["teams"], request.user)
        return redirect("sources:source", source.pk)
    status = 422 if form.is_bound else 200
    return render(request, "sources/share.html", {"form": form, "source": source}, status=status)


@read_or_post
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a source go, after asking once."""
    source = _source(request, pk, to_change=True)
    if request.method == "POST":
        services.source_delete(source)
        untouched = "" if source.is_upload else " The database itself was not touched."
        messages.success(request, f"{source.name} is gone from Mirror.{untouched}")
        return redirect("sources:list")
    return render(request, "sources/delete.html", {"source": source})
