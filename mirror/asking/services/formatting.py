"""Lay out SQL that somebody is writing."""

from __future__ import annotations

from mirror.asking.models import Run
from mirror.asking.services.opening import AskingError
from sqlagent import formatting


def sql_format(run: Run, sql: str) -> str:
    """The SQL with one clause a line. Raises: AskingError when it cannot be read, so it stays as it is."""
    formatted = formatting.formatted(sql, run.thread.source.engine)
    if formatted is None:
        raise AskingError("This SQL cannot be read with certainty; it is left as it was.")
    return formatted
