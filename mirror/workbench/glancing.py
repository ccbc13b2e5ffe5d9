"""Looks into a source that somebody waits for: the first rows of a table, and the plan of a statement.

They run as any SQL does; their rows are stored and forgotten with the next look of the same person.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from sqlglot import exp

from mirror.asking.services.statements import statement_end, statement_ran, statement_stop, statement_watched
from mirror.queries.completing import columns_offered
from mirror.queries.helping import sql_parameters
from mirror.queries.parameters import ParameterError, sql_bind
from mirror.queries.running import Values
from mirror.results.rows import rows_of
from mirror.results.services import result_delete
from mirror.sources.selectors import ask_check
from mirror.sources.sight import seen_by, sight_of, withheld_now
from mirror.sources.unpacked import source_at_hand
from mirror.work.kinds import send
from mirror.work.leases import Lease
from mirror.workbench.errors import WorkbenchError
from mirror.workbench.models import Glance
from sqlagent.sql.plans import Plan, explain_sql, plan_read

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

# Rows of a table that are shown before anybody asks for more.
ROWS = 20
# Lines of a plan that are read.
PLAN_ROWS = 2_000


def glance_rows(user: User, source: Source, key: str) -> Glance:
    """Look at the first rows of a table, without the columns that its source's owner hid.

    Raises: WorkbenchError where the source has no such table, or its owner hid it.
    """
    catalog, _index = source_at_hand(seen_by(user, source))
    table = next((one for one in catalog.tables if one.key == key), None) if catalog is not None else None
    offered = columns_offered(catalog, key) if catalog is not None else frozenset()
    if catalog is None or table is None or not offered:
        raise WorkbenchError(_("%(source)s has no table %(table)s.") % {"source": source.name, "table": key})
    shown = [exp.column(one.name, quoted=True) for one in table.columns if one.name in offered]
    is_whole = len(shown) == len(table.columns) and not withheld_now(source)
    chosen = [exp.Star()] if is_whole else shown
    named = exp.table_(table.name, db=table.schema or None, quoted=True)
    sql = exp.select(*chosen).from_(named).limit(ROWS).sql(dialect=catalog.dialect)
    return _glance(user, source, Glance.Purpose.ROWS, key, sql)


def glance_plan(user: User, source: Source, sql: str, arguments: Mapping[str, str] | None = None) -> Glance:
    """Ask the engine how it would run a statement. Raises: WorkbenchError when there is none."""
    if not sql.strip():
        raise WorkbenchError(_("There is no SQL to explain. Type a SELECT statement."))
    parameters = sql_parameters(source, sql)
    names = {one["name"] for one in parameters}
    values = {name: value for name, value in (arguments or {}).items() if name in names}
    try:
        bound = sql_bind(sql, parameters, values, source.engine) if parameters else sql
    except ParameterError as error:
        raise WorkbenchError(str(error)) from None
    return _glance(user, source, Glance.Purpose.PLAN, sql, explain_sql(bound, source.engine))


def _glance(user: User, source: Source, purpose: Glance.Purpose, subject: str, sql: str) -> Glance:
    ask_check(user, source)
    seen_by(user, source)
    for earlier in Glance.objects.filter(owner=user, purpose=purpose).select_related("result"):
        statement_stop(earlier)
        if earlier.is_ended:
            if earlier.result is not None:
                result_delete(earlier.result)
            earlier.delete()
    glance = Glance.objects.create(
        owner=user,
        source=source,
        purpose=purpose,
        subject=subject,
        sql=sql,
        sight=sight_of(user, source).key,
    )
    send(glance)
    return glance


def glance_do(lease: Lease) -> None:
    """Run a taken glance, as any SQL on its source."""
    with statement_watched(lease) as watch:
        glance = Glance.objects.select_related("source", "owner").get(pk=lease.pk)
        source = glance.source
        found = statement_ran(source, glance.sql, Values(), glance.owner, watch, sight=glance.sight)
        statement_end(lease, watch, found)


def glance_read(glance: Glance) -> Plan | None:
    """The plan that a glance brought; None where it brought none. Raises: ResultGone."""
    if glance.result is None or glance.purpose != Glance.Purpose.PLAN:
        return None
    rows = rows_of(glance.result, PLAN_ROWS)
    return plan_read(rows.columns, rows.rows, glance.source.engine)
