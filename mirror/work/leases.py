"""Work that a worker takes from a row: claimed once, leased, handed back when its worker dies.

The row is the truth and the broker carries only its id. Every write of a worker carries the
fencing token it got with its lease, so one that lost the row can no longer change it.

A store that goes away does not end work: a write is tried again for `AWAY_SECONDS`, and after that, or
where something else was asked of it, the row is left as it is and handed back when its lease ends.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, models, transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

log = logging.getLogger(__name__)

# What Django raises when the store is away, and SQLite when others write for too long.
StoreError = (OperationalError, InterfaceError)
# How long a write is tried again while the store is away: longer than a server takes to start anew, or another to take
# its place. And the first and longest wait between two tries (seconds).
AWAY_SECONDS = 60.0
FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0


class Status(models.TextChoices):
    """Where a leased row stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class Leased(models.Model):
    """A row that one worker at a time may work on.

    `queued_at` is when its message was last sent; `attempts` how often a worker took it. A row
    that `waits_turn` was turned away because enough others are being worked on.
    """

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED, db_index=True)
    lease_token = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    stop_requested = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    waits_turn = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_ended(self) -> bool:
        """Nothing more will happen to it by itself."""
        return self.status == Status.DONE


class Retried(Leased):
    """A leased row that is tried again later when it went wrong.

    No worker takes it before `not_before`. `tries` counts what went wrong outside of Mirror, so
    `attempts` less `tries` were cut off with their workers.
    """

    not_before = models.DateTimeField(null=True, blank=True, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True


class LeaseLost(Exception):
    """Another worker holds the row, or it is gone: stop, and write nothing."""


def store_keep(write: Callable[[], object], is_kept: Callable[[], bool]) -> None:
    """Call `write` in one transaction, and again while the store is away; within another one, just call it.

    It may be called several times; `is_kept` says whether an earlier call went through and only its answer was
    lost. For workers: a page cannot wait. Raises: what the store raised last when it stays away for `AWAY_SECONDS`.
    """
    if connection.in_atomic_block:
        write()
        return
    until, wait = monotonic() + AWAY_SECONDS, FIRST_WAIT
    while True:
        try:
            if wait > FIRST_WAIT and is_kept():
                return
            with transaction.atomic():
                write()
            return
        except StoreError as error:
            connection.close()
            if monotonic() + wait > until:
                raise
            if wait == FIRST_WAIT:
                log.warning("The store is away, a worker waits for it: %s", error)
            sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's hold on one row: the row it is about and the fencing token of every write."""

    model: type[Leased]
    pk: int
    token: int
    attempt: int

    def held(self) -> models.QuerySet[Leased]:
        """The row, if it is still this lease's; else nothing."""
        return self.model._default_manager.filter(pk=self.pk, lease_token=self.token, status=Status.RUNNING)

    def write(self, **fields: Any) -> None:
        """Change the row and renew the lease. Raises: LeaseLost."""
        self._change(lease_until=_until(), **fields)

    def end(self, **fields: Any) -> None:
        """Change the row for the last time and give the lease back. Raises: LeaseLost."""
        self._change(status=Status.DONE, lease_until=None, ended_at=timezone.now(), **fields)

    def put_off(self, until: datetime, **fields: Any) -> None:
        """Queue the row again, for a worker to take from `until` on. Raises: LeaseLost."""
        self._change(status=Status.QUEUED, lease_until=None, not_before=until, **fields)

    def keep(self, write: Callable[[], object]) -> None:
        """Change the row with what belongs to it, as `store_keep` does. Raises: LeaseLost, StoreError."""
        store_keep(write, self._is_over)

    def _is_over(self) -> bool:
        """This lease ended the row or put it off: the write went through, and only its answer was lost."""
        ours = self.model._default_manager.filter(pk=self.pk, lease_token=self.token)
        return ours.exclude(status=Status.RUNNING).exists()

    def _change(self, **fields: Any) -> None:
        def write() -> None:
            if not self.held().update(**fields):
                raise LeaseLost(f"{self.model.__name__} {self.pk} is held by another worker")

        self.keep(write)


@contextmanager
def work_under(
    lease: Lease, broke: Callable[[Lease], None], leave: Callable[[Lease], None] | None = None
) -> Iterator[None]:
    """Work on a row: an error nobody expected goes to `broke` and on; `leave` is called whatever became of it.

    Where the store stays away the row is left as it is and handed back when its lease has ended: an attempt, no try.
    """
    with _store_may_be_away(lease):
        try:
            yield
        except StoreError:
            raise
        except Exception:
            broke(lease)
            raise
        finally:
            if leave is not None:
                leave(lease)


@contextmanager
def _store_may_be_away(lease: Lease) -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        connection.close()
        log.warning("The store is away, %s %s is left: %s", lease.model.__name__, lease.pk, error)


def due(model: type[Leased]) -> Q:
    """What a worker may take now: rows that are not put off, or whose time has come."""
    if not issubclass(model, Retried):
        return Q()
    return Q(not_before=None) | Q(not_before__lte=timezone.now())


def claim(model: type[Leased], pk: int) -> Lease | None:
    """Take a queued row; None when another worker has it, it has ended, is put off or gone.

    One conditional update decides, so of two workers with the same message one gets the row.
    """
    with transaction.atomic():
        taken = model._default_manager.filter(due(model), pk=pk, status=Status.QUEUED).update(
            status=Status.RUNNING,
            lease_token=F("lease_token") + 1,
            attempts=F("attempts") + 1,
            lease_until=_until(),
            waits_turn=False,
            started_at=Coalesce("started_at", models.Value(timezone.now())),
        )
        if not taken:
            return None
        row = model._default_manager.get(pk=pk)
        return Lease(model, pk, row.lease_token, row.attempts)


def end_unheld(row: Leased, **fields: Any) -> bool:
    """End a row that no worker may be working on, as it was read; False if it has moved on since.

    The fencing token is raised with it: a worker that still thinks it holds the row cannot write.
    """
    same = type(row)._default_manager.filter(pk=row.pk, status=row.status, lease_token=row.lease_token)
    now = timezone.now()
    token = F("lease_token") + 1
    return bool(same.update(status=Status.DONE, lease_token=token, lease_until=None, ended_at=now, **fields))


def hand_back(row: Leased) -> bool:
    """Queue a row again whose lease ended, as it was read; False if it has moved on since."""
    lost = type(row)._default_manager.filter(
        pk=row.pk, status=Status.RUNNING, lease_token=row.lease_token, lease_until__lt=timezone.now()
    )
    token = F("lease_token") + 1
    return bool(
        lost.update(status=Status.QUEUED, lease_token=token, lease_until=None, queued_at=timezone.now())
    )


@dataclass
class Door:
    """A task by its name: who sends its messages does not import it, as it imports who does its work."""

    name: str

    def delay(self, pk: int | str) -> None:
        """Send its message now. Raises: kombu's OperationalError when the broker is away."""
        current_app.send_task(self.name, args=(pk,))


def send(door: Door, pk: int | str) -> None:
    """Tell a worker of a queued row once it is certain to be there.

    A broker that is away is logged and nothing more: the row is the truth, and a message that
    seems lost is sent again by the recovery.
    """
    transaction.on_commit(lambda: door.delay(pk), robust=True)


def _until() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


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
        self._thread = threading.Thread(target=self._look, name=f"watch-{lease.pk}", daemon=True)

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
                        self.lease.held().update(lease_until=_until())
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
