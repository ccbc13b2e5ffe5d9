"""SQL that people keep: saved, and later verified."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_noop

# Why SQL is a draft that does without words of its question.
LEFT_OUT = gettext_noop("This was left out: {words}.")


class SavedSql(models.Model):
    """SQL kept under a name, with typed parameters and its chart.

    `parameters` is a list of `{"name", "kind", "default", "label"}`; the SQL refers to them
    as `:name`. `question` is the one it answered, if any. *Verified* SQL is a saved SQL that
    somebody vouched for (`verified_by`, `verified_at`). One saved from a draft says so until its SQL is changed or verified.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_sql")
    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="saved_sql")
    teams = models.ManyToManyField("people.Team", blank=True, related_name="saved_sql")
    name = models.CharField(max_length=120)
    folder = models.CharField(max_length=60, blank=True, default="")
    description = models.TextField(blank=True)
    question = models.TextField(blank=True)
    sql = models.TextField()
    parameters = models.JSONField(default=list, blank=True)
    chart = models.JSONField(null=True, blank=True)
    verified_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    verified_at = models.DateTimeField(null=True, blank=True)
    problem = models.TextField(
        blank=True, help_text="Why it no longer runs since the source's tables changed"
    )
    draft = models.TextField(
        blank=True,
        help_text="Why the answer it was saved from was a draft; empty once its SQL was changed or verified",
    )
    saying = models.JSONField(
        default=dict,
        blank=True,
        help_text="The parts of its English texts, to say them in other languages",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at"]

    def __str__(self) -> str:
        return self.name


class SavedSqlEdit(models.Model):
    """The texts of saved SQL as somebody kept them. `number` counts from 1; `restores` names an earlier edit with these very texts."""

    saved = models.ForeignKey(SavedSql, on_delete=models.CASCADE, related_name="edits")
    number = models.PositiveIntegerField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    sql = models.TextField()
    parameters = models.JSONField(default=list, blank=True)
    draft = models.TextField(blank=True, help_text="Why its SQL was a draft then")
    saying = models.JSONField(
        default=dict,
        blank=True,
        help_text="The parts of its English texts, to say them in other languages",
    )
    restores = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["saved", "number"], name="one_edit_a_number")]

    def __str__(self) -> str:
        return f"{self.name}, edit {self.number}"
