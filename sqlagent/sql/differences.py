"""How two statements differ, clause by clause, in the words of SQL.

For those who write SQL; people are told in their own words (`telling.readings`).
"""

from __future__ import annotations

from collections import Counter

from sqlagent.sql.clauses import read
from sqlagent.values import Catalog

CLAUSES = {
    "select": "output",
    "where": "condition",
    "having": "condition on groups",
    "table": "table",
    "join": "join",
    "group": "grouping",
    "distinct": "repeats",
    "set": "set operation",
    "order": "order",
    "limit": "limit",
}
"""What each kind of clause is called, in the order in which they are told."""

TOLD = 6
"""Differences told: two statements that differ in more have little in common."""

PIECE = 160
"""Characters of one clause told."""


def differences(sql: str, other: str, catalog: Catalog) -> tuple[str, ...]:
    """List in which clauses two statements differ: what the one says against what the other says.

    Empty where either cannot be read or no clause differs.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> shop = Catalog("sqlite", (Table("orders", (Column("total"), Column("status"))),))
        >>> differences("SELECT SUM(total) FROM orders WHERE status = 'paid'", "SELECT COUNT(*) FROM orders", shop)
        ('output: SUM(orders.total) against COUNT(*)', "condition: orders.status = 'paid' against none")
    """
    one, two = read(sql, catalog), read(other, catalog)
    if one is None or two is None:
        return ()
    found = []
    for kind, name in CLAUSES.items():
        first, second = one.of(kind), two.of(kind)
        if first != second:
            found.append(f"{name}: {_said(first - second)} against {_said(second - first)}")
    if not found and one.select != two.select:
        found.append("output: the same columns in another order")
    return tuple(found[:TOLD])


def _said(atoms: Counter[str]) -> str:
    pieces = [text if len(text) <= PIECE else text[: PIECE - 1] + "…" for text in sorted(atoms.elements())]
    return " and ".join(pieces) or "none"
