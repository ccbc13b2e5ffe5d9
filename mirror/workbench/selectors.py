"""Visibility of tabs and glances: a person sees their own. Reading a source takes the right to see it as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import QuerySet

from mirror.asking.selectors import runs_recent
from mirror.sources.selectors import sources_asked
from mirror.sources.sight import read_in_sight, seen_by
from mirror.workbench.models import Glance, Tab

if TYPE_CHECKING:
    from mirror.asking.models import Version
    from mirror.people.models import User
    from mirror.sources.models import Source

# Closed tabs that are offered to be opened again.
CLOSED = 10


def tabs_of(user: User) -> QuerySet[Tab]:
    """Every tab of somebody, of sources they lost as well: what was typed is theirs."""
    tabs = Tab.objects.filter(owner=user).select_related("source", "owner", "run")
    return tabs.defer("source__catalog")


def tabs_open(user: User) -> list[Tab]:
    """The open tabs, in the order they were opened."""
    return list(tabs_of(user).filter(closed_at=None))


def tabs_closed(user: User) -> list[Tab]:
    """The tabs closed last that hold something."""
    return list(tabs_of(user).exclude(closed_at=None).exclude(sql="").order_by("-closed_at")[:CLOSED])


def tab_last(user: User) -> Tab | None:
    """The open tab that was used last."""
    return tabs_of(user).filter(closed_at=None).order_by("-used_at", "-pk").first()


def source_of(tab: Tab) -> Source | None:
    """The source of a tab, as its owner sees it, where they still ask it."""
    found = sources_asked(tab.owner).filter(pk=tab.source_id).first() if tab.source_id else None
    return seen_by(tab.owner, found) if found is not None else None


def source_used(user: User) -> Source | None:
    """The source that somebody used last, in a tab or by a question, where they still ask it."""
    tab, runs = tab_last(user), runs_recent(user, 1)
    if runs and (tab is None or tab.source_id is None or runs[0].created_at > tab.used_at):
        return sources_asked(user).filter(pk=runs[0].thread.source_id).first()
    return source_of(tab) if tab is not None else None


def tab_of(version: Version) -> Tab | None:
    """The tab that a version ran in."""
    return tabs_of(version.run.thread.owner).filter(run=version.run_id).first()


def glances_visible_to(user: User) -> QuerySet[Glance]:
    """Somebody's glances into sources they still see."""
    glances = Glance.objects.filter(read_in_sight(user), owner=user, source__in=sources_asked(user))
    return glances.select_related("source", "owner", "result").defer("source__catalog")
