"""How Mirror stands, counted from rows: processes, queues, what ended, what sources took, deliveries, disk.

Each look asks the store nine times and once for each kind of work, however much is in it: what ended is counted among the newest
`NEWEST` rows. Sources stand by their numbers; nothing of what is inside them, and no name of a person, is read.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Min, Model, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from mirror.asking.models import Run, Version
from mirror.health.models import Heartbeat
from mirror.health.services import DEAD_SECONDS
from mirror.llms.models import Use
from mirror.reports.models import Delivery, Report, ReportRun, SendingPause
from mirror.work.kinds import KINDS, Kind
from mirror.work.leases import Retried, Status, due

# The newest rows of a kind among which those are looked for that ended within a window.
NEWEST = 10_000
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# A schedule that is so much late waits for a scheduler that is not there.
LATE = timedelta(minutes=15)
# Failures of statements for which a source may be the reason.
OF_SOURCE = ("error", "timeout", "lost")


@dataclass(frozen=True, slots=True)
class Process:
    """A process by its last sign of life."""

    name: str
    part: str
    silent: float
    at: datetime
    started_at: datetime | None
    memory: int | None

    @property
    def is_alive(self) -> bool:
        """It showed a sign of life of late."""
        return self.silent <= DEAD_SECONDS


@dataclass(frozen=True, slots=True)
class Queue:
    """Work of one kind: waiting, put off to a later time, held by a worker, or by one whose lease is over.

    `oldest` is how long the one has waited that waits longest (seconds).
    """

    kind: str
    queue: str
    waiting: int
    later: int
    held: int
    over: int
    oldest: float


@dataclass(slots=True)
class SourceFigures:
    """Statements of one source, but for those that reports and dashboards ran: their seconds, and how those failed that did."""

    seconds: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    failed_at: datetime | None = None
    failed_by: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of one language model: calls, tokens, money. Cached tokens are of the prompt's, estimated ones of both kinds."""

    calls: int
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    estimated_tokens: int
    money: float


@dataclass(frozen=True, slots=True)
class Room:
    """A place on a disk: what is free, of how much (bytes)."""

    place: str
    free: int
    total: int


@dataclass(frozen=True, slots=True)
class Figures:
    """How Mirror stands at one time. Ended work is counted `since`. While all sending is paused no report is late."""

    at: datetime
    since: datetime
    processes: list[Process]
    queues: list[Queue]
    questions: Counter[str]
    seconds: list[float]
    spent: dict[str, Spent]
    sources: dict[int, SourceFigures]
    report_runs: dict[tuple[str, ...], int]
    deliveries: dict[tuple[str, ...], int]
    retried: dict[str, int]
    held: dict[str, int]
    late_reports: int
    is_paused: bool
    rooms: list[Room]


def figures_read(window: timedelta) -> Figures:
    """Read how Mirror stands, with what ended within a window. Raises: django.db.DatabaseError."""
    now = timezone.now()
    since = now - window
    questions, seconds = _questions(since)
    retried, held = _deliveries_open()
    late = Report.objects.filter(is_paused=False, next_at__lt=now - LATE)
    is_paused = SendingPause.objects.filter(ended_at=None).exists()
    return Figures(
        at=now,
        since=since,
        processes=list(_processes(now)),
        queues=[_queue(kind, now) for kind in KINDS.values()],
        questions=questions,
        seconds=seconds,
        spent=_spent(since),
        sources=_sources(since),
        report_runs=_counted(ReportRun, since, "outcome"),
        deliveries=_counted(Delivery, since, "kind", "state"),
        retried=retried,
        held=held,
        late_reports=late.count() if not is_paused else 0,
        is_paused=is_paused,
        rooms=list(_rooms()),
    )


def quantile(seconds: list[float], percent: int) -> float:
    """Give the bound that so many of a hundred stay below; 0 of none."""
    if len(seconds) < 2:
        return sum(seconds)
    return quantiles(seconds, n=100, method="inclusive")[percent - 1]


def _processes(now: datetime) -> Iterator[Process]:
    for beat in Heartbeat.objects.order_by("worker"):
        silent = max((now - beat.at).total_seconds(), 0.0)
        yield Process(beat.worker, beat.part, silent, beat.at, beat.started_at, beat.memory)


def _queue(kind: Kind, now: datetime) -> Queue:
    queued, running = Q(status=Status.QUEUED), Q(status=Status.RUNNING)
    waiting = queued & due(kind.model)
    is_retried = issubclass(kind.model, Retried)
    since = Coalesce("not_before", kind.waits_since) if is_retried else F(kind.waits_since)
    # The status has an index: rows that ended are not looked at.
    told = kind.model._default_manager.filter(queued | running).aggregate(
        queued=Count("pk", filter=queued),
        waiting=Count("pk", filter=waiting),
        running=Count("pk", filter=running),
        held=Count("pk", filter=running & Q(lease_until__gte=now)),
        oldest=Min(since, filter=waiting),
    )
    return Queue(
        kind.name,
        kind.queue,
        waiting=told["waiting"],
        later=told["queued"] - told["waiting"],
        held=told["held"],
        over=told["running"] - told["held"],
        oldest=max((now - told["oldest"]).total_seconds(), 0.0) if told["oldest"] else 0.0,
    )


def _newest(model: type[Model]) -> QuerySet[Any]:
    """The newest rows: these are found by their keys, however many rows there are."""
    last = model._default_manager.order_by("-pk").values("pk")[:1]
    return model._default_manager.order_by().filter(pk__gt=Subquery(last) - NEWEST)


def _ended(model: type[Model], since: datetime) -> QuerySet[Any]:
    """Rows that ended since, among the newest."""
    return _newest(model).filter(status=Status.DONE, ended_at__gte=since)


def _counted(model: type[Model], since: datetime, *by: str) -> dict[tuple[str, ...], int]:
    rows = _ended(model, since).values_list(*by).annotate(count=Count("pk"))
    return {tuple(of): count for *of, count in rows}


def _questions(since: datetime) -> tuple[Counter[str], list[float]]:
    outcomes: Counter[str] = Counter()
    seconds: list[float] = []
    rows = _ended(Run, since).exclude(outcome="")
    for outcome, asked_at, ended_at in rows.values_list("outcome", "created_at", "ended_at"):
        outcomes[outcome] += 1
        seconds.append((ended_at - asked_at).total_seconds())
    return outcomes, seconds


def _spent(since: datetime) -> dict[str, Spent]:
    """Sum up the cost of each language model over questions, calls in vain included."""
    names = [one.name for one in fields(Spent)]
    rows = _newest(Use).filter(at__gte=since, run__isnull=False).values("llm")
    sums = rows.annotate(**{f"{name}_sum": Sum(name) for name in names})
    return {row["llm"]: Spent(*(row[f"{name}_sum"] for name in names)) for row in sums}


def _sources(since: datetime) -> dict[int, SourceFigures]:
    found: dict[int, SourceFigures] = defaultdict(SourceFigures)
    rows = _ended(Version, since).values_list(
        "run__thread__source_id", "result__seconds", "failure__kind", "ended_at"
    )
    for source, seconds, failed_by, ended_at in rows:
        one = found[source]
        if failed_by in OF_SOURCE:
            one.failures[failed_by] += 1
            if one.failed_at is None or ended_at > one.failed_at:
                one.failed_at, one.failed_by = ended_at, failed_by
        elif seconds is not None:
            one.seconds.append(seconds)
    return dict(found)


def _deliveries_open() -> tuple[dict[str, int], dict[str, int]]:
    """How many are tried again, by channel, and how many are held back, by why."""
    retried: Counter[str] = Counter()
    held: Counter[str] = Counter()
    rows = Delivery.objects.exclude(status=Status.DONE).order_by()
    rows = rows.filter(Q(tries__gt=0) | Q(state=Delivery.State.HELD))
    for kind, state, why, count in rows.values_list("kind", "state", "held_for").annotate(count=Count("pk")):
        if state == Delivery.State.HELD:
            held[why] += count
        else:
            retried[kind] += count
    return dict(retried), dict(held)


def _rooms() -> Iterator[Room]:
    places = {"data": Path(settings.VAR_DIR)}
    if not settings.S3_BUCKET:
        places["results"] = Path(settings.MEDIA_ROOT)
    for name, place in places.items():
        with suppress(OSError):
            disk = shutil.disk_usage(place)
            yield Room(name, disk.free, disk.total)
