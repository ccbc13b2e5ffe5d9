"""A database in a file whose statements run in this process, for one that may be killed itself.

A process that is bounded already opens files by this: a child of its own would be beyond its bounds, and take 80 ms
(SQLite) or 280 ms (DuckDB) to have, for a server of forks would be started for it alone.
"""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from sqlagent.adapters.base import CATALOG_SECONDS, Adapter, Rowing, file_powers
from sqlagent.adapters.children.database import FileDatabase
from sqlagent.adapters.children.engine import FileEngine
from sqlagent.adapters.children.engines import engine_named
from sqlagent.adapters.flights import Flight
from sqlagent.values import Catalog, Check, Limits


class HereDatabase(Adapter):
    """The same file as `asked`, opened here."""

    def __init__(self, asked: FileDatabase) -> None:
        super().__init__()
        self.dialect = asked.dialect
        self._asked = asked

    def catalog(self) -> Catalog:
        """Read tables, columns, keys and comments. Raises: DatabaseError."""
        with self.flight(CATALOG_SECONDS) as flight:
            return self._engine(Limits()).catalog(flight)

    def check(self) -> Check:
        """Open the file, read its schema, and tell whether this process could write to it. Raises: Unreachable."""
        with self.flight(CATALOG_SECONDS) as flight:
            return replace(self._engine(Limits()).check(flight), powers=file_powers(self._asked.path))

    def _session(self, flight: Flight, sql: str, limits: Limits) -> AbstractContextManager[Rowing]:
        return self._engine(limits).session(flight, sql, limits)

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        return self._asked._values_sql(table, column, limit, schema, sample)

    def _engine(self, limits: Limits) -> FileEngine:
        spill = Path(tempfile.gettempdir()) / "spill"
        memory = limits.memory or self._asked.memory
        return engine_named(self.dialect)(self._asked.path, memory, spill, self.store_mark)
