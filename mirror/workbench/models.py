"""SQL that people write: tabs that keep it as it is typed, and glances at a table's rows or a statement's plan."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from mirror.work.leases import Leased


class Tab(models.Model):
    """SQL that one person writes, kept as it is typed. Its statements that ran are the versions of its `run`.

    `revision` rises with every text that is kept, so that two windows do not overwrite each other. A closed tab is kept.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tabs")
    source = models.ForeignKey(
        "sources.Source", on_delete=models.SET_NULL, null=True, blank=True, related_name="tabs"
    )
    run = models.ForeignKey(
        "asking.Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="tabs"
    )
    title = models.CharField(max_length=80, blank=True)
    sql = models.TextField(blank=True)
    arguments = models.JSONField(
        default=dict, blank=True, help_text="Values of its :names, as they were typed"
    )
    revision = models.PositiveIntegerField(default=0)
    used_at = models.DateTimeField(auto_now=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.title or f"Tab {self.pk}"


class Glance(Leased):
    """A look into a source that somebody waits for on a page: the first rows of a table, or the plan of a statement.

    `subject` is the table, or the statement that is explained; `sql` is what runs.
    """

    class Purpose(models.TextChoices):
        ROWS = "rows"
        PLAN = "plan"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="glances")
    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="glances")
    purpose = models.CharField(max_length=4, choices=Purpose)
    subject = models.TextField()
    sql = models.TextField()
    sight = models.CharField(
        max_length=32, blank=True, default="", help_text="What was withheld from its owner (Withheld.key)"
    )
    result = models.ForeignKey("results.StoredResult", on_delete=models.SET_NULL, null=True, blank=True)
    failure = models.JSONField(null=True, blank=True, help_text="kind, message, position, advice")

    def __str__(self) -> str:
        return f"{self.purpose} of {self.source}"
