"""Ask, watch and stop: the start page, follow-ups and the page of a run."""

from __future__ import annotations

from dataclasses import asdict
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.asking import selectors, services
from mirror.asking.common_views import (
    by_htmx,
    find_run,
    render_run,
    to_run,
    to_version,
    version_of,
)
from mirror.asking.forms import SaveForm
from mirror.asking.pages import (
    ask_page,
    run_page,
    shared_run,
    steps_view,
)
from mirror.people.requests import PersonRequest, is_id
from mirror.results.pages import TableWish
from mirror.sources.selectors import ask_check, sources_visible
from mirror.sources.sight import seen_by

SHOWN_SOURCE = "shown_source"


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: PersonRequest) -> HttpResponse:
    """The start page; a question sent to it becomes a run. Rejected input stays in its form."""
    if request.method == "POST":
        return _asked(request)
    page = ask_page(
        request.user,
        source=request.GET.get("source", ""),
        shown=request.session.get(SHOWN_SOURCE, ""),
        question=request.GET.get("q", ""),
    )
    if page.chosen is not None:
        _source_shown(request, page.chosen.name)
    return render(request, "asking/ask.html", {"page": page})


def _source_shown(request: PersonRequest, name: str) -> None:
    """Remember the source of the start page, so that it is the same next time, whatever was connected meanwhile."""
    if request.session.get(SHOWN_SOURCE) != name:
        request.session[SHOWN_SOURCE] = name


def _asked(request: PersonRequest) -> HttpResponse:
    question, hint = request.POST.get("question", ""), request.POST.get("hint", "")
    name = request.POST.get("source", "")
    source = sources_visible(request.user).filter(name=name).first()
    try:
        if source is None:
            raise services.AskingError(
                _("Choose the source to ask.")
                if not name
                else _("There is no source “%(name)s” for you to ask.") % {"name": name}
            )
        run = services.run_ask(request.user, source, question, hint=hint)
        _source_shown(request, source.name)
        return to_run(request, run)
    except services.AskingError as error:
        page = ask_page(request.user, source=name, question=question, hint=hint, problem=str(error))
        return render(request, "asking/ask.html", {"page": page}, status=422)


@require_safe
def suggest(request: PersonRequest) -> JsonResponse:
    """How the question being typed may go on, and what of it is understood: `q` up to the cursor, `rest` behind it."""
    source = get_object_or_404(sources_visible(request.user), name=request.GET.get("source", ""))
    ask_check(request.user, source)
    seen_by(request.user, source)
    typed, rest = request.GET.get("q", ""), request.GET.get("rest", "")
    found = services.question_typed(request.user, source, typed, rest)
    marks = [{"start": m.start, "end": m.end, "is_understood": m.is_understood} for m in found.marks]
    return JsonResponse({"suggestions": [asdict(one) for one in found.suggestions], "marks": marks})


@require_POST
def follow(request: PersonRequest, pk: int) -> HttpResponse:
    """Ask a follow-up on a run's page, of the `version` that is shown there.

    "Undo" and "redo" go a step through the thread, "as a table" draws the same rows so, and "why?" goes to the page that
    tells why a figure changed.
    """
    run = find_run(request, pk)
    question, hint = request.POST.get("question", ""), request.POST.get("hint", run.hint)
    version = version_of(run, request.POST.get("version", ""))
    try:
        if step := services.step_take(run, version, question):
            return _stepped(request, step)
        if drawn := services.chart_asked(version, question):
            return to_version(request, drawn)
        if explained := services.reasons_asked(run, version, question):
            of = services.reasons_named(question)
            place = reverse("dashboards:why", args=[explained.pk])
            return redirect(f"{place}?{urlencode({'of': of})}" if of else place)
        return to_run(
            request,
            services.run_follow(
                run, question, hint, version, in_new_thread=request.POST.get("thread") == "new"
            ),
        )
    except services.AskingError as error:
        number = version.number if version is not None else None
        page = run_page(run, number=number, problem=str(error), follow_up=question, follow_hint=hint)
        return render_run(request, page, status=422)


def _stepped(request: PersonRequest, step: services.Step) -> HttpResponse:
    """Show what a step led to, and say how to go the other way."""
    words = (
        _("Back to %(step)s. Typed as a follow-up, “redo” goes forward again.")
        if step.is_back
        else _("Forward to %(step)s. Typed as a follow-up, “undo” goes back again.")
    )
    messages.info(request, words % {"step": step.words})
    return to_run(request, step.run, f"?version={step.number}" if step.number else "")


@require_POST
def again(request: PersonRequest, pk: int) -> HttpResponse:
    """Ask the same question once more."""
    run = find_run(request, pk)
    try:
        return to_run(request, services.run_again(run))
    except services.AskingError as error:
        return render_run(request, run_page(run, problem=str(error)), status=422)


@require_safe
@vary_on_headers("HX-Request")
def run(request: PersonRequest, pk: int) -> HttpResponse:
    """A run: its steps while it works, then its answer. `?version=2` shows an earlier SQL."""
    mine = selectors.runs_visible_to(request.user).filter(pk=pk).first()
    if mine is None:
        shared = get_object_or_404(selectors.runs_shared_with(request.user), pk=pk)
        return render(request, "asking/shared_run.html", {"page": shared_run(shared)})
    seen_by(request.user, mine.thread.source)
    number = request.GET.get("version", "")
    page = run_page(mine, number=int(number) if is_id(number) else None, wish=TableWish.read(request.GET))
    return render_run(request, page)


@require_safe
def run_live(request: PersonRequest, pk: int) -> HttpResponse:
    """The content of a waiting page now: the steps so far, or the answer once there is one."""
    found = find_run(request, pk)
    if found.is_ended:
        page = run_page(found)
        response = render(request, "asking/_answer.html", {"page": page, "save_form": SaveForm.of(page.name)})
        response["X-Mirror-Ended"] = "1"
        return response
    steps = steps_view(found, selectors.steps_of(found))
    return render(request, "asking/_steps.html", {"steps": steps, "run_id": found.pk})


@require_POST
def stop(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop a run, its statement in the database too."""
    found = find_run(request, pk)
    services.run_stop(found)
    if by_htmx(request):
        found.refresh_from_db()
        steps = steps_view(found, selectors.steps_of(found))
        return render(request, "asking/_steps.html", {"steps": steps, "run_id": found.pk})
    return redirect("asking:run", pk)


@require_safe
def sent(request: PersonRequest, pk: int) -> HttpResponse:
    """Word for word what a run sent to the language model."""
    found = find_run(request, pk)
    return render(request, "asking/sent.html", {"page": run_page(found), "sent": found.sent})
