"""Compares what a database answers to SQL as typed and to the text that the guard sends instead.

Rows, headings and kinds must be equal, and a failure must be the same words at the same place. So
what the guard rebuilds costs nobody anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlagent import guard
from sqlagent.errors import DatabaseError
from sqlagent.evaluation.items import BadInput, Databases, json_lines
from sqlagent.evaluation.progress import Bar
from sqlagent.ports import Database
from sqlagent.values import Catalog, Limits

LIMITS = Limits(seconds=20.0, rows=10_000)


def resend(questions: Path, databases: str) -> str:
    """Run every gold SQL (and candidate) of a file in both forms and tell the differences. Raises: BadInput."""
    lines = list(json_lines(questions))
    bar = Bar(len(lines), "resend")
    places, opened = Databases(databases), dict[str, tuple[Database, Catalog]]()
    counts: Counter[str] = Counter()
    different: list[str] = []
    for place, line in lines:
        if not line.get("db"):
            raise BadInput(f"{place}: 'db' is missing.")
        name = str(line["db"])
        if name not in opened:
            database = places.open(name)
            opened[name] = database, database.catalog()
        for sql in _texts(line):
            said = compare(sql, *opened[name])
            counts[said] += 1
            if said not in ("equal", "refused"):
                different.append(f"  {line['db']}: {said}: {' '.join(sql.split())[:160]}")
        bar.step()
    figures = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
    return "\n".join([figures, *different])


def compare(sql: str, database: Database, catalog: Catalog) -> str:
    """Say what differs between a statement as typed and as sent: `equal`, `refused`, or what it is.

    Example:
        >>> from sqlagent.adapters import open_database
        >>> compare("SELECT 1 -- one", open_database("sqlite", database=":memory:"), Catalog("sqlite", ()))
        'equal'
    """
    passed = guard.check(sql, catalog)
    if isinstance(passed, guard.Refusal):
        return "refused"
    if passed.sent == passed.sql:
        return "equal"
    typed, sent = _answer(passed.sql, database), _answer(passed.sent, database)
    if isinstance(sent, DatabaseError) and isinstance(typed, DatabaseError):
        failure = passed.placed(sent.failure)
        if failure.message != typed.failure.message:
            return "another message"
        return "equal" if failure.position == typed.failure.position else "another position"
    if isinstance(sent, DatabaseError) or isinstance(typed, DatabaseError):
        return "another outcome"
    for part, name in (("columns", "headings"), ("kinds", "types"), ("rows", "rows")):
        if repr(getattr(typed, part)) != repr(getattr(sent, part)):
            return f"other {name}"
    return "equal"


def _answer(sql: str, database: Database) -> Any:
    try:
        return database.execute(sql, LIMITS)
    except DatabaseError as error:
        return error


def _texts(line: dict[str, Any]) -> Iterator[str]:
    golds = line.get("gold") or line.get("golds") or ()
    for gold in [golds] if isinstance(golds, str) else golds:
        yield gold if isinstance(gold, str) else str(gold.get("sql") or "")
    candidates: Iterable[Any] = line.get("candidates") or ()
    for candidate in candidates:
        yield str(candidate.get("sql") or "") if isinstance(candidate, dict) else str(candidate)
