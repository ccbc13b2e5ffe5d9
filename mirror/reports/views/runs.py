"""One run of a report: its page, watched while it is made, and its buttons."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from mirror.people.requests import PersonRequest
from mirror.reports import selectors, services
from mirror.reports.models import Delivery, RunPart
from mirror.reports.pages.run import report_run_page
from mirror.reports.services import ReportError
from mirror.reports.views.common import complain, find_run
from mirror.reports.views.downloads import stream
from mirror.reports.views.fresh_links import fresh_forget, fresh_of


@require_safe
def run(request: PersonRequest, pk: int) -> HttpResponse:
    """A run: its times, what each SQL gave, its files and deliveries."""
    fresh = fresh_of(request)
    response = render(
        request, "reports/run.html", {"page": report_run_page(request.user, find_run(request, pk), fresh)}
    )
    return fresh_forget(response, pk) if fresh else response


@require_safe
def run_live(request: PersonRequest, pk: int) -> HttpResponse:
    """The content of a waiting page now."""
    page = report_run_page(request.user, find_run(request, pk))
    response = render(request, "reports/_run.html", {"page": page})
    if not page.is_working:
        response["X-Mirror-Ended"] = "1"
    return response


@require_safe
def deliveries(request: PersonRequest, pk: int) -> HttpResponse:
    """The deliveries as a fragment, for a page that waits for them; all of the run once they have ended."""
    page = report_run_page(request.user, find_run(request, pk))
    if page.is_sending:
        return render(request, "reports/_deliveries.html", {"page": page})
    response = render(request, "reports/_run.html", {"page": page})
    response["X-Mirror-Ended"] = "1"
    return response


@require_POST
def stop(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop a run, its statement in the database too."""
    services.report_run_stop(find_run(request, pk, to_change=True), request.user)
    return redirect("reports:run", pk)


@require_POST
def send_again(request: PersonRequest, pk: int) -> HttpResponse:
    """Send what a run made to everyone once more."""
    found = find_run(request, pk, to_change=True)
    try:
        count = services.report_run_send_again(found, request.user)
    except ReportError as error:
        complain(request, error)
    else:
        messages.success(
            request,
            ngettext("It is sent again, to %(count)s place.", "It is sent again, to %(count)s places.", count)
            % {"count": count},
        )
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
        messages.success(request, _("It is sent again to %(to)s.") % {"to": delivery.to})
    return redirect("reports:run", delivery.run_id)


@require_safe
def image(request: PersonRequest, pk: int, part: int) -> HttpResponseBase:
    """The chart of one SQL of a run, as it was sent."""
    found = find_run(request, pk)
    if not selectors.rows_visible(request.user, found):
        raise Http404(_("There is no such picture."))
    drawn = get_object_or_404(RunPart.objects.exclude(image=""), run=found, pk=part)
    response = stream(drawn.image_in(get_language() or ""), "image/png")
    response["Cache-Control"] = "private, max-age=86400"
    return response
