"""A worker's part, done in the test's own process."""

from __future__ import annotations

from typing import Any
from unittest import mock

from django.test import Client
from django.urls import reverse

from mirror.asking import services
from mirror.asking.models import Run, Version
from mirror.dashboards.models import Supply
from mirror.sources.index_services import index_ask_for
from mirror.sources.models import Source, StoredIndex, Upload, Visit
from mirror.work.doing import work_do
from mirror.work.leases import Status
from mirror.work.turns import turn_take
from mirror.work.watching import Watch

REVENUE = "Which five countries bring the most revenue?"
TOP = "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY 2 DESC, 1 LIMIT 5"
SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT count(*) FROM n"


def answer(run: Run) -> Run:
    """Answer a queued run."""
    lease = turn_take(Run, run.pk)
    assert lease is not None
    services.run_answer(lease)
    run.refresh_from_db()
    return run


def work(version: Version) -> Version:
    """Run a queued version."""
    lease = turn_take(Version, version.pk)
    assert lease is not None
    services.version_run(lease)
    version.refresh_from_db()
    return version


def ran(run: Run, sql: str) -> Version:
    """Edit a run's SQL and run it."""
    return work(services.version_edit(run, sql))


def visited(browser: Client, address: str, typed: dict[str, Any] | None = None) -> Any:
    """Post what asks for a database to be opened, open it, and give the page in the end."""
    answer = browser.post(address, typed or {})
    visit = Visit.objects.filter(status=Status.QUEUED).order_by("-created_at").first()
    if visit is None:
        return answer
    with unwatched():
        work_do("visit", visit.pk)
    return browser.get(reverse("sources:visit", args=[visit.pk]), follow=True)


def values_read(source: Source, turns: int = 100) -> StoredIndex:
    """Have a source's values read, turn by turn, until no turn is due or so many are done."""
    index_ask_for(source)
    index = StoredIndex.objects.get(source=source)
    with unwatched():
        while turns and work_do("index", index.pk):
            turns -= 1
    index.refresh_from_db()
    return index


def read(upload: Upload) -> None:
    """A worker's part of an upload: reading, or making tables."""
    with unwatched():
        work_do("upload", upload.pk)
    upload.refresh_from_db()


def supplied() -> int:
    """A worker's part of dashboards: all rows that wait are read and drawn; gives how many there were."""
    waiting = list(Supply.objects.filter(status=Status.QUEUED))
    with unwatched():
        for one in waiting:
            assert work_do("supply", one.pk)
    return len(waiting)


def unwatched() -> Any:
    """Without the thread that looks at the row: in a test's transaction it would find none, and call the work off."""
    return mock.patch.object(Watch, "POLL_SECONDS", 60)
