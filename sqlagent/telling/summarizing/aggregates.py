"""Which columns of a result are averages or counts, whatever they are called: averages have no total, and of counts there are most or fewest."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError


def averages_in(sql: str) -> frozenset[str]:
    """Name the columns of a result that are averages, as the outermost SELECT of its SQL says; none where that cannot be read.

    Example:
        >>> averages_in('SELECT city, AVG(quantity * price) AS "refund amount", SUM(price) AS s FROM t GROUP BY city')
        frozenset({'refund amount'})
    """
    return _columns(sql, exp.Avg)


def counts_in(sql: str) -> frozenset[str]:
    """Name the columns of a result that are counts, read alike.

    Example:
        >>> counts_in("SELECT city, COUNT(*) AS order_lines, SUM(price) AS s FROM t GROUP BY city")
        frozenset({'order_lines'})
    """
    return _columns(sql, exp.Count)


def _columns(sql: str, aggregate: type[exp.AggFunc]) -> frozenset[str]:
    try:
        query = parse_one(sql) if sql else None
    except (SqlglotError, RecursionError):
        return frozenset()
    shown = query.selects if isinstance(query, exp.Query) else []
    return frozenset(one.alias_or_name for one in shown if isinstance(one.unalias(), aggregate))
