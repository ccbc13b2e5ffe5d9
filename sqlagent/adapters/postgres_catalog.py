"""What PostgreSQL says of itself: tables, columns, keys, comments, and a user's privileges.

A few bulk reads of `pg_catalog`, whatever the number of tables: 500 tables of ten columns
took under 0.3 s (November 2026, PostgreSQL 15, loopback).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, LiteralString

import psycopg

from sqlagent.adapters.base import structure_hash
from sqlagent.adapters.kinds import kind_of
from sqlagent.adapters.tally import Tally
from sqlagent.values import Catalog, Check, Column, ForeignKey, Kind, Table

# Tables, partitioned tables (their parts are not listed), views, materialized views, foreign tables.
RELATIONS: LiteralString = """
SELECT c.oid, n.nspname, c.relname, c.relkind IN ('v', 'm'), obj_description(c.oid, 'pg_class'),
       CASE WHEN c.relkind = 'p'
            THEN (SELECT sum(NULLIF(k.reltuples, -1)) FROM pg_inherits AS i
                  JOIN pg_class AS k ON k.oid = i.inhrelid WHERE i.inhparent = c.oid)
            ELSE NULLIF(c.reltuples, -1) END::bigint,
       has_table_privilege(c.oid, 'SELECT')
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND has_schema_privilege(n.oid, 'USAGE')
  AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
ORDER BY n.nspname, c.relname
"""
COLUMNS: LiteralString = """
SELECT a.attrelid, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
       col_description(a.attrelid, a.attnum), t.typtype,
       CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) END
FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
WHERE a.attrelid = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped
  AND (a.attrelid = ANY(%s) OR has_column_privilege(a.attrelid, a.attnum, 'SELECT'))
ORDER BY a.attrelid, a.attnum
"""
KEYS: LiteralString = """
SELECT k.conrelid, k.contype = 'p', k.conkey, k.confrelid, k.confkey
FROM pg_constraint AS k
WHERE k.conrelid = ANY(%s) AND k.contype IN ('p', 'f') AND k.conparentid = 0
ORDER BY k.conrelid, k.contype, k.conname
"""
DEFAULT_SCHEMA: LiteralString = "SELECT COALESCE(current_schema(), 'public')"

ME: LiteralString = """
SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1), current_user::text,
       r.rolsuper, has_database_privilege(current_database(), 'CREATE'), current_database()::text,
       ARRAY(SELECT m.rolname::text FROM pg_roles AS m
             WHERE m.rolname IN ('pg_write_all_data', 'pg_write_server_files',
                                 'pg_execute_server_program', 'pg_signal_backend')
               AND pg_has_role(m.oid, 'USAGE') ORDER BY 1)
FROM pg_roles AS r WHERE r.rolname = current_user
"""
WRITABLE: LiteralString = """
SELECT n.nspname::text, count(*), min(c.relname)::text
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT LIKE 'pg\\_%'
  AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')
  AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
GROUP BY 1 ORDER BY 1
"""
CREATABLE: LiteralString = """
SELECT nspname::text FROM pg_namespace
WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
  AND has_schema_privilege(oid, 'CREATE') ORDER BY 1
"""
SCHEMAS: LiteralString = """
SELECT nspname::text FROM pg_namespace
WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
  AND has_schema_privilege(oid, 'USAGE') ORDER BY 1
"""

OPEN_PUBLIC = """
-- Before PostgreSQL 15 everybody may create tables in schema public. To end that, for everybody:
-- REVOKE CREATE ON SCHEMA public FROM PUBLIC;"""

Connection = psycopg.Connection[Any]
# Rows that libpq holds of an answer.
ROWS_AT_ONCE = 200


def read_catalog(connection: Connection, tally: Tally) -> Catalog:
    """Read everything this session may select from, as it comes: libpq would hold a whole answer."""
    default = connection.execute(DEFAULT_SCHEMA).fetchone()
    home = default[0] if default else "public"
    relations = list(_told(connection, tally, RELATIONS))
    oids = [row[0] for row in relations]
    readable = [row[0] for row in relations if row[6]]
    columns: dict[int, list[Column]] = defaultdict(list)
    names: dict[tuple[int, int], str] = {}
    for oid, number, name, type_, is_required, comment, typtype, base in _told(
        connection, tally, COLUMNS, oids, readable
    ):
        kind = Kind.TEXT if typtype == "e" else kind_of(base or type_)
        columns[oid].append(Column(name, type_, kind, not is_required, comment or ""))
        names[oid, number] = name
    tables: dict[int, tuple[str, str]] = {
        row[0]: ("" if row[1] == home else row[1], row[2]) for row in relations
    }
    primary: dict[int, tuple[str, ...]] = {}
    foreign: dict[int, list[ForeignKey]] = defaultdict(list)
    for oid, is_primary, own, target, referenced in _told(connection, tally, KEYS, oids):
        source = [names.get((oid, number)) for number in own]
        if is_primary:
            primary[oid] = tuple(name for name in source if name is not None)
            continue
        pointed = [names.get((target, number)) for number in referenced]
        if target in tables and None not in source and None not in pointed:
            schema, table = tables[target]
            foreign[oid].append(ForeignKey(tuple(map(str, source)), table, tuple(map(str, pointed)), schema))
    found = tuple(
        Table(
            name,
            tuple(columns[oid]),
            tables[oid][0],
            primary.get(oid, ()),
            tuple(foreign[oid]),
            comment or "",
            estimate,
            is_view,
        )
        for oid, _, name, is_view, comment, estimate, _ in relations
        if columns[oid]
    )
    return Catalog("postgres", found, structure_hash(found), home)


def _told(
    connection: Connection, tally: Tally, sql: LiteralString, *values: Any
) -> Iterator[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        yield from tally.rows(cursor.stream(sql, values or None, size=ROWS_AT_ONCE))


def read_check(connection: Connection, started: float) -> Check:
    """Tell who we are, what we could write, and how to have a role that cannot."""
    me = connection.execute(ME).fetchone()
    assert me is not None
    server, user, is_superuser, may_create, database, roles = me
    words: list[str] = []
    if is_superuser:
        words.append("everything: it is a superuser (its powers are set aside while we read)")
    for schema, count, example in connection.execute(WRITABLE).fetchall():
        words.append(
            f"{count} table{'s'[: count != 1]} in schema {schema} ({example}{', ...' * (count > 1)})"
        )
    words += [f"new tables in schema {row[0]}" for row in connection.execute(CREATABLE).fetchall()]
    if may_create:
        words.append(f"new schemas in database {database}")
    if not is_superuser:
        words += [f"what role {role} may" for role in roles]
    advice = advice_sql = ""
    if words:
        advice = (
            f"User '{user}' may do more than read. Every statement runs in a read-only transaction, "
            "and a role that can only read is the better lock: have an administrator run this, "
            "then connect as that role."
        )
        schemas = [row[0] for row in connection.execute(SCHEMAS).fetchall()]
        advice_sql = reader_sql(database, schemas, user)
        if connection.info.server_version < 150_000:
            advice_sql += OPEN_PUBLIC
    return Check(server, user, tuple(words), advice, advice_sql, time.monotonic() - started)


def reader_sql(database: str, schemas: list[str], owner: str) -> str:
    """Write the SQL that makes a role which can only read.

    Example:
        >>> print(reader_sql("shop", ["public"], "ann").splitlines()[1])
        GRANT CONNECT ON DATABASE "shop" TO mirror_reader;
    """
    lines = [
        "CREATE ROLE mirror_reader LOGIN PASSWORD 'choose-a-long-one';",
        f"GRANT CONNECT ON DATABASE {_quoted(database)} TO mirror_reader;",
        "ALTER ROLE mirror_reader SET default_transaction_read_only = on;",
    ]
    for schema in schemas:
        name = _quoted(schema)
        lines.append(f"GRANT USAGE ON SCHEMA {name} TO mirror_reader;")
        lines.append(f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO mirror_reader;")
        lines.append(
            f"ALTER DEFAULT PRIVILEGES FOR ROLE {_quoted(owner)} IN SCHEMA {name} "
            "GRANT SELECT ON TABLES TO mirror_reader;"
        )
    return "\n".join(lines)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
