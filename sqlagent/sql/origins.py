"""Where the columns of a statement come from, as far as its SQL alone tells.

Decides which two results show the same column of a database, and which column a :name is a value of. It reads no catalog: a name without its table is followed only
where one table can have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sqlglot
from sqlglot import exp

from sqlagent.sql.literals import ODD

# Texts read in this process: a page of a dashboard has some twenty.
AT_HAND = 512
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one column comes from: `table.column` in lower case, with the schema where it is written; empty where the SQL does not tell.

    One that is `reckoned` is a figure of several rows: a count, a sum.
    """

    column: str = ""
    reckoned: bool = False


UNTOLD = Origin()


@lru_cache(AT_HAND)
def origins(sql: str, dialect: str) -> tuple[Origin, ...]:
    """Give the origin of each column of a SELECT, in order; nothing where its columns cannot be counted.

    Example:
        >>> origins("SELECT c.country AS land, count(*) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1", "sqlite")
        (Origin(column='customers.country', reckoned=False), Origin(column='', reckoned=True))
        >>> origins("SELECT c.country FROM sales.customers c", "postgres")
        (Origin(column='sales.customers.country', reckoned=False),)
        >>> origins("SELECT * FROM customers", "sqlite")
        ()
    """
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
        found = _columns(tree, {}, 0)
    except ODD:
        return ()
    return tuple(found.values()) if found is not None else ()


def _columns(
    tree: exp.Expr, around: dict[str, dict[str, Origin] | None], depth: int
) -> dict[str, Origin] | None:
    """The origins of a query's columns by their names; None where it has others than are written. Names that repeat are numbered."""
    if depth > _DEEPEST:
        return None
    if isinstance(tree, exp.Subquery):
        return _columns(tree.this, around, depth + 1)
    if not isinstance(tree, exp.Select):
        return None
    known = _known(tree, around, depth)
    sources = _sources(tree)
    found: dict[str, Origin] = {}
    for place, shown in enumerate(tree.expressions):
        if isinstance(shown, exp.Star) or isinstance(shown, exp.Column) and isinstance(shown.this, exp.Star):
            return None
        name = shown.alias_or_name.lower()
        found[name if name and name not in found else f"{place} {name}"] = _origin(
            shown.unalias(), sources, known, depth
        )
    return found


@lru_cache(AT_HAND)
def equated(sql: str, dialect: str) -> tuple[tuple[str, str], ...]:
    """Give each :name of a statement that a column must equal, with that column as its origin says it.

    Example:
        >>> equated("SELECT 1 FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.country = :land AND o.total > :least", "sqlite")
        (('land', 'customers.country'),)
        >>> equated("SELECT 1 FROM customers WHERE :land IS NULL OR lower(country) = lower(:land)", "sqlite")
        (('land', 'customers.country'),)
        >>> equated("SELECT 1 FROM customers WHERE NOT country = :land", "sqlite")
        ()
    """
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
        found = [_equated(node) for node in tree.find_all(exp.Placeholder, bfs=False) if node.name]
    except ODD:
        return ()
    return tuple(dict.fromkeys(pair for pair in found if pair is not None))


def _equated(node: exp.Placeholder) -> tuple[str, str] | None:
    around, part = node.parent, node
    while isinstance(around, exp.Paren | exp.Lower | exp.Upper | exp.Trim):
        around, part = around.parent, around  # type: ignore[assignment]
    if (
        not isinstance(around, exp.EQ | exp.In)
        or around.find_ancestor(exp.Not, exp.Select, exp.Case).__class__ is not exp.Select
    ):
        return None
    other = around.this if around.this is not part else around.args.get("expression")
    while isinstance(other, exp.Paren | exp.Lower | exp.Upper | exp.Trim):
        other = other.this
    select = around.find_ancestor(exp.Select)
    if not isinstance(other, exp.Column) or select is None:
        return None
    selects = [select]
    while (outer := selects[-1].find_ancestor(exp.Select)) is not None:
        selects.append(outer)
    known: dict[str, dict[str, Origin] | None] = {}
    for one in reversed(selects):
        known = _known(one, known, 0)
    column = _origin(other, _sources(select), known, 0).column
    return (node.name, column) if column else None


def _known(
    tree: exp.Select, around: dict[str, dict[str, Origin] | None], depth: int
) -> dict[str, dict[str, Origin] | None]:
    """The origins of the columns of each query that is named before a SELECT."""
    known = dict(around)
    for cte in tree.ctes:
        known[cte.alias.lower()] = (
            _columns(cte.this, known, depth + 1) if not cte.args["alias"].columns else None
        )
    return known


def _sources(tree: exp.Select) -> dict[str, exp.Expr]:
    """The tables that a SELECT reads from, by its names."""
    start = tree.args.get("from_") or tree.args.get("from")
    parts = [start.this] if start else []
    parts += [join.this for join in tree.args.get("joins") or ()]
    return {part.alias_or_name.lower(): part for part in parts}


def _origin(
    shown: exp.Expr, sources: dict[str, exp.Expr], known: dict[str, dict[str, Origin] | None], depth: int
) -> Origin:
    if not isinstance(shown, exp.Column):
        return Origin(reckoned=shown.find(exp.AggFunc) is not None)
    table = shown.table.lower()
    source = sources.get(table) if table else next(iter(sources.values())) if len(sources) == 1 else None
    if isinstance(source, exp.Table):
        if source.name.lower() not in known or source.db:
            return Origin(
                ".".join(filter(None, (source.catalog, source.db, source.name, shown.name))).lower()
            )
        inner = known[source.name.lower()]
    else:
        inner = _columns(source, known, depth + 1) if source is not None else None
    return inner.get(shown.name.lower(), UNTOLD) if inner is not None else UNTOLD
