"""Columns that two tables in reach have, named with the first where a join makes both the same."""

from __future__ import annotations

import re

from sqlglot import exp

from sqlagent.makers.repair.edits import Edit, parse
from sqlagent.sql.names import Resolver
from sqlagent.values import Catalog, Table

_SAID = re.compile(
    r"ambiguous column name:\s*(?:\w+\.)?(?P<sqlite>\w+)|column reference \"(?P<postgres>[^\"]+)\" is ambiguous"
    r"|Column '(?P<mysql>[^']+)' in .* is ambiguous|Ambiguous reference to column name \"(?P<duckdb>[^\"]+)\"",
    re.IGNORECASE,
)


def ambiguity_edits(sql: str, catalog: Catalog, said: str) -> list[Edit]:
    """Qualify the column that the database calls ambiguous.

    Only where an equality joins the two tables on that very column: then it does not matter
    which one is meant. The first table in the SQL is taken, as an outer join may empty the second.
    """
    found = _SAID.search(said)
    root = parse(sql, catalog.dialect) if found else None
    if found is None or root is None:
        return []
    name = next(text for text in found.groups() if text).rpartition(".")[2]
    edits: dict[int, Edit] = {}
    for select in root.find_all(exp.Select):
        owners = [alias for alias, table in _tables(select, catalog) if table.column(name) is not None]
        if len(owners) < 2 or not _equated(select, name, owners):
            continue
        for column in select.find_all(exp.Column):
            start = column.this.meta.get("start") if isinstance(column.this, exp.Identifier) else None
            plain = column.args.get("table") is None and column.name.lower() == name.lower()
            if plain and isinstance(start, int) and column.parent_select is select:
                edits[start] = Edit(
                    start, start, f"{owners[0]}.", f"{name} is in several tables: took that of {owners[0]}"
                )
    return list(edits.values())


def _tables(select: exp.Select, catalog: Catalog) -> list[tuple[str, Table]]:
    """List the catalog's tables that a SELECT reads itself, by their alias as written."""
    resolver = Resolver(catalog, lambda unknown: None)
    from_ = select.args.get("from_")
    stand = [from_.this] if from_ is not None else []
    stand += [join.this for join in select.args.get("joins") or ()]
    found = []
    for node in stand:
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            table = resolver.find(node.this, node.args.get("db"))
            if table is not None:
                found.append((node.alias_or_name, table))
    return found


def _equated(select: exp.Select, name: str, owners: list[str]) -> bool:
    """Say whether all owners but one are joined to another one by `a.name = b.name`."""
    low = {owner.lower() for owner in owners}
    joined: set[str] = set()
    for equal in select.find_all(exp.EQ):
        left, right = equal.left, equal.right
        if (
            not isinstance(left, exp.Column)
            or not isinstance(right, exp.Column)
            or equal.parent_select is not select
        ):
            continue
        if left.name.lower() == right.name.lower() == name.lower():
            pair = {left.table.lower(), right.table.lower()}
            if len(pair) == 2 and pair <= low:
                joined |= pair
    return joined == low
