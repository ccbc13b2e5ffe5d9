"""The catalog of PostgreSQL: tables, columns, keys, comments.

A few bulk reads of `pg_catalog`, whatever the number of tables: 500 tables of ten columns
took under 0.3 s (November 2026, PostgreSQL 15, loopback).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, LiteralString

import psycopg

from sqlagent.adapters import postgres_powers
from sqlagent.adapters.base import structure_hash
from sqlagent.adapters.column_kinds import kind_of
from sqlagent.adapters.postgres_made import read_made
from sqlagent.adapters.tally import Tally
from sqlagent.values import Catalog, Check, Column, ForeignKey, Kind, Severity, Table

# Tables, partitioned tables (their parts are not listed), views, materialized views, foreign tables.
RELATIONS: LiteralString = """
SELECT c.oid, n.nspname, c.relname, c.relkind IN ('v', 'm'), obj_description(c.oid, 'pg_class'),
       CASE WHEN c.relkind = 'p'
            THEN (SELECT sum(NULLIF(k.reltuples, -1)) FROM pg_inherits AS i
                  JOIN pg_class AS k ON k.oid = i.inhrelid WHERE i.inhparent = c.oid)
            ELSE NULLIF(c.reltuples, -1) END::bigint,
       has_table_privilege(c.oid, 'SELECT'), c.reltype
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
       CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) END, t.oid
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
# The first namespace that unqualified names are looked for in, PostgreSQL's own aside.
DEFAULT_SCHEMA: LiteralString = """
SELECT s::text FROM unnest(current_schemas(false)) WITH ORDINALITY AS u(s, place)
WHERE s <> 'pg_catalog' AND left(s, 8) <> 'pg_temp_' ORDER BY place LIMIT 1
"""

ME: LiteralString = "SELECT current_setting('server_version'), current_user::text"

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
    written: dict[int, set[str]] = defaultdict(set)
    for oid, number, name, type_, is_required, comment, typtype, base, type_oid in _told(
        connection, tally, COLUMNS, (oids, readable)
    ):
        kind = Kind.TEXT if typtype == "e" else kind_of(base or type_)
        columns[oid].append(Column(name, type_, kind, not is_required, comment or ""))
        names[oid, number] = name
        written[type_oid].add(type_)
    tables: dict[int, tuple[str, str]] = {
        row[0]: ("" if row[1] == home else row[1], row[2]) for row in relations
    }
    primary, foreign = _keys(_told(connection, tally, KEYS, (oids,)), names, tables)
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
        for oid, _, name, is_view, comment, estimate, _, _ in relations
        if columns[oid]
    )
    made = read_made(partial(_told, connection, tally))
    checked, acting = (
        sorted({name for number in numbers for name in written[number]})
        for numbers in (made.checked, made.acting)
    )
    acting += sorted(f"{row[2]}.*" for row in relations if row[7] in made.acting)
    planned = sorted(".".join(filter(None, tables[oid])) for oid in made.planned if oid in tables)
    told = (
        made.routines,
        made.types,
        made.fields,
        tuple(checked),
        tuple(acting),
        made.unseen,
        tuple(planned),
    )
    return Catalog("postgres", found, structure_hash(found, told), home, *told, called=made.called)


def _keys(
    rows: Iterable[tuple[Any, ...]],
    names: Mapping[tuple[int, int], str],
    tables: Mapping[int, tuple[str, str]],
) -> tuple[dict[int, tuple[str, ...]], dict[int, list[ForeignKey]]]:
    """Primary and foreign keys by the oid of their table; a foreign one only where all of its columns and its target are read."""
    primary: dict[int, tuple[str, ...]] = {}
    foreign: dict[int, list[ForeignKey]] = defaultdict(list)
    for oid, is_primary, own, target, referenced in rows:
        source = [names.get((oid, number)) for number in own]
        if is_primary:
            primary[oid] = tuple(name for name in source if name is not None)
            continue
        pointed = [names.get((target, number)) for number in referenced]
        if target in tables and None not in source and None not in pointed:
            schema, table = tables[target]
            foreign[oid].append(ForeignKey(tuple(map(str, source)), table, tuple(map(str, pointed)), schema))
    return primary, foreign


def _told(
    connection: Connection, tally: Tally, sql: LiteralString, values: Sequence[Any] | Mapping[str, Any] = ()
) -> Iterator[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        yield from tally.rows(cursor.stream(sql, values or None, size=ROWS_AT_ONCE))


def read_check(connection: Connection, started: float) -> Check:
    """Tell who we are, what we could do beyond reading, and how to have a role that cannot."""
    ((version, user),) = connection.execute(ME).fetchall()
    powers, steps = postgres_powers.read_powers(lambda sql: connection.execute(sql).fetchall())
    advice = ""
    if any(power.severity is not Severity.MILD for power in powers):
        advice = (
            "Every statement runs in a read-only transaction, and a role that can only read is the better lock: "
            "have an administrator of the database run these statements, then connect as that role."
        )
    seconds = time.monotonic() - started
    return Check(f"PostgreSQL {version.split(' ')[0]}", user, powers, steps, advice, seconds)
