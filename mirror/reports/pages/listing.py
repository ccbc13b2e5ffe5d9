"""Data of the list of reports: what each sends, when, and whether it goes well."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.utils.translation import gettext as _

from mirror import phrases
from mirror.paging import Pager, pager_of
from mirror.people.models import User
from mirror.reports.models import Report, ReportRun
from mirror.reports.pages import words
from mirror.reports.pages.words import Moment, State
from mirror.reports.reasons import Reasons


@dataclass(frozen=True, slots=True)
class Breaking:
    """Why a report's next run would fail, and the saved SQL to mend, where one may look at it."""

    saved_id: int | None
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One report in the list."""

    id: int
    title: str
    sends: str
    goes_to: str
    schedule: str
    next: Moment | None
    state: State | None
    last: Moment | None
    paused: str
    failing: str
    is_alerting: bool
    owner: str
    breaking: tuple[Breaking, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportListPage:
    """Reports, those in trouble to come first, a page at a time."""

    breaking: list[ReportLine]
    rows: list[ReportLine]
    search: str
    saved: int | None
    source: int | None
    has_any: bool
    may_begin: bool
    pager: Pager


def report_list_page(
    user: User,
    found: Page[Report],
    search: str,
    breaking: Sequence[Report],
    last_runs: Mapping[int, ReportRun],
    saved_seen: Collection[int],
    *,
    saved: int | None,
    source: int | None,
    has_any: bool,
    may_begin: bool,
) -> ReportListPage:
    """Lay out one page of a search; reports that will break are listed first, on the first page."""

    reasons = Reasons(user)

    def line(report: Report) -> ReportLine:
        return report_line(user, report, last_runs.get(report.pk), saved_seen, reasons)

    return ReportListPage(
        breaking=[line(report) for report in breaking] if found.number == 1 else [],
        rows=[line(report) for report in found],
        search=search,
        saved=saved,
        source=source,
        has_any=has_any,
        may_begin=may_begin,
        pager=pager_of(found, q=search, saved=saved, source=source),
    )


def report_line(
    user: User, report: Report, last: ReportRun | None, saved_seen: Collection[int], reasons: Reasons
) -> ReportLine:
    """Lay out one report."""
    deliveries = list(last.deliveries.all()) if last else []
    is_mine = report.owner_id == user.pk
    return ReportLine(
        id=report.pk,
        title=report.title,
        sends=sends_words(report),
        goes_to=goes_to_words(report),
        schedule=words.schedule_words(report),
        next=None if report.is_paused else words.moment(report.next_at, report.zone),
        state=words.state(words.run_state(last, deliveries)) if last else None,
        last=words.moment(last.scheduled_for or last.created_at, report.zone) if last else None,
        paused=(reasons.of_pause(report) or _("by hand")) if report.is_paused else "",
        failing=failing_words(report),
        is_alerting=report.is_alerting,
        owner="" if is_mine else report.owner.called,
        breaking=breaking_of(report, saved_seen),
    )


def breaking_of(report: Report, saved_seen: Collection[int]) -> tuple[Breaking, ...]:
    """Say which parts of a report will not run, and why; `saved_seen` are the ids one may look at."""
    found = []
    for part in report.parts.all():
        if part.saved is None:
            found.append(Breaking(None, part.name, _("The saved SQL was deleted, or its source was.")))
        elif part.saved.problem:
            seen = part.saved.pk if part.saved.pk in saved_seen else None
            found.append(Breaking(seen, part.saved.name, part.saved.problem))
    return tuple(found)


def sends_words(report: Report) -> str:
    """Name what a report sends: its first parts and how many more."""
    names = [part.name for part in report.parts.all()]
    if len(names) > 3:
        return _("%(names)s and %(count)s more") % {"names": ", ".join(names[:2]), "count": len(names) - 2}
    return phrases.joined(names)


def goes_to_words(report: Report) -> str:
    """Say in a few words where a report goes."""
    told = []
    for channel in report.channels.all():
        if channel.kind == "mail":
            told.append(phrases.counted(len(channel.target.get("to", [])), "person", "people"))
        else:
            told.append(
                {"slack": "Slack", "webhook": _("a webhook"), "folder": _("a folder"), "s3": "S3"}[
                    channel.kind
                ]
            )
    return phrases.joined(told)


def failing_words(report: Report) -> str:
    """Say that the last runs failed; nothing when the last did not."""
    if not report.failures:
        return ""
    return (
        _("Its last run failed")
        if report.failures == 1
        else _("Its last %(failures)s runs failed") % {"failures": report.failures}
    )
