"""Tables that change before a report runs: what will break is listed in time, and nothing else happens."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone

from mirror.reports import selectors, services
from mirror.reports.tasks import look_ahead, look_at_source
from mirror.sources.models import Source, StoredIndex
from tests.reports.working import save_report, save_sql

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def worker(monkeypatch) -> Iterator[None]:
    """Do a worker's task at once."""
    monkeypatch.setattr(look_at_source, "delay", look_at_source)
    yield


def later(hours: int, source: Source, sql: str = "") -> list[int]:
    """Change a source, let hours pass and the scheduler look; which sources it was to look at."""
    if sql:
        with sqlite3.connect(source.database) as db:
            db.execute(sql)
    with time_machine.travel(timezone.now() + timedelta(hours=hours)):
        found = services.sources_to_look_at()
        look_ahead()
        return found


def test_what_a_change_will_break_is_listed_before_the_next_run_and_what_mends_it_too(alice, stock) -> None:
    broken, sound = (
        save_report(alice, save_sql(alice, stock, sql))
        for sql in ("SELECT pieces FROM stock", "SELECT count(*) AS n FROM stock")
    )
    assert later(0, stock) == []
    assert later(1, stock, "ALTER TABLE stock RENAME COLUMN pieces TO amount") == [stock.pk]
    assert list(selectors.reports_breaking(alice)) == [broken]
    assert "pieces" in broken.parts.get().saved.problem
    assert sound.parts.get().saved.problem == ""
    assert later(2, stock, "ALTER TABLE stock RENAME COLUMN amount TO pieces") == [stock.pk]
    assert not selectors.reports_breaking(alice)


def test_where_nothing_changed_no_values_are_read_and_a_source_that_is_away_stays_as_it_is(
    alice, stock
) -> None:
    report = save_report(alice, save_sql(alice, stock, "SELECT pieces FROM stock"))
    index = StoredIndex.objects.values().get(source=stock)
    later(1, stock)
    looked = Source.objects.get(pk=stock.pk).catalog_at
    assert looked > stock.catalog_at
    Path(stock.database).unlink()
    assert later(2, stock) == [stock.pk]
    stock.refresh_from_db()
    assert (stock.catalog_at, stock.drift) == (looked, None)
    assert StoredIndex.objects.values().get(source=stock) == index
    assert not selectors.reports_breaking(alice)
    services.report_pause(report, alice)
    assert later(3, stock) == []
