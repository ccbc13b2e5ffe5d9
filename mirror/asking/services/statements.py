"""How a row that is SQL is run by a worker: its rows are kept with it, or forgotten where nobody waits for them any more.

A refusal or a failure is kept in the words of the guard or the database, with its position in the text that was typed, when known.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_noop

from mirror.asking.kept_steps import failure_json, not_kept_json
from mirror.asking.services.given_up import VERSION_BROKEN, VERSION_STOPPED
from mirror.queries.running import (
    NOT_ANY_MORE,
    KeptRows,
    NotRun,
    NotRunWhy,
    Values,
    sql_run,
    statement_limits,
)
from mirror.results.services import result_delete
from mirror.sources.selectors import sources_asked, sources_visible
from mirror.sources.sight import seen_by, sight_now
from mirror.storable import storable
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.watching import Watch

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.results.models import StoredResult
    from mirror.sources.models import Source
    from mirror.work.leases import Leased

log = logging.getLogger(__name__)


@contextmanager
def statement_watched(lease: Lease) -> Iterator[Watch]:
    """Watch over a taken row while it runs and ends; one that is gone or held by another worker is left alone."""
    try:
        with Watch(lease) as watch:
            yield watch
    except (LeaseLost, lease.model.DoesNotExist) as error:
        log.info("%s %s was given up: %s", lease.model.__name__, lease.pk, error)


def statement_ran(
    source: Source,
    sql: str,
    values: Values,
    owner: User,
    watch: Watch,
    *,
    is_saved: bool = False,
    sight: str = "",
) -> KeptRows | NotRun:
    """Run SQL, if its owner still may ask its source, or it `is_saved` SQL that they may run; its rows are stored as they come.

    `sight` is the key of what they saw of it when they asked: they have to see the same now.
    """
    allowed = sources_visible(owner) if is_saved else sources_asked(owner)
    if not allowed.filter(pk=source.pk).exists() or sight_now(seen_by(owner, source)).key != sight:
        return NotRun(NotRunWhy.REFUSED, NOT_ANY_MORE)
    return sql_run(source, sql, values, statement_limits(source), owner, watch=watch)


def statement_end(
    lease: Lease,
    watch: Watch,
    found: KeptRows | NotRun,
    fields: Callable[[StoredResult], dict[str, Any]] = lambda _: {},
) -> None:
    """End a row with what its SQL gave, and `fields` of that. Raises: LeaseLost."""
    if isinstance(found, KeptRows) and (watch.is_lost or watch.is_stopped):
        result_delete(found.result)
    if watch.is_lost:
        raise LeaseLost("it is held by another worker")
    if watch.is_stopped:
        lease.end(failure=VERSION_STOPPED)
    elif isinstance(found, NotRun):
        lease.end(failure=storable(_failure_json(found)))
    else:
        try:
            lease.end(result=found.result, failure=None, **fields(found.result))
        except LeaseLost:
            result_delete(found.result)
            raise


def statement_break(lease: Lease) -> None:
    """End a row that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(failure=VERSION_BROKEN)


def statement_stop(row: Leased) -> None:
    """Stop a row: at once while it waits, with its statement in the database while it runs."""
    rows = type(row)._default_manager.filter(pk=row.pk)
    if rows.exclude(status=Status.DONE).update(stop_requested=True):
        row.refresh_from_db()
        if row.status == Status.QUEUED:
            end_unheld(row, failure=VERSION_STOPPED)
            row.refresh_from_db()


def _failure_json(found: NotRun) -> dict[str, Any]:
    if found.why is NotRunWhy.UNKEPT:
        return not_kept_json(found.failure)
    told = failure_json(found.failure)
    if found.why is NotRunWhy.VALUE:
        told["advice"] = gettext_noop("Change the value and run it again.")
    return told
