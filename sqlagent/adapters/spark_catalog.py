"""The catalog of Spark, by SHOW and DESCRIBE: namespaces, tables, views, columns, comments.

Spark keeps no keys (constraints of newer table formats aside), so there are none.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence

from sqlagent.adapters.base import Row, structure_hash
from sqlagent.adapters.column_kinds import kind_of
from sqlagent.errors import StatementFailed
from sqlagent.values import Catalog, Check, Column, Kind, Power, ReaderStep, Table

Ask = Callable[[str], list[Row]]

NO_LOCK = (
    "Spark has no read-only session: besides the guard, what this user may do in the storage and in the "
    "metastore is the only lock. Connect as a user that may read these tables and nothing else."
)


def read_catalog(ask: Ask, database: str, others: Sequence[str] = ()) -> Catalog:
    """Read the default namespace, `database`, and the others named; `*` names all there are.

    Anybody may see every namespace of a metastore, so that what is asked about has to be said. A
    table that cannot be described (it was just dropped, or is not this user's to see) is left out.
    """
    there = [str(row[0]) for row in ask("SHOW NAMESPACES")] if "*" in others else others
    tables = []
    for namespace in (database, *sorted(set(there) - {database})):
        views = {str(row[1]) for row in ask(f"SHOW VIEWS IN {quoted(namespace)}") if not row[2]}
        names = {str(row[1]) for row in ask(f"SHOW TABLES IN {quoted(namespace)}") if not row[2]}
        for name in sorted(names | views):
            try:
                lines = ask(f"DESCRIBE TABLE EXTENDED {quoted(namespace)}.{quoted(name)}")
            except StatementFailed:
                continue
            schema = "" if namespace == database else namespace
            tables.append(_table(name, schema, lines, name in views))
    found = tuple(table for table in tables if table.columns)
    return Catalog("spark", found, structure_hash(found), database)


def _table(name: str, schema: str, lines: Iterable[Row], is_view: bool) -> Table:
    """Read a table off what DESCRIBE TABLE EXTENDED says: columns, an empty line, then facts by name."""
    columns: list[Column] = []
    facts: dict[str, str] = {}
    in_columns = True
    for first, second, third in ((str(a or ""), str(b or ""), str(c or "")) for a, b, c in lines):
        in_columns = in_columns and first != "" and not first.startswith("# ")
        if in_columns:
            columns.append(Column(first, second, _kind(second), True, third))
        else:
            facts[first] = second
    rows = re.search(r"(\d+) rows", facts.get("Statistics", ""))
    comment = facts.get("Comment", "")
    return Table(name, tuple(columns), schema, (), (), comment, int(rows[1]) if rows else None, is_view)


def _kind(type_: str) -> Kind:
    return Kind.OTHER if re.match(r"(array|map|struct|interval|void|variant)\b", type_) else kind_of(type_)


def read_check(ask: Ask, user: str, database: str, started: float) -> Check:
    """Tell the version, and that nothing in Spark keeps a session from writing."""
    ((version,),) = ask("SELECT version()")
    return Check(
        f"Spark SQL {str(version).split(' ')[0]}",
        user,
        (
            Power(
                "unknown", f"do whatever the storage and the metastore let '{user}': that cannot be looked up"
            ),
        ),
        (
            ReaderStep(
                "Let a user only read",
                f"GRANT SELECT ON SCHEMA {quoted(database)} TO `mirror_reader`;",
                "Where Spark's server has SQL standard authorization (Ranger, Unity Catalog).",
            ),
        ),
        NO_LOCK,
        time.monotonic() - started,
        is_guard_alone=True,
    )


def quoted(name: str) -> str:
    """Quote an identifier for Spark.

    Example:
        >>> quoted("a`b")
        '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"
