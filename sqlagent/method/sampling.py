"""When enough has been sampled: wave sizes, what a wave leads with, and the early stop.

Decides how many candidates to ask for next and which families of prompts a disagreement calls for; what prompts say
is for `generation`, whether the pool is good enough for `answer_checks` and `resampling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb

from sqlagent.sql.clauses import Clauses, read
from sqlagent.values import Budget, Catalog, ExecutionGroup

CERTAIN = 0.95
"""Stop once the first group leads the second with this posterior probability (docs/method.md, Sampling)."""

AGREEING = 2
"""Attempts that have to agree before their answer is checked instead of sampled on."""

_STRUCTURE = ("table", "join", "group", "having", "set", "distinct", "limit")
"""Kinds of clauses whose differences a plan settles; others are about which column or value is meant."""


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


def unanimous(groups: Sequence[ExecutionGroup], asked: int, least: int = AGREEING) -> bool:
    """Tell whether every attempt that was asked for ran and gave the same answer: two of them at `least`.

    An attempt that failed, or a call that gave no SQL, leaves a pool that is not unanimous.
    """
    return len(groups) == 1 and asked >= least and groups[0].size == asked


def next_wave(sampled: int, budget: Budget, *, first: bool = False, vouched: bool = False) -> int:
    """How many candidates to ask for next; 0 when the round's samples are used up.

    With `first` the round begins with the budget's small wave, and the next one fills it up to a whole wave. Where the
    result of another maker is there to agree with (`vouched`), the small wave begins with a single candidate.

    Example:
        >>> [next_wave(sampled, Budget(), first=True) for sampled in (0, 2, 4, 8)]
        [2, 2, 4, 0]
        >>> [next_wave(sampled, Budget(), first=True, vouched=True) for sampled in (0, 1, 2, 4, 8)]
        [1, 1, 2, 4, 0]
    """
    left = max(0, budget.samples - sampled)
    if first and vouched and budget.first > 0 and not sampled:
        return min(1, left)
    if first and 0 < budget.first < budget.wave and sampled < budget.wave:
        return min(budget.first - sampled if sampled < budget.first else budget.wave - sampled, left)
    return min(budget.wave, left)


def replacing(budget: Budget) -> Budget:
    """Give the budget of a round whose pool replaces the one before: half as many samples more, pruned to its size.

    The paper replaces n samples by m > n and does not say by how many.

    Example:
        >>> replacing(Budget(samples=8)).samples
        12
    """
    return replace(budget, samples=budget.samples + max(1, budget.samples // 2))


def families(groups: Sequence[ExecutionGroup], problems: Sequence[str], catalog: Catalog) -> tuple[str, ...]:
    """Name the families of prompts that the wave after the first one leads with, by where it disagreed.

    One answer that left something out is asked again requirement by requirement; answers that differ in tables, joins,
    groups or limits get plans; answers that differ in a column or a value get the other ways to read the question.
    """
    if problems:
        return ("requirements", "plan")
    if len(groups) < AGREEING:
        return ("plan", "divide")
    one, other = (read(group.members[0].sql, catalog) for group in groups[:2])
    if one is None or other is None or _by_structure(one, other):
        return ("plan", "divide")
    return ("second_look", "plan")


def _by_structure(one: Clauses, other: Clauses) -> bool:
    return one.selects != other.selects or any(one.of(kind) != other.of(kind) for kind in _STRUCTURE)
