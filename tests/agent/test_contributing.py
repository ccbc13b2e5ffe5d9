"""Contributions to a change: they add up to it exactly, and its sentence takes its numbers from them."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from sqlagent.telling.summarizing.contributing import SHOWN, NotSplit, split_of, splits_ranked, whole_of
from sqlagent.telling.summarizing.contribution_words import sentence_of
from sqlagent.values import Rows


def rows(*some: tuple[object, ...]) -> Rows:
    return Rows(tuple(f"c{n}" for n in range(len(some[0]))), some)


@pytest.mark.parametrize("seed", range(20))
def test_parts_add_up_to_the_whole_whatever_the_numbers(seed: int) -> None:
    some = random.Random(seed)
    cents = [(some.randrange(-(10**9), 10**9), some.randrange(-(10**9), 10**9)) for _ in range(30)]
    # As a database adds up floating point numbers: in another order each time, with noise in the last digits.
    lines = [(f"v{n}", before / 100 * (1 + 1e-15), now / 100) for n, (before, now) in enumerate(cents)]
    totals = [sum(one / 100 for one, _ in cents), sum(one / 100 for _, one in cents)]
    split = split_of("kind", 1, rows(*lines), totals)
    assert split.whole.now == Decimal(sum(now for _, now in cents)) / 100
    assert len(split.parts) == SHOWN + 1 and split.parts[-1].count == 30 - SHOWN
    assert sum(one.change for one in split.parts) == split.whole.change
    assert sum(one.before for one in split.parts) == split.whole.before


@pytest.mark.parametrize("seed", range(20))
def test_rate_and_mix_of_a_quotient_add_up_too_where_a_value_comes_or_goes(seed: int) -> None:
    some = random.Random(seed)
    lines = [(f"v{n}", *(some.randrange(1, 10**6) for _ in range(4))) for n in range(12)]
    lines += [("new", 0, 0, 500, 7), ("gone", 500, 9, 0, 0), ("never", 0, 0, 0, 0)]
    totals = [sum(line[n] for line in lines) for n in range(1, 5)]
    split = split_of("kind", 1, rows(*lines), totals)
    assert sum(one.mix + one.rate for one in split.parts) == split.whole.change
    with pytest.raises(NotSplit):
        whole_of([5, 0, 5, 1])


def test_null_empty_and_missing_groups_are_parts_and_data_that_moved_are_none() -> None:
    lines = rows((None, 5, 9), ("", 1, 3), ("Norway", 10, 2))
    split = split_of("country", 1, lines, [16, 14])
    assert {one.values for one in split.parts} == {(None,), ("",), ("Norway",)}
    reached = split_of("country", 1, lines, [26, 34], "customer")
    left = next(one for one in reached.parts if one.kind == "none")
    assert (left.before, left.now) == (10, 20)
    told = sentence_of("orders", "2025", "2026", reached.whole, [reached])
    assert told == "Orders rose by 8 (31 %) from 2025 to 2026; what has no customer alone rose by 10."
    with pytest.raises(NotSplit, match="changed while it was read"):
        split_of("country", 1, lines, [26, 34])
    with pytest.raises(NotSplit, match="one value"):
        split_of("country", 1, rows(("Norway", 1, 2)), [1, 2])
    with pytest.raises(NotSplit):
        whole_of([float("nan"), 1])


def test_the_most_telling_dimension_comes_first_and_a_sentence_says_what_did_not_happen() -> None:
    even = split_of("channel", 1, rows(("web", 50, 55), ("shop", 50, 55)), [100, 110])
    odd = split_of("country", 1, rows(("Norway", 50, 62), ("Sweden", 50, 48)), [100, 110])
    assert splits_ranked([even, odd], 1) == (odd,)
    assert sentence_of("revenue", "May 2026", "June 2026", even.whole, [even]) == (
        "Revenue rose by 10 (10 %) from May to June 2026; no single value of channel stands out."
    )
    three = split_of(
        "category",
        1,
        rows(("Cycling", 500, 700), ("Electronics", 400, 550), ("Kitchen", 50, 180)),
        [950, 1_430],
    )
    assert sentence_of("revenue", "2024", "2025", three.whole, [three]) == (
        "Revenue rose by 480 (51 %) from 2024 to 2025;"
        " Cycling rose most, by 200; Kitchen rose by 130, the farthest beyond its share."
    )
    same = split_of("channel", 1, rows(("web", 50, 60), ("shop", 50, 40)), [100, 100])
    assert sentence_of("revenue", "Q1 2026", "Q2 2026", same.whole, [same]) == (
        "Revenue did not change from Q1 to Q2 2026: 100 in both."
    )
    from_nothing = whole_of([0, 7])
    assert sentence_of("orders", "2025", "2026", from_nothing, []) == "Orders rose by 7 from 2025 to 2026."
