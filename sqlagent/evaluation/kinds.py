"""Says what kind of question a gold SQL answers, from its parse tree: the rows of a report by kind.

Kinds do not overlap: a statement is of the hardest kind whose mark it bears.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

KINDS = ("simple", "order", "join", "group", "nested", "set")
"""Easiest first, as a report lists them."""

_CLAUSES = (("group", exp.Group), ("join", exp.Join), ("order", exp.Order))


def kind(gold: str, dialect: str) -> str:
    """Give the kind of a gold SQL; `unread` for one that does not parse.

    Example:
        >>> kind("SELECT name FROM ships WHERE tonnage > (SELECT AVG(tonnage) FROM ships)", "sqlite")
        'nested'
        >>> kind("SELECT flag, COUNT(*) FROM ships GROUP BY flag ORDER BY 2", "sqlite")
        'group'
    """
    try:
        tree = sqlglot.parse_one(gold, dialect=dialect)
    except (SqlglotError, RecursionError):
        return "unread"
    if tree.find(exp.Union, exp.Except, exp.Intersect):
        return "set"
    if sum(1 for _ in tree.find_all(exp.Select)) > 1:
        return "nested"
    return next((name for name, mark in _CLAUSES if tree.find(mark)), "simple")
