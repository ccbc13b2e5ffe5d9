"""A DuckDB file, read only. Statements run in children (`duckdb_engine`); this is what the caller holds."""

from __future__ import annotations

from sqlagent.adapters.base import VALUE_CHARS, quoted
from sqlagent.adapters.children.database import FileDatabase


class DuckdbDatabase(FileDatabase):
    """One DuckDB file. `database` is its path."""

    dialect = "duckdb"

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        name = quoted(column)
        source = f"{quoted(schema)}.{quoted(table)}" if schema else quoted(table)
        if sample is not None:
            source = f"(SELECT {name} FROM {source} LIMIT {sample})"  # noqa: S608 - quoted names
        return (
            f"SELECT CAST({name} AS VARCHAR) AS v FROM {source} "  # noqa: S608 - quoted names
            f"WHERE length(CAST({name} AS VARCHAR)) BETWEEN 1 AND {VALUE_CHARS} "
            f"GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT {int(limit)}"
        )
