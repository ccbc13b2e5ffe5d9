"""Looks into a source that somebody waits for: the first rows of a table, and the plan of a statement.

They run as any SQL does; their rows are stored and forgotten with the next look of the same person.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlglot import exp

from mirror.asking.kept_steps import failure_json, not_kept_json
from mirror.asking.services.given_up import VERSION_BROKEN, VERSION_STOPPED
from mirror.queries.helping import sql_parameters
from mirror.queries.parameters import ParameterError, sql_bind
from mirror.queries.running import NotRun, NotRunWhy, Values, sql_run, statement_limits
from mirror.results.cells import storable
from mirror.results.models import StoredResult
from mirror.results.rows import rows_of
from mirror.results.services import result_delete
from mirror.sources.unpacked import source_at_hand
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.watching import Watch
from mirror.workbench.errors import WorkbenchError
from mirror.workbench.models import Glance
from sqlagent.sql.plans import Plan, explain_sql, plan_read

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

log = logging.getLogger(__name__)

# Rows of a table that are shown before anybody asks for more.
ROWS = 20
# Lines of a plan that are read.
PLAN_ROWS = 2_000


def glance_rows(user: User, source: Source, key: str) -> Glance:
    """Look at the first rows of a table. Raises: WorkbenchError where the source has no such table."""
    catalog, _ = source_at_hand(source)
    table = next((one for one in catalog.tables if one.key == key), None) if catalog is not None else None
    if catalog is None or table is None:
        raise WorkbenchError(f"{source.name} has no table {key}.")
    named = exp.table_(table.name, db=table.schema or None, quoted=True)
    sql = exp.select("*").from_(named).limit(ROWS).sql(dialect=catalog.dialect)
    return _glance(user, source, Glance.Purpose.ROWS, key, sql)


def glance_plan(user: User, source: Source, sql: str, arguments: Mapping[str, str] | None = None) -> Glance:
    """Ask the engine how it would run a statement. Raises: WorkbenchError when there is none."""
    if not sql.strip():
        raise WorkbenchError("There is no SQL to explain. Type a SELECT statement.")
    parameters = sql_parameters(source, sql)
    names = {one["name"] for one in parameters}
    values = {name: value for name, value in (arguments or {}).items() if name in names}
    try:
        bound = sql_bind(sql, parameters, values, source.engine) if parameters else sql
    except ParameterError as error:
        raise WorkbenchError(str(error)) from None
    return _glance(user, source, Glance.Purpose.PLAN, sql, explain_sql(bound, source.engine))


def _glance(user: User, source: Source, purpose: Glance.Purpose, subject: str, sql: str) -> Glance:
    for earlier in Glance.objects.filter(owner=user, purpose=purpose).select_related("result"):
        glance_stop(earlier)
        if earlier.is_ended:
            _forget(earlier.result)
            earlier.delete()
    glance = Glance.objects.create(owner=user, source=source, purpose=purpose, subject=subject, sql=sql)
    send(glance)
    return glance


def glance_stop(glance: Glance) -> None:
    """Stop a glance: at once while it waits, with its statement in the database while it runs."""
    if Glance.objects.filter(pk=glance.pk).exclude(status=Status.DONE).update(stop_requested=True):
        glance.refresh_from_db()
        if glance.status == Status.QUEUED:
            end_unheld(glance, failure=VERSION_STOPPED)
            glance.refresh_from_db()


def glance_do(lease: Lease) -> None:
    """Run a taken glance, as any SQL on its source."""
    try:
        with Watch(lease) as watch:
            glance = Glance.objects.select_related("source", "owner").get(pk=lease.pk)
            found = sql_run(
                glance.source,
                glance.sql,
                Values(),
                statement_limits(glance.source),
                glance.owner,
                watch=watch,
            )
            kept = None if isinstance(found, NotRun) else found.result
            if watch.is_lost:
                _forget(kept)
                raise LeaseLost(f"Glance {lease.pk} is held by another worker")
            if watch.is_stopped:
                _forget(kept)
                lease.end(failure=VERSION_STOPPED)
            elif isinstance(found, NotRun):
                unkept = found.why is NotRunWhy.UNKEPT
                told = not_kept_json(found.failure) if unkept else failure_json(found.failure)
                lease.end(failure=storable(told))
            else:
                lease.end(result=found.result, failure=None)
    except (LeaseLost, Glance.DoesNotExist) as error:
        log.info("Glance %s was given up: %s", lease.pk, error)


def glance_break(lease: Lease) -> None:
    """End a glance that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(failure=VERSION_BROKEN)


def glance_read(glance: Glance) -> Plan | None:
    """The plan that a glance brought; None where it brought none. Raises: ResultGone."""
    if glance.result is None or glance.purpose != Glance.Purpose.PLAN:
        return None
    rows = rows_of(glance.result, PLAN_ROWS)
    return plan_read(rows.columns, rows.rows, glance.source.engine)


def _forget(result: StoredResult | None) -> None:
    if result is not None:
        result_delete(result)
