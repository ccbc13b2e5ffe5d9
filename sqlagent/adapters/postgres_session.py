"""A session of PostgreSQL that reads: how it is set up, what it looks for first, how it is stopped and ended.

A superuser's powers are set aside by SET ROLE, which a statement may take back (`set_config('role', ...)`): no
setting of PostgreSQL keeps a session from that. So in a superuser's session PostgreSQL is asked first how it
reads the statement, and one that calls a function that acts is not run. The others have no powers to take back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, LiteralString

import psycopg
from psycopg import generators, pq, sql

from sqlagent.adapters.base import MARKER_COLUMN, MARKER_TABLE
from sqlagent.adapters.failures import is_the_store, refused
from sqlagent.adapters.flights import Flight, hang_up

LOCK_SECONDS = 5.0
# Bytes that a statement may spill to the server's disk, where its session may say so and nothing else is said.
TEMPORARY_FILES = "10GB"

# A session that reads: what `set_config` sets with `true` lasts for the transaction, so that a
# pooler's connection goes back as it came. Every name is given with its schema: until the path is set, the
# one the role came with may put others' functions before PostgreSQL's own.
# The path that is set lacks pg_catalog, which is therefore searched first, and ends in pg_temp, where tables
# that others left in a pooler's connection would come first. "$user" is spelt out, as the role may change.
SETUP: LiteralString = """
SELECT pg_catalog.set_config('statement_timeout', %(statement)s, true),
       pg_catalog.set_config('lock_timeout', %(lock)s, true),
       pg_catalog.set_config('idle_in_transaction_session_timeout', %(idle)s, true),
       pg_catalog.set_config('standard_conforming_strings', 'on', true),
       pg_catalog.set_config('intervalstyle', 'postgres', true),
       pg_catalog.set_config('datestyle', 'ISO, YMD', true),
       pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', (
           SELECT pg_catalog.string_agg(pg_catalog.quote_ident(s::pg_catalog.text), ', ' ORDER BY place)
           FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS u(s, place)
           WHERE s OPERATOR(pg_catalog.<>) 'pg_catalog'
             AND NOT pg_catalog.starts_with(s::pg_catalog.text, 'pg_temp_')), 'pg_temp'), true),
       (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) current_user),
       EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) 'pg_read_all_data'),
       EXISTS (SELECT FROM pg_catalog.pg_class WHERE relname OPERATOR(pg_catalog.=) %(marker)s)
"""
# Since 17: a bound on the whole transaction. Since 15: a user with the grant may bound temporary files.
FROM_17: LiteralString = "SELECT pg_catalog.set_config('transaction_timeout', %(idle)s, true)"
BOUND_FILES: LiteralString = """
SELECT pg_catalog.set_config('temp_file_limit', %(files)s, true)
WHERE pg_catalog.current_setting('temp_file_limit') = '-1'
"""
DROP_POWERS: LiteralString = (
    "SELECT set_config('row_security', 'off', true), set_config('role', 'pg_read_all_data', true)"
)

# Has PostgreSQL tell how it reads what is prepared next, to this session and not to the server's log.
TELL_TREES: LiteralString = """
SELECT set_config('role', 'none', true), set_config('log_min_messages', 'panic', true),
       set_config('client_min_messages', 'log', true), set_config('debug_pretty_print', 'off', true),
       set_config('debug_print_rewritten', 'on', true), set_config('role', 'pg_read_all_data', true)
"""
_CALLED = re.compile(r":(?:funcid|opfuncid|aggfnoid|winfnoid|tsmhandler|hashfuncid|negfuncid) (\d+)")
_EXPLAINED = re.compile(r"\s*EXPLAIN\s*(\([^()]*\)|((ANALYZE|ANALYSE|VERBOSE)\s+)*)", re.IGNORECASE)
_SHOWS = re.compile(r"\s*SHOW\s", re.IGNORECASE)
# Of PostgreSQL's own functions that are not the same each time they are called, those that only look.
_HARMLESS = """
    random random_normal setseed gen_random_uuid uuidv4 uuidv7 clock_timestamp timeofday current_query bernoulli
    system pg_jit_available pg_is_in_recovery pg_lock_status pg_prepared_xact pg_blocking_pids
    pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_partition_tree pg_partition_ancestors
    pg_notification_queue_usage pg_last_committed_xact pg_collation_actual_version
    pg_database_collation_actual_version pg_stat_have_stats txid_status pg_database_size pg_tablespace_size
    pg_relation_size pg_table_size pg_indexes_size pg_total_relation_size pg_xact_status pg_xact_commit_timestamp
    pg_show_replication_origin_status pg_current_wal_lsn pg_current_wal_insert_lsn pg_current_wal_flush_lsn
    pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_is_wal_replay_paused
"""
HARMLESS = _HARMLESS.split()
# Of all others: those in a language that may do anything, and those that run with their owner's rights.
ACTING: LiteralString = """
SELECT n.nspname::text, p.proname::text FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace JOIN pg_language AS l ON l.oid = p.prolang
WHERE p.oid = ANY(%s::oid[]) AND CASE WHEN n.nspname = 'pg_catalog'
      THEN p.provolatile = 'v' AND p.proname <> ALL(%s) AND NOT starts_with(p.proname::text, 'pg_stat_get_')
      ELSE p.prosecdef OR p.provolatile = 'v' AND NOT l.lanpltrusted END
ORDER BY 1, 2 LIMIT 1
"""
SEVERAL_MARKERS: LiteralString = """
SELECT n.nspname::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = %s AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
"""


class Session(psycopg.Connection[Any]):
    """A connection that knows whether its superuser's powers were set aside."""

    is_set_aside = False


def set_up(connection: Session, flight: Flight, *, as_is: bool = False, store_mark: str = "") -> None:
    """Begin the read-only transaction, its deadlines set; a superuser's powers go, except `as_is`.

    Raises: StatementFailed where the database is the store of that mark, psycopg.Error.
    """
    idle = str(int(flight.seconds * 1_000) + 60_000)
    row = connection.execute(
        SETUP,
        {
            "statement": str(max(1, int(flight.left() * 1_000))),
            "lock": str(int(min(flight.left(), LOCK_SECONDS) * 1_000) or 1),
            "idle": idle,
            "marker": MARKER_TABLE,
        },
    ).fetchone()
    assert row is not None
    is_super, has_reading_role, is_marked = row[-3:]
    if is_marked and store_mark:
        _refuse_the_store(connection, store_mark)
    if connection.info.server_version >= 170_000:
        connection.execute(FROM_17, {"idle": idle})
    if is_super:
        connection.execute(BOUND_FILES, {"files": TEMPORARY_FILES})
    if is_super and has_reading_role and not as_is:
        connection.execute(DROP_POWERS)
        connection.is_set_aside = True


def _refuse_the_store(connection: Session, store_mark: str) -> None:
    """Read what the markers say; one that cannot be read is taken for the store's. Raises: StatementFailed."""
    for (schema,) in connection.execute(SEVERAL_MARKERS, (MARKER_TABLE,)).fetchall():
        place = sql.SQL("SELECT {} FROM {}").format(
            sql.Identifier(MARKER_COLUMN), sql.Identifier(schema, MARKER_TABLE)
        )
        try:
            said = connection.execute(place).fetchall()
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedColumn):
            raise is_the_store() from None
        if any(str(row[0]) == store_mark for row in said):
            raise is_the_store()


def look_first(connection: Session, text: str) -> None:
    """Refuse what would act, in a session whose superuser's powers were set aside: they could be taken back.

    PostgreSQL prepares the statement and tells its tree, in which functions are numbers: comments, quotes,
    spellings and notations are behind us there. Raises: StatementFailed, psycopg.Error.
    """
    if not connection.is_set_aside or _SHOWS.match(text):
        return
    # The words of EXPLAIN become blanks, so that places of mistakes are right.
    tree = _tree(connection, _EXPLAINED.sub(lambda found: " " * len(found[0]), text, count=1))
    if not tree.startswith("({QUERY :commandType 1 "):
        raise refused("In a superuser's session only queries run, and this is none.")
    called = sorted({int(number) for number in _CALLED.findall(tree)} - {0})
    found = connection.execute(ACTING, (called, HARMLESS)).fetchone()
    if found is not None:
        schema, name = found
        shown = name if schema == "pg_catalog" else f"{schema}.{name}"
        raise refused(f"The function {shown} acts, and is not called in a superuser's session.")


def _tree(connection: Session, text: str) -> str:
    """Have a statement prepared and give its tree as PostgreSQL tells it, on one line."""
    told: list[str] = []
    listen: Callable[[Any], None] = lambda said: told.append(said.message_detail or "")  # noqa: E731
    connection.execute("SAVEPOINT before_looking")
    connection.execute(TELL_TREES)
    connection.add_notice_handler(listen)
    try:
        connection.pgconn.send_prepare(b"", text.encode())
        results = connection.wait(generators.execute(connection.pgconn))
    finally:
        connection.remove_notice_handler(listen)
    if results[-1].status == pq.ExecStatus.FATAL_ERROR:
        raise psycopg.errors.error_from_result(results[-1])
    connection.execute("ROLLBACK TO before_looking")
    # Lines are broken at spaces.
    return next((tree.replace("\n", " ") for tree in told if tree.startswith("({QUERY")), "")


def cancel(connection: psycopg.Connection[Any]) -> None:
    """End what the connection runs, from another thread; a connection that is gone needs none."""
    try:
        connection.cancel_safe(timeout=2)
    except psycopg.Error:
        return


def drop(connection: psycopg.Connection[Any]) -> None:
    """Hang up on a server that does not end a statement, from another thread."""
    try:
        number = connection.pgconn.socket
    except psycopg.Error:  # it hung up first
        return
    hang_up(number)


def end(connection: psycopg.Connection[Any]) -> None:
    """Stop what still runs, roll back, close."""
    if connection.pgconn.transaction_status == pq.TransactionStatus.ACTIVE:
        cancel(connection)
    connection.close()
