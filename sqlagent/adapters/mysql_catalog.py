"""The catalog of MySQL and MariaDB: tables, columns, keys, comments.

Three bulk reads of `information_schema`, whatever the number of tables.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable

from sqlagent.adapters import mysql_powers
from sqlagent.adapters.base import Row, structure_hash, with_known_keys
from sqlagent.adapters.column_kinds import kind_of
from sqlagent.values import Catalog, Check, Column, ForeignKey, Kind, Severity, Table

SYSTEM = "('information_schema', 'mysql', 'performance_schema', 'sys')"
OTHERS = f"table_schema NOT IN {SYSTEM}"
HERE = "table_schema = DATABASE()"

TABLES = f"""
SELECT table_schema, table_name, table_type IN ('VIEW', 'SYSTEM VIEW'), table_comment, table_rows
FROM information_schema.tables WHERE table_schema NOT IN {SYSTEM} ORDER BY 1, 2
"""  # noqa: S608
COLUMNS = f"""
SELECT table_schema, table_name, column_name, column_type, is_nullable = 'YES', column_comment
FROM information_schema.columns WHERE table_schema NOT IN {SYSTEM} ORDER BY 1, 2, ordinal_position
"""  # noqa: S608
KEYS = f"""
SELECT table_schema, table_name, constraint_name, column_name, referenced_table_schema,
       referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema NOT IN {SYSTEM}
  AND (constraint_name = 'PRIMARY' OR referenced_table_name IS NOT NULL)
ORDER BY 1, 2, constraint_name, ordinal_position
"""  # noqa: S608

ROUTINES = f"""
SELECT DISTINCT routine_name FROM information_schema.routines
WHERE routine_schema NOT IN {SYSTEM} AND routine_type = 'FUNCTION' ORDER BY 1
"""  # noqa: S608

Ask = Callable[[str], Iterable[Row]]


def read_catalog(ask: Ask, database: str) -> Catalog:
    """Read what this session may see; `database` is the default namespace.

    Other databases are there for a user who was let into some. One who was let into the whole
    server sees the connected database alone: the rest is as far from it as another server's.
    """
    sees_all = any(mysql_powers.sees_all(str(row[0])) for row in ask("SHOW GRANTS"))

    def told(sql: str) -> Iterable[Row]:
        """Rows about the schemas there are; about the connected one alone where nothing else is kept."""
        return ask(sql.replace(OTHERS, HERE) if sees_all else sql)

    columns: dict[tuple[str, str], list[Column]] = defaultdict(list)
    for schema, table, name, type_, nullable, comment in told(COLUMNS):
        kind = Kind.BOOLEAN if type_.lower() == "tinyint(1)" else kind_of(type_)
        columns[schema, table].append(Column(name, type_, kind, bool(nullable), comment or ""))
    keys: dict[tuple[str, str], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in told(KEYS):
        keys[row[0], row[1]][row[2]].append(row)
    tables = []
    for schema, name, is_view, comment, estimate in told(TABLES):
        own = keys[schema, name]
        primary = tuple(row[3] for row in own.pop("PRIMARY", ()))
        foreign = tuple(_foreign_key(rows, database) for rows in own.values())
        tables.append(
            Table(
                name,
                tuple(columns[schema, name]),
                _schema(schema, database),
                primary,
                foreign,
                "" if is_view else comment or "",
                None if is_view else estimate,
                bool(is_view),
            )
        )
    found = with_known_keys([t for t in tables if t.columns and not (sees_all and t.schema)])
    routines = tuple(str(row[0]).lower() for row in ask(ROUTINES))
    is_exact = any(str(row[0]) == "0" for row in ask("SELECT @@lower_case_table_names"))
    version = structure_hash(found, [*routines, *["exact names"][: not is_exact]])
    return Catalog("mysql", found, version, database, routines, exact_names=is_exact)


def read_check(ask: Ask, database: str, started: float) -> Check:
    """Tell who we are, what we could do beyond reading, and how to have a user that cannot."""
    ((version, user),) = ask("SELECT VERSION(), CURRENT_USER()")
    powers, steps = mysql_powers.read_powers(lambda sql: list(ask(sql)), database)
    advice = ""
    if any(power.severity is not Severity.MILD for power in powers):
        advice = (
            "Every statement runs in a read-only transaction, and a user that can only read is the better lock: "
            "have an administrator of the server run these statements, then connect as that user."
        )
    server = f"{'MariaDB' if 'mariadb' in version.lower() else 'MySQL'} {version.split('-')[0]}"
    return Check(server, user, powers, steps, advice, time.monotonic() - started)


def _schema(name: str, database: str) -> str:
    return "" if name == database else name


def _foreign_key(rows: list[Row], database: str) -> ForeignKey:
    own, referenced = tuple(row[3] for row in rows), tuple(row[6] for row in rows)
    return ForeignKey(own, rows[0][5], referenced, _schema(rows[0][4], database))
