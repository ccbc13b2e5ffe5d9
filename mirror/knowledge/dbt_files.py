"""dbt's semantic manifest, and the manifest of a project, read into entries of a knowledge file.

Simple, ratio and derived metrics become figures, their filters inside the aggregate. Dimensions and models that are called otherwise than their
column or table become names, and so do synonyms kept in `meta`. Everything else is told as left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

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

DEEPEST = 8
"""Metrics that one metric may be made of, one inside of another."""

_AGGREGATES = {
    "sum": "SUM({})", "average": "AVG({})", "avg": "AVG({})", "min": "MIN({})", "max": "MAX({})", "count": "COUNT({})",
    "count_distinct": "COUNT(DISTINCT {})", "sum_boolean": "SUM(CASE WHEN {} THEN 1 ELSE 0 END)", "median": "MEDIAN({})",
}  # fmt: skip
_FILTERS = frozenset({"sqlite", "postgres", "duckdb", "databricks", "spark"})
"""Engines that write a figure's filter as FILTER (WHERE ...); others as CASE."""

_CALL = re.compile(
    r"\{\{\s*(Dimension|TimeDimension|Entity|Metric)\s*\(\s*'([^']*)'[^{}]*?\)\s*(\.[^{}]*)?\}\}"
)


class _Unread(ValueError):
    """A metric that is no figure of ours; the message is told."""


def dbt_is(found: Any) -> bool:
    """Whether a file is a manifest of dbt.

    Example:
        >>> dbt_is({"semantic_models": [], "metrics": []}), dbt_is({"terms": []})
        (True, False)
    """
    return isinstance(found, Mapping) and all(
        isinstance(found.get(name), (list, Mapping)) for name in ("semantic_models", "metrics")
    )


def dbt_entries(found: Mapping[str, Any], engine: str) -> Foreign:
    """Give the terms of a manifest, and what of it is no term, with the reason."""
    reader = _Manifest(found, engine)
    entries = [*reader.names(), *reader.figures()]
    reader.rest()
    shared_as_drafts(entries)
    return Foreign(entries, (), reader.left)


class _Manifest:
    """One manifest."""

    def __init__(self, found: Mapping[str, Any], engine: str) -> None:
        self.found, self.engine = found, engine
        self.left: list[LeftOut] = []
        self.models = {str(one.get("name", "")): one for one in mappings(found, "semantic_models")}
        self.metrics = {str(one.get("name", "")): one for one in mappings(found, "metrics")}
        self.measures = {
            str(one.get("name", "")): (one, model)
            for model in self.models.values()
            for one in mappings(model, "measures")
        }

    # ------------------------------------------------------------ names

    def names(self) -> Iterator[Entry]:
        """Further names of models, columns, semantic models and dimensions."""
        seen: set[tuple[str, str]] = set()

        def made(phrases: list[str], sql: str, own: str, told: Mapping[str, Any]) -> Iterator[Entry]:
            phrases = [
                one for one in phrases if one.casefold() not in (own.casefold(), spoken(own).casefold())
            ]
            if phrases and (phrases[0].casefold(), sql) not in seen:
                seen.add((phrases[0].casefold(), sql))
                yield entry("name", phrases[0], sql, phrases[1:], told)

        for node in mappings(self.found, "nodes"):
            if node.get("resource_type") in ("model", "seed", "snapshot"):
                table = str(node.get("alias") or node.get("name") or "")
                yield from made(_synonyms(node), table, table, node)
                for column in mappings(node, "columns"):
                    own = str(column.get("name", ""))
                    yield from made(_synonyms(column), f"{table}.{own}", own, column)
        for name, model in self.models.items():
            table = _table(model)
            called = [spoken(model.get("label")), spoken(name), *_synonyms(model)]
            yield from made([one for one in called if one], table, table, model)
            for one in mappings(model, "dimensions"):
                tree = parsed(one.get("expr") or one.get("name"), self.engine)
                said = [spoken(one.get("label")), spoken(one.get("name")), *_synonyms(one)]
                if isinstance(tree, exp.Column):
                    sql = f"{table}.{tree.name}"
                    yield from made([word for word in said if word], sql, tree.name, one)
                else:
                    self.left.append((f"{name}.{one.get('name', '')}", COMPUTED))

    def rest(self) -> None:
        """Tell of parts that are no term."""
        for name, model in self.models.items():
            for one in mappings(model, "entities"):
                if one.get("type") == "foreign":
                    self.left.append((f"{name}.{one.get('name', '')}", KEY))
        for one in mappings(self.found, "saved_queries"):
            self.left.append((str(one.get("name", "")), "A saved query is SQL only for dbt itself."))
        told = sum(
            bool(part.get("description"))
            for node in mappings(self.found, "nodes")
            for part in (node, *mappings(node, "columns"))
            if node.get("resource_type") in ("model", "seed", "snapshot")
        )
        if told:
            self.left.append(
                (
                    f"{told} descriptions",
                    "Descriptions are read from the database, or edited where the catalog is read.",
                )
            )

    # ------------------------------------------------------------ metrics

    def figures(self) -> Iterator[Entry]:
        """Metrics that are figures."""
        for name, metric in self.metrics.items():
            try:
                sql = self.figure(name, 0).sql(self.engine)
            except _Unread as error:
                self.left.append((name, str(error)))
                continue
            called = [spoken(metric.get("label")), spoken(name)]
            phrases = list(dict.fromkeys(one for one in called if one))
            yield entry("measure", phrases[0], sql, [*phrases[1:], *_synonyms(metric)], metric)

    def figure(self, name: str, deep: int, more: tuple[Any, ...] = ()) -> exp.Expr:
        """Expression of a metric. Raises: _Unread."""
        metric = self.metrics.get(name)
        if metric is None:
            raise _Unread(f"There is no metric {name}.")
        if deep > DEEPEST:
            raise _Unread("It is made of itself, or of too many others.")
        kind, told = str(metric.get("type", "")).lower(), metric.get("type_params") or {}
        filters = (*more, metric.get("filter"))
        if kind == "simple":
            return self.simple(told, filters)
        if kind == "ratio":
            over, under = (self.part(told.get(side), deep, filters) for side in ("numerator", "denominator"))
            return _quotient(over, under)
        if kind == "derived":
            return self.derived(told, deep, filters)
        raise _Unread(f"A {kind or 'nameless'} metric is no figure of single rows.")

    def simple(self, told: Mapping[str, Any], filters: tuple[Any, ...]) -> exp.Expr:
        """An aggregate over the rows of one model. Raises: _Unread."""
        given = told.get("measure")
        given = {"name": given} if isinstance(given, str) else given
        params = told.get("metric_aggregation_params")
        if isinstance(params, Mapping):
            model = self.models.get(str(params.get("semantic_model")))
            measure: Mapping[str, Any] = {**params, "expr": params.get("expr") or told.get("expr")}
        elif isinstance(given, Mapping) and str(given.get("name")) in self.measures:
            measure, model = self.measures[str(given["name"])]
            filters = (*filters, given.get("filter"))
        else:
            raise _Unread("The measure that it is of is not in the file.")
        if model is None:
            raise _Unread("The model that it is of is not in the file.")
        if measure.get("non_additive_dimension"):
            raise _Unread("It may not be added up along one dimension, which no term says.")
        shape = _AGGREGATES.get(str(measure.get("agg", "")).lower())
        if shape is None:
            raise _Unread(f"The aggregate {measure.get('agg')} is not read.")
        return self.aggregate(shape, measure, model, filters)

    def aggregate(
        self, shape: str, measure: Mapping[str, Any], model: Mapping[str, Any], filters: tuple[Any, ...]
    ) -> exp.Expr:
        """The aggregate itself, with its filters inside. Raises: _Unread."""
        table = _table(model)
        tree = parsed(measure.get("expr") or measure.get("name"), self.engine)
        if tree is None:
            raise _Unread("Its expression cannot be read.")
        if isinstance(tree, (exp.Literal, exp.Star)):
            if shape not in (_AGGREGATES["sum"], _AGGREGATES["count"]) or tree.sql() not in ("1", "*"):
                raise _Unread("It aggregates a constant.")
            shape, tree = _AGGREGATES["count"], self.key(model)
        inner = of_table(tree, table)
        where = [one for told in filters for one in self.conditions(told)]
        condition = exp.and_(*where) if where else None
        if condition is not None and self.engine not in _FILTERS:
            inner = exp.Case(ifs=[exp.If(this=condition, true=inner)])
        made = parsed(shape.format(inner.sql(self.engine)), self.engine)
        if made is None:
            raise _Unread("Its expression cannot be read.")
        if condition is not None and self.engine in _FILTERS:
            made = exp.Filter(this=made, expression=exp.Where(this=condition))
        return made

    def key(self, model: Mapping[str, Any]) -> exp.Expr:
        """Primary key of a model's rows. Raises: _Unread."""
        for one in mappings(model, "entities"):
            if one.get("type") in ("primary", "unique"):
                tree = parsed(one.get("expr") or one.get("name"), self.engine)
                if isinstance(tree, exp.Column):
                    return tree
        raise _Unread("It counts rows of a model without a primary entity.")

    def part(self, told: Any, deep: int, filters: tuple[Any, ...]) -> exp.Expr:
        """A metric that another one is made of. Raises: _Unread."""
        told = {"name": told} if isinstance(told, str) else told
        if not isinstance(told, Mapping) or not told.get("name"):
            raise _Unread("A metric that it is made of is not named.")
        if told.get("offset_window") or told.get("offset_to_grain"):
            raise _Unread("It compares with an earlier time, which questions say themselves.")
        name = str(told["name"])
        if name not in self.metrics and name in self.measures:
            return self.simple({"measure": told}, filters)
        return self.figure(name, deep + 1, (*filters, told.get("filter")))

    def derived(self, told: Mapping[str, Any], deep: int, filters: tuple[Any, ...]) -> exp.Expr:
        """A formula of metrics. Raises: _Unread."""
        tree = parsed(told.get("expr"), self.engine)
        if tree is None:
            raise _Unread("Its formula cannot be read.")
        parts = {
            str(one.get("alias") or one.get("name", "")).lower(): self.part(one, deep, filters)
            for one in mappings(told, "metrics")
        }
        for column in list(tree.find_all(exp.Column)):
            if column.name.lower() not in parts:
                raise _Unread(f"Its formula names {column.name}, which is no metric of it.")
            tree = replaced(tree, column, parts[column.name.lower()])
        for division in list(tree.find_all(exp.Div)):
            division.replace(_quotient(division.this, division.expression))
        return _quotient(tree.this, tree.expression) if isinstance(tree, exp.Div) else tree

    # ------------------------------------------------------------ filters

    def conditions(self, told: Any) -> Iterator[exp.Expr]:
        """The conditions of a filter, with full names. Raises: _Unread."""
        if told is None or told == []:
            return
        many = told.get("where_filters") if isinstance(told, Mapping) else told
        for one in many if isinstance(many, list) else [many]:
            text = one.get("where_sql_template") if isinstance(one, Mapping) else one
            tree = parsed(_CALL.sub(self.column, str(text)), self.engine)
            if tree is None:
                raise _Unread("Its filter cannot be read.")
            yield tree if isinstance(tree, (exp.Predicate, exp.Column)) else exp.Paren(this=tree)

    def column(self, call: re.Match[str]) -> str:
        """The column that a template names. Raises: _Unread."""
        what, path, more = call.groups()
        names = path.split("__")
        if what == "Metric" or more or len(names) > 2 and what != "TimeDimension":
            raise _Unread(f"Its filter says {call[0]}, which is not read.")
        entity, name = (names[0], names[1]) if len(names) > 1 else ("", names[0])
        kind = "entities" if what == "Entity" else "dimensions"
        for model in self.models.values():
            keys = {
                str(one.get("name"))
                for one in mappings(model, "entities")
                if one.get("type") in ("primary", "unique", "natural")
            } | {str(model.get("primary_entity") or "")}
            for one in mappings(model, kind):
                if one.get("name") == name and (not entity or entity in keys):
                    tree = parsed(one.get("expr") or name, self.engine)
                    if tree is not None:
                        return of_table(tree, _table(model)).sql(self.engine)
        raise _Unread(f"Its filter names {path}, which is not in the file.")


def _quotient(over: exp.Expr, under: exp.Expr) -> exp.Expr:
    """One figure over another, never of whole numbers alone, and nothing where there is nothing to divide by."""
    return exp.Div(
        this=exp.cast(_bare(over), "double"),
        expression=exp.func("NULLIF", _bare(under), exp.Literal.number(0)),
    )


def _bare(tree: exp.Expr) -> exp.Expr:
    return tree.this.copy() if isinstance(tree, exp.Paren) else tree.copy()


def _table(model: Mapping[str, Any]) -> str:
    """The table that a semantic model is of."""
    node = model.get("node_relation")
    if isinstance(node, Mapping) and node.get("alias"):
        return str(node["alias"])
    said = re.search(r"ref\(\s*'(?:[^']*'\s*,\s*')?([^']+)'", str(model.get("model") or ""))
    return said[1] if said else str(model.get("name", ""))


def _synonyms(told: Mapping[str, Any]) -> list[str]:
    """Synonyms that people keep in `meta`, as there is no field for them."""
    config = told.get("config")
    places = (told.get("meta"), config.get("meta") if isinstance(config, Mapping) else None)
    return [word for place in places for word in texts(place)]
