"""Pages that tell why a figure changed: of an overview's part, and of an answer."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from mirror.asking.selectors import versions_visible_to
from mirror.dashboards.why import Why, value_asked, why_of_part, why_of_version, why_refresh, why_serve
from mirror.dashboards.why_pages import why_page
from mirror.people.requests import PersonRequest
from mirror.phrases import one_line
from mirror.sources.asked_views import source_asked
from mirror.sources.sight import seen_by

read_or_post = require_http_methods(["GET", "HEAD", "POST"])


@read_or_post
def explore_why(request: PersonRequest, pk: int) -> HttpResponse:
    """Why the figure of an overview's part changed; posting reads its rows anew."""
    here, back = reverse("dashboards:explore_why", args=[pk]), reverse("dashboards:explore", args=[pk])
    return _shown(request, _of_part(request, pk), here, back)


@require_safe
def explore_why_ask(request: PersonRequest, pk: int) -> HttpResponse:
    """The question of one value that such a change is made of."""
    return _asked(request, _of_part(request, pk))


@read_or_post
def why(request: PersonRequest, pk: int) -> HttpResponse:
    """Why the figure of an answer changed, by the version of its run; posting reads its rows anew.

    `of` names a period in words: the address then says its days instead, or what cannot be told.
    """
    found, back = _of_version(request, pk)
    here = reverse("dashboards:why", args=[pk])
    if named := request.GET.get("of", ""):
        return _of_named(request, found, named, here)
    return _shown(request, found, here, back)


def _of_named(request: PersonRequest, found: Why, named: str, here: str) -> HttpResponse:
    """Go to the change of the period that words name; to that of the last one, with a word about it, where they name none."""
    of = found.of(named)
    if of is None:
        words = one_line(named, 60)
        messages.info(
            request,
            _(
                "“%(words)s” is no period of this figure that has one before it, so the last two are compared. "
                "For a part of the figure, ask “only %(words)s” on its answer first, then “why?”."
            )
            % {"words": words},
        )
        return redirect(here)
    return redirect(f"{here}?{urlencode({'now': of.now.first, 'before': of.before.first})}")


@require_safe
def why_ask(request: PersonRequest, pk: int) -> HttpResponse:
    """The question of one value that such a change is made of."""
    return _asked(request, _of_version(request, pk)[0])


def _of_part(request: PersonRequest, pk: int) -> Why:
    source = source_asked(request, pk)
    return _between(request, why_of_part(source, request.GET.get("part", "")))


def _of_version(request: PersonRequest, pk: int) -> tuple[Why, str]:
    """The comparison of a version, and the address of its run. Its rows are read anew, so its source has to be visible still."""
    version = get_object_or_404(versions_visible_to(request.user), pk=pk)
    source_asked(request, version.run.thread.source_id)
    seen_by(request.user, version.run.thread.source)
    back = reverse("asking:run", args=[version.run_id]) + f"?version={version.number}"
    return _between(request, why_of_version(version)), back


def _between(request: PersonRequest, found: Why | None) -> Why:
    if found is None:
        raise Http404(_("No figure here has two periods to compare."))
    return found.between(request.GET.get("now", ""), request.GET.get("before", ""))


def _shown(request: PersonRequest, found: Why, here: str, back: str) -> HttpResponse:
    if request.method == "POST":
        why_refresh(request.user, found)
        return redirect(f"{here}?{request.GET.urlencode()}")
    part = request.GET.get("part", "")
    carried = {"part": part} if part else {}
    page = why_page(found, why_serve(request.user, found), here, f"{here}ask/", carried, back)
    if "X-Requested-With" not in request.headers:
        return render(request, "dashboards/why.html", {"page": page})
    response = render(request, "dashboards/_why.html", {"page": page})
    if not page.is_working:
        response["X-Mirror-Ended"] = "1"
    return response


def _asked(request: PersonRequest, found: Why) -> HttpResponse:
    asked = value_asked(found, why_serve(request.user, found), request.GET.get("value", ""))
    if asked is None:
        raise Http404(_("There is no such value in this change any more."))
    question, sql = asked
    if question:
        told = urlencode({"source": found.source.name, "q": question})
        return redirect(f"{reverse('asking:ask')}?{told}")
    return render(request, "dashboards/why_sql.html", {"source": found.source, "sql": sql})
