"""A DuckDB file, read only. Statements run in children (`duckdb_engine`); this is what the caller holds."""

from __future__ import annotations

from sqlagent.adapters.base import quoted, texts_sql
from sqlagent.adapters.children.database import FileDatabase


class DuckdbDatabase(FileDatabase):
    """One DuckDB file. `database` is its path."""

    dialect = "duckdb"

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        name = quoted(column)
        path = [quoted(part) for part in (schema, table) if part]
        return texts_sql(path, name, limit, sample, text=f"CAST({name} AS VARCHAR)")
