"""A session of PostgreSQL that reads: how it is set up, stopped and ended."""

from __future__ import annotations

from typing import Any, LiteralString

import psycopg
from psycopg import pq

from sqlagent.adapters.base import Flight, hang_up

LOCK_SECONDS = 5.0

# A session that reads: what `set_config` sets with `true` lasts for the transaction, so that a
# pooler's connection goes back as it came.
# "$user" is spelt out because the role may change.
SETUP: LiteralString = """
SELECT set_config('statement_timeout', %(statement)s, true),
       set_config('lock_timeout', %(lock)s, true),
       set_config('idle_in_transaction_session_timeout', %(idle)s, true),
       set_config('standard_conforming_strings', 'on', true),
       set_config('intervalstyle', 'postgres', true),
       set_config('datestyle', 'ISO, YMD', true),
       set_config('search_path',
                  replace(current_setting('search_path'), '"$user"', quote_ident(current_user)), true),
       (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)
       AND EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'pg_read_all_data')
"""
DROP_POWERS: LiteralString = (
    "SELECT set_config('row_security', 'off', true), set_config('role', 'pg_read_all_data', true)"
)


def set_up(connection: psycopg.Connection[Any], flight: Flight, *, as_is: bool = False) -> None:
    """Begin the read-only transaction, its deadlines set; a superuser's powers go, except `as_is`."""
    row = connection.execute(
        SETUP,
        {
            "statement": str(max(1, int(flight.left() * 1_000))),
            "lock": str(int(min(flight.left(), LOCK_SECONDS) * 1_000) or 1),
            "idle": str(int(flight.seconds * 1_000) + 60_000),
        },
    ).fetchone()
    if row is not None and row[-1] and not as_is:
        connection.execute(DROP_POWERS)


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
