"""What an administrator decided about the guard for one source."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = {
    "explain": "EXPLAIN of a read-only statement",
    "explain_analyze": "EXPLAIN ANALYZE, which runs the statement to measure it",
    "describe": "DESCRIBE and SUMMARIZE of a table or a read-only statement",
    "show": "SHOW of tables, columns and harmless settings",
    "pragma": "PRAGMAs that only describe a table (SQLite)",
    "system_tables": "system tables that describe the schema, such as information_schema.columns",
    "version": "version() and the like, which tell what software is running",
}
"""Statements on which reasonable people differ, and what each word stands for."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Choices of an administrator; the defaults are the suggested ones.

    `functions` are further functions that may be called, in any case, `schema.name` for one that
    is called with its schema. `refused` are words of `KINDS` that are refused although they only
    read. `search_path` are schemas whose tables may be named without their schema.
    """

    functions: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    search_path: tuple[str, ...] = ()
