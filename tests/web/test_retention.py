"""Retention: a dry run deletes nothing, and threads are deleted when nobody has touched them for the set time."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from mirror.asking import services
from mirror.asking.models import Run, Thread, Version
from mirror.asking.tasks import end_threads
from mirror.audit.models import AuditRow
from mirror.dashboards.models import Card, Dashboard
from mirror.results.models import StoredResult
from mirror.upkeep.retention import kept
from mirror.work.leases import Status


def say(*args: str) -> str:
    told = StringIO()
    call_command("retention", *args, stdout=told)
    return told.getvalue()


def aged(thread: Thread, days: int) -> Thread:
    """Move a thread with all that is in it into the past."""
    then = timezone.now() - timedelta(days=days)
    Thread.objects.filter(pk=thread.pk).update(created_at=then)
    Run.objects.filter(thread=thread).update(created_at=then, status=Status.DONE)
    Version.objects.filter(run__thread=thread).update(created_at=then)
    return thread


def left() -> set[int]:
    return set(Thread.objects.values_list("pk", flat=True))


def test_threads_end_after_the_days_that_are_set_with_their_rows_and_a_word_in_the_audit(answered, settings):
    thread = aged(answered.thread, 91)
    assert StoredResult.objects.exists()
    end_threads()
    assert left() == {thread.pk}, "0 days keeps threads for ever"
    settings.THREAD_DAYS = 92
    end_threads()
    assert left() == {thread.pk}
    settings.THREAD_DAYS = 90
    end_threads()
    assert not left() and not StoredResult.objects.exists()
    (row,) = AuditRow.objects.filter(verb="ended threads")
    assert row.details["threads"] == 1
    end_threads()
    assert AuditRow.objects.filter(verb="ended threads").count() == 1


@pytest.mark.parametrize(
    "why", ["pinned", "asked of lately", "SQL run lately", "on a dashboard", "still worked on"]
)
def test_threads_that_somebody_needs_stay(answered, alice, settings, why):
    thread = aged(answered.thread, 400)
    settings.THREAD_DAYS = 30
    if why == "pinned":
        services.thread_pin(thread, is_pinned=True)
    elif why == "asked of lately":
        Run.objects.filter(thread=thread).update(created_at=timezone.now())
    elif why == "SQL run lately":
        Version.objects.filter(run__thread=thread).update(created_at=timezone.now())
    elif why == "on a dashboard":
        board = Dashboard.objects.create(owner=alice, name="Board")
        Card.objects.create(dashboard=board, kind="run", source=thread.source, run=answered, title="Top")
    else:
        Run.objects.filter(thread=thread).update(status=Status.RUNNING)
    end_threads()
    assert left() == {thread.pk}


def test_a_dry_run_tells_what_would_go_and_deletes_nothing(answered, settings):
    aged(answered.thread, 200)
    assert "0 of 1 over" in say().splitlines()[0]
    assert say("--threads", "180").splitlines()[0].endswith("1 of 1 over")
    assert "1 of 1 over" in say("--ahead", "60").splitlines()[1], "rows are kept for 30 days"
    assert "Nothing was deleted." in say()
    rows = [json.loads(line) for line in say("--threads", "180", "--json").splitlines()]
    assert [row["what"] for row in rows] == [one.what for one in kept()]
    assert (rows[0]["over"], rows[1]["count"]) == (1, 1)
    assert left() and StoredResult.objects.exists()


def test_what_is_over_by_the_settings_goes_at_once_where_that_is_asked(answered, settings):
    aged(answered.thread, 200)
    settings.THREAD_DAYS = 180
    assert say("--end").splitlines()[-1] == "1 ended."
    assert not left()


@pytest.mark.parametrize(
    "args",
    [
        ("--threads", "-1"),
        ("--threads", "99999999999"),
        ("--ahead", "99999999999"),
        ("--ahead", "-1"),
        ("--end", "--threads", "3"),
        ("--end", "--ahead", "3"),
    ],
)
def test_days_that_make_no_sense_are_refused(db, args):
    with pytest.raises(CommandError):
        say(*args)
