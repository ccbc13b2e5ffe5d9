"""A dashboard to take away as a PDF: asked for, watched, downloaded."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from mirror.dashboards import pdf_exports, selectors
from mirror.dashboards.card_parameters import values_given
from mirror.dashboards.crossing import WHERE, conditions_read, where_carried
from mirror.dashboards.errors import DashboardError
from mirror.dashboards.models import PdfExport
from mirror.exports.values import FORMATS
from mirror.people.requests import PersonRequest


@require_POST
def pdf_ask(request: PersonRequest, pk: int) -> HttpResponse:
    """Have a dashboard written as a PDF, with the values and choices of the address."""
    found = get_object_or_404(selectors.dashboards_visible(request.user), pk=pk)
    values = values_given(request.GET, selectors.cards_of(found))
    conditions = conditions_read(request.GET.getlist(WHERE))
    try:
        made = pdf_exports.pdf_ask(
            request.user, found, values, [one.sent for one in conditions], request.POST.get("zone", "")
        )
    except DashboardError as error:
        messages.error(request, str(error))
        return redirect(reverse("dashboards:dashboard", args=[pk]) + where_carried(values, conditions))
    return redirect("dashboards:pdf", made.pk)


@require_safe
def pdf(request: PersonRequest, pk: int) -> HttpResponse:
    """How a PDF stands, and the way to it."""
    made = _export(request, pk)
    back = reverse("dashboards:dashboard", args=[made.dashboard_id]) + where_carried(
        made.values, conditions_read(made.choices)
    )
    withheld = pdf_exports.pdf_withheld(request.user, made)
    context = {"export": made, "back": back, "withheld": withheld}
    return render(request, "dashboards/pdf.html", context)


@require_safe
def pdf_file(request: PersonRequest, pk: int) -> HttpResponse:
    """The PDF itself."""
    made = _export(request, pk)
    if why := pdf_exports.pdf_withheld(request.user, made):
        raise PermissionDenied(why)
    try:
        with default_storage.open(made.file, "rb") as file:
            response = HttpResponse(file.read(), content_type=FORMATS["pdf"].media_type)
    except (OSError, ValueError):
        raise Http404(_("There is no such file.")) from None
    if request.method != "HEAD":
        pdf_exports.pdf_taken(request.user, made)
    response["Content-Disposition"] = content_disposition_header(True, made.file.rpartition("/")[2])
    response["Cache-Control"] = "private, no-store"
    return response


def _export(request: PersonRequest, pk: int) -> PdfExport:
    """One's own export of a dashboard that one still sees."""
    seen = selectors.dashboards_visible(request.user)
    mine = PdfExport.objects.filter(owner=request.user, dashboard__in=seen.values("pk"))
    return get_object_or_404(mine.select_related("dashboard"), pk=pk)
