"""Reports and their runs as pages read them: with everything shown, in a few statements.

`mirror/reports/selectors.py` decides the visibility of reports.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Max, Prefetch, Q, QuerySet

from mirror.library.selectors import saved_visible
from mirror.people.models import User
from mirror.reports.models import Report, ReportPart, ReportRun, RunPart
from mirror.reports.selectors import reports_breaking, reports_visible

PARTS = Prefetch(
    "parts", ReportPart.objects.select_related("saved__source").defer("saved__sql", "saved__source__catalog")
)


def report_read(user: User, pk: int) -> Report | None:
    """The report with this id and all that its page shows, if somebody may see it."""
    return reports_visible(user).prefetch_related(PARTS, "channels", "teams").filter(pk=pk).first()


def reports_listed(
    user: User, search: str, *, is_breaking: bool, saved: int | None = None, source: int | None = None
) -> QuerySet[Report]:
    """List the reports somebody sees by title; either those that will fail at the next run, or the others.

    All words of `search` must be found, in title, note, saved SQL, owner or where it goes; with `saved`
    or `source`, only reports that send the saved SQL, or read the source, of that id.
    """
    breaking = reports_breaking(user).values("pk")
    found = reports_visible(user)
    found = found.filter(pk__in=breaking) if is_breaking else found.exclude(pk__in=breaking)
    if saved is not None:
        found = found.filter(pk__in=ReportPart.objects.filter(saved=saved).values("report"))
    if source is not None:
        found = found.filter(pk__in=ReportPart.objects.filter(saved__source=source).values("report"))
    for word in search.split():
        found = found.filter(
            Q(title__icontains=word)
            | Q(note__icontains=word)
            | Q(owner__username__icontains=word)
            | Q(pk__in=ReportPart.objects.filter(name__icontains=word).values("report"))
            | Q(pk__in=Report.objects.filter(channels__target__icontains=word).values("pk"))
        )
    return found.prefetch_related(PARTS, "channels")


def saved_seen(user: User, reports: Iterable[Report]) -> set[int]:
    """The ids of the saved SQL in some reports that somebody may look at."""
    sent = [part.saved_id for report in reports for part in report.parts.all() if part.saved_id]
    return set(saved_visible(user).filter(pk__in=sent).values_list("pk", flat=True))


def last_runs(reports: Iterable[Report]) -> dict[int, ReportRun]:
    """The newest run of each report with its deliveries, tests aside, by the report's id."""
    numbers = [report.pk for report in reports]
    newest = (
        Report.objects.filter(pk__in=numbers)
        .annotate(newest=Max("runs__pk", filter=~Q(runs__cause=ReportRun.Cause.TEST)))
        .values("newest")
    )
    return {
        run.report_id: run for run in ReportRun.objects.filter(pk__in=newest).prefetch_related("deliveries")
    }


def runs_of(report: Report) -> QuerySet[ReportRun]:
    """The runs of a report, newest first."""
    parts = Prefetch("parts", RunPart.objects.only("run", "attempt", "position", "row_count"))
    return report.runs.select_related("asked_by").prefetch_related(parts, "files", "deliveries")


def run_read(run: ReportRun) -> ReportRun:
    """The same run with all that its page shows."""
    return (
        ReportRun.objects.select_related("report__owner", "asked_by")
        .prefetch_related("parts__result__source", "parts__source", "files__links__made_by", "deliveries")
        .prefetch_related("report__parts")
        .get(pk=run.pk)
    )
