"""One message at a worker: it takes the row, does its work, and lets the next in whatever became of it."""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any

from django.db import connection

from mirror.logs import lines_about
from mirror.work.kinds import KINDS, Kind, tell
from mirror.work.leases import Lease, give_back
from mirror.work.store import StoreError, store_wait
from mirror.work.turns import turn_pass, turn_take

log = logging.getLogger(__name__)

# How long a worker waits for a store that stays away, to give back what it could not go on with (seconds).
PATIENCE_SECONDS = 900.0


def work_do(name: str, pk: Any) -> bool:
    """Do the work of one row, if no other worker has it and it is its turn; return whether that was so.

    An error nobody expected ends the row and is raised. Where the store stays away the row is given back once it is
    there again, which costs no attempt; where that takes too long, it is handed back after its lease: an attempt.
    Lines of the log name the row.
    """
    with lines_about(work=name, row=pk):
        return _work_do(KINDS[name], pk)


def _work_do(kind: Kind, pk: Any) -> bool:
    import_module(kind.module)
    lease = store_wait(lambda: turn_take(kind.model, pk))
    if lease is None:
        return False
    try:
        try:
            _do(kind, lease)
        finally:
            turn_pass(lease)
    except StoreError as error:
        log.warning("The store is away, %s %s is left: %s", kind.model.__name__, pk, error)
        if _given_back(lease):
            tell(kind, pk)
    return True


def _do(kind: Kind, lease: Lease) -> None:
    with lines_about(**store_wait(lambda: _logged(kind, lease))):
        try:
            kind.do(lease)
        except StoreError:
            raise
        except Exception:
            kind.broke(lease)
            raise


def _logged(kind: Kind, lease: Lease) -> dict[str, Any]:
    """Fields of log lines about a row: the run it belongs to."""
    if set(kind.logged.values()) <= {"pk"}:
        return dict.fromkeys(kind.logged, lease.pk)
    row = kind.model._default_manager.filter(pk=lease.pk).values(*kind.logged.values()).first() or {}
    return {name: row.get(field) for name, field in kind.logged.items()}


def _given_back(lease: Lease) -> bool:
    connection.close()
    try:
        return store_wait(lambda: give_back(lease), PATIENCE_SECONDS)
    except StoreError:
        return False
