"""Learn to order the beam: candidates of questions whose database the searching models never saw.

Decides how training questions become cases for `fit_choices`: databases are dealt to folds,
each fold is searched with models learned on the others, and a candidate is right when its
rows are the gold's. The same candidates give the figures of the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlagent.errors import DatabaseError
from sqlagent.evaluation.fit_choices import Case, fit_choice
from sqlagent.evaluation.items import BadInput, Databases, Item
from sqlagent.evaluation.scoring import Scorer
from sqlagent.makers.grammar.reading import read
from sqlagent.makers.grammar.rendering import NoJoin, Renderer
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.scoring import Weights
from sqlagent.makers.grammar.searching import Width, search
from sqlagent.makers.grammar.weighing import features
from sqlagent.values import Limits

POOL = 24
"""Candidates weighed against each other a question."""

STATEMENT = Limits(seconds=3.0, rows=5_000)


@dataclass(slots=True)
class Beam:
    """One question's candidates in the search's order, as features, and which were right."""

    db: str
    case: Case

    def hit(self, weights: dict[str, float], first: int) -> bool:
        """Whether a right candidate is among the `first` by these weights (by the search's order without)."""
        order = list(range(len(self.case.options)))
        if weights:
            totals = [sum(weights.get(f, 0.0) * v for f, v in o.items()) for o in self.case.options]
            order.sort(key=lambda n: -totals[n])
        return any(n in self.case.right for n in order[:first])


def beam(item: Item, databases: Databases, schema: Schema, weights: Weights) -> Beam | None:
    """Search one question and run what is found; None when its gold does not run."""
    source = databases.source(item.db)
    try:
        scorer = Scorer(item, source)
    except BadInput:
        return None
    reading = read(item.question.text, schema.naming, source.index)
    renderer = Renderer(schema.graph, source.catalog.dialect)
    case = Case(item.db, [], [])
    known: set[str] = set()
    for found in search(reading, schema, weights, Width()):
        try:
            sql = renderer.sql(found.query)
        except NoJoin:
            continue
        if sql in known:
            continue
        known.add(sql)
        try:
            if scorer.is_right(sql, source.database.execute(sql, STATEMENT)):
                case.right.append(len(case.options))
        except DatabaseError:
            pass
        case.options.append(features(found, reading, schema))
        if len(case.options) >= POOL:
            break
    return Beam(item.db, case)


def learn_order(beams: Sequence[Beam]) -> dict[str, float]:
    """Fit the weights that order a beam, on the questions where order can matter."""
    return fit_choice([b.case for b in beams if 0 < len(b.case.right) < len(b.case.options)])


def report(beams: Sequence[Beam], folds: dict[str, int]) -> str:
    """Say how often the first, and one of the first eight, is right on databases held out of every fit."""
    lines = []
    held: list[tuple[Beam, dict[str, float]]] = []
    for fold in sorted(set(folds.values())):
        weights = learn_order([b for b in beams if folds[b.db] != fold])
        held.extend((b, weights) for b in beams if folds[b.db] == fold)
    total = max(len(held), 1)
    for name, ranked in (("search's order", False), ("learned order", True)):
        first = sum(b.hit(w if ranked else {}, 1) for b, w in held)
        eight = sum(b.hit(w if ranked else {}, 8) for b, w in held)
        lines.append(f"{name}: {100 * first / total:.1f} % first, {100 * eight / total:.1f} % within eight")
    found = sum(bool(b.case.right) for b, _ in held)
    lines.append(f"right anywhere among {POOL}: {100 * found / total:.1f} % of {len(held)} questions")
    return "\n".join(lines)
