"""Runs candidates: guarded, concurrently, each distinct SQL once, within limits.

Decides what is run and in which order it is reported, not what the rows mean. The guard decides what may run, the
adapter how a statement is broken off.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Protocol

from sqlagent import guard
from sqlagent.errors import Cancelled, DatabaseError, StatementFailed
from sqlagent.guard import Passed, Policy
from sqlagent.language.saying import spaced, worded
from sqlagent.ports import Database
from sqlagent.values import (
    OWN_WORDS,
    Candidate,
    Catalog,
    Execution,
    Failure,
    FailureKind,
    Limits,
    Refusal,
    Rows,
)

POLL_SECONDS = 0.05
"""How soon a set `cancelled` is noticed; the issue allows one second until the statement is gone."""


class Cache(Protocol):
    """Keeps the results of one source between runs. Called from several threads at once."""

    def get(self, key: tuple[str, ...]) -> Rows | None:
        """Find the rows kept for a key; None where there are none any more."""
        ...

    def put(self, key: tuple[str, ...], rows: Rows) -> None:
        """Keep rows for a key; a cache may forget them at any time."""
        ...


class MemoryCache:
    """Keeps the newest results of one source in this process, up to an age and a number of cells.

    Example:
        >>> cache = MemoryCache(cells=2)
        >>> cache.put(("v1", "SELECT 1"), Rows(("1",), ((1,),)))
        >>> cache.get(("v1", "SELECT 1")).rows
        ((1,),)
    """

    def __init__(self, cells: int = 2_000_000, seconds: float = 300.0) -> None:
        self._cells = cells
        self._seconds = seconds
        self._held = 0
        self._kept: dict[tuple[str, ...], tuple[float, Rows]] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[str, ...]) -> Rows | None:
        """Find the rows kept for a key, unless they are too old."""
        with self._lock:
            at, rows = self._kept.get(key, (-self._seconds, None))
            return rows if time.monotonic() - at < self._seconds else None

    def put(self, key: tuple[str, ...], rows: Rows) -> None:
        """Keep rows; the oldest go when there are too many cells."""
        with self._lock:
            if key in self._kept:
                self._held -= _weight(self._kept.pop(key)[1])
            self._held += _weight(rows)
            self._kept[key] = (time.monotonic(), rows)
            while self._held > self._cells and self._kept:
                self._held -= _weight(self._kept.pop(next(iter(self._kept)))[1])


def _weight(rows: Rows) -> int:
    return 1 + len(rows.rows) * len(rows.columns)


class Executor:
    """Runs candidates on one database.

    `cache` is asked by (catalog version, row and cell limits, SQL) and given all rows that came
    back. It belongs to one source: nothing in the key tells two sources apart.
    """

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        limits: Limits,
        *,
        workers: int = 4,
        cache: Cache | None = None,
        policy: Policy | None = None,
    ) -> None:
        self._database = database
        self._catalog = catalog
        self._limits = limits
        self._workers = max(1, workers)
        self._cache = cache
        self._policy = policy or Policy()

    def run(
        self, candidates: Iterable[Candidate], *, cancelled: threading.Event | None = None
    ) -> Iterator[Execution]:
        """Yield one execution a candidate, in the order given, as soon as it and those before are done.

        Candidates whose SQL is the same run once and share the result. A refused candidate fails
        with the refusal, a statement the database refuses with the database's words. When
        `cancelled` is set, statements in flight are ended in the database itself. Closing the
        iterator early does the same.

        Raises: Cancelled.
        """
        chosen = list(candidates)
        checked = [self.check(candidate.sql) for candidate in chosen]
        futures: dict[str, Future[Rows | Failure]] = {}
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="execution")
        try:
            for verdict in checked:
                if isinstance(verdict, Passed) and verdict.sent not in futures:
                    futures[verdict.sent] = pool.submit(
                        copy_context().run, self._result, verdict.sent, cancelled
                    )
            for candidate, verdict in zip(chosen, checked, strict=True):
                if isinstance(verdict, Failure):
                    yield Execution(candidate, verdict, candidate.sql)
                    continue
                result = self._wait(futures[verdict.sent], cancelled)
                if isinstance(result, Failure):
                    result = verdict.placed(result)
                yield Execution(candidate, result, verdict.sql)
        finally:
            self._stop(pool, futures.values())

    def whole(self, sql: str, limits: Limits) -> Rows:
        """Run SQL once more, with other limits. Raises: StatementFailed (refused SQL too), Unreachable."""
        verdict = self.check(sql)
        if isinstance(verdict, Failure):
            raise StatementFailed(verdict)
        try:
            return self._database.execute(verdict.sent, limits)
        except StatementFailed as error:
            raise StatementFailed(verdict.placed(error.failure)) from error

    def check(self, sql: str) -> Passed | Failure:
        """Ask the guard; a refusal becomes a failure in the same words."""
        verdict = guard.check(sql, self._catalog, self._policy)
        return failure_of(verdict) if isinstance(verdict, Refusal) else verdict

    def _result(self, sql: str, cancelled: threading.Event | None) -> Rows | Failure:
        most = self._limits
        key = (self._catalog.version, f"{most.rows}/{most.cell_chars}/{most.total_chars}", sql)
        kept = self._cache.get(key) if self._cache is not None else None
        if kept is not None:
            return kept
        if cancelled is not None and cancelled.is_set():
            return _CANCELLED
        try:
            result: Rows | Failure = self._database.execute(sql, self._limits)
        except DatabaseError as error:
            result = error.failure
        except (ValueError, OverflowError, TypeError, ArithmeticError) as error:
            # what drivers raise on cells that Python has no value for: dates BC, decimals out of range
            result = Failure(
                FailureKind.ERROR,
                worded("The rows could not be read: {error}", error=error),
                advice=worded("Cast the column to text, or leave it out."),
            )
        if self._cache is not None and isinstance(result, Rows):
            self._cache.put(key, result)
        return result

    def _wait(self, future: Future[Rows | Failure], cancelled: threading.Event | None) -> Rows | Failure:
        if cancelled is None:
            return future.result()
        while not wait((future,), timeout=POLL_SECONDS, return_when=FIRST_COMPLETED).done:
            if cancelled.is_set():
                break
        if cancelled.is_set():
            raise Cancelled("The run was stopped.")
        return future.result()

    def _stop(self, pool: ThreadPoolExecutor, futures: Iterable[Future[Rows | Failure]]) -> None:
        """End what is still in flight and wait until it is gone."""
        left: Sequence[Future[Rows | Failure]] = [f for f in futures if not f.done()]
        for future in left:
            future.cancel()
        running = [f for f in left if not f.done()]
        while running:
            self._database.cancel()
            running = list(wait(running, timeout=POLL_SECONDS * 4).not_done)
        pool.shutdown(wait=True)


_CANCELLED = Failure(FailureKind.CANCELLED, worded("The run was stopped before this statement began."))


def failure_of(refusal: Refusal) -> Failure:
    """Say a refusal as a failure: what and why in its message, what to do in its advice."""
    return Failure(
        FailureKind.REFUSED,
        spaced(refusal.what, refusal.why),
        refusal.position,
        refusal.advice,
        OWN_WORDS,
    )
