"""The text of a statement, clause by clause, in names that do not depend on how it was written.

Aliases become the tables they stand for, bare columns get their table, text in double quotes that
names no column becomes the text it is meant as. Two statements can then be compared clause by
clause without an alias or letter case counting as a difference. Decides nothing about which is right.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.catalog.lookup import Lookup, lookup
from sqlagent.sql.expressions import (
    Condition,
    canonical_text,
    column_name,
    comparison,
    conjuncts,
    leaves,
    own_columns,
    straightened,
)
from sqlagent.values import Catalog


@dataclass(frozen=True, slots=True)
class Atom:
    """One thing a clause says. `text` is canonical SQL; equal atoms say the same."""

    kind: str
    text: str


@dataclass(slots=True)
class Clauses:
    """A statement taken apart. Lists keep the order of writing; `tree` has canonical names.

    `text` is the whole in lower case, under those names.
    """

    tree: exp.Expr
    text: str = ""
    select: list[str] = field(default_factory=list)
    select_columns: list[tuple[str, str]] = field(default_factory=list)
    atoms: Counter[Atom] = field(default_factory=Counter)
    tables: Counter[str] = field(default_factory=Counter)
    columns: dict[str, set[str]] = field(default_factory=dict)
    conditions: list[Condition] = field(default_factory=list)
    joins: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    nodes: int = 0
    selects: int = 0

    def of(self, kind: str) -> Counter[str]:
        """Gather what the clauses of one kind say."""
        found: Counter[str] = Counter()
        for atom, count in self.atoms.items():
            if atom.kind == kind:
                found[atom.text] += count
        return found


_KEPT = 4_096
_read: OrderedDict[tuple[int, str], tuple[Lookup, Clauses | None]] = OrderedDict()
_lock = Lock()


def read(sql: str, catalog: Catalog) -> Clauses | None:
    """Take a statement apart, or give None where it cannot be parsed. Never raises on any text.

    Example:
        >>> from sqlagent.values import Catalog, Column, Table
    >>> shop = Catalog("sqlite", (Table("shop", (Column("name"), Column("city"))),))
        >>> sorted(read("SELECT s.name FROM Shop AS s WHERE city = 'Oslo'", shop).of("where"))
        ["shop.city = 'Oslo'"]
    """
    names = lookup(catalog)
    key = (id(names), sql)
    with _lock:
        if key in _read:
            return _read[key][1]
    try:
        tree = sqlglot.parse_one(sql, dialect=catalog.dialect)
        found = _Reader(names).read(tree) if isinstance(tree, exp.Query) else None
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, KeyError):
        found = None  # text in another dialect, or nested beyond the parser: no clauses to compare
    with _lock:
        _read[key] = (names, found)  # the lookup is kept with it, so that its id stays its own
        if len(_read) > _KEPT:
            _read.popitem(last=False)
    return found


@dataclass(slots=True)
class _Sources:
    """The meaning of the aliases of one SELECT; `outer` is the SELECT around it."""

    names: dict[str, str]
    real: dict[str, str]
    outer: _Sources | None


class _Reader:
    def __init__(self, names: Lookup) -> None:
        self.names = names
        self.ctes: set[str] = set()
        self.found: Clauses

    def read(self, tree: exp.Expr) -> Clauses:
        self.found = Clauses(tree)
        self.ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        for node in tree.walk():
            node.comments = None
        self._query(tree, None)
        self.found.nodes = sum(1 for _ in tree.walk())
        self.found.text = tree.sql(dialect="sqlite", copy=False).lower()
        for select in tree.find_all(exp.Select):
            self._collect(select)
        for operation in tree.find_all(exp.SetOperation):
            self._add(
                "set", type(operation).__name__.upper() + ("" if operation.args.get("distinct") else " ALL")
            )
            self._tail(operation)
        return self.found

    # -------------------------------------------------- canonical names

    def _query(self, query: exp.Expr, outer: _Sources | None) -> None:
        with_ = query.args.get("with_") or query.args.get("with")
        if with_:
            for cte in with_.expressions:
                self._query(cte.this, outer)
        if isinstance(query, exp.SetOperation):
            self._query(query.this, outer)
            self._query(query.expression, outer)
            return
        if isinstance(query, exp.Subquery):
            self._query(query.this, outer)
            return
        if isinstance(query, exp.Select):
            self._select(query, outer)

    def _select(self, select: exp.Select, outer: _Sources | None) -> None:
        sources = _Sources({}, {}, outer)
        for source in _sources_of(select):
            self._source(source, sources, outer)
        inner: list[exp.Expr] = []
        columns: list[exp.Column] = []
        aliases = {e.alias.lower(): e.this for e in select.expressions if isinstance(e, exp.Alias)}
        stack: list[exp.Expr] = [
            child
            for key, value in select.args.items()
            if key not in ("from_", "from", "with_", "with")
            for child in (value if isinstance(value, list) else [value])
            if isinstance(child, exp.Expr)
        ]
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Join):
                stack.extend(n for n in (node.args.get("on"),) if n is not None)
            elif isinstance(node, exp.Column):
                columns.append(node)
            elif isinstance(node, exp.Query):
                inner.append(node)
            else:
                stack.extend(node.iter_expressions())
        for column in columns:
            self._column(column, sources, aliases)
        for query in inner:
            self._query(query, sources)

    def _source(self, source: exp.Expr, sources: _Sources, outer: _Sources | None) -> None:
        alias = source.alias_or_name.lower()
        if isinstance(source, exp.Table):
            real = source.name.lower()
            if real not in self.ctes:
                self.found.tables[real] += 1
                if real not in self.names.tables:
                    self.found.unknown.append(source.name)
            times = sum(1 for name in sources.real.values() if name == real)
            canonical = real if not times else f"{real}#{times + 1}"
            sources.names[alias], sources.real[alias] = canonical, real
            source.set("this", exp.to_identifier(real))
            source.set("alias", None)
            if times:
                source.set("alias", exp.TableAlias(this=exp.to_identifier(canonical, quoted=True)))
            return
        sources.names[alias], sources.real[alias] = f"({len(sources.names)})", ""
        self._query(source, outer)

    def _column(self, column: exp.Column, sources: _Sources, aliases: dict[str, exp.Expr]) -> None:
        if isinstance(column.this, exp.Star):
            return
        name, table = column.name.lower(), column.table.lower()
        if table:
            scope: _Sources | None = sources
            while scope is not None and table not in scope.names:
                scope = scope.outer
            if scope is not None:
                self._named(column, scope.names[table], name, scope.real[table])
            return
        if name in aliases and not _within_own_alias(column, name):
            column.replace(aliases[name].copy())
            return
        scope = sources
        while scope is not None:
            for alias, real in scope.real.items():
                if name in self.names.columns.get(real, {}):
                    self._named(column, scope.names[alias], name, real)
                    return
            scope = scope.outer
        if column.this.args.get("quoted") and self.names.catalog.dialect in ("sqlite", "mysql"):
            column.replace(exp.Literal.string(column.name))  # SQLite reads an unknown "name" as text
        elif any(not real or real in self.ctes for real in sources.real.values()):
            column.set("this", exp.to_identifier(name))
        else:
            self.found.unknown.append(column.name)

    def _named(self, column: exp.Column, canonical: str, name: str, real: str) -> None:
        known = self.names.columns.get(real)
        if known is not None and name not in known and name not in ("rowid", "oid", "_rowid_"):
            self.found.unknown.append(f"{real}.{name}")
        column.set("this", exp.Identifier(this=name, quoted=False))
        column.set("table", exp.Identifier(this=canonical, quoted="#" in canonical))

    # -------------------------------------------------- clauses

    def _add(self, kind: str, text: str) -> None:
        self.found.atoms[Atom(kind, text)] += 1

    def _collect(self, select: exp.Select) -> None:
        self.found.selects += 1
        is_top = _is_top(select)
        for expression in select.expressions:
            bare = expression.this if isinstance(expression, exp.Alias) else expression
            text = canonical_text(bare)
            self._use("select", bare)
            self._add("select" if is_top else "inner", text)
            if is_top:
                self.found.select.append(text)
                aggregate = bare.find(exp.AggFunc)
                columns = [column_name(c) for c in bare.find_all(exp.Column)]
                name = type(aggregate).__name__.lower() if aggregate else ""
                self.found.select_columns.append((name, columns[0] if columns else "*"))
        if select.args.get("distinct"):
            self._add("distinct", "DISTINCT")
        for source in _sources_of(select):
            if isinstance(source, exp.Table):
                self._add("table", source.name.lower())
        for join in select.args.get("joins") or []:
            self._join(join)
        for kind in ("where", "having"):
            clause = select.args.get(kind)
            if clause is not None:
                self._use(kind, clause.this)
                for part in conjuncts(clause.this):
                    self._condition(kind, part)
        group = select.args.get("group")
        if group is not None:
            for part in group.expressions:
                part = _meant(part, query=select)
                self._use("group", part)
                self._add("group", canonical_text(part))
        self._tail(select)

    def _tail(self, query: exp.Expr) -> None:
        order = query.args.get("order")
        if order is not None:
            for part in order.expressions:
                what = _meant(part.this, query=query)
                self._use("order", what)
                self._add("order", canonical_text(what) + (" DESC" if part.args.get("desc") else ""))
        limit = query.args.get("limit")
        if limit is not None and limit.expression is not None:
            offset = query.args.get("offset")
            text = canonical_text(limit.expression)
            self._add("limit", text + (f" OFFSET {canonical_text(offset.expression)}" if offset else ""))

    def _join(self, join: exp.Join) -> None:
        side = (join.side or "").upper()
        if side:
            self._add("join", side)
        on = join.args.get("on")
        if on is None:
            for name in join.args.get("using") or []:
                self._add("join", f"USING {name.name.lower()}")
            return
        for part in conjuncts(on):
            if (
                isinstance(part, exp.EQ)
                and isinstance(part.this, exp.Column)
                and isinstance(part.expression, exp.Column)
            ):
                one, two = sorted((column_name(part.this), column_name(part.expression)))
                self.found.joins.append((one, two))
                self._use("join", part)
                self._add("join", f"{one} = {two}")
            else:
                self._use("where", part)
                self._condition("where", part)

    def _condition(self, kind: str, part: exp.Expr) -> None:
        part = straightened(part)
        if (
            isinstance(part, exp.EQ)
            and isinstance(part.this, exp.Column)
            and isinstance(part.expression, exp.Column)
            and column_name(part.this).split(".")[0] != column_name(part.expression).split(".")[0]
        ):
            one, two = sorted((column_name(part.this), column_name(part.expression)))
            self.found.joins.append((one, two))
            self._add("join", f"{one} = {two}")
            return
        self._add(kind, canonical_text(part))
        for leaf in leaves(part):
            condition = comparison(leaf)
            if condition is not None:
                self.found.conditions.append(condition)

    def _use(self, kind: str, node: exp.Expr) -> None:
        for column in own_columns(node):
            self.found.columns.setdefault(column_name(column), set()).add(kind)


def _sources_of(select: exp.Select) -> Iterator[exp.Expr]:
    from_ = select.args.get("from_") or select.args.get("from")
    if from_ is not None:
        yield from_.this
    for join in select.args.get("joins") or []:
        yield join.this


def _within_own_alias(column: exp.Column, name: str) -> bool:
    alias = column.find_ancestor(exp.Alias, exp.Query)
    return isinstance(alias, exp.Alias) and alias.alias.lower() == name


def _meant(part: exp.Expr, query: exp.Expr) -> exp.Expr:
    """Give what `ORDER BY 2` or `GROUP BY 1` stands for; anything else as it is."""
    if isinstance(part, exp.Literal) and part.is_int and isinstance(query, exp.Select):
        place = int(part.name)
        if 1 <= place <= len(query.expressions):
            found: exp.Expr = query.expressions[place - 1]
            return found.this if isinstance(found, exp.Alias) else found
    return part


def _is_top(select: exp.Select) -> bool:
    node = select.parent
    child: exp.Expr = select
    while node is not None:
        if isinstance(node, exp.SetOperation) and node.this is child or isinstance(node, exp.Subquery):
            child, node = node, node.parent
            continue
        return False
    return True
