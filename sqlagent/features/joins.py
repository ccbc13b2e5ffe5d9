"""Whether a candidate's tables are joined along declared keys, and whether each is needed."""

from __future__ import annotations

from sqlagent.clauses import Clauses
from sqlagent.features.asking import Asked
from sqlagent.lookup import Lookup


def join_features(ask: Asked, clauses: Clauses, names: Lookup) -> dict[str, float]:
    """Features of joins: declared, guessed or wild; idle tables; rows multiplied by them."""
    declared = [declaredness(names, one, two) for one, two in clauses.joins]
    used = {name.partition(".")[0] for name, kinds in clauses.columns.items() if kinds - {"join"}}
    idle = [table for table in clauses.tables if table not in used]
    tables = sum(clauses.tables.values())
    sides = clauses.of("join")
    return {
        "joins_undeclared": sum(d < 0.8 for d in declared) / 2,
        "joins_wild": sum(d == 0.0 for d in declared) / 2,
        "joins_declared": float(bool(declared) and min(declared) == 1.0),
        "joins": len(clauses.joins) / 4,
        "cross_join": float(tables - len(clauses.joins) - clauses.selects > 0),
        "idle_tables": len(idle) / 2 if len(clauses.tables) > 1 else 0.0,
        "idle_end": float(any(_is_end(table, clauses) for table in idle) and len(clauses.tables) > 1),
        "left_join": float("LEFT" in sides),
        "self_join": float(any(count > clauses.selects for count in clauses.tables.values())),
        "fans_out": float(_fans_out(clauses, names)),
    }


def declaredness(names: Lookup, one: str, two: str) -> float:
    """1 for a declared key, 0.8 for a likely one or two that point at the same, 0.5 for equal names, else 0."""
    if frozenset((one, two)) in names.foreign:
        return 1.0
    siblings = {other for pair in names.foreign if one in pair for other in pair - {one}}
    if siblings & {other for pair in names.foreign if two in pair for other in pair - {two}}:
        return 0.8
    if names.is_likely_key(one, two):
        return 0.8
    return 0.5 if one.partition(".")[2] == two.partition(".")[2] else 0.0


def _is_end(table: str, clauses: Clauses) -> bool:
    """Whether an idle table hangs on one join only, so that it could be left out."""
    return sum(table in (one.partition(".")[0], two.partition(".")[0]) for one, two in clauses.joins) <= 1


def _fans_out(clauses: Clauses, names: Lookup) -> bool:
    """Whether plain columns of the one side are listed while the many side is joined to it."""
    if clauses.of("distinct") or clauses.of("group") or any(f for f, _ in clauses.select_columns):
        return False
    shown = {column.partition(".")[0] for _, column in clauses.select_columns}
    for one, two in clauses.joins:
        for parent, child in ((one, two), (two, one)):
            table = names.tables.get(parent.partition(".")[0])
            is_key = table is not None and [k.lower() for k in table.primary_key] == [
                parent.partition(".")[2]
            ]
            owner = names.tables.get(child.partition(".")[0])
            many = owner is not None and [k.lower() for k in owner.primary_key] != [child.partition(".")[2]]
            if is_key and many and parent.partition(".")[0] in shown and child.partition(".")[0] not in shown:
                return True
    return False
