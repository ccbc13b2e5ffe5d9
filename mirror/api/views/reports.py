"""Reports: listed, run, and what their runs made."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from ninja import Router

from mirror.api import problems, schemas, selectors
from mirror.api.models import Scope, Token
from mirror.api.services import token_check
from mirror.api.telling import address, paged, report_run_told, report_told
from mirror.api.views.calls import (
    PROBLEMS,
    REPORTS,
    Key,
    Limit,
    Offset,
    TokenRequest,
    done_once,
    refused,
    seen,
)
from mirror.reports import services
from mirror.reports.models import Report, ReportRun
from mirror.reports.reasons import Reasons
from mirror.reports.selectors import may_change, rows_withheld
from mirror.reports.views.downloads import attachment

router = Router(tags=["Reports"])


def _report(token: Token, pk: int) -> Report:
    return seen(selectors.reports_of(token).filter(pk=pk).first())


def _run(token: Token, pk: int) -> ReportRun:
    return seen(selectors.report_run_of(token, pk))


@router.get("/reports", auth=REPORTS, response={200: schemas.Reports, **PROBLEMS}, url_name="reports_list")
def reports_list(request: TokenRequest, limit: Limit, offset: Offset) -> Any:
    """List the reports one sees."""
    found = selectors.reports_of(request.auth).prefetch_related("parts")
    reasons = Reasons(request.user)
    return paged(found, lambda one: report_told(one, reasons), address("reports_list"), limit, offset)


@router.get(
    "/reports/{report}", auth=REPORTS, response={200: schemas.ReportTold, **PROBLEMS}, url_name="report_read"
)
def report_read(request: TokenRequest, report: int) -> Any:
    """Tell of one report."""
    return report_told(_report(request.auth, report), Reasons(request.user))


@router.get(
    "/reports/{report}/runs",
    auth=REPORTS,
    response={200: schemas.ReportRuns, **PROBLEMS},
    url_name="report_runs",
)
def report_runs(request: TokenRequest, report: int, limit: Limit, offset: Offset) -> Any:
    """List the runs of a report whose rows one sees, the newest first."""
    found = selectors.report_runs_of(request.auth, _report(request.auth, report))
    reasons = Reasons(request.user)
    here = address("report_runs", report)
    return paged(found, lambda run: report_run_told(run, reasons), here, limit, offset)


@router.post(
    "/reports/{report}/runs",
    auth=REPORTS,
    response={202: schemas.ReportRunTold, **PROBLEMS},
)
def report_run(request: TokenRequest, report: int, key: Key) -> HttpResponse:
    """Make a report now and send it to everywhere it goes. Its owner's tokens alone may."""
    found = _report(request.auth, report)
    if not may_change(request.user, found):
        raise problems.Problem(
            403, "not-the-owner", "Only its owner runs this report.", f"It is {found.owner.get_username()}'s."
        )

    def act() -> schemas.ReportRunTold:
        try:
            return report_run_told(services.report_run_now(found, request.user), Reasons(request.user))
        except services.ReportError as error:
            raise refused(f"{error} {error.advice}") from None

    return done_once(request, key, act)


@router.get(
    "/report-runs/{run}",
    auth=REPORTS,
    response={200: schemas.ReportRunTold, **PROBLEMS},
    url_name="report_run_read",
)
def report_run_read(request: TokenRequest, run: int) -> Any:
    """Tell how one run of a report goes, and which files it made."""
    return report_run_told(_run(request.auth, run), Reasons(request.user))


@router.get(
    "/report-runs/{run}/files/{file}", auth=REPORTS, response={200: None, **PROBLEMS}, url_name="report_file"
)
def report_file(request: TokenRequest, run: int, file: int) -> HttpResponseBase:
    """Give a file that a run made. The token needs the scope “rows” besides."""
    token_check(request.auth, [Scope.ROWS], Token.Use.PROGRAM, f"{request.method} {request.path_info}")
    found = seen(selectors.report_file_of(request.auth, _run(request.auth, run), file))
    if why := rows_withheld(request.user, found.run):
        raise problems.Problem(403, "no-files", "This file may not be taken away.", why)
    try:
        response = attachment(found)
    except Http404:
        raise problems.Problem(410, "gone", "This file is no longer kept.", "Run the report again.") from None
    services.file_taken(found, request.user)
    return response
