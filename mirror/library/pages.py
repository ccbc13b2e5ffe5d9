"""What the pages of the library show."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page

from mirror.library import selectors
from mirror.library.forms import ArgumentsForm
from mirror.library.models import SavedSql
from mirror.paging import Pager, pager_of
from mirror.people.models import User


@dataclass(frozen=True, slots=True)
class SavedPage:
    """One saved SQL, and the form that runs it again."""

    saved: SavedSql
    arguments: ArgumentsForm
    may_change: bool
    may_run: bool
    team_names: list[str]


def saved_page(user: User, saved: SavedSql, arguments: ArgumentsForm) -> SavedPage:
    """Lay out saved SQL for somebody. `arguments` is the form: fresh, or with what is wrong with what was typed."""
    return SavedPage(
        saved=saved,
        arguments=arguments,
        may_change=selectors.may_change(user, saved),
        may_run=selectors.may_run(user, saved),
        team_names=list(saved.teams.values_list("name", flat=True)),
    )


@dataclass(frozen=True, slots=True)
class SavedListPage:
    """Saved SQL, a page at a time."""

    rows: list[SavedSql]
    search: str
    broken: str
    pager: Pager


def saved_list_page(found: Page[SavedSql], search: str, broken: str = "") -> SavedListPage:
    """Lay out one page of what a search found."""
    return SavedListPage(
        rows=list(found),
        search=search,
        broken=broken,
        pager=pager_of(found, q=search, broken=broken),
    )
