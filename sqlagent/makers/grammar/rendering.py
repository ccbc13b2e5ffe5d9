"""A tree of the grammar as sqlglot expressions, then as SQL of the dialect at hand.

Decides aliases, quoting and how each dialect cuts a date; joins follow the key graph.
Leaves what is asked to `composing`.
"""

from __future__ import annotations

import re
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from sqlagent.catalog.keys import Edge, KeyGraph
from sqlagent.makers.grammar.headings import heading
from sqlagent.makers.grammar.tree import Col, Computed, Cond, Order, Query, Term, Value, base

_COMPARE: dict[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    ">": exp.GT,
    "<=": exp.LTE,
    ">=": exp.GTE,
    "like": exp.Like,
}
_AGGREGATES: dict[str, type[exp.AggFunc]] = {
    "count": exp.Count,
    "sum": exp.Sum,
    "avg": exp.Avg,
    "min": exp.Min,
    "max": exp.Max,
}
_ARITHMETIC: dict[str, type[exp.Binary]] = {"*": exp.Mul, "-": exp.Sub, "+": exp.Add, "/": exp.Div}
_COMPOUND: dict[str, type[exp.SetOperation]] = {
    "intersect": exp.Intersect,
    "except": exp.Except,
    "union": exp.Union,
}
_FORMATS = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d", "week": "%Y-%W", "hour": "%H"}

# Dialects that have no DATE_TRUNC('month', ...): sqlglot knows their word for it, or TRUNC takes a pattern.
_TRUNCATES = frozenset(("tsql", "bigquery", "doris"))
_TRUNC = {
    "oracle": {"year": "YYYY", "quarter": "Q", "month": "MM", "week": "IW", "day": "DD", "hour": "HH24"},
    "hive": {"year": "YEAR", "quarter": "Q", "month": "MM", "week": "WEEK", "day": "DD", "hour": "HOUR"},
    "teradata": {"year": "YYYY", "quarter": "Q", "month": "MM", "week": "IW", "day": "DD", "hour": "HH24"},
}


class NoJoin(ValueError):
    """The tables of a tree do not hang together."""


@lru_cache(maxsize=8)
def _reserved(dialect: str) -> frozenset[str]:
    words = Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
    return frozenset(w.upper() for w in words if w.isalpha()) | {
        "LEFT",
        "RIGHT",
        "USER",
        "RANK",
        "YEAR",
        "VALUES",
    }


@lru_cache(maxsize=65_536)
def must_quote(name: str, dialect: str) -> bool:
    """Whether an identifier cannot stand bare in this dialect: odd characters, SQL words, or letter case."""
    pattern = (
        r"[A-Za-z_][A-Za-z0-9_]*"
        if dialect not in ("postgres", "snowflake", "oracle")
        else r"[a-z_][a-z0-9_]*"
    )
    return not re.fullmatch(pattern, name) or name.upper() in _reserved(dialect)


class Renderer:
    """Turns trees into SQL for one catalog."""

    def __init__(self, graph: KeyGraph, dialect: str) -> None:
        self.graph = graph
        self.dialect = dialect

    def sql(self, query: Query) -> str:
        """Write a tree as SQL, computed columns under headings. Raises: NoJoin when its tables do not connect."""
        tree = self.expression(query)
        if isinstance(tree, exp.Select):
            self._head(tree, query)
        return tree.sql(dialect=self.dialect)

    def _head(self, tree: exp.Select, query: Query) -> None:
        """Give computed columns their headings."""
        tables = (self.graph.tables[base(name)] for name in query.instances())
        taken = {column.name.lower() for table in tables for column in table.columns}
        for term, column in zip(query.select, list(tree.expressions), strict=False):
            if name := heading(term, taken):
                taken.add(name)
                column.replace(exp.alias_(column.copy(), self._identifier(name)))

    def expression(self, query: Query) -> exp.Query:
        """Build the sqlglot expression of a tree. Raises: NoJoin."""
        out: exp.Query = self._select(query)
        if query.second is not None:
            second = self.expression(query.second)
            out = _COMPOUND[query.compound](this=out, expression=second, distinct=True)
        return out

    def _select(self, query: Query) -> exp.Select:
        forced = {v.target for v in query.via}
        names = tuple(sorted(query.instances(), key=lambda name: name in forced))
        joins = self._joins(query, names)
        present = [names[0], *(e[1] for e in joins)] if names else []
        alias = self._aliases(present)
        select = exp.Select()
        columns = [self._term(t, alias) for t in query.select] or [exp.Star()]
        select = select.select(*columns, copy=False)
        if query.distinct:
            select = select.distinct(copy=False)
        if present:
            select = select.from_(self._table(present[0], alias), copy=False)
        for edge, instance in joins:
            on = self._on(edge, instance, alias)
            select = select.join(self._table(instance, alias), on=on, copy=False)
        for clause in query.where:
            parts = [self._cond(c, alias) for c in clause]
            select = select.where(parts[0] if len(parts) == 1 else exp.or_(*parts, copy=False), copy=False)
        if query.group:
            select = select.group_by(*(self._term(t, alias) for t in query.group), copy=False)
        for cond in query.having:
            select = select.having(self._cond(cond, alias), copy=False)
        if query.order:
            select = select.order_by(*(self._order(o, alias) for o in query.order), copy=False)
        if query.limit is not None:
            select = select.limit(query.limit, copy=False)
        return select

    def _joins(self, query: Query, names: tuple[str, ...]) -> list[tuple[tuple[str, Edge], str]]:
        """Joins in order, each as (source instance, edge) and the instance it brings."""
        if len(names) <= 1:
            return []
        out: list[tuple[tuple[str, Edge], str]] = []
        forced = {v.target for v in query.via} | {v.source for v in query.via if "#" in v.source}
        plain = [n for n in names if n not in forced and "#" not in n]
        if not plain:
            raise NoJoin("no table to begin with")
        edges = self.graph.tree(plain)
        if edges is None:
            raise NoJoin(", ".join(plain))
        out.extend(((e.source, e), e.target) for e in edges)
        inside = {plain[0], *(e.target for e in edges)}
        left = list(query.via)
        while left:
            step = next((v for v in left if (v.source in inside) != (v.target in inside)), None)
            if step is None:
                left = [v for v in left if not (v.source in inside and v.target in inside)]
                if left:
                    raise NoJoin("a table instance hangs loose")
                break
            left.remove(step)
            edge = Edge(step.source, (step.column,), step.target, (step.referenced,))
            if step.target in inside:
                edge = edge.reversed()
            out.append(((edge.source, edge), edge.target))
            inside.add(edge.target)
        if any(n not in inside for n in names):
            raise NoJoin("a table instance hangs loose")
        if names[0] != plain[0]:
            raise NoJoin("the first table is forced")
        return out

    def _aliases(self, present: list[str]) -> dict[str, str]:
        if len(present) <= 1:
            return dict.fromkeys(present, "")
        bases = [base(n) for n in present]
        out: dict[str, str] = {}
        used: set[str] = set()
        for name in present:
            short = self.graph.tables[base(name)].name
            twice = (
                bases.count(base(name)) > 1 or sum(self.graph.tables[b].name == short for b in set(bases)) > 1
            )
            choice = f"T{len(out) + 1}" if twice or short in used else short
            used.add(choice)
            out[name] = choice
        return out

    def _identifier(self, name: str) -> exp.Identifier:
        return exp.to_identifier(name, quoted=must_quote(name, self.dialect))

    def _table(self, instance: str, alias: dict[str, str]) -> exp.Table:
        table = self.graph.tables[base(instance)]
        out = exp.Table(this=self._identifier(table.name))
        if table.schema:
            out.set("db", self._identifier(table.schema))
        if alias[instance] and alias[instance] != table.name:
            out.set("alias", exp.TableAlias(this=self._identifier(alias[instance])))
        return out

    def _column(self, col: Col, alias: dict[str, str]) -> exp.Column:
        out = exp.Column(this=self._identifier(col.name))
        if alias.get(col.table):
            out.set("table", self._identifier(alias[col.table]))
        return out

    def _on(self, step: tuple[str, Edge], instance: str, alias: dict[str, str]) -> exp.Expr:
        source, edge = step
        pairs = [
            exp.EQ(this=self._column(Col(source, a), alias), expression=self._column(Col(instance, b), alias))
            for a, b in zip(edge.columns, edge.referenced, strict=True)
        ]
        return pairs[0] if len(pairs) == 1 else exp.and_(*pairs, copy=False)

    def _term(self, term: Term, alias: dict[str, str]) -> exp.Expr:
        inner: exp.Expr
        if term.computed is not None:
            return self._computed(term.computed, alias)
        if term.col is None:
            inner = exp.Star()
        else:
            inner = self._column(term.col, alias)
            if term.other is not None:
                inner = _ARITHMETIC[term.op](this=inner, expression=self._column(term.other, alias))
            if term.part:
                inner = self.cut(inner, term)
        if term.distinct and term.agg:
            inner = exp.Distinct(expressions=[inner])
        return _AGGREGATES[term.agg](this=inner) if term.agg else inner

    def _computed(self, computed: Computed, alias: dict[str, str]) -> exp.Expr:
        """A formula with its columns put in."""
        columns = {f"c{n}": self._column(col, alias) for n, col in enumerate(computed.cols)}
        tree = sqlglot.parse_one(computed.sql)
        return tree.transform(lambda n: columns[n.name].copy() if isinstance(n, exp.Column) else n)

    def cut(self, column: exp.Expr, term: Term) -> exp.Expr:
        """Cut a date to a period as this dialect does."""
        part = term.part
        if self.dialect == "sqlite":
            if part == "quarter":
                year = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string("%Y"), column])
                month = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string("%m"), column.copy()])
                number = exp.Paren(
                    this=exp.Div(
                        this=exp.Paren(this=exp.Add(this=month, expression=exp.Literal.number(2))),
                        expression=exp.Literal.number(3),
                    )
                )
                return exp.DPipe(
                    this=exp.DPipe(this=year, expression=exp.Literal.string("-Q")), expression=number
                )
            return exp.Anonymous(
                this="STRFTIME", expressions=[exp.Literal.string(_FORMATS.get(part, "%Y-%m")), column]
            )
        if self.dialect == "mysql":
            if part == "quarter":
                return exp.Anonymous(
                    this="CONCAT",
                    expressions=[
                        exp.Anonymous(this="YEAR", expressions=[column]),
                        exp.Literal.string("-Q"),
                        exp.Anonymous(this="QUARTER", expressions=[column.copy()]),
                    ],
                )
            form = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d", "week": "%x-%v", "hour": "%H"}
            return exp.Anonymous(
                this="DATE_FORMAT", expressions=[column, exp.Literal.string(form.get(part, "%Y-%m"))]
            )
        stamp = exp.Cast(this=column, to=exp.DataType.build("timestamp"))
        if self.dialect in _TRUNCATES:
            return exp.TimestampTrunc(this=stamp, unit=exp.var(part.upper()))
        if self.dialect in _TRUNC:
            return exp.Anonymous(
                this="TRUNC", expressions=[column, exp.Literal.string(_TRUNC[self.dialect][part])]
            )
        return exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(part), stamp])

    def _order(self, order: Order, alias: dict[str, str]) -> exp.Ordered:
        return exp.Ordered(
            this=self._term(order.term, alias), desc=order.desc, nulls_first=self._nulls(order.desc)
        )

    def _nulls(self, desc: bool) -> bool:
        """The dialect's own place for NULLs, so that no NULLS FIRST/LAST is written."""
        ordering = Dialect.get_or_raise(self.dialect).NULL_ORDERING
        if ordering == "nulls_are_small":
            return not desc
        if ordering == "nulls_are_large":
            return desc
        return False

    def _cond(self, cond: Cond, alias: dict[str, str]) -> exp.Expr:
        left = self._term(cond.term, alias)
        op = cond.op
        if op in ("null", "not null"):
            test: exp.Expr = exp.Is(this=left, expression=exp.Null())
            return exp.Not(this=test) if op == "not null" else test
        if op in ("in", "not in"):
            if cond.query is not None:
                test = exp.In(this=left, query=exp.Subquery(this=self.expression(cond.query)))
            else:
                test = exp.In(this=left, expressions=[literal(v) for v in cond.values])
            return exp.Not(this=test) if op == "not in" else test
        if op == "between":
            return exp.Between(this=left, low=literal(cond.values[0]), high=literal(cond.values[1]))
        right: exp.Expr
        if cond.query is not None:
            right = exp.Subquery(this=self.expression(cond.query))
        elif cond.right is not None:
            right = self._column(cond.right, alias)
        else:
            right = literal(cond.values[0])
        if op == "not like":
            return exp.Not(this=exp.Like(this=left, expression=right))
        return _COMPARE[op](this=left, expression=right)


def literal(value: Value) -> exp.Expr:
    """A literal of the right kind."""
    if value is None:
        return exp.Null()
    if isinstance(value, str):
        return exp.Literal.string(value)
    return exp.Literal.number(value)
