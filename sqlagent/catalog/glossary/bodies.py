"""The body of a term read against a catalog: full names, the tables it takes, and SQL that tries it without reading rows.

Decides which bodies are terms at all. `hints` decides how the built-in analyst uses one.

Example:
    >>> from sqlagent.values import Catalog, Column, Table
    >>> lines = Table("lines", (Column("amount"), Column("state")))
    >>> body = body_read(TermKind.MEASURE, "SUM(amount) FILTER (WHERE state = 'ok')", Catalog("sqlite", (lines,)))
    >>> body.sql, body.said
    ("SUM(lines.amount) FILTER(WHERE lines.state = 'ok')", "SUM(lines.amount AND lines.state = 'ok')")
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.catalog.keys import KeyGraph
from sqlagent.values import Catalog, Table, TermKind

LONGEST = 500
"""Characters of a body in full names: a clause of a hint holds some more."""

DEEPEST = 8
"""Terms that one term may be made of, one inside of another."""

_PLAIN = re.compile(r"[A-Za-z_]\w*")
_NESTED = (exp.Query, exp.Window, exp.Placeholder, exp.Parameter, exp.Star)
_DOUBLES = (exp.Sum, exp.Avg, exp.Count)


class BodyRefused(ValueError):
    """A body that is no term; the message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class Body:
    """A body that was read. `sql` has full names, in the source's dialect; `said` is it as hints say it; `probe` runs it without rows."""

    sql: str
    said: str
    tables: tuple[str, ...]
    probe: str


def body_read(
    kind: TermKind, body: str, catalog: Catalog, others: Mapping[str, tuple[TermKind, str]] | None = None
) -> Body:
    """Read the body of a term that is SQL. Raises: BodyRefused.

    `others` are kind and body of the other terms, by phrase: a name that no column has stands for the term called so.
    """
    return BodyReader(catalog, others or {}).read(kind, body)


class BodyReader:
    """Reads bodies against one catalog; made once for many."""

    def __init__(self, catalog: Catalog, others: Mapping[str, tuple[TermKind, str]]) -> None:
        self.catalog, self.dialect = catalog, catalog.dialect
        self.others = {_flat(phrase): (phrase, *told) for phrase, told in others.items()}
        self.graph = KeyGraph(catalog)

    def read(self, kind: TermKind, body: str) -> Body:
        """Read one body. Raises: BodyRefused."""
        if not body.strip():
            raise BodyRefused("Write what it means in SQL.")
        if kind is TermKind.NAME:
            return self.named(body)
        tree = self.expression(body, ())
        tables = self.checked(kind, tree)
        sql = tree.sql(self.dialect)
        if len(sql) > LONGEST:
            raise BodyRefused(
                f"With full names it has {len(sql):,} characters; the longest taken has {LONGEST}."
            )
        return Body(sql, _said(tree), tuple(tables), self.probe(kind, tree, tables))

    # ------------------------------------------------------------ names

    def named(self, body: str) -> Body:
        """A table or a column. Raises: BodyRefused."""
        node = self.parsed(body)
        if isinstance(node, exp.Dot):
            node = exp.column(node.expression.name, node.this.name)
        if not isinstance(node, exp.Column):
            raise BodyRefused("A name stands for one table or one column: write orders, or orders.status.")
        table = self.table(node.name, node.table) if not node.args.get("db") else None
        if table is not None and not (node.table and self.tables_with(node)):
            name = _table_sql(table)
            probe = exp.select("*").from_(_table(table)).limit(0).sql(self.dialect)
            return Body(name.sql(self.dialect), name.sql("sqlite"), (table.key,), probe)
        column, owner = self.column(node)
        probe = exp.select(column).from_(_table(owner)).limit(0).sql(self.dialect)
        return Body(column.sql(self.dialect), column.sql("sqlite"), (owner.key,), probe)

    def table(self, name: str, schema: str = "") -> Table | None:
        """A table by its name, if there is one."""
        found = [
            t
            for t in self.catalog.tables
            if t.name.lower() == name.lower() and (not schema or t.schema.lower() == schema.lower())
        ]
        return found[0] if len(found) == 1 else None

    def tables_with(self, node: exp.Column) -> list[Table]:
        """The tables whose column a name may be."""
        table, schema = node.table.lower(), str(node.args.get("db") or "").strip('"').lower()
        return [
            t
            for t in self.catalog.tables
            if t.column(node.name)
            and (not table or t.name.lower() == table)
            and (not schema or t.schema.lower() == schema)
        ]

    def column(self, node: exp.Column) -> tuple[exp.Column, Table]:
        """A column under its full name, and its table. Raises: BodyRefused."""
        found = self.tables_with(node)
        if len(found) == 1:
            own = found[0].column(node.name)
            assert own is not None
            return _column_sql(found[0], own.name), found[0]
        if found:
            where = ", ".join(f"{t.key}.{node.name}" for t in found[:4])
            raise BodyRefused(f"{node.name} is a column of several tables: write {where}.")
        if node.table and self.table(node.table) is None:
            raise BodyRefused(f"There is no table {node.table}.")
        place = f" in {node.table}" if node.table else ""
        raise BodyRefused(f"There is no column {node.name}{place}.")

    # ------------------------------------------------------------ expressions

    def parsed(self, body: str) -> exp.Expr:
        """One expression. Raises: BodyRefused."""
        try:
            found = sqlglot.parse(f"SELECT {body}", dialect=self.dialect)
        except (SqlglotError, RecursionError, ValueError) as error:
            raise BodyRefused(f"This is no SQL: {_first_line(error)}") from None
        select = found[0] if len(found) == 1 else None
        extra = [
            k for k, v in (select.args if select is not None else {}).items() if v and k != "expressions"
        ]
        if not isinstance(select, exp.Select) or extra or len(select.expressions) != 1:
            raise BodyRefused("Write one expression, without SELECT, FROM and WHERE around it.")
        one: exp.Expr = select.expressions[0]
        if isinstance(one, exp.Alias):
            raise BodyRefused("Write the expression alone: its name is the term's phrase.")
        return one

    def expression(self, body: str, inside: tuple[str, ...]) -> exp.Expr:
        """An expression with full names, in which names of other terms are written out. Raises: BodyRefused."""
        tree = self.parsed(body)
        nested = [one for one in tree.find_all(*_NESTED) if not _is_of_rows(one)]
        if nested:
            raise BodyRefused("A term is one expression over columns: no SELECT, OVER, * or parameter in it.")
        holder = exp.Paren(this=tree)
        for node in list(holder.find_all(exp.Column)):
            if isinstance(node.this, exp.Star):
                continue
            other = self.others.get(_flat(node.name)) if not node.table else None
            if other is None or self.tables_with(node):
                node.replace(self.column(node)[0])
                continue
            phrase, kind, text = other
            if phrase in inside or len(inside) >= DEEPEST:
                raise BodyRefused(f"It is explained by itself: {' → '.join((*inside, phrase))}.")
            if kind not in (TermKind.MEASURE, TermKind.FILTER):
                raise BodyRefused(f"“{phrase}” is a {kind}, which is no part of an expression.")
            node.replace(exp.Paren(this=self.expression(text, (*inside, phrase))))
        made: exp.Expr = holder.this
        return made

    def checked(self, kind: TermKind, tree: exp.Expr) -> list[str]:
        """The tables of an expression that fits its kind. Raises: BodyRefused."""
        tables = list(dict.fromkeys(self.owners(tree)))
        if not tables:
            raise BodyRefused("It names no column of this source.")
        sums = list(tree.find_all(exp.AggFunc))
        if kind is TermKind.MEASURE:
            if not sums:
                raise BodyRefused("A measure is an aggregate: SUM(...), COUNT(...), AVG(...).")
            if any(c.find_ancestor(exp.AggFunc, exp.Filter) is None for c in tree.find_all(exp.Column)):
                raise BodyRefused("Every column of a measure stands inside of an aggregate.")
            for one in sums:
                self.fans_out(one.parent if isinstance(one.parent, exp.Filter) else one)
            return tables
        if sums:
            raise BodyRefused(f"A {kind} is said of single rows: no SUM, COUNT or the like in it.")
        if kind is TermKind.VALUE:
            sides = (tree.this, tree.expression) if isinstance(tree, exp.EQ) else ()
            if not sides or not isinstance(sides[0], exp.Column) or not isinstance(sides[1], exp.Literal):
                raise BodyRefused("A value is a column equal to one stored value: customers.country = 'NL'.")
        elif not isinstance(tree, (exp.Predicate, exp.Connector, exp.Not, exp.Paren)):
            raise BodyRefused("A filter is a condition: orders.status <> 'returned'.")
        if len(tables) > 1 and self.graph.tree(tables) is None:
            raise BodyRefused(f"No key joins {' and '.join(tables)}.")
        return tables

    def owners(self, tree: exp.Expr) -> Iterator[str]:
        """The tables whose columns stand in an expression."""
        for node in tree.find_all(exp.Column):
            if not isinstance(node.this, exp.Star):
                yield self.column(node)[1].key

    def fans_out(self, figure: exp.Expr) -> None:
        """Refuse an aggregate that would go through rows of its table more than once. Raises: BodyRefused."""
        tables = list(dict.fromkeys(self.owners(figure)))
        if len(tables) < 2:
            return
        base = next((t for t in tables if all(self.leads_up(t, other) for other in tables)), None)
        if base is None:
            raise BodyRefused(f"No row of one of {', '.join(tables)} leads to one row of each of the others.")
        agg = figure.this if isinstance(figure, exp.Filter) else figure
        if not isinstance(agg, _DOUBLES) or isinstance(agg.this, exp.Distinct):
            return
        own = set(self.owners(_figure_of(agg)))
        if own and base not in own:
            raise BodyRefused(
                f"A row of {' and '.join(sorted(own))} has several in {base}, so it would be counted more than once. "
                f"Take the figure from {base}, or leave {base} out."
            )

    def leads_up(self, table: str, other: str) -> bool:
        """Whether each row of a table has one of another, by keys."""
        seen, todo = {table}, [table]
        while todo:
            here = todo.pop()
            if here == other:
                return True
            for edge in self.graph.edges:
                if edge.source == here and edge.target not in seen:
                    seen.add(edge.target)
                    todo.append(edge.target)
        return False

    def probe(self, kind: TermKind, tree: exp.Expr, tables: list[str]) -> str:
        """SQL that tries an expression and gives no row. Raises: BodyRefused where no key joins its tables."""
        keyed = {t.key: t for t in self.catalog.tables}
        edges = self.graph.tree(tables)
        if edges is None:
            raise BodyRefused(f"No key joins {' and '.join(tables)}.")
        select = exp.select(tree.copy() if kind is TermKind.MEASURE else exp.Literal.number(1))
        select = select.from_(_table(keyed[tables[0]]))
        for edge in edges:
            pairs = zip(edge.columns, edge.referenced, strict=True)
            on = [
                exp.EQ(this=_column_sql(keyed[edge.source], a), expression=_column_sql(keyed[edge.target], b))
                for a, b in pairs
            ]
            select = select.join(_table(keyed[edge.target]), on=exp.and_(*on))
        if kind is not TermKind.MEASURE:
            select = select.where(tree.copy())
        return select.limit(0).sql(self.dialect)


# ---------------------------------------------------------------- as hints say it


def _said(tree: exp.Expr) -> str:
    """An expression as hints are read: conditions inside of an aggregate joined to its figure by AND."""
    made = exp.Paren(this=tree.copy())
    for node in list(made.find_all(exp.Filter)):
        agg, held = node.this.copy(), node.expression.this.copy()
        inner = agg.this
        if inner is None or isinstance(inner, exp.Star):
            agg.set("this", held)
        elif not isinstance(inner, exp.Distinct):
            agg.set("this", exp.and_(inner.copy(), held))
        node.replace(agg)
    for case in list(made.find_all(exp.Case, exp.If)):
        if isinstance(case.parent, exp.Case) or case.find_ancestor(exp.AggFunc) is None:
            continue
        if (pair := _case(case)) is None:
            continue
        shown, held = pair
        is_one = isinstance(shown, exp.Literal) and shown.name == "1"
        case.replace(held if is_one else exp.and_(shown, held))
    for guarded in list(made.find_all(exp.Nullif)):
        guarded.replace(guarded.this.copy())
    for cast in list(made.find_all(exp.Cast)):
        if cast.to.this in exp.DataType.REAL_TYPES:  # a division is one of fractions anyway
            cast.replace(cast.this.copy())
    whole: exp.Expr = made.this
    return whole.sql("sqlite")


def _case(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """The content of a CASE of one condition, and the condition; None of others."""
    one = node.args["ifs"][0] if isinstance(node, exp.Case) and len(node.args["ifs"]) == 1 else node
    if not isinstance(one, exp.If) or isinstance(node, exp.Case) and node.this is not None:
        return None
    other = node.args.get("default") if isinstance(node, exp.Case) else one.args.get("false")
    in_sum = isinstance(node.parent, exp.Sum)
    is_none = other is None or isinstance(other, exp.Null) or in_sum and other.sql() == "0"
    shown = one.args.get("true")
    return (shown.copy(), one.this.copy()) if is_none and shown is not None else None


def _is_of_rows(node: exp.Expr) -> bool:
    """Whether a star is that of COUNT(*)."""
    return isinstance(node, exp.Star) and isinstance(node.parent, exp.Count)


def _figure_of(agg: exp.Expr) -> exp.Expr:
    """The expression inside an aggregate, without the condition inside of it."""
    inner: exp.Expr = agg.this
    pair = _case(inner) if isinstance(inner, (exp.Case, exp.If)) else None
    return pair[0] if pair is not None else inner


# ---------------------------------------------------------------- names as nodes


def _identifier(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=_PLAIN.fullmatch(name) is None)


def _table(table: Table) -> exp.Table:
    db = _identifier(table.schema) if table.schema else None
    return exp.Table(this=_identifier(table.name), db=db)


def _table_sql(table: Table) -> exp.Column:
    db = _identifier(table.schema) if table.schema else None
    return exp.Column(this=_identifier(table.name), table=db)


def _column_sql(table: Table, column: str) -> exp.Column:
    db = _identifier(table.schema) if table.schema else None
    return exp.Column(this=_identifier(column), table=_identifier(table.name), db=db)


def _flat(name: str) -> str:
    return " ".join(re.findall(r"\w+", name.replace("_", " ").lower()))


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return re.sub(r"\x1b\[[0-9;]*m", "", lines[0])[:200] if lines else "it cannot be read."
