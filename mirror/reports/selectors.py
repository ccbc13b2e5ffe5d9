"""Which reports somebody may look at, and which rows and files of theirs.

A report is seen by its owner and by the members of its teams who also see every source of it. Rows and files
are seen only by who sees the source of every part they came from, the owner among them.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from mirror.library.models import SavedSql
from mirror.library.selectors import runnable, saved_visible, sql_is_shown
from mirror.people.models import User
from mirror.people.selectors import teams_of
from mirror.reports.models import Report, ReportFile, ReportPart, ReportRun, RunPart
from mirror.sources.catalogs import catalog_read
from mirror.sources.guarding import Refusal, sql_check
from mirror.sources.logins import login_of
from mirror.sources.models import Source, WithheldRight
from mirror.sources.selectors import sources_visible, sources_with
from mirror.sources.sight import seen_by, sources_in_part, withheld_now

SENDING = WithheldRight.Right.SENDING


def reports_visible(user: User) -> QuerySet[Report]:
    """List the reports somebody owns, or shares by a team together with every source of theirs."""
    shared = Report.teams.through.objects.filter(team__in=teams_of(user)).values("report")
    hidden = (
        ReportPart.objects.exclude(saved=None)
        .exclude(saved__source__in=sources_visible(user).values("pk"))
        .values("report")
    )
    others = RunPart.objects.filter(by_other_login(user)).values("run__report")
    found = Report.objects.filter(Q(owner=user) | (Q(pk__in=shared) & ~Q(pk__in=hidden) & ~Q(pk__in=others)))
    if parts := set(sources_in_part(user)):
        of_others = found.exclude(owner=user)
        found = found.exclude(pk__in=[one.pk for one in of_others if not _is_shown(user, one, parts)])
    return found.select_related("owner")


# Different statements that runs of a report were made of, and that are looked through; one of more is not shown.
MOST_STATEMENTS = 200


def _is_shown(user: User, report: Report, in_part: set[int]) -> bool:
    """Say whether all SQL of a report, now and in runs of before, reads only what somebody sees of sources that they see in part."""
    saved = SavedSql.objects.filter(report_parts__report=report, source__in=in_part).select_related("source")
    if not all(sql_is_shown(user, one) for one in saved):
        return False
    runs = RunPart.objects.filter(run__report=report, source__in=in_part)
    made = runs.order_by().values_list("source", "sql").distinct()[: MOST_STATEMENTS + 1]
    sources = Source.objects.in_bulk({pk for pk, _ in made})
    return len(made) <= MOST_STATEMENTS and all(_may_read(user, sources[pk], sql) for pk, sql in made)


def by_other_login(user: User) -> Q:
    """The condition on parts of runs whose rows were read by another login than somebody reads their source by now."""
    mapped = sources_visible(user).filter(maps_logins=True)
    logins = {source.pk: login_of(user, source) for source in mapped.select_related("owner")}
    same = Q(login="") & ~Q(source__in=[pk for pk, one in logins.items() if not one.is_own])
    for pk, one in logins.items():
        if one.name:
            same |= Q(source=pk, login=one.name)
    return ~same


def runs_unseen(user: User, runs: Iterable[ReportRun]) -> set[int]:
    """Name the runs, by their ids, with rows that were read by another login than somebody's."""
    parts = RunPart.objects.filter(by_other_login(user), run__in=[run.pk for run in runs])
    return set(parts.values_list("run", flat=True))


def may_change(user: User, report: Report) -> bool:
    """Say whether somebody may edit, run, share, hand over and delete a report: its owner alone."""
    return report.owner_id == user.pk


def may_own(user: User, report: Report) -> bool:
    """Say whether a report could run as somebody's: they are here, and see its SQL and its sources.

    Saved SQL of somebody who left is taken as seen: nobody could share it any more.
    """
    if not user.is_active:
        return False
    saved = SavedSql.objects.filter(report_parts__report=report)
    seen = Q(pk__in=saved_visible(user).values("pk")) | Q(owner__is_active=False)
    usable = Q(pk__in=runnable(user, saved).values("pk"), source__in=sources_with(user, SENDING).values("pk"))
    return not saved.exclude(seen & usable).exists()


def may_take_over(user: User, report: Report) -> bool:
    """Say whether somebody may make a report theirs: its owner was shut out, and they could be handed it."""
    return (
        not report.owner.is_active
        and report.teams.filter(pk__in=teams_of(user)).exists()
        and may_own(user, report)
    )


def owners_offered(report: Report) -> list[User]:
    """List who a report can be handed to: members of its teams who could own it, managers first."""
    members = User.objects.filter(teams__in=report.teams.all(), is_active=True, is_service=False)
    members = members.exclude(pk=report.owner_id)
    managed = Count("memberships", filter=Q(memberships__is_manager=True))
    ordered = members.annotate(managed=managed).order_by("-managed", "username").distinct()
    return [user for user in ordered if may_own(user, report)]


def run_visible(user: User, pk: int) -> ReportRun | None:
    """The run with this id if somebody may look at its report and, unless they own it, at its rows."""
    run = (
        ReportRun.objects.select_related("report__owner", "asked_by")
        .filter(pk=pk, report__in=reports_visible(user).values("pk"))
        .first()
    )
    if run is None or (run.report.owner_id != user.pk and not rows_visible(user, run)):
        return None
    return run


def rows_visible(user: User, run: ReportRun) -> bool:
    """Say whether somebody sees every source that a run's rows came from."""
    return _all_of(run, sources_visible(user)) and _in_sight(user, run)


def rows_withheld(user: User, run: ReportRun) -> str:
    """Say why somebody may not take files of a run away: a source of its rows withholds them; empty where they may."""
    is_taken = _all_of(run, sources_with(user, WithheldRight.Right.FILES)) and _in_sight(user, run)
    return "" if is_taken else _("The owner of a source lets your team look at its rows, not take them away.")


def rows_sendable(user: User, run: ReportRun) -> bool:
    """Say whether somebody may give files of a run to others: no source of its rows withholds sending from them."""
    return _all_of(run, sources_with(user, SENDING)) and _in_sight(user, run)


def _all_of(run: ReportRun, sources: QuerySet[Source]) -> bool:
    """Say whether all rows of a run came from these sources."""
    return not RunPart.objects.filter(run=run).exclude(source__in=sources.values("pk")).exists()


def _in_sight(user: User, run: ReportRun) -> bool:
    """Say whether every part of a run was read by somebody's login, and its SQL reads only what they may see of its source."""
    if runs_unseen(user, [run]):
        return False
    parts = RunPart.objects.filter(run=run, source__withholds=True).select_related("source")
    return all(_may_read(user, part.source, part.sql) for part in parts)


def _may_read(user: User, source: Source | None, sql: str) -> bool:
    if source is None or not withheld_now(seen_by(user, source)):
        return source is not None
    if not source.catalog:
        return False
    return not isinstance(sql_check(source, sql, catalog_read(source.catalog)), Refusal)


def file_visible(user: User, pk: int) -> ReportFile | None:
    """The file with this id if somebody may look at its run and sees every source of its rows."""
    file = ReportFile.objects.select_related("run__report").filter(pk=pk).first()
    if file is None or run_visible(user, file.run_id) is None or not rows_visible(user, file.run):
        return None
    return file


def reports_breaking(user: User) -> QuerySet[Report]:
    """List the reports somebody sees whose next run will fail: a saved SQL is gone, or no longer runs.

    With a source goes its saved SQL. SQL that a changed table breaks is known since the source was read anew.
    """
    broken = ReportPart.objects.filter(Q(saved=None) | ~Q(saved__problem="")).values("report")
    return reports_visible(user).filter(pk__in=broken)


def saved_usable(user: User) -> QuerySet[SavedSql]:
    """List the saved SQL that may be a part of somebody's report: what they see, may run and may send."""
    return runnable(user, saved_visible(user)).filter(source__in=sources_with(user, SENDING).values("pk"))
