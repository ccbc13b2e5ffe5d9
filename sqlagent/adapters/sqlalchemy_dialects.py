"""Which SQLAlchemy dialects are installed, which SQL each speaks in sqlglot's words, which can be held read-only."""

from __future__ import annotations

from importlib.metadata import entry_points

from sqlalchemy.dialects import registry
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

# Dialects of databases that are files: those would open any file, wherever it lies.
FILES = frozenset(("sqlite", "duckdb", "motherduck", "access", "libsql", "shillelagh", "gsheets", "csv"))
# PyHive's, which Spark SQL has an adapter of its own for: theirs lists the wrong tables, and lets a text such as
# '${env:PATH}' read the server's environment.
REPLACED = frozenset(("hive",))

# Packages of these bring their drivers, which take 50 MB of memory once they are imported (Databricks', measured 2026-11).
BRINGING = frozenset(("databricks", "snowflake", "bigquery"))

# Dialects of SQLAlchemy itself; each needs its driver.
OWN = (
    *("postgresql+psycopg", "postgresql+psycopg2", "postgresql+pg8000", "mysql+pymysql", "mysql+mysqldb"),
    *("mariadb+pymysql", "mariadb+mariadbconnector", "mssql+pymssql", "mssql+pyodbc", "oracle+oracledb"),
)

SPEAKS = {
    "postgresql": "postgres",
    "cockroachdb": "postgres",
    "greenplum": "postgres",
    "crate": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
    "tidb": "mysql",
    "mssql": "tsql",
    "oracle": "oracle",
    "clickhouse": "clickhouse",
    "clickhousedb": "clickhouse",
    "trino": "trino",
    "presto": "presto",
    "snowflake": "snowflake",
    "bigquery": "bigquery",
    "redshift": "redshift",
    "databricks": "databricks",
    "hive": "hive",
    "impala": "hive",
    "spark": "spark",
    "starrocks": "starrocks",
    "doris": "doris",
    "singlestoredb": "singlestore",
    "teradatasql": "teradata",
    "teradata": "teradata",
    "exa": "exasol",
    "exasol": "exasol",
    "druid": "druid",
    "drill": "drill",
    "dremio": "dremio",
    "risingwave": "risingwave",
    "materialize": "materialize",
    "awsathena": "athena",
}
# Statements that open a read-only transaction with a deadline, where the dialect has them. Milliseconds
# and seconds are put in. Tests try PostgreSQL's and MariaDB's; the others follow their manuals.
READ_ONLY: dict[str, tuple[str, ...]] = {
    "postgresql": ("SET TRANSACTION READ ONLY", "SET LOCAL statement_timeout = {milliseconds}"),
    "cockroachdb": ("SET TRANSACTION READ ONLY", "SET LOCAL statement_timeout = {milliseconds}"),
    "mysql": ("SET SESSION max_execution_time = {milliseconds}", "SET SESSION TRANSACTION READ ONLY"),
    "mariadb": ("SET SESSION max_statement_time = {seconds}", "SET SESSION TRANSACTION READ ONLY"),
    "oracle": ("SET TRANSACTION READ ONLY",),
}
# The dialect nearest to the standard, for one nobody here has heard of.
STANDARD = "trino"


def speaks(name: str) -> str:
    """Name the SQL of a SQLAlchemy dialect as sqlglot does.

    Example:
        >>> speaks("mssql+pymssql"), speaks("somethingnew")
        ('tsql', 'trino')
    """
    return SPEAKS.get(name.split("+")[0], STANDARD)


def is_held(name: str) -> bool:
    """Say whether a dialect has a read-only transaction that is opened here.

    Example:
        >>> is_held("mariadb+pymysql"), is_held("mssql+pymssql")
        (True, False)
    """
    return name.split("+")[0] in READ_ONLY


def installed() -> list[str]:
    """List the dialects of servers whose drivers are there too, in order of their names.

    Each candidate's module and driver is imported, but for those of `BRINGING`: about a second the first time.
    """
    found = {point.name.replace(".", "+") for point in entry_points(group="sqlalchemy.dialects")}
    return sorted(name for name in {*OWN, *found} if _is_usable(name))


def _is_usable(name: str) -> bool:
    if name.split("+")[0] in FILES | REPLACED:
        return False
    if name.split("+")[0] in BRINGING:
        return True
    try:
        dialect = registry.load(name.replace("+", "."))
        is_async = getattr(dialect, "is_async", False)
        dialect.import_dbapi()
    except (ImportError, AttributeError, NoSuchModuleError, ArgumentError, TypeError):
        return False
    return not is_async
