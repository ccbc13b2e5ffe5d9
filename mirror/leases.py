"""Work that a worker takes from a row: claimed once, leased, handed back when its worker dies.

The row is the truth and the broker carries only its id. Every write of a worker carries the
fencing token it got with its lease, so one that lost the row can no longer change it.
"""

from __future__ import annotations

from django.db import models


class Status(models.TextChoices):
    """Where a leased row stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class Leased(models.Model):
    """A row that one worker at a time may work on."""

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED, db_index=True)
    lease_token = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    stop_requested = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
