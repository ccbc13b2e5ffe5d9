"""The PDF of a dashboard for who has a link to it: asked for, watched, downloaded. The rights of the link's maker are asked each time."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.decorators import login_not_required
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from mirror.dashboards import pdf_exports
from mirror.dashboards.crossing import WHERE, conditions_read, where_carried
from mirror.dashboards.errors import DashboardError
from mirror.dashboards.models import PdfExport
from mirror.exports.values import FORMATS
from mirror.sharing import services
from mirror.sharing.closed_views import closed_off, link_is_gone
from mirror.sharing.errors import LinkGone
from mirror.sharing.models import ShareLink
from mirror.sharing.selectors import pdf_offered


# The address alone decides the answer, so no other site can use the sender's session; and a page without a referrer
# (`closed_off`) sends no origin that a token could be compared with.
@csrf_exempt
@login_not_required
@require_POST
@never_cache
def link_pdf_ask(request: HttpRequest, token: str, seen: str) -> HttpResponse:
    """Have the dashboard of a link written as it is seen by its address."""
    link = _link(token, seen)
    if link is None or link.dashboard is None:
        return link_is_gone(request)
    values = services.values_chosen(link, request.GET)
    conditions = [one.sent for one in conditions_read(request.GET.getlist(WHERE))]
    try:
        zone = request.POST.get("zone", "")
        made = pdf_exports.pdf_ask_by_link(link.pk, link.made_by, link.dashboard, values, conditions, zone)
    except DashboardError as error:
        context = {
            "problem": str(error),
            "export": None,
            "link": link,
            "back": _back(token, values, conditions),
        }
        return closed_off(render(request, "sharing/link_pdf.html", _told(context, link), status=429))
    return closed_off(redirect("sharing:link_pdf", token, seen, made.pk))


@login_not_required
@require_safe
@never_cache
def link_pdf(request: HttpRequest, token: str, seen: str, pk: int) -> HttpResponse:
    """How the PDF of a link stands, and the way to it."""
    link = _link(token, seen)
    if link is None:
        return link_is_gone(request)
    made = _export(link, pk)
    file = reverse("sharing:link_pdf_file", args=[token, seen, pk])
    context = {
        "export": made,
        "problem": _withheld(link, made),
        "file": file,
        "here": request.path,
        "back": _back(token, made.values, made.choices),
    }
    return closed_off(render(request, "sharing/link_pdf.html", _told(context, link)))


@login_not_required
@require_safe
@never_cache
def link_pdf_file(request: HttpRequest, token: str, seen: str, pk: int) -> HttpResponse:
    """The PDF itself."""
    link = _link(token, seen)
    if link is None:
        return link_is_gone(request)
    made = _export(link, pk)
    if _withheld(link, made):
        return link_is_gone(request)
    try:
        with default_storage.open(made.file, "rb") as file:
            response = HttpResponse(file.read(), content_type=FORMATS["pdf"].media_type)
    except (OSError, ValueError):
        raise Http404(_("There is no such file.")) from None
    if request.method != "HEAD":
        services.link_file_taken(link, made.row_count)
    response["Content-Disposition"] = content_disposition_header(True, made.file.rpartition("/")[2])
    return closed_off(response)


def _link(token: str, seen: str) -> ShareLink | None:
    """The link whose page was opened before; None where it shows nothing now, or its maker may take no rows away."""
    try:
        link = services.link_open(token, seen)
    except LinkGone:
        return None
    return link if pdf_offered(link) else None


def _export(link: ShareLink, pk: int) -> PdfExport:
    asked = PdfExport.objects.filter(link=link.pk, owner=link.made_by, dashboard=link.dashboard)
    return get_object_or_404(asked.select_related("dashboard"), pk=pk)


def _withheld(link: ShareLink, made: PdfExport) -> str:
    """Say why a file is not given: its maker may not take its rows away any more, or what the link shows was changed since."""
    if pdf_exports.pdf_withheld(link.made_by, made):
        return _("This file may not be taken away any more.")
    if link.dashboard is not None and pdf_exports.dashboard_changed(link.dashboard) > made.created_at:
        return _("The dashboard was changed since. Go back and ask for its PDF again.")
    return ""


def _back(token: str, values: dict[str, str], sent: list[str]) -> str:
    return reverse("sharing:link", args=[token]) + where_carried(values, conditions_read(sent))


def _told(context: Mapping[str, object], link: ShareLink) -> dict[str, object]:
    page = {"owner": link.made_by.called, "name": str(link.dashboard)}
    return {"file": "", "here": "", **context, "page": page, "until": link.expires_at}
