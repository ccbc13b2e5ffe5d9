"""A question as somebody sees it who did not ask it: its answer, to look at and not to change.

Rows are read as they were stored; nothing runs. By a link no SQL is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Prefetch
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from mirror.asking import selectors
from mirror.asking.models import Run, Thread, Version
from mirror.asking.pages.version import version_figure
from mirror.asking.pages.words import heading_said, mark_of
from mirror.asking.services.answer_standing import answer_standing
from mirror.phrases import counted, one_line
from mirror.results.cells import Cell
from mirror.results.formats import formats_of, headings_called, ranges_of_rows, rows_cells
from mirror.results.opened_files import ResultGone
from mirror.results.pages import SHOWN_COLUMNS
from mirror.results.rows import rows_of
from mirror.stored_words import row_said

# Rows that are shown of one question, of each question of a thread, and questions of a thread.
ROWS, THREAD_ROWS, RUNS = 500, 20, 50
UNNAMED = gettext_noop("Rows")


@dataclass(frozen=True, slots=True)
class SharedRun:
    """One question with its answer. It `is_verified` where somebody vouches for that; `draft` says why it may not be what was meant, `problem` why there are no rows.

    `more` says what its table leaves out. `sql` is empty where it is not shown.
    """

    id: int
    title: str
    question: str
    owner: str
    source: str
    state: str
    is_verified: bool
    draft: str
    sentence: str
    problem: str
    is_cut: bool
    data_time: datetime | None
    when: datetime
    figure: dict[str, Any] | None
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str
    sql: str


@dataclass(frozen=True, slots=True)
class SharedThread:
    """The questions of a thread, oldest first; `more` says what is left out."""

    id: int
    title: str
    owner: str
    source: str
    runs: tuple[SharedRun, ...]
    more: str


def shared_run(
    run: Run, version: Version | None = None, *, rows: int = ROWS, with_sql: bool = True
) -> SharedRun:
    """Show a question with the version given, else the one that its owner looks at."""
    version = version or next(iter(run.versions.select_related("result")), None)
    stands = answer_standing(run, version)
    table = _table(version, rows)
    columns = table.columns
    if not with_sql:
        called = headings_called([name for name, _ in columns])
        columns = tuple((words, is_number) for words, (_, is_number) in zip(called, columns, strict=True))
    return SharedRun(
        id=run.pk,
        title=heading_said(run.asked or run.question or _title(run.thread, with_sql=with_sql), version),
        question=run.question if run.asked and run.question != run.asked else "",
        owner=run.thread.owner.called,
        source=run.thread.source.name,
        state=mark_of(run, version, stands),
        is_verified=stands.is_verified,
        draft=stands.draft_said,
        sentence=row_said(version, "sentence") if version is not None else "",
        problem=table.problem
        or ("" if version is not None else row_said(run, "reason") or _("There is no answer yet.")),
        is_cut=bool(version is not None and version.result is not None and version.result.truncated),
        data_time=version.result.created_at if version is not None and version.result is not None else None,
        when=run.created_at,
        figure=version_figure(version) if version is not None and table.rows else None,
        columns=columns,
        rows=table.rows,
        more=table.more,
        sql=version.sql if version is not None and with_sql else "",
    )


def _title(thread: Thread, *, with_sql: bool) -> str:
    """The name of a thread; one that is called as the SQL typed in it has no name where no SQL is shown."""
    if with_sql:
        return thread.title
    typed = Version.objects.filter(run__thread=thread).values_list("sql", flat=True)
    return _(UNNAMED) if any(one_line(sql, 200) == thread.title for sql in typed) else thread.title


def shared_thread(thread: Thread, *, with_sql: bool = True) -> SharedThread:
    """Show a thread with the first rows of each of its questions."""
    runs = list(thread.runs.select_related("thread__source", "thread__owner").order_by("pk")[: RUNS + 1])
    return SharedThread(
        id=thread.pk,
        title=_title(thread, with_sql=with_sql),
        owner=thread.owner.called,
        source=thread.source.name,
        runs=tuple(shared_run(run, rows=THREAD_ROWS, with_sql=with_sql) for run in runs[:RUNS]),
        more=_("The first %(count)s questions are shown.") % {"count": RUNS} if len(runs) > RUNS else "",
    )


@dataclass(frozen=True, slots=True)
class SharedItem:
    """A question or a thread in the list of those that others share."""

    id: int
    is_thread: bool
    title: str
    owner: str
    source: str
    when: datetime


def shared_items(user: Any, words: str, most: int) -> tuple[SharedItem, ...]:
    """List what others share with teams of somebody, the newest first: threads, and questions that are shared alone."""
    threads = selectors.threads_shared_with(user)
    runs = selectors.runs_shared_with(user).exclude(thread__in=threads.values("pk"))
    for word in words.split()[:8]:
        threads, runs = threads.filter(title__icontains=word), runs.filter(asked__icontains=word)
    found = [
        *(
            SharedItem(one.pk, True, one.title, one.owner.called, one.source.name, one.created_at)
            for one in threads[:most]
        ),
        *(
            SharedItem(
                one.pk,
                False,
                heading_said(one.named, next(iter(one.versions.all()), None)),
                one.thread.owner.called,
                one.thread.source.name,
                one.created_at,
            )
            for one in runs.prefetch_related(
                Prefetch("versions", Version.objects.only("run", "departs", "saying"))
            )[:most]
        ),
    ]
    return tuple(sorted(found, key=lambda item: item.when, reverse=True)[:most])


@dataclass(frozen=True, slots=True)
class _Table:
    columns: tuple[tuple[str, bool], ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    more: str = ""
    problem: str = ""


def _table(version: Version | None, most: int) -> _Table:
    """The first rows of a version, with what is left out of them; or why there are none."""
    if version is None:
        return _Table()
    if not version.is_ended:
        return _Table(problem=_("Its SQL is still running. Look again in a moment."))
    if version.failure:
        return _Table(problem=_("Its SQL did not run to its end, so there are no rows."))
    if version.result is None:
        return _Table(problem=_("Its rows are no longer kept."))
    try:
        read = rows_of(version.result, most)
    except ResultGone:
        return _Table(problem=_("Its rows are no longer kept."))
    names = read.columns[:SHOWN_COLUMNS]
    rows = [row[: len(names)] for row in read.rows]
    formats = formats_of(version.result)
    cells = rows_cells(names, rows, formats, ranges_of_rows(names, rows, formats))
    looks = [next((row[n].look for row in cells if row[n].look != "null"), "") for n in range(len(names))]
    count, left = version.result.row_count, len(read.columns) - len(names)
    more = counted(count, "row")
    if count > len(cells):
        words = ngettext(
            "The first %(shown)s of %(count)s row", "The first %(shown)s of %(count)s rows", count
        )
        more = words % {"shown": intcomma(len(cells)), "count": intcomma(count)}
    if left > 0:
        words = ngettext("%(count)s more column", "%(count)s more columns", left)
        more += f", {words % {'count': intcomma(left)}}"
    return _Table(tuple((name, look == "num") for name, look in zip(names, looks, strict=True)), cells, more)
