"""What was asked before: all runs with search and pages, or one thread as a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.core.paginator import Paginator

from mirror.asking import selectors
from mirror.asking.models import Run, Thread
from mirror.asking.pages.words import percent, state_of
from mirror.phrases import counted
from mirror.sources.selectors import sources_visible

if TYPE_CHECKING:
    from mirror.people.models import User

PAGE_RUNS = 30


@dataclass(frozen=True, slots=True)
class RunItem:
    """One run in a list."""

    id: int
    thread_id: int
    title: str
    question: str
    source: str
    state: str
    confidence: int | None
    sentence: str
    sql: str
    versions: str
    when: datetime


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Runs of one person, newest first; `total` counts those that pass the search."""

    runs: tuple[RunItem, ...]
    words: str
    source: str
    sources: tuple[str, ...]
    number: int
    count: int
    total: int
    first_row: int
    last_row: int
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """One thread, oldest question first."""

    id: int
    title: str
    source: str
    runs: tuple[RunItem, ...]
    last_id: int | None


def history_page(user: User, words: str = "", source: str = "", number: str = "1") -> HistoryPage:
    """Show the runs whose question or SQL holds every word; past the last page, the last page."""
    paginator = Paginator(selectors.runs_found(user, words, source), PAGE_RUNS)
    page = paginator.get_page(number)

    def address(number: int) -> str:
        parts = {"q": words, "source": source, "page": number if number > 1 else ""}
        return "?" + urlencode({name: value for name, value in parts.items() if value})

    return HistoryPage(
        runs=tuple(map(_item, page.object_list)),
        words=words,
        source=source,
        sources=tuple(found.name for found in sources_visible(user)),
        number=page.number,
        count=paginator.num_pages,
        total=paginator.count,
        first_row=page.start_index(),
        last_row=page.end_index(),
        previous_url=address(page.number - 1) if page.has_previous() else "",
        next_url=address(page.number + 1) if page.has_next() else "",
    )


def thread_page(thread: Thread) -> ThreadPage:
    """Show a thread."""
    runs = selectors.thread_runs(thread)
    return ThreadPage(
        id=thread.pk,
        title=thread.title,
        source=thread.source.name,
        runs=tuple(map(_item, runs)),
        last_id=runs[-1].pk if runs else None,
    )


def _item(run: Run) -> RunItem:
    versions = list(run.versions.all())
    newest = versions[0] if versions else None
    return RunItem(
        id=run.pk,
        thread_id=run.thread_id,
        title=run.asked or run.question or run.thread.title,
        question=run.question if run.question != run.asked else "",
        source=run.thread.source.name,
        state=state_of(run),
        confidence=percent(run.confidence) if run.agreement_size else None,
        sentence=newest.sentence if newest and newest.sentence else run.reason,
        sql=newest.sql if newest else "",
        versions=counted(len(versions), "version") if len(versions) > 1 else "",
        when=run.created_at,
    )
