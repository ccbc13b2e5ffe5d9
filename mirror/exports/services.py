"""Run one SQL on a source and write its rows to a file: guarded, read-only, and in constant memory."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO

import sqlglot
from django.utils.translation import gettext as _
from sqlglot import exp

from mirror.audit.services import record
from mirror.exports import sheets
from mirror.exports.defusing import LIVE, PLAIN_NUMBER
from mirror.exports.file_writing import NO_COVER, pieces, write
from mirror.exports.pieces import write_pieces
from mirror.exports.values import Cover, ExportError, Sheet, Written
from mirror.phrases import separated
from mirror.queries.running import (
    NotRun,
    NotRunWhy,
    OpenedSource,
    Values,
    source_opened,
    sql_ready,
    sql_refused,
)
from sqlagent.errors import DatabaseError
from sqlagent.ports import CsvLines, CsvStreaming, RowStream, SourceDatabase
from sqlagent.values import Limits

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.results.models import StoredResult
    from mirror.sources.models import Source

log = logging.getLogger(__name__)

# A statement of an export may run for an hour, and a cell may be a small book.
EXPORT_SECONDS = 3_600.0
CELL_CHARS = 10_000_000


class ExportRefused(ExportError):
    """The guard did not let the SQL through; the message says why."""


def sql_export(
    source: Source,
    sql: str,
    format: str,
    to: Path | BinaryIO,
    *,
    seconds: float = EXPORT_SECONDS,
    rows: int | None = None,
    cover: Cover = NO_COVER,
    progress: Callable[[int], None] | None = None,
    stop: Flag | None = None,
) -> Written:
    """Run SQL on a source and write all its rows, or the first `rows`, to a file or a stream.

    A stream takes the formats that are streamed. PostgreSQL writes CSV itself. Setting `stop` ends
    the statement in the database. Raises: ExportRefused, ExportError; no file is left then.
    """
    limits = Limits(seconds, rows or sys.maxsize - 1, CELL_CHARS, sys.maxsize)
    try:
        with source_opened(source) as opened:
            sent = _ready(opened, sql)
            with (
                _stopped_by(stop, opened.database),
                _sheet(opened.database, sent, format, limits, cover.title) as (sheet, stream),
            ):
                if isinstance(to, Path):
                    written = write(format, [sheet], to, cover, progress)
                else:
                    written = _stream(format, sheet, to, progress)
                record("exported rows", source, format=format, rows=written.rows)
                return replace(written, notes=(*written.notes, *_cuts(stream, written.rows)))
    except DatabaseError as error:
        raise ExportError(f"{error.failure.message} {error.failure.advice}".strip()) from error


def rows_taken(result: StoredResult, format: str, by: User) -> None:
    """Tell the audit that somebody downloads the rows of a result."""
    record("downloaded rows", result, by=by, source=result.source.name, format=format, rows=result.row_count)


def _ready(opened: OpenedSource, sql: str) -> str:
    """The SQL to send to the source. Raises: ExportRefused; a shell gives no values."""
    passed = sql_ready(opened, sql, Values())
    if isinstance(passed, NotRun):
        if passed.why is NotRunWhy.REFUSED:
            sql_refused(opened.source, passed.failure, None)
        raise ExportRefused(" ".join(filter(None, (passed.failure.message, passed.failure.advice))))
    if names := _without_value(sql, opened.database.dialect):
        named = ", ".join(f":{name}" for name in names)
        raise ExportRefused(
            _("The SQL needs a value for %(named)s. Write the value itself in its place.") % {"named": named}
        )
    return passed.sent


def _without_value(sql: str, dialect: str) -> list[str]:
    """Names of parameters in SQL that the guard let through; a shell gives them no values."""
    found = sqlglot.parse_one(sql, dialect=dialect).find_all(exp.Placeholder, bfs=False)
    # `list[:n]`, a slice, is parsed as if it had a parameter in it.
    return list(
        dict.fromkeys(str(node.name) for node in found if node.name and not node.find_ancestor(exp.Bracket))
    )


@contextmanager
def _sheet(
    database: SourceDatabase, sql: str, format: str, limits: Limits, title: str
) -> Iterator[tuple[Sheet, RowStream | CsvLines]]:
    """The rows of a statement in the fastest way that the source and the format allow."""
    if format == "csv" and isinstance(database, CsvStreaming):
        with database.stream_csv(sql, limits, live=LIVE, plain=PLAIN_NUMBER) as lines:
            if lines is not None:
                yield sheets.sheet_of_lines(lines, title), lines
                return
    with database.stream(sql, limits) as stream:
        yield sheets.sheet_of_stream(stream, title), stream


@contextmanager
def _stopped_by(stop: Flag | None, database: SourceDatabase) -> Iterator[None]:
    """End the statement in the database, from a thread of its own, once `stop` is set."""
    if stop is None:
        yield
        return
    is_over = Flag()

    def watch() -> None:
        while not is_over.is_set():
            if stop.wait(0.1):
                database.cancel()
                is_over.wait(0.1)

    watching = Thread(target=watch, name="stop-export", daemon=True)
    watching.start()
    try:
        yield
    finally:
        is_over.set()
        watching.join()


def _stream(format: str, sheet: Sheet, to: BinaryIO, progress: Callable[[int], None] | None) -> Written:
    written = write_pieces(pieces(format, sheet), to, progress)
    to.flush()
    return written


def _cuts(stream: RowStream | CsvLines, rows: int) -> Iterator[str]:
    if stream.truncated:
        yield _("These are the first %(rows)s rows; there are more.") % {"rows": separated(f"{rows:,}")}
    if stream.cut_cells:
        yield _("%(cells)s cells were longer than %(most)s characters and were cut.") % {
            "cells": separated(f"{stream.cut_cells:,}"),
            "most": separated(f"{CELL_CHARS:,}"),
        }
