"""A SQLite file, read only. Statements run in children (`sqlite_engine`); this is what the caller holds."""

from __future__ import annotations

from sqlagent.adapters.base import quoted, texts_sql
from sqlagent.adapters.children.database import FileDatabase


class SqliteDatabase(FileDatabase):
    """One SQLite file. `database` is its path."""

    dialect = "sqlite"

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        name = quoted(column)
        return texts_sql([quoted(table)], name, limit, sample, text=name, only=f"typeof({name}) = 'text'")
