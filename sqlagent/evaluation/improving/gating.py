"""The gate: whether an edit is better by an exact test on questions that its editor has not seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb, sqrt

ALPHA, FREE = 0.05, 20
"""Level of the exact test, and for how many candidates in a row it stays: those that come after many refused ones have to be surer."""

Z = 1.2816
"""Quantile of the lower bound: 90 %, one-sided."""


@dataclass(frozen=True, slots=True)
class Gated:
    """The findings of the gate: groups won and lost against the version in force, the exact p, and the level that it had to reach."""

    won: int
    lost: int
    p: float
    level: float
    passed: bool
    why: str


def sign_test(won: int, lost: int) -> float:
    """Give the chance of so many wins or more where wins and losses were equally likely (exact, one-sided).

    Example:
        >>> sign_test(5, 0), sign_test(0, 3), round(sign_test(7, 1), 4)
        (0.03125, 1.0, 0.0352)
    """
    of = won + lost
    return float(sum(comb(of, k) for k in range(won, of + 1)) / 2**of)


def level(tests: int) -> float:
    """Give the level of the next test after so many without a pass. Their sum is bounded, so that luck is too, however many follow.

    Example:
        >>> level(0), level(19), level(39), sum(map(level, range(10_000))) < 2
        (0.05, 0.05, 0.0125, True)
    """
    return float(ALPHA * min(1.0, FREE / (tests + 1)) ** 2)


def lower_bound(right: int, of: int) -> float:
    """Give the lower bound (Wilson, 90 %) of a share.

    Example:
        >>> round(lower_bound(8, 10), 3), lower_bound(0, 0)
        (0.602, 0.0)
    """
    if not of:
        return 0.0
    share, z2 = right / of, Z * Z
    middle = share + z2 / (2 * of)
    return max(0.0, (middle - Z * sqrt(share * (1 - share) / of + z2 / (4 * of * of))) / (1 + z2 / of))


def by_group(right: Mapping[str, bool], groups: Mapping[str, str]) -> dict[str, float]:
    """Give the share of right answers of each group, so that a template asked ten times counts once."""
    held: dict[str, list[bool]] = defaultdict(list)
    for key, one in right.items():
        held[groups[key]].append(one)
    return {group: sum(own) / len(own) for group, own in held.items()}


def against(now: Mapping[str, float], before: Mapping[str, float]) -> tuple[int, int]:
    """Count groups that are better and worse than before, of those known to both."""
    both = [(now[group], before[group]) for group in now if group in before]
    return sum(a > b for a, b in both), sum(a < b for a, b in both)


def gate(
    now: Mapping[str, float], before: Mapping[str, float], start: Mapping[str, float], tests: int
) -> Gated:
    """Decide on a candidate by the groups of the gate: against the version in force, and not below what the start may be worth.

    `tests` is how many candidates the gate refused since it passed one.
    """
    won, lost = against(now, before)
    p, needed = sign_test(won, lost), level(tests)
    floor = lower_bound(round(sum(start.values())), len(start))
    share = sum(now.values()) / len(now) if now else 0.0
    why = ""
    if won <= lost:
        why = "It wins no more than it loses."
    elif p > needed:
        why = f"It may be chance: p = {p:.3g} is above {needed:.3g}."
    elif share < floor:
        why = "It is below the lower bound of the start."
    return Gated(won, lost, p, needed, not why, why)
