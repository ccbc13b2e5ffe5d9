"""Rows that a run returned, kept as files and never asked of the source again."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class StoredResult(models.Model):
    """One result as a Parquet file in Django's default storage.

    `columns` is a list of `{"name", "kind", "stored", "offset"}` in order (see `encoding`);
    names may repeat, so the file's own column names are `c0`, `c1` ... Seen by its owner, while
    the source is theirs to see. Deleted with its file once `expires_at` is past.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey("sources.Source", on_delete=models.CASCADE, related_name="results")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="results"
    )
    file = models.FileField(upload_to="results/%Y/%m/%d/")
    columns = models.JSONField()
    formats = models.JSONField(
        default=list, blank=True, help_text="How columns are shown: `sqlagent.values.ColumnFormat` as JSON"
    )
    row_count = models.PositiveIntegerField()
    truncated = models.BooleanField(default=False)
    cut_cells = models.PositiveIntegerField(default=0, help_text="Cells longer than a cell may be")
    seconds = models.FloatField(default=0)
    size = models.PositiveBigIntegerField(default=0)
    sight = models.CharField(
        max_length=32, blank=True, default="", help_text="What was withheld from who read it (Withheld.key)"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.row_count} rows of {self.source}"


class KeptPivot(models.Model):
    """A pivot of a result as it was reckoned, for everybody who looks at it: `key` is made of its columns and how it is reckoned."""

    result = models.ForeignKey(StoredResult, on_delete=models.CASCADE, related_name="pivots")
    key = models.CharField(max_length=64)
    data = models.JSONField(help_text="See `pivots_once`")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["result", "key"], name="one_pivot_a_way")]

    def __str__(self) -> str:
        return f"Pivot of {self.result_id}"


class ForgottenFile(models.Model):
    """A file whose result was deleted, until the storage has deleted it too."""

    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
