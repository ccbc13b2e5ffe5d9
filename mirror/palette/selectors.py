"""The things whose name holds typed words, as far as somebody sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from django.db.models import Max, Model, Q, QuerySet

from mirror.asking.selectors import threads_visible_to
from mirror.dashboards.selectors import dashboards_visible
from mirror.library.selectors import saved_visible
from mirror.reports.selectors import reports_visible
from mirror.sources.selectors import sources_visible

if TYPE_CHECKING:
    from mirror.people.models import User

# Of each kind the newest this many are ranked; words beyond the first eight are not looked at.
MOST, WORDS = 200, 8
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Named:
    """One thing: its kind, its id, its name, a note beside it."""

    kind: str
    pk: int
    name: str
    note: str = ""


def words_of(typed: str) -> list[str]:
    """The words that are looked for, in small letters.

    Example:
        >>> words_of("  Sales of  MAY ")
        ['sales', 'of', 'may']
    """
    return typed.casefold().split()[:WORDS]


def named_visible(user: User, words: list[str]) -> list[Named]:
    """List sources, dashboards, reports, saved SQL and threads with every word in their names, kind by kind, newest first.

    A thread is known by its newest run.
    """
    sources = _holding(sources_visible(user), words, "name", "description").order_by("name")
    boards = _holding(dashboards_visible(user), words, "name").order_by("-updated_at", "-pk")
    reports = _holding(reports_visible(user), words, "title").order_by("-pk")
    saved = _holding(saved_visible(user), words, "name", "question").order_by("-updated_at", "-pk")
    threads = _holding(threads_visible_to(user).filter(is_sent=False), words, "title")
    newest = threads.annotate(newest=Max("runs")).exclude(newest=None).order_by("-newest")
    return [
        *(Named("source", one.pk, one.name, one.description) for one in sources[:MOST]),
        *(Named("dashboard", one.pk, one.name) for one in boards[:MOST]),
        *(Named("report", one.pk, one.title) for one in reports[:MOST]),
        *(Named("saved SQL", one.pk, one.name, one.source.name) for one in saved[:MOST]),
        *(Named("thread", one.newest, one.title, one.source.name) for one in newest[:MOST]),
    ]


def _holding(found: QuerySet[Row], words: list[str], *fields: str) -> QuerySet[Row]:
    for word in words:
        holds = Q()
        for field in fields:
            holds |= Q(**{f"{field}__icontains": word})
        found = found.filter(holds)
    return found
