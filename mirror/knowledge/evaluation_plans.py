"""How often a source is evaluated by itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from mirror.audit.services import record
from mirror.knowledge.evaluation_work import evaluation_ask
from mirror.knowledge.models import Evaluation, EvaluationPlan

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

HOUR = 3
"""When in the night, by the server's clock."""


@transaction.atomic
def plan_set(source: Source, every: str, by: User) -> EvaluationPlan:
    """Say how often a source is evaluated by itself."""
    next_at = next_night(EvaluationPlan.Every(every), timezone.now())
    plan, _ = EvaluationPlan.objects.update_or_create(
        source=source, defaults={"every": every, "next_at": next_at}
    )
    record("planned evaluations", source, by=by, every=every)
    return plan


def next_night(every: EvaluationPlan.Every, now: datetime) -> datetime | None:
    """The next time that a plan names after `now`; None where it names none.

    Example:
        >>> from datetime import UTC
        >>> next_night(EvaluationPlan.Every.OFF, datetime(2026, 11, 23, 12, tzinfo=UTC)) is None
        True
    """
    if every == EvaluationPlan.Every.OFF:
        return None
    local = timezone.localtime(now, timezone.get_default_timezone())
    at = local.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    while at <= local or (every == EvaluationPlan.Every.WEEKLY and at.weekday() != 0):
        at += timedelta(days=1)
    return at


def evaluations_due() -> int:
    """Ask for the evaluations whose time came, each once; return how many. A time that was missed is made up for once."""
    now, asked = timezone.now(), 0
    for plan in EvaluationPlan.objects.filter(next_at__lte=now).select_related("source"):
        next_at = next_night(EvaluationPlan.Every(plan.every), now)
        same = EvaluationPlan.objects.filter(pk=plan.pk, next_at=plan.next_at)
        if same.update(next_at=next_at):
            evaluation_ask(plan.source, Evaluation.Cause.SCHEDULE)
            asked += 1
    return asked
