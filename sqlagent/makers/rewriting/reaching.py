"""Columns of tables that a statement does not read, and the joins along keys that lead to them without a row more or less."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlagent.catalog.semantics import Relation
from sqlagent.makers.analyst.dialects import Dialect
from sqlagent.makers.rewriting.layout import Layout
from sqlagent.makers.rewriting.naming import Known, Named
from sqlagent.makers.rewriting.values import UNSAFE, Refused

HOPS = 2
"""Tables joined at most: the order of a line, and its customer."""


def reached(named: Named) -> tuple[Known, ...]:
    """The columns of tables that keys of the statement's own tables lead to, each with its joins.

    Every join follows a key towards one row and keeps rows without one, so that no figure changes. A table that is reached in two ways
    is left out, as is one whose name or column names would be taken for others of the statement.
    """
    tree = named.layout.tree
    if not named.outputs or any(
        join.args.get("kind") == "CROSS" or not (join.args.get("on") or join.args.get("using"))
        for join in tree.args.get("joins") or []
    ):
        return ()
    here = {one.field.table: one.before for one in named.columns}
    if len(here) != sum(1 for one in tree.find_all(exp.Table) if one.parent_select is tree):
        return ()  # a statement in a table's place, or a table twice
    ways: dict[str, list[tuple[str, tuple[Relation, ...]]]] = {}
    for table, alias in here.items():
        for path in _paths(named, table, ()):
            if path[-1].target not in here:
                ways.setdefault(path[-1].target, []).append((alias, path))
    bare = {one.name.lower() for one in tree.find_all(exp.Column) if not one.table}
    names = {one.alias_or_name.lower() for one in tree.find_all(exp.Table)} | {
        one.alias.lower() for one in tree.ctes
    }
    found: list[Known] = []
    for table, paths in ways.items():
        shortest = min(len(path) for _, path in paths)
        nearest = [(alias, path) for alias, path in paths if len(path) == shortest]
        if len(nearest) > 1:
            continue
        alias, path = nearest[0]
        targets = [one.target for one in path]
        columns = {field.column.lower() for one in targets for field in named.source.model.fields[one]}
        if (
            columns & bare
            or any(_name(named, one).lower() in names for one in targets)
            or len({*targets}) < len(targets)
        ):
            continue
        joins = tuple(_joins(named, alias, path))
        own = named.dialect.quoted(_name(named, table))
        found += [
            Known(field, f"{own}.{named.dialect.quoted(field.column)}", own, joins, alias)
            for field in named.source.model.fields[table]
        ]
    return tuple(found)


def joined(named: Named, column: Known) -> Named | Refused:
    """The statement with the joins that a column needs."""
    layout: Layout | None = named.layout
    for join in column.joins:
        if layout is None:
            break
        end = layout.places["from_"].end
        layout = layout.changed(
            [(end, end, f"{layout.line_break()}{layout.cased('LEFT JOIN')} {join}")], {"joins"}
        )
    return Named(layout, named.source) if layout is not None else UNSAFE


def timed(named: Named) -> tuple[Named, Known] | Refused:
    """The statement with the column that a period is meant of, joined where the rows happen when another table's do; or why there is none."""
    elsewhere = named.time_elsewhere()
    if elsewhere is None:
        time = named.time()
        return Refused(time) if isinstance(time, str) else (named, time)
    column = next((one for one in reached(named) if one.field == elsewhere), None)
    if column is None:
        return Refused(
            f"What is counted here happens by {elsewhere.table}.{elsewhere.column}, and no safe join leads there: add it in the SQL first."
        )
    base = joined(named, column)
    return base if isinstance(base, Refused) else (base, column)


def by_joins(column: Known) -> str:
    """The words for the joins of a change; empty where it needs none."""
    return (
        f", joined by {' and '.join(join.partition(' ON ')[2] for join in column.joins)}"
        if column.joins
        else ""
    )


def _paths(named: Named, table: str, path: tuple[Relation, ...]) -> Iterator[tuple[Relation, ...]]:
    for relation in named.source.model.relations:
        if relation.source == table:
            yield (*path, relation)
            if len(path) + 1 < HOPS:
                yield from _paths(named, relation.target, (*path, relation))


def _name(named: Named, table: str) -> str:
    return named.source.model.schemas.get(table, ("", table))[1]


def _joins(named: Named, alias: str, path: tuple[Relation, ...]) -> Iterator[str]:
    dialect: Dialect = named.dialect
    for relation in path:
        schema, name = named.source.model.schemas.get(relation.target, ("", relation.target))
        target = dialect.quoted(name)
        pairs = zip(relation.referenced, relation.columns, strict=True)
        met = " AND ".join(
            f"{target}.{dialect.quoted(there)} = {alias}.{dialect.quoted(here)}" for there, here in pairs
        )
        yield f"{dialect.quoted(schema) + '.' if schema else ''}{target} ON {met}"
        alias = target
