"""Databricks' lab: that of Spark, asked through Databricks' own driver and dialect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlagent.adapters import open_database
from sqlagent.ports import SourceDatabase
from tests import servers
from tests.engines.spark_lab import SparkLab


class DatabricksLab(SparkLab):
    """Spark behind a door that speaks as a Databricks warehouse; its catalog is named, as there."""

    engine = "databricks"
    tells_rows = False

    def __init__(self, folder: Path) -> None:
        self.door = servers.databricks_door()
        super().__init__(folder, self.door.behind)

    def connect(self, **changes: Any) -> SourceDatabase:
        how = {
            "host": self.door.host,
            "port": self.door.port,
            "database": f"spark_catalog.{self.database}",
            "user": "",
            "password": servers.PASSWORD,
        }
        changes["options"] = {"http_path": "/sql/1.0/warehouses/lab", **changes.get("options", {})}
        return open_database("databricks", **{**how, **changes})
