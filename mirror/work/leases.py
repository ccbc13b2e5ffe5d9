"""Work that a worker takes from a row: claimed once, leased, handed back when its worker dies.

The row is the truth and the broker carries only its id. Every write of a worker carries the
fencing token it got with its lease, so one that lost the row can no longer change it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from mirror.work.store import store_keep

# An error that the store raises for a row itself looks like a store that is away: so often it is believed.
SPARED_AT_MOST = 10


class Status(models.TextChoices):
    """Where a leased row stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class Leased(models.Model):
    """A row that one worker at a time may work on.

    `queued_at` is when its message was last sent; `attempts` how often a worker took it, of which those
    `spared` ended for no fault of the row's. A row that `waits_turn` was turned away because enough others are being worked on.
    """

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED, db_index=True)
    lease_token = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    stop_requested = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    spared = models.PositiveSmallIntegerField(default=0)
    waits_turn = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def died(self) -> int:
        """How often its worker was lost, or is at it now."""
        return self.attempts - self.spared

    @property
    def is_ended(self) -> bool:
        """Nothing more will happen to it by itself."""
        return self.status == Status.DONE


class Retried(Leased):
    """A leased row that is tried again later when it went wrong.

    No worker takes it before `not_before`. `tries` counts what went wrong outside of Mirror.
    """

    not_before = models.DateTimeField(null=True, blank=True, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def died(self) -> int:
        """How often its worker was lost, or is at it now."""
        return super().died - self.tries


class LeaseLost(Exception):
    """Another worker holds the row, or it is gone: stop, and write nothing."""


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
        self._change(lease_until=lease_end(), **fields)

    def end(self, **fields: Any) -> None:
        """Change the row for the last time and give the lease back. Raises: LeaseLost."""
        self._change(status=Status.DONE, lease_until=None, ended_at=timezone.now(), **fields)

    def put_off(self, until: datetime, **fields: Any) -> None:
        """Queue the row again, for a worker to take from `until` on. Raises: LeaseLost."""
        self._change(status=Status.QUEUED, lease_until=None, not_before=until, **fields)

    def keep(self, write: Callable[[], object], seconds: float | None = None) -> None:
        """Change the row with what belongs to it, as `store_keep` does. Raises: LeaseLost, StoreError."""
        store_keep(write, self._is_over, seconds=seconds)

    def _is_over(self) -> bool:
        """This lease ended the row or put it off: the write went through, and only its answer was lost."""
        ours = self.model._default_manager.filter(pk=self.pk, lease_token=self.token)
        return ours.exclude(status=Status.RUNNING).exists()

    def _change(self, **fields: Any) -> None:
        def write() -> None:
            if not self.held().update(**fields):
                raise LeaseLost(f"{self.model.__name__} {self.pk} is held by another worker")

        self.keep(write)


def due(model: type[Leased]) -> Q:
    """Rows that a worker may take now: those not put off, and those whose time has come."""
    if not issubclass(model, Retried):
        return Q()
    return Q(not_before=None) | Q(not_before__lte=timezone.now())


def claim(model: type[Leased], pk: int, **fields: Any) -> Lease | None:
    """Take a queued row; None when another worker has it, it has ended, is put off or gone.

    One conditional update decides, so of two workers with the same message one gets the row.
    """
    with transaction.atomic():
        taken = model._default_manager.filter(due(model), pk=pk, status=Status.QUEUED).update(
            status=Status.RUNNING,
            lease_token=F("lease_token") + 1,
            attempts=F("attempts") + 1,
            lease_until=lease_end(),
            waits_turn=False,
            **fields,
            started_at=Coalesce("started_at", models.Value(timezone.now())),
        )
        if not taken:
            return None
        row = model._default_manager.only("lease_token", "attempts").get(pk=pk)
        return Lease(model, pk, row.lease_token, row.attempts)


def end_unheld(row: Leased, **fields: Any) -> bool:
    """End a row that no worker may be working on, as it was read; False if it has moved on since.

    The fencing token is raised with it: a worker that still thinks it holds the row cannot write.
    """
    same = type(row)._default_manager.filter(pk=row.pk, status=row.status, lease_token=row.lease_token)
    now = timezone.now()
    token = F("lease_token") + 1
    return bool(same.update(status=Status.DONE, lease_token=token, lease_until=None, ended_at=now, **fields))


def give_back(lease: Lease) -> bool:
    """Queue a row again whose worker could not go on for no fault of the row's: it costs no attempt.

    So it is where the row was handed back meanwhile and nobody has taken it yet. False if it has moved on since, or was
    spared so often that the row may be why.
    """
    rows = lease.model._default_manager.filter(pk=lease.pk, spared__lt=SPARED_AT_MOST)
    still = Q(status=Status.RUNNING, lease_token=lease.token)
    handed_back = Q(status=Status.QUEUED, lease_token=lease.token + 1)
    return bool(
        rows.filter(still | handed_back).update(
            status=Status.QUEUED,
            lease_token=lease.token + 1,
            lease_until=None,
            spared=F("spared") + 1,
            queued_at=timezone.now(),
        )
    )


def hand_back(row: Leased) -> bool:
    """Queue a row again whose lease ended, as it was read; False if it has moved on since."""
    lost = type(row)._default_manager.filter(
        pk=row.pk, status=Status.RUNNING, lease_token=row.lease_token, lease_until__lt=timezone.now()
    )
    token = F("lease_token") + 1
    return bool(
        lost.update(status=Status.QUEUED, lease_token=token, lease_until=None, queued_at=timezone.now())
    )


def lease_end() -> datetime:
    """When a lease ends that is taken or renewed now."""
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
