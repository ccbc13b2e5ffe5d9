"""Says whether rows are right (EX), with the cell rule that groups executions, and keeps the figures.

Exact McNemar for two selectors on the same questions, paired bootstrap, calibration. Nothing here
is seen by what selects.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from math import comb

from sqlagent.errors import DatabaseError
from sqlagent.evaluation.items import Item, Source, gold_is_ordered
from sqlagent.method import grouping
from sqlagent.ports import Database
from sqlagent.values import Limits, Rows

GOLD = Limits(seconds=60.0, rows=1_000_000)
"""The limits of a gold statement: the result cap, and patience."""


class Scorer:
    """Compares results with one question's gold, as a bag or as a list.

    A gold that does not run is told on standard error, and nothing is right then.
    """

    def __init__(self, item: Item, source: Source) -> None:
        self._database: Database = source.database
        self._ordered = gold_is_ordered(item, source.catalog.dialect)
        self._gold: Rows | None = None
        if item.gold is not None:
            try:
                self._gold = source.database.execute(item.gold, GOLD)
            except DatabaseError as error:
                sys.stderr.write(f"the gold SQL of {item.id} does not run, so nothing is right: {error}\n")
        self._key = grouping.fingerprint(self._gold, self._ordered) if self._gold else ""
        self._known: dict[str, bool] = {}

    def is_right(self, sql: str, rows: Rows | None) -> bool:
        """Tell whether these rows are the gold's; a cut result is run once more, whole."""
        if rows is None or self._gold is None:
            return False
        if sql not in self._known:
            if rows.truncated:
                try:
                    rows = self._database.execute(sql, GOLD)
                except DatabaseError:
                    return False
            self._known[sql] = grouping.fingerprint(rows, self._ordered) == self._key
        return self._known[sql]

    def is_right_bird(self, rows: Rows | None) -> bool:
        """Compare as the BIRD benchmark does: sets of rows."""
        return rows is not None and self._gold is not None and grouping.same_answer_bird(rows, self._gold)


def mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> float:
    """Exact two-sided McNemar p of two selectors on the same questions.

    Example:
        >>> round(mcnemar([True] * 8 + [False] * 1, [False] * 8 + [True] * 1), 4)
        0.0391
    """
    wins = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    losses = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    n = wins + losses
    if n == 0:
        return 1.0
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1)) * 0.5**n
    return min(1.0, 2 * tail)


def bootstrap(
    ours: Sequence[bool], theirs: Sequence[bool], *, seed: int = 0, times: int = 2_000
) -> tuple[float, float]:
    """Give the 95 % interval of the difference in percent by a paired bootstrap; seeded.

    Example:
        >>> bootstrap([True] * 10, [True] * 10)
        (0.0, 0.0)
    """
    chance = random.Random(seed)
    gains = [int(a) - int(b) for a, b in zip(ours, theirs, strict=True)]
    n = len(gains)
    means = sorted(100 * sum(chance.choices(gains, k=n)) / n for _ in range(times)) if n else [0.0]
    return means[int(0.025 * len(means))], means[min(len(means) - 1, int(0.975 * len(means)))]


def gap_closed(ours: float, vote: float, oracle: float) -> float:
    """Give the part of the gap between vote and oracle that was closed, in percent."""
    return 100 * (ours - vote) / (oracle - vote) if oracle > vote else 0.0


def calibration(
    pairs: Sequence[tuple[float, bool]], bins: int = 10
) -> tuple[float, float, list[tuple[float, float, int]]]:
    """Give Brier score, expected calibration error and the reliability curve of `(confidence, right)` pairs.

    Bins are of equal width; a bin of the curve is (mean confidence, share right, how many).

    Example:
        >>> calibration([(0.8, True), (0.8, True), (0.8, True), (0.8, True), (0.8, False)])[1] < 1e-9
        True
    """
    if not pairs:
        return 0.0, 0.0, []
    brier = sum((p - right) ** 2 for p, right in pairs) / len(pairs)
    curve, error = [], 0.0
    for i in range(bins):
        inside = [(p, r) for p, r in pairs if i <= min(p * bins, bins - 1e-9) < i + 1]
        if inside:
            said = sum(p for p, _ in inside) / len(inside)
            was = sum(r for _, r in inside) / len(inside)
            curve.append((said, was, len(inside)))
            error += len(inside) / len(pairs) * abs(said - was)
    return brier, error, curve


def percentile(numbers: Sequence[float], share: float) -> float:
    """Give the value below which `share` of the numbers lie (nearest rank); 0 of none.

    Example:
        >>> percentile([3, 1, 2], 0.5)
        2
    """
    if not numbers:
        return 0.0
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]
