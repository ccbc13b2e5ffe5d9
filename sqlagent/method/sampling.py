"""When enough has been sampled: wave sizes and the early stop.

Decides how many candidates to ask for next; what they say is for `generation` and `grammar`,
whether the pool is good enough for `resampling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from sqlagent.values import Budget, ExecutionGroup

CERTAIN = 0.95
"""Stop once the first group leads the second with this posterior probability (docs/method.md, Sampling)."""


def leads(first: int, second: int) -> float:
    """Probability that the first of two answers is the more frequent one, given their counts.

    The integral from 1/2 to 1 of Beta(first + 1, second + 1), by its binomial sum.

    Example:
        >>> leads(4, 0) >= CERTAIN, leads(3, 0) >= CERTAIN
        (True, False)
        >>> leads(6, 1) >= CERTAIN, leads(5, 1) >= CERTAIN
        (True, False)
    """
    n = first + second + 1
    return float(sum(comb(n, j) for j in range(first + 1)) / 2**n)


def settled(groups: Sequence[ExecutionGroup]) -> bool:
    """Tell whether the largest group is so far ahead that another wave would not change it.

    Groups come largest first. A group whose result is empty or all NULL never settles, and
    neither does a beam: its members are no independent draws.
    """
    if any(member.candidate.score is not None for group in groups for member in group.members):
        return False
    if not groups or groups[0].status in ("empty", "all_null"):
        return False
    second = groups[1].size if len(groups) > 1 else 0
    return leads(groups[0].size, second) >= CERTAIN


def next_wave(sampled: int, budget: Budget) -> int:
    """How many candidates to ask for next; 0 when the round's samples are used up."""
    return max(0, min(budget.wave, budget.samples - sampled))
