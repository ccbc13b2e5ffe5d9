"""The rules of handing back, with no worker at hand who could get there first."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from mirror.asking import services
from mirror.asking.models import Run, Step, Version
from mirror.work.leases import LeaseLost, Status, claim
from mirror.work.recovery import work_recover
from mirror.work.turns import turn_take

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "How many customers are there?"


def status(row: Run | Version) -> str:
    row.refresh_from_db()
    return row.status


@pytest.fixture
def run(shop, alice, media, settings) -> Run:
    settings.LEASE_SECONDS = 30
    return services.run_ask(alice, shop, QUESTION)


def lapse(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_run_in_good_hands_is_left_alone(run) -> None:
    turn_take(Run, run.pk)
    work_recover()
    assert status(run) == Status.RUNNING


def test_a_worker_that_lost_its_run_can_no_longer_change_it(run) -> None:
    lost = claim(Run, run.pk)
    lapse(run)
    work_recover()
    assert status(run) == Status.QUEUED
    with pytest.raises(LeaseLost):
        lost.write(reason="too late")
    now = claim(Run, run.pk)
    with pytest.raises(LeaseLost):
        lost.end(outcome="answered")
    now.write(reason="in time")
    run.refresh_from_db()
    assert (run.reason, run.outcome) == ("in time", "")


def test_a_worker_that_lost_its_run_stops_and_keeps_nothing(run, monkeypatch) -> None:
    from mirror.asking.services import answering

    lease = turn_take(Run, run.pk)
    whole = answering.answer_events

    def robbed(*args, **kwargs):
        for event in whole(*args, **kwargs):
            Run.objects.filter(pk=run.pk).update(lease_token=99)
            yield event

    monkeypatch.setattr(answering, "answer_events", robbed)
    services.run_answer(lease)
    run.refresh_from_db()
    assert (run.outcome, run.lease_token) == ("", 99)
    assert not Step.objects.exists()
    assert not Version.objects.exists()


def test_a_run_that_killed_three_workers_is_given_up_saying_why(run) -> None:
    for _ in range(3):
        assert turn_take(Run, run.pk) is not None
        lapse(run)
        work_recover()
    run.refresh_from_db()
    assert (run.status, run.outcome, run.attempts) == (Status.DONE, "failed", 3)
    assert "interrupted 3 times" in run.reason


def test_a_dead_run_that_was_stopped_ends_as_stopped(run) -> None:
    turn_take(Run, run.pk)
    services.run_stop(run)
    lapse(run)
    work_recover()
    run.refresh_from_db()
    assert (run.status, run.reason) == (Status.DONE, "Stopped by you.")


def test_a_version_whose_worker_died_is_handed_back_too(run) -> None:
    Run.objects.filter(pk=run.pk).update(status=Status.DONE)
    run.refresh_from_db()
    version = services.version_edit(run, "SELECT 1")
    assert turn_take(Version, version.pk) is not None
    Version.objects.filter(pk=version.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    work_recover()
    services.version_run(turn_take(Version, version.pk))
    version.refresh_from_db()
    assert (version.status, version.attempts, version.failure) == (Status.DONE, 2, None)


def test_a_long_run_keeps_its_lease(run, settings) -> None:
    settings.LEASE_SECONDS = 1
    Run.objects.filter(pk=run.pk).update(status=Status.DONE)
    run.refresh_from_db()
    slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000000)"
    version = services.version_edit(run, f"{slow} SELECT count(*) FROM n")
    lease = turn_take(Version, version.pk)
    services.version_run(lease)
    version.refresh_from_db()
    assert version.failure is None
    assert (version.ended_at - version.started_at).total_seconds() > 1
    assert version.lease_token == lease.token
