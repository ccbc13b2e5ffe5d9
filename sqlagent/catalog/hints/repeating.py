"""Whether some SQL computes a formula over the rows of the table that its columns belong to, each of them once."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.catalog.hints.terms import Formula, Total
from sqlagent.catalog.keys import KeyGraph
from sqlagent.values import Catalog


def goes_through(formula: Formula, sql: str, catalog: Catalog) -> bool:
    """Whether no sum or average of a formula is of rows that a join repeats, or of another table's rows.

    A formula that only counts rows under conditions counts the rows that the question names, so it always passes.
    """
    summed = [total for total in formula.totals if total.agg in ("sum", "avg") and total.columns]
    if not summed:
        return True
    try:
        tree = sqlglot.parse_one(sql, dialect=catalog.dialect)
    except SqlglotError:
        return False
    graph = KeyGraph(catalog)
    above = {table.key: _above(table.key, graph) for table in catalog.tables}
    return all(any(_is_of(total, select, above) for select in tree.find_all(exp.Select)) for total in summed)


def _is_of(total: Total, select: exp.Select, above: dict[str, set[str]]) -> bool:
    """Whether a SELECT goes through the rows of an aggregate's table, and joins only what each of them has one of."""
    own = {ref.table for ref in total.columns}
    joined = [join.this for join in select.args.get("joins") or ()]
    source = select.args.get("from_") or select.args.get("from")
    tables = {
        one.name.lower()
        for one in (*([source.this] if source is not None else []), *joined)
        if isinstance(one, exp.Table)
    }
    if not any(projected.find(exp.AggFunc) for projected in select.expressions):
        return False
    names = {key: key.rpartition(".")[2].lower() for key in above}
    return any(
        own <= {*above[base], base}
        and tables <= {names[t] for t in (*above[base], base)}
        and names[base] in tables
        for base in own
    )


def _above(table: str, graph: KeyGraph) -> set[str]:
    """The tables of which each row of a table has one."""
    found: set[str] = set()
    waiting = [table]
    while waiting:
        here = waiting.pop()
        for edge in graph.edges:
            if edge.source == here and edge.target not in found:
                found.add(edge.target)
                waiting.append(edge.target)
    return found
