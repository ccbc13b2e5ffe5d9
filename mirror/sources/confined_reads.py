"""A foreign database describes itself to a process of its own, within bounds.

A server can answer without end, and a file be made to crash its reader: then the database could not be read, as
with any other that does not answer.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_noop

from mirror import confined
from mirror.confined import Bounds, Unfinished, Why
from sqlagent.adapters import open_database, ssh_key_shown
from sqlagent.adapters.base import MARKER_TABLE
from sqlagent.errors import DatabaseError, StatementFailed, Unreachable
from sqlagent.language.saying import worded
from sqlagent.ports import SourceDatabase
from sqlagent.values import Catalog, Check, Failure, FailureKind, SshServer

# Reaching a server takes 8 seconds at most and its tables 60 (`sqlagent.adapters.base`); the largest catalog that is
# taken, 50,000 columns, took 190 MB (measured 2026-11). SQLite keeps a small file beside what it reads.
CATALOG = Bounds(seconds=75, megabytes=600, file_megabytes=10)
CHECK = Bounds(seconds=30, megabytes=400, file_megabytes=10)
# The longest text of a check that is shown, and how many things a user could change are named.
CHECK_CHARS, CHECK_WORDS = 4_000, 50

# The text of a marker of a store that cannot be read.
UNREAD = "?"

ADVICE = {
    Why.TIME: gettext_noop("Check that this is the database you mean, and try again when it has less to do."),
    Why.CRASH: gettext_noop(
        "The file is damaged, or made to do that. Check that this is the database you mean."
    ),
}
USUAL = gettext_noop(
    "Check that this is the database you mean. A user that may read fewer tables needs less."
)
CUT_SHORT = gettext_noop("The database was not read to its end. {reason}")
# A visit keeps its failure in English; these templates say it in the language of the reader.
READ_WORDS = (
    CUT_SHORT,
    gettext_noop("The process that reads it could not be started."),
    gettext_noop("The process that read it ended by itself ({how})."),
    gettext_noop("It took longer than {seconds} seconds and was ended."),
    gettext_noop("It took more than {megabytes} MB of memory and was ended."),
    gettext_noop("It holds more than {megabytes} MB of names and descriptions."),
    gettext_noop("It crashed."),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A catalog, what the user could do (or why that could not be told), and what markers of stores say.

    A marker that cannot be read says `UNREAD`.
    """

    catalog: Catalog
    check: Check | Failure
    marks: tuple[str, ...]


def seen_confined(how: dict[str, Any]) -> Seen:
    """Read the catalog of a database that `how` opens (`sqlagent.adapters`). Raises: DatabaseError."""
    found = _asked("catalog", how, CATALOG)
    assert isinstance(found, Seen)
    return found


def check_confined(how: dict[str, Any]) -> Check:
    """Connect, and tell what was found. Raises: DatabaseError."""
    found = _asked("check", how, CHECK)
    assert isinstance(found, Check)
    return found


def key_shown_confined(server: SshServer) -> str:
    """Ask an SSH server for its key and give the fingerprint; nobody signs in. Raises: DatabaseError."""
    found = _asked("key", {"ssh": server}, CHECK)
    assert isinstance(found, str)
    return found


def _asked(what: str, how: dict[str, Any], bounds: Bounds) -> Seen | Check | str:
    try:
        found = confined.run(looked, what, how, bounds=bounds)
    except Unfinished as error:
        if error.why is Why.STOPPED:
            raise
        message = worded(CUT_SHORT, reason=error.said)
        raise Unreachable(Failure(FailureKind.LOST, message, advice=ADVICE.get(error.why, USUAL))) from None
    if isinstance(found, Failure):
        raise (Unreachable if found.kind is FailureKind.LOST else StatementFailed)(found)
    return found


def looked(what: str, how: dict[str, Any]) -> Seen | Check | str | Failure:
    """The body of the child process."""
    try:
        if what == "key":
            return ssh_key_shown(how["ssh"])
        with closing(open_database(**how, is_killable=True)) as database:
            return _seen(database) if what == "catalog" else _short(database.check())
    except DatabaseError as error:
        return _failure(error)


def _seen(database: SourceDatabase) -> Seen:
    catalog = database.catalog()
    marks: list[str] = []
    for table in catalog.tables:
        if table.name.lower() == MARKER_TABLE:
            try:
                marks += database.values(table.name, "mark", 10, table.schema)
            except DatabaseError:
                marks.append(UNREAD)
    try:
        check: Check | Failure = _short(database.check())
    except DatabaseError as error:
        check = _failure(error)
    return Seen(catalog, check, tuple(marks))


def _failure(error: DatabaseError) -> Failure:
    failure = error.failure
    return replace(
        failure, message=failure.message[:CHECK_CHARS], position=None, advice=failure.advice[:CHECK_CHARS]
    )


def _short(check: Check) -> Check:
    """Cut the texts of a check to a length that people read."""
    powers = tuple(replace(power, words=power.words[:CHECK_CHARS]) for power in check.powers[:CHECK_WORDS])
    steps = tuple(replace(step, sql=step.sql[: 10 * CHECK_CHARS]) for step in check.reader[:CHECK_WORDS])
    return replace(
        check,
        server=check.server[:200],
        user=check.user[:200],
        powers=powers,
        reader=steps,
        advice=check.advice[:CHECK_CHARS],
    )
