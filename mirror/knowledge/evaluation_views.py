"""Pages of the evaluations of a source: their list, one opened, how often; and starting and stopping one."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from mirror.knowledge import selectors
from mirror.knowledge.evaluation_pages import (
    CHOICES,
    SHOWS,
    EvaluationPage,
    EvaluationsPage,
    against,
    families_of,
    row_of,
)
from mirror.knowledge.evaluation_plans import plan_set
from mirror.knowledge.evaluation_telling import lines_of, results_shown
from mirror.knowledge.evaluation_work import KEPT, evaluation_ask, evaluation_stop
from mirror.knowledge.models import Evaluation, EvaluationPlan
from mirror.knowledge.source_views import source_permitted
from mirror.llms.selectors import llm_names
from mirror.paging import pager_of
from mirror.people.requests import PersonRequest
from mirror.phrases import counted, separated
from mirror.work.recovery import row_look

PER_PAGE, QUESTIONS_PER_PAGE = 30, 20


@require_safe
def evaluations(request: PersonRequest, pk: int) -> HttpResponse:
    """List the evaluations of a source."""
    source = source_permitted(request, pk)
    under_way = selectors.evaluation_under_way(source)
    if under_way is not None and under_way.not_before is None:
        row_look(under_way)
    if request.htmx and request.GET.get("was"):
        still = under_way is not None and request.GET["was"] == str(under_way.pk)
        if not still:
            return HttpResponse(status=204, headers={"HX-Redirect": request.path})
    found = selectors.evaluations_of(source)
    if under_way is not None:
        found = found.exclude(pk=under_way.pk)
    shown = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    plan = EvaluationPlan.objects.filter(source=source).first()
    page = EvaluationsPage(
        source=source,
        may_teach=selectors.may_teach(request.user, source),
        waiting=selectors.waiting_count(source),
        rows=[row_of(row) for row in shown],
        pager=pager_of(shown),
        under_way=row_of(under_way) if under_way is not None else None,
        families=families_of(found.exclude(measured_at=None).first()),
        every=plan.every if plan is not None else EvaluationPlan.Every.OFF,
        next_at=plan.next_at if plan is not None else None,
        has_answers=selectors.answers_of(source).filter(problem="").exists(),
        kept=KEPT,
        llms=", ".join(llm_names(source)),
    )
    return render(request, "knowledge/evaluations.html", {"page": page})


@require_POST
def evaluate(request: PersonRequest, pk: int) -> HttpResponse:
    """Have a worker evaluate a source now."""
    source = source_permitted(request, pk, to_teach=True)
    if selectors.answers_of(source).filter(problem="").exists():
        evaluation_ask(source, Evaluation.Cause.HAND, request.user, with_llm=bool(request.POST.get("llm")))
    else:
        messages.error(request, _("Verify an answer first: evaluations ask verified questions."))
    return redirect("knowledge:evaluations", pk)


@require_POST
def plan(request: PersonRequest, pk: int) -> HttpResponse:
    """Say how often a source is evaluated by itself."""
    source = source_permitted(request, pk, to_teach=True)
    every = request.POST.get("every", "")
    if every in EvaluationPlan.Every.values:
        made = plan_set(source, every, request.user)
        messages.success(
            request,
            _("Evaluated automatically: %(every)s.") % {"every": str(dict(CHOICES)[made.every]).lower()},
        )
    return redirect("knowledge:evaluations", pk)


@require_safe
def evaluation(request: PersonRequest, pk: int, evaluation: int) -> HttpResponse:
    """Show one evaluation with its questions."""
    source = source_permitted(request, pk)
    row = get_object_or_404(selectors.evaluations_of(source, whole=True), pk=evaluation, source=source)
    if row.measured_at is None:
        return redirect("knowledge:evaluations", pk)
    counts = {name: len(results_shown(row.results, name)) for name, _label in SHOWS}
    first = next((name for name, count in counts.items() if count), "all")
    show = request.GET.get("show", first)
    show = show if show in counts else first
    shown = Paginator(results_shown(row.results, show), QUESTIONS_PER_PAGE).get_page(request.GET.get("page"))
    told = row.summary
    page = EvaluationPage(
        source=source,
        may_teach=selectors.may_teach(request.user, source),
        waiting=selectors.waiting_count(source),
        row=row,
        line=row_of(row),
        called=_("%(part)s of %(whole)s")
        % {"part": intcomma(told["said_right"]), "whole": intcomma(told["said"])}
        if "said" in told
        else "",
        against=against(told["terms"]) if told.get("terms") else "",
        took=separated(f"{told['seconds']:.1f}") + " s" if "seconds" in told else "",
        left=counted(told["left"], "question") if told.get("left") else "",
        families=families_of(row),
        lines=lines_of(source, list(shown)),
        pager=pager_of(shown, show=show),
        show=show,
        shows=[(name, _(label), counts[name]) for name, label in SHOWS],
    )
    return render(request, "knowledge/evaluation.html", {"page": page})


@require_POST
def stop(request: PersonRequest, pk: int, evaluation: int) -> HttpResponse:
    """Stop an evaluation that waits or goes on."""
    source = source_permitted(request, pk, to_teach=True)
    evaluation_stop(
        get_object_or_404(selectors.evaluations_of(source), pk=evaluation, source=source, measured_at=None)
    )
    return redirect("knowledge:evaluations", pk)
