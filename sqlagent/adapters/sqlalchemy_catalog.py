"""The catalog of a database by SQLAlchemy's inspector, with the corrections its dialects need."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import SQLAlchemyError

from sqlagent.adapters import mysql_powers, postgres_powers
from sqlagent.adapters.base import MARKER_COLUMN, MARKER_TABLE, Row, structure_hash, with_known_keys
from sqlagent.adapters.column_kinds import kind_of
from sqlagent.values import Catalog, Check, Column, ForeignKey, Kind, Power, ReaderStep, Table

# Namespaces of the engines' own, in lower case; nobody asks about their tables.
SYSTEM = re.compile(
    r"information_schema|pg_.*|sys|mysql|performance_schema|system|guest|db_\w+|sysibm\w*|syscat|sysstat"
    r"|systools|ctxsys|xdb|mdsys|outln|dbsnmp|crdb_internal|_statistics_|definition_schema|v_(catalog|monitor|internal)",
    re.IGNORECASE,
)
# Words for types that mean something else in one dialect.
CORRECTIONS: Mapping[tuple[str, str], Kind] = {
    ("mssql", "bit"): Kind.BOOLEAN,
    ("mssql", "timestamp"): Kind.BINARY,
    ("mssql", "image"): Kind.BINARY,
    ("mssql", "uniqueidentifier"): Kind.TEXT,
    ("mssql", "smallmoney"): Kind.NUMBER,
    ("oracle", "date"): Kind.DATETIME,
    ("mysql", "tinyint(1)"): Kind.BOOLEAN,
    ("mariadb", "tinyint(1)"): Kind.BOOLEAN,
    ("mysql", "bool"): Kind.BOOLEAN,
}

UNKNOWN = Power("unknown", "do whatever its privileges allow: for this engine they cannot be looked up")
GUARD_ALONE = (
    "This engine has no read-only session that Mirror knows of: the guard and the privileges of this user "
    "are the only locks. Connect as a user that may SELECT and nothing else."
)
HELD = (
    "Every statement runs in a read-only transaction, and a user that can only read is the better lock: "
    "connect as one that may SELECT and nothing else."
)
# Where the marker of a store lies, if there is one.
_IN_POSTGRES = (
    "SELECT n.nspname::text FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace "  # noqa: S608 - a constant
    f"WHERE c.relname = '{MARKER_TABLE}' AND c.relkind IN ('r', 'v', 'm', 'f', 'p')"
)
_IN_MYSQL = (
    "SELECT table_schema FROM information_schema.tables "  # noqa: S608
    f"WHERE table_schema = DATABASE() AND table_name = '{MARKER_TABLE}'"
)
MARKED = {
    **dict.fromkeys(("postgresql", "cockroachdb", "redshift"), _IN_POSTGRES),
    **dict.fromkeys(("mysql", "mariadb"), _IN_MYSQL),
}
# Dialects whose servers answer as PostgreSQL or MySQL do when they are asked who may do what.
POSTGRES, MYSQL = frozenset(("postgresql",)), frozenset(("mysql", "mariadb"))


def read_catalog(connection: sa.Connection, speaks: str, home: str = "") -> Catalog:
    """Read all namespaces this user sees; the default one's tables come without a schema. It is `home` where the dialect tells none.

    Comments and keys are left empty where a dialect does not tell them. Raises: SQLAlchemyError.
    """
    inspector = sa.inspect(connection)
    default = inspector.default_schema_name or home
    schemas = [name for name in inspector.get_schema_names() if name and not SYSTEM.fullmatch(name)]
    tables: list[Table] = []
    for schema in [default, *sorted(name for name in schemas if name != default)]:
        tables += _tables(connection, inspector, schema or None, "" if schema == default else schema, default)
    found = with_known_keys([table for table in tables if table.columns])
    # MySQL's setting for letter case is not read here, so names are case-sensitive.
    return Catalog(speaks, found, structure_hash(found), default, exact_names=speaks == "mysql")


def _tables(
    connection: sa.Connection, inspector: sa.Inspector, schema: str | None, shown: str, default: str
) -> list[Table]:
    every: dict[str, Any] = {"schema": schema, "kind": ObjectKind.ANY}
    columns = inspector.get_multi_columns(**every)
    primary = _told(lambda: inspector.get_multi_pk_constraint(**every))
    foreign = _told(lambda: inspector.get_multi_foreign_keys(**every))
    comments = _told(lambda: inspector.get_multi_table_comment(**every))
    views = set(_told_names(lambda: inspector.get_view_names(schema)))
    views |= set(_told_names(lambda: inspector.get_materialized_view_names(schema)))
    return [
        Table(
            key[1],
            tuple(_column(column, connection.dialect) for column in columns[key]),
            shown,
            tuple((primary.get(key) or {}).get("constrained_columns") or ()),
            tuple(_foreign_key(each, schema, default) for each in foreign.get(key) or ()),
            str((comments.get(key) or {}).get("text") or ""),
            None,
            key[1] in views,
        )
        for key in sorted(columns, key=lambda key: key[1])
    ]


def _told(ask: Callable[[], Mapping[Any, Any]]) -> dict[Any, Any]:
    """An inspector's facts about all tables; nothing where its dialect does not know such things."""
    try:
        return dict(ask())
    except NotImplementedError:
        return {}


def _told_names(ask: Callable[[], list[str]]) -> list[str]:
    try:
        return ask()
    except NotImplementedError:
        return []


def _column(column: Mapping[str, Any], dialect: sa.Dialect) -> Column:
    type_ = _type_name(column["type"], dialect)
    nullable, comment = bool(column.get("nullable", True)), str(column.get("comment") or "")
    return Column(str(column["name"]), type_, kind_in(type_, dialect.name), nullable, comment)


def _type_name(type_: Any, dialect: sa.Dialect) -> str:
    try:
        return str(type_.compile(dialect))
    except (SQLAlchemyError, AttributeError, NotImplementedError):
        return "" if isinstance(type_, sa.types.NullType) else str(type(type_).__name__)


def kind_in(type_: str, dialect: str) -> Kind:
    """Tell what a column holds by its type's name in a dialect.

    Example:
        >>> [str(kind_in("Nullable(Decimal(9, 2))", "clickhouse")), str(kind_in("BIT", "mssql"))]
        ['number', 'boolean']
    """
    word = type_.strip().lower()
    while found := re.fullmatch(r"(?:nullable|lowcardinality)\((.*)\)", word):
        word = found[1]
    corrected = CORRECTIONS.get((dialect, word))
    if corrected is not None:
        return corrected
    return kind_of(re.sub(r"\s+(character set|collate)\s.*", "", word))


def _foreign_key(key: Mapping[str, Any], schema: str | None, default: str | None) -> ForeignKey:
    there = key.get("referred_schema") or schema
    return ForeignKey(
        tuple(key["constrained_columns"]),
        str(key["referred_table"]),
        tuple(key["referred_columns"]),
        "" if there is None or there == default else str(there),
    )


def read_check(connection: sa.Connection, user: str, is_held: bool, started: float) -> Check:
    """Tell server and user, which locks there are, and what the user may do where this engine can be asked."""
    dialect = connection.dialect
    version = getattr(dialect, "server_version_info", None) or ()
    number = ".".join(str(part) for part in version if isinstance(part, int))
    powers, steps = _powers(connection)
    return Check(
        f"{dialect.name} {number or '(no version told)'}",
        user,
        powers,
        steps,
        (HELD if is_held else GUARD_ALONE) if powers else "",
        time.monotonic() - started,
        is_guard_alone=not is_held,
    )


def is_marked(connection: sa.Connection, mark: str) -> bool:
    """Tell whether this is the store of that mark: only engines that can hold a store are asked.

    A marker that cannot be read counts as the store's.
    """
    where = MARKED.get(connection.dialect.name)
    if where is None:
        return False
    dialect = connection.dialect
    told = connection.execution_options(no_parameters=True)
    for (schema,) in told.exec_driver_sql(where).fetchall():
        place = dialect.identifier_preparer.quote_schema(schema)
        try:
            said = told.exec_driver_sql(f"SELECT {MARKER_COLUMN} FROM {place}.{MARKER_TABLE}").fetchall()  # noqa: S608 - quoted
        except SQLAlchemyError:
            return True
        if any(str(row[0]) == mark for row in said):
            return True
    return False


def _powers(connection: sa.Connection) -> tuple[tuple[Power, ...], tuple[ReaderStep, ...]]:
    """Ask PostgreSQL and MySQL what the user may do; say of every other engine that it cannot be told."""
    name = connection.dialect.name
    schema = sa.inspect(connection).default_schema_name or ""

    def ask(sql: str) -> list[Row]:
        asked = connection.execution_options(no_parameters=True).exec_driver_sql(sql)
        return [tuple(row) for row in asked.fetchall()]

    try:
        if name in POSTGRES:
            return postgres_powers.read_powers(ask)
        if name in MYSQL:
            return mysql_powers.read_powers(ask, schema)
    except (SQLAlchemyError, ValueError):  # another server that speaks their protocol
        connection.rollback()
    place = f"{schema}." if schema else ""
    statement = f"GRANT SELECT ON {place}each_table TO mirror_reader;"
    return (UNKNOWN,), (
        ReaderStep("Let a user only read", statement, "For each table, as this engine writes it."),
    )
