"""Whether a candidate's tables are joined along declared keys, and whether each is needed."""

from __future__ import annotations

from sqlagent.catalog.lookup import Lookup
from sqlagent.sql.clauses import Clauses


def join_features(clauses: Clauses, names: Lookup) -> dict[str, float]:
    """Features of joins: along no key, none at all, or to a table that is not needed."""
    declared = [declaredness(names, one, two) for one, two in clauses.joins]
    used = {name.partition(".")[0] for name, kinds in clauses.columns.items() if kinds - {"join"}}
    idle = [table for table in clauses.tables if table not in used]
    tables = sum(clauses.tables.values())
    sides = clauses.of("join")
    return {
        "joins_wild": sum(d == 0.0 for d in declared) / 2,
        "cross_join": float(tables - len(clauses.joins) - clauses.selects > 0),
        "idle_end": float(any(_is_end(table, clauses) for table in idle) and len(clauses.tables) > 1),
        "left_join": float("LEFT" in sides),
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
