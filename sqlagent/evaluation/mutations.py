"""Hard negatives: gold SQL changed in one place, as people and models get it wrong.

For fitting alone. Each mutation is a function of a tree it may change, the catalog and a seeded
chance; it gives the changed tree, or None where it has nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.values import Catalog

Mutation = Callable[[exp.Expr, Catalog, Random], exp.Expr | None]

_AGGREGATES: tuple[type[exp.AggFunc], ...] = (exp.Sum, exp.Avg, exp.Min, exp.Max)
_COMPARISONS: tuple[type[exp.Binary], ...] = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_SETS: tuple[type[exp.SetOperation], ...] = (exp.Intersect, exp.Except, exp.Union)


def mutations(sql: str, catalog: Catalog, chance: Random) -> Iterator[str]:
    """Yield distinct mutations of a statement, the same for the same seed; none of what cannot be parsed."""
    try:
        tree = sqlglot.parse_one(sql, dialect=catalog.dialect)
    except SqlglotError:
        return
    seen = {tree.sql(dialect=catalog.dialect)}
    for mutation, times in MUTATIONS:
        for _ in range(times):
            changed = mutation(tree.copy(), catalog, chance)
            text = changed.sql(dialect=catalog.dialect) if changed is not None else ""
            if text and text not in seen:
                seen.add(text)
                yield text


def _first(tree: exp.Expr) -> exp.Select:
    found = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    assert isinstance(found, exp.Select)
    return found


def _tables(tree: exp.Expr) -> dict[str, str]:
    return {table.alias_or_name.lower(): table.name for table in tree.find_all(exp.Table)}


def _selects_alike(tree: exp.Expr) -> list[exp.Select]:
    """The selects that must change together: all parts of a set operation."""
    count = len(_first(tree).expressions)
    if not isinstance(tree, exp.SetOperation):
        return [_first(tree)]
    return [select for select in tree.find_all(exp.Select) if len(select.expressions) == count]


def _other_column(column: exp.Column, tree: exp.Expr, catalog: Catalog, chance: Random) -> str | None:
    """Another column of the table that a column belongs to."""
    tables = _tables(tree)
    names = [tables[column.table.lower()]] if column.table.lower() in tables else list(tables.values())
    for name in names:
        table = catalog.table(name)
        if table is not None and table.column(column.name) is not None:
            others = [c.name for c in table.columns if c.name.lower() != column.name.lower()]
            return chance.choice(others) if others else None
    return None


def _rename(columns: list[exp.Column], tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    if not columns:
        return None
    column = chance.choice(columns)
    other = _other_column(column, tree, catalog, chance)
    if other is None:
        return None
    column.set("this", exp.to_identifier(other, quoted=True))
    return tree


# ---------------------------------------------------------------- what is shown


def repeats(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Take DISTINCT away, or put it in."""
    select = _first(tree)
    select.set("distinct", None if select.args.get("distinct") else exp.Distinct())
    return tree


def turned_columns(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Show the columns in another order."""
    selects = _selects_alike(tree)
    count = len(selects[0].expressions)
    if count < 2:
        return None
    by = chance.randrange(1, count)
    for select in selects:
        select.set("expressions", select.expressions[by:] + select.expressions[:by])
    return tree


def fewer_columns(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Leave a shown column out."""
    selects = _selects_alike(tree)
    count = len(selects[0].expressions)
    if count < 2:
        return None
    gone = chance.randrange(count)
    for select in selects:
        select.set("expressions", [e for i, e in enumerate(select.expressions) if i != gone])
    return tree


def more_columns(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Show a column more: what the rows are ordered by, a count, or a neighbour."""
    if not isinstance(tree, exp.Select):
        return None
    order, columns = tree.args.get("order"), list(tree.find_all(exp.Column))
    if order is not None and chance.random() < 0.6:
        new: exp.Expr = order.expressions[0].this.copy()
    elif tree.args.get("group") and chance.random() < 0.6:
        new = exp.Count(this=exp.Star())
    elif columns:
        new = chance.choice(columns).copy()
        assert isinstance(new, exp.Column)
        other = _other_column(new, tree, catalog, chance)
        if other is None:
            return None
        new.set("this", exp.to_identifier(other, quoted=True))
    else:
        return None
    shown = [*tree.expressions, new] if chance.random() < 0.5 else [new, *tree.expressions]
    tree.set("expressions", shown)
    return tree


def shown_column(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Show a neighbour of a column."""
    columns = [c for e in _first(tree).expressions for c in e.find_all(exp.Column)]
    return _rename(columns, tree, catalog, chance)


def counted(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Count where things are listed, count distinct ones, or count repeats too."""
    if not isinstance(tree, exp.Select):
        return None
    first = tree.expressions[0]
    if isinstance(first, exp.Count):
        inside = first.this
        if isinstance(inside, exp.Star):
            return None
        plain = inside.expressions[0].copy() if isinstance(inside, exp.Distinct) else None
        new = exp.Count(this=plain or exp.Distinct(expressions=[inside.copy()]))
    elif isinstance(first, exp.Column) and len(tree.expressions) == 1 and not tree.args.get("group"):
        new = exp.Count(this=first.copy())
        tree.set("order", None)
    else:
        return None
    tree.set("expressions", [new, *tree.expressions[1:]])
    return tree


def listed(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """List where things are counted."""
    if not isinstance(tree, exp.Select) or tree.args.get("group") or not tree.find(exp.Count):
        return None
    alias, name = next(iter(_tables(tree).items()))
    table = catalog.table(name)
    if table is None or not isinstance(tree.expressions[0], exp.Count):
        return None
    column = chance.choice(table.columns[:3]).name
    tree.set("expressions", [exp.column(column, table=alias, quoted=True), *tree.expressions[1:]])
    return tree


def aggregated(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Take another aggregate."""
    found = list(tree.find_all(*_AGGREGATES))
    if not found:
        return None
    node = chance.choice(found)
    kind = chance.choice([k for k in _AGGREGATES if not isinstance(node, k)])
    node.replace(kind(this=node.this.copy()))
    return tree


# ---------------------------------------------------------------- order and groups


def turned_order(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Order the other way round."""
    order = tree.find(exp.Order)
    if order is None:
        return None
    order.expressions[0].set("desc", not order.expressions[0].args.get("desc"))
    return tree


def no_limit(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Keep all rows, or one where all were asked for."""
    if tree.args.get("limit"):
        tree.set("limit", None)
        return tree
    if isinstance(tree, exp.Select) and chance.random() < 0.3:
        return tree.limit(1)
    return None


def no_order(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Leave the order out."""
    if not tree.args.get("order") or tree.args.get("limit"):
        return None
    tree.set("order", None)
    return tree


def all_extremes(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Ask for every row with the extreme value instead of the first row in order."""
    if not isinstance(tree, exp.Select) or tree.args.get("group") or not tree.args.get("limit"):
        return None
    order = tree.args.get("order")
    if order is None or tree.args["limit"].expression.name != "1":
        return None
    by = order.expressions[0]
    if not isinstance(by.this, exp.Column):
        return None
    tables = _tables(tree)
    table = tables.get(by.this.table.lower(), next(iter(tables.values())))
    kind = exp.Max if by.args.get("desc") else exp.Min
    best = exp.select(kind(this=exp.column(by.this.name, quoted=True))).from_(exp.to_table(table))
    tree.set("order", None)
    tree.set("limit", None)
    return tree.where(exp.EQ(this=by.this.copy(), expression=best.subquery()))


def other_order(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Order or group by a neighbour."""
    kinds = [kind for kind in (exp.Order, exp.Group) if tree.find(kind)]
    if not kinds:
        return None
    kind = chance.choice(kinds)
    columns = [c for node in tree.find_all(kind) for c in node.find_all(exp.Column)]
    return _rename(columns, tree, catalog, chance)


def no_group(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Leave the groups out, or only what is required of them."""
    select = _first(tree)
    if not select.args.get("group"):
        return None
    if not (select.args.get("having") and chance.random() < 0.5):
        select.set("group", None)
    select.set("having", None)
    return tree


# ---------------------------------------------------------------- conditions


def other_condition(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Put a condition on a neighbour."""
    columns = [c for node in tree.find_all(exp.Where) for c in node.find_all(exp.Column)]
    return _rename(columns, tree, catalog, chance)


def no_condition(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Leave a condition out."""
    found = list(tree.find_all(exp.Where))
    if not found:
        return None
    where = chance.choice(found)
    inside = where.this
    if isinstance(inside, exp.And | exp.Or):
        where.set("this", chance.choice([inside.this, inside.expression]).copy())
    elif where.parent is not None:
        where.parent.set("where", None)
    return tree


def other_comparison(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Compare otherwise: at least for more than, unlike for equal."""
    found = [*tree.find_all(*_COMPARISONS)]
    if found:
        node = chance.choice(found)
        kind: type[exp.Binary] = chance.choice([k for k in _COMPARISONS if type(node) is not k])
    else:
        found = [n for n in tree.find_all(exp.EQ, exp.NEQ) if isinstance(n.expression, exp.Literal)]
        if not found or chance.random() < 0.6:
            return None
        node = chance.choice(found)
        kind = exp.NEQ if isinstance(node, exp.EQ) else exp.EQ
    node.replace(kind(this=node.this.copy(), expression=node.expression.copy()))
    return tree


def other_literal(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Write a text as it is not stored, or a number that was not asked for."""
    found = [n for n in tree.find_all(exp.Literal) if n.is_string]
    if found:
        node = chance.choice(found)
        text = node.name
        ways = [text.lower(), text.upper(), text.title(), (text.split() or [text])[0], text + "s"]
        others = [way for way in ways if way != text]
        node.replace(exp.Literal.string(chance.choice(others)))
        return tree
    numbers = list(tree.find_all(exp.Literal))
    if not numbers or chance.random() < 0.6:
        return None
    number = chance.choice(numbers)
    number.replace(exp.Literal.number(str(int(float(number.name)) + chance.choice((1, -1, 10)))))
    return tree


def other_connective(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Take OR for AND, or AND for OR."""
    found = list(tree.find_all(exp.And, exp.Or))
    if not found:
        return None
    node = chance.choice(found)
    kind: type[exp.Connector] = exp.Or if isinstance(node, exp.And) else exp.And
    node.replace(kind(this=node.this.copy(), expression=node.expression.copy()))
    return tree


def pattern(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Look for a part of a text instead of the whole, or the whole instead of a part."""
    like = tree.find(exp.Like)
    if like is not None:
        like.replace(
            exp.EQ(this=like.this.copy(), expression=exp.Literal.string(like.expression.name.strip("%")))
        )
        return tree
    found = [
        n for n in tree.find_all(exp.EQ) if isinstance(n.expression, exp.Literal) and n.expression.is_string
    ]
    if not found or chance.random() < 0.5:
        return None
    node = chance.choice(found)
    node.replace(exp.Like(this=node.this.copy(), expression=exp.Literal.string(f"%{node.expression.name}%")))
    return tree


# ---------------------------------------------------------------- tables


def outer_join(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Keep rows without a match."""
    found = list(tree.find_all(exp.Join))
    if not found or chance.random() < 0.5:
        return None
    chance.choice(found).set("side", "LEFT")
    return tree


def wrong_key(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Join on a neighbour of the key."""
    columns = [
        c
        for join in tree.find_all(exp.Join)
        if join.args.get("on")
        for c in join.args["on"].find_all(exp.Column)
    ]
    return _rename(columns, tree, catalog, chance)


def wrong_table(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Take a column of the same name from another table."""
    tables = _tables(tree)
    columns = [c for c in tree.find_all(exp.Column) if c.table]
    chance.shuffle(columns)
    for column in columns:
        for alias, name in tables.items():
            table = catalog.table(name)
            if alias != column.table.lower() and table is not None and table.column(column.name):
                column.set("table", exp.to_identifier(alias))
                return tree
    return None


def another_table(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Join a table nobody asked for along a declared key."""
    if not isinstance(tree, exp.Select):
        return None
    tables = _tables(tree)
    here = {name.lower(): alias for alias, name in tables.items()}
    options = []
    for table in catalog.tables:
        for key in table.foreign_keys:
            mine, theirs = table.name.lower(), key.table.lower()
            if len(key.referenced) != 1 or not key.referenced[0]:
                continue
            if mine in here and theirs not in here:
                options.append((here[mine], key.columns[0], key.table, key.referenced[0]))
            elif theirs in here and mine not in here:
                options.append((here[theirs], key.referenced[0], table.name, key.columns[0]))
    if not options:
        return None
    alias, column, other, theirs = chance.choice(options)
    for bare in [c for c in tree.find_all(exp.Column) if not c.table]:
        owner = next((a for a, n in tables.items() if (t := catalog.table(n)) and t.column(bare.name)), None)
        if owner:
            bare.set("table", exp.to_identifier(owner))
    left = exp.column(column, table=alias, quoted=True)
    return tree.join(exp.to_table(other), on=left.eq(exp.column(theirs, table=other, quoted=True)))


def other_set(tree: exp.Expr, catalog: Catalog, chance: Random) -> exp.Expr | None:
    """Combine two parts otherwise, or keep only one of them."""
    if not isinstance(tree, exp.SetOperation):
        return None
    if chance.random() < 0.5:
        half: exp.Expr = tree.this.copy()
        return half
    kind = chance.choice([k for k in _SETS if not isinstance(tree, k)])
    return kind(this=tree.this.copy(), expression=tree.expression.copy(), distinct=True)


MUTATIONS: tuple[tuple[Mutation, int], ...] = (
    (repeats, 1), (turned_columns, 2), (fewer_columns, 1), (more_columns, 2), (shown_column, 2), (counted, 1),
    (listed, 1), (aggregated, 1), (turned_order, 1), (no_limit, 1), (no_order, 1), (all_extremes, 1),
    (other_order, 1), (no_group, 2), (other_condition, 1), (no_condition, 1), (other_comparison, 1),
    (other_literal, 2), (other_connective, 1), (pattern, 1), (outer_join, 1), (wrong_key, 1), (wrong_table, 1),
    (another_table, 1), (other_set, 2),
)  # fmt: skip
"""Each with how often it is tried."""
