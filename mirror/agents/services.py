"""Decisions of owners on agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from mirror.agents.models import AgentRows
from mirror.audit.services import record

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source


@transaction.atomic
def agent_rows_set(source: Source, is_allowed: bool, by: User) -> None:
    """Let agents be given a source's rows whatever its privacy, or no longer."""
    if is_allowed:
        AgentRows.objects.get_or_create(source=source, defaults={"allowed_by": by})
    else:
        AgentRows.objects.filter(source=source).delete()
    record("changed what agents see", source, by=by, rows=is_allowed)
