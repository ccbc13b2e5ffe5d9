"""Whose turn it is: no more work runs at once on a source than it allows.

Who comes when it is full stays queued and says so; whoever ends lets the longest waiting in. What somebody
waits for goes first: work in the background takes no turn while they queue, and leaves them one.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from mirror.asking.doors import answer_run, run_version
from mirror.asking.models import Run, Version
from mirror.asking.work import WORK, Work, work_register
from mirror.sources.limits import limits_of
from mirror.sources.models import Source
from mirror.work.leases import Lease, Leased, Status, claim

work_register(Run, Work("thread__source", answer_run))
work_register(Version, Work("run__thread__source", run_version))


def turn_take(model: type[Leased], pk: int) -> Lease | None:
    """Take a queued row if each of its sources has room for it.

    None when another worker has it, it has ended, or it has to wait: then it is marked so.
    """
    with transaction.atomic():
        # Held until the claim is kept, so that two workers count one after the other.
        sources = list(
            Source.objects.select_for_update()
            .only("pk", "concurrent_runs", *_LIMITS)
            .filter(pk__in=_sources_of(model, pk))
            .order_by("pk")
        )
        if all(_has_room(source, WORK[model].is_background) for source in sources):
            return claim(model, pk)
        model._default_manager.filter(pk=pk, status=Status.QUEUED).update(waits_turn=True)
        return None


def turn_pass(lease: Lease) -> None:
    """Let in whoever waits longest for a source of a row whose work there has ended."""
    sources = list(_sources_of(lease.model, lease.pk))
    with transaction.atomic():
        # Whoever is being turned away at this moment is waiting once these are held.
        held = Source.objects.select_for_update().only("pk").filter(pk__in=sources).order_by("pk")
        waiting = [
            (work.is_background, row.created_at, work.door, row.pk)
            for source in held
            for model, work in WORK.items()
            if (row := _rows(model, source.pk).filter(_WAITS).order_by("created_at").first())
        ]
    if waiting:
        *_, door, first = min(waiting, key=lambda one: one[:2])
        door.delay(first)


_LIMITS = ("statement_seconds", "candidate_rows", "result_rows", "result_days", "cell_chars", "total_chars")
_WAITS = Q(status=Status.QUEUED, waits_turn=True)


def _has_room(source: Source, is_background: bool) -> bool:
    most = limits_of(source).concurrent_runs
    working = {model: _working(model, source) for model in WORK}
    if sum(working.values()) >= most:
        return False
    if not is_background:
        return True
    behind = sum(count for model, count in working.items() if WORK[model].is_background)
    somebody_waits = any(
        _rows(model, source.pk).filter(_WAITS).exists()
        for model, work in WORK.items()
        if not work.is_background
    )
    return behind < max(1, most - 1) and not somebody_waits


def _working(model: type[Leased], source: Source) -> int:
    held = Q(status=Status.RUNNING, lease_until__gte=timezone.now())
    rows = _rows(model, source.pk).filter(held, WORK[model].counted)
    return rows.values("pk").distinct().count()


def _rows(model: type[Leased], source: int) -> QuerySet[Leased]:
    return model._default_manager.filter(**{WORK[model].way: source})


def _sources_of(model: type[Leased], pk: int) -> QuerySet[Leased, int]:
    way = WORK[model].way
    rows = model._default_manager.filter(pk=pk, **{f"{way}__isnull": False})
    return rows.order_by().values_list(way, flat=True)
