"""Words for SQL in an editor: changed as somebody types, and told. The editors of a run and of the SQL page send here."""

from __future__ import annotations

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST

from mirror.asking.services.rewriting import sql_change, sql_explain
from mirror.people.requests import PersonRequest, is_id, wants_fragment
from mirror.sources.models import Source
from mirror.sources.selectors import sources_visible

# Where a proposal is taken to by a page without scripts, by what the editor stands on.
TAKERS = {"tab": "workbench:keep", "run": "asking:edit"}


def _source(request: PersonRequest, pk: int) -> Source:
    return get_object_or_404(sources_visible(request.user), pk=pk)


def _sent(request: PersonRequest) -> tuple[str, int | None]:
    """The text as it stands in the editor, and the place of the cursor."""
    at = request.POST.get("at", "")
    return request.POST.get("sql", "").replace("\r\n", "\n"), int(at) if is_id(at) else None


def _editor(request: PersonRequest) -> dict[str, str | int]:
    """Where the SQL came from, for the way back. The page it names checks its rights itself."""
    place, pk = request.POST.get("place", ""), request.POST.get("place_id", "")
    if place not in TAKERS or not is_id(pk):
        raise Http404("There is no such editor.")
    return {"place": place, "place_id": int(pk), "taker": TAKERS[place]}


@require_POST
def change_sql(request: PersonRequest, pk: int) -> HttpResponse:
    """Propose the SQL of an editor changed as typed: for its script, else as a page with the old text and the new."""
    source, (sql, at) = _source(request, pk), _sent(request)
    typed = request.POST.get("words", "")
    proposal = sql_change(request.user, source, sql, at, typed)
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"sql": proposal.sql, "words": proposal.words})
    context = {"proposal": proposal, "old": sql, "typed": typed, **_editor(request)}
    return render(request, "asking/sql_change.html", context)


@require_POST
def explain_sql(request: PersonRequest, pk: int) -> HttpResponse:
    """Say what the SQL of an editor does."""
    source, (sql, at) = _source(request, pk), _sent(request)
    explanation = sql_explain(request.user, source, sql, at)
    if wants_fragment(request):
        return render(request, "asking/_explained.html", {"explanation": explanation})
    context = {"explanation": explanation, "sql": sql, **_editor(request)}
    return render(request, "asking/sql_explained.html", context)
