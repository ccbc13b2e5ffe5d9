"""Files of a run: to download, and to give away by links that work without signing in."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from mirror.people.requests import PersonRequest
from mirror.reports import selectors, services
from mirror.reports.editing.forms import LinkForm
from mirror.reports.models import FileLink, ReportFile
from mirror.reports.pages.run import file_line, report_run_page
from mirror.reports.services import LinkGone, ReportError
from mirror.reports.views.common import complain
from mirror.reports.views.downloads import attachment
from mirror.reports.views.fresh_links import fresh_keep, link_address


def _file(request: PersonRequest, pk: int, *, to_change: bool = False) -> ReportFile:
    file = selectors.file_visible(request.user, pk)
    if file is None:
        raise Http404(_("There is no such file."))
    if to_change and not selectors.may_change(request.user, file.run.report):
        raise PermissionDenied(_("Only %(owner)s gives this file away.") % {"owner": file.run.report.owner})
    return file


@require_safe
def download(request: PersonRequest, pk: int) -> HttpResponseBase:
    """A file of a run, streamed."""
    file = _file(request, pk)
    if why := selectors.rows_withheld(request.user, file.run):
        raise PermissionDenied(why)
    response = attachment(file)
    if request.method != "HEAD":
        services.file_taken(file, request.user)
    return response


@require_POST
def link_make(request: PersonRequest, pk: int) -> HttpResponse:
    """Make a link to a file and show it, this once; without scripts on the run's own page, so that reloading
    makes no second one.
    """
    file = _file(request, pk, to_change=True)
    form = LinkForm(request.POST)
    try:
        if not form.is_valid():
            raise ReportError(_("Choose for how long the link works."))
        token = services.link_make(file, request.user, form.cleaned_data["hours"])
    except ReportError as error:
        complain(request, error)
        return redirect("reports:run", file.run_id)
    if request.headers.get("HX-Request"):
        return _shown(request, file, (file.pk, link_address(request, token)))
    return fresh_keep(redirect("reports:run", file.run_id), request, file, token)


@require_POST
def link_revoke(request: PersonRequest, pk: int) -> HttpResponse:
    """End a link now."""
    link = get_object_or_404(FileLink, pk=pk)
    file = _file(request, link.file_id, to_change=True)
    services.link_revoke(link, request.user)
    if not request.headers.get("HX-Request"):
        messages.success(request, _("The link gives nothing any more."))
        return redirect("reports:run", file.run_id)
    return _shown(request, file)


def _shown(request: PersonRequest, file: ReportFile, fresh: tuple[int, str] | None = None) -> HttpResponse:
    page = report_run_page(request.user, file.run, fresh)
    line = file_line(file, file.run.report.zone, fresh)
    response = render(request, "reports/_file.html", {"page": page, "file": line})
    response["Cache-Control"] = "no-store"
    return response


@login_not_required
@require_safe
@never_cache
def link(request: HttpRequest, token: str) -> HttpResponseBase:
    """The file a link gives, without signing in. Every faulty link gets the same answer."""
    try:
        file = services.link_open(token)
        response: HttpResponseBase = attachment(file)
    except (LinkGone, Http404):
        response = render(request, "reports/link_gone.html", status=404)
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response
