"""The shop in ClickHouse: a MergeTree for each table."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import clickhouse_connect

from tests import servers
from tests.engines.test_shop import TABLES


def make_shop(server: servers.ClickhouseServer, part: Path, name: str = "shop") -> str:
    """Put the tables of a shop's SQLite file into a database of their own; give its name."""
    server.look(f"CREATE DATABASE {name}")
    where = {"host": server.host, "port": server.port, "username": server.user, "password": servers.PASSWORD}
    with (
        closing(sqlite3.connect(part)) as db,
        closing(
            clickhouse_connect.get_client(
                **where, database=name, autogenerate_session_id=False, compress=False
            )
        ) as client,
    ):
        for table in TABLES:
            columns = [
                (row[1], clickhouse_type(row[2]), row[3]) for row in db.execute(f"PRAGMA table_info({table})")
            ]
            listed = ", ".join(
                f"`{column}` {type_ if is_filled or column == 'id' else f'Nullable({type_})'}"
                for column, type_, is_filled in columns
            )
            client.command(f"CREATE TABLE {table} ({listed}) ENGINE = MergeTree ORDER BY id")
            rows = db.execute(f"SELECT * FROM {table}").fetchall()
            for start in range(0, len(rows), 500):
                told = ", ".join(f"({', '.join(map(literal, row))})" for row in rows[start : start + 500])
                client.command(f"INSERT INTO {table} VALUES {told}")
    return name


def clickhouse_type(declared: str) -> str:
    """Say a type of the shop's as ClickHouse does.

    Example:
        >>> clickhouse_type("DECIMAL(10, 2)"), clickhouse_type("VARCHAR(40)")
        ('Decimal(10, 2)', 'String')
    """
    if found := re.fullmatch(r"DECIMAL\((\d+), (\d+)\)", declared):
        return f"Decimal({found[1]}, {found[2]})"
    known = {"INTEGER": "Int32", "DATE": "Date32", "TIMESTAMP": "DateTime64(6)", "BOOLEAN": "Bool"}
    return known.get(declared, "String")


def literal(value: object) -> str:
    """Write a cell for ClickHouse."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value)
