"""Which columns of a result are averages, rates or counts, whatever they are called: averages have no total, and of counts there are most or fewest."""

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
    """Name the columns of a result that are counts; none where the SQL cannot be read.

    Example:
        >>> counts_in("SELECT city, COUNT(*) AS order_lines, SUM(price) AS s FROM t GROUP BY city")
        frozenset({'order_lines'})
    """
    return _columns(sql, exp.Count)


def unsummed_in(sql: str) -> dict[str, int]:
    """Name the columns that must not be added up, with their places: averages, rates, counts of different values.

    A column that an inner query reckons under the same name counts too. Nothing is named where the SQL cannot be read.

    Example:
        >>> unsummed_in("SELECT city, AVG(price) AS p, ROUND(100.0 * SUM(a) / COUNT(*), 1) AS rate, SUM(a) - SUM(b) AS d FROM t GROUP BY city")
        {'p': 1, 'rate': 2}
        >>> unsummed_in("WITH t AS (SELECT city, AVG(price) AS p FROM u GROUP BY city) SELECT city, p, MAX(p) AS most FROM t GROUP BY 1, 2")
        {'p': 1}
    """
    query = _query(sql)
    if query is None:
        return {}
    inner = {
        item.alias_or_name: item.unalias()
        for select in query.find_all(exp.Select)
        for item in select.expressions
        if item.find(exp.AggFunc)
    }
    found = {}
    for place, item in enumerate(query.selects):
        reckoned = item.unalias()
        if isinstance(reckoned, exp.Column):
            reckoned = inner.get(reckoned.name, reckoned)
        if _tells_of_group(reckoned):
            found[item.alias_or_name] = place
    return found


def summed_in(sql: str) -> dict[int, bool]:
    """Say of each column that the SQL aggregates, by its place, whether it is made of sums and counts, which add up.

    Example:
        >>> summed_in("SELECT city, SUM(a) - SUM(b) AS d, COUNT(*) AS n, AVG(a) AS middle, MAX(a) AS most FROM t GROUP BY city")
        {1: True, 2: True, 3: False, 4: False}
    """
    query = _query(sql)
    if query is None:
        return {}
    found = {}
    for place, item in enumerate(query.selects):
        aggregates = tuple(item.find_all(exp.AggFunc))
        if aggregates:
            is_of_sums = all(isinstance(one, (exp.Sum, exp.Count)) for one in aggregates)
            found[place] = is_of_sums and not item.find(exp.Window) and not _tells_of_group(item.unalias())
    return found


def _tells_of_group(item: exp.Expr) -> bool:
    """Say whether the expression of a whole cannot be computed from those of its parts by a sum, minimum or maximum."""
    if isinstance(item, exp.Count):
        return isinstance(item.this, exp.Distinct)
    if isinstance(item, exp.Sum):
        return isinstance(item.this, exp.Distinct)
    if isinstance(item, (exp.Min, exp.Max, exp.Subquery, exp.Window)):
        return False
    if isinstance(item, exp.AggFunc):
        return True
    if isinstance(item, (exp.Paren, exp.Round, exp.Cast, exp.Coalesce, exp.Neg)):
        return _tells_of_group(item.this)
    if isinstance(item, (exp.Add, exp.Sub)):
        return _tells_of_group(item.left) or _tells_of_group(item.right)
    if isinstance(item, exp.Mul) and (item.left.is_number or item.right.is_number):
        return _tells_of_group(item.left) or _tells_of_group(item.right)
    if isinstance(item, exp.Div) and item.right.is_number:
        return _tells_of_group(item.left)
    return item.find(exp.AggFunc) is not None


def _columns(sql: str, aggregate: type[exp.AggFunc]) -> frozenset[str]:
    query = _query(sql)
    shown = query.selects if query is not None else []
    return frozenset(one.alias_or_name for one in shown if isinstance(one.unalias(), aggregate))


def _query(sql: str) -> exp.Query | None:
    """Read a statement; None where it cannot be read."""
    try:
        query = parse_one(sql) if sql else None
    except (SqlglotError, RecursionError):
        return None
    return query if isinstance(query, exp.Query) else None
