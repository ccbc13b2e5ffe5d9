"""The catalog of ClickHouse: tables, columns, comments, functions that somebody made, grants.

ClickHouse has no foreign keys, and its primary key orders rows and repeats, so no keys are told.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from sqlagent.adapters.base import Row, severest_first, structure_hash
from sqlagent.values import PASSWORD_HERE, Catalog, Check, Column, Kind, Power, ReaderStep, Table

Ask = Callable[[str], Iterable[Row]]

SYSTEM = frozenset(("system", "information_schema", "INFORMATION_SCHEMA", "_temporary_and_external_tables"))
TABLES = "SELECT database, name, engine, comment, total_rows FROM system.tables WHERE database IN ({names}) AND NOT is_temporary ORDER BY 1, 2"
COLUMNS = (
    "SELECT database, table, name, type, comment FROM system.columns WHERE database IN ({names}) "
    "ORDER BY database, table, position"
)
MADE = "SELECT name FROM system.functions WHERE origin <> 'System' ORDER BY 1"

WRITES = (
    *("INSERT", "ALTER", "CREATE", "DROP", "TRUNCATE", "OPTIMIZE", "UNDROP", "MOVE", "BACKUP", "RESTORE"),
    *("DELETE", "UPDATE", "RENAME"),
)
# Words of a grant, the code of the power it is, and what it lets one do.
GRANTS: tuple[tuple[str, str, str], ...] = (
    (r"\bALL\b", "superuser", "do everything that ClickHouse can"),
    (rf"\b({'|'.join(WRITES)})\b", "write", "write or change tables"),
    (r"\b(CREATE|ALTER|DROP) (USER|ROLE|QUOTA|SETTINGS PROFILE|ROW POLICY)|\bACCESS MANAGEMENT\b|\bROLE ADMIN\b", "create_roles", "make or change users"),
    (r"\bSOURCES\b|\b(READ|WRITE) ON|\b(FILE|URL|S3|REMOTE|MYSQL|POSTGRES|ODBC|JDBC|HDFS|MONGO)\b", "server_files", "open files, addresses and other servers"),
    (r"\bSYSTEM\b|\bKILL (QUERY|TRANSACTION)\b", "administer", "control the server or other people's statements"),
    (r"\bCREATE FUNCTION\b", "programs", "make functions"),
)  # fmt: skip

ADVICE = (
    "Every statement runs with readonly = 1, and a user that can only read is the better lock: have an administrator "
    "of the server run these statements, then connect as that user."
)


def read_catalog(ask: Ask, database: str, others: Sequence[str] = ()) -> Catalog:
    """Read the tables of `database`, and of the others named; `*` names all that this user sees."""
    there = [str(row[0]) for row in ask("SELECT name FROM system.databases ORDER BY 1")]
    wanted = there if "*" in others else [name for name in there if name in others]
    spaces = [database, *(name for name in wanted if name != database and name not in SYSTEM)]
    names = ", ".join(map(text, spaces))
    columns: dict[tuple[str, str], list[Column]] = defaultdict(list)
    for space, table, name, type_, comment in ask(COLUMNS.format(names=names)):
        shown = Column(
            str(name), str(type_), kind_of(str(type_)), is_nullable(str(type_)), str(comment or "")
        )
        columns[str(space), str(table)].append(shown)
    tables = []
    for space, name, engine, comment, rows in ask(TABLES.format(names=names)):
        schema = "" if space == database else str(space)
        is_view = str(engine).endswith("View")
        estimate = None if is_view or rows is None else int(str(rows))
        own = tuple(columns[str(space), str(name)])
        tables.append(Table(str(name), own, schema, (), (), str(comment or ""), estimate, is_view))
    found = tuple(table for table in tables if table.columns and not table.name.startswith(".inner"))
    made = tuple(str(row[0]).lower() for row in ask(MADE))
    return Catalog("clickhouse", found, structure_hash(found, made), database, made, exact_names=True)


def read_check(ask: Ask, user: str, database: str, started: float) -> Check:
    """Tell the version, what this user was granted beyond SELECT, and how to have one that was not."""
    ((version, known),) = ask("SELECT version(), currentUser()")
    grants = [str(row[0]) for row in ask("SHOW GRANTS")]
    powers = severest_first(powers_of(grants))
    name = "mirror_reader"
    steps = (
        ReaderStep(
            "Make a user that only reads",
            f"CREATE USER {name} IDENTIFIED WITH sha256_password BY '{PASSWORD_HERE}';\n"
            f"GRANT SELECT ON {quoted(database)}.* TO {name};",
            "A user has no other right until somebody grants it.",
        ),
    )
    server = f"ClickHouse {version}"
    seconds = time.monotonic() - started
    return Check(
        server, str(known or user), powers, steps if powers else (), ADVICE if powers else "", seconds
    )


def powers_of(grants: Iterable[str]) -> list[Power]:
    """Read what grants let somebody do beyond SELECT.

    Example:
        >>> [power.code for power in powers_of(["GRANT SELECT ON shop.* TO reader"])]
        []
        >>> [power.code for power in powers_of(["GRANT SELECT, INSERT ON shop.* TO app WITH GRANT OPTION"])]
        ['write', 'grant']
    """
    powers: dict[str, Power] = {}
    for grant in grants:
        rights = re.sub(r"\bSHOW [A-Z ]+", "", grant.partition(" TO ")[0].removeprefix("GRANT "))
        for pattern, code, words in GRANTS:
            if re.search(pattern, rights):
                powers.setdefault(code, Power(code, words))
        if "WITH GRANT OPTION" in grant:
            powers.setdefault("grant", Power("grant", "give its rights to others"))
    return list(powers.values())


ESTIMATED = "SELECT database, name, total_rows, total_bytes_uncompressed FROM system.tables WHERE total_rows > 0 AND (database, name) IN ({names})"


def read_estimate(ask: Ask, sql: str) -> float:
    """Tell about how many bytes a statement would read at most: of each table the part that its keys leave, whole rows.

    0 where ClickHouse reads none of its own tables for it.
    """
    rows = {(str(row[0]), str(row[1])): int(str(row[3])) for row in ask(f"EXPLAIN ESTIMATE {sql}")}
    if not rows:
        return 0.0
    names = ", ".join(f"({text(space)}, {text(name)})" for space, name in rows)
    sizes = ask(ESTIMATED.format(names=names))
    return sum(rows[str(s), str(n)] / int(str(total)) * int(str(size or 0)) for s, n, total, size in sizes)


_WRAPPED = re.compile(r"(?:Nullable|LowCardinality|SimpleAggregateFunction)\((?:\w+, )?(?P<within>.*)\)")
_KINDS: tuple[tuple[str, Kind], ...] = (
    (r"U?Int\d+|IntervalDay", Kind.INTEGER),
    (r"(Float|BFloat)\d+|Decimal.*", Kind.NUMBER),
    (r"Bool", Kind.BOOLEAN),
    (r"Date|Date32", Kind.DATE),
    (r"DateTime.*", Kind.DATETIME),
    (r"Time(64)?(\(.*\))?", Kind.TIME),
    (r"String|Enum\d*\(.*|UUID|IPv[46]", Kind.TEXT),
    (r"FixedString\(.*", Kind.BINARY),
)


def kind_of(type_: str) -> Kind:
    """Tell what a column of a type holds.

    Example:
        >>> kind_of("LowCardinality(Nullable(String))"), kind_of("Array(UInt8)"), kind_of("Decimal(20, 4)")
        (<Kind.TEXT: 'text'>, <Kind.OTHER: 'other'>, <Kind.NUMBER: 'number'>)
    """
    while found := _WRAPPED.fullmatch(type_):
        type_ = found["within"]
    return next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, type_)), Kind.OTHER)


def is_nullable(type_: str) -> bool:
    """Say whether a column of a type may hold NULL."""
    return "Nullable(" in type_.partition("Array(")[0]


def quoted(name: str) -> str:
    """Quote an identifier for ClickHouse, which takes a backslash for a sign of its own.

    Example:
        >>> quoted("a`b")
        '`a\\\\`b`'
    """
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def text(value: str) -> str:
    """Write a text for ClickHouse.

    Example:
        >>> text("it's")
        "'it\\\\'s'"
    """
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
