"""A SQLite file, read only. Statements run in children (`sqlite_engine`); this is what the caller holds."""

from __future__ import annotations

from sqlagent.adapters.base import VALUE_CHARS, quoted
from sqlagent.adapters.children.database import FileDatabase


class SqliteDatabase(FileDatabase):
    """One SQLite file. `database` is its path."""

    dialect = "sqlite"

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        name = quoted(column)
        source = quoted(table)
        if sample is not None:
            source = f"(SELECT {name} FROM {source} LIMIT {sample})"  # noqa: S608 - quoted names
        return (
            f"SELECT {name} FROM {source} "  # noqa: S608 - quoted names
            f"WHERE typeof({name}) = 'text' AND length({name}) BETWEEN 1 AND {VALUE_CHARS} "
            f"GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT {int(limit)}"
        )
