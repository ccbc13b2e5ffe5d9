"""Apache Ossie (before: Open Semantic Interchange) read into entries of a knowledge file.

Metrics become figures; synonyms of datasets and of fields that are a column become names; instructions become a rule. Words that two of
them share come as drafts, as each question that says them would have two readings. Everything else is told as left out.
"""

from __future__ import annotations

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
    parsed,
    shared_as_drafts,
    texts,
)
from mirror.knowledge.term_services import RULE_CHARS


def ossie_entries(models: Any, engine: str) -> Foreign:
    """Give the terms of the semantic models of a file, and the parts that are no terms, with the reason."""
    entries: list[Entry] = []
    left: list[LeftOut] = []
    for model in models if isinstance(models, list) else []:
        if isinstance(model, Mapping):
            reader = _Model(model, engine)
            entries += reader.entries()
            left += reader.left
    shared_as_drafts(entries)
    return Foreign(entries, (), left)


class _Model:
    """One semantic model."""

    def __init__(self, model: Mapping[str, Any], engine: str) -> None:
        self.model, self.engine = model, engine
        self.left: list[LeftOut] = []
        self.tables: dict[str, str] = {}
        self.columns: dict[tuple[str, str], exp.Expr] = {}
        for dataset in mappings(model, "datasets"):
            name = str(dataset.get("name", ""))
            self.tables[name.lower()] = str(dataset.get("source") or name).rpartition(".")[2]
            for field in mappings(dataset, "fields"):
                if (tree := self.parsed(field)) is not None:
                    self.columns[name.lower(), str(field.get("name", "")).lower()] = tree

    def entries(self) -> list[Entry]:
        """Its terms."""
        found = [*self.names(), *self.figures()]
        context = self.model.get("ai_context")
        rule = (
            context
            if isinstance(context, str)
            else context.get("instructions")
            if isinstance(context, Mapping)
            else None
        )
        if rule := " ".join(str(rule or "").split()):
            phrase = f"about {str(self.model.get('name', 'this source')).replace('_', ' ')}"[:80]
            found.append({"phrase": phrase, "kind": "rule", "sql": rule[:RULE_CHARS]})
        for one in mappings(self.model, "relationships"):
            self.left.append((str(one.get("name", "")), KEY))
        return found

    def names(self) -> Iterator[Entry]:
        """Synonyms of datasets and fields."""
        for dataset in mappings(self.model, "datasets"):
            name = str(dataset.get("name", ""))
            table = self.tables[name.lower()]
            if synonyms := _synonyms(dataset):
                yield entry("name", synonyms[0], table, synonyms[1:], dataset)
            for field in mappings(dataset, "fields"):
                own, synonyms = str(field.get("name", "")), _synonyms(field)
                tree = self.columns.get((name.lower(), own.lower()))
                if isinstance(tree, exp.Column) and synonyms:
                    yield entry("name", synonyms[0], f"{table}.{tree.name}", synonyms[1:], field)
                elif tree is None or not isinstance(tree, exp.Column):
                    self.left.append((f"{name}.{own}", COMPUTED))

    def figures(self) -> Iterator[Entry]:
        """Metrics, with fields written as the columns they are."""
        for metric in mappings(self.model, "metrics"):
            name = str(metric.get("name", ""))
            tree = self.parsed(metric)
            if tree is None:
                self.left.append((name, "No expression of it can be read."))
                continue
            holder = exp.Paren(this=tree)
            for column in list(holder.find_all(exp.Column)):
                known = self.columns.get((column.table.lower(), column.name.lower()))
                table = self.tables.get(column.table.lower(), column.table)
                written = known.copy() if known is not None else exp.column(column.name)
                for part in (
                    [written] if isinstance(written, exp.Column) else list(written.find_all(exp.Column))
                ):
                    part.set("table", exp.to_identifier(table) if table else None)
                column.replace(written if isinstance(written, exp.Column) else exp.Paren(this=written))
            sql = holder.this.sql(self.engine)
            yield entry("measure", name.replace("_", " "), sql, _synonyms(metric), metric)

    def parsed(self, one: Mapping[str, Any]) -> exp.Expr | None:
        """The expression in the source's dialect, else in that of the standard."""
        told = one.get("expression")
        dialects = told.get("dialects") if isinstance(told, Mapping) else None
        by_name = {
            str(d.get("dialect", "")).lower(): str(d.get("expression", ""))
            for d in (dialects if isinstance(dialects, list) else [])
            if isinstance(d, Mapping)
        }
        for name, dialect in ((self.engine, self.engine), ("ansi_sql", "")):
            if name in by_name:
                return parsed(by_name[name], dialect)
        return None


def _synonyms(told: Mapping[str, Any]) -> list[str]:
    return texts(told.get("ai_context"))
