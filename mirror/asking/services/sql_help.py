"""Help for SQL that somebody is writing: laid out, and looked at before it runs. Nothing is kept."""

from __future__ import annotations

from mirror.asking.errors import AskingError
from mirror.asking.models import Run
from mirror.sources import guarding
from mirror.sources.catalogs import catalog_read
from sqlagent.sql import formatting


def sql_format(run: Run, sql: str) -> str:
    """The SQL with one clause a line. Raises: AskingError when it cannot be read, so it stays as it is."""
    formatted = formatting.formatted(sql, run.thread.source.engine)
    if formatted is None:
        raise AskingError("This SQL cannot be read with certainty; it is left as it was.")
    return formatted


def sql_problem(run: Run, sql: str) -> guarding.Refusal | None:
    """What would be refused about the SQL if it ran now, by the catalog as it was last read.

    Nothing is said of SQL with parameters, whose values are not there yet, nor before the
    tables were read.
    """
    source = run.thread.source
    if not source.catalog or not sql.strip() or run.saved_id is not None:
        return None
    checked = guarding.sql_check(source, sql, catalog_read(source.catalog))
    return checked if isinstance(checked, guarding.Refusal) else None
