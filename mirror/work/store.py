"""A store that goes away for a while is waited for: what a worker writes is written again.

Where it stays away for longer, work stops and its row is given back (`mirror.work.doing`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction

log = logging.getLogger(__name__)

# Errors of Django when the store is away, and of SQLite when others write for too long.
StoreError = (OperationalError, InterfaceError)
# How long a write is tried again while the store is away: an outage of a minute is survived, with what a server takes
# to start anew. And the first and longest wait between two tries (seconds).
AWAY_SECONDS = 75.0
FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0


T = TypeVar("T")


def store_wait(call: Callable[[], T], seconds: float | None = None) -> T:
    """Call, and again while the store is away; within a transaction, just call.

    For workers: a page cannot wait. Raises: what the store raised last when it stays away for `seconds`, or
    `AWAY_SECONDS`.
    """
    if connection.in_atomic_block:
        return call()
    until, wait = monotonic() + (AWAY_SECONDS if seconds is None else seconds), FIRST_WAIT
    while True:
        try:
            return call()
        except StoreError as error:
            connection.close()
            if monotonic() + wait > until:
                raise
            if wait == FIRST_WAIT:
                log.warning("The store is away, a worker waits for it: %s", error)
            sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)


def store_keep(
    write: Callable[[], object], is_kept: Callable[[], bool] = lambda: False, *, seconds: float | None = None
) -> None:
    """Call `write` in one transaction, and again while the store is away, as `store_wait` does.

    It may be called several times; `is_kept` says whether an earlier call went through and only its answer was
    lost, where twice would be once too often.
    """
    is_tried = False

    def once() -> None:
        nonlocal is_tried
        if is_tried and is_kept():
            return
        is_tried = True
        with transaction.atomic():
            write()

    if connection.in_atomic_block:
        write()
    else:
        store_wait(once, seconds)
