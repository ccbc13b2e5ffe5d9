"""A semantic view of Snowflake, as YAML: read into entries of a knowledge file, and written from a source's knowledge.

Metrics and measures with an aggregate become figures, filters conditions, synonyms of tables and columns names, instructions a rule,
verified queries verified answers with the names and the dialect of the source. Everything else is told as left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from mirror.knowledge.foreign_entries import (
    COMPUTED,
    KEY,
    Entry,
    Foreign,
    LeftOut,
    entry,
    mappings,
    of_table,
    parsed,
    replaced,
    shared_as_drafts,
    spoken,
    texts,
)
from mirror.knowledge.term_services import RULE_CHARS

SNOWFLAKE = "snowflake"
DEEPEST = 8
"""Metrics that one metric may be made of, one inside of another."""

_COLUMNS = ("dimensions", "time_dimensions", "facts", "measures")
_AGGREGATES = {
    "sum": "SUM", "avg": "AVG", "average": "AVG", "min": "MIN", "max": "MAX", "count": "COUNT", "median": "MEDIAN",
}  # fmt: skip


def snowflake_is(found: Any) -> bool:
    """Whether a file is a semantic view.

    Example:
        >>> snowflake_is({"name": "v", "tables": [{"base_table": {"table": "t"}}]}), snowflake_is({"tables": []})
        (True, False)
    """
    return isinstance(found, Mapping) and any("base_table" in one for one in mappings(found, "tables"))


def snowflake_entries(found: Mapping[str, Any], engine: str) -> Foreign:
    """Give the terms and verified answers of a semantic view, and what of it is neither, with the reason."""
    view = _View(found, engine)
    entries = [*view.names(), *view.figures(), *view.filters(), *view.rules()]
    verified = list(view.verified())
    view.rest()
    shared_as_drafts(entries)
    return Foreign(entries, verified, view.left)


class _View:
    """One semantic view: logical tables, with the columns and expressions that their names stand for."""

    def __init__(self, found: Mapping[str, Any], engine: str) -> None:
        self.found, self.engine = found, engine
        self.left: list[LeftOut] = []
        self.tables: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self.columns: dict[tuple[str, str], exp.Expr] = {}
        self.metrics: dict[tuple[str, str], exp.Expr] = {}
        for one in mappings(found, "tables"):
            base, name = one.get("base_table"), str(one.get("name", "")).lower()
            table = str(base.get("table", "")) if isinstance(base, Mapping) else ""
            self.tables[name] = (table or name, one)
            for field in (field for kind in _COLUMNS for field in mappings(one, kind)):
                tree = parsed(field.get("expr") or field.get("name"), SNOWFLAKE)
                if tree is not None and tree.find(exp.AggFunc) is None:
                    self.columns[name, str(field.get("name", "")).lower()] = tree
            for metric in mappings(one, "metrics"):
                if (tree := parsed(metric.get("expr"), SNOWFLAKE)) is not None:
                    self.metrics[name, str(metric.get("name", "")).lower()] = tree
            for measure in mappings(one, "measures"):
                if (tree := _measure(measure)) is not None:
                    self.metrics[name, str(measure.get("name", "")).lower()] = tree
        for metric in mappings(found, "metrics"):
            if (tree := parsed(metric.get("expr"), SNOWFLAKE)) is not None:
                self.metrics["", str(metric.get("name", "")).lower()] = tree

    # ------------------------------------------------------------ terms

    def names(self) -> Iterator[Entry]:
        """Further names of tables and columns."""
        for name, (table, told) in self.tables.items():
            phrases = _phrases(told, table)
            if phrases:
                yield entry("name", phrases[0], table, phrases[1:], told)
            for field in (field for kind in _COLUMNS for field in mappings(told, kind)):
                own = str(field.get("name", ""))
                if (name, own.lower()) in self.metrics:
                    continue
                tree = self.columns.get((name, own.lower()))
                if not isinstance(tree, exp.Column):
                    self.left.append((f"{name}.{own}", COMPUTED))
                elif phrases := _phrases(field, tree.name):
                    yield entry("name", phrases[0], f"{table}.{tree.name}", phrases[1:], field)

    def figures(self) -> Iterator[Entry]:
        """Metrics and measures that aggregate."""
        for name, metric in self._metrics():
            own = str(metric.get("name", "")).lower()
            tree = self.metrics.get((name, own))
            if tree is None:
                self.left.append((own, "No aggregate of it can be read."))
                continue
            written = self.written(tree, name)
            if written is None or written.find(exp.Window) is not None:
                self.left.append(
                    (own, "It is made of itself, of a window, or of names that the file does not hold.")
                )
                continue
            phrases = _phrases(metric, "") or [""]
            yield entry("measure", phrases[0], written.sql(self.engine), phrases[1:], metric)

    def _metrics(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, (_, told) in self.tables.items():
            yield from ((name, one) for one in mappings(told, "metrics"))
            for one in mappings(told, "measures"):
                if (name, str(one.get("name", "")).lower()) in self.metrics:
                    yield name, one
        yield from (("", one) for one in mappings(self.found, "metrics"))

    def filters(self) -> Iterator[Entry]:
        """Named conditions."""
        for name, (_, told) in self.tables.items():
            for one in mappings(told, "filters"):
                tree = parsed(one.get("expr"), SNOWFLAKE)
                written = self.written(tree, name) if tree is not None else None
                if written is None:
                    self.left.append((str(one.get("name", "")), "Its condition cannot be read."))
                    continue
                phrases = _phrases(one, "") or [""]
                yield entry("filter", phrases[0], written.sql(self.engine), phrases[1:], one)

    def rules(self) -> Iterator[Entry]:
        """Instructions for a language model."""
        told = [self.found.get("custom_instructions")]
        parts = self.found.get("module_custom_instructions")
        told += list(parts.values()) if isinstance(parts, Mapping) else []
        text = " ".join(" ".join(one.split()) for one in told if isinstance(one, str))
        if text:
            yield entry(
                "rule", f"about {spoken(self.found.get('name') or 'this source')}"[:80], text[:RULE_CHARS]
            )

    def rest(self) -> None:
        """Tell of parts that are neither."""
        for one in mappings(self.found, "relationships"):
            self.left.append((str(one.get("name", "")), KEY))

    def written(self, tree: exp.Expr, table: str, deep: int = 0) -> exp.Expr | None:
        """An expression with metrics and logical columns put in, under the names of the source; None where that fails."""
        if deep > DEEPEST:
            return None
        tree = tree.copy()
        for count in tree.find_all(exp.Count):
            if isinstance(count.this, exp.Star) and (key := self.key(table)):
                count.set("this", exp.column(key))
        for column in list(tree.find_all(exp.Column)):
            owner, own = (column.table or table).lower(), column.name.lower()
            metric = self.metrics.get((owner, own)) or (
                self.metrics.get(("", own)) if not column.table else None
            )
            inside = column.find_ancestor(exp.AggFunc) is not None
            put: exp.Expr | None
            if metric is not None and not inside:
                put = self.written(metric, owner if (owner, own) in self.metrics else "", deep + 1)
            else:
                put = self.physical(owner, own, column)
            if put is None:
                return None
            tree = replaced(tree, column, put)
        return tree

    def key(self, table: str) -> str:
        """The one column that tells the rows of a logical table apart; empty where there is none."""
        told = self.tables[table][1].get("primary_key") if table in self.tables else None
        keys = texts(told, "columns")
        return keys[0] if len(keys) == 1 else ""

    def physical(self, owner: str, own: str, column: exp.Column, alias: str = "") -> exp.Expr | None:
        """Physical column of a logical one."""
        if owner not in self.tables:
            return None
        known = self.columns.get((owner, own))
        put = known if known is not None else exp.column(column.name)
        put = put.transform(lambda node: exp.column(node.name) if isinstance(node, exp.Column) else node)
        return of_table(put, alias or self.tables[owner][0])

    # ------------------------------------------------------------ verified queries

    def verified(self) -> Iterator[Entry]:
        """Verified queries under the names and in the dialect of the source."""
        for one in mappings(self.found, "verified_queries"):
            question = " ".join(str(one.get("question") or one.get("name") or "").split())
            sql = self.statement(str(one.get("sql") or ""))
            if sql is None:
                self.left.append((question, "Its SQL cannot be read, or names what the file does not hold."))
            else:
                yield {"question": question, "sql": sql}

    def statement(self, sql: str) -> str | None:
        """A statement with logical names replaced; None where it cannot be read."""
        tree = parsed(sql.strip().rstrip(";"), SNOWFLAKE)
        if not isinstance(tree, exp.Query):
            return None
        try:
            for scope in traverse_scope(tree):
                logical = {
                    alias: name
                    for alias, source in scope.sources.items()
                    if isinstance(source, exp.Table) and (name := self.logical(source.name))
                }
                for column in list(scope.columns):
                    self._replace(column, logical, len(scope.sources))
                for alias, source in scope.sources.items():
                    if alias in logical and isinstance(source, exp.Table):
                        _rename(source, alias, self.tables[logical[alias]][0])
            return tree.sql(self.engine, pretty=True)
        except (SqlglotError, RecursionError, ValueError):
            return None

    def logical(self, name: str) -> str:
        """The logical table that a statement names, which may be written with two bars."""
        bare = name.lower().removeprefix("__")
        return bare if bare in self.tables else ""

    def _replace(self, column: exp.Column, logical: Mapping[str, str], sources: int) -> None:
        """Put what a logical column is in its place."""
        owners = [
            alias
            for alias, name in logical.items()
            if (column.table == alias if column.table else (name, column.name.lower()) in self.columns)
        ]
        known = (logical[owners[0]], column.name.lower()) if len(owners) == 1 else None
        if known is None or known not in self.columns:
            return
        qualifier = owners[0] if column.table or sources > 1 else ""
        put = self.columns[known].copy()
        for one in put.find_all(exp.Column):
            one.set("table", exp.to_identifier(qualifier) if qualifier else None)
        if not isinstance(put, (exp.Column, exp.Func)):
            put = exp.Paren(this=put)
        if isinstance(column.parent, exp.Select) and put.output_name.lower() != column.name.lower():
            put = exp.alias_(put, column.name)
        column.replace(put)


def _rename(source: exp.Table, alias: str, table: str) -> None:
    """Give a table its name in the source; it stays known by the alias that the statement uses."""
    if not source.alias and alias.lower() != table.lower():
        source.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    source.set("this", exp.to_identifier(table))
    source.set("db", None)
    source.set("catalog", None)


def _measure(told: Mapping[str, Any]) -> exp.Expr | None:
    """Expression of a measure: its aggregate, or its default one over its expression; None where it has neither."""
    tree = parsed(told.get("expr") or told.get("name"), SNOWFLAKE)
    if tree is None or tree.find(exp.AggFunc) is not None:
        return tree
    said = str(told.get("default_aggregation") or "").lower()
    if said == "count_distinct":
        return exp.Count(this=exp.Distinct(expressions=[tree]))
    return parsed(f"{_AGGREGATES[said]}({tree.sql(SNOWFLAKE)})", SNOWFLAKE) if said in _AGGREGATES else None


def _phrases(told: Mapping[str, Any], own: str) -> list[str]:
    """How something is called, its own name in the source left out."""
    said = [spoken(told.get("name")), *texts(told)]
    return [
        one
        for one in dict.fromkeys(said)
        if one and one.casefold() not in (own.casefold(), spoken(own).casefold())
    ]
