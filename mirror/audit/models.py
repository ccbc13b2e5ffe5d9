"""Records of acts: rows that are only ever added, chained day by day."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.db import models

# From where a shell and a worker act.
HERE = "here"


class AuditError(Exception):
    """Something was to be changed that is only ever added to."""


class AppendOnly(models.QuerySet["AuditRow"]):
    """Rows that can be read and added."""

    def update(self, **_: Any) -> NoReturn:
        raise AuditError("Rows of the audit are not changed.")

    def delete(self) -> NoReturn:
        raise AuditError("Rows of the audit are not deleted; whole days end by AUDIT_DAYS.")


class AuditDay(models.Model):
    """The chain of one day (UTC): how many rows it has and the hash of the last; `before` is that of the day before."""

    day = models.DateField(unique=True)
    count = models.PositiveIntegerField(default=0)
    before = models.CharField(max_length=64, blank=True)
    last = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["day"]

    def __str__(self) -> str:
        return f"{self.day:%Y-%m-%d}"


class AuditRow(models.Model):
    """One act: who, by which token, what, on what, from where, with what outcome.

    People and things are named as they were then and point at no row: they may be gone. `hash` is over this row and
    the hash of the one before it on that day.
    """

    class Outcome(models.TextChoices):
        DONE = "done", "done"
        REFUSED = "refused", "refused"

    day = models.DateField()
    number = models.PositiveIntegerField()
    at = models.DateTimeField(db_index=True)
    who_id = models.BigIntegerField(null=True, blank=True, help_text="Of a user; empty: nobody signed in")
    who = models.CharField(max_length=150, blank=True)
    token = models.CharField(max_length=100, blank=True, help_text="Empty: none")
    verb = models.CharField(max_length=40, help_text="Of mirror.audit.verbs")
    kind = models.CharField(max_length=30, blank=True, help_text="What it was done to")
    thing_id = models.CharField(max_length=64, blank=True)
    thing = models.CharField(max_length=300, blank=True)
    origin = models.CharField(max_length=64, blank=True, help_text="An address; here: a shell or a worker")
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.DONE)
    details = models.JSONField(default=dict, blank=True)
    hash = models.CharField(max_length=64)

    objects: ClassVar[models.Manager[AuditRow]] = models.Manager.from_queryset(AppendOnly)()

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["day", "number"], name="one_audit_row_a_number")]
        indexes = [models.Index(fields=["who_id", "at"], name="audit_who_at")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.who} {self.verb} {self.thing}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the row. Raises: AuditError for one that is there."""
        if not self._state.adding:
            raise AuditError("Rows of the audit are not changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse. Raises: AuditError."""
        raise AuditError("Rows of the audit are not deleted.")
