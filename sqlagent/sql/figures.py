"""Which columns of one statement hold the figures of another: the same aggregate of the same columns."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

Figure = tuple[tuple[str, ...], frozenset[str]]
"""Aggregates of a figure, sorted, and the columns they are taken of, without their tables."""


def figures_shared(sql: str, other: str, dialect: str = "") -> tuple[str, ...]:
    """Name the columns of `sql` that compute a figure of `other`, in its order; none where one of them cannot be read.

    Aliases, joins and conditions are not compared: columns of one name in two tables are taken for the same.

    Example:
        >>> figures_shared("SELECT c, COUNT(*) AS n, SUM(l.amount) AS net FROM l GROUP BY c", "SELECT SUM(amount) FROM lines")
        ('net',)
    """
    wanted = set(_figures(other, dialect).values())
    return tuple(name for name, figure in _figures(sql, dialect).items() if figure in wanted)


def _figures(sql: str, dialect: str) -> dict[str, Figure]:
    try:
        query = parse_one(sql, dialect=dialect or None) if sql else None
    except (SqlglotError, RecursionError):
        return {}
    found: dict[str, Figure] = {}
    for one in query.selects if isinstance(query, exp.Query) else ():
        kinds = [type(node).__name__ for node in one.find_all(exp.AggFunc)]
        if kinds:
            columns = frozenset(node.name.lower() for node in one.find_all(exp.Column))
            found[one.alias_or_name] = (tuple(sorted(kinds)), columns)
    return found
