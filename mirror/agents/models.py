"""The owner's decision on agents for a source."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class AgentRows(models.Model):
    """That agents may be given a source's rows although its privacy keeps them from language models."""

    source = models.OneToOneField("sources.Source", on_delete=models.CASCADE, related_name="agent_rows")
    allowed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    allowed_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Rows of {self.source} for agents"
