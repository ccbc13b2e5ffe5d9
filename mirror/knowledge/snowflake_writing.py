"""The knowledge of a source written as a semantic view of Snowflake, with a report of what has no place in one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from mirror.knowledge.foreign_entries import Entry, LeftOut, parsed
from mirror.knowledge.models import StoredAnswer, StoredTerm
from mirror.knowledge.snowflake_files import SNOWFLAKE
from sqlagent.catalog.keys import Edge, KeyGraph
from sqlagent.values import Catalog, Column, Kind, Table

if TYPE_CHECKING:
    from mirror.sources.models import Source


@dataclass(slots=True)
class _Logical:
    """A table of the view under way."""

    table: Table
    synonyms: list[str] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    metrics: list[Entry] = field(default_factory=list)
    filters: list[Entry] = field(default_factory=list)


def snowflake_view(
    source: Source, catalog: Catalog, terms: Sequence[StoredTerm], answers: Sequence[StoredAnswer]
) -> tuple[dict[str, Any], list[LeftOut]]:
    """Give a view as plain values, and what is left out of it with the reason. The same rows give the same view."""
    writer = _Writer(source, catalog)
    for term in terms:
        writer.take(term)
    queries = list(writer.queries(answers))
    return writer.view(queries), writer.left


class _Writer:
    def __init__(self, source: Source, catalog: Catalog) -> None:
        self.source, self.catalog = source, catalog
        self.keyed = {table.key: table for table in catalog.tables}
        self.tables: dict[str, _Logical] = {}
        self.metrics: list[Entry] = []
        self.rules: list[str] = []
        self.left: list[LeftOut] = []

    def take(self, term: StoredTerm) -> None:
        """Put a term where it belongs, or tell why it has no place."""
        if term.status != StoredTerm.Status.FORCE or term.problem:
            self.left.append((term.phrase, f"It is {term.state}."))
        elif term.kind == StoredTerm.Kind.RULE:
            self.rules.append(" ".join(term.body.split()))
        elif term.kind == StoredTerm.Kind.NAME:
            self.name(term)
        else:
            self.expression(term)

    def name(self, term: StoredTerm) -> None:
        """A synonym of a table or column."""
        words = [term.phrase, *term.synonyms]
        tree = parsed(term.sql, self.source.engine)
        parts = [one.name for one in tree.parts] if isinstance(tree, exp.Column) else []
        whole = self.table(parts)
        if whole is not None:
            self.logical(whole).synonyms += words
        elif len(parts) > 1 and (owner := self.table(parts[:-1])) is not None and owner.column(parts[-1]):
            self.logical(owner).columns.setdefault(parts[-1].lower(), []).extend(words)
        else:
            self.left.append((term.phrase, "Its table or column is not read."))

    def expression(self, term: StoredTerm) -> None:
        """A metric or a filter."""
        tree = parsed(term.sql, self.source.engine)
        owners = self.owners(tree) if tree is not None else None
        if tree is None or not owners:
            self.left.append((term.phrase, "Its tables are not read."))
            return
        made: Entry = {"name": _identifier(term.phrase), "synonyms": [term.phrase, *term.synonyms]}
        if term.description:
            made["description"] = term.description
        for column in tree.find_all(exp.Column):
            owner = self.table([part.name for part in column.parts[:-1]])
            assert owner is not None  # as `owners` found them all
            name = exp.to_identifier(self.logical_name(owner)) if len(owners) > 1 else None
            column.replace(exp.Column(this=column.this.copy(), table=name))
        made["expr"] = _without_filters(tree).sql(SNOWFLAKE)
        if term.kind == StoredTerm.Kind.MEASURE:
            for owner in owners:
                self.logical(owner)
            (self.metrics if len(owners) > 1 else self.logical(owners[0]).metrics).append(made)
        elif len(owners) == 1:
            self.logical(owners[0]).filters.append(made)
        else:
            self.left.append((term.phrase, "A filter of a semantic view is of one table."))

    def queries(self, answers: Sequence[StoredAnswer]) -> Iterator[Entry]:
        """Verified answers in Snowflake's dialect."""
        for one in answers:
            try:
                tree = sqlglot.parse_one(one.sql, dialect=self.source.engine)
                owners = [
                    self.table([part.name for part in found.parts]) for found in tree.find_all(exp.Table)
                ]
                for owner in filter(None, owners):
                    self.logical(owner)
                sql = tree.sql(SNOWFLAKE, pretty=True)
            except (SqlglotError, RecursionError, ValueError):
                self.left.append((one.question, "Its SQL cannot be written for Snowflake."))
                continue
            by = one.verified_by
            made: Entry = {"name": _identifier(one.question)[:60], "question": one.question, "sql": sql}
            made["verified_at"] = int(one.verified_at.timestamp())
            yield made | ({"verified_by": by.called} if by is not None else {})

    def view(self, queries: list[Entry]) -> dict[str, Any]:
        """The whole view."""
        plain: dict[str, Any] = {"name": _identifier(self.source.name), "tables": []}
        plain["tables"] = [self.plain(self.tables[key]) for key in sorted(self.tables)]
        relations = list(self.relations())
        more = {"relationships": relations, "metrics": self.metrics, "verified_queries": queries}
        plain |= {name: value for name, value in more.items() if value}
        return plain | ({"custom_instructions": "\n".join(self.rules)} if self.rules else {})

    def plain(self, one: _Logical) -> dict[str, Any]:
        """One table of the view."""
        base = {"database": self.source.database.rpartition("/")[2], "schema": one.table.schema or "public"}
        made: dict[str, Any] = {"name": self.logical_name(one.table)}
        if one.table.comment:
            made["description"] = one.table.comment
        made["base_table"] = base | {"table": one.table.name}
        if one.synonyms:
            made["synonyms"] = list(dict.fromkeys(one.synonyms))
        if one.table.primary_key:
            made["primary_key"] = {"columns": list(one.table.primary_key)}
        joined = {key.lower() for pair in KeyGraph(self.catalog).edges for key in _keys(pair, one.table.key)}
        for column in one.table.columns:
            kind, told = _column(column, column.name.lower() in joined)
            if words := one.columns.get(column.name.lower()):
                told["synonyms"] = list(dict.fromkeys(words))
            made.setdefault(kind, []).append(told)
        more = {"metrics": one.metrics, "filters": one.filters}
        return made | {name: value for name, value in more.items() if value}

    def relations(self) -> Iterator[dict[str, Any]]:
        """Keys between the tables of the view."""
        for edge in KeyGraph(self.catalog).edges:
            if edge.source in self.tables and edge.target in self.tables and edge.source != edge.target:
                source, target = (self.logical_name(self.keyed[key]) for key in (edge.source, edge.target))
                pairs = zip(edge.columns, edge.referenced, strict=True)
                yield {
                    "name": _identifier(f"{source}_{'_'.join(edge.columns)}_to_{target}"),
                    "left_table": source,
                    "right_table": target,
                    "relationship_columns": [{"left_column": a, "right_column": b} for a, b in pairs],
                }

    # ------------------------------------------------------------ tables

    def logical(self, table: Table) -> _Logical:
        """The table of the view for one of the source."""
        return self.tables.setdefault(table.key, _Logical(table))

    def logical_name(self, table: Table) -> str:
        """The name of a table in the view."""
        same = [one for one in self.catalog.tables if one.name.lower() == table.name.lower()]
        return table.name if len(same) == 1 else _identifier(table.key)

    def table(self, parts: Sequence[str]) -> Table | None:
        """The table that names lead to, with or without its schema."""
        if not parts:
            return None
        schema = parts[-2].lower() if len(parts) > 1 else ""
        found = [
            one
            for one in self.catalog.tables
            if one.name.lower() == parts[-1].lower() and (not schema or one.schema.lower() == schema)
        ]
        return found[0] if len(found) == 1 else None

    def owners(self, tree: exp.Expr) -> list[Table] | None:
        """The tables whose columns stand in an expression; None where one is not known."""
        found: dict[str, Table] = {}
        for column in tree.find_all(exp.Column):
            owner = self.table([part.name for part in column.parts[:-1]])
            if owner is None or owner.column(column.name) is None:
                return None
            found[owner.key] = owner
        return list(found.values())


def _without_filters(tree: exp.Expr) -> exp.Expr:
    """A figure whose filter is a CASE inside of its aggregate, as Snowflake has no FILTER."""
    holder = exp.Paren(this=tree)
    for node in list(holder.find_all(exp.Filter)):
        made, condition = node.this, node.expression.this
        inner = made.this.expressions[0] if isinstance(made.this, exp.Distinct) else made.this
        shown = exp.Literal.number(1) if isinstance(inner, exp.Star) else inner.copy()
        inner.replace(exp.Case(ifs=[exp.If(this=condition, true=shown)]))
        node.replace(made)
    whole: exp.Expr = holder.this
    return whole


def _keys(edge: Edge, table: str) -> Iterator[str]:
    """The columns of a table that a join takes."""
    if edge.source == table:
        yield from edge.columns
    if edge.target == table:
        yield from edge.referenced


def _column(column: Column, is_key: bool) -> tuple[str, dict[str, Any]]:
    """Which sort of column it is in a view, and it as one."""
    told: dict[str, Any] = {
        "name": column.name,
        "expr": _sql(column.name),
        "data_type": column.type or "text",
    }
    if column.comment:
        told["description"] = column.comment
    if column.kind in (Kind.DATE, Kind.DATETIME):
        return "time_dimensions", told
    return ("facts" if column.kind in (Kind.NUMBER, Kind.INTEGER) and not is_key else "dimensions"), told


def _sql(name: str) -> str:
    return str(exp.column(name, quoted=re.fullmatch(r"[A-Za-z_]\w*", name) is None).sql(SNOWFLAKE))


def _identifier(text: str) -> str:
    """A name of a view's part.

    Example:
        >>> _identifier("Net revenue (EUR)"), _identifier("2025 sales")
        ('net_revenue_eur', '_2025_sales')
    """
    bare = "_".join(re.findall(r"\w+", text.lower()))
    return f"_{bare}" if bare[:1].isdigit() or not bare else bare
