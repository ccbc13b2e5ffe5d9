"""Edit, change, draw, save and verify: the buttons of an answer, each about one of its versions."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from mirror.asking import services
from mirror.asking.common_views import (
    by_htmx,
    find_run,
    find_version,
    render_run,
    to_run,
    to_version,
    version_of,
)
from mirror.asking.forms import ChartForm, SaveForm
from mirror.asking.models import Run, Version
from mirror.asking.pages import (
    run_page,
    version_view,
)
from mirror.asking.pages.version import chart_view
from mirror.knowledge.second_look_views import asked_again
from mirror.knowledge.selectors import may_teach
from mirror.people.requests import PersonRequest, wants_fragment
from mirror.queries.values_typed import values_typed
from mirror.results.pages import TableWish
from mirror.results.pivot_pages import pivot_in, pivot_shown


@require_POST
def edit(request: PersonRequest, pk: int) -> HttpResponse:
    """Run SQL that was typed over the `version` shown, as a new version. Rejected input stays in its form."""
    found = find_run(request, pk)
    sql = request.POST.get("sql", "")
    base = version_of(found, request.POST.get("version", ""))
    try:
        services.version_edit(
            found, sql, values_typed(request.POST), base, request.POST.get("changed", "").splitlines()
        )
    except services.AskingError as error:
        number = base.number if base is not None else None
        return render_run(request, run_page(found, number=number, typed=sql, problem=str(error)), status=422)
    return _result_of(request, found)


@require_POST
def use_reading(request: PersonRequest, pk: int, index: int) -> HttpResponse:
    """Make another reading the answer."""
    found = find_run(request, pk)
    try:
        services.reading_use(found, index)
    except services.AskingError as error:
        return render_run(request, run_page(found, problem=str(error)), status=422)
    return _result_of(request, found)


@require_POST
def change(request: PersonRequest, pk: int) -> HttpResponse:
    """Change one chip of what a version was understood as; `choice` is its slot and a key that was offered."""
    found = find_version(request, pk)
    slot, _, key = request.POST.get("choice", "").partition(" ")
    try:
        services.version_change(found, slot, key)
    except services.AskingError as error:
        page = run_page(found.run, number=found.number, chip_problem=str(error))
        return render_run(request, page, status=422)
    return _result_of(request, found.run)


@require_POST
def version_again(request: PersonRequest, pk: int) -> HttpResponse:
    """Run a version's SQL once more."""
    found = find_version(request, pk)
    try:
        services.version_again(found)
    except services.AskingError as error:
        page = run_page(found.run, number=found.number, problem=str(error))
        return render_run(request, page, status=422)
    return _result_of(request, found.run)


@require_POST
def version_undo(request: PersonRequest, pk: int) -> HttpResponse:
    """Show the version again that a changed or edited one was made of."""
    found = find_version(request, pk)
    try:
        services.version_undo(found)
    except services.AskingError as error:
        page = run_page(found.run, number=found.number, problem=str(error))
        return render_run(request, page, status=422)
    return _result_of(request, found.run)


def _result_of(request: PersonRequest, run: Run) -> HttpResponse:
    """The answer with the version that is shown now; a new one is working by now."""
    address = reverse("asking:run", args=[run.pk])
    if not by_htmx(request):
        return redirect(address)
    response = render_run(request, run_page(run))
    response["HX-Replace-Url"] = address
    return response


@require_safe
@vary_on_headers("HX-Request")
def version(request: PersonRequest, pk: int) -> HttpResponse:
    """The result of a version: working, or its table and chart, or what went wrong."""
    found = find_version(request, pk)
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
    found = find_version(request, pk)
    services.statement_stop(found)
    found.refresh_from_db()
    if by_htmx(request):
        return _render_result(request, found)
    return to_version(request, found)


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def chart(request: PersonRequest, pk: int) -> HttpResponse:
    """A version's figure as JSON, by htmx its pane; choices sent to it change the chart first and keep it so."""
    found = find_version(request, pk)
    try:
        if request.method != "POST" and by_htmx(request):
            return _render_chart(request, found)
        if request.method != "POST":
            return JsonResponse({"figure": found.figure, "chart": found.chart})
        names = [column["name"] for column in found.result.columns] if found.result else []
        form = ChartForm(request.POST, columns=names)
        if not form.is_valid():
            raise services.AskingError(_("The chart needs a column that these rows do not have."))
        services.chart_change(found, form.fields_given())
    except services.AskingError as error:
        if by_htmx(request):
            return _render_chart(request, found, str(error), status=422)
        return JsonResponse({"problem": str(error)}, status=422)
    if by_htmx(request):
        return _render_chart(request, found)
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"figure": found.figure, "chart": found.chart})
    return to_version(request, found)


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
    found = find_version(request, pk)
    form = SaveForm(request.POST)
    if not form.is_valid():
        if by_htmx(request):
            return render(
                request,
                "asking/_save.html",
                {"version_url": reverse("asking:version", args=[pk]), "save_form": form},
                status=422,
            )
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return to_version(request, found)
    try:
        saved = services.version_save(
            found, pivot=pivot_shown(request.headers.get("HX-Current-URL", "")), **form.cleaned_data
        )
    except services.AskingError as error:
        messages.error(request, str(error))
        return to_version(request, found)
    place = reverse("library:saved", args=[saved.pk])
    words = _(
        "Saved as “{}”. <a href='{}'>Open it</a> to give it parameters, share it or send it as a report."
    )
    messages.success(request, format_html(words, saved.name, place))
    pivot = pivot_in(request.headers.get("HX-Current-URL", ""))
    return to_run(request, found.run, f"?{urlencode([('version', found.number), *pivot])}")


@require_POST
def verify(request: PersonRequest, pk: int) -> HttpResponse:
    """Vouch for what a version shows; one that may well be wrong is asked about once more."""
    found = find_version(request, pk)
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
    return to_version(request, found)


@require_POST
def feedback(request: PersonRequest, pk: int) -> HttpResponse:
    """Say that what a version shows is right or wrong."""
    found = find_version(request, pk)
    is_right = request.POST.get("is") == "right"
    try:
        reason, sql = request.POST.get("reason", ""), request.POST.get("should_be", "")
        services.version_feedback(found, is_right=is_right, reason=reason, should_be=sql)
        messages.success(request, _("Thank you. The owner of the source reads it."))
    except services.AskingError as error:
        messages.error(request, str(error))
    return to_version(request, found)
