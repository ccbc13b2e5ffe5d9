"""One run of a report: its page, watched while it is made, and its buttons."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from mirror.people.requests import PersonRequest
from mirror.reports import selectors, services
from mirror.reports.models import Delivery, ReportRun, RunPart
from mirror.reports.pages import selectors as reading
from mirror.reports.pages.run import RunPage, run_page
from mirror.reports.services import ReportError
from mirror.reports.views.downloads import stream
from mirror.reports.views.fresh_links import fresh_forget, fresh_of
from mirror.reports.views.reports import complain


def find_run(request: PersonRequest, pk: int, *, to_change: bool = False) -> ReportRun:
    """The run with this id, if the person may see it. Raises: Http404, PermissionDenied."""
    found = selectors.run_visible(request.user, pk)
    if found is None:
        raise Http404("There is no such run.")
    if to_change and not selectors.may_change(request.user, found.report):
        raise PermissionDenied(f"Only {found.report.owner} changes this report.")
    return found


def page_of(request: PersonRequest, run: ReportRun, fresh: tuple[int, str] | None = None) -> RunPage:
    """Lay out a run for whoever asks."""
    return run_page(
        reading.run_read(run),
        may_change=selectors.may_change(request.user, run.report),
        sees_rows=selectors.rows_visible(request.user, run),
        fresh=fresh,
    )


@require_safe
def run(request: PersonRequest, pk: int) -> HttpResponse:
    """A run: its times, what each SQL gave, its files and deliveries."""
    fresh = fresh_of(request)
    response = render(request, "reports/run.html", {"page": page_of(request, find_run(request, pk), fresh)})
    return fresh_forget(response, pk) if fresh else response


@require_safe
def run_live(request: PersonRequest, pk: int) -> HttpResponse:
    """What a waiting page shows now."""
    page = page_of(request, find_run(request, pk))
    response = render(request, "reports/_run.html", {"page": page})
    if not page.is_working:
        response["X-Mirror-Ended"] = "1"
    return response


@require_safe
def deliveries(request: PersonRequest, pk: int) -> HttpResponse:
    """The deliveries as a fragment, for a page that waits for them; all of the run once they have ended."""
    page = page_of(request, find_run(request, pk))
    if page.is_sending:
        return render(request, "reports/_deliveries.html", {"page": page})
    response = render(request, "reports/_run.html", {"page": page})
    response["X-Mirror-Ended"] = "1"
    return response


@require_POST
def stop(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop a run, its statement in the database too."""
    services.run_stop(find_run(request, pk, to_change=True), request.user)
    return redirect("reports:run", pk)


@require_POST
def send_again(request: PersonRequest, pk: int) -> HttpResponse:
    """Send what a run made to everyone once more."""
    found = find_run(request, pk, to_change=True)
    try:
        count = services.run_send_again(found, request.user)
    except ReportError as error:
        complain(request, error)
    else:
        messages.success(request, f"It is sent again, to {count} place{'' if count == 1 else 's'}.")
    return redirect("reports:run", pk)


@require_POST
def delivery_again(request: PersonRequest, pk: int) -> HttpResponse:
    """Send one delivery once more."""
    delivery = get_object_or_404(Delivery, pk=pk)
    find_run(request, delivery.run_id, to_change=True)
    try:
        services.delivery_again(delivery, request.user)
    except ReportError as error:
        complain(request, error)
    else:
        messages.success(request, f"It is sent again to {delivery.to}.")
    return redirect("reports:run", delivery.run_id)


@require_safe
def image(request: PersonRequest, pk: int, part: int) -> HttpResponseBase:
    """The chart of one SQL of a run, as it was sent."""
    found = find_run(request, pk)
    if not selectors.rows_visible(request.user, found):
        raise Http404("There is no such picture.")
    drawn = get_object_or_404(RunPart.objects.exclude(image=""), run=found, pk=part)
    response = stream(drawn.image, "image/png")
    response["Cache-Control"] = "private, max-age=86400"
    return response
