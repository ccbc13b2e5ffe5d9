"""Run SQL on a source and store its rows: opened read-only, bound, guarded, within limits.

Runs, versions, saved SQL, reports and exports all come here. Pages and reports choose their own words for a
refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.db import close_old_connections

from mirror.audit.services import record
from mirror.queries.parameters import ParameterError, sql_bind
from mirror.results.result_files import ResultNotKept
from mirror.results.services import result_receive
from mirror.sources.catalogs import source_catalog
from mirror.sources.guarding import Passed, Refusal, sql_check
from mirror.sources.limits import limits_of
from mirror.sources.logins import login_told
from mirror.sources.opening import open_source
from mirror.sources.sight import catalog_seen, sight_now
from mirror.work.store import store_keep
from sqlagent.errors import DatabaseError, Unreachable
from sqlagent.language.saying import spaced
from sqlagent.ports import SourceDatabase
from sqlagent.values import Catalog, Failure, FailureKind, Limits

if TYPE_CHECKING:
    from datetime import date

    from mirror.people.models import User
    from mirror.results.models import StoredResult
    from mirror.sources.models import Source
    from mirror.work.watching import Watch


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A source opened for one piece of work, with its catalog as that may see it, and the `whole` of it, by which values are kept."""

    source: Source
    database: SourceDatabase
    catalog: Catalog
    whole: Catalog


@dataclass(frozen=True, slots=True)
class Values:
    """The parameters of saved SQL with a value for each; dates in words are read as of `today`, or of now."""

    parameters: Sequence[Mapping[str, Any]] = ()
    arguments: Mapping[str, Any] | None = None
    today: date | None = None


class NotRunWhy(StrEnum):
    """The cause of SQL without rows: a value, the guard, the database, or the storage."""

    VALUE = "value"
    REFUSED = "refused"
    FAILED = "failed"
    UNKEPT = "unkept"


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Rows that were stored, and the SQL they are of, with its values in their places."""

    result: StoredResult
    sql: str


@dataclass(frozen=True, slots=True)
class NotRun:
    """Why there are no rows: in words fit to be shown, with a place in the SQL as it was given where one is known."""

    why: NotRunWhy
    failure: Failure


@contextmanager
def source_opened(source: Source) -> Iterator[OpenedSource]:
    """Open a source read-only, by the login of who has it in hand, and close it again. Raises: DatabaseError."""
    database = open_source(source)
    try:
        whole = source_catalog(source)
        yield OpenedSource(source, database, catalog_seen(whole, sight_now(source)), whole)
    except Unreachable as error:
        raise Unreachable(_failure_told(source, error.failure)) from error
    finally:
        database.close()


def statement_limits(source: Source) -> Limits:
    """The limits of a statement whose rows are stored for a page."""
    own = limits_of(source)
    return Limits(own.statement_seconds, own.result_rows, own.cell_chars, own.total_chars)


def sql_run(
    source: Source,
    sql: str,
    values: Values,
    limits: Limits,
    owner: User,
    *,
    keep_days: int | None = None,
    watch: Watch | None = None,
) -> KeptRows | NotRun:
    """Open a source, run SQL on it and store its rows as they come; nothing is stored where it says why not.

    `watch` ends the statement in the database. Rows are kept for as long as the source's are, or `keep_days`.
    """
    try:
        with source_opened(source) as opened:
            return sql_run_on(opened, sql, values, limits, owner, keep_days=keep_days, watch=watch)
    except DatabaseError as error:
        return NotRun(NotRunWhy.FAILED, error.failure)


def sql_run_on(
    opened: OpenedSource,
    sql: str,
    values: Values,
    limits: Limits,
    owner: User,
    *,
    keep_days: int | None = None,
    watch: Watch | None = None,
) -> KeptRows | NotRun:
    """Run SQL as `sql_run` does, on a source that is open."""
    passed = sql_ready(opened, sql, values)
    if isinstance(passed, NotRun):
        if passed.why is NotRunWhy.REFUSED:
            sql_refused(opened.source, passed.failure, owner)
        return passed
    close_old_connections()
    try:
        if watch is None:
            result = _received(opened, passed, limits, owner, keep_days)
        else:
            with watch.ending(opened.database.cancel):
                result = _received(opened, passed, limits, owner, keep_days)
    except DatabaseError as error:
        failure = _failure_told(opened.source, error.failure)
        return NotRun(NotRunWhy.FAILED, _placed(passed.placed(failure), passed.sql, sql))
    except ResultNotKept as error:
        return unkept(error)
    return KeptRows(result, passed.sql)


def sql_ready(opened: OpenedSource, sql: str, values: Values) -> Passed | NotRun:
    """Put values into SQL and ask the guard: what to send to the source, or why not."""
    if values.parameters:
        try:
            sql = sql_bind(
                sql,
                values.parameters,
                values.arguments or {},
                opened.database.dialect,
                today=values.today,
            )
        except ParameterError as error:
            return NotRun(NotRunWhy.VALUE, Failure(FailureKind.ERROR, str(error)))
    checked = sql_check(opened.source, sql, opened.catalog)
    if isinstance(checked, Refusal):
        words = spaced(checked.what, checked.why)
        return NotRun(
            NotRunWhy.REFUSED, Failure(FailureKind.REFUSED, words, checked.position, checked.advice)
        )
    return checked


NOT_ANY_MORE = Failure(FailureKind.REFUSED, "You may not use this source any more.")
"""Why something that waited does not run: who started it has lost the right meanwhile."""

_PLAIN = re.compile(r"[\w.,;:()'\"“”’-]{1,64}")


def sql_refused(source: Source, failure: Failure, by: User | None) -> None:
    """Tell the audit that the guard refused somebody's SQL, and why; not the SQL, in which values may stand.

    A name that the refusal quotes is told where it looks like one: `'https://user:password@host/x'` may stand in its place.
    """
    why = " ".join(word if _PLAIN.fullmatch(word) else "…" for word in failure.message.split())
    store_keep(lambda: record("ran SQL", source, by=by, is_refused=True, why=why))


def unkept(error: ResultNotKept) -> NotRun:
    """Rows that came back and could not be stored, as why there are none."""
    return NotRun(NotRunWhy.UNKEPT, Failure(FailureKind.ERROR, str(error), advice=error.advice))


def _received(
    opened: OpenedSource, passed: Passed, limits: Limits, owner: User, keep_days: int | None
) -> StoredResult:
    began = monotonic()
    with opened.database.stream(passed.sent, limits) as stream:
        waited = monotonic() - began
        return result_receive(
            opened.source, stream, owner, waited=waited, keep_days=keep_days, sql=passed.sql
        )


def _failure_told(source: Source, failure: Failure) -> Failure:
    """A failure to connect by a team's login, with a word on who sets that."""
    told = login_told(source, sight_now(source).login)
    if failure.kind is not FailureKind.LOST or not told or told in failure.advice:
        return failure
    return replace(failure, advice=spaced(failure.advice, told))


def _placed(failure: Failure, ran: str, given: str) -> Failure:
    """The failure with its position in the text that was given, or with none when that is not known."""
    start = given.find(ran)
    position = failure.position + start if failure.position is not None and start >= 0 else None
    return Failure(failure.kind, failure.message, position, failure.advice)
