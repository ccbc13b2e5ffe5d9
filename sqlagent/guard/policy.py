"""An administrator's decisions about the guard for one source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sqlagent.guard.lists import lists, reason_of
from sqlagent.guard.withheld import NOTHING, Withheld
from sqlagent.language.saying import worded
from sqlagent.values import Refusal

KINDS = {
    "explain": "EXPLAIN of a read-only statement",
    "explain_analyze": "EXPLAIN ANALYZE, which runs the statement to measure it",
    "describe": "DESCRIBE and SUMMARIZE of a table or a read-only statement",
    "show": "SHOW of tables, columns and harmless settings",
    "pragma": "PRAGMAs that only describe a table (SQLite)",
    "system_tables": "System tables that describe the schema, such as information_schema.columns",
    "version": "version() and the like, which tell what software is running",
}
"""Statements on which reasonable people differ, and what each word stands for."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Choices of an administrator; the defaults are the suggested ones.

    `functions` are further functions that may be called, in any case, `schema.name` for one that
    is called with its schema; functions known to act stay refused all the same. `refused` are words
    of `KINDS` that are refused although they only read. `search_path` are schemas whose tables may
    be named without their schema. `withheld` is not theirs to decide: tables and columns that who asks may not read.
    """

    functions: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    search_path: tuple[str, ...] = ()
    withheld: Withheld = NOTHING


_NAME = re.compile(r"[^\W\d][\w$]*(\.[^\W\d][\w$]*)?")


def never_allowed(function: str, dialect: str) -> str:
    """Say why a function cannot be allowed on a source of this dialect; nothing when it can.

    A function that writes, waits, takes locks, reads files, runs SQL in a text or reaches other servers is never
    allowed, in any schema; neither is a word that is no name of a function.

    Example:
        >>> never_allowed("app.pg_sleep", "postgres")
        'app.pg_sleep waits, and holds the connection meanwhile.'
        >>> never_allowed("app.net_of", "postgres")
        ''
    """
    if not _NAME.fullmatch(function):
        return f"{function[:60]} is not a function's name. Write name, or schema.name."
    bare = function.lower().rpartition(".")[2]
    allowed = lists(dialect)
    if bare in allowed.functions:
        return ""
    if reason := reason_of(bare):
        return f"{function} {reason}."
    if bare in allowed.words:
        return f"{function} is a word of SQL, not a function's name."
    return ""


def functions_listed(dialect: str) -> frozenset[str]:
    """The functions that a dialect's list lets through.

    Example:
        >>> "coalesce" in functions_listed("sqlite"), "pg_sleep" in functions_listed("postgres")
        (True, False)
    """
    return lists(dialect).functions


def listed(function: str, dialect: str) -> bool:
    """Say whether a function may be called without anybody allowing it."""
    return function.lower() in lists(dialect).functions


@lru_cache(maxsize=256)
def further(policy: Policy) -> frozenset[str]:
    """Give the functions that an administrator added, in lower case, without those that never pass."""
    low = (name.lower() for name in policy.functions)
    return frozenset(name for name in low if not reason_of(name.rpartition(".")[2]))


def switched_off(what: str, position: int | None) -> Refusal:
    """Refuse what an administrator does not want."""
    return Refusal(
        worded("{what} is switched off for this source.", what=what),
        worded("An administrator decided so."),
        worded("Ask for rows with a SELECT, or ask the administrator."),
        position,
    )
