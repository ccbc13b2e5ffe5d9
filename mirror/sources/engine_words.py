"""What each engine calls what a source's form asks for, and what it does not ask."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """A field's name in an engine's words, what to type there, and whether something has to be."""

    label: str
    help: str = ""
    is_required: bool = True


WORDS: dict[str, dict[str, Words]] = {
    "spark": {"database": Words("Database", "The namespace to read; Spark's own is called default.")},
    "clickhouse": {
        "host": Words("Host", "The host of the HTTP interface."),
        "database": Words("Database", "The database to read; ClickHouse's own is called default."),
        "namespaces": Words("Other databases to read", "Their names, separated by commas; * for all.", False),
        "port": Words("Port", "8123, and 8443 with TLS.", False),
    },
    "trino": {
        "host": Words("Coordinator", "The host name of the coordinator."),
        "database": Words("Catalog and schema", "Written catalog.schema: hive.sales."),
    },
    "snowflake": {
        "host": Words(
            "Host of the account", "As in its address: xy12345.eu-central-1.snowflakecomputing.com."
        ),
        "database": Words("Database and schema", "Written DATABASE.SCHEMA: SALES.PUBLIC."),
        "username": Words("User"),
        "password": Words(
            "Password or access token", "A programmatic access token is typed here as a password is.", False
        ),
        "warehouse": Words(
            "Warehouse", "The virtual warehouse that runs statements. Empty: the user's default.", False
        ),
        "role": Words("Role", "The role whose privileges count; one that may only read.", False),
    },
    "bigquery": {
        "database": Words("Project and dataset", "Written project.dataset: acme-analytics.sales."),
        "password": Words(
            "Key of a service account",
            "The whole JSON file. Give the account BigQuery Data Viewer and BigQuery Job User alone.",
        ),
        "location": Words(
            "Location", "Of the dataset, such as EU; Google finds it where this is empty.", False
        ),
    },
    "databricks": {
        "host": Words("Server hostname", "From the connection details of the SQL warehouse."),
        "database": Words("Catalog and schema", "Written catalog.schema: main.default."),
        "password": Words("Access token", "Of a service principal that may only read."),
        "http_path": Words("HTTP path", "From the connection details: /sql/1.0/warehouses/..."),
    },
    "mssql": {"username": Words("Login", "SQL Server's own; Windows logins are not taken.", False)},
    "oracle": {"database": Words("Service name", "Such as ORCLPDB1. Not a SID, nor a name of tnsnames.ora.")},
    "redshift": {"host": Words("Endpoint", "Of the cluster or workgroup, without port and database.")},
}

# Fields that an engine does not have.
ABSENT: dict[str, tuple[str, ...]] = {
    "bigquery": ("host", "port", "username"),
    "snowflake": ("port",),
    "databricks": ("port", "username"),
}

KEY_CHARS = 10_000
"""The longest key of a service account. Google's have some 2,400 characters."""
