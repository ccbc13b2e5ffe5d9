"""The SQL page: tabs opened, typed into, run, saved, closed."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.asking import selectors as asked
from mirror.asking import services as asking
from mirror.asking.forms import SaveForm
from mirror.asking.models import Version
from mirror.people.requests import PersonRequest, is_id, search_typed, wants_fragment
from mirror.queries.values_typed import values_typed
from mirror.results.pages import TableWish
from mirror.results.pivot_pages import pivot_in, pivot_shown
from mirror.sources.models import Source
from mirror.sources.selectors import sources_asked
from mirror.sources.sight import seen_by
from mirror.workbench import selectors, services
from mirror.workbench.errors import TabChanged, WorkbenchError
from mirror.workbench.models import Tab
from mirror.workbench.pages import no_tab_page, tab_page


def _tab(request: PersonRequest, pk: int) -> Tab:
    return get_object_or_404(selectors.tabs_of(request.user), pk=pk)


def _version(request: PersonRequest, pk: int) -> tuple[Version, Tab]:
    """A version that ran in a tab, and that tab; one of a question has its own page."""
    found = get_object_or_404(asked.versions_visible_to(request.user), pk=pk)
    seen_by(request.user, found.run.thread.source)
    tab = selectors.tab_of(found)
    if tab is None:
        raise Http404(_("This SQL did not run in a tab."))
    return found, tab


def _at(tab: Tab, version: Version) -> str:
    """Give the address of a tab with this version shown, which may not be its newest."""
    return f"{reverse('workbench:tab', args=[tab.pk])}?version={version.number}"


def _source_sent(request: PersonRequest) -> Source | None:
    sent = request.POST.get("source", "")
    return sources_asked(request.user).filter(pk=int(sent)).first() if is_id(sent) else None


def _shown(request: PersonRequest, page: Any, status: int = 200) -> HttpResponse:
    template = "workbench/_work.html" if wants_fragment(request) else "workbench/tab.html"
    return render(request, template, {"page": page, "save_form": SaveForm.of(page.name)}, status=status)


@require_safe
def start(request: PersonRequest) -> HttpResponse:
    """The tab that was used last, or what can be opened."""
    tab = selectors.tab_last(request.user)
    if tab is not None:
        return redirect("workbench:tab", tab.pk)
    return render(request, "workbench/start.html", {"page": no_tab_page(request.user)})


@require_POST
def new(request: PersonRequest) -> HttpResponse:
    """Open a tab: on the source that was sent, else on the one used last, else on the first there is.

    A source that is not there for this person is refused: another database would answer in its place.
    """
    source = _source_sent(request)
    if source is None and request.POST.get("source"):
        raise Http404(_("There is no such source for you to query."))
    source = source or selectors.source_used(request.user)
    try:
        tab = services.tab_new(
            request.user,
            source or sources_asked(request.user).first(),
            request.POST.get("sql", ""),
            request.POST.get("title", ""),
        )
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect("workbench:start")
    return redirect("workbench:tab", tab.pk)


@require_safe
@vary_on_headers("HX-Request")
def tab(request: PersonRequest, pk: int) -> HttpResponse:
    """One tab. `?version=2` shows what an earlier SQL gave; `?q=` searches its tables."""
    found = _tab(request, pk)
    number = request.GET.get("version", "")
    page = tab_page(
        found,
        number=int(number) if is_id(number) else None,
        wish=TableWish.read(request.GET),
        search=search_typed(request),
    )
    return _shown(request, page)


@require_POST
def keep(request: PersonRequest, pk: int) -> HttpResponse:
    """Keep what was typed. 409 with the text that is kept, when another window kept another one since."""
    found = _tab(request, pk)
    sent = request.POST.get("revision", "")
    try:
        revision = services.tab_keep(found, request.POST.get("sql", ""), int(sent) if is_id(sent) else None)
    except TabChanged as error:
        kept = _tab(request, pk)
        return JsonResponse({"problem": str(error), "sql": kept.sql, "revision": kept.revision}, status=409)
    except WorkbenchError as error:
        return JsonResponse({"problem": str(error)}, status=422)
    if "application/json" not in request.headers.get("Accept", ""):
        messages.success(request, _("Your text is kept."))
        return redirect("workbench:tab", pk)
    return JsonResponse({"revision": revision, "label": services.tab_label(found)})


@require_POST
def run(request: PersonRequest, pk: int) -> HttpResponse:
    """Run the text of a tab, or `part` of it; the text is kept first. Rejected input stays in its form."""
    found = _tab(request, pk)
    sql = request.POST.get("sql", "")
    part, at = request.POST.get("part", ""), request.POST.get("at", "")
    try:
        services.tab_keep(found, sql)
        services.tab_run(
            found,
            part if part.strip() else found.sql,
            values_typed(request.POST),
            at=int(at) if is_id(at) and not part.strip() else None,
            every=request.POST.get("run") == "every",
        )
    except (WorkbenchError, asking.AskingError) as error:
        return _shown(request, tab_page(found, typed=sql, problem=str(error)), status=422)
    if not wants_fragment(request):
        return redirect("workbench:tab", pk)
    response = _shown(request, tab_page(_tab(request, pk)))
    response["HX-Replace-Url"] = reverse("workbench:tab", args=[pk])
    response["X-Mirror-Revision"] = str(found.revision)
    return response


@require_POST
def change(request: PersonRequest, pk: int) -> HttpResponse:
    """Name a tab, or choose its source."""
    found = _tab(request, pk)
    services.tab_change(found, request.POST.get("title", found.title), _source_sent(request))
    return redirect("workbench:tab", pk)


@require_POST
def close(request: PersonRequest, pk: int) -> HttpResponse:
    """Close a tab; its text is kept."""
    services.tab_close(_tab(request, pk))
    return redirect("workbench:start")


@require_POST
def reopen(request: PersonRequest, pk: int) -> HttpResponse:
    """Open a closed tab again."""
    try:
        services.tab_reopen(_tab(request, pk))
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect("workbench:start")
    return redirect("workbench:tab", pk)


# ---------------------------------------------------------------- what ran here


@require_safe
@vary_on_headers("HX-Request")
def version(request: PersonRequest, pk: int) -> HttpResponse:
    """The result of a version: working, or its table and chart, or what went wrong."""
    found, tab = _version(request, pk)
    if not wants_fragment(request):
        return redirect(_at(tab, found))
    return _follow(request, found, tab)


def _follow(request: PersonRequest, found: Version, tab: Tab) -> HttpResponse:
    page = tab_page(tab, number=found.number, wish=TableWish.read(request.GET), with_tree=False)
    if not found.is_ended and request.headers.get("X-Requested-With") == "mirror-run":
        return render(request, "asking/_version_now.html", {"version": page.version})
    response = render(request, "workbench/_work.html", {"page": page, "save_form": SaveForm.of(page.name)})
    if found.is_ended:
        response["X-Mirror-Ended"] = "1"
    return response


@require_POST
def version_stop(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop a statement in the database."""
    found, tab = _version(request, pk)
    asking.statement_stop(found)
    if not wants_fragment(request):
        return redirect(_at(tab, found))
    found.refresh_from_db()
    return _follow(request, found, tab)


@require_POST
def version_again(request: PersonRequest, pk: int) -> HttpResponse:
    """Run a version's SQL once more."""
    found, tab = _version(request, pk)
    try:
        asking.version_again(found)
    except asking.AskingError as error:
        return _shown(request, tab_page(tab, number=found.number, problem=str(error)), status=422)
    return _shown(request, tab_page(tab)) if wants_fragment(request) else redirect("workbench:tab", tab.pk)


@require_POST
def save(request: PersonRequest, pk: int) -> HttpResponse:
    """Keep a version's SQL in the library, and stay here."""
    found, tab = _version(request, pk)
    form = SaveForm(request.POST)
    here = _at(tab, found)
    if not form.is_valid():
        if request.headers.get("HX-Request"):
            context = {"version_url": reverse("workbench:version", args=[pk]), "save_form": form}
            return render(request, "asking/_save.html", context, status=422)
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect(here)
    try:
        saved = asking.version_save(
            found, pivot=pivot_shown(request.headers.get("HX-Current-URL", "")), **form.cleaned_data
        )
        words = _("Saved as “{}”. <a href='{}'>Open it</a> to share it or send it as a report.")
        messages.success(request, format_html(words, saved.name, reverse("library:saved", args=[saved.pk])))
    except asking.AskingError as error:
        messages.error(request, str(error))
    if request.headers.get("HX-Request"):
        pivot = urlencode(pivot_in(request.headers.get("HX-Current-URL", "")))
        return HttpResponse(status=204, headers={"HX-Redirect": f"{here}&{pivot}" if pivot else here})
    return redirect(here)
