"""A thread as one HTML file: questions, sentences, SQL and first rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mirror.asking.models import Thread
from mirror.asking.services.thread_files import Turn
from mirror.phrases import counted
from mirror.results.cells import Cell
from mirror.results.formats import formats_of, rows_cells
from mirror.results.opened_files import ResultGone
from mirror.results.rows import rows_of

# Rows and columns of one table; the rest is told.
ROWS, COLUMNS = 200, 50


@dataclass(frozen=True, slots=True)
class TurnFile:
    """One question as the file shows it; `note` says how much of the rows stands there, or why none does."""

    title: str
    when: datetime
    sentence: str
    is_verified: bool
    draft: str
    sql: str
    values: list[str]
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str


@dataclass(frozen=True, slots=True)
class ThreadFile:
    """A thread in a file."""

    title: str
    source: str
    turns: tuple[TurnFile, ...]


def thread_file(thread: Thread, turns: Sequence[Turn]) -> ThreadFile:
    """Lay out a thread for a file that is read without Mirror."""
    return ThreadFile(thread.title, thread.source.name, tuple(map(_turn, turns)))


def _turn(turn: Turn) -> TurnFile:
    columns, rows, note = _rows(turn)
    return TurnFile(
        title=turn.title,
        when=turn.run.created_at,
        sentence=turn.sentence,
        is_verified=turn.stands.is_verified,
        draft=turn.draft,
        sql=turn.version.sql if turn.version else "",
        values=turn.values,
        columns=columns,
        rows=rows,
        note=note,
    )


def _rows(turn: Turn) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...], str]:
    result = turn.version.result if turn.version else None
    if result is None:
        return (), (), ""
    try:
        read = rows_of(result, ROWS)
    except ResultGone as error:
        return (), (), str(error)
    names = read.columns[:COLUMNS]
    rows = rows_cells(names, [row[:COLUMNS] for row in read.rows], formats_of(result))
    note = counted(result.row_count, "row")
    if result.row_count > len(rows):
        words = ngettext(
            "The first %(shown)s of %(count)s row", "The first %(shown)s of %(count)s rows", result.row_count
        )
        note = words % {"shown": intcomma(len(rows)), "count": intcomma(result.row_count)}
    if result.truncated:
        note = _("%(rows)s; the source has more") % {"rows": note}
    if len(read.columns) > COLUMNS:
        left = len(read.columns) - COLUMNS
        words = ngettext("%(count)s more columns are left out", "%(count)s more columns are left out", left)
        note += f"; {words % {'count': left}}"
    return names, rows, f"{note}."
