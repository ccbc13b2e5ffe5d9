"""Rights to share by a link, and the links that somebody made.

A link shows what its maker sees, as long as they see it and no owner of a source withholds sending from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from mirror.asking.models import Run, Thread, Version
from mirror.asking.selectors import threads_visible_to, versions_visible_to
from mirror.dashboards.models import Card, Dashboard
from mirror.sharing.models import ShareLink
from mirror.sources.models import Source, WithheldRight
from mirror.sources.selectors import files_withheld, sources_with

if TYPE_CHECKING:
    from mirror.library.models import SavedSql
    from mirror.people.models import User

# How long a link that shows nothing any more stands among one's links.
OVER_SHOWN = timedelta(days=31)


def may_give(user: User, thing: Version | Thread | Dashboard) -> bool:
    """Say whether somebody may give a thing away by links: it is their own, and they still see it."""
    if isinstance(thing, Dashboard):
        return thing.owner_id == user.pk
    if isinstance(thing, Thread):
        return threads_visible_to(user).filter(pk=thing.pk).exists()
    return versions_visible_to(user).filter(pk=thing.pk).exists()


def unsendable(user: User, thing: Version | Thread | Dashboard) -> list[str]:
    """Name the sources of a thing whose rows somebody may not send: their owner withholds it, or shares them no more."""
    theirs = sources_with(user, WithheldRight.Right.SENDING)
    rest = Source.objects.filter(pk__in=_sources(thing)).exclude(pk__in=theirs.values("pk"))
    return list(rest.order_by("name").values_list("name", flat=True))


def title_of(thing: Run | Thread | Dashboard | SavedSql) -> str:
    """The name of a thing."""
    return thing.heading if isinstance(thing, Run) else str(thing)


def pdf_offered(link: ShareLink) -> bool:
    """Say whether a dashboard may be taken away by a link to it: its maker may take away rows of one of its sources."""
    if link.dashboard is None:
        return False
    sources = Source.objects.filter(pk__in=_sources(link.dashboard)).defer("catalog")
    return any(not files_withheld(link.made_by, one) for one in sources)


def _sources(thing: Version | Thread | Dashboard) -> list[int]:
    if isinstance(thing, Dashboard):
        return list(thing.cards.exclude(source=None).values_list("source", flat=True).distinct())
    thread = thing if isinstance(thing, Thread) else thing.run.thread
    return [thread.source_id]


def links_closed(user: User, links: Sequence[ShareLink]) -> set[UUID]:
    """Tell which of somebody's links show nothing now, as their rights do not reach that far any more; few reads for any number."""
    versions = versions_visible_to(user).filter(pk__in=[one.version_id for one in links if one.version_id])
    threads = threads_visible_to(user).filter(pk__in=[one.thread_id for one in links if one.thread_id])
    given = {*versions.values_list("pk", flat=True), None}, {*threads.values_list("pk", flat=True), None}
    sendable = {*sources_with(user, WithheldRight.Right.SENDING).values_list("pk", flat=True), None}
    boards = Card.objects.filter(dashboard__in=[one.dashboard_id for one in links if one.dashboard_id])
    shut = {board for board, source in boards.values_list("dashboard", "source") if source not in sendable}
    return {
        one.pk
        for one in links
        if one.version_id not in given[0]
        or one.thread_id not in given[1]
        or _source(one) not in sendable
        or one.dashboard_id in shut
    }


def _source(link: ShareLink) -> int | None:
    """The source of the question or thread that a link shows; None for a dashboard."""
    thread = link.version.run.thread if link.version is not None else link.thread
    return thread.source_id if thread is not None else None


def links_of(user: User) -> QuerySet[ShareLink]:
    """List the links that somebody made, newest first; those that ended long ago are left out."""
    found = ShareLink.objects.filter(made_by=user, expires_at__gt=timezone.now() - OVER_SHOWN)
    return found.select_related("version__run__thread", "thread", "dashboard").defer("version__figure")


def links_to(user: User, thing: Version | Thread | Dashboard) -> QuerySet[ShareLink]:
    """List those to one thing; of a question those to all of its versions."""
    if isinstance(thing, Dashboard):
        return links_of(user).filter(dashboard=thing)
    if isinstance(thing, Thread):
        return links_of(user).filter(thread=thing)
    return links_of(user).filter(version__run=thing.run_id)
