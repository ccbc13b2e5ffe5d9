"""Whose turn it is: no more runs and versions are worked on at once than a source allows.

Who comes when it is full stays queued and says so; whoever ends lets the longest waiting in.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from mirror.asking.models import Run, Version
from mirror.asking.tasks import answer_run, run_version
from mirror.leases import Lease, Leased, Status, claim
from mirror.sources.limits import limits_of
from mirror.sources.models import Source

# How a row of each model comes to its source.
_WAYS: dict[type[Leased], str] = {Run: "thread__source", Version: "run__thread__source"}
_TASKS = {Run: answer_run, Version: run_version}


def turn_take(model: type[Leased], pk: int) -> Lease | None:
    """Take a queued row if its source has room for it.

    None when another worker has it, it has ended, or it has to wait: then it is marked so.
    """
    with transaction.atomic():
        # Held until the claim is kept, so that two workers count one after the other.
        source = (
            Source.objects.select_for_update()
            .only("pk", "concurrent_runs", *_LIMITS)
            .filter(pk__in=model._default_manager.filter(pk=pk).values(_WAYS[model]))
            .first()
        )
        if source is None:
            return None
        if _working(source) < limits_of(source).concurrent_runs:
            return claim(model, pk)
        model._default_manager.filter(pk=pk, status=Status.QUEUED).update(waits_turn=True)
        return None


def turn_pass(lease: Lease) -> None:
    """Let in whoever waits longest for the source of a row whose work has ended."""
    source = lease.model._default_manager.filter(pk=lease.pk).values(_WAYS[lease.model])
    with transaction.atomic():
        # Whoever is being turned away at this moment is waiting once this is held.
        held = Source.objects.select_for_update().only("pk").filter(pk__in=source).first()
        waiting = [
            row
            for model in _WAYS
            if held and (row := _rows(model, held.pk).filter(_WAITS).order_by("created_at").first())
        ]
    if waiting:
        first = min(waiting, key=lambda row: row.created_at)
        _TASKS[type(first)].delay(first.pk)


_LIMITS = ("statement_seconds", "candidate_rows", "result_rows", "result_days", "cell_chars")
_WAITS = Q(status=Status.QUEUED, waits_turn=True)


def _working(source: Source) -> int:
    held = Q(status=Status.RUNNING, lease_until__gte=timezone.now())
    return sum(_rows(model, source.pk).filter(held).count() for model in _WAYS)


def _rows(model: type[Leased], source: int) -> QuerySet[Leased]:
    return model._default_manager.filter(**{_WAYS[model]: source})
