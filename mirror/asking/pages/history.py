"""Earlier questions: all runs with search and pages, or one thread as a conversation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mirror.asking import selectors
from mirror.asking.models import TITLE_CHARS, Run, Thread
from mirror.asking.pages.shared import SharedItem, shared_items
from mirror.asking.pages.words import confidence_told, heading_said, mark_of, state_said
from mirror.asking.services.answer_standing import AnswerStanding, newest_answer_standings
from mirror.paging import Pager, pager_of
from mirror.phrases import one_line
from mirror.sources.selectors import files_withheld, may_ask, sources_visible
from mirror.stored_words import row_said

if TYPE_CHECKING:
    from mirror.people.models import User

PAGE_RUNS, SHARED = 30, 200
OUTCOMES = ("answered", "ambiguous", "unanswerable", "failed")


@dataclass(frozen=True, slots=True)
class RunItem:
    """One run in a list."""

    id: int
    thread_id: int
    title: str
    question: str
    source: str
    state: str
    is_verified: bool
    is_hint_unused: bool
    confidence: int | None
    sentence: str
    sql: str
    versions: str
    when: datetime
    note: str = ""


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """Runs of one thread that stand together in a list."""

    id: int
    title: str
    is_pinned: bool
    runs: tuple[RunItem, ...]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Runs of one person by threads, pinned ones first and then the newest, a page at a time. They are what people asked, or, where `is_sent`, SQL that programs sent.

    Where it `is_shared` they are what others share with a team of theirs instead. There is a choice where programs sent any (`has_sent`), and others
    share any (`has_shared`).
    """

    threads: tuple[ThreadGroup, ...]
    shared: tuple[SharedItem, ...]
    is_shared: bool
    has_shared: bool
    words: str
    source: str
    sources: tuple[str, ...]
    outcome: str
    outcomes: tuple[tuple[str, str], ...]
    since: str
    until: str
    is_filtered: bool
    is_sent: bool
    has_sent: bool
    pager: Pager


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """One thread, oldest question first."""

    id: int
    title: str
    source: str
    is_pinned: bool
    runs: tuple[RunItem, ...]
    last_id: int | None
    no_files: str
    longest: int
    problem: str
    typed: str
    may_ask: bool


def history_page(
    user: User,
    words: str = "",
    source: str = "",
    number: str = "1",
    *,
    outcome: str = "",
    since: str = "",
    until: str = "",
    by: str = "",
) -> HistoryPage:
    """Show the runs whose question or SQL holds every word; past the last page, the last page. A day that is none is left out.

    `by` is "programs" for SQL that these sent, "others" for what these share.
    """
    is_sent, is_shared = by == "programs", by == "others"
    outcome = outcome if outcome in OUTCOMES else ""
    first, last = _day(since), _day(until)
    found = selectors.runs_found(
        user, words, source, outcome=outcome, since=first, until=last, is_sent=is_sent
    )
    page = Paginator(selectors.thread_by_thread(found), PAGE_RUNS).get_page(number)
    since, until = str(first or ""), str(last or "")
    return HistoryPage(
        threads=() if is_shared else _threads(list(page.object_list)),
        shared=shared_items(user, words, SHARED) if is_shared else (),
        is_shared=is_shared,
        has_shared=is_shared or selectors.runs_shared_with(user).exists(),
        outcome=outcome,
        outcomes=tuple((one, state_said(one)) for one in OUTCOMES),
        since=since,
        until=until,
        is_filtered=bool(words or source or outcome or since or until),
        words=words,
        source=source,
        sources=tuple(found.name for found in sources_visible(user)),
        is_sent=is_sent,
        has_sent=is_sent or selectors.threads_visible_to(user).filter(is_sent=True).exists(),
        pager=pager_of(
            page,
            q=words,
            source=source,
            outcome=outcome,
            since=since,
            until=until,
            by=by if is_sent or is_shared else "",
        ),
    )


def _day(typed: str) -> date | None:
    try:
        return date.fromisoformat(typed)
    except ValueError:
        return None


def _threads(runs: list[Run]) -> tuple[ThreadGroup, ...]:
    grouped = [list(group) for _thread, group in groupby(runs, key=lambda run: run.thread_id)]
    stand = newest_answer_standings(runs)
    return tuple(
        ThreadGroup(
            id=group[0].thread_id,
            title=group[0].thread.title,
            is_pinned=group[0].thread.is_pinned,
            runs=tuple(_item(run, stand[run.pk]) for run in group),
        )
        for group in grouped
    )


def thread_page(thread: Thread, *, problem: str = "", typed: str = "") -> ThreadPage:
    """Show a thread, with a title that was typed and the problem with it; a question that was not asked after the one above it says which one it goes on from."""
    runs = selectors.thread_runs(thread)
    stand = newest_answer_standings(runs)
    known = {run.pk: run for run in runs}
    notes = [
        _("Goes on from “%(question)s”") % {"question": one_line(known[run.after_id].heading, 200)}
        if run.after_id in known and above is not None and run.after_id != above.pk
        else ""
        for above, run in zip([None, *runs], runs, strict=False)
    ]
    return ThreadPage(
        id=thread.pk,
        title=thread.title,
        source=thread.source.name,
        is_pinned=thread.is_pinned,
        no_files=files_withheld(thread.owner, thread.source),
        longest=TITLE_CHARS,
        problem=problem,
        typed=typed or thread.title,
        runs=tuple(
            replace(_item(run, stand[run.pk]), note=note) for run, note in zip(runs, notes, strict=True)
        ),
        last_id=runs[-1].pk if runs else None,
        may_ask=may_ask(thread.owner, thread.source),
    )


def _item(run: Run, stands: AnswerStanding) -> RunItem:
    versions = list(run.versions.all())
    newest = versions[0] if versions else None
    return RunItem(
        id=run.pk,
        thread_id=run.thread_id,
        title=heading_said(run.named, newest),
        question=run.question if run.question != run.asked else "",
        source=run.thread.source.name,
        state=mark_of(run, newest, stands),
        is_verified=stands.is_verified,
        is_hint_unused=bool(run.unused_hint),
        confidence=confidence_told(run),
        sentence=row_said(newest, "sentence") if newest and newest.sentence else row_said(run, "reason"),
        sql=newest.sql if newest else "",
        versions=ngettext("%(count)s version", "%(count)s versions", len(versions)) % {"count": len(versions)}
        if len(versions) > 1
        else "",
        when=run.created_at,
    )
