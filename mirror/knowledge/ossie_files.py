"""Apache Ossie (before: Open Semantic Interchange) read into entries of a knowledge file.

Metrics become figures; synonyms of datasets and of fields that are a column become names; instructions become a rule. Words that two of
them share come as drafts, as each question that says them would have two readings. Everything else is told as left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from mirror.knowledge.models import StoredTerm
from mirror.knowledge.term_services import RULE_CHARS, SYNONYMS

Entry = dict[str, Any]
LeftOut = tuple[str, str]


def ossie_entries(models: Any, engine: str) -> tuple[list[Entry], list[LeftOut]]:
    """Give the terms of the semantic models of a file, and what of them is no term, with the reason."""
    entries: list[Entry] = []
    left: list[LeftOut] = []
    for model in models if isinstance(models, list) else []:
        if isinstance(model, Mapping):
            reader = _Model(model, engine)
            entries += reader.entries()
            left += reader.left
    said = Counter(words.casefold() for one in entries for words in _words(one))
    for one in entries:
        if any(said[words.casefold()] > 1 for words in _words(one)):
            one["status"] = str(StoredTerm.Status.DRAFT)
    return entries, left


def _words(entry: Entry) -> list[str]:
    return [entry["phrase"], *entry.get("synonyms", ())] if entry["kind"] != StoredTerm.Kind.RULE else []


class _Model:
    """One semantic model."""

    def __init__(self, model: Mapping[str, Any], engine: str) -> None:
        self.model, self.engine = model, engine
        self.left: list[LeftOut] = []
        self.tables: dict[str, str] = {}
        self.columns: dict[tuple[str, str], exp.Expr] = {}
        for dataset in _list(model, "datasets"):
            name = str(dataset.get("name", ""))
            self.tables[name.lower()] = str(dataset.get("source") or name).rpartition(".")[2]
            for field in _list(dataset, "fields"):
                if (tree := self.parsed(field)) is not None:
                    self.columns[name.lower(), str(field.get("name", "")).lower()] = tree

    def entries(self) -> list[Entry]:
        """Its terms."""
        found = [*self.names(), *self.figures()]
        context = self.model.get("ai_context")
        rule = context if isinstance(context, str) else _texts(context, "instructions")
        if rule := " ".join(str(rule or "").split()):
            phrase = f"about {str(self.model.get('name', 'this source')).replace('_', ' ')}"[:80]
            found.append({"phrase": phrase, "kind": "rule", "sql": rule[:RULE_CHARS]})
        for one in _list(self.model, "relationships"):
            self.left.append((str(one.get("name", "")), "A key is told on the page of the source's model."))
        return found

    def names(self) -> Iterator[Entry]:
        """Synonyms of datasets and fields."""
        for dataset in _list(self.model, "datasets"):
            name = str(dataset.get("name", ""))
            table = self.tables[name.lower()]
            if synonyms := _synonyms(dataset):
                yield _entry("name", synonyms[0], table, synonyms[1:], dataset)
            for field in _list(dataset, "fields"):
                own, synonyms = str(field.get("name", "")), _synonyms(field)
                tree = self.columns.get((name.lower(), own.lower()))
                if isinstance(tree, exp.Column) and synonyms:
                    yield _entry("name", synonyms[0], f"{table}.{tree.name}", synonyms[1:], field)
                elif tree is None or not isinstance(tree, exp.Column):
                    self.left.append((f"{name}.{own}", "A field computed of columns is no term."))

    def figures(self) -> Iterator[Entry]:
        """Metrics, with fields written as the columns they are."""
        for metric in _list(self.model, "metrics"):
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
            yield _entry("measure", name.replace("_", " "), sql, _synonyms(metric), metric)

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
                try:
                    found: exp.Expr = sqlglot.parse_one(by_name[name], dialect=dialect or None)
                    return found
                except (SqlglotError, RecursionError, ValueError):
                    return None
        return None


def _entry(kind: str, phrase: str, sql: str, synonyms: list[str], told: Mapping[str, Any]) -> Entry:
    entry: Entry = {"phrase": phrase, "kind": kind, "sql": sql}
    if synonyms:
        entry["synonyms"] = synonyms[:SYNONYMS]
    if text := " ".join(str(told.get("description") or "").split()):
        entry["description"] = text[:300]
    return entry


def _list(told: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = told.get(name)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _texts(told: Any, name: str) -> Any:
    return told.get(name) if isinstance(told, Mapping) else None


def _synonyms(told: Mapping[str, Any]) -> list[str]:
    found = _texts(told.get("ai_context"), "synonyms")
    return [one for one in found if isinstance(one, str) and one.strip()] if isinstance(found, list) else []
