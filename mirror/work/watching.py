"""A worker's watch beside its work: it renews its lease, and hears of a wish to stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from time import monotonic

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from mirror.work.leases import Lease, lease_end

log = logging.getLogger(__name__)


class Watch:
    """Looks at a leased row from a thread of its own while a worker works on it.

    Every `POLL_SECONDS` it reads the row: a wish to stop or a lost lease sets `cancelled` and
    calls `cancel` (again and again, because a statement may begin just after). The lease is
    renewed each third of its time.
    """

    # Stop works within half a second: the row is read twice in it.
    POLL_SECONDS = 0.25

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.cancelled = threading.Event()
        self.is_lost = False
        self.is_stopped = False
        self.cancel: Callable[[], None] | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._look,), name=f"watch-{lease.pk}", daemon=True
        )

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    @contextmanager
    def ending(self, cancel: Callable[[], None]) -> Iterator[None]:
        """Call `cancel` while the body runs, should the work be stopped or the lease be lost."""
        self.cancel = cancel
        try:
            yield
        finally:
            self.cancel = None

    def _look(self) -> None:
        renewed, is_away = monotonic(), False
        try:
            while not self._ended.wait(self.POLL_SECONDS):
                try:
                    self._read()
                    is_away = False
                    if monotonic() - renewed > settings.LEASE_SECONDS / 3:
                        self.lease.held().update(lease_until=lease_end())
                        renewed = monotonic()
                except (DatabaseError, InterfaceError) as error:
                    if not is_away:
                        log.warning("The store could not be read: %s", error)
                    is_away = True
                    connection.close()
                if self.cancelled.is_set() and self.cancel is not None:
                    self.cancel()
        finally:
            connection.close()

    def _read(self) -> None:
        row = self.lease.held().values("stop_requested").first()
        self.is_lost = row is None
        self.is_stopped = bool(row and row["stop_requested"])
        if self.is_lost or self.is_stopped:
            self.cancelled.set()
