"""Spark's lab: a server whose metastore has the suite's tables, as far as Spark can hold them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyhive.exc import Error as HiveError

from sqlagent.adapters import base, open_database
from sqlagent.catalog import statistics
from sqlagent.ports import SourceDatabase
from tests import servers
from tests.engines.lab import SCHEMAS, Lab


@pytest.fixture(autouse=True)
def time_to_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a minute to count the values of a column or to look at a table: on a busy machine each statement takes Spark seconds."""
    monkeypatch.setattr(base, "VALUES_SECONDS", 30.0)
    monkeypatch.setattr(statistics, "STATEMENT_SECONDS", 30.0)


class SparkLab(Lab):
    """Spark SQL: namespaces of a metastore, no keys, names of letters and digits."""

    engine = "spark"
    endless = "SELECT COUNT(*) FROM range(100000000000000) AS endless"
    rows_of = "SELECT i FROM (SELECT id + 1 AS i FROM range({count})) AS n"
    has_keys = tells_nulls = False
    no_user = "Spark by itself has no users: what a session may do, anybody may"
    odd = "odd_table"
    more_rows = (
        "INSERT INTO line_notes VALUES (99, 1, 2, 'red')",
        "INSERT OVERWRITE line_notes VALUES (1, 1, 2, 'blue')",
    )
    more_columns = ("CREATE TABLE newcomer (nickname string) USING parquet", "DROP TABLE newcomer")
    many = 500_000

    def __init__(self, folder: Path, server: servers.SparkServer | None = None) -> None:
        self.server = server or servers.spark_server()
        super().__init__(self.server.folder / folder.name)
        self.watch.parent.chmod(0o755)
        self.watch.chmod(0o777)
        self.home = self.database = folder.name.lower().replace("-", "_")
        self.archive = f"{self.database}_archive"
        self.look(f"CREATE DATABASE {self.database}", "default")
        self.look(f"CREATE DATABASE {self.archive}", "default")
        script = (SCHEMAS / "spark.sql").read_text().replace("archive.", f"{self.archive}.")
        self.look(script)
        self.server.running()  # its list of statements takes a second the first time

    def connect(self, **changes: Any) -> SourceDatabase:
        how = {
            "host": self.server.host,
            "port": self.server.port,
            "database": self.database,
            "user": "writer",
        }
        changes["options"] = {"namespaces": self.archive, **changes.get("options", {})}
        return open_database("spark", **{**how, **changes})

    def look(self, sql: str, database: str = "") -> list[tuple[Any, ...]]:
        with closing(self.server.connect(database or self.database)) as db:
            rows: list[tuple[Any, ...]] = []
            for statement in sql.split(";\n"):
                rows = self._ask(db, statement)
            return rows

    def _ask(self, db: Any, sql: str) -> list[tuple[Any, ...]]:
        with closing(db.cursor()) as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

    def attempt(self, sql: str, seconds: float) -> bool:
        with closing(self.server.connect(self.database)) as db:
            try:
                self._ask(db, f"SET spark.sql.thriftServer.queryTimeout = {int(seconds) + 1}")
                self._ask(db, sql)
            except HiveError:
                return False
        return True

    def state(self) -> Any:
        with closing(self.server.connect(self.database)) as db:
            tables = [
                (space, row[1])
                for space in (self.database, self.archive)
                for row in self._ask(db, f"SHOW TABLES IN {space}")
            ]
            contents = [sorted(map(repr, self._ask(db, f"SELECT * FROM {a}.{b}"))) for a, b in tables]
            spaces = [row for row in self._ask(db, "SHOW NAMESPACES") if row[0].startswith(self.database)]
            functions = self._ask(db, "SHOW USER FUNCTIONS")
            settings = self._ask(db, "SET -v") and sorted(map(repr, self._ask(db, "SET")))
            jars = self._ask(db, "LIST JARS")
            return tables, contents, spaces, functions, settings, jars, self.files()

    def in_flight(self, mark: str) -> int:
        return sum(mark in statement for statement in self.server.running())

    def quoted(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"
