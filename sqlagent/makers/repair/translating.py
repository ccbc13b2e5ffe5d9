"""Expressions of another dialect, said as this dialect says them."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel

from sqlagent.makers.repair.edits import Mended, parse
from sqlagent.makers.repair.for_sqlite import for_sqlite
from sqlagent.sql.literals import ODD

_FOREIGN = ("sqlite", "mysql", "postgres", "duckdb", "tsql", "snowflake", "bigquery", "oracle")
_FUNCTION = re.compile(
    r"function:?\s+(?:with name\s+)?[\"'`]?(?:\w+\.)?(\w+)|(\w+)\(.*?\) does not exist", re.IGNORECASE
)
_SYNTAX = re.compile(
    r"syntax|cannot be read|parser error|unrecognized token|not on the list|no such column: interval",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"must appear in the GROUP BY|isn't in GROUP BY|not in GROUP BY", re.IGNORECASE)


def translated(sql: str, dialect: str, said: str) -> Mended | None:
    """Say in this dialect what another one would have understood."""
    if _GROUPED.search(said):
        return _grouped(sql, dialect)
    function = _FUNCTION.search(said)
    name = (function[1] or function[2] or "").lower() if function else ""
    if not name and not _SYNTAX.search(said):
        return None
    for source in (dialect, *(d for d in _FOREIGN if d != dialect)):
        if source != dialect and '"' in sql and '"' in Dialect.get_or_raise(source).tokenizer_class.QUOTES:
            continue  # it would read names as texts
        tree = parse(sql, source)
        if tree is None:
            continue
        try:
            if dialect == "sqlite":
                tree = tree.transform(for_sqlite)
            out = tree.sql(dialect=dialect, unsupported_level=ErrorLevel.RAISE)
        except ODD:
            continue
        if (
            parse(out, dialect) is None
            or _same(out, sql)
            or (name and re.search(rf"\b{name}\s*\(", out, re.I))
        ):
            continue
        about = f"{name}()" if name else "its syntax"
        return Mended(out, (f"Wrote {about} as {_TITLES.get(dialect, dialect)} says it",))
    return None


_TITLES = {"sqlite": "SQLite", "postgres": "PostgreSQL", "mysql": "MySQL", "duckdb": "DuckDB"}


def _same(first: str, second: str) -> bool:
    return re.sub(r"\s+", "", first).lower() == re.sub(r"[\s;]+", "", second).lower()


def _grouped(sql: str, dialect: str) -> Mended | None:
    """Group by every plain column that is selected beside aggregates, as SQLite and MySQL imply."""
    tree = parse(sql, dialect)
    if tree is None:
        return None
    added: list[str] = []
    for select in tree.find_all(exp.Select):
        group = select.args.get("group")
        if group is None or any(group.args.get(k) for k in ("grouping_sets", "rollup", "cube", "all")):
            continue
        kept = {e.sql(dialect=dialect).lower() for e in group.expressions}
        order = select.args.get("order")
        for part in (*select.expressions, *(order.expressions if order is not None else ())):
            for column in part.find_all(exp.Column):
                text = column.sql(dialect=dialect)
                inside = column.find_ancestor(exp.AggFunc, exp.Select)
                if inside is not select or text.lower() in kept or isinstance(column.this, exp.Star):
                    continue
                if any(
                    alias.alias == column.name for alias in select.expressions if isinstance(alias, exp.Alias)
                ):
                    continue
                kept.add(text.lower())
                group.append("expressions", column.copy())
                added.append(text)
    if not added:
        return None
    return Mended(tree.sql(dialect=dialect), (f"Grouped by {', '.join(added)} as well",))
