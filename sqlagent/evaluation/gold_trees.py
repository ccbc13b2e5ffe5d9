"""Gold SQL read into the grammar's trees, for fitting alone; the pipeline never sees one.

Decides which gold statements the grammar could have composed; others give None.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.makers.grammar.tree import Col, Cond, Order, Query, Term, Value
from sqlagent.values import Catalog

_OPS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.GT: ">",
    exp.LT: "<",
    exp.GTE: ">=",
    exp.LTE: "<=",
    exp.Like: "like",
}
_NEGATED = {
    "=": "!=",
    "like": "not like",
    "in": "not in",
    "null": "not null",
    "<": ">=",
    ">": "<=",
    "!=": "=",
}
_AGGS: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
}


class Unread(Exception):
    """The statement holds something the grammar does not compose."""


def read_gold(sql: str, catalog: Catalog) -> Query | None:
    """Read one SELECT (or a set operation of two) into a tree; None when it is outside the grammar."""
    try:
        tree = sqlglot.parse_one(sql, read=catalog.dialect)
        return _query(tree, catalog)
    except (SqlglotError, Unread, RecursionError):
        return None


def _query(tree: exp.Expr, catalog: Catalog) -> Query:
    while isinstance(tree, (exp.Subquery, exp.Paren)):
        tree = tree.this
    if isinstance(tree, exp.SetOperation):
        name = {"Intersect": "intersect", "Except": "except", "Union": "union"}[type(tree).__name__]
        first, second = _query(tree.this, catalog), _query(tree.expression, catalog)
        if first.second is not None:
            raise Unread("three in a row")
        return _with(first, compound=name, second=second)
    if not isinstance(tree, exp.Select):
        raise Unread(type(tree).__name__)
    return _Reader(tree, catalog).query()


def _with(query: Query, **changes: object) -> Query:
    from dataclasses import replace

    return replace(query, **changes)  # type: ignore[arg-type]


class _Reader:
    def __init__(self, tree: exp.Select, catalog: Catalog) -> None:
        self.tree = tree
        self.catalog = catalog
        self.names: dict[str, str] = {}
        self.instances: list[str] = []
        source = tree.args.get("from_") or tree.args.get("from")
        if source is None:
            raise Unread("no FROM")
        self._source(source.this)
        for join in tree.args.get("joins") or []:
            self._source(join.this)

    def _source(self, node: exp.Expr) -> None:
        if not isinstance(node, exp.Table):
            raise Unread("nested FROM")
        table = self.catalog.table(node.name)
        if table is None:
            raise Unread(node.name)
        count = sum(i.split("#")[0] == table.key for i in self.instances)
        instance = table.key if not count else f"{table.key}#{count + 1}"
        self.instances.append(instance)
        self.names[(node.alias or node.name).lower()] = instance

    def query(self) -> Query:
        tree = self.tree
        where = tree.args.get("where")
        having = tree.args.get("having")
        group = tree.args.get("group")
        order = tree.args.get("order")
        limit = tree.args.get("limit")
        return Query(
            select=tuple(self._term(e) for e in tree.expressions if not isinstance(e, exp.Star)),
            tables=tuple(self.instances),
            where=tuple(self._clauses(where.this)) if where else (),
            group=tuple(self._term(e) for e in group.expressions) if group else (),
            having=tuple(c[0] for c in self._clauses(having.this)) if having else (),
            order=tuple(Order(self._term(o.this), bool(o.args.get("desc"))) for o in order.expressions)
            if order
            else (),
            limit=int(limit.expression.name) if limit else None,
            distinct=bool(tree.args.get("distinct")),
        )

    def _term(self, node: exp.Expr) -> Term:
        while isinstance(node, (exp.Alias, exp.Paren, exp.Ordered)):
            node = node.this
        if type(node) in _AGGS:
            inner = node.this
            distinct = isinstance(inner, exp.Distinct)
            if distinct:
                inner = inner.expressions[0]
            if isinstance(inner, exp.Star):
                return Term("count")
            term = self._term(inner)
            return Term(_AGGS[type(node)], term.col, distinct, "", term.op, term.other)
        if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div)):
            first, second = self._term(node.left), self._term(node.right)
            if first.col is None or second.col is None or first.agg or second.agg:
                raise Unread("arithmetic")
            op = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/"}[type(node).__name__]
            return Term(col=first.col, op=op, other=second.col)
        if isinstance(node, exp.TimeToStr) and isinstance(node.this, (exp.Column, exp.TsOrDsToTimestamp)):
            part = {"%Y": "year", "%Y-%m": "month", "%Y-%m-%d": "day"}.get(node.args["format"].name)
            inner = node.this if isinstance(node.this, exp.Column) else node.this.this
            if part is None:
                raise Unread("format")
            return Term(col=self._column(inner), part=part)
        if isinstance(node, exp.Column):
            if isinstance(node.this, exp.Star):
                raise Unread("t.*")
            return Term(col=self._column(node))
        raise Unread(type(node).__name__)

    def _column(self, node: exp.Column) -> Col:
        low = node.name.lower()
        if node.table:
            instance = self.names.get(node.table.lower())
            if instance is None:
                raise Unread(node.table)
            places = [instance]
        else:
            places = self.instances
        for place in places:
            table = self.catalog.table(place.split("#")[0])
            column = table.column(low) if table else None
            if column is not None:
                return Col(place, column.name)
        raise Unread(node.name)

    def _clauses(self, node: exp.Expr) -> list[tuple[Cond, ...]]:
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.And):
            return [*self._clauses(node.left), *self._clauses(node.right)]
        if isinstance(node, exp.Or):
            left, right = self._clauses(node.left), self._clauses(node.right)
            if len(left) != 1 or len(right) != 1:
                raise Unread("and inside or")
            return [(*left[0], *right[0])]
        return [(self._cond(node),)]

    def _cond(self, node: exp.Expr) -> Cond:
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.Not):
            inner = self._cond(node.this)
            if inner.op not in _NEGATED:
                raise Unread("not")
            return Cond(inner.term, _NEGATED[inner.op], inner.values, inner.query, inner.right)
        if isinstance(node, exp.Is):
            return Cond(self._term(node.this), "null")
        if isinstance(node, exp.Between):
            return Cond(
                self._term(node.this), "between", (_value(node.args["low"]), _value(node.args["high"]))
            )
        if isinstance(node, exp.In):
            query = node.args.get("query")
            if query is not None:
                return Cond(self._term(node.this), "in", (), _query(query, self.catalog))
            return Cond(self._term(node.this), "in", tuple(_value(v) for v in node.expressions))
        op = _OPS.get(type(node))
        if op is None:
            raise Unread(type(node).__name__)
        left, right = node.args["this"], node.args["expression"]
        if isinstance(right, (exp.Subquery, exp.Select)):
            return Cond(self._term(left), op, (), _query(right, self.catalog))
        if isinstance(right, exp.Column) and not isinstance(right.this, exp.Star):
            try:
                return Cond(self._term(left), op, right=self._column(right))
            except Unread:
                if right.table:
                    raise
                return Cond(self._term(left), op, (right.name,))
        return Cond(self._term(left), op, (_value(right),))


def _value(node: exp.Expr) -> Value:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Neg):
        inner = _value(node.this)
        return -inner if isinstance(inner, (int, float)) else inner
    if isinstance(node, exp.Literal):
        if node.is_string:
            return str(node.this)
        text = str(node.this)
        try:
            return int(text)
        except ValueError:
            return float(text)
    if isinstance(node, exp.Column) and not node.table:
        return node.name
    if isinstance(node, exp.Boolean):
        return int(bool(node.this))
    raise Unread(type(node).__name__)
