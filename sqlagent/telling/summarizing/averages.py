"""Which columns of a result are averages, whatever they are called: their numbers have no total."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError


def averages_in(sql: str) -> frozenset[str]:
    """Name the columns of a result that are averages, as the outermost SELECT of its SQL says; none where that cannot be read.

    Example:
        >>> averages_in('SELECT city, AVG(quantity * price) AS "refund amount", SUM(price) AS s FROM t GROUP BY city')
        frozenset({'refund amount'})
    """
    try:
        query = parse_one(sql) if sql else None
    except SqlglotError:
        return frozenset()
    shown = query.selects if isinstance(query, exp.Query) else []
    return frozenset(one.alias_or_name for one in shown if isinstance(one.unalias(), exp.Avg))
