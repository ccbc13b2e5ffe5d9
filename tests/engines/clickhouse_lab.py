"""ClickHouse's lab: its engine behind an HTTP door, with the suite's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clickhouse_connect.driver.exceptions import ClickHouseError

from sqlagent.adapters import open_database
from sqlagent.ports import SourceDatabase
from tests import servers
from tests.engines.lab import SCHEMAS, Lab


class ClickhouseLab(Lab):
    """ClickHouse: databases, no keys, columns that hold no NULL unless their type says so."""

    engine = "clickhouse"
    endless = "SELECT COUNT(*) FROM numbers(100000000000000) WHERE sipHash64(number) = 1"
    rows_of = "SELECT i FROM (SELECT toInt32(number + 1) AS i FROM numbers({count})) AS n"
    has_keys = False
    no_user = "the library that the tests run has no users of its own"
    more_rows = (
        "INSERT INTO customers (id, name) VALUES (99, 'Zed')",
        "DELETE FROM customers WHERE id = 99",
    )
    more_columns = ("ALTER TABLE {odd} ADD COLUMN nickname String", "ALTER TABLE {odd} DROP COLUMN nickname")
    tells_position = False

    def __init__(self, folder: Path, server: servers.ClickhouseServer | None = None) -> None:
        self.server = server or servers.clickhouse_server()
        super().__init__(self.server.folder / folder.name)
        self.watch.parent.chmod(0o755)
        self.watch.chmod(0o777)
        self.home = self.database = folder.name.lower().replace("-", "_")
        self.archive = f"{self.database}_archive"
        for name in (self.database, self.archive):
            self.look(f"CREATE DATABASE {name}", "default")
        self.look((SCHEMAS / "clickhouse.sql").read_text().replace("archive.", f"{self.archive}."))

    def connect(self, **changes: Any) -> SourceDatabase:
        how = {
            "host": self.server.host,
            "port": self.server.port,
            "database": self.database,
            "user": self.server.user,
            "password": servers.PASSWORD,
        }
        changes["options"] = {"namespaces": self.archive, **changes.get("options", {})}
        return open_database("clickhouse", **{**how, **changes})

    def look(self, sql: str, database: str = "") -> list[tuple[Any, ...]]:
        return self.server.look(sql, database or self.database)

    def attempt(self, sql: str, seconds: float) -> bool:
        try:
            self.server.look(sql, self.database, max_execution_time=seconds, allow_introspection_functions=1)
        except (ClickHouseError, OSError, ValueError):
            return False
        return True

    def state(self) -> Any:
        own = "database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')"
        tables = self.look(
            f"SELECT database, name, create_table_query FROM system.tables WHERE {own} ORDER BY 1, 2"
        )
        contents = [
            sorted(map(repr, self.look(f"SELECT * FROM {self.quoted(space)}.{self.quoted(name)}")))
            for space, name, made in tables
            if "ENGINE = Memory" not in made
        ]
        rest = [
            self.look(sql)
            for sql in (
                "SELECT name FROM system.databases ORDER BY 1",
                "SELECT name FROM system.functions WHERE origin <> 'System' ORDER BY 1",
                "SELECT name, value FROM system.settings WHERE changed AND name NOT LIKE 'log_%' ORDER BY 1",
                "SELECT name FROM system.dictionaries ORDER BY 1",
                "SELECT name FROM system.named_collections ORDER BY 1",
            )
        ]
        return tables, contents, rest, self.files()

    def in_flight(self, mark: str) -> int:
        found = self.look("SELECT query FROM system.processes WHERE query NOT LIKE '%system.processes%'")
        return sum(mark in str(row[0]) for row in found)

    def quoted(self, name: str) -> str:
        return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"
