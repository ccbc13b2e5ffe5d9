"""Pages that follow a worker while it opens a database, and tell what came of it."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from mirror.people.requests import PersonRequest
from mirror.sources import services, visits
from mirror.sources.confined_reads import READ_WORDS
from mirror.sources.errors import KeyUnconfirmed, NotTried, PowersRefused, SourceError
from mirror.sources.form_pages import TestPage, form_page
from mirror.sources.forms import form_for
from mirror.sources.models import Source, Visit
from mirror.sources.powers import powers_read
from mirror.stored_words import translated
from mirror.tunnel_words import TUNNEL_WORDS

# Templates of the failures that visits keep in English.
_WORDS = (*TUNNEL_WORDS, *READ_WORDS)


@require_safe
def visit(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Follow a visit; once it has ended, lead on to the source or back to what was typed.

    A page that polls may ask once more while it is led on, when nothing is left to follow: 286 ends its polling.
    """
    try:
        visit = _visit(request, pk)
    except Http404:
        if request.htmx:
            return render(request, "sources/_over.html", status=286)
        raise
    visits.visit_look(visit)
    if visit.work == Visit.Work.TEST:
        return _tested(request, visit)
    if not visit.is_ended:
        if request.htmx and request.GET.get("was") == visit.status:
            return HttpResponse(status=204)
        return render(request, "sources/visit.html", {"visit": visit, "name": _name(visit)})
    if request.htmx:
        return HttpResponse(status=204, headers={"HX-Redirect": request.path})
    if visit.work == Visit.Work.LOGIN:
        return _login_given(request, visit)
    return _refreshed(request, visit) if visit.work == Visit.Work.REFRESH else _kept(request, visit)


@require_POST
def stop(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Have a visit ended before it is done."""
    visit = _visit(request, pk)
    visits.visit_stop(visit)
    return redirect("sources:visit", pk)


def _visit(request: PersonRequest, pk: UUID) -> Visit:
    return get_object_or_404(Visit.objects.select_related("source"), pk=pk, owner=request.user)


def _name(visit: Visit) -> str:
    return str(visit.source.name if visit.source else visit.wish.get("name", ""))


def _error(visit: Visit) -> SourceError | None:
    """The error, as services raise it."""
    said = visit.said
    if "error" not in said:
        return None
    if "fingerprint" in said:
        return KeyUnconfirmed(said["place"], said["fingerprint"])
    if "powers" in said:
        return PowersRefused(powers_read(said["powers"]))
    kind = NotTried if said.get("untried") else SourceError
    return kind(translated(said["error"], _WORDS), translated(said.get("advice", ""), _WORDS))


def _tested(request: PersonRequest, visit: Visit) -> HttpResponse:
    if not visit.is_ended:
        is_same = request.htmx and request.GET.get("was") == visit.status
        return (
            HttpResponse(status=204)
            if is_same
            else render(request, "sources/_testing.html", {"visit": visit, "fingerprint": ""})
        )
    return render(request, "sources/_test.html", {"page": _test_page(visit)})


def _test_page(visit: Visit) -> TestPage:
    error = _error(visit)
    if error is not None:
        return TestPage(error=error)
    told = powers_read(visit.said["powers"])
    is_refused = services.powers_would_be_refused(told)
    return TestPage(check=visit.said["check"], powers=told, is_refused=is_refused)


def _refreshed(request: PersonRequest, visit: Visit) -> HttpResponse:
    error, pk = _error(visit), visit.source_id
    visits.visit_forget(visit)
    if error is not None:
        messages.error(
            request, _("The tables could not be read: %(error)s") % {"error": f"{error} {error.advice}"}
        )
    else:
        count, changed = visit.said["tables"], visit.said["changed"]
        read = ngettext("%(count)s table was read.", "%(count)s tables were read.", count)
        found = _("Changed: %(changed)s.") % {"changed": changed} if changed else _("Nothing has changed.")
        follow = _("Stored values follow in a moment.")
        messages.success(request, f"{read % {'count': intcomma(count)}} {found} {follow}")
    return redirect("sources:source", pk)


def _login_given(request: PersonRequest, visit: Visit) -> HttpResponse:
    """Lead back to the logins, with what came of the one that was tried."""
    error, pk, username = _error(visit), visit.source_id, visit.wish["username"]
    visits.visit_forget(visit)
    if error is not None:
        messages.error(
            request,
            (
                _("The login %(login)s is not kept: %(error)s")
                % {"login": username, "error": f"{error} {error.advice}"}
            ).strip(),
        )
    else:
        messages.success(request, _("The login %(username)s works and is kept.") % {"username": username})
    return redirect("sources:logins", pk)


def _kept(request: PersonRequest, visit: Visit) -> HttpResponse:
    error = _error(visit)
    if error is not None:
        source = visits.visit_source(visit)
        form = form_for(source.engine, is_upload=source.is_upload)(instance=source)
        page = form_page(request.user, form, error, name=_name(visit))
        return render(request, "sources/form.html", {"page": page}, status=422 if form.is_bound else 200)
    made = Source.objects.filter(pk=visit.said["made"], owner=request.user).first()
    visits.visit_forget(visit)
    if made is None:
        return redirect("sources:list")
    words = _("%(source)s is connected.") if visit.work == Visit.Work.CONNECT else _("%(source)s is changed.")
    messages.success(request, words % {"source": made.name})
    return redirect("sources:source", made.pk)
