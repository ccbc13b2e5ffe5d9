"""The engines of files, by name."""

from __future__ import annotations

from sqlagent.adapters.children.engine import FileEngine


def engine_named(name: str) -> type[FileEngine]:
    """Give the engine of a file; loads its driver. Raises: ImportError."""
    if name == "duckdb":
        from sqlagent.adapters.duckdb_engine import DuckdbEngine

        return DuckdbEngine
    from sqlagent.adapters.sqlite_engine import SqliteEngine

    return SqliteEngine
