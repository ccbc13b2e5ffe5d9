"""The meaning of the names in a parsed statement: which table, which column, seen from where.

Shared by the stages that look names up. It decides what a name means where it is written: a
table of the catalog, a system table, or a CTE that is visible there and nowhere else. The caller
handles a name that stands for nothing. A column is called unknown only when every source in reach
is known in full; the database has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from sqlagent.language.lexicon import words_of
from sqlagent.sql.casing import Cases, ascii_low, cases_of
from sqlagent.sql.scopes import Columns, Scope, Source, SystemNames, Unknown
from sqlagent.values import Catalog, Table

DEFAULT_SCHEMAS = {"postgres": "public", "duckdb": "main", "sqlite": "main"}
_UNITS = words_of(
    """
    microsecond millisecond second minute hour day dow doy week month quarter year decade century epoch isodow
    isoyear char date datetime time binary signed unsigned utf8 utf8mb4 latin1 json both leading trailing
    second_microsecond minute_second hour_minute hour_second day_hour day_minute day_second year_month nocase rtrim
    """
)
_TAKES_UNITS = (exp.Func, exp.Interval, exp.Collate, exp.Is)
_VALUES = words_of(
    """
    user current_role current_catalog system_user sysdate default utc_date utc_time utc_timestamp
    """
)
# MariaDB's tables of numbers, which stand in no schema and are kept nowhere; those of a million rows are not read.
_NUMBERS = re.compile(r"seq_[0-9]{1,6}_to_[0-9]{1,6}(?:_step_[0-9]{1,6})?")
_FILE_MARKS = frozenset("/\\:*?.")
Ctes = Mapping[str, Columns]
Report = Callable[[Unknown], None]
FieldCheck = Callable[[exp.Expr, Source], bool]


class Resolver:
    """Walks one parsed statement and reports every name that stands for nothing.

    `bindings` tells, by the id of its node, which catalog table each column belongs to (as far
    as that is certain). `is_field` is asked about `source.name` where the source's columns are not
    all known; PostgreSQL reads a name that is no column as a call of that name.
    """

    def __init__(
        self,
        catalog: Catalog,
        report: Report,
        system: SystemNames | None = None,
        search_path: Sequence[str] = (),
        is_field: FieldCheck | None = None,
    ) -> None:
        self.catalog = catalog
        self.dialect = catalog.dialect
        self.report = report
        self.system_names = system or SystemNames()
        self.is_field = is_field
        self.cases = cases_of(catalog)
        self.default = ascii_low(catalog.default_schema or DEFAULT_SCHEMAS.get(self.dialect, ""))
        self.search_path = frozenset(ascii_low(s) for s in search_path)
        self.by_name: dict[str, list[Table]] = {}
        for table in catalog.tables:
            self.by_name.setdefault(ascii_low(table.name), []).append(table)
        self.bindings: dict[int, Table] = {}
        self._seen: set[int] = set()
        self._bound: set[str] = set()

    # ------------------------------------------------------------ the walk

    def statement(self, root: exp.Expr) -> None:
        """Resolve every name of a statement; no table in it stays unlooked at."""
        for node in root.find_all(exp.Lambda, exp.Comprehension, exp.ForIn):
            names: list[Any] = (
                list(node.expressions) if isinstance(node, exp.Lambda) else [node.args.get("expression")]
            )
            for item in (*names, node.args.get("position")):
                if isinstance(item, exp.Expr):
                    self._bound.update(ascii_low(i.name) for i in item.find_all(exp.Identifier))
        self.any(root, {}, None)
        for table in root.find_all(exp.Table):
            if id(table) not in self._seen:
                self.relation(table, {}, Scope())

    def any(self, node: exp.Expr, ctes: Ctes, scope: Scope | None) -> None:
        """Visit a node that may be or hold nested queries."""
        if _is_query(node):
            self.query(node, ctes, scope)
        elif isinstance(node, exp.Table | exp.Pivot):
            self.source(node, ctes, scope or Scope())
        else:
            if isinstance(node, exp.Column):
                self.column(node, scope)
            if isinstance(node, exp.In) and self.dialect == "sqlite" and self._in_table(node, ctes, scope):
                return
            for child in node.iter_expressions():
                if not isinstance(child, exp.Identifier):
                    self.any(child, ctes, scope)

    def _in_table(self, node: exp.In, ctes: Ctes, scope: Scope | None) -> bool:
        """Read `x IN name` as SQLite does, where the name is that of a table."""
        field = node.args.get("field")
        if not isinstance(field, exp.Column) or not isinstance(field.this, exp.Identifier):
            return False
        named = field.copy()
        table = exp.Table(this=named.this, db=named.args.get("table"), catalog=named.args.get("db"))
        self.relation(table, ctes, scope or Scope())
        self.any(node.this, ctes, scope)
        return True

    def rest(self, node: exp.Expr, ctes: Ctes, scope: Scope | None, skip: Sequence[str]) -> None:
        """Visit every part of a node but those named."""
        for key, value in node.args.items():
            if key in skip:
                continue
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, exp.Expr):
                    self.any(child, ctes, scope)

    def query(self, node: exp.Expr, ctes: Ctes, outer: Scope | None) -> Columns:
        """Resolve a query and tell the names of its columns."""
        ctes = self._with(node, ctes, outer)
        if isinstance(node, exp.Select):
            return self._select(node, ctes, outer)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, ctes, outer)
        if isinstance(node, exp.Subquery):
            inner = node.this
            if _is_query(inner):
                columns = self.query(inner, ctes, outer)
            else:
                scope = Scope(outer)
                self.source(inner, ctes, scope)
                columns = scope.columns()
            around = Scope(outer, {"": Source(columns)})
            self.rest(node, ctes, around, ("this", "with_", "alias", "pivots", "joins"))
            return columns
        self.rest(node, ctes, outer, ("alias", "with_"))
        return None

    def _set_operation(self, node: exp.SetOperation, ctes: Ctes, outer: Scope | None) -> Columns:
        """Resolve a chain of UNIONs (which leans left) without recursing along it."""
        chain: list[exp.Expr] = [node]
        while isinstance(chain[-1].this, exp.SetOperation):
            chain.append(chain[-1].this)
        inner = dict(ctes)
        for part in chain[1:]:
            inner = dict(self._with(part, inner, outer))
        columns = self.query(chain[-1].this, inner, outer)
        for part in reversed(chain):
            self.query(part.args["expression"], inner, outer)
            around = Scope(outer, {"": Source(columns)})
            self.rest(part, inner, around, ("this", "expression", "with_"))
        return columns

    def _with(self, node: exp.Expr, ctes: Ctes, outer: Scope | None) -> Ctes:
        """Add a query's CTEs to those visible in it; each body sees those before it."""
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        visible = dict(ctes)
        open_ended = clause.args.get("search") is not None
        recursive = bool(clause.args.get("recursive"))
        named = []
        for cte in clause.expressions:
            alias = cte.args["alias"]
            own = alias.args.get("columns")
            columns = frozenset(self.fold(c) for c in own) if own else None
            named.append((self.table_name(alias.this), columns, cte))
        if self.dialect == "sqlite" or (recursive and self.dialect == "postgres"):
            visible.update({name: columns for name, columns, _ in named})
        for name, columns, cte in named:
            if self.dialect == "duckdb" and _FILE_MARKS & set(name):
                self.report(Unknown("file", cte.args["alias"].this, outer or Scope()))
            inside = dict(visible)
            if recursive and isinstance(cte.this, exp.SetOperation):
                inside[name] = columns
            found = self.query(cte.this, inside, outer)
            visible[name] = None if open_ended else columns or found
        return visible

    def _select(self, node: exp.Select, ctes: Ctes, outer: Scope | None) -> Columns:
        scope = Scope(outer)
        from_ = node.args.get("from_")
        if from_ is not None:
            self.source(from_.this, ctes, scope)
        for key in ("joins", "laterals"):
            for item in node.args.get(key) or ():
                self.source(item.this if isinstance(item, exp.Join) else item, ctes, scope)
        for projection in node.expressions:
            if isinstance(projection, exp.Aliases):
                scope.aliases.update(self.fold(i) for i in projection.args.get("expressions") or ())
            elif isinstance(projection, exp.Alias) and isinstance(
                projection.args.get("alias"), exp.Identifier
            ):
                scope.aliases.add(self.fold(projection.args["alias"]))
        for join in node.args.get("joins") or ():
            self._using(join, scope)
            self.rest(join, ctes, scope, ("this", "using"))
        self.rest(node, ctes, scope, ("from_", "joins", "laterals", "with_", "hint", "pivots"))
        for pivot in node.args.get("pivots") or ():
            self.rest(pivot, ctes, scope, ("alias",))
            return None
        return self._outputs(node, scope)

    def _outputs(self, node: exp.Select, scope: Scope) -> Columns:
        names: set[str] = set()
        for projection in node.expressions:
            inner = projection.unalias()
            star = inner.this if isinstance(inner, exp.Column) else inner
            if isinstance(star, exp.Star):
                owner = inner.args.get("table") if isinstance(inner, exp.Column) else None
                source = scope.sources.get(self.fold(owner)) if owner is not None else Source(scope.columns())
                cut = any(star.args.get(k) for k in ("except_", "replace", "rename"))
                if source is None or source.columns is None or cut:
                    return None
                names |= source.columns
            elif isinstance(projection, exp.Alias) and isinstance(
                projection.args.get("alias"), exp.Identifier
            ):
                names.add(self.fold(projection.args["alias"]))
            elif isinstance(projection, exp.Column) and isinstance(projection.this, exp.Identifier):
                names.add(self.fold(projection.this))
            else:
                return None
        return frozenset(names) if names else None

    # ------------------------------------------------------------ sources

    def source(self, node: exp.Expr, ctes: Ctes, scope: Scope) -> None:
        """Add what stands in FROM or JOIN to a scope, and what is joined to it in brackets."""
        self._one_source(node, ctes, scope)
        for join in node.args.get("joins") or ():
            self.source(join.this, ctes, scope)
            self._using(join, scope)
            self.rest(join, ctes, scope, ("this", "using"))
        for lateral in node.args.get("laterals") or ():
            self.source(lateral, ctes, scope)

    def _using(self, join: exp.Expr, scope: Scope) -> None:
        """Report a name after USING that no source has; joined sources have it all, so one that is known is enough."""
        for name in join.args.get("using") or ():
            if not isinstance(name, exp.Identifier) or ascii_low(name.name) in self.system_names.columns:
                continue
            if all(s.columns is not None and self.fold(name) not in s.columns for s in scope.every()):
                self.report(Unknown("column", exp.Column(this=name), scope))

    def _one_source(self, node: exp.Expr, ctes: Ctes, scope: Scope) -> None:
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table) and not node.args.get("alias"):
            self.source(node.this, ctes, scope)  # only brackets: (a JOIN b ON ...)
            return
        found = self.relation(node, ctes, scope)
        columns, table = found.columns, found.table
        alias = node.args.get("alias")
        name = ""
        if isinstance(alias, exp.TableAlias) and isinstance(alias.this, exp.Identifier):
            name = self.fold(alias.this)
        elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            name = self.fold(node.this)
        if isinstance(alias, exp.TableAlias) and alias.args.get("columns"):
            own = frozenset(self.fold(c) for c in alias.args["columns"] if isinstance(c, exp.Identifier))
            columns = own if isinstance(node, exp.Values) else columns | own if columns is not None else None
            table = None
        if node.args.get("pivots") or node.args.get("ordinality"):
            columns, table = None, None
        made = Source(columns, table, _named(node, self.fold))
        if not name and self.dialect == "postgres" and made.named:
            name = min(made.named)
        if name and name not in scope.sources:
            scope.sources[name] = made
        else:
            scope.merged.append(made)

    def relation(self, node: exp.Expr, ctes: Ctes, scope: Scope) -> Source:
        """Resolve one table expression, whatever it is, but not what is joined to it."""
        found = Source(None)
        if isinstance(node, exp.Table):
            self._seen.add(id(node))
            found = self._table(node, ctes, scope)
        elif isinstance(node, exp.Pivot):
            inner = Scope(scope)
            if isinstance(node.this, exp.Expr):
                self.source(node.this, ctes, inner)
            inner.merged.append(Source(None))
            self.rest(node, ctes, inner, ("this", "alias"))
            return found
        elif _is_query(node):
            found = Source(self.query(node, ctes, scope))
        else:
            self.rest(node, ctes, scope, ("alias",))
        for pivot in node.args.get("pivots") or ():
            self.rest(pivot, ctes, Scope(scope, {"": Source(None)}), ("alias",))
        return found

    def _table(self, node: exp.Table, ctes: Ctes, scope: Scope) -> Source:
        parts = ("this", "db", "catalog", "alias", "joins", "laterals", "pivots", "hints", "indexed")
        if isinstance(node.args.get("indexed"), exp.Table):
            self._seen.add(id(node.args["indexed"]))
        if not isinstance(node.this, exp.Identifier):
            self.rest(node, ctes, scope, parts[3:])
            if not isinstance(node.this, exp.Func | exp.Dot) and not node.args.get("rows_from"):
                self.report(Unknown("table", node, scope, tuple(ctes)))
            return Source(None)
        self.rest(node, ctes, scope, parts)
        name, schema, database = node.this, _part(node, "db"), _part(node, "catalog")
        if schema is None and self.table_name(name) in ctes:
            return Source(ctes[self.table_name(name)])
        if system := self._system(name, schema, database):
            return Source(self.system_names.known.get(system))
        found = None if database is not None else self.find(name, schema)
        if found is None and self.dialect == "mysql" and schema is None and _NUMBERS.fullmatch(name.name):
            return Source(frozenset(("seq",)))
        if found is None:
            self.report(Unknown("table", node, scope, tuple(ctes)))
            return Source(None)
        return Source(frozenset(self.real(c.name) for c in found.columns) or None, found)

    def _system(self, name: exp.Expr, schema: exp.Expr | None, database: exp.Expr | None) -> str:
        """Tell which system table a name means that may be named and is no table of the catalog; nothing for others."""
        if database is not None:
            return ""
        low, known = ascii_low(name.name), self.system_names
        if schema is not None:
            owner = ascii_low(schema.name)
            return next(
                (
                    table
                    for table in (f"{owner}.{low}", low if owner in known.schemas else "")
                    if table in known.tables
                ),
                "",
            )
        if self.find(name, None) is not None:
            return ""
        return next((table for table in (low, f"pg_catalog.{low}") if table in known.tables), "")

    def find(self, name: exp.Expr, schema: exp.Expr | None) -> Table | None:
        """Find the catalog's table that a name means."""
        # PostgreSQL looks into pg_catalog first, whatever the path says.
        if self.dialect == "postgres" and schema is None and name.name.startswith("pg_"):
            return None
        wanted = self.table_name(name)
        for table in self.by_name.get(ascii_low(name.name), ()):
            if self.cases.told(table.name, is_quoted=bool(name.args.get("quoted"))) != wanted:
                continue
            own = ascii_low(table.schema) or self.default
            if schema is None:
                if not table.schema or own == self.default or own in self.search_path:
                    return table
            elif self.cases is Cases.EXACT or (self.dialect == "postgres" and schema.args.get("quoted")):
                if schema.name == (table.schema or self.catalog.default_schema or self.default):
                    return table
            elif ascii_low(schema.name) == own or (
                not own and ascii_low(schema.name) in self.system_names.schemas
            ):
                return table
        return None

    # ------------------------------------------------------------ columns

    def column(self, node: exp.Column, scope: Scope | None) -> None:
        """Bind a column to its table, or report it when no source in reach has it."""
        if scope is None or not isinstance(node.this, exp.Identifier):
            return
        if node.args.get("table") is not None:
            self._qualified(node, scope)
            return
        name, quoted = self.fold(node.this), bool(node.this.args.get("quoted"))
        low = ascii_low(node.this.name)
        for each in scope.chain():
            for source in each.every():
                if source.columns is None or name in source.columns:
                    if source.table is not None:
                        self.bindings[id(node)] = source.table
                    return
            if name in each.aliases or name in each.sources:
                return
        if low in self._bound or (quoted and self.dialect == "sqlite"):
            return
        if not quoted and (low in _VALUES or (low in _UNITS and isinstance(node.parent, _TAKES_UNITS))):
            return
        if low in self.system_names.columns and any(s.sources for s in scope.chain()):
            return
        self.report(Unknown("column", node, scope))

    def _qualified(self, node: exp.Column, scope: Scope) -> None:
        if self.dialect == "duckdb" and node.args.get("db") is not None and self._nested(node, scope):
            return
        owner, low = self.fold(node.args["table"]), ascii_low(node.this.name)
        nested = self.dialect == "duckdb"
        for each in scope.chain():
            source = each.sources.get(owner)
            if source is not None:
                if source.columns is None or self.fold(node.this) in source.columns:
                    if source.table is not None:
                        self.bindings[id(node)] = source.table
                    if source.columns is None:
                        self._field(node, source, scope)
                    return
                is_field = nested and any(s.columns and owner in s.columns for s in each.every())
                if low not in self.system_names.columns and not is_field:
                    self.report(Unknown("column", node, scope))
                return
            inside = each.every() if nested else each.merged
            found = next((s for s in inside if s.columns is None or owner in s.columns), None)
            if found is not None or owner in self._bound:
                self._field(node, found or Source(None), scope)
                return
        self.report(Unknown("alias", node, scope))

    def _field(self, node: exp.Column, source: Source, scope: Scope) -> None:
        if self.is_field is not None and not self.is_field(node.this, source):
            self.report(Unknown("field", node, scope))

    def _nested(self, node: exp.Column, scope: Scope) -> bool:
        """Say whether `a.b.c` begins with a column or source in reach: a field of a field."""
        first = self.fold(node.args.get("catalog") or node.args["db"])
        for each in scope.chain():
            if first in each.sources or any(s.columns is None or first in s.columns for s in each.every()):
                return True
        return False

    # ------------------------------------------------------------ the form names are compared in

    def fold(self, node: exp.Expr) -> str:
        """Bring a written identifier to the form names are compared in."""
        if self.dialect == "postgres" and node.args.get("quoted"):
            return node.name
        return ascii_low(node.name)

    def table_name(self, node: exp.Expr) -> str:
        """Bring the written name of a table or CTE to the form such names are compared in."""
        return self.cases.written(node.name, is_quoted=bool(node.args.get("quoted")))

    def real(self, name: str) -> str:
        """Bring a catalog's name to the form names are compared in."""
        return name if self.dialect == "postgres" else ascii_low(name)


def _part(node: exp.Expr, key: str) -> exp.Expr | None:
    """Take a qualifier of a name; the parser gives an empty text for `a..b`."""
    part = node.args.get(key)
    return part if isinstance(part, exp.Expr) else None if part is None else exp.Identifier(this=str(part))


def _named(node: exp.Expr, fold: Callable[[exp.Expr], str]) -> Columns:
    """List the names that the rows of a called function certainly have; None for anything but a call."""
    inner = node.this if isinstance(node, exp.Lateral | exp.Table) else node
    if not (node.args.get("rows_from") or isinstance(inner, exp.Func | exp.Dot | exp.Unnest)):
        return None
    call = inner.expression if isinstance(inner, exp.Dot) else inner
    names = [ascii_low(call.name)] if isinstance(call, exp.Anonymous) else []
    if isinstance(call, exp.Func) and not names:
        names = [ascii_low(name) for name in call.sql_names()]
    alias = node.args.get("alias")
    if isinstance(alias, exp.TableAlias):
        names += [fold(alias.this)] if isinstance(alias.this, exp.Identifier) else []
        for column in alias.args.get("columns") or ():
            names.append(fold(column if isinstance(column, exp.Identifier) else column.this))
    if isinstance(call, exp.XMLTable) and not (
        isinstance(alias, exp.TableAlias) and alias.args.get("columns")
    ):
        names += [fold(c.this) for c in call.args.get("columns") or () if isinstance(c.this, exp.Identifier)]
    if isinstance(call, exp.Unnest) and isinstance(call.args.get("offset"), exp.Identifier):
        names.append(fold(call.args["offset"]))
    return frozenset(names)


def _is_query(node: object) -> bool:
    return isinstance(node, (exp.Query, exp.Values)) and not isinstance(node, exp.Table)
