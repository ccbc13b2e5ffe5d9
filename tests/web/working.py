"""A worker's part, done in the test's own process."""

from __future__ import annotations

from mirror.asking import services
from mirror.asking.models import Run, Version

REVENUE = "Which five countries bring the most revenue?"
TOP = "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY 2 DESC, 1 LIMIT 5"
SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT count(*) FROM n"


def answer(run: Run) -> Run:
    """Answer a queued run."""
    lease = services.run_take(run.pk)
    assert lease is not None
    services.run_answer(lease)
    run.refresh_from_db()
    return run


def work(version: Version) -> Version:
    """Run a queued version."""
    lease = services.version_take(version.pk)
    assert lease is not None
    services.version_run(lease)
    version.refresh_from_db()
    return version


def ran(run: Run, sql: str) -> Version:
    """Edit a run's SQL and run it."""
    return work(services.version_edit(run, sql))
