"""Which kind of result a statement is written for: a coarse family, so that accuracy can be told by family."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

FIGURE, GROUPS, FIRST, ROWS, OTHER = "one figure", "by group", "the first few", "a list", "other"
FAMILIES = (FIGURE, GROUPS, FIRST, ROWS, OTHER)


def family(sql: str, dialect: str) -> str:
    """Name the family of a statement by its outermost SELECT.

    Example:
        >>> family("SELECT COUNT(*) FROM t", "sqlite"), family("SELECT a, SUM(b) FROM t GROUP BY a", "sqlite")
        ('one figure', 'by group')
        >>> family("SELECT a FROM t ORDER BY b LIMIT 5", "sqlite"), family("SELECT a FROM t", "sqlite")
        ('the first few', 'a list')
        >>> family("SELEC", "sqlite")
        'other'
    """
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return OTHER
    if not isinstance(tree, exp.Select):
        return OTHER
    if tree.args.get("limit") is not None or tree.args.get("fetch") is not None:
        return FIRST
    if tree.args.get("group") is not None:
        return GROUPS
    return FIGURE if all(_is_figure(one) for one in tree.expressions) else ROWS


def _is_figure(node: exp.Expr) -> bool:
    return any(agg.find_ancestor(exp.Window, exp.Subquery) is None for agg in node.find_all(exp.AggFunc))
