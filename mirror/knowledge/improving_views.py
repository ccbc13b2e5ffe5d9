"""The page of a context that improves itself: start, follow, stop, and read every step."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from mirror.knowledge import selectors
from mirror.knowledge.improving import CALLS, improvement_ask, improvement_stop
from mirror.knowledge.improving_pages import ImprovingPage
from mirror.knowledge.improving_telling import facts_of, lines_of, state_of
from mirror.knowledge.models import ImprovementStep
from mirror.knowledge.source_views import source_permitted
from mirror.llms.selectors import llm_names
from mirror.paging import pager_of
from mirror.people.requests import PersonRequest
from mirror.work.leases import Status
from mirror.work.recovery import row_look

PER_PAGE = 30


@require_safe
def improving(request: PersonRequest, pk: int) -> HttpResponse:
    """Show how the context of a source improves itself."""
    source = source_permitted(request, pk)
    row = selectors.improvements_of(source).first()
    if row is not None and row.status != Status.DONE and row.not_before is None:
        row_look(row)
    if request.htmx and request.GET.get("was") and (row is None or row.is_ended):
        return HttpResponse(status=204, headers={"HX-Redirect": request.path})
    found = ImprovementStep.objects.filter(improvement=row)
    shown = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    learnt = row.learnt if row is not None else {}
    page = ImprovingPage(
        source=source,
        may_teach=selectors.may_teach(request.user, source),
        waiting=selectors.waiting_count(source),
        row=row,
        state=state_of(row) if row is not None else "",
        facts=facts_of(row) if row is not None else (),
        learnt=list(selectors.terms_of(source).filter(pk__in=learnt.get("terms", ()))),
        described=selectors.descriptions_learnt(source, row),
        examples=list(selectors.examples_of(source)) if "examples" in learnt else (),
        llms=", ".join(llm_names(source)),
        steps=lines_of(row, list(shown)) if row is not None else (),
        pager=pager_of(shown),
        templates=sum(row.parts.get("sizes", {}).values()) if row is not None else 0,
    )
    return render(request, "knowledge/improving.html", {"page": page})


@require_POST
def start(request: PersonRequest, pk: int) -> HttpResponse:
    """Start it, or let it go on with a fresh budget."""
    source = source_permitted(request, pk, to_teach=True)
    typed = request.POST.get("calls", "")
    calls = int(typed) if typed.isdecimal() and len(typed) < 7 else CALLS
    with_llm = bool(request.POST.get("llm")) and bool(llm_names(source))
    improvement_ask(source, request.user, calls, with_llm=with_llm)
    return redirect("knowledge:improving", pk)


@require_POST
def stop(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop it; edits in force stay, and it can go on later."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(selectors.improvements_of(source).exclude(status=Status.DONE))
    improvement_stop(row, request.user)
    messages.success(request, _("It is stopped. Everything in force stays."))
    return redirect("knowledge:improving", pk)
