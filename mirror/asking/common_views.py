"""Parts that the views of asking share: finding what an address names, going to a run and showing it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from mirror.asking import selectors
from mirror.asking.forms import SaveForm
from mirror.asking.models import Run, Thread, Version
from mirror.people.requests import PersonRequest, is_id
from mirror.sources.sight import seen_by


def find_run(request: PersonRequest, pk: int) -> Run:
    """The run of this number that the person may work on. Raises: Http404, PermissionDenied where it may be looked at alone."""
    found = selectors.runs_visible_to(request.user).filter(pk=pk).first()
    found = found or _only_looked_at(selectors.runs_shared_with(request.user).filter(pk=pk))
    seen_by(request.user, found.thread.source)
    return found


def find_thread(request: PersonRequest, pk: int) -> Thread:
    """The thread of this number, as `find_run` finds a run."""
    found = selectors.threads_visible_to(request.user).filter(pk=pk).first()
    found = found or _only_looked_at(selectors.threads_shared_with(request.user).filter(pk=pk))
    seen_by(request.user, found.source)
    return found


def find_version(request: PersonRequest, pk: int) -> Version:
    """The version of this number, as `find_run` finds a run."""
    found = selectors.versions_visible_to(request.user).filter(pk=pk).first()
    found = found or _only_looked_at(selectors.runs_shared_with(request.user).filter(versions=pk))
    seen_by(request.user, found.run.thread.source)
    return found


def _only_looked_at(shared: QuerySet[Any]) -> Any:
    """Refuse to act on what a team may look at; anything else does not exist."""
    if shared.exists():
        raise PermissionDenied(_("This is shared with you to look at. Only who asked it works on it."))
    raise Http404(_("There is no such question or thread."))


def by_htmx(request: PersonRequest) -> bool:
    """Whether a part of a page is asked for, not a page."""
    return bool(request.headers.get("HX-Request"))


def to_run(request: PersonRequest, run: Run, rest: str = "") -> HttpResponse:
    """Go to a run, and `rest` of its address: by htmx without a reload where it asked, else by a redirect."""
    address = reverse("asking:run", args=[run.pk]) + rest
    if by_htmx(request):
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect(address)


def to_version(request: PersonRequest, version: Version) -> HttpResponse:
    """Go to a run with this version shown, which may not be its newest: the next button is pressed about it."""
    return to_run(request, version.run, f"?version={version.number}")


def version_of(run: Run, number: str) -> Version | None:
    """The version of a run with this number, else the one it shows now; None where it has none."""
    found = run.versions.filter(number=int(number)).first() if is_id(number) else None
    return found or run.versions.first()


def render_run(request: PersonRequest, page: Any, status: int = 200) -> HttpResponse:
    """Show a run: by htmx its answer, else the whole page."""
    template = "asking/_answer_now.html" if by_htmx(request) else "asking/run.html"
    return render(request, template, {"page": page, "save_form": SaveForm.of(page.name)}, status=status)
