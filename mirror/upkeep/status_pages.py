"""Data of the page of the status."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Q
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mirror import VERSION
from mirror.people.models import User
from mirror.phrases import size, took
from mirror.reports.models import Delivery
from mirror.reports.selectors import reports_visible
from mirror.sources.models import Source
from mirror.sources.selectors import sources_visible
from mirror.upkeep.figures import DAY, NEWEST, Figures, figures_read, quantile
from mirror.upkeep.troubles import PARTS, WORK, Trouble, fails_mostly, troubles
from mirror.work.leases import Status

# Failing deliveries that are listed, the newest first.
DELIVERIES = 20
# How failures of statements are called.
FAILED = {
    "error": gettext_lazy("an error"),
    "timeout": gettext_lazy("took too long"),
    "lost": gettext_lazy("connection lost"),
}


@dataclass(frozen=True, slots=True)
class ProcessLine:
    """One process; a part without any has no name."""

    part: str
    name: str
    at: datetime | None
    is_alive: bool
    started_at: datetime | None
    memory: str


@dataclass(frozen=True, slots=True)
class WorkLine:
    """One kind of work."""

    name: str
    waiting: int
    oldest: str
    held: int
    later: int
    over: int


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One source: by its name where it may be seen, else by whose it is."""

    number: int
    name: str
    url: str
    statements: int
    median: str
    p95: str
    failed: int
    is_failing: bool
    failed_at: datetime | None
    failed_by: str


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """A delivery that failed: of which report where that may be seen, else of whose; whom it went to is not told."""

    name: str
    url: str
    channel: str
    state: str
    is_given_up: bool
    tries: int
    at: datetime | None


@dataclass(frozen=True, slots=True)
class StatusPage:
    """How Mirror stands. Ended work is looked for among the `newest` rows of each kind."""

    troubles: list[tuple[Trouble, str]]
    processes: list[ProcessLine]
    memory: str
    work: list[WorkLine]
    sources: list[SourceLine]
    deliveries: list[DeliveryLine]
    facts: list[tuple[str, str]]
    newest: int


def status_page(user: User) -> StatusPage:
    """Show how Mirror stands, with what ended within a day. Raises: django.db.DatabaseError."""
    figures = figures_read(DAY)
    elsewhere = {"sending": reverse("reports:sending"), "llms": reverse("llms:list")}
    return StatusPage(
        troubles=[
            (one, elsewhere.get(one.about, f"#{one.about}" if one.about else "")) for one in troubles(figures)
        ],
        processes=list(_processes(figures)),
        memory=size(sum(process.memory or 0 for process in figures.processes if process.is_alive)),
        work=[
            WorkLine(
                str(WORK[queue.kind]),
                queue.waiting,
                took(queue.oldest) if queue.waiting else "",
                queue.held,
                queue.later,
                queue.over,
            )
            for queue in sorted(figures.queues, key=lambda queue: list(WORK).index(queue.kind))
        ],
        sources=list(_sources(user, figures)),
        deliveries=list(_deliveries(user, figures)),
        facts=_facts(figures),
        newest=NEWEST,
    )


def _processes(figures: Figures) -> Iterator[ProcessLine]:
    order = {part: at for at, part in enumerate(PARTS)}
    for process in sorted(figures.processes, key=lambda one: order.get(one.part, len(order))):
        yield ProcessLine(
            str(capfirst(PARTS.get(process.part, process.part))),
            process.name,
            process.at,
            process.is_alive,
            process.started_at,
            size(process.memory) if process.memory else "",
        )
    seen = {process.part for process in figures.processes}
    for part in (part for part in PARTS if part not in seen):
        yield ProcessLine(str(capfirst(PARTS[part])), "", None, False, None, "")


def _sources(user: User, figures: Figures) -> Iterator[SourceLine]:
    seen = set(sources_visible(user).filter(pk__in=figures.sources).values_list("pk", flat=True))
    rows = Source.objects.filter(pk__in=figures.sources).order_by("pk")
    for number, name, owner, owner_id in rows.values_list("pk", "name", "owner__username", "owner_id"):
        one, is_seen = figures.sources[number], number in seen
        yield SourceLine(
            number,
            name if is_seen else _("a source of %(owner)s") % {"owner": owner},
            reverse("sources:source", args=[number]) if is_seen else reverse("upkeep:owned", args=[owner_id]),
            len(one.seconds) + one.failures.total(),
            took(quantile(one.seconds, 50)) if one.seconds else "",
            took(quantile(one.seconds, 95)) if one.seconds else "",
            one.failures.total(),
            fails_mostly(one),
            one.failed_at,
            str(FAILED.get(one.failed_by, "")),
        )


def _deliveries(user: User, figures: Figures) -> Iterator[DeliveryLine]:
    given_up = Q(state=Delivery.State.GIVEN_UP, ended_at__gte=figures.since)
    failing = Q(state=Delivery.State.WAITING, tries__gt=0) & ~Q(status=Status.DONE)
    rows = Delivery.objects.filter(given_up | failing).select_related("run__report__owner").order_by("-pk")
    found = list(rows[:DELIVERIES])
    seen = set(
        reports_visible(user).filter(pk__in={row.run.report_id for row in found}).values_list("pk", flat=True)
    )
    for row in found:
        report = row.run.report
        is_seen = report.pk in seen
        yield DeliveryLine(
            report.title if is_seen else _("a report of %(owner)s") % {"owner": report.owner},
            reverse("reports:run", args=[row.run_id])
            if is_seen
            else reverse("upkeep:owned", args=[report.owner_id]),
            str(row.get_kind_display()),
            _("given up") if row.state == Delivery.State.GIVEN_UP else _("tried again"),
            row.state == Delivery.State.GIVEN_UP,
            row.tries,
            row.ended_at or row.not_before,
        )


def _facts(figures: Figures) -> list[tuple[str, str]]:
    names = {"data": _("Data folder"), "results": _("Stored results")}
    store = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(connection.vendor, connection.vendor)
    return [
        ("Mirror", VERSION),
        (_("Store"), store),
        ("Python", platform.python_version()),
        *(
            (
                names[room.place],
                _("%(free)s free of %(total)s") % {"free": size(room.free), "total": size(room.total)},
            )
            for room in figures.rooms
        ),
    ]
