"""Powers of a role of PostgreSQL beyond reading, and the statements that make a role without them.

Asked in a few bulk reads of `pg_catalog`, by whichever driver. Rights that everybody has by PUBLIC
count like any others, so the statements come in two steps: a role of its own, and what has to be taken from
everybody, as PostgreSQL knows no way to deny one role what PUBLIC may.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import LiteralString

from sqlagent.adapters.base import Row, quoted, severest_first
from sqlagent.values import PASSWORD_HERE, Power, ReaderStep, Severity

Ask = Callable[[LiteralString], list[Row]]

READER = "mirror_reader"
# Predefined roles, the code and the words of what they give (https://www.postgresql.org/docs/current/predefined-roles.html).
ROLES = {
    "pg_write_all_data": ("write_all_data", "write to every table, by the role pg_write_all_data"),
    "pg_read_server_files": (
        "server_files",
        "read files of the server's machine, by the role pg_read_server_files",
    ),
    "pg_write_server_files": (
        "server_files",
        "write files of the server's machine, by the role pg_write_server_files",
    ),
    "pg_execute_server_program": (
        "programs",
        "run programs on the server's machine, by the role pg_execute_server_program",
    ),
    "pg_signal_backend": ("signal", "end other people's sessions, by the role pg_signal_backend"),
    "pg_maintain": ("lock_tables", "lock and rewrite every table, by the role pg_maintain"),
    "pg_create_subscription": ("administer", "make subscriptions, by the role pg_create_subscription"),
    "pg_checkpoint": ("server_facts", "ask for checkpoints, by the role pg_checkpoint"),
}
# Extensions whose functions leave the database, run statements in sessions of their own, or keep what is stored.
REACHING: LiteralString = "'dblink', 'adminpack', 'http', 'pg_net', 'pg_background', 'pg_cron', 'plproxy', 'orafce', 'pgagent', 'lo'"
# Functions of PostgreSQL's own that everybody may call, and that leave something behind from a role without any right.
LASTING: LiteralString = (
    "'lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message', "
    "'pg_terminate_backend', 'pg_cancel_backend'"
)
SIGNALS = ("pg_terminate_backend", "pg_cancel_backend")

_OWN: LiteralString = "left(n.nspname, 3) <> 'pg_' AND n.nspname <> 'information_schema'"
_BY_PUBLIC: LiteralString = "a.grantee = 0 AND a.privilege_type"

ME: LiteralString = """
SELECT current_user::text, current_database()::text, current_setting('server_version_num')::int,
       r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls,
       has_database_privilege(current_database(), 'CREATE'), has_database_privilege(current_database(), 'TEMPORARY')
FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user
"""
MEMBER: LiteralString = """
SELECT m.rolname::text, left(m.rolname, 3) = 'pg_', pg_has_role(m.oid, 'USAGE') FROM pg_catalog.pg_roles AS m
WHERE m.rolname <> current_user AND pg_has_role(m.oid, 'MEMBER') ORDER BY 1
"""
TABLES: LiteralString = f"""
SELECT n.nspname::text, c.relkind = 'S', pg_has_role(c.relowner, 'USAGE'), count(*), min(c.relname)::text
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE {_OWN} AND has_schema_privilege(n.oid, 'USAGE') AND (
      c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (pg_has_role(c.relowner, 'USAGE')
          OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
          OR has_any_column_privilege(c.oid, 'INSERT, UPDATE'))
   OR c.relkind = 'S' AND (CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(c.oid, 'USAGE, UPDATE') END))
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""  # noqa: S608 - nothing but constants
SCHEMAS: LiteralString = f"""
SELECT n.nspname::text, has_schema_privilege(n.oid, 'CREATE'), EXISTS (
       SELECT FROM aclexplode(COALESCE(n.nspacl, acldefault('n', n.nspowner))) AS a WHERE {_BY_PUBLIC} = 'CREATE')
FROM pg_catalog.pg_namespace AS n WHERE {_OWN} AND has_schema_privilege(n.oid, 'USAGE') ORDER BY 1
"""  # noqa: S608
# Triggers' functions cannot be called.
FUNCTIONS: LiteralString = f"""
SELECT quote_ident(n.nspname) || '.' || quote_ident(p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')',
       e.extname::text, p.prosecdef, l.lanname::text,
       has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE'),
       EXISTS (SELECT FROM aclexplode(COALESCE(p.proacl, acldefault('f', p.proowner))) AS a WHERE {_BY_PUBLIC} = 'EXECUTE')
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
LEFT JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid
      AND d.deptype = 'e' AND d.refclassid = 'pg_catalog.pg_extension'::regclass
LEFT JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid
WHERE p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype) AND (
      e.extname IN ({REACHING}) OR p.prosecdef
   OR NOT l.lanpltrusted AND e.extname IS NULL AND n.nspname <> 'pg_catalog')
ORDER BY 1
"""  # noqa: S608
LASTING_FUNCTIONS: LiteralString = f"""
SELECT 'pg_catalog.' || quote_ident(p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')',
       p.proname::text, has_function_privilege(p.oid, 'EXECUTE'),
       EXISTS (SELECT FROM aclexplode(COALESCE(p.proacl, acldefault('f', p.proowner))) AS a WHERE {_BY_PUBLIC} = 'EXECUTE')
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = 'pg_catalog' AND p.proname IN ({LASTING}) ORDER BY 1
"""  # noqa: S608
PUBLIC_TABLES: LiteralString = f"""
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relkind = 'S',
       string_agg(DISTINCT a.privilege_type, ', ' ORDER BY a.privilege_type)
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(c.relacl) AS a
WHERE {_OWN} AND a.grantee = 0 AND CASE WHEN c.relkind = 'S' THEN a.privilege_type IN ('USAGE', 'UPDATE')
      ELSE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.privilege_type NOT IN ('SELECT', 'REFERENCES') END
GROUP BY 1, 2 ORDER BY 1
"""  # noqa: S608
PUBLIC_TEMPORARY: LiteralString = f"""
SELECT EXISTS (SELECT FROM aclexplode(COALESCE(d.datacl, acldefault('d', d.datdba))) AS a WHERE {_BY_PUBLIC} = 'TEMPORARY')
FROM pg_catalog.pg_database AS d WHERE d.datname = current_database()
"""  # noqa: S608
OBJECT_OWNERS: LiteralString = """
SELECT DISTINCT r.rolname::text FROM pg_catalog.pg_largeobject_metadata AS o
JOIN pg_catalog.pg_roles AS r ON r.oid = o.lomowner WHERE NOT r.rolsuper ORDER BY 1
"""
OWNERS: LiteralString = f"""
SELECT DISTINCT n.nspname::text, pg_get_userbyid(c.relowner)::text
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND {_OWN} ORDER BY 1, 2
"""  # noqa: S608
PATH: LiteralString = """
SELECT s::text FROM unnest(current_schemas(false)) AS s WHERE s <> 'pg_catalog' AND left(s, 8) <> 'pg_temp_'
"""
READERS: LiteralString = (
    "SELECT rolname::text FROM pg_catalog.pg_roles WHERE left(rolname, 13) = 'mirror_reader'"
)


@dataclass(frozen=True, slots=True)
class Everybody:
    """Rights of PUBLIC that a reader does not need: objects as SQL names them."""

    makes_temporary: bool
    schemas: tuple[str, ...]
    tables: tuple[tuple[str, bool, str], ...]
    functions: tuple[str, ...]
    lasting: tuple[tuple[str, str], ...]

    def __bool__(self) -> bool:
        return bool(self.makes_temporary or self.schemas or self.tables or self.functions or self.lasting)


def read_powers(ask: Ask) -> tuple[tuple[Power, ...], tuple[ReaderStep, ...]]:
    """Tell what the session's user may do beyond reading, and the steps that make a user that may not.

    A user that may nothing notable needs no other: it gets the second step alone, where there is something in it.
    """
    ((user, database, version, is_super, *may),) = ask(ME)
    schemas, functions, lasting = ask(SCHEMAS), ask(FUNCTIONS), ask(LASTING_FUNCTIONS)
    powers: tuple[Power, ...]
    if is_super:
        powers = (Power("superuser", "do everything on the server: it is a superuser"),)
    else:
        powers = severest_first(
            [
                *_by_attributes(database, *may),
                *_by_roles(ask(MEMBER)),
                *_by_tables(ask(TABLES)),
                *(
                    Power("create", f"make new tables and functions in schema {row[0]}")
                    for row in schemas
                    if row[1]
                ),
                *_by_functions([row for row in functions if row[4]]),
                *_by_lasting({row[1] for row in lasting if row[2]}),
            ]
        )
    open_to_all = Everybody(
        bool(ask(PUBLIC_TEMPORARY)[0][0]),
        tuple(row[0] for row in schemas if row[2]),
        tuple((row[0], bool(row[1]), row[2]) for row in ask(PUBLIC_TABLES)),
        tuple(row[0] for row in functions if row[5]),
        tuple((row[0], row[1]) for row in lasting if row[3]),
    )
    steps: list[ReaderStep] = []
    if any(power.severity is not Severity.MILD for power in powers):
        name = _free(READER, {str(row[0]) for row in ask(READERS)})
        owners: dict[str, list[str]] = defaultdict(list)
        for schema, owner in ask(OWNERS):
            owners[schema].append(owner)
        path = [str(row[0]) for row in ask(PATH)]
        steps.append(reader_step(name, database, {row[0]: owners[row[0]] or [user] for row in schemas}, path))
    if open_to_all and powers:
        steps.append(everybody_step(database, open_to_all, [str(row[0]) for row in ask(OBJECT_OWNERS)]))
    return powers, tuple(steps)


def _by_attributes(
    database: str,
    makes_roles: bool,
    makes_databases: bool,
    replicates: bool,
    passes_rows: bool,
    creates: bool,
    temporary: bool,
) -> Iterator[Power]:
    told = (
        (makes_roles, "create_roles", "make roles and put itself into others (CREATEROLE)"),
        (replicates, "replication", "copy the whole server, all databases of it (REPLICATION)"),
        (makes_databases, "create_databases", "make databases (CREATEDB)"),
        (passes_rows, "bypass_row_security", "see rows that row security hides from others (BYPASSRLS)"),
        (creates, "create", f"make new schemas in database {database}"),
        (temporary, "temporary", f"make temporary tables in database {database}"),
    )
    return (Power(code, words) for is_so, code, words in told if is_so)


def _by_roles(members: Iterable[Row]) -> Iterator[Power]:
    for name, is_predefined, is_inherited in members:
        if name in ROLES:
            yield Power(*ROLES[name])
        elif not is_predefined and not is_inherited:
            yield Power("become", f"become the role {name}, and do what that may")


def _by_tables(rows: Iterable[Row]) -> Iterator[Power]:
    for schema, is_sequence, is_owner, count, example in rows:
        shown = f"{example}{', ...' * (count > 1)}"
        if is_sequence:
            yield Power("sequences", f"move {_several(count, 'sequence')} in schema {schema} ({shown})")
        elif is_owner:
            yield Power(
                "own",
                f"change and drop {_several(count, 'table')} of its own in schema {schema} ({shown})",
            )
        else:
            yield Power("write", f"write to {_several(count, 'table')} in schema {schema} ({shown})")


def _by_functions(rows: Iterable[Row]) -> Iterator[Power]:
    reaching: dict[str, int] = defaultdict(int)
    definers: list[str] = []
    for name, extension, is_definer, language, *_ in rows:
        if extension is not None and not is_definer:
            reaching[f"of the extension {extension}"] += 1
        elif language in ("c", "internal") or not is_definer:
            reaching[f"in the language {language}, which may do anything"] += 1
        else:
            definers.append(name)
    for what, count in reaching.items():
        yield Power("dangerous_functions", f"call {_several(count, 'function')} {what}")
    if definers:
        shown = f"{definers[0]}{', ...' * (len(definers) > 1)}"
        words = f"call {_several(len(definers), 'function')} with the rights of those who made them ({shown})"
        yield Power("definer_functions", words)


def _by_lasting(names: set[str]) -> Iterator[Power]:
    if names - set(SIGNALS):
        yield Power("large_objects", "store large objects")
    if names & set(SIGNALS):
        yield Power("own_sessions", "end other sessions of the same role")


def reader_step(name: str, database: str, schemas: dict[str, list[str]], path: list[str]) -> ReaderStep:
    """Write the SQL that makes a role which can only read; `schemas` are named with those who own tables there.

    Example:
        >>> print(reader_step("mirror_reader", "shop", {"public": ["ann"]}, ["public"]).sql.splitlines()[2])
        GRANT CONNECT ON DATABASE "shop" TO "mirror_reader";
    """
    role, base = quoted(name), quoted(database)
    searched = ", ".join(["pg_catalog", *map(quoted, path)])
    lines = [
        f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD_HERE}'",
        "    NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;",
        f"GRANT CONNECT ON DATABASE {base} TO {role};",
        f"ALTER ROLE {role} SET default_transaction_read_only = on;",
        f"ALTER ROLE {role} SET statement_timeout = '15min';",
        f"ALTER ROLE {role} SET lock_timeout = '10s';",
        f"ALTER ROLE {role} SET idle_in_transaction_session_timeout = '15min';",
        f"ALTER ROLE {role} IN DATABASE {base} SET search_path = {searched};",
    ]
    for schema, owners in schemas.items():
        place = quoted(schema)
        lines.append(f"GRANT USAGE ON SCHEMA {place} TO {role};")
        lines.append(f"GRANT SELECT ON ALL TABLES IN SCHEMA {place} TO {role};")
        lines += [
            f"ALTER DEFAULT PRIVILEGES FOR ROLE {quoted(owner)} IN SCHEMA {place} GRANT SELECT ON TABLES TO {role};"
            for owner in owners
        ]
    note = (
        "Use it for Mirror alone. As a superuser, bound its temporary files too: "
        f"ALTER ROLE {role} SET temp_file_limit = '10GB'."
    )
    return ReaderStep("Make a role that only reads", "\n".join(lines), note)


def everybody_step(database: str, may: Everybody, keepers: list[str]) -> ReaderStep:
    """Write the SQL that takes from PUBLIC what a reader does not need.

    `keepers` are roles that own large objects: those go on making them.
    """
    base, lines = quoted(database), []
    if may.makes_temporary:
        lines.append(f"REVOKE TEMPORARY ON DATABASE {base} FROM PUBLIC;")
    lines += [f"REVOKE CREATE ON SCHEMA {quoted(schema)} FROM PUBLIC;" for schema in may.schemas]
    for name, is_sequence, privileges in may.tables:
        lines.append(f"REVOKE {privileges} ON {'SEQUENCE' if is_sequence else 'TABLE'} {name} FROM PUBLIC;")
    if may.functions:
        lines += ["REVOKE EXECUTE ON ROUTINE", "    " + ",\n    ".join(may.functions), "FROM PUBLIC;"]
    for name, short in may.lasting:
        lines.append(f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC;")
        kept = ["pg_signal_backend"] if short in SIGNALS else [quoted(keeper) for keeper in keepers]
        if kept and short != "pg_logical_emit_message":
            lines.append(f"GRANT EXECUTE ON FUNCTION {name} TO {', '.join(kept)};")
    note = (
        "PostgreSQL lets every role do these things, and can deny them to one only by taking them from all. "
        "Roles that need one get it back, for instance: "
        f"GRANT TEMPORARY ON DATABASE {base} TO its_role. It takes the owner of the database, or a superuser."
    )
    return ReaderStep(
        "Take from everybody what a reader does not need", "\n".join(lines), note, is_for_everybody=True
    )


def _free(name: str, taken: set[str]) -> str:
    """Give a name that is not taken yet."""
    return next(each for each in (name, *(f"{name}_{n}" for n in range(2, 1_000))) if each not in taken)


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'s'[: count != 1]}"
