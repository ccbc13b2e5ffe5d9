"""Pages of reports and their buttons: list, look, run, pause, share, hand over, delete."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.people.forms import ShareForm
from mirror.people.requests import PersonRequest, is_id, posted_in, search_typed
from mirror.people.selectors import teams_of
from mirror.reports import selectors, services
from mirror.reports.editing.forms import HandOverForm
from mirror.reports.models import Channel, Report, ReportRun
from mirror.reports.pages.listing import ReportListPage, report_list_page
from mirror.reports.pages.report import ReportPage, report_page
from mirror.reports.pages.selectors import last_runs, reports_listed, runs_of, saved_seen
from mirror.reports.pages.sending import met_lines
from mirror.reports.reasons import Reasons
from mirror.reports.services import ReportError
from mirror.reports.views.common import complain, find_report

read_or_post = require_http_methods(["GET", "HEAD", "POST"])

PER_PAGE = 50
RUNS_PER_PAGE = 25


# ---------------------------------------------------------------- looking


@require_safe
def report_list(request: PersonRequest) -> HttpResponse:
    """List and search the reports one may see; those that will fail come first.

    `?saved=3` and `?source=2`: those alone that send that saved SQL, or read that source.
    """
    search = search_typed(request)
    page = _list(request, search, _number(request, "saved"), _number(request, "source"))
    met = met_lines() if request.user.is_staff else []
    return render(request, "reports/list.html", {"page": page, "met": met})


def _number(request: PersonRequest, name: str) -> int | None:
    typed = request.GET.get(name, "")
    return int(typed) if is_id(typed) else None


def _list(request: PersonRequest, search: str, saved: int | None, source: int | None) -> ReportListPage:
    broken = reports_listed(request.user, search, is_breaking=True, saved=saved, source=source)
    others = reports_listed(request.user, search, is_breaking=False, saved=saved, source=source)
    found = Paginator(others, PER_PAGE).get_page(request.GET.get("page"))
    return report_list_page(
        request.user,
        found,
        search,
        list(broken),
        last_runs([*broken, *found]),
        saved_seen(request.user, [*broken, *found]),
        has_any=bool(search or saved or source or broken or found.paginator.count),
        saved=saved,
        source=source,
        may_begin=selectors.saved_usable(request.user).exists(),
    )


@require_safe
def report(request: PersonRequest, pk: int) -> HttpResponse:
    """Show what a report sends, when and to whom, and how every run of it went."""
    return render(request, "reports/report.html", {"page": _page(request, find_report(request, pk))})


@require_safe
def history(request: PersonRequest, pk: int) -> HttpResponse:
    """The history as a fragment, for a page that waits for a run to end."""
    page = _page(request, find_report(request, pk))
    response = render(request, "reports/_history.html", {"history": page.history})
    if not page.is_working:
        response["X-Mirror-Ended"] = "1"
    return response


def _page(request: PersonRequest, report: Report) -> ReportPage:
    runs: Page[ReportRun] = Paginator(runs_of(report), RUNS_PER_PAGE).get_page(request.GET.get("page"))
    return report_page(
        report,
        runs,
        Reasons(request.user, selectors.runs_unseen(request.user, runs)),
        may_change=selectors.may_change(request.user, report),
        may_take_over=selectors.may_take_over(request.user, report),
        saved_seen=saved_seen(request.user, [report]),
    )


# ---------------------------------------------------------------- buttons


def _done(request: PersonRequest, pk: int, act: Callable[[Report], object], words: str) -> HttpResponse:
    """Do something to a report one owns, say what came of it, and go back to its page."""
    report = find_report(request, pk, to_change=True)
    try:
        act(report)
    except ReportError as error:
        complain(request, error)
    else:
        messages.success(request, words.format(report=report))
    return redirect("reports:report", pk)


@require_POST
def run_now(request: PersonRequest, pk: int) -> HttpResponse:
    """Make a report now, send it to everyone, and watch."""
    return _begin(request, pk, services.report_run_now)


@require_POST
def test(request: PersonRequest, pk: int) -> HttpResponse:
    """Make a report now, send it to oneself alone, and watch."""
    return _begin(request, pk, services.report_test)


def _begin(request: PersonRequest, pk: int, begin: Callable[..., ReportRun]) -> HttpResponse:
    report = find_report(request, pk, to_change=True)
    try:
        run = begin(report, request.user)
    except ReportError as error:
        complain(request, error)
        return redirect("reports:report", pk)
    return redirect("reports:run", run.pk)


@require_POST
def pause(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop a report's schedule for a while."""
    words = _("{report} is paused: nothing runs until you resume it.")
    return _done(request, pk, lambda report: services.report_pause(report, request.user), words)


@require_POST
def resume(request: PersonRequest, pk: int) -> HttpResponse:
    """Let a report's schedule go on."""
    words = _("{report} runs on schedule again.")
    return _done(request, pk, lambda report: services.report_resume(report, request.user), words)


@require_POST
def recipient_allow(request: PersonRequest, pk: int) -> HttpResponse:
    """Send again to an address whose server refused it."""
    report = find_report(request, pk, to_change=True)
    number = request.POST.get("channel", "")
    channel = get_object_or_404(Channel, report=report, pk=int(number) if is_id(number) else 0)
    address = request.POST.get("address", "")[:500]
    services.recipient_allow(channel, address)
    messages.success(request, _("%(address)s gets the next run again.") % {"address": address})
    return redirect("reports:report", pk)


# ---------------------------------------------------------------- whose it is


@read_or_post
def share(request: PersonRequest, pk: int) -> HttpResponse:
    """Choose the teams that see a report."""
    report = find_report(request, pk, to_change=True)
    offered = teams_of(request.user)
    if request.method == "POST":
        form = ShareForm(request.POST, offered=offered)
        if form.is_valid():
            services.report_share(report, form.cleaned_data["teams"], request.user)
            return redirect("reports:report", pk)
    else:
        form = ShareForm(offered=offered, initial={"teams": report.teams.all()})
    status = 422 if form.is_bound else 200
    return render(request, "reports/share.html", {"form": form, "report": report}, status=status)


@read_or_post
def hand_over(request: PersonRequest, pk: int) -> HttpResponse:
    """Give a report to somebody else."""
    report = find_report(request, pk, to_change=True)
    form = HandOverForm(posted_in(request), offered=selectors.owners_offered(report))
    if form.is_valid():
        person = form.cleaned_data["owner"]
        try:
            services.report_hand_over(report, person, request.user)
        except ReportError as error:
            form.add_error("owner", f"{error} {error.advice}".strip())
        else:
            name = person.called
            messages.success(
                request, _("%(title)s is %(name)s's now.") % {"title": report.title, "name": name}
            )
            return redirect("reports:list")
    status = 422 if form.is_bound else 200
    return render(request, "reports/hand_over.html", {"form": form, "report": report}, status=status)


@require_POST
def take_over(request: PersonRequest, pk: int) -> HttpResponse:
    """Make a report one's own whose owner was shut out."""
    report = find_report(request, pk)
    try:
        services.report_take_over(report, request.user)
    except ReportError as error:
        raise PermissionDenied(str(error)) from None
    messages.success(
        request, _("%(title)s is yours now; its SQL runs with what you may see.") % {"title": report.title}
    )
    return redirect("reports:report", pk)


@read_or_post
def delete(request: PersonRequest, pk: int) -> HttpResponse:
    """Let a report go with its history, after asking once."""
    report = find_report(request, pk, to_change=True)
    if request.method == "POST":
        services.report_delete(report, request.user)
        messages.success(request, _("%(title)s is deleted and sent no more.") % {"title": report.title})
        return redirect("reports:list")
    return render(request, "reports/delete.html", {"report": report})
