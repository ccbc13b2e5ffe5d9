"""Columns of PostgreSQL whose types run somebody's code, and where such columns may stand.

A domain with a check calls it when a value is made of a text, which PostgreSQL does without being told. Types
with operators, casts or an order of somebody's call them for `=`, `||`, ORDER BY and more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from sqlagent.guard.unknown import start_of
from sqlagent.language.saying import worded
from sqlagent.values import Catalog, Refusal, Table

# Expressions that read values of a domain as values of its base type, and make none.
_PLAIN = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.ILike,
    exp.SimilarTo, exp.RegexpLike, exp.RegexpILike, exp.Is, exp.In, exp.Between, exp.Ordered, exp.Group, exp.Count,
    exp.Min, exp.Max, exp.Sum, exp.Avg, exp.Lower, exp.Upper, exp.Length, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.DPipe,
)  # fmt: skip


def typed_problem(root: exp.Expr, catalog: Catalog) -> Refusal | None:
    """Refuse a table, a whole row or a column where code of somebody's would run unseen.

    Names are enough here: a column that bears the name of such a column counts as one, whatever its table.
    """
    if not catalog.acting and not catalog.checked and not catalog.planned:
        return None
    rows = _low(name.removesuffix(".*") for name in catalog.acting if name.endswith(".*"))
    named = {source.alias_or_name.lower(): source.name.lower() for source in root.find_all(exp.Table)}
    tables = list(_tables(root, catalog))
    for table, place in tables:
        if table.key in catalog.planned:
            return _unread(
                table,
                place,
                worded(
                    "An index, a check or statistics of it call somebody's code when a statement is planned."
                ),
            )
        column = next((c for c in table.columns if c.type in catalog.acting), None)
        if column is not None:
            return _unread(
                table,
                place,
                worded(
                    "Somebody's code runs when values of its column {name} are compared, cast or sorted.",
                    name=column.name[:60],
                ),
            )
    names = _low(c.name for table, _ in tables for c in table.columns if c.type in catalog.checked)
    if names and (refusal := _renamed(root)) is not None:
        return refusal
    aliases = {alias.name.lower() for alias in root.find_all(exp.TableAlias)} if names else set()
    for node in root.find_all(exp.Column):
        if isinstance(node.this, exp.Star):
            is_row, owner = not isinstance(node.parent, exp.Select), node.text("table").lower()
        else:
            is_row, owner = not node.args.get("table"), node.name.lower()
        if is_row and (owner in aliases or (owner in named and (names or named[owner] in rows))):
            return _misused(node)
        if node.name.lower() in names and not _is_plain(node, root):
            return _misused(node)
    for star in root.find_all(exp.Star) if names else ():
        select = star.parent.parent if isinstance(star.parent, exp.Column) else star.parent
        if isinstance(select, exp.Select) and select is not root:
            return _misused(star)
    return None


def _unread(table: Table, place: exp.Table, why: str) -> Refusal:
    return Refusal(
        worded("The table {key} may not be read.", key=table.key[:60]),
        why,
        worded("Ask its owner to take that away, or for a copy without it."),
        start_of(place.this),
        "table",
        table.key,
    )


def _low(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


def _tables(root: exp.Expr, catalog: Catalog) -> Iterator[tuple[Table, exp.Table]]:
    """Give the tables of the catalog that a statement may name, each with its place."""
    known: dict[str, list[Table]] = {}
    for table in catalog.tables:
        known.setdefault(table.name.lower(), []).append(table)
    for node in root.find_all(exp.Table):
        yield from ((table, node) for table in known.get(node.name.lower(), ()))


def _renamed(root: exp.Expr) -> Refusal | None:
    """Refuse what gives columns other names, or makes one column of several, where names are what is known."""
    for alias in root.find_all(exp.TableAlias):
        if alias.args.get("columns"):
            return _misused(alias)
    for each in root.find_all(exp.SetOperation):
        if isinstance(each.this, exp.Table) or isinstance(each.expression, exp.Table):
            return _misused(each)
    return None


def _is_plain(column: exp.Column, root: exp.Expr) -> bool:
    """Say whether a column of a checked domain stands where no value of the domain is made."""
    parent = column.parent
    while isinstance(parent, exp.Paren | exp.Distinct):
        parent = parent.parent
    if isinstance(parent, exp.Alias):
        return parent.parent is root and isinstance(root, exp.Select)
    if isinstance(parent, exp.Select):
        return parent is root or isinstance(parent.parent, exp.CTE) or _is_source(parent)
    return isinstance(parent, (exp.Cast, *_PLAIN))


def _is_source(select: exp.Select) -> bool:
    """Say whether a SELECT stands in FROM, where its columns keep their names, and not for one value."""
    around = select.parent
    return isinstance(around, exp.Subquery) and isinstance(around.parent, exp.From | exp.Join)


def _misused(node: exp.Expr) -> Refusal:
    written = node.name or "*"
    return Refusal(
        worded("{written} may not be used like this.", written=written[:60]),
        worded("Its type, or a cast that somebody made for it, may run code when a value is made of a text."),
        worded("Name the column alone, or cast it to a type of PostgreSQL: column::text."),
        next((start_of(part) for part in node.walk() if start_of(part) is not None), None),
    )
