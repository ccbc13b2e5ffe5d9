"""What a foreign database says of itself is read in a process of its own, within bounds.

A server can answer without end, and a file be made to crash its reader: then the database could not be read, as
with any other that does not answer.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

from mirror import confined
from mirror.confined import Bounds, Unfinished, Why
from sqlagent.adapters import open_database
from sqlagent.errors import DatabaseError, StatementFailed, Unreachable
from sqlagent.values import Catalog, Check, Failure, FailureKind

# Reaching a server takes 8 seconds at most and its tables 60 (`sqlagent.adapters.base`); the largest catalog that is
# taken, 50,000 columns, took 190 MB (measured 2026-11). SQLite keeps a small file beside what it reads.
CATALOG = Bounds(seconds=75, megabytes=600, file_megabytes=10)
CHECK = Bounds(seconds=30, megabytes=400, file_megabytes=10)
# The longest text of a check that is shown, and how many things a user could change are named.
CHECK_CHARS, CHECK_WORDS = 4_000, 50

ADVICE = {
    Why.TIME: "Check that this is the database you mean, and try again when it has less to do.",
    Why.CRASH: "The file is damaged, or made to do that. Check that this is the database you mean.",
}
USUAL = "Check that this is the database you mean. A user that may read fewer tables needs less."


def catalog_apart(how: dict[str, Any]) -> Catalog:
    """Read the catalog of a database that `how` opens (`sqlagent.adapters`). Raises: DatabaseError."""
    found = _asked("catalog", how, CATALOG)
    assert isinstance(found, Catalog)
    return found


def check_apart(how: dict[str, Any]) -> Check:
    """Connect, and tell what was found. Raises: DatabaseError."""
    found = _asked("check", how, CHECK)
    assert isinstance(found, Check)
    return found


def _asked(what: str, how: dict[str, Any], bounds: Bounds) -> Catalog | Check:
    try:
        found = confined.run(looked, what, how, bounds=bounds)
    except Unfinished as error:
        if error.why is Why.STOPPED:
            raise
        message = f"The database was not read to its end. {error}"
        raise Unreachable(Failure(FailureKind.LOST, message, advice=ADVICE.get(error.why, USUAL))) from None
    if isinstance(found, Failure):
        raise (Unreachable if found.kind is FailureKind.LOST else StatementFailed)(found)
    return found


def looked(what: str, how: dict[str, Any]) -> Catalog | Check | Failure:
    """What the process of its own does."""
    try:
        with closing(open_database(**how)) as database:
            return database.catalog() if what == "catalog" else _short(database.check())
    except DatabaseError as error:
        failure = error.failure
        return Failure(failure.kind, failure.message[:CHECK_CHARS], None, failure.advice[:CHECK_CHARS])


def _short(check: Check) -> Check:
    """What is said in a test, no longer than anybody reads."""
    return replace(
        check,
        server=check.server[:200],
        user=check.user[:200],
        writable=tuple(words[:CHECK_CHARS] for words in check.writable[:CHECK_WORDS]),
        advice=check.advice[:CHECK_CHARS],
        advice_sql=check.advice_sql[: 10 * CHECK_CHARS],
    )
