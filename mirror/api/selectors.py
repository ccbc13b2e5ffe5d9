"""Things that a token sees: those of its person, of the sources that it is limited to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Prefetch, Q, QuerySet

from mirror.api.models import Token
from mirror.asking import selectors as asked
from mirror.library import selectors as library
from mirror.reports import selectors as reports
from mirror.reports.models import Report, ReportFile, ReportPart, ReportRun, RunPart
from mirror.sources.models import Source
from mirror.sources.selectors import sources_visible
from mirror.sources.sight import sources_in_part

if TYPE_CHECKING:
    from mirror.asking.models import Run, Version
    from mirror.library.models import SavedSql
    from mirror.people.models import User


def tokens_of(user: User) -> QuerySet[Token]:
    """List somebody's tokens, the newest first."""
    return _with_sources(Token.objects.filter(owner=user))


def tokens_of_services() -> QuerySet[Token]:
    """List the tokens of all services that were not revoked, the newest first."""
    return _with_sources(Token.objects.filter(owner__is_service=True, revoked_at=None))


def _with_sources(tokens: QuerySet[Token]) -> QuerySet[Token]:
    """With the names of their sources; catalogs are left unread."""
    return tokens.prefetch_related(Prefetch("sources", Source.objects.only("name")))


def sources_of(token: Token) -> QuerySet[Source]:
    """List the sources a token sees."""
    seen = sources_visible(token.owner)
    return seen.filter(pk__in=token.sources.values("pk")) if token.is_limited else seen


def runs_of(token: Token) -> QuerySet[Run]:
    """List the runs a token sees: those of its person."""
    runs = asked.runs_visible_to(token.owner)
    return runs.filter(thread__source__in=_limit(token)) if token.is_limited else runs


def run_of(token: Token, pk: int) -> Run | None:
    """The run of `runs_of` with this id."""
    run = asked.run_visible(token.owner, pk)
    if run is None or (token.is_limited and not token.sources.filter(pk=run.thread.source_id).exists()):
        return None
    return run


def versions_of(token: Token) -> QuerySet[Version]:
    """List the versions of the runs a token sees."""
    versions = asked.versions_visible_to(token.owner)
    return versions.filter(run__thread__source__in=_limit(token)) if token.is_limited else versions


def saved_of(token: Token, search: str = "") -> QuerySet[SavedSql]:
    """List the saved SQL a token sees and may run."""
    found = library.saved_visible(token.owner, search).filter(source__in=sources_of(token).values("pk"))
    return library.runnable(token.owner, found)


def reports_of(token: Token) -> QuerySet[Report]:
    """List the reports a token sees: those that read no other sources than it may."""
    found = reports.reports_visible(token.owner)
    if not token.is_limited:
        return found
    other = ReportPart.objects.exclude(saved=None).exclude(saved__source__in=_limit(token))
    return found.exclude(pk__in=other.values("report"))


def report_run_of(token: Token, pk: int) -> ReportRun | None:
    """The run of a report with this id, if a token sees it and every source its rows came from."""
    run = reports.run_visible(token.owner, pk)
    if run is not None and reports.runs_unseen(token.owner, [run]):
        return None
    if run is None or not token.is_limited:
        return run
    other = RunPart.objects.filter(run=run).exclude(Q(source__in=_limit(token)))
    is_seen = reports_of(token).filter(pk=run.report_id).exists() and not other.exists()
    return run if is_seen else None


def report_runs_of(token: Token, report: Report) -> QuerySet[ReportRun]:
    """List the runs of a report that a token sees, the newest first."""
    # Whether a member may see rows of a source in part depends on each SQL: a list leaves them out.
    whole = sources_of(token).exclude(pk__in=list(sources_in_part(token.owner)))
    seen = Q(source__in=whole.values("pk"))
    is_owner = report.owner_id == token.owner_id and not token.is_limited
    hidden = RunPart.objects.filter(reports.by_other_login(token.owner) | (Q() if is_owner else ~seen))
    return report.runs.exclude(pk__in=hidden.values("run")).prefetch_related("files")


def report_file_of(token: Token, run: ReportRun, pk: int) -> ReportFile | None:
    """A file of a run that a token sees."""
    file = reports.file_visible(token.owner, pk)
    return file if file is not None and file.run_id == run.pk else None


def _limit(token: Token) -> Any:
    return token.sources.values("pk")
