"""Visibility of the reasons of failed runs: a reason may hold the value of a cell, and the name of a column.

A failed run has no rows any more that would tell its sources, so the sources of its report decide. Pages and the API ask here
before they tell a reason.
"""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext_noop

from mirror.people.models import User
from mirror.reports.models import Report, ReportRun, RunPart
from mirror.sources.models import Source
from mirror.sources.selectors import sources_visible
from mirror.sources.sight import sight_of
from mirror.stored_words import row_said, translated

FAILED = gettext_noop("It failed. Its owner sees why.")
PAUSED = gettext_noop("It kept failing. Its owner sees why.")
FAILED_BEFORE = gettext_noop("It failed while somebody else owned the report.")
FAILED_ONCE = gettext_noop("It failed once. The last time: {reason}")
FAILED_OFTEN = gettext_noop("It failed {count} times in a row. The last time: {reason}")
PAUSED_BEFORE = gettext_noop("It kept failing while somebody else owned it.")


def pause_said(report: Report) -> str:
    """Say why a report paused itself, to its owner; empty where somebody paused it."""
    return translated(report.paused_why, (FAILED_OFTEN, FAILED_ONCE))


class Reasons:
    """Reasons of failed runs for one person. `unseen` are the ids of runs whose rows they do not see."""

    def __init__(self, user: User, unseen: Collection[int] = ()) -> None:
        self._user, self._unseen = user, unseen
        self._are_told: dict[int, bool] = {}

    def of_run(self, run: ReportRun) -> str:
        """Say why a run failed, was skipped or had nothing to send, as far as this person may know."""
        if not run.reason or self._sees(run):
            return row_said(run, "reason")
        if run.outcome == ReportRun.Outcome.SKIPPED:  # stopped or paused: no row was looked at
            return row_said(run, "reason")
        is_failure = run.outcome in ("", ReportRun.Outcome.FAILED)
        return translated(FAILED) if is_failure else ""

    def advice_of(self, run: ReportRun) -> str:
        """Say what to do about it, to who is told why."""
        return row_said(run, "advice") if not run.advice or self._sees(run) else ""

    def of_pause(self, report: Report) -> str:
        """Say why a report paused itself; empty where somebody paused it."""
        return translated(PAUSED) if report.paused_why and not self._is_told(report) else pause_said(report)

    def _sees(self, run: ReportRun) -> bool:
        says_value = bool(run.value) and run.pk in self._unseen
        return not says_value and self._is_told(run.report)

    def _is_told(self, report: Report) -> bool:
        if report.pk not in self._are_told:
            self._are_told[report.pk] = reasons_told(self._user, report)
        return self._are_told[report.pk]


def reasons_told(user: User, report: Report) -> bool:
    """Say whether somebody may read why runs of a report failed: its owner, and who sees of each source of it what its owner sees.

    Sources of runs of before count too. Where one is gone, or saved SQL is, nobody knows what was read.
    """
    if report.owner_id == user.pk:
        return True
    read = set(RunPart.objects.filter(run__report=report).order_by().values_list("source", flat=True))
    read |= set(report.parts.order_by().values_list("saved__source", flat=True))
    sources = list(
        sources_visible(user).filter(pk__in=read - {None}).select_related("owner").defer("catalog")
    )
    return len(sources) == len(read) and all(_sees_as(user, report.owner, source) for source in sources)


def reasons_leave(report: Report, to: User) -> None:
    """Forget why runs failed, where who is to own the report does not see what its owner saw. Called as the owner changes."""
    if reasons_told(to, report):
        return
    failed = report.runs.filter(outcome__in=("", ReportRun.Outcome.FAILED)).exclude(reason="")
    failed.update(reason=FAILED_BEFORE, advice="")
    Report.objects.filter(pk=report.pk).exclude(paused_why="").update(paused_why=PAUSED_BEFORE)


def _sees_as(user: User, owner: User, source: Source) -> bool:
    """Say whether somebody reads a source by the login of a report's owner, and no more is withheld from them."""
    mine, theirs = sight_of(user, source), sight_of(owner, source)
    return (
        mine.login.name == theirs.login.name
        and not mine.login.problem
        and (not mine.withheld or mine.withheld.key == theirs.withheld.key)
    )
