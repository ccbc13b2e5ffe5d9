"""Values made a moment ago are given again: bounded, made once by threads that ask at once, and never a failure."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from mirror.recent import Recent


def test_the_values_asked_for_last_are_kept():
    made: list[int] = []
    kept = Recent[int, int](most=2)
    for number in (1, 2, 1, 3, 1, 2):
        assert kept.get(number, lambda number=number: made.append(number) or -number) == -number
    assert made == [1, 2, 3, 2], "2 was asked for longest ago when 3 came"


def test_threads_that_ask_at_once_wait_for_one_of_them():
    made: list[int] = []
    kept, together = Recent[str, list[int]](most=2), Barrier(8)
    may_go = Event()

    def make() -> list[int]:
        assert may_go.wait(20)
        made.append(1)
        return [1]

    def ask(_: int) -> list[int]:
        together.wait(20)
        return kept.get("a", make)

    with ThreadPoolExecutor(8) as threads:
        asked = threads.map(ask, range(8))
        assert kept.get("b", lambda: [2]) == [2], "another key waits for nobody"
        may_go.set()
        found = list(asked)
    assert made == [1]
    assert all(one is found[0] for one in found)


def test_what_fails_and_what_is_nothing_is_made_anew():
    kept = Recent[str, int | None](most=2)
    with pytest.raises(ZeroDivisionError):
        kept.get("a", lambda: 1 // 0)
    assert kept.get("a", lambda: None) is None
    assert kept.get("a", lambda: 3) == 3
    assert kept.get("a", lambda: 4) == 3
