"""The labs of all engines whose tests share one suite, by the name of the engine."""

from __future__ import annotations

from typing import Any

from sqlagent.adapters import open_database
from sqlagent.ports import SourceDatabase
from tests.engines.file_labs import DuckdbLab, SqliteLab
from tests.engines.lab import Lab
from tests.engines.mysql_lab import MysqlLab
from tests.engines.postgres_lab import PostgresLab


class AlchemyPostgresLab(PostgresLab):
    """PostgreSQL as the long tail sees it: through SQLAlchemy's dialect."""

    types = "sqlalchemy-postgres"
    tells_rows = tells_position = False

    def connect(self, **changes: Any) -> SourceDatabase:
        changes["options"] = {"dialect": "postgresql+psycopg", **changes.get("options", {})}
        return open_database("sqlalchemy", **{**self.where(), **changes})

    def in_flight(self, mark: str) -> int:
        """A statement behind a cursor shows as what is fetched from it."""
        return super().in_flight(mark) or super().in_flight("FETCH FORWARD")


class AlchemyMysqlLab(MysqlLab):
    """MariaDB as the long tail sees it."""

    tells_rows = tells_position = False

    def connect(self, **changes: Any) -> SourceDatabase:
        changes["options"] = {"dialect": "mariadb+pymysql", **changes.get("options", {})}
        return open_database("sqlalchemy", **{**self.where(), **changes})


LABS: dict[str, type[Lab]] = {lab.engine: lab for lab in (SqliteLab, PostgresLab, MysqlLab, DuckdbLab)}

# The one suite runs on these too, and on Spark (`spark_lab`) in a file of its own: one server for all its tests.
SUITE: dict[str, type[Lab]] = {
    **LABS,
    "sqlalchemy-mysql": AlchemyMysqlLab,
    "sqlalchemy-postgres": AlchemyPostgresLab,
}
