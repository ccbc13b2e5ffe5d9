"""Powers of a user of MySQL or MariaDB beyond reading, and the statements that make a user without them.

Read off SHOW GRANTS, line by line: what is not known to be a read counts as a power.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from sqlagent.adapters.base import Row, severest_first
from sqlagent.values import PASSWORD_HERE, Power, ReaderStep

Ask = Callable[[str], list[Row]]

READER = "mirror_reader"
# They read, or say that there is nothing.
READING = frozenset(
    ("USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES", "SHOW CREATE ROUTINE", "REFERENCES", "SHOW_ROUTINE")
)
# Privileges by the code of what they give; one that stands nowhere here administers the server.
CODES: dict[str, tuple[str, ...]] = {
    "write": ("INSERT", "UPDATE", "DELETE", "DELETE HISTORY"),
    "change_tables": (
        *("CREATE", "DROP", "ALTER", "INDEX", "TRIGGER", "EVENT", "CREATE VIEW", "CREATE ROUTINE"),
        *("ALTER ROUTINE", "CREATE TABLESPACE"),
    ),
    "server_files": ("FILE",),
    "create_roles": ("CREATE USER", "CREATE ROLE", "DROP ROLE", "ROLE_ADMIN", "SET USER", "SET_USER_ID"),
    "replication": ("REPLICATION SLAVE", "BINLOG REPLAY"),
    "routines": ("EXECUTE",),
    "lock_tables": ("LOCK TABLES",),
    "other_statements": ("PROCESS",),
    "temporary": ("CREATE TEMPORARY TABLES",),
    "server_facts": ("REPLICATION CLIENT", "BINLOG MONITOR", "SLAVE MONITOR", "REPLICA MONITOR"),
}
_CODE_OF = {privilege: code for code, several in CODES.items() for privilege in several}
WORDS = {
    "write": "change rows",
    "change_tables": "make, change and drop tables and programs",
    "server_files": "read and write files of the server's machine",
    "create_roles": "make users and roles",
    "replication": "copy the whole server, all databases of it",
    "routines": "call programs, which may write with their owners' rights",
    "lock_tables": "lock tables",
    "other_statements": "see what everybody else runs",
    "temporary": "make temporary tables",
    "server_facts": "see the state of replication",
    "administer": "administer the server",
}
# Where password hashes are kept.
HASHES = re.compile(r"mysql\.(\*|user|global_priv)")

OTHERS = """
SELECT DISTINCT table_schema FROM information_schema.tables
WHERE table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys') ORDER BY 1
"""
LITERAL_NAMES = "SHOW VARIABLES LIKE 'partial_revokes'"


def read_powers(ask: Ask, database: str) -> tuple[tuple[Power, ...], tuple[ReaderStep, ...]]:
    """Tell what the session's user may do beyond reading, and the step that makes a user that may not.

    The new user may read `database` and the others this one was let into; of one that sees the whole server,
    `database` alone.
    """
    grants = [str(row[0]) for row in ask("SHOW GRANTS")]
    powers = severest_first(powers_of(grants))
    if not powers:
        return (), ()
    ((version, user),) = ask("SELECT VERSION(), CURRENT_USER()")
    others = [] if any(sees_all(grant) for grant in grants) else [str(row[0]) for row in ask(OTHERS)]
    is_literal = any(str(row[1]).upper() == "ON" for row in ask(LITERAL_NAMES))
    schemas = list(dict.fromkeys((database, *others)))
    name = READER if str(user).rpartition("@")[0] != READER else f"{READER}_2"
    return powers, (reader_step(name, schemas, str(version), is_literal=is_literal),)


def powers_of(grants: Iterable[str]) -> Iterator[Power]:
    """Tell what lines of SHOW GRANTS allow beyond reading.

    Example:
        >>> found = list(powers_of(["GRANT SELECT, INSERT, FILE ON *.* TO `ann`@`%` WITH GRANT OPTION"]))
        >>> [power.code for power in found]
        ['password_hashes', 'write', 'server_files', 'grant']
        >>> found[1].words
        'change rows everywhere on the server (INSERT)'
        >>> list(powers_of(["GRANT USAGE ON *.* TO `ann`@`%`", "GRANT SELECT ON `shop`.* TO `ann`@`%`"]))
        []
    """
    for grant in grants:
        said = re.match(r"GRANT (.+?) ON (?:(?:TABLE|FUNCTION|PROCEDURE|PACKAGE) )?(\S.*?) TO ", grant)
        if said is None or said[1] == "PROXY":
            taken = re.match(r"GRANT (.+?) TO ", grant)
            yield Power("become", f"become {taken[1] if taken else 'somebody else'}, and do what that may")
            continue
        where = _where(said[2])
        privileges = [part.strip().upper() for part in re.sub(r"\([^)]*\)", "", said[1]).split(",")]
        if {"SELECT", "ALL PRIVILEGES"} & set(privileges) and _has_hashes(said[2]):
            yield Power("password_hashes", "read the password hashes of all users (the schema mysql)")
        if "ALL PRIVILEGES" in privileges:
            code = "administer" if said[2] == "*.*" else "change_tables"
            yield Power(code, f"do everything {where} (ALL PRIVILEGES)")
            privileges = []
        several: dict[str, list[str]] = defaultdict(list)
        for privilege in privileges:
            if privilege not in READING:
                several[_CODE_OF.get(privilege, "administer")].append(privilege)
        for code, named in several.items():
            yield Power(code, f"{WORDS[code]} {where} ({', '.join(named)})")
        if " WITH GRANT OPTION" in grant:
            yield Power("grant", f"give its rights to others {where} (GRANT OPTION)")


def sees_all(grant: str) -> bool:
    """Tell whether a line of SHOW GRANTS lets its user read the whole server."""
    powers = grant.removeprefix("GRANT ").split(" ON ")[0].split(",")
    return " ON *.* " in grant and any(power.strip() in ("SELECT", "ALL PRIVILEGES") for power in powers)


def reader_step(name: str, schemas: Iterable[str], version: str, *, is_literal: bool = False) -> ReaderStep:
    r"""Write the SQL that makes a user which can only read `schemas`.

    An underscore in the name of a database stands for any character in GRANT, so it is escaped;
    `is_literal` says that this server takes names as they are (`partial_revokes`).

    Example:
        >>> print(reader_step("mirror_reader", ["web_shop"], "8.4.1").sql.splitlines()[1])
        GRANT SELECT ON `web\_shop`.* TO 'mirror_reader'@'%';
    """
    number = [int(part) for part in re.findall(r"\d+", version)[:3]]
    is_mariadb = "mariadb" in version.lower()
    keeps = "" if is_mariadb or number < [8, 0, 13] else " PASSWORD REQUIRE CURRENT"
    lines = [f"CREATE USER '{name}'@'%' IDENTIFIED BY '{PASSWORD_HERE}'{keeps};"]
    for schema in schemas:
        pattern = schema if is_literal else re.sub(r"([\\_%])", r"\\\1", schema)
        lines.append(f"GRANT SELECT ON {quoted(pattern)}.* TO '{name}'@'%';")
    note = "'%' lets it sign in from anywhere: put the address of the machine there that Mirror runs on."
    if is_mariadb:
        note += " Use it for Mirror alone: MariaDB lets every user change its own password."
    return ReaderStep("Make a user that only reads", "\n".join(lines), note)


def quoted(name: str) -> str:
    """Quote an identifier for MySQL."""
    return "`" + name.replace("`", "``") + "`"


def _where(scope: str) -> str:
    return "everywhere on the server" if scope == "*.*" else f"in {scope}"


def _has_hashes(scope: str) -> bool:
    """Tell whether a scope takes in the table of users: by its name, or by a pattern for names.

    Example:
        >>> [_has_hashes(scope) for scope in ("*.*", "`mysql`.*", "`%`.*", "`shop`.*", "`my%`.`user`")]
        [True, True, True, False, True]
    """
    schema, _, table = scope.replace("`", "").partition(".")
    if schema == "*":
        return True
    pattern = re.sub(
        r"\\.|%|_|.", lambda part: {"%": ".*", "_": "."}.get(part[0], re.escape(part[0][-1])), schema
    )
    return re.fullmatch(pattern, "mysql") is not None and HASHES.fullmatch(f"mysql.{table}") is not None
