"""Frames: the overall shape of a question's SQL, as a short readable string.

A frame is a sorted set of signs: `C` a count is selected, `A` another aggregate, `G`
grouped, `Oc-`/`Oc+` ordered by count, `Oa-`/`Oa+` by another aggregate, `O` by a column,
`L` limited, `Hc`/`Ha` having, `or` alternatives, and one of `not`, `both`, `union`, `cmp`
for a nested or second SELECT. How many columns and conditions there are is not the frame's
business but the slots'.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.grammar.tree import Cond, Order, Query

PLAIN = "-"


def frame_of(query: Query) -> str:
    """Name the frame of a tree that `normalised` has passed."""
    signs: set[str] = set()
    aggs = {t.agg for t in query.select}
    if "count" in aggs:
        signs.add("C")
    if aggs - {"", "count"}:
        signs.add("A")
    if query.group:
        signs.add("G")
    for order in query.order[:1]:
        agg = order.term.agg
        kind = "c" if agg == "count" else "a" if agg else ""
        signs.add(f"O{kind}" + (("-" if order.desc else "+") if kind else ""))
    if query.limit is not None:
        signs.add("L")
    for cond in query.having:
        signs.add("Hc" if cond.term.agg == "count" else "Ha")
    if any(len(c) > 1 for c in query.where):
        signs.add("or")
    nested = nested_of(query)
    if nested:
        signs.add(nested[0])
    return " ".join(sorted(signs)) or PLAIN


def nested_of(query: Query) -> tuple[str, Query] | None:
    """The nested or second SELECT of a tree and what it does: `not`, `both`, `union`, `in` or `cmp`."""
    if query.second is not None:
        return {"intersect": "both", "except": "not", "union": "union"}[query.compound], query.second
    for clause in query.where:
        for cond in clause:
            if cond.query is not None:
                return {"not in": "not", "in": "in"}.get(cond.op, "cmp"), cond.query
    for cond in query.having:
        if cond.query is not None:
            return "cmp", cond.query
    return None


def normalised(query: Query) -> Query:
    """Give alike statements one shape: `= (SELECT MAX(c) ...)` becomes ORDER BY c DESC LIMIT 1."""
    where: list[tuple[Cond, ...]] = []
    order, limit = query.order, query.limit
    for clause in query.where:
        cond = clause[0]
        nested = cond.query
        if (
            len(clause) == 1
            and nested is not None
            and cond.op in ("=", "in")
            and len(nested.select) == 1
            and nested.select[0].agg in ("min", "max")
            and nested.select[0].col is not None
            and cond.term.col is not None
            and nested.select[0].col.name == cond.term.col.name
            and not order
        ):
            order, limit = (Order(cond.term, nested.select[0].agg == "max"),), 1
            continue
        where.append(clause)
    return replace(query, where=tuple(where), order=order, limit=limit)
