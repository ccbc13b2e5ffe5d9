"""Helpers of the views of reports: they find what an address names, and say why something was not done."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from mirror.people.pages import account_linked
from mirror.people.requests import PersonRequest
from mirror.reports import selectors
from mirror.reports.models import Report, ReportRun
from mirror.reports.pages.selectors import report_read
from mirror.reports.services import ReportError


def find_report(request: PersonRequest, pk: int, *, to_change: bool = False) -> Report:
    """The report with this id, if the person may see it. Raises: Http404, PermissionDenied."""
    report = report_read(request.user, pk)
    if report is None:
        raise Http404(_("There is no such report."))
    if to_change and not selectors.may_change(request.user, report):
        raise PermissionDenied(_("Only %(owner)s changes this report.") % {"owner": report.owner})
    return report


def find_run(request: PersonRequest, pk: int, *, to_change: bool = False) -> ReportRun:
    """The run with this id, if the person may see it. Raises: Http404, PermissionDenied."""
    found = selectors.run_visible(request.user, pk)
    if found is None:
        raise Http404(_("There is no such run."))
    if to_change and not selectors.may_change(request.user, found.report):
        raise PermissionDenied(_("Only %(owner)s changes this report.") % {"owner": found.report.owner})
    return found


def complain(request: PersonRequest, error: ReportError) -> None:
    """Say on the next page why something was not done."""
    messages.error(request, account_linked(f"{error} {error.advice}".strip()))
