"""The clauses of a statement in words, in the order in which they act: tables, conditions, groups, outputs, order, rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from sqlagent.sql.expressions import conjuncts, sources, sums_rows
from sqlagent.sql.literals import ODD
from sqlagent.telling.explaining.expressions import Names, condition, conditions, ordered, words

DEEP = 4
"""Statements within statements that are told; deeper ones are quoted."""

_TOLD = frozenset(
    {
        "with_",
        "expressions",
        "distinct",
        "from_",
        "joins",
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
    }
)
"""Clauses of a SELECT that are told; of any other one its SQL is quoted."""

_SETS: dict[type[exp.Expr], str] = {
    exp.Union: "The rows of both statements, one below the other",
    exp.Intersect: "The rows that both statements have",
    exp.Except: "The rows of the first statement that the second does not have",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One part of a statement in words. `clause` is what it is; `of` names the statement of a WITH or of a union that it is of."""

    clause: str
    words: str
    of: str = ""


def explained(sql: str, dialect: str) -> tuple[Line, ...]:
    """Say what a statement does, one line for each clause; empty where it cannot be read as one query. Never raises on any text.

    Example:
        >>> for line in explained("SELECT status, COUNT(*) FROM orders WHERE total > 5 GROUP BY status LIMIT 3", "sqlite"):
        ...     print(f"{line.clause}: {line.words}")
        From: orders
        Only rows where: total is more than 5
        One row for each: status
        Shows: status; the number of rows
        At most: 3 rows
    """
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
        return tuple(_query(tree, dialect, "", 0)) if isinstance(tree, exp.Query) else ()
    except ODD:
        return ()


def _query(tree: exp.Expr, dialect: str, of: str, depth: int) -> Iterator[Line]:
    with_ = tree.args.get("with_")
    if with_ is not None:
        for cte in with_.expressions:
            yield from _named(cte, bool(with_.args.get("recursive")), dialect, of, depth)
    if isinstance(tree, exp.SetOperation):
        yield from _set(tree, dialect, of, depth)
    elif isinstance(tree, exp.Select):
        yield from _select(tree, dialect, of, depth)
    elif isinstance(tree, exp.Subquery) and not tree.alias:
        yield from _query(tree.this, dialect, of, depth)
        yield from _tail(tree, _names(tree, dialect, depth), of)
    else:
        yield Line("As SQL", _names(tree, dialect, depth).quoted(tree), of)


def _named(cte: exp.Expr, recursive: bool, dialect: str, of: str, depth: int) -> Iterator[Line]:
    name = f"{of}, {cte.alias}" if of else cte.alias
    columns = [one.name for one in cte.args["alias"].columns]
    called = f" with the columns {', '.join(columns)}" if columns else ""
    calls_itself = recursive and any(table.name == cte.alias for table in cte.this.find_all(exp.Table))
    again = "; it goes on with its own rows until none are new" if calls_itself else ""
    yield Line("First", f"a statement called {cte.alias}{called}{again}", of)
    yield from _query(cte.this, dialect, name, depth)


def _set(tree: exp.SetOperation, dialect: str, of: str, depth: int) -> Iterator[Line]:
    repeats = "each once" if tree.args.get("distinct") else "with repeats"
    for place, part in (("first statement", tree.this), ("second statement", tree.expression)):
        yield from _query(part, dialect, f"{of}, {place}" if of else place, depth)
    yield Line("Together", f"{_SETS.get(type(tree), 'As SQL')}, {repeats}", of)
    yield from _tail(tree, _names(tree, dialect, depth), of)


def _names(tree: exp.Expr, dialect: str, depth: int) -> Names:
    """What the tables of a statement are called, its own and those around it."""
    tables: dict[str, str] = {}
    own = 0
    node: exp.Expr | None = tree
    while node is not None:
        if isinstance(node, exp.Select):
            read = [*sources(node)]
            own = own or len(read)
            reals = [one.name.lower() for one in read]
            for one in read:
                alias = one.alias_or_name
                twice = reals.count(one.name.lower()) > 1 or not isinstance(one, exp.Table)
                tables.setdefault(alias.lower(), alias if twice else one.name)
        node = node.parent
    is_inner = tree.find_ancestor(exp.Select) is not None

    def told(query: exp.Expr) -> str:
        if depth + 1 >= DEEP:
            return f"`{query.sql(dialect=dialect, comments=False)}`"
        bare = query.this if isinstance(query, exp.Subquery) and not query.alias else query
        lines = _query(bare, dialect, "", depth + 1)
        said = "; ".join(
            f"{f'{one.of}: ' if one.of else ''}{_lowered(one.clause)} {one.words}" for one in lines
        )
        return f"a statement: {said}"

    return Names(tables, dialect, own == 1 and not is_inner, told)


def _select(select: exp.Select, dialect: str, of: str, depth: int) -> Iterator[Line]:
    names = _names(select, dialect, depth)
    from_ = select.args.get("from_")
    if from_ is not None:
        yield Line("From", _source(from_.this, names), of)
    for join in select.args.get("joins") or []:
        yield _join(join, names, of)
    where = select.args.get("where")
    if where is not None:
        yield Line("Only rows where", "; and ".join(conditions(where.this, names)), of)
    group = select.args.get("group")
    if group is not None:
        yield _group(group, select, names, of)
    having = select.args.get("having")
    if having is not None:
        yield Line("Only groups where", "; and ".join(conditions(having.this, names)), of)
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        yield Line("As SQL", names.quoted(distinct), of)
    once = " (each different row once)" if distinct is not None and distinct.args.get("on") is None else ""
    figure = group is None and any(sums_rows(one) for one in select.expressions)
    whole = " (one row, of all of them)" if figure else ""
    yield Line("Shows", "; ".join(_output(one, names) for one in select.expressions) + once + whole, of)
    yield from _tail(select, names, of, select)


def _output(one: exp.Expr, names: Names) -> str:
    said = words(one, names)
    is_named = isinstance(one, exp.Alias) and said.lower() != one.alias.lower()
    return f"{said}, called {one.alias}" if is_named else said


def _source(node: exp.Expr, names: Names) -> str:
    if isinstance(node, exp.Table) and not node.args.get("pivots") and isinstance(node.this, exp.Identifier):
        name = f"{node.db}.{node.name}" if node.db else node.name
        called = names.tables.get(node.alias_or_name.lower(), node.name)
        extra = [
            key for key, value in node.args.items() if value and key not in ("this", "db", "catalog", "alias")
        ]
        if node.catalog or extra:
            return names.quoted(node)
        return name if called == node.name else f"{name}, called {called}"
    if isinstance(node, exp.Subquery) and not node.args.get("pivots"):
        return (
            f"({names.told(node.this)}), called {node.alias}" if node.alias else f"({names.told(node.this)})"
        )
    return names.quoted(node)


def _join(join: exp.Expr, names: Names, of: str) -> Line:
    source = _source(join.this, names)
    side, kind, method = (str(join.args.get(key) or "").upper() for key in ("side", "kind", "method"))
    on, using = join.args.get("on"), join.args.get("using") or []
    if method or kind not in ("", "INNER", "OUTER", "CROSS") or side not in ("", "LEFT", "RIGHT", "FULL"):
        return Line("As SQL", names.quoted(join), of)
    if on is not None:
        # Two columns that are the same are the usual way; their words say which.
        met = " and ".join(_met(one, names) for one in conjuncts(on))
    elif using:
        met = " and ".join(f"{one.name} is the same in both" for one in using)
    else:
        return Line("Joined", f"{source}, every row with every other", of)
    kept = {
        "": "rows without a match are left out",
        "LEFT": "rows without a match are kept",
        "RIGHT": f"rows of {source} without a match are kept, others are left out",
        "FULL": "rows of both sides without a match are kept",
    }[side]
    return Line("Joined", f"{source}, where {met} ({kept})", of)


def _met(node: exp.Expr, names: Names) -> str:
    if isinstance(node, exp.EQ):
        return f"{words(node.this, names)} is {words(node.expression, names)}"
    return condition(node, names)


def _group(group: exp.Expr, select: exp.Select, names: Names, of: str) -> Line:
    more = [key for key, value in group.args.items() if value and key != "expressions"]
    if more:
        return Line("As SQL", names.quoted(group), of)
    return Line(
        "One row for each", "; ".join(words(_meant(one, select), names) for one in group.expressions), of
    )


def _meant(node: exp.Expr, select: exp.Select | None) -> exp.Expr:
    """What a number, or the name of an output, stands for."""
    if select is None:
        return node
    if isinstance(node, exp.Literal) and node.is_int and 1 <= int(node.name) <= len(select.expressions):
        found: exp.Expr = select.expressions[int(node.name) - 1]
        return found.this if isinstance(found, exp.Alias) else found
    return node


def _tail(tree: exp.Expr, names: Names, of: str, select: exp.Select | None = None) -> Iterator[Line]:
    """Order and number of rows, and any clause that has no words."""
    known = (
        _TOLD
        if select is not None
        else {"with_", "this", "expression", "distinct", "order", "limit", "offset", "alias", "by_name"}
    )
    for key, value in tree.args.items():
        if not value or key in known:
            continue
        parts = value if isinstance(value, list) else [value]
        text = " ".join(names.quoted(one) if isinstance(one, exp.Expr) else f"`{key} {one}`" for one in parts)
        yield Line("As SQL", text, of)
    order = tree.args.get("order")
    if order is not None:
        yield Line(
            "In the order of", "; then ".join(_by(one, select, names) for one in order.expressions), of
        )
    limit, offset = tree.args.get("limit"), tree.args.get("offset")
    skipped = f", after the first {words(offset.expression, names)} are skipped" if offset is not None else ""
    if isinstance(limit, exp.Limit) and not limit.expressions and limit.args.get("expression") is not None:
        yield Line("At most", f"{_counted(words(limit.expression, names))}{skipped}", of)
    elif isinstance(limit, exp.Fetch) and limit.args.get("count") is not None and not _has_options(limit):
        yield Line("At most", f"{_counted(words(limit.args['count'], names))}{skipped}", of)
    else:
        for one in (limit, offset):
            if one is not None:
                yield Line("As SQL", names.quoted(one), of)


def _has_options(fetch: exp.Fetch) -> bool:
    """Whether a FETCH says more than its number: a percentage, or ties."""
    options = fetch.args.get("limit_options")
    return options is not None and any(options.args.get(key) for key in ("percent", "with_ties"))


def _by(one: exp.Expr, select: exp.Select | None, names: Names) -> str:
    if isinstance(one, exp.Ordered) and select is not None:
        one = one.copy()
        one.set("this", _meant(one.this, select).copy())
    is_place = select is None and isinstance(one.this, exp.Literal) and one.this.is_int
    return f"{'column ' if is_place else ''}{ordered(one, names)}"


def _counted(number: str) -> str:
    return "1 row" if number == "1" else f"{number} rows"


def _lowered(clause: str) -> str:
    return clause if clause == "As SQL" else clause[0].lower() + clause[1:]
