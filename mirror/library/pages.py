"""What the pages of the library show."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Page

from mirror.library import selectors
from mirror.library.forms import ArgumentsForm
from mirror.library.models import SavedSql
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
class ListPage:
    """Saved SQL, a page at a time."""

    rows: list[SavedSql]
    search: str
    broken: str
    number: int
    count: int
    total: int
    first_row: int
    last_row: int
    previous_url: str
    next_url: str


def list_page(found: Page[SavedSql], search: str, broken: str = "") -> ListPage:
    """Lay out one page of what a search found."""

    def address(number: int) -> str:
        asked = {"q": search, "broken": broken, "page": number}
        return "?" + urlencode({name: value for name, value in asked.items() if value})

    return ListPage(
        rows=list(found),
        search=search,
        broken=broken,
        number=found.number,
        count=found.paginator.num_pages,
        total=found.paginator.count,
        first_row=found.start_index(),
        last_row=found.end_index(),
        previous_url=address(found.number - 1) if found.has_previous() else "",
        next_url=address(found.number + 1) if found.has_next() else "",
    )
