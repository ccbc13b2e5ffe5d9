"""Pages of what a team knows of a source: terms, how they are tried, verified answers, feedback that waits."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.knowledge import selectors
from mirror.knowledge.answer_services import AnswerRefused, answer_take_back, examples_set
from mirror.knowledge.feedback_services import feedback_end, feedback_verify
from mirror.knowledge.forms import TermForm
from mirror.knowledge.improving_telling import version_change
from mirror.knowledge.models import Feedback, Shift, StoredAnswer, StoredTerm, Trial
from mirror.knowledge.pages import KnowledgePage, TermPage, trial_page
from mirror.knowledge.proposing import may_see_proposals, proposal_refuse, proposals_of
from mirror.knowledge.second_look_views import asked_again
from mirror.knowledge.second_looks import SecondLook, feedback_doubts
from mirror.knowledge.shifts import shift_end
from mirror.knowledge.source_views import source_permitted
from mirror.knowledge.term_services import TermRefused, term_delete, term_status
from mirror.knowledge.trials import trial_ask, trial_look, trial_save
from mirror.paging import pager_of
from mirror.people.requests import PersonRequest, is_id, search_typed
from mirror.sources.models import Source

read_or_post = require_http_methods(["GET", "HEAD", "POST"])
PER_PAGE = 50


def _listed(request: PersonRequest, source: Source, tab: str, found: Any, **more: Any) -> HttpResponse:
    search = search_typed(request)
    shown = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    if tab == "feedback":
        more["verifiable"] = frozenset(row.pk for row in shown if selectors.sql_to_verify(source, row))
    lists: dict[str, Any] = {tab: list(shown)}
    page = KnowledgePage(
        source=source,
        tab=tab,
        may_teach=selectors.may_teach(request.user, source),
        waiting=selectors.waiting_count(source),
        search=search,
        pager=pager_of(shown, q=search),
        **lists,
        **more,
    )
    return render(request, f"knowledge/{tab}.html", {"page": page})


@require_safe
def terms(request: PersonRequest, pk: int) -> HttpResponse:
    """List the terms of a source."""
    source = source_permitted(request, pk)
    found = selectors.terms_of(source, search_typed(request))
    broken = selectors.terms_of(source).filter(status=StoredTerm.Status.FORCE).exclude(problem="").count()
    return _listed(request, source, "terms", found, broken=broken)


@require_safe
def answers(request: PersonRequest, pk: int) -> HttpResponse:
    """List the verified answers of a source."""
    source = source_permitted(request, pk)
    return _listed(request, source, "answers", selectors.answers_of(source, search_typed(request)))


@require_safe
def feedback(request: PersonRequest, pk: int) -> HttpResponse:
    """List what people said of answers and nobody looked at yet."""
    source = source_permitted(request, pk, to_teach=True)
    return _listed(
        request,
        source,
        "feedback",
        selectors.feedback_waiting(source),
        handled=selectors.feedback_handled(source),
        shifts=selectors.shifts_waiting(source)[:PER_PAGE],
        proposals=proposals_of(source) if may_see_proposals(request.user, source) else [],
    )


# ---------------------------------------------------------------- terms


@read_or_post
def term(request: PersonRequest, pk: int, term: int | None = None) -> HttpResponse:
    """Write a term; sent, it is tried before it is saved."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(selectors.terms_of(source), pk=term) if term is not None else None
    given = request.GET.get("feedback", "")
    said = selectors.feedback_waiting(source).filter(pk=int(given)).first() if is_id(given) else None
    proposal = None
    if (key := request.GET.get("proposal")) and may_see_proposals(request.user, source):
        proposal = next((one for one in proposals_of(source) if one.key == key), None)
    if request.method == "POST":
        form = TermForm(request.POST)
        if form.is_valid():
            try:
                trial = trial_ask(source, form.wish(), request.user, row)
                return redirect("knowledge:trial", pk, trial.pk)
            except TermRefused as error:
                form.refuse(error.problems)
    elif (found := version_change(source, request.GET.get("version", ""))) is not None:
        form = TermForm.proposed(found["phrase"], found["kind"], found["body"])
    elif proposal is not None:
        form = TermForm.proposed(proposal.phrase, proposal.kind, proposal.body)
    else:
        form = TermForm.of(row) if row is not None else TermForm()
    page = TermPage(source, form, row, said, proposal)
    return render(request, "knowledge/term.html", {"page": page}, status=422 if form.is_bound else 200)


@require_POST
def status(request: PersonRequest, pk: int, term: int) -> HttpResponse:
    """Retire a term, or put it into force as it is."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(selectors.terms_of(source), pk=term)
    wanted = request.POST.get("status", "")
    if wanted in StoredTerm.Status.values:
        term_status(row, wanted, request.user)
        messages.success(
            request,
            _("“%(phrase)s” is %(get_status_display)s.")
            % {"phrase": row.phrase, "get_status_display": row.get_status_display()},
        )
    return redirect("knowledge:terms", pk)


@require_POST
def delete(request: PersonRequest, pk: int, term: int) -> HttpResponse:
    """Let a term go."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(selectors.terms_of(source), pk=term)
    term_delete(row, request.user)
    messages.success(request, _("“%(phrase)s” is deleted.") % {"phrase": row.phrase})
    return redirect("knowledge:terms", pk)


def _trial(request: PersonRequest, pk: int, trial: int) -> Trial:
    source = source_permitted(request, pk, to_teach=True)
    return get_object_or_404(selectors.trials_of(request.user), pk=trial, source=source)


@require_safe
def trial(request: PersonRequest, pk: int, trial: int) -> HttpResponse:
    """Follow a term that is tried; then show which answers it would change."""
    found = _trial(request, pk, trial)
    trial_look(found)
    found.refresh_from_db()
    if request.htmx and not found.is_ended and request.GET.get("was") == found.status:
        return HttpResponse(status=204)
    if request.htmx and found.is_ended:
        return HttpResponse(status=204, headers={"HX-Redirect": request.path})
    if found.is_ended and "error" in found.said:
        form = TermForm.of_wish(found.wish)
        if form.is_valid():
            form.refuse({found.said.get("field", ""): found.said["error"]})
        page = TermPage(found.source, form, found.term)
        return render(request, "knowledge/term.html", {"page": page}, status=422)
    return render(request, "knowledge/trial.html", {"page": trial_page(found)})


@require_POST
def save(request: PersonRequest, pk: int, trial: int) -> HttpResponse:
    """Save a term that was tried."""
    found = _trial(request, pk, trial)
    try:
        row = trial_save(found, request.user)
    except TermRefused as error:
        messages.error(request, str(error))
        return redirect("knowledge:trial", pk, trial)
    messages.success(
        request, _("“%(phrase)s” is saved. The next question goes by it.") % {"phrase": row.phrase}
    )
    return redirect("knowledge:terms", pk)


@read_or_post
def change(request: PersonRequest, pk: int, trial: int) -> HttpResponse:
    """Go on writing a term that was tried."""
    found = _trial(request, pk, trial)
    if request.method == "POST":
        return term(request, pk, found.term_id)
    form = TermForm.of_wish(found.wish)
    return render(request, "knowledge/term.html", {"page": TermPage(found.source, form, found.term)})


# ---------------------------------------------------------------- verified answers and feedback


@require_POST
def take_back(request: PersonRequest, pk: int, answer: int) -> HttpResponse:
    """Vouch for an answer no longer."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(StoredAnswer, pk=answer, source=source, taken_back_at=None)
    answer_take_back(row, request.user)
    messages.success(request, _("It is verified no longer."))
    return redirect("knowledge:answers", pk)


@require_POST
def example_end(request: PersonRequest, pk: int, answer: int) -> HttpResponse:
    """Show an answer to language models with every question no longer."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(selectors.examples_of(source), pk=answer)
    others = selectors.examples_of(source).exclude(pk=row.pk).values_list("pk", flat=True)
    examples_set(source, list(others), request.user)
    messages.success(request, _("Language models are shown it only where a question is alike."))
    return redirect("knowledge:answers", pk)


@require_POST
def feedback_do(request: PersonRequest, pk: int, given: int) -> HttpResponse:
    """Make something of feedback, or dismiss it for good."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(selectors.feedback_waiting(source), pk=given)
    wish = request.POST.get("do", "")
    if wish == "verify":
        sql = selectors.sql_to_verify(source, row)
        look = SecondLook(
            request.user.pk,
            request.path,
            row.question,
            sql,
            feedback_doubts(source, row, request.POST.get("stamp", "")),
            reverse("knowledge:feedback", args=[pk]),
            is_draft=bool(row.draft) and row.is_right,
        )
        if sql and (page := asked_again(request, look, do="verify", stamp=request.POST.get("stamp", ""))):
            return page
        try:
            feedback_verify(row, sql, request.user)
            messages.success(request, _("It is a verified answer now."))
        except AnswerRefused as error:
            messages.error(request, str(error))
    elif wish == "dismiss":
        feedback_end(row, Feedback.State.DISMISSED, request.user)
        messages.success(request, _("It is dismissed, and so is the same when it is said again."))
    elif wish == "done":
        feedback_end(row, Feedback.State.DONE, request.user, request.POST.get("made", "")[:20])
        messages.success(request, _("It is done."))
    return redirect("knowledge:feedback", pk)


@require_POST
def shift(request: PersonRequest, pk: int, shift: int) -> HttpResponse:
    """Say of a verified answer whose result jumped that it is right as it is, take it back, or never be told again."""
    source = source_permitted(request, pk, to_teach=True)
    row = get_object_or_404(selectors.shifts_waiting(source), pk=shift)
    wish = request.POST.get("do", "")
    if wish == "settle":
        shift_end(row, Shift.State.SETTLED, request.user)
        messages.success(request, _("It stays verified. You are told when it jumps again."))
    elif wish == "dismiss":
        shift_end(row, Shift.State.DISMISSED, request.user)
        messages.success(request, _("It stays verified, and is not flagged for this again."))
    elif wish == "take_back":
        answer_take_back(row.answer, request.user)
        messages.success(request, _("It is verified no longer."))
    return redirect("knowledge:feedback", pk)


@require_POST
def refuse(request: PersonRequest, pk: int) -> HttpResponse:
    """Never propose a term again."""
    source = source_permitted(request, pk, to_teach=True)
    if not may_see_proposals(request.user, source):
        raise PermissionDenied(_("Terms are proposed to %(owner)s alone.") % {"owner": source.owner})
    if proposal_refuse(source, request.POST.get("key", ""), request.user):
        messages.success(request, _("It is not proposed again."))
    return redirect("knowledge:feedback", pk)
