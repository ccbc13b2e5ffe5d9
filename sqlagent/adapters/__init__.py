"""Opens a source by the name of its engine; the only door to the vendors' drivers.

Each adapter imports its driver when it is first asked for, so nobody pays for one not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlagent.adapters.base import Adapter
from sqlagent.adapters.children.database import STATEMENT_MEMORY, FileDatabase
from sqlagent.adapters.missing import MissingDatabase
from sqlagent.adapters.warehouses import WAREHOUSES
from sqlagent.ports import SourceDatabase
from sqlagent.values import SshServer

ENGINES = ("sqlite", "postgres", "mysql", "duckdb", "spark", "clickhouse", *WAREHOUSES, "sqlalchemy")

SPARK_PACKAGES = "-r requirements-spark.txt"
CLICKHOUSE_PACKAGES = "-r requirements-clickhouse.txt"
SSH_PACKAGES = "-r requirements-ssh.txt"
# Engines that can be reached through an SSH server, and where their servers listen unless somebody moved them.
TUNNELLED = {"postgres": 5432, "mysql": 3306}


def open_database(
    engine: str,
    *,
    host: str = "",
    port: int | None = None,
    database: str = "",
    user: str = "",
    password: str = "",
    options: Mapping[str, str] | None = None,
    addresses: Sequence[str] = (),
    store_mark: str = "",
    memory: int = STATEMENT_MEMORY,
    is_killable: bool = False,
    scan_bytes: int | None = None,
    ssh: SshServer | None = None,
) -> SourceDatabase:
    """Give the adapter of an engine; nothing is connected before it is asked something.

    `database` is the path of the file for SQLite and DuckDB. `options` are the few named
    settings each adapter documents (TLS, for example). `addresses` are where `host` was found to be:
    PostgreSQL and MySQL are called there and nowhere else, while TLS still checks the name. A database whose
    marker (`base.MARKER_TABLE`) says `store_mark` is Mirror's own store: each of its sessions is refused.
    Statements of SQLite and DuckDB run in children that can be killed, each with so much `memory` (bytes), or in this
    process where that is one (`is_killable`). Engines that count what a statement reads refuse one of more than `scan_bytes`.
    PostgreSQL and MySQL are reached through `ssh` where it is given: `host` is a name that the SSH server knows.
    Raises: ValueError for an unknown engine or option, or a tunnel that cannot be.

    Example:
        >>> open_database("sqlite", database="shop.sqlite3").dialect
        'sqlite'
    """
    where = {"host": host, "port": port, "database": database, "user": user, "password": password}
    opened = _opened(engine, where, dict(options or {}), addresses)
    if isinstance(opened, FileDatabase):
        opened.memory = memory
        if is_killable:
            from sqlagent.adapters.children.here import HereDatabase

            opened = HereDatabase(opened)
    if ssh is not None:
        opened = _through(ssh, opened, engine, host, port)
    opened.store_mark, opened.scan_bytes = store_mark, scan_bytes
    return opened


def _through(
    ssh: SshServer, opened: Adapter | MissingDatabase, engine: str, host: str, port: int | None
) -> Adapter | MissingDatabase:
    """Have an adapter go through an SSH server. Raises: ValueError."""
    if engine not in TUNNELLED:
        raise ValueError(f"'{engine}' is not reached through an SSH server.")
    try:
        from sqlagent.adapters.ssh import SshTunnel
    except ImportError:
        return MissingDatabase(opened.dialect, SSH_PACKAGES, "SSH tunnels")
    opened.tunnel = SshTunnel(ssh, host or "localhost", port or TUNNELLED[engine])
    return opened


def ssh_key_shown(ssh: SshServer) -> str:
    """Give the fingerprint of the key that an SSH server shows; nobody signs in. Raises: Unreachable."""
    try:
        from sqlagent.adapters.ssh import host_key_shown
    except ImportError:
        raise MissingDatabase("ssh", SSH_PACKAGES, "SSH tunnels").error() from None
    return host_key_shown(ssh)


def _opened(
    engine: str, where: dict[str, Any], known: dict[str, str], addresses: Sequence[str]
) -> Adapter | MissingDatabase:
    if engine == "sqlite":
        from sqlagent.adapters.sqlite import SqliteDatabase

        return SqliteDatabase(where["database"], known)
    if engine == "duckdb":
        from sqlagent.adapters.duckdb import DuckdbDatabase

        return DuckdbDatabase(where["database"], known)
    if engine == "postgres":
        from sqlagent.adapters.postgres import PostgresDatabase

        return PostgresDatabase(**where, options=known, addresses=addresses)
    if engine == "mysql":
        from sqlagent.adapters.mysql import MysqlDatabase

        return MysqlDatabase(**where, options=known, addresses=addresses)
    if engine == "spark":
        try:
            from sqlagent.adapters.spark import SparkDatabase
        except ImportError:
            return MissingDatabase("spark", SPARK_PACKAGES)
        return SparkDatabase(**where, options=known)
    if engine == "clickhouse":
        try:
            from sqlagent.adapters.clickhouse import ClickhouseDatabase
        except ImportError:
            return MissingDatabase("clickhouse", CLICKHOUSE_PACKAGES)
        return ClickhouseDatabase(**where, options=known, addresses=addresses)
    if engine == "sqlalchemy":
        from sqlagent.adapters.sqlalchemy import SqlalchemyDatabase

        return SqlalchemyDatabase(**where, options=known)
    if engine in WAREHOUSES:
        from sqlagent.adapters.warehouse import WarehouseDatabase

        return WarehouseDatabase(engine, **where, options=known)
    raise ValueError(f"There is no adapter for '{engine}'. Known: {', '.join(ENGINES)}.")


def installed_dialects() -> list[str]:
    """List the SQLAlchemy dialects of servers that are installed with their drivers."""
    from sqlagent.adapters.sqlalchemy_dialects import installed

    return installed()


def is_held(engine: str, options: Mapping[str, str]) -> bool:
    """Say whether sessions of a source are read-only by the engine's own doing.

    Where they are not, the guard and the privileges of the user are the only locks.

    Example:
        >>> is_held("postgres", {}), is_held("spark", {})
        (True, False)
    """
    if engine in WAREHOUSES:
        return WAREHOUSES[engine].is_held
    if engine != "sqlalchemy":
        return engine != "spark"
    from sqlagent.adapters import sqlalchemy_dialects

    return sqlalchemy_dialects.is_held(options.get("dialect", ""))
