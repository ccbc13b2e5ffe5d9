"""Damage to the spelling of SQL by chats, word processors and habits of other databases, undone."""

from __future__ import annotations

import re

from sqlglot import exp

from sqlagent.makers.repair.edits import Edit, apply, parse
from sqlagent.values import Catalog

_FENCE = re.compile(r"\A\s*```(?:\w+)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_CURLY = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\u200b": "", "\ufeff": ""}
)
_ARROW = re.compile(r"(?<=[(,])(\s*)(\w+|\((?:\s*\w+\s*,)*\s*\w+\s*\))\s*->(?!>)")


def respell(sql: str, catalog: Catalog) -> tuple[str, list[str]]:
    """Undo fences, typographic quotes, foreign quotes around names, and DuckDB's old arrows."""
    notes = []
    dialect = catalog.dialect
    fenced = _FENCE.match(sql)
    if fenced:
        sql = fenced[1]
        notes.append("Took the SQL out of its code fence")
    if any(ord(c) in _CURLY for c in _QUOTED.sub("", sql)):
        sql = sql.translate(_CURLY)
        notes.append("Replaced typographic quotes and spaces")
    if dialect in ("postgres", "duckdb") and "`" in _QUOTED.sub("", sql):
        requoted = re.sub(r"`([^`]*)`", r'"\1"', sql)
        if parse(requoted, dialect) is not None:
            sql = requoted
            notes.append("Wrote names in double quotes instead of backticks")
    if dialect == "mysql":
        sql = _for_mysql(sql, catalog, notes)
    if dialect == "duckdb":
        arrows = _ARROW.sub(_lambda, sql)
        if arrows != sql and parse(arrows, dialect) is not None and not re.search(r"->\s*'", sql):
            sql = arrows
            notes.append("Wrote lambda x : ... instead of x -> ...")
    return sql, notes


def _lambda(found: re.Match[str]) -> str:
    return f"{found[1]}lambda {found[2].strip('()').strip()} :"


def _for_mysql(sql: str, catalog: Catalog, notes: list[str]) -> str:
    """Put names of the catalog into backticks where they stand in double quotes, and tables in their case."""
    known = {t.name: t.name for t in catalog.tables} | {
        c.name: c.name for t in catalog.tables for c in t.columns
    }
    if re.search(r'\b(?:from|join)\s+"', sql, re.IGNORECASE):
        requoted = re.sub(r'"([^"]*)"', lambda m: f"`{m[1]}`" if m[1] in known else m[0], sql)
        if requoted != sql and parse(requoted, "mysql") is not None:
            sql = requoted
            notes.append("Wrote names in backticks instead of double quotes")
    root = parse(sql, "mysql")
    edits = []
    exact = {t.name for t in catalog.tables}
    by_case = {t.name.lower(): t.name for t in catalog.tables}
    for table in root.find_all(exp.Table) if root is not None else ():
        if not isinstance(table.this, exp.Identifier):
            continue
        real, start = by_case.get(table.name.lower()), table.this.meta.get("start")
        if real and table.name not in exact and isinstance(start, int) and sql.startswith(table.name, start):
            edits.append(Edit(start, start + len(table.name), real, f"Wrote {real} in its own case"))
    notes += [edit.note for edit in edits]
    return apply(sql, edits)
