"""Lessons: questions people ask of businesses, on schemas of our own, with the SQL they mean.

Spider's training questions seldom ask for revenue by month or the best-selling products; these
do. Decides only how the file `lessons.jsonl` is read.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files

import sqlglot
from sqlglot import exp

from sqlagent.adapters.column_kinds import kind_of
from sqlagent.values import Catalog, Column, ForeignKey, Table


def taught_lines() -> list[tuple[str, Catalog, str, str]]:
    """Read the lessons as (schema name, catalog, question, SQL)."""
    text = files("sqlagent.evaluation").joinpath("lessons.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    schemas = {line["schema"]: line["tables"] for line in lines if "tables" in line}
    return [
        (line["schema"], catalog_of(schemas[line["schema"]]), line["question"], line["sql"])
        for line in lines
        if "question" in line
    ]


@lru_cache(maxsize=64)
def catalog_of(script: str, dialect: str = "sqlite") -> Catalog:
    """Read CREATE TABLE statements as a catalog, with no database."""
    tables = []
    for tree in sqlglot.parse(script, read=dialect):
        if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
            tables.append(_table(tree.this))
    return Catalog(dialect, tuple(tables), version=str(len(script)))


def _table(schema: exp.Schema) -> Table:
    columns: list[Column] = []
    primary: list[str] = []
    foreign: list[ForeignKey] = []
    for part in schema.expressions:
        if isinstance(part, exp.ColumnDef):
            sql_type = part.kind.sql() if part.kind is not None else ""
            columns.append(Column(part.name, sql_type, kind_of(sql_type)))
            for constraint in part.constraints:
                if isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint):
                    primary.append(part.name)
                elif isinstance(constraint.kind, exp.Reference):
                    foreign.append(_foreign((part.name,), constraint.kind))
        elif isinstance(part, exp.PrimaryKey):
            primary.extend(e.name for e in part.expressions)
        elif isinstance(part, exp.ForeignKey):
            foreign.append(_foreign(tuple(e.name for e in part.expressions), part.args["reference"]))
    return Table(schema.this.name, tuple(columns), primary_key=tuple(primary), foreign_keys=tuple(foreign))


def _foreign(columns: tuple[str, ...], reference: exp.Reference) -> ForeignKey:
    target = reference.this
    referenced = tuple(e.name for e in target.expressions) if isinstance(target, exp.Schema) else ()
    name = target.this.name if isinstance(target, exp.Schema) else target.name
    return ForeignKey(columns, name, referenced)
