"""Which maker is right where: each question answered as it is, and by the generator alone; by database, with the best that learnt shares could reach.

No language model. A bandit that learns a maker for each source can at most do what the better one does on that source; one that learnt it for each
question could at most do what either does. `learnt` is how often the gate of a context that improves itself would prefer the generator, of so many
drawn thirds of the questions, and `gain` what that does to another third, in points.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlagent import pipeline
from sqlagent.evaluation.improving import gate
from sqlagent.evaluation.items import Databases, Item, Source
from sqlagent.evaluation.lenient import Golds
from sqlagent.evaluation.scoring import mcnemar
from sqlagent.events import Ended, Executed
from sqlagent.makers import analyst
from sqlagent.values import Question

DRAWS = 1_000
"""Thirds that are drawn of a database's questions."""


@dataclass(frozen=True, slots=True)
class Apart:
    """One question: its database, whether the analyst spoke, and whether it was right as it is and by the generator alone."""

    db: str
    is_analyst: bool
    right: bool
    generator: bool


def measure(items: Sequence[Item], place: str) -> list[Apart]:
    """Ask every question twice. Raises: BadInput."""
    by_db: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.golds or item.gold:
            by_db[item.db].append(item)
    databases, out = Databases(place), list[Apart]()
    try:
        for name, own in sorted(by_db.items()):
            source = databases.source(name)
            for item in own:
                golds = Golds(source.database, item.golds or (str(item.gold),), bool(item.ordered))
                sql, families = _asked(source, item)
                with _without_analyst():
                    other, _ = _asked(source, item) if "analyst" in families else (sql, families)
                right, generator = (bool(one) and golds.which(one) is not None for one in (sql, other))
                out.append(Apart(name, "analyst" in families, right, generator))
                sys.stderr.write(f"\r{name} {len(out)} ")
    finally:
        databases.close()
    sys.stderr.write("\n")
    return out


@contextmanager
def _without_analyst() -> Iterator[None]:
    written = analyst.WRITTEN
    analyst.WRITTEN = ()  # type: ignore[assignment]
    try:
        yield
    finally:
        analyst.WRITTEN = written


def _asked(source: Source, item: Item) -> tuple[str, set[str]]:
    """The SQL of an answer, and the families of makers that made candidates for it."""
    families, sql = set(), ""
    for event in pipeline.answer(
        Question(item.question.text), database=source.database, catalog=source.catalog, index=source.index
    ):
        if isinstance(event, Executed):
            families.add(event.execution.candidate.family)
        elif isinstance(event, Ended):
            sql = event.answer.sql
    return sql, families


def report(found: Sequence[Apart]) -> str:
    """A line a database, and one for all."""
    lines = [
        "database                      asked  analyst  as it is  generator  won lost      p  better one  either"
    ]
    by_db: dict[str, list[Apart]] = defaultdict(list)
    for one in found:
        by_db[one.db].append(one)
    total = 0
    for name, own in sorted(by_db.items()):
        best = max(sum(one.right for one in own), sum(one.generator for one in own))
        total += best
        lines.append(_line(name, own, best))
    return "\n".join([*lines, _line("all", found, total)])


def learnt(found: Sequence[Apart], seed: int = 0) -> tuple[float, float]:
    """How often the gate prefers the generator, and what that gains on a third that decided nothing (points)."""
    draw, passed, gained = random.Random(seed), 0, 0.0
    for _ in range(DRAWS):
        drawn = draw.sample(found, len(found))
        third = len(found) // 3
        asked, others = drawn[:third], drawn[third : 2 * third]
        now = {str(at): float(one.generator) for at, one in enumerate(asked)}
        then = {str(at): float(one.right) for at, one in enumerate(asked)}
        if others and gate(now, then, then, 0).passed:
            passed += 1
            gained += sum(one.generator - one.right for one in others) / len(others)
    return passed / DRAWS, 100 * gained / DRAWS


def _line(name: str, own: Sequence[Apart], best: int) -> str:
    right, generator = [one.right for one in own], [one.generator for one in own]
    won = sum(a and not b for a, b in zip(right, generator, strict=True))
    lost = sum(b and not a for a, b in zip(right, generator, strict=True))
    either = sum(a or b for a, b in zip(right, generator, strict=True))
    spoke = sum(one.is_analyst for one in own)
    share, gain = learnt(own)
    return (
        f"{name[:28]:28} {len(own):6} {spoke:8} {sum(right):9} {sum(generator):10} {won:4} {lost:4} "
        f"{mcnemar(right, generator):6.2g} {best:11} {either:7} {share:7.1%} {gain:+6.2f}"
    )
