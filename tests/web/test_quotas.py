"""Counting what somebody does: never more than the bound within the while, whoever counts at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from mirror.people.models import QuotaMet, QuotaUse
from mirror.people.quotas import quota_met, quota_use

HOUR = timedelta(hours=1)


def use(person, key: object, most: int = 3):
    return quota_use(person, "mails", str(key), most=most, per=HOUR)


@pytest.mark.django_db
def test_a_use_beyond_the_bound_is_told_when_there_is_room_and_counts_nothing(alice, bob) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        began = timezone.now()
        for number in range(3):
            assert use(alice, number) is None
            clock.shift(timedelta(minutes=10))
        assert use(alice, "more") == began + HOUR
        assert use(bob, "more") is None, "each person has a quota of their own"
        assert quota_use(alice, "calls", "more", most=3, per=HOUR) is None, "and each kind"
        clock.move_to(began + HOUR - timedelta(seconds=1))
        assert use(alice, "more") is not None
        clock.move_to(began + HOUR)
        assert use(alice, "more") is None
        assert use(alice, "another") == began + timedelta(minutes=70)
        assert QuotaUse.objects.filter(quota__person=alice, quota__kind="mails").count() == 4


@pytest.mark.django_db
def test_the_hour_moves_so_that_no_two_halves_hold_twice_the_bound(alice) -> None:
    at = timezone.now().replace(minute=59, second=50, microsecond=0)
    with time_machine.travel(at, tick=False) as clock:
        assert [use(alice, n) for n in range(3)] == [None] * 3
        clock.shift(timedelta(seconds=20))
        assert use(alice, 4) == at + HOUR, "a new hour of the clock is no new hour of the quota"


@pytest.mark.django_db
def test_what_is_tried_again_is_the_same_use(alice) -> None:
    assert [use(alice, key, most=1) for key in ("a", "a", "a")] == [None] * 3
    assert use(alice, "b", most=1)
    with time_machine.travel(timezone.now() + timedelta(hours=30), tick=False):
        assert use(alice, "b", most=1) is None
        assert use(alice, "a", most=1) is None, "remembered longer than anything is tried again"
    assert QuotaUse.objects.count() == 2


@pytest.mark.django_db
def test_a_bound_that_was_narrowed_holds_at_once_and_none_is_none(alice) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        began = timezone.now()
        for number in range(5):
            use(alice, number, most=5)
            clock.shift(timedelta(minutes=1))
        assert use(alice, "more", most=2) == began + timedelta(minutes=3) + HOUR, "until one of two is left"
        assert use(alice, "more", most=0) is not None
        clock.shift(timedelta(days=30))
        assert use(alice, "more", most=0) is not None


@pytest.mark.django_db
def test_a_clock_that_was_ahead_holds_nobody_back_for_long(alice) -> None:
    with time_machine.travel(timezone.now() + timedelta(days=400), tick=False):
        assert [use(alice, n) for n in range(3)] == [None] * 3
        assert use(alice, "more")
    assert use(alice, "now") is None
    assert QuotaUse.objects.count() == 1


@pytest.mark.django_db
def test_old_uses_are_forgotten(alice) -> None:
    use(alice, "old")
    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        use(alice, "new")
    assert [one.key for one in QuotaUse.objects.all()] == ["new"]


@pytest.mark.django_db
def test_a_bound_that_was_met_is_to_be_told_once_an_hour(alice, bob) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        told = [quota_met(alice, "mails", most=3, per=HOUR) for _ in range(5)]
        assert told == [True, False, False, False, False]
        assert not quota_met(alice, "calls", most=3, per=HOUR), "told by the page; the mail went a moment ago"
        assert quota_met(bob, "mails", most=3, per=HOUR)
        clock.shift(HOUR)
        assert quota_met(alice, "mails", most=3, per=HOUR)
    assert sorted(QuotaMet.objects.values_list("person__username", "held")) == [
        ("alice", 1),
        ("alice", 1),
        ("alice", 5),
        ("bob", 1),
    ]


@pytest.mark.django_db(transaction=True)
def test_threads_that_count_at_once_count_no_more_than_the_bound(alice) -> None:
    def counted(number: int) -> tuple[bool, bool]:
        try:
            is_let = use(alice, number, most=10) is None
            return is_let, not is_let and quota_met(alice, "mails", most=10, per=HOUR)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(counted, range(60)))
    assert sum(is_let for is_let, _ in done) == 10
    assert sum(is_told for _, is_told in done) == 1
    assert QuotaUse.objects.count() == 10
    assert QuotaMet.objects.get().held == 50
