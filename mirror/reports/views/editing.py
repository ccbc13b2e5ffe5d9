"""Make and change a report: one page, whose rows can be added and moved with scripts or without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from mirror.dashboards.selectors import dashboards_visible
from mirror.delivery import channels
from mirror.people.requests import PersonRequest, is_id
from mirror.reports import selectors, services
from mirror.reports.editing.channel_forms import ChannelRows
from mirror.reports.editing.forms import ReportForm
from mirror.reports.editing.part_forms import PartRows
from mirror.reports.editing.schedule_forms import ScheduleForm
from mirror.reports.models import Channel, Report
from mirror.reports.pages.editing import EditPage, SecretPage, next_runs
from mirror.reports.services import ReportError
from mirror.reports.views.common import find_report

read_or_post = require_http_methods(["GET", "HEAD", "POST"])

# Where a session keeps the ids of channels whose signing secret is to be shown next.
FRESH = "reports_fresh_secrets"


@dataclass(slots=True)
class _Typed:
    """The four forms of the page, which look like one."""

    form: ReportForm
    parts: PartRows
    when: ScheduleForm
    to: ChannelRows

    def is_valid(self) -> bool:
        """Whether all four can stand; every one of them says what it misses."""
        return all([self.form.is_valid(), self.parts.is_valid(), self.when.is_valid(), self.to.is_valid()])

    def given(self) -> dict[str, Any]:
        """The arguments of the services."""
        plain = ("note", "formats", "native_chart", "condition", "keep_days", "pause_after")
        parts = self.parts.parts()
        return {
            **{name: self.form.cleaned_data[name] for name in plain},
            "title": self.form.cleaned_data["title"] or parts[0][0].name,
            "threshold": self.form.threshold,
            "parts": parts,
            "channels": self.to.given(),
            "schedule": self.when.cleaned_schedule,
            "zone": self.when.cleaned_data["zone"],
            "missed": self.when.cleaned_data["missed"],
        }


@sensitive_post_parameters()
@read_or_post
def new(request: PersonRequest) -> HttpResponse:
    """Make a report; `?saved=3` begins with that saved SQL, `&country=Norway` with that value, `&dashboard=2` with the words of that."""
    usable = selectors.saved_usable(request.user)
    if request.method == "POST":
        return _posted(request, None, _read(request, None))
    parts = PartRows.of_saved(usable, request.GET.getlist("saved"), request.GET)
    title, note = parts.rows[0].name if parts.rows else "", ""
    if is_id(number := request.GET.get("dashboard", "")):
        board = dashboards_visible(request.user).filter(pk=int(number)).first()
        title, note = (board.name, services.dashboard_note(board)) if board is not None else (title, note)
    typed = _Typed(
        ReportForm(initial={"title": title, "note": note, "formats": ["xlsx"]}),
        parts,
        ScheduleForm(),
        ChannelRows.of_new(request.user),
    )
    return _shown(request, None, typed)


@sensitive_post_parameters()
@read_or_post
def edit(request: PersonRequest, pk: int) -> HttpResponse:
    """Change a report."""
    report = find_report(request, pk, to_change=True)
    if request.method == "POST":
        return _posted(request, report, _read(request, report))
    typed = _Typed(
        ReportForm(initial=ReportForm.initial_of(report)),
        PartRows.of_report(selectors.saved_usable(request.user), report),
        ScheduleForm.of_report(report),
        ChannelRows.of_report(report, request.user),
    )
    return _shown(request, report, typed)


def _read(request: PersonRequest, report: Report | None) -> _Typed:
    return _Typed(
        ReportForm(request.POST),
        PartRows.of_post(selectors.saved_usable(request.user), request.POST),
        ScheduleForm(request.POST, by_staff=request.user.is_staff),
        ChannelRows.of_post(report, request.user, request.POST),
    )


def _posted(request: PersonRequest, report: Report | None, typed: _Typed) -> HttpResponse:
    """A row was added, moved or removed, or all is to be kept."""
    if wish := request.POST.get("change", ""):
        _change(typed, wish, request.POST.get("saved", ""))
        return _shown(request, report, typed, is_judged=False)
    if not typed.is_valid():
        return _shown(request, report, typed, status=422)
    before = {} if report is None else _secrets(report)
    try:
        if report is None:
            kept = services.report_create(request.user, **typed.given())
        else:
            kept = services.report_update(report, **typed.given())
    except ReportError as error:
        typed.form.add_error(None, f"{error} {error.advice}".strip())
        return _shown(request, report, typed, status=422)
    fresh = [pk for pk, secret in _secrets(kept).items() if before.get(pk) != secret]
    if not fresh:
        return redirect("reports:report", kept.pk)
    request.session[FRESH] = fresh
    return redirect("reports:secret", kept.pk)


def _change(typed: _Typed, wish: str, saved: str) -> None:
    """Do what a button beside a row says: `part:up-2`, `part:add`, `add:mail`, `remove:0` ..."""
    what, _, which = wish.partition(":")
    if (what, which) == ("part", "add"):
        typed.parts.add(saved)
    elif what == "part":
        typed.parts.change(which)
    elif what == "add":
        typed.to.add(which)
    elif what == "remove":
        typed.to.remove(which)


def _shown(
    request: PersonRequest, report: Report | None, typed: _Typed, *, status: int = 200, is_judged: bool = True
) -> HttpResponse:
    page = EditPage(report, typed.form, typed.parts, typed.when, typed.to, next_runs(typed.when))
    if is_judged:
        page.lead_to_first_error()
    else:
        page.forget_errors()
    response = render(request, "reports/form.html", {"page": page}, status=status)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def ahead(request: PersonRequest) -> HttpResponse:
    """The next runs of the schedule being typed, as a fragment."""
    return render(
        request,
        "reports/_next.html",
        {"next": next_runs(ScheduleForm(request.POST, by_staff=request.user.is_staff))},
    )


# ---------------------------------------------------------------- the signing secret


def _secrets(report: Report) -> dict[int, str]:
    return {channel.pk: channel.secret for channel in report.channels.filter(kind=Channel.Kind.WEBHOOK)}


@require_safe
@never_cache
def secret(request: PersonRequest, pk: int) -> HttpResponse:
    """Show signing secrets that were made just now, this once: the session knows whose, never what they are."""
    report = find_report(request, pk, to_change=True)
    found = report.channels.filter(pk__in=request.session.pop(FRESH, []), kind=Channel.Kind.WEBHOOK)
    if not found:
        return redirect("reports:report", pk)
    secrets = [(", ".join(channels.describe(one.kind, one.target)), one.secret) for one in found]
    return render(request, "reports/secret.html", {"page": SecretPage(report, secrets)})
