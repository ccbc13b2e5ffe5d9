"""Each engine's own words for the fields of a source's form, and the fields that it has no use for."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_noop


@dataclass(frozen=True, slots=True)
class Words:
    """A field's name in an engine's words, what to type there, and whether something has to be."""

    label: str
    help: str = ""
    is_required: bool = True


WORDS: dict[str, dict[str, Words]] = {
    "spark": {
        "database": Words(
            gettext_noop("Database"), gettext_noop("The namespace to read; Spark's own is called default.")
        )
    },
    "clickhouse": {
        "host": Words(gettext_noop("Host"), gettext_noop("The host of the HTTP interface.")),
        "database": Words(
            gettext_noop("Database"),
            gettext_noop("The database to read; ClickHouse's own is called default."),
        ),
        "namespaces": Words(
            gettext_noop("Other databases to read"),
            gettext_noop("Their names, separated by commas; * for all."),
            False,
        ),
        "port": Words(gettext_noop("Port"), gettext_noop("8123, and 8443 with TLS."), False),
    },
    "trino": {
        "host": Words(gettext_noop("Coordinator"), gettext_noop("The host name of the coordinator.")),
        "database": Words(
            gettext_noop("Catalog and schema"), gettext_noop("Written catalog.schema: hive.sales.")
        ),
    },
    "snowflake": {
        "host": Words(
            gettext_noop("Host of the account"),
            gettext_noop("As in its address: xy12345.eu-central-1.snowflakecomputing.com."),
        ),
        "database": Words(
            gettext_noop("Database and schema"), gettext_noop("Written DATABASE.SCHEMA: SALES.PUBLIC.")
        ),
        "username": Words(gettext_noop("User")),
        "password": Words(
            gettext_noop("Password or access token"),
            gettext_noop("A programmatic access token is typed here as a password is."),
            False,
        ),
        "warehouse": Words(
            gettext_noop("Warehouse"),
            gettext_noop("The virtual warehouse that runs statements. Empty: the user's default."),
            False,
        ),
        "role": Words(
            gettext_noop("Role"),
            gettext_noop("The role whose privileges count; one that may only read."),
            False,
        ),
    },
    "bigquery": {
        "database": Words(
            gettext_noop("Project and dataset"),
            gettext_noop("Written project.dataset: acme-analytics.sales."),
        ),
        "password": Words(
            gettext_noop("Key of a service account"),
            gettext_noop(
                "The whole JSON file. Give the account BigQuery Data Viewer and BigQuery Job User alone."
            ),
        ),
        "location": Words(
            gettext_noop("Location"),
            gettext_noop("Of the dataset, such as EU; Google finds it where this is empty."),
            False,
        ),
    },
    "databricks": {
        "host": Words(
            gettext_noop("Server hostname"), gettext_noop("From the connection details of the SQL warehouse.")
        ),
        "database": Words(
            gettext_noop("Catalog and schema"), gettext_noop("Written catalog.schema: main.default.")
        ),
        "password": Words(
            gettext_noop("Access token"), gettext_noop("Of a service principal that may only read.")
        ),
        "http_path": Words(
            gettext_noop("HTTP path"), gettext_noop("From the connection details: /sql/1.0/warehouses/...")
        ),
    },
    "mssql": {
        "username": Words(
            gettext_noop("Login"), gettext_noop("SQL Server's own; Windows logins are not taken."), False
        )
    },
    "oracle": {
        "database": Words(
            gettext_noop("Service name"),
            gettext_noop("Such as ORCLPDB1. Not a SID, nor a name of tnsnames.ora."),
        )
    },
    "redshift": {
        "host": Words(
            gettext_noop("Endpoint"), gettext_noop("Of the cluster or workgroup, without port and database.")
        )
    },
}

# Fields that an engine does not have.
ABSENT: dict[str, tuple[str, ...]] = {
    "bigquery": ("host", "port", "username"),
    "snowflake": ("port",),
    "databricks": ("port", "username"),
}

KEY_CHARS = 10_000
"""The longest key of a service account. Google's have some 2,400 characters."""
