"""The clauses of a statement in words, in the order in which they act: tables, conditions, groups, outputs, order, rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from sqlagent.language.saying import in_a_row, in_commas, template, worded, worded_count
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

_SETS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Union: (
        template("The rows of both statements, one below the other, each once"),
        template("The rows of both statements, one below the other, with repeats"),
    ),
    exp.Intersect: (
        template("The rows that both statements have, each once"),
        template("The rows that both statements have, with repeats"),
    ),
    exp.Except: (
        template("The rows of the first statement that the second does not have, each once"),
        template("The rows of the first statement that the second does not have, with repeats"),
    ),
}
"""Words of two statements put together: each different row once, and with repeats."""

_WITHIN = {
    "First": template("first {words}"),
    "From": template("from {words}"),
    "Joined": template("joined {words}"),
    "Only rows where": template("only rows where {words}"),
    "One row for each": template("one row for each {words}"),
    "Only groups where": template("only groups where {words}"),
    "Shows": template("shows {words}"),
    "Together": template("together {words}"),
    "In the order of": template("in the order of {words}"),
    "At most": template("at most {words}"),
    "As SQL": template("as SQL {words}"),
}
"""The clauses of a statement that stands within another one."""


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
    name = in_commas([of, cte.alias]) if of else cte.alias
    columns = [one.name for one in cte.args["alias"].columns]
    said = (
        worded(
            "a statement called {name} with the columns {columns}", name=cte.alias, columns=", ".join(columns)
        )
        if columns
        else worded("a statement called {name}", name=cte.alias)
    )
    if recursive and any(table.name == cte.alias for table in cte.this.find_all(exp.Table)):
        said = worded("{statement}; it goes on with its own rows until none are new", statement=said)
    yield Line("First", said, of)
    yield from _query(cte.this, dialect, name, depth)


def _set(tree: exp.SetOperation, dialect: str, of: str, depth: int) -> Iterator[Line]:
    for place, part in (
        (worded("first statement"), tree.this),
        (worded("second statement"), tree.expression),
    ):
        yield from _query(part, dialect, in_commas([of, place]) if of else place, depth)
    once, repeated = _SETS[type(tree)]
    yield Line("Together", worded(once if tree.args.get("distinct") else repeated), of)
    yield from _tail(tree, _names(tree, dialect, depth), of)


def _names(tree: exp.Expr, dialect: str, depth: int) -> Names:
    """The names of the tables of a statement, its own and those around it."""
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
        said: list[str] = []
        for one in _query(bare, dialect, "", depth + 1):
            clause = worded(_WITHIN[one.clause], words=one.words)
            said.append(in_a_row(one.of, ": ", clause) if one.of else clause)
        return worded("a statement: {clauses}", clauses=in_commas(said, "; "))

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
        yield Line("Only rows where", _and(conditions(where.this, names)), of)
    group = select.args.get("group")
    if group is not None:
        yield _group(group, select, names, of)
    having = select.args.get("having")
    if having is not None:
        yield Line("Only groups where", _and(conditions(having.this, names)), of)
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        yield Line("As SQL", names.quoted(distinct), of)
    shown: str = in_commas([_output(one, names) for one in select.expressions], "; ")
    if distinct is not None and distinct.args.get("on") is None:
        shown = worded("{columns} (each different row once)", columns=shown)
    if group is None and any(sums_rows(one) for one in select.expressions):
        shown = worded("{columns} (one row, of all of them)", columns=shown)
    yield Line("Shows", shown, of)
    yield from _tail(select, names, of, select)


def _and(parts: Iterator[str]) -> str:
    return in_commas([*parts], worded("; and "))


def _called(part: str, alias: str) -> str:
    return worded("{part}, called {name}", part=part, name=alias)


def _output(one: exp.Expr, names: Names) -> str:
    said = words(one, names)
    is_named = isinstance(one, exp.Alias) and said.lower() != one.alias.lower()
    return _called(said, one.alias) if is_named else said


def _source(node: exp.Expr, names: Names) -> str:
    if isinstance(node, exp.Table) and not node.args.get("pivots") and isinstance(node.this, exp.Identifier):
        name = f"{node.db}.{node.name}" if node.db else node.name
        called = names.tables.get(node.alias_or_name.lower(), node.name)
        extra = [
            key for key, value in node.args.items() if value and key not in ("this", "db", "catalog", "alias")
        ]
        if node.catalog or extra:
            return names.quoted(node)
        return name if called == node.name else _called(name, called)
    if isinstance(node, exp.Subquery) and not node.args.get("pivots"):
        inner = in_a_row("(", names.told(node.this), ")")
        return _called(inner, node.alias) if node.alias else inner
    return names.quoted(node)


def _join(join: exp.Expr, names: Names, of: str) -> Line:
    source = _source(join.this, names)
    side, kind, method = (str(join.args.get(key) or "").upper() for key in ("side", "kind", "method"))
    on, using = join.args.get("on"), join.args.get("using") or []
    if method or kind not in ("", "INNER", "OUTER", "CROSS") or side not in ("", "LEFT", "RIGHT", "FULL"):
        return Line("As SQL", names.quoted(join), of)
    if on is not None:
        # Two columns that are the same are the usual way; their words say which.
        met = [_met(one, names) for one in conjuncts(on)]
    elif using:
        met = [worded("{column} is the same in both", column=one.name) for one in using]
    else:
        return Line("Joined", worded("{table}, every row with every other", table=source), of)
    kept = {
        "": worded("rows without a match are left out"),
        "LEFT": worded("rows without a match are kept"),
        "RIGHT": worded("rows of {table} without a match are kept, others are left out", table=source),
        "FULL": worded("rows of both sides without a match are kept"),
    }[side]
    both = in_commas(met, worded(" and "))
    return Line(
        "Joined", worded("{table}, where {condition} ({kept})", table=source, condition=both, kept=kept), of
    )


def _met(node: exp.Expr, names: Names) -> str:
    if isinstance(node, exp.EQ):
        return worded("{one} is {other}", one=words(node.this, names), other=words(node.expression, names))
    return condition(node, names)


def _group(group: exp.Expr, select: exp.Select, names: Names, of: str) -> Line:
    more = [key for key, value in group.args.items() if value and key != "expressions"]
    if more:
        return Line("As SQL", names.quoted(group), of)
    groups = [words(_meant(one, select), names) for one in group.expressions]
    return Line("One row for each", in_commas(groups, "; "), of)


def _meant(node: exp.Expr, select: exp.Select | None) -> exp.Expr:
    """The expression that a number, or the name of an output, stands for."""
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
        along = in_commas([_by(one, select, names) for one in order.expressions], worded("; then "))
        yield Line("In the order of", along, of)
    limit, offset = tree.args.get("limit"), tree.args.get("offset")
    skipped = words(offset.expression, names) if offset is not None else ""
    if isinstance(limit, exp.Limit) and not limit.expressions and limit.args.get("expression") is not None:
        yield Line("At most", _counted(words(limit.expression, names), skipped), of)
    elif isinstance(limit, exp.Fetch) and limit.args.get("count") is not None and not _has_options(limit):
        yield Line("At most", _counted(words(limit.args["count"], names), skipped), of)
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
    said = ordered(one, names)
    return worded("column {order}", order=said) if is_place else said


def _counted(number: str, skipped: str) -> str:
    rows = worded_count("{count} row", "{count} rows", int(number) if number.isdigit() else 2, count=number)
    return (
        worded("{rows}, after the first {count} are skipped", rows=rows, count=skipped) if skipped else rows
    )
