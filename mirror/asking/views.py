"""Ask, watch, stop, edit, draw, save: every page and button from a question to its answer."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.asking import selectors, services
from mirror.asking.forms import ChartForm, SaveForm
from mirror.asking.models import Run, Thread, Version
from mirror.asking.pages import (
    ask_page,
    history_page,
    last_page,
    run_page,
    shared_run,
    shared_thread,
    steps_view,
    thread_page,
    version_view,
)
from mirror.asking.pages.version import chart_view
from mirror.knowledge.second_look_views import asked_again
from mirror.knowledge.selectors import may_teach
from mirror.library.forms import ArgumentsForm
from mirror.library.pages import saved_page
from mirror.library.selectors import may_run, saved_visible
from mirror.people.requests import PersonRequest, is_id, search_typed, wants_fragment
from mirror.queries.values_typed import values_typed
from mirror.results.pages import TableWish
from mirror.results.pivot_pages import pivot_in, pivot_shown
from mirror.sources.selectors import ask_check, sources_visible
from mirror.sources.sight import seen_by

SHOWN_SOURCE = "shown_source"


def _run(request: PersonRequest, pk: int) -> Run:
    found = selectors.runs_visible_to(request.user).filter(pk=pk).first()
    found = found or _only_looked_at(selectors.runs_shared_with(request.user).filter(pk=pk))
    seen_by(request.user, found.thread.source)
    return found


def _thread(request: PersonRequest, pk: int) -> Thread:
    found = selectors.threads_visible_to(request.user).filter(pk=pk).first()
    found = found or _only_looked_at(selectors.threads_shared_with(request.user).filter(pk=pk))
    seen_by(request.user, found.source)
    return found


def _version(request: PersonRequest, pk: int) -> Version:
    found = selectors.versions_visible_to(request.user).filter(pk=pk).first()
    found = found or _only_looked_at(selectors.runs_shared_with(request.user).filter(versions=pk))
    seen_by(request.user, found.run.thread.source)
    return found


def _only_looked_at(shared: QuerySet[Any]) -> Any:
    """Refuse to act on what a team may look at; anything else does not exist."""
    if shared.exists():
        raise PermissionDenied(_("This is shared with you to look at. Only who asked it works on it."))
    raise Http404(_("There is no such question or thread."))


def _by_htmx(request: PersonRequest) -> bool:
    return bool(request.headers.get("HX-Request"))


def _to_run(request: PersonRequest, run: Run, rest: str = "") -> HttpResponse:
    """Go to a run, and `rest` of its address: by htmx without a reload where it asked, else by a redirect."""
    address = reverse("asking:run", args=[run.pk]) + rest
    if _by_htmx(request):
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect(address)


def _to_version(request: PersonRequest, version: Version) -> HttpResponse:
    """Go to a run with this version shown, which may not be its newest: the next button is pressed about it."""
    return _to_run(request, version.run, f"?version={version.number}")


# ---------------------------------------------------------------- asking


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
        return _to_run(request, run)
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
    run = _run(request, pk)
    question, hint = request.POST.get("question", ""), request.POST.get("hint", run.hint)
    version = _version_of(run, request.POST.get("version", ""))
    try:
        if step := services.step_take(run, version, question):
            return _stepped(request, step)
        if drawn := services.chart_asked(version, question):
            return _to_version(request, drawn)
        if explained := services.reasons_asked(run, version, question):
            of = services.reasons_named(question)
            place = reverse("dashboards:why", args=[explained.pk])
            return redirect(f"{place}?{urlencode({'of': of})}" if of else place)
        return _to_run(
            request,
            services.run_follow(
                run, question, hint, version, in_new_thread=request.POST.get("thread") == "new"
            ),
        )
    except services.AskingError as error:
        number = version.number if version is not None else None
        page = run_page(run, number=number, problem=str(error), follow_up=question, follow_hint=hint)
        return _render_run(request, page, status=422)


def _version_of(run: Run, number: str) -> Version | None:
    """The version of a run with this number, else the one it shows now; None where it has none."""
    found = run.versions.filter(number=int(number)).first() if is_id(number) else None
    return found or run.versions.first()


def _stepped(request: PersonRequest, step: services.Step) -> HttpResponse:
    """Show what a step led to, and say how to go the other way."""
    words = (
        _("Back to %(step)s. Typed as a follow-up, “redo” goes forward again.")
        if step.is_back
        else _("Forward to %(step)s. Typed as a follow-up, “undo” goes back again.")
    )
    messages.info(request, words % {"step": step.words})
    return _to_run(request, step.run, f"?version={step.number}" if step.number else "")


@require_POST
def again(request: PersonRequest, pk: int) -> HttpResponse:
    """Ask the same question once more."""
    run = _run(request, pk)
    try:
        return _to_run(request, services.run_again(run))
    except services.AskingError as error:
        return _render_run(request, run_page(run, problem=str(error)), status=422)


# ---------------------------------------------------------------- a run


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
    return _render_run(request, page)


def _render_run(request: PersonRequest, page: Any, status: int = 200) -> HttpResponse:
    template = "asking/_answer_now.html" if _by_htmx(request) else "asking/run.html"
    return render(request, template, {"page": page, "save_form": SaveForm.of(page.name)}, status=status)


@require_safe
def run_live(request: PersonRequest, pk: int) -> HttpResponse:
    """The content of a waiting page now: the steps so far, or the answer once there is one."""
    found = _run(request, pk)
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
    found = _run(request, pk)
    services.run_stop(found)
    if _by_htmx(request):
        found.refresh_from_db()
        steps = steps_view(found, selectors.steps_of(found))
        return render(request, "asking/_steps.html", {"steps": steps, "run_id": found.pk})
    return redirect("asking:run", pk)


@require_safe
def sent(request: PersonRequest, pk: int) -> HttpResponse:
    """Word for word what a run sent to the language model."""
    found = _run(request, pk)
    return render(request, "asking/sent.html", {"page": run_page(found), "sent": found.sent})


# ---------------------------------------------------------------- versions


@require_POST
def edit(request: PersonRequest, pk: int) -> HttpResponse:
    """Run SQL that was typed over the `version` shown, as a new version. Rejected input stays in its form."""
    found = _run(request, pk)
    sql = request.POST.get("sql", "")
    base = _version_of(found, request.POST.get("version", ""))
    try:
        services.version_edit(
            found, sql, values_typed(request.POST), base, request.POST.get("changed", "").splitlines()
        )
    except services.AskingError as error:
        number = base.number if base is not None else None
        return _render_run(request, run_page(found, number=number, typed=sql, problem=str(error)), status=422)
    return _result_of(request, found)


@require_POST
def use_reading(request: PersonRequest, pk: int, index: int) -> HttpResponse:
    """Make another reading the answer."""
    found = _run(request, pk)
    try:
        services.reading_use(found, index)
    except services.AskingError as error:
        return _render_run(request, run_page(found, problem=str(error)), status=422)
    return _result_of(request, found)


@require_POST
def change(request: PersonRequest, pk: int) -> HttpResponse:
    """Change one chip of what a version was understood as; `choice` is its slot and a key that was offered."""
    found = _version(request, pk)
    slot, _, key = request.POST.get("choice", "").partition(" ")
    try:
        services.version_change(found, slot, key)
    except services.AskingError as error:
        page = run_page(found.run, number=found.number, chip_problem=str(error))
        return _render_run(request, page, status=422)
    return _result_of(request, found.run)


@require_POST
def version_again(request: PersonRequest, pk: int) -> HttpResponse:
    """Run a version's SQL once more."""
    found = _version(request, pk)
    try:
        services.version_again(found)
    except services.AskingError as error:
        page = run_page(found.run, number=found.number, problem=str(error))
        return _render_run(request, page, status=422)
    return _result_of(request, found.run)


@require_POST
def version_undo(request: PersonRequest, pk: int) -> HttpResponse:
    """Show the version again that a changed or edited one was made of."""
    found = _version(request, pk)
    try:
        services.version_undo(found)
    except services.AskingError as error:
        page = run_page(found.run, number=found.number, problem=str(error))
        return _render_run(request, page, status=422)
    return _result_of(request, found.run)


def _result_of(request: PersonRequest, run: Run) -> HttpResponse:
    """The answer with the version that is shown now; a new one is working by now."""
    address = reverse("asking:run", args=[run.pk])
    if not _by_htmx(request):
        return redirect(address)
    response = _render_run(request, run_page(run))
    response["HX-Replace-Url"] = address
    return response


@require_safe
@vary_on_headers("HX-Request")
def version(request: PersonRequest, pk: int) -> HttpResponse:
    """The result of a version: working, or its table and chart, or what went wrong."""
    found = _version(request, pk)
    if not wants_fragment(request):
        return redirect(f"{reverse('asking:run', args=[found.run_id])}?version={found.number}")
    return _render_result(request, found)


def _render_result(request: PersonRequest, found: Version) -> HttpResponse:
    if not found.is_ended:
        is_followed = request.headers.get("X-Requested-With") == "mirror-run"
        name = "asking/_version_now.html" if is_followed else "asking/_working.html"
        return render(request, name, {"version": version_view(found)})
    page = run_page(found.run, number=found.number, wish=TableWish.read(request.GET))
    response = render(request, "asking/_answer.html", {"page": page, "save_form": SaveForm.of(page.name)})
    response["X-Mirror-Ended"] = "1"
    return response


@require_POST
def version_stop(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop a version's statement in the database."""
    found = _version(request, pk)
    services.statement_stop(found)
    found.refresh_from_db()
    if _by_htmx(request):
        return _render_result(request, found)
    return _to_version(request, found)


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def chart(request: PersonRequest, pk: int) -> HttpResponse:
    """A version's figure as JSON, by htmx its pane; choices sent to it change the chart first and keep it so."""
    found = _version(request, pk)
    try:
        if request.method != "POST" and _by_htmx(request):
            return _render_chart(request, found)
        if request.method != "POST":
            return JsonResponse({"figure": found.figure, "chart": found.chart})
        names = [column["name"] for column in found.result.columns] if found.result else []
        form = ChartForm(request.POST, columns=names)
        if not form.is_valid():
            raise services.AskingError(_("The chart needs a column that these rows do not have."))
        services.chart_change(found, form.fields_given())
    except services.AskingError as error:
        if _by_htmx(request):
            return _render_chart(request, found, str(error), status=422)
        return JsonResponse({"problem": str(error)}, status=422)
    if _by_htmx(request):
        return _render_chart(request, found)
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"figure": found.figure, "chart": found.chart})
    return _to_version(request, found)


def _render_chart(
    request: PersonRequest, found: Version, problem: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "chart": chart_view(found, problem, request.POST if problem else None),
        "version": version_view(found),
    }
    return render(request, "asking/_chart.html", context, status=status)


@require_POST
def save(request: PersonRequest, pk: int) -> HttpResponse:
    """Keep a version's SQL in the library."""
    found = _version(request, pk)
    form = SaveForm(request.POST)
    if not form.is_valid():
        if _by_htmx(request):
            return render(
                request,
                "asking/_save.html",
                {"version_url": reverse("asking:version", args=[pk]), "save_form": form},
                status=422,
            )
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return _to_version(request, found)
    try:
        saved = services.version_save(
            found, pivot=pivot_shown(request.headers.get("HX-Current-URL", "")), **form.cleaned_data
        )
    except services.AskingError as error:
        messages.error(request, str(error))
        return _to_version(request, found)
    place = reverse("library:saved", args=[saved.pk])
    words = _(
        "Saved as “{}”. <a href='{}'>Open it</a> to give it parameters, share it or send it as a report."
    )
    messages.success(request, format_html(words, saved.name, place))
    pivot = pivot_in(request.headers.get("HX-Current-URL", ""))
    return _to_run(request, found.run, f"?{urlencode([('version', found.number), *pivot])}")


@require_POST
def verify(request: PersonRequest, pk: int) -> HttpResponse:
    """Vouch for what a version shows; one that may well be wrong is asked about once more."""
    found = _version(request, pk)
    if not may_teach(request.user, found.run.thread.source):
        raise PermissionDenied(_("Only the owner of this source, editors and administrators verify answers."))
    back = f"{reverse('asking:run', args=[found.run_id])}?version={found.number}"
    if page := asked_again(request, services.version_look(found, request.path, back)):
        return page
    try:
        services.version_verify(found)
        messages.success(request, _("Verified. The same question is answered by this SQL from now on."))
    except services.AskingError as error:
        messages.error(request, str(error))
    return _to_version(request, found)


@require_POST
def feedback(request: PersonRequest, pk: int) -> HttpResponse:
    """Say that what a version shows is right or wrong."""
    found = _version(request, pk)
    is_right = request.POST.get("is") == "right"
    try:
        reason, sql = request.POST.get("reason", ""), request.POST.get("should_be", "")
        services.version_feedback(found, is_right=is_right, reason=reason, should_be=sql)
        messages.success(request, _("Thank you. The owner of the source reads it."))
    except services.AskingError as error:
        messages.error(request, str(error))
    return _to_version(request, found)


@require_POST
def run_saved(request: PersonRequest, pk: int) -> HttpResponse:
    """Run saved SQL with values for its parameters; a wrong value goes back to where it was typed."""
    saved = get_object_or_404(saved_visible(request.user), pk=pk)
    if not may_run(request.user, saved):
        raise PermissionDenied(_("You may not run this saved SQL on its source."))
    form = ArgumentsForm(request.POST, saved=saved)
    if not form.is_valid():
        page = saved_page(request.user, saved, form)
        return render(request, "library/saved.html", {"page": page}, status=422)
    try:
        return _to_run(request, services.run_saved(request.user, saved, form.arguments()))
    except services.AskingError as error:
        messages.error(request, str(error))
        return redirect("library:saved", saved.pk)


@require_safe
@vary_on_headers("HX-Request")
def saved_last(request: PersonRequest, pk: int) -> HttpResponse:
    """The last rows of saved SQL, for its page; without scripts one goes to the run itself, or is told that there is none."""
    saved = get_object_or_404(saved_visible(request.user), pk=pk)
    found = selectors.version_of_saved(request.user, saved)
    if wants_fragment(request):
        page = last_page(saved, found, TableWish.read(request.GET))
        return render(request, "asking/_last.html", {"page": page, "version": page.version})
    if found is None:
        messages.info(
            request, _("You have no result of %(name)s yet. Run it to see one.") % {"name": saved.name}
        )
        return redirect("library:saved", pk)
    return _to_version(request, found)


# ---------------------------------------------------------------- before


@require_safe
def history(request: PersonRequest) -> HttpResponse:
    """Everything one has asked, with search."""
    page = history_page(
        request.user,
        search_typed(request),
        request.GET.get("source", "").replace("\x00", ""),
        request.GET.get("page", "1"),
        outcome=request.GET.get("outcome", ""),
        since=request.GET.get("since", ""),
        until=request.GET.get("until", ""),
        by=request.GET.get("by", ""),
    )
    return render(request, "asking/history.html", {"page": page})


@require_safe
def thread(request: PersonRequest, pk: int) -> HttpResponse:
    """One thread as a conversation."""
    mine = selectors.threads_visible_to(request.user).filter(pk=pk).first()
    if mine is None:
        shared = get_object_or_404(selectors.threads_shared_with(request.user), pk=pk)
        return render(request, "asking/shared_thread.html", {"page": shared_thread(shared)})
    seen_by(request.user, mine.source)
    return render(request, "asking/thread.html", {"page": thread_page(mine)})


@require_POST
def thread_rename(request: PersonRequest, pk: int) -> HttpResponse:
    """Give one's thread another title. Rejected input stays in its form."""
    found, typed = _thread(request, pk), request.POST.get("title", "")
    try:
        services.thread_rename(found, typed)
    except services.AskingError as error:
        page = thread_page(found, problem=str(error), typed=typed)
        return render(request, "asking/thread.html", {"page": page}, status=422)
    return redirect("asking:thread", pk)


@require_POST
def thread_pin(request: PersonRequest, pk: int) -> HttpResponse:
    """Let one's thread stand first, or no longer."""
    services.thread_pin(_thread(request, pk), is_pinned=request.POST.get("pinned") == "yes")
    return redirect("asking:thread", pk)


@require_http_methods(["GET", "HEAD", "POST"])
def thread_delete(request: PersonRequest, pk: int) -> HttpResponse:
    """Delete one's thread, after asking once."""
    found = _thread(request, pk)
    if request.method == "POST":
        try:
            services.thread_delete(found, request.user)
        except services.AskingError as error:
            messages.error(request, str(error))
            return redirect("asking:thread", pk)
        messages.success(request, _("The thread is gone, with its SQL and rows."))
        return redirect("asking:history")
    return render(request, "asking/thread_delete.html", {"page": thread_page(found)})
