"""Words for SQL in an editor: changed as somebody types, and told. The editors of a run and of the SQL page send here."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from mirror.asking.models import LlmAsk, LlmChange, LlmTelling
from mirror.asking.services import llm_asks, llm_changes, llm_tellings
from mirror.asking.services.rewriting import sql_change, sql_explain
from mirror.people.requests import PersonRequest, is_id, wants_fragment
from mirror.sources.asked_views import source_asked
from mirror.sources.models import Source
from mirror.sources.selectors import sources_visible
from mirror.sources.sight import read_in_sight

# Where a proposal is taken to by a page without scripts, by what the editor stands on.
TAKERS = {"tab": "workbench:keep", "run": "asking:edit"}
Row = TypeVar("Row", bound=LlmAsk)
WAITING = gettext_noop("The language model reads what you typed.")


def _source(request: PersonRequest, pk: int) -> Source:
    return source_asked(request, pk)


def _sent(request: PersonRequest) -> tuple[str, int | None]:
    """The text as it stands in the editor, and the place of the cursor."""
    at = request.POST.get("at", "")
    return request.POST.get("sql", "").replace("\r\n", "\n"), int(at) if is_id(at) else None


def _editor(request: PersonRequest) -> dict[str, str | int]:
    """Where the SQL came from, for the way back. The page it names checks its rights itself."""
    place, pk = request.POST.get("place", ""), request.POST.get("place_id", "")
    if place not in TAKERS or not is_id(pk):
        raise Http404(_("There is no such editor."))
    return {"place": place, "place_id": int(pk), "taker": TAKERS[place]}


@require_POST
def change_sql(request: PersonRequest, pk: int) -> HttpResponse:
    """Propose the SQL of an editor changed as typed: for its script, else as a page with the old text and the new.

    The language model of the source is asked where the rules leave something of it, or where it is wished for by `by=llm`.
    """
    source, (sql, at) = _source(request, pk), _sent(request)
    typed = request.POST.get("words", "")
    proposal = sql_change(request.user, source, sql, at, typed)
    llm = llm_asks.llm_asked(source) if proposal.is_askable else ""
    if llm and (proposal.is_left or request.POST.get("by") == "llm"):
        spent = llm_asks.llm_unasked(request.user, source)
        if not spent:
            editor = _editor(request)
            place = str(editor["place"]), int(editor["place_id"])
            change = llm_changes.llm_change_ask(request.user, source, sql, at, typed, proposal, place)
            return _llm_change_shown(request, change)
        proposal, llm = replace(proposal, words=f"{proposal.words} {spent}".strip()), ""
    if _is_script(request):
        return JsonResponse(
            {"sql": proposal.sql, "words": proposal.words, "llm": llm if proposal.sql else ""}
        )
    context = {
        "proposal": proposal,
        "old": sql,
        "typed": typed,
        "at": at,
        "source_id": pk,
        "llm": llm,
        **_editor(request),
    }
    return render(request, "asking/sql_change.html", context)


@require_safe
def llm_change(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Follow a change that a language model is asked for, then show what it proposes."""
    change = _llm_change(request, pk)
    llm_changes.llm_change_look(change)
    if not change.is_ended and request.htmx and request.GET.get("was") == change.status:
        return HttpResponse(status=204)
    return _llm_change_shown(request, change)


@require_POST
def llm_change_stop(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Stop asking."""
    llm_changes.llm_change_stop(_llm_change(request, pk))
    return redirect("asking:llm_change", pk)


def _llm_change(request: PersonRequest, pk: UUID) -> LlmChange:
    return _own(request, LlmChange, pk)


def _own(request: PersonRequest, model: type[Row], pk: UUID) -> Row:
    """A person's own question to a language model, while they see its source and the same is withheld from them."""
    seen = model._default_manager.filter(
        read_in_sight(request.user), owner=request.user, source__in=sources_visible(request.user)
    )
    return get_object_or_404(seen.defer("source__catalog"), pk=pk)


def _llm_change_shown(request: PersonRequest, change: LlmChange) -> HttpResponse:
    here = reverse("asking:llm_change", args=[change.pk])
    if _is_script(request):
        if not change.is_ended:
            return JsonResponse({"sql": "", "words": WAITING, "wait": here})
        return JsonResponse({"sql": change.said["sql"], "words": change.said["words"], "page": here})
    if request.method == "POST":
        return redirect(here)
    taker = TAKERS[change.place]
    context = {"change": change, "place": change.place, "place_id": change.place_id, "taker": taker}
    return render(request, "asking/llm_change.html", context | {"typed": change.wish, "old": change.text})


def _is_script(request: PersonRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


@require_POST
def explain_sql(request: PersonRequest, pk: int) -> HttpResponse:
    """Say what the SQL of an editor does, and offer the source's language model to say what it is for."""
    source, (sql, at) = _source(request, pk), _sent(request)
    explanation = sql_explain(request.user, source, sql, at)
    llm = llm_asks.llm_asked(source) if explanation.sql else ""
    spent = llm_asks.llm_unasked(request.user, source) if llm else ""
    context = {"explanation": explanation, "llm": llm, "spent": spent, "source_id": pk, "telling": None}
    if not wants_fragment(request):
        return render(request, "asking/sql_explained.html", {**context, "sql": sql, **_editor(request)})
    editor = _editor(request) if "place" in request.POST else {"place": ""}
    return render(request, "asking/_explained.html", context | editor)


@require_POST
def tell_sql(request: PersonRequest, pk: int) -> HttpResponse:
    """Ask the source's language model what a statement is for, as the rules told it."""
    source, editor = _source(request, pk), _editor(request)
    explanation = sql_explain(request.user, source, *_sent(request))
    if not explanation.sql or not llm_asks.llm_asked(source):
        raise Http404(_("There is no SQL to tell, or no language model that may be asked."))
    if spent := llm_asks.llm_unasked(request.user, source):
        return HttpResponse(spent, status=409, content_type="text/plain")
    place = str(editor["place"]), int(editor["place_id"])
    telling = llm_tellings.llm_telling_ask(request.user, source, explanation.sql, place)
    if not wants_fragment(request):
        return redirect("asking:llm_telling", telling.pk)
    return render(request, "asking/_llm_told.html", {"telling": telling})


@require_safe
def llm_telling(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Follow what a language model is asked about a statement, then show it beside what the rules tell."""
    telling = _own(request, LlmTelling, pk)
    llm_tellings.llm_telling_look(telling)
    if request.htmx:
        if not telling.is_ended and request.GET.get("was") == telling.status:
            return HttpResponse(status=204)
        return render(request, "asking/_llm_told.html", {"telling": telling})
    context = {
        "telling": telling,
        "explanation": sql_explain(request.user, telling.source, telling.text, None),
        "sql": telling.text,
        "place": telling.place,
        "place_id": telling.place_id,
    }
    return render(request, "asking/sql_explained.html", context)


@require_POST
def llm_telling_stop(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Stop asking."""
    llm_tellings.llm_telling_stop(_own(request, LlmTelling, pk))
    return redirect("asking:llm_telling", pk)
