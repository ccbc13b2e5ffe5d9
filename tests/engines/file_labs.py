"""Labs of engines whose database is a file: SQLite and DuckDB."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

from sqlagent.adapters import open_database
from sqlagent.ports import SourceDatabase
from tests.engines.lab import SCHEMAS, Lab


class SqliteLab(Lab):
    engine = home = "sqlite"
    home = "main"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    has_comments = has_schemas = has_server = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / "lab ü.sqlite3"
        with closing(sqlite3.connect(self.path)) as db:
            db.executescript((SCHEMAS / "sqlite.sql").read_text())

    def connect(self, **changes: Any) -> SourceDatabase:
        return open_database("sqlite", **{"database": str(self.path), **changes})

    def look(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            return db.execute(sql).fetchall()

    def attempt(self, sql: str, seconds: float) -> bool:
        until = time.monotonic() + seconds
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            db.set_progress_handler(lambda: time.monotonic() > until, 1_000)
            try:
                db.execute(sql).fetchmany(50)
            except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError):
                return False
        return True

    def state(self) -> Any:
        with closing(sqlite3.connect(self.path)) as db:
            settings = [
                db.execute(f"PRAGMA {name}").fetchone()
                for name in ("user_version", "application_id", "journal_mode", "schema_version")
            ]
            return list(db.iterdump()), settings, self.files(), sorted(p.name for p in self.folder.iterdir())


class DuckdbLab(Lab):
    engine = "duckdb"
    rows_of = "SELECT i FROM (SELECT range + 1 AS i FROM range({count})) AS n"
    home = "main"
    endless = "SELECT COUNT(*) FROM range(100000) AS a, range(100000) AS b, range(100000) AS c WHERE a.range + b.range = c.range * 7"
    has_server = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / "lab ü.duckdb"
        with closing(duckdb.connect(str(self.path))) as db:
            db.execute((SCHEMAS / "duckdb.sql").read_text())

    def connect(self, **changes: Any) -> SourceDatabase:
        return open_database("duckdb", **{"database": str(self.path), **changes})

    def look(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(duckdb.connect(str(self.path))) as db:
            return db.execute(sql).fetchall()

    def attempt(self, sql: str, seconds: float) -> bool:
        with closing(duckdb.connect(str(self.path), config={"autoinstall_known_extensions": "false"})) as db:
            late = threading.Timer(seconds, db.interrupt)
            late.start()
            try:
                db.execute(sql).fetchmany(50)
            except (duckdb.Error, UnicodeError, ValueError, OverflowError):
                return False
            finally:
                late.cancel()
        return True

    def state(self) -> Any:
        with closing(duckdb.connect(str(self.path))) as db:
            return self._state(db), self.files(), sorted(p.name for p in self.folder.iterdir())

    def _state(self, db: duckdb.DuckDBPyConnection) -> Any:
        listed = "SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2"
        tables = db.execute(listed).fetchall()
        contents = [db.execute(f'SELECT * FROM "{s}".{self.quoted(name)}').fetchall() for s, name in tables]
        rest = [
            db.execute(sql).fetchall()
            for sql in (
                "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal ORDER BY 1",
                "SELECT function_name FROM duckdb_functions() WHERE NOT internal ORDER BY 1",
                "SELECT type_name FROM duckdb_types() WHERE NOT internal ORDER BY 1",
                "SELECT sequence_name, last_value FROM duckdb_sequences() ORDER BY 1",
                "SELECT name, persistent FROM duckdb_secrets() ORDER BY 1",
            )
        ]
        return tables, contents, rest
