"""How two statements differ, clause by clause, in the words of SQL.

For those who write SQL; people are told in their own words (`telling.readings`).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.language.saying import template, worded
from sqlagent.sql.clauses import read
from sqlagent.values import Catalog

CLAUSES = {
    "where": template("condition"),
    "having": template("condition on groups"),
    "table": template("table"),
    "join": template("join"),
    "group": template("grouping"),
    "distinct": template("repeats"),
    "set": template("set operation"),
    "order": template("order"),
    "limit": template("limit"),
}
"""The name of each kind of clause, in the order in which they are told after the output."""

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
    found: list[str] = []
    if one.select != two.select:
        same = sorted(one.select) == sorted(two.select)
        found.append(
            worded(
                "output: {one} against {other}",
                one=_said(one.select, ", "),
                other=worded("another order") if same else _said(two.select, ", "),
            )
        )
    for kind, name in CLAUSES.items():
        first, second = one.of(kind), two.of(kind)
        if first != second:
            only = (sorted((mine - theirs).elements()) for mine, theirs in ((first, second), (second, first)))
            found.append(_differing(worded(name), *map(_said, only)))
    return tuple(found[:TOLD])


def _differing(clause: str, one: str, other: str) -> str:
    """The words of one statement in a clause against those of the other; either may be nothing."""
    if not other:
        return worded("{clause}: {one} against none", clause=clause, one=one)
    if not one:
        return worded("{clause}: none against {other}", clause=clause, other=other)
    return worded("{clause}: {one} against {other}", clause=clause, one=one, other=other)


def _said(pieces: Sequence[str], between: str = " and ") -> str:
    return between.join(p if len(p) <= PIECE else p[: PIECE - 1] + "…" for p in pieces)
