"""Which tables and columns a statement names, and whether the catalog has them.

Decides what every table name stands for where it is written: a table of the catalog, a system
table that is on the list, or a CTE that is visible there and nowhere else. A column is called
unknown only when every source in reach is known in full; the database has the last word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process
from sqlglot import exp

from sqlagent.guard.lists import Lists
from sqlagent.guard.policy import Policy
from sqlagent.values import Catalog, Refusal, Table

Columns = frozenset[str] | None
"""The column names of a source in the dialect's normal form, or None when not all are known."""

_IMPLIED = {"postgres": "public", "duckdb": "main", "sqlite": "main"}
_UNITS = frozenset(
    ["microsecond", "millisecond", "second", "minute", "hour", "day", "dow", "doy", "week", "month", "quarter", "year", "decade", "century", "epoch", "isodow", "isoyear", "char", "date", "datetime", "time", "binary", "signed", "unsigned", "utf8", "utf8mb4", "latin1", "json", "second_microsecond", "minute_second", "hour_minute", "hour_second", "day_hour", "day_minute", "day_second", "year_month"]
)
_FILE_MARKS = frozenset("/\\:*?.")


class Refused(Exception):
    """Carries a refusal out of the walk; never leaves the guard."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.what)
        self.refusal = refusal


@dataclass(slots=True)
class Scope:
    """What can be seen from inside one SELECT: its sources, its aliases, and what is around it."""

    outer: Scope | None = None
    sources: dict[str, Columns] = field(default_factory=dict)
    merged: list[Columns] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)

    def chain(self) -> Iterator[Scope]:
        """Walk outwards from this scope."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer


Ctes = Mapping[str, Columns]


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Find up to three names that resemble one, best first; letter case is ignored.

    Example:
        >>> nearest("custmers", ["orders", "Customers", "countries"])
        ('Customers',)
    """
    found = process.extract(
        name.lower(),
        {n: n.lower() for n in names},
        scorer=fuzz.WRatio,
        limit=3,
        score_cutoff=72,
    )
    return tuple(str(n) for _, _, n in found)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


class Resolver:
    """Walks one parsed statement; raises `Refused` at the first name that stands for nothing."""

    def __init__(self, catalog: Catalog, lists: Lists, policy: Policy) -> None:
        self.catalog = catalog
        self.lists = lists
        self.dialect = catalog.dialect
        self.default = (catalog.default_schema or _IMPLIED.get(self.dialect, "")).lower()
        self.search_path = frozenset(s.lower() for s in policy.search_path)
        self.system_tables = "system_tables" not in policy.refused
        self.by_name: dict[str, list[Table]] = {}
        for table in catalog.tables:
            self.by_name.setdefault(table.name.lower(), []).append(table)
        self.seen: set[int] = set()
        self.bound: set[str] = set()

    # ------------------------------------------------------------ the walk

    def statement(self, root: exp.Expr) -> None:
        """Resolve every name of a statement. Raises: Refused."""
        for node in root.find_all(exp.Lambda, exp.Comprehension, exp.ForIn):
            bound = node.expressions if isinstance(node, exp.Lambda) else [node.args.get("expression")]
            bound = [*bound, node.args.get("position")]
            for item in bound:
                if item is not None:
                    self.bound.update(i.name.lower() for i in item.find_all(exp.Identifier))
        self.any(root, {}, None)
        for table in root.find_all(exp.Table):
            if id(table) not in self.seen:
                self.relation(table, {}, Scope())

    def any(self, node: exp.Expr, ctes: Ctes, scope: Scope | None) -> None:
        """Visit a node that may be or hold nested queries."""
        if isinstance(node, (exp.Query, exp.Values)) and not isinstance(node, exp.Table):
            self.query(node, ctes, scope)
        elif isinstance(node, exp.Table | exp.Pivot):
            self.relation(node, ctes, scope or Scope())
        elif isinstance(node, exp.Column):
            self.column(node, scope)
            for child in node.args.values():
                if isinstance(child, exp.Expr) and not isinstance(child, exp.Identifier):
                    self.any(child, ctes, scope)
        else:
            for child in node.iter_expressions():
                self.any(child, ctes, scope)

    def query(self, node: exp.Expr, ctes: Ctes, outer: Scope | None) -> Columns:
        """Resolve a query and tell the names of its columns."""
        ctes = self.with_(node, ctes, outer)
        if isinstance(node, exp.SetOperation):
            columns = self.query(node.this, ctes, outer)
            self.query(node.expression, ctes, outer)
            self.rest(node, ctes, Scope(outer, {"": columns}), ("this", "expression", "with_"))
            return columns
        if isinstance(node, exp.Subquery):
            inner = node.this
            if isinstance(inner, (exp.Query, exp.Values)) and not isinstance(inner, exp.Table):
                columns = self.query(inner, ctes, outer)
            else:
                scope = Scope(outer)
                self.source(inner, ctes, scope)
                columns = _union(scope)
            self.rest(node, ctes, Scope(outer, {"": columns}), ("this", "with_", "alias", "pivots", "joins"))
            return columns
        if isinstance(node, exp.Select):
            return self.select(node, ctes, outer)
        self.rest(node, ctes, outer, ("alias", "with_"))
        return None

    def with_(self, node: exp.Expr, ctes: Ctes, outer: Scope | None) -> Ctes:
        """Add a query's CTEs to those visible in it; each body sees those before it."""
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        visible = dict(ctes)
        recursive = bool(clause.args.get("recursive"))
        named = [(self.fold(c.args["alias"].this), _alias_columns(self, c), c) for c in clause.expressions]
        if self.dialect == "sqlite" or (recursive and self.dialect in ("postgres", "mysql")):
            visible.update({name: columns for name, columns, _ in named})
        for name, columns, cte in named:
            self.not_a_file(cte.args["alias"].this)
            inside = dict(visible)
            if recursive and isinstance(cte.this, exp.SetOperation):
                inside[name] = columns
            found = self.query(cte.this, inside, outer)
            visible[name] = columns or found
        return visible

    def select(self, node: exp.Select, ctes: Ctes, outer: Scope | None) -> Columns:
        scope = Scope(outer)
        from_ = node.args.get("from_")
        if from_ is not None:
            self.source(from_.this, ctes, scope)
        for key in ("joins", "laterals"):
            for item in node.args.get(key) or ():
                self.source(item.this if isinstance(item, exp.Join) else item, ctes, scope)
        for projection in node.expressions:
            if isinstance(projection, exp.Alias | exp.Aliases | exp.PropertyEQ):
                names = projection.expressions if isinstance(projection, exp.Aliases) else [projection]
                scope.aliases.update(self.fold_text(n.alias or n.name) for n in names)
        for join in node.args.get("joins") or ():
            self.rest(join, ctes, scope, ("this", "using"))
        self.rest(node, ctes, scope, ("from_", "joins", "laterals", "with_", "hint"))
        for pivot in node.args.get("pivots") or ():
            self.rest(pivot, ctes, scope, ("alias",))
            return None
        return self.outputs(node, scope)

    def rest(self, node: exp.Expr, ctes: Ctes, scope: Scope | None, skip: tuple[str, ...]) -> None:
        """Visit every part of a node but those named."""
        for key, value in node.args.items():
            if key in skip:
                continue
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, exp.Expr):
                    self.any(child, ctes, scope)

    def outputs(self, node: exp.Select, scope: Scope) -> Columns:
        names: set[str] = set()
        for projection in node.expressions:
            inner = projection.unalias()
            if isinstance(inner, exp.Star) or (
                isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)
            ):
                star = inner if isinstance(inner, exp.Star) else inner.this
                owner = inner.args.get("table") if isinstance(inner, exp.Column) else None
                columns = scope.sources.get(self.fold(owner)) if owner is not None else _union(scope)
                if columns is None or any(star.args.get(k) for k in ("except_", "replace", "rename")):
                    return None
                names |= columns
            elif projection.alias:
                names.add(self.fold_text(projection.alias))
            elif isinstance(projection, exp.Column):
                names.add(self.fold(projection.this))
            else:
                return None
        return frozenset(names) if names else None

    # ------------------------------------------------------------ sources

    def source(self, node: exp.Expr, ctes: Ctes, scope: Scope) -> None:
        """Add what stands in FROM or JOIN to a scope."""
        columns = self.relation(node, ctes, scope)
        alias = node.args.get("alias")
        name = ""
        if isinstance(alias, exp.TableAlias) and alias.this is not None:
            name = self.fold(alias.this)
        elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            name = self.fold(node.this)
        if isinstance(alias, exp.TableAlias) and alias.args.get("columns"):
            own = frozenset(self.fold_text(c.name) for c in alias.args["columns"])
            columns = None if columns is None else columns | own
            if isinstance(node, exp.Subquery | exp.Values):
                columns = own if columns is None and isinstance(node, exp.Values) else columns
        if node.args.get("pivots") or node.args.get("ordinality"):
            columns = None
        if name and name not in scope.sources:
            scope.sources[name] = columns
        else:
            scope.merged.append(columns)

    def relation(self, node: exp.Expr, ctes: Ctes, scope: Scope) -> Columns:
        """Resolve one table expression and tell its columns. Raises: Refused."""
        columns: Columns = None
        if isinstance(node, exp.Table):
            self.seen.add(id(node))
            columns = self.table(node, ctes, scope)
        elif isinstance(node, exp.Pivot):
            inner = Scope(scope)
            if isinstance(node.this, exp.Expr):
                self.source(node.this, ctes, inner)
            inner.merged.append(None)
            self.rest(node, ctes, inner, ("this", "alias"))
            return None
        elif isinstance(node, (exp.Query, exp.Values)):
            columns = self.query(node, ctes, scope)
        else:
            self.rest(node, ctes, scope, ("alias",))
        for join in node.args.get("joins") or ():
            self.source(join.this, ctes, scope)
            self.rest(join, ctes, scope, ("this", "using"))
        for lateral in node.args.get("laterals") or ():
            self.source(lateral, ctes, scope)
        for pivot in node.args.get("pivots") or ():
            self.rest(pivot, ctes, Scope(scope, {"": None}), ("alias",))
        return columns

    def table(self, node: exp.Table, ctes: Ctes, scope: Scope | None) -> Columns:
        """Tell a named table's columns. Raises: Refused."""
        if not isinstance(node.this, exp.Identifier):
            self.rest(node, ctes, scope, ("alias", "joins", "laterals", "pivots"))
            return None
        name, schema, database = node.this, node.args.get("db"), node.args.get("catalog")
        self.rest(
            node, ctes, scope, ("this", "db", "catalog", "alias", "joins", "laterals", "pivots", "hints")
        )
        if schema is None and self.fold(name) in ctes:
            return ctes[self.fold(name)]
        if self.system(name, schema, database):
            return None
        found = None if database is not None else self.find(name, schema)
        if found is None:
            raise Refused(self.unknown_table(node, ctes))
        return frozenset(self.real(c.name) for c in found.columns) or None

    def system(self, name: exp.Expr, schema: exp.Expr | None, database: exp.Expr | None) -> bool:
        """Say whether a name is a system table that is on the list and no table of the catalog."""
        if database is not None or not self.system_tables:
            return False
        low = name.name.lower()
        if schema is not None:
            full = f"{schema.name.lower()}.{low}"
            return full in self.lists.tables or (
                schema.name.lower() in self.lists.schemas and low in self.lists.tables
            )
        if self.find(name, None) is not None:
            return False
        return low in self.lists.tables or (
            f"pg_catalog.{low}" in self.lists.tables and self.dialect in ("postgres", "duckdb")
        )

    def find(self, name: exp.Expr, schema: exp.Expr | None) -> Table | None:
        """Find the catalog's table that a name means here."""
        wanted = self.fold(name)
        for table in self.by_name.get(name.name.lower(), ()):
            if self.real(table.name) != wanted:
                continue
            own = table.schema.lower() or self.default
            if schema is None:
                if not table.schema or own == self.default or own in self.search_path:
                    return table
            elif schema.name.lower() == own or (
                not own and not table.schema and schema.name.lower() in self.lists.schemas
            ):
                return table
        return None

    # ------------------------------------------------------------ columns

    def column(self, node: exp.Column, scope: Scope | None) -> None:
        """Refuse a column that no source in reach has."""
        if isinstance(node.this, exp.Star) or scope is None:
            return
        if not isinstance(node.this, exp.Identifier):
            return
        if node.args.get("table") is not None:
            self.qualified(node, scope)
            return
        name = self.fold(node.this)
        low = node.this.name.lower()
        if low in self.bound or (not node.this.args.get("quoted") and low in _UNITS):
            return
        if node.this.args.get("quoted") and self.dialect == "sqlite":
            return
        known: set[str] = set()
        for each in scope.chain():
            every = [*each.sources.values(), *each.merged]
            if name in each.aliases or name in each.sources or any(c is None or name in c for c in every):
                return
            for columns in every:
                known |= columns or frozenset()
        if low in self.lists.columns and any(s.sources for s in scope.chain()):
            return
        raise Refused(self.unknown_column(node, known, ""))

    def qualified(self, node: exp.Column, scope: Scope) -> None:
        owner = node.args["table"]
        name, table = self.fold(node.this), self.fold(owner)
        for each in scope.chain():
            every = [*each.sources.values(), *each.merged]
            if table in each.sources:
                columns = each.sources[table]
                low = node.this.name.lower()
                if columns is None or name in columns or low in self.lists.columns:
                    return
                if self.dialect == "duckdb" and any(c and table in c for c in every):
                    return
                raise Refused(self.unknown_column(node, columns, owner.name))
            if any(c is None or table in c for c in each.merged) or table.lower() in self.bound:
                return
            if self.dialect in ("duckdb", "postgres") and any(c is None or table in c for c in every):
                return
        in_scope = [s for each in scope.chain() for s in each.sources if s]
        near = nearest(owner.name, in_scope)
        raise Refused(
            Refusal(
                f"There is no table or alias {owner.name} in reach of {owner.name}.{node.name}.",
                "FROM and JOIN name " + (_listed(in_scope) or "no table") + ".",
                f"Did you mean {near[0]}.{node.name}?"
                if near
                else "Join the table first, or correct the name.",
                _start(owner),
                "alias",
                owner.name,
                near,
            )
        )

    # ------------------------------------------------------------ names

    def fold(self, node: exp.Expr) -> str:
        """Bring a written identifier to the form names are compared in."""
        if self.dialect == "postgres" and node.args.get("quoted"):
            return node.name
        return node.name.lower()

    def fold_text(self, name: str) -> str:
        return (
            name
            if self.dialect == "postgres" and not name.islower() and name.lower() != name
            else name.lower()
        )

    def real(self, name: str) -> str:
        """Bring a catalog's name to the form names are compared in."""
        return name if self.dialect == "postgres" else name.lower()

    def not_a_file(self, name: exp.Expr) -> None:
        """Refuse a CTE of DuckDB whose name could be taken for a file."""
        if self.dialect == "duckdb" and _FILE_MARKS & set(name.name):
            raise Refused(
                Refusal(
                    f'The CTE is called "{name.name}", like a file.',
                    "DuckDB opens files that are named like tables.",
                    "Give it a plain name.",
                    _start(name),
                )
            )

    # ------------------------------------------------------------ refusals

    def unknown_table(self, node: exp.Table, ctes: Ctes) -> Refusal:
        written = ".".join(p.name for p in node.parts)
        everything = [*(t.key for t in self.catalog.tables), *ctes]
        same = self.by_name.get(node.this.name.lower(), [])
        position = _start(node.parts[0])
        if same and node.args.get("db") is None and same[0].schema:
            key = same[0].key
            return Refusal(
                f"There is no table {written} in the default schema.",
                f"A table of that name is in the schema {same[0].schema}.",
                f"Write {key}.",
                position,
                "table",
                written,
                tuple(t.key for t in same),
            )
        if same and self.dialect == "postgres" and self.real(same[0].name) != self.fold(node.this):
            return Refusal(
                f"There is no table {written} spelled this way.",
                "PostgreSQL reads names without quotes in lower case, and quoted names exactly.",
                f'Write "{same[0].name}" in double quotes.',
                position,
                "table",
                written,
                (same[0].key,),
            )
        near = nearest(written, everything) or nearest(node.this.name, everything)
        system = node.args.get("db") is not None and node.args["db"].name.lower() in (
            "information_schema", "pg_catalog", "mysql", "performance_schema", "sys",
        )  # fmt: skip
        low = node.this.name.lower()
        if system or low.startswith(("pg_", "sqlite_", "pragma_", "duckdb_")):
            return Refusal(
                f"The system table {written} may not be read.",
                "It is not on the list of system tables that only describe the schema.",
                "Ask about the tables of this source.",
                position,
                "table",
                written,
            )
        return Refusal(
            f"There is no table {written}.",
            "The catalog of this source has no table, view or CTE of that name here.",
            f"Did you mean {_listed(near)}?" if near else "Look up the names in the schema browser.",
            position,
            "table",
            written,
            near,
        )

    def unknown_column(self, node: exp.Column, known: Iterable[str], owner: str) -> Refusal:
        written = f"{owner}.{node.name}" if owner else node.name
        known = set(known)
        same = [k for k in known if k.lower() == node.name.lower()]
        if same:
            advice, why = (
                f'Write "{same[0]}" in double quotes.',
                ("PostgreSQL reads names without quotes in lower case, and quoted names exactly."),
            )
            near: tuple[str, ...] = tuple(same)
        else:
            near = nearest(node.name, known)
            elsewhere = [t.key for t in self.catalog.tables if t.column(node.name) is not None and not near]
            why = (
                f"No table in reach has a column {node.name}."
                if not owner
                else f"{owner} has no such column."
            )
            if near:
                advice = f"Did you mean {_listed(near)}?"
            elif elsewhere:
                advice = f"The table {elsewhere[0]} has it: join that table."
            else:
                advice = "Look up the columns in the schema browser."
        return Refusal(
            f"There is no column {written}.", why, advice, _start(node.this), "column", node.name, near
        )


def _start(node: exp.Expr) -> int | None:
    start = node.meta.get("start")
    return start if isinstance(start, int) else None


def _alias_columns(resolver: Resolver, cte: exp.Expr) -> Columns:
    columns = cte.args["alias"].args.get("columns")
    return frozenset(resolver.fold(c) for c in columns) if columns else None


def _union(scope: Scope) -> Columns:
    every = [*scope.sources.values(), *scope.merged]
    if not every or any(c is None for c in every):
        return None
    return frozenset().union(*(c for c in every if c is not None))
