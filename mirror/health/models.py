"""Signs of life, kept in the store so that every web process on every machine can read them."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """One worker's last sign of life, and the queues it takes work from. Deleted when it stops in good order."""

    worker = models.CharField(max_length=200, unique=True)
    at = models.DateTimeField(db_index=True)
    queues = models.JSONField(default=list, blank=True)
