"""Signs of life, kept in the store so that every web process on every machine can read them."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """One process's last sign of life, and the queues it takes work from. Deleted when it stops in good order.

    `part` is which of `services.PARTS` it is; `memory` what it and its children take (bytes), None where the system does not tell.
    """

    worker = models.CharField(max_length=200, unique=True)
    part = models.CharField(max_length=20, blank=True, default="")
    started_at = models.DateTimeField(null=True, blank=True)
    memory = models.PositiveBigIntegerField(null=True, blank=True)
    at = models.DateTimeField(db_index=True)
    queues = models.JSONField(default=list, blank=True)
