"""The built-in generator behind the `Sampler` port: a beam of candidates without any LLM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event as Flag

from sqlglot import exp

from sqlagent.value_index import ValueIndex
from sqlagent.values import Candidate, LinkedSchema, Question


class GrammarSampler:
    """Makes candidates from the words of the question alone."""

    def __init__(self, index: ValueIndex | None = None) -> None:
        self.index = index

    def sample(
        self,
        question: Question,
        linked: LinkedSchema,
        *,
        count: int,
        start: int = 0,
        round: int = 0,
        feedback: Sequence[str] = (),
        cancelled: Flag | None = None,
    ) -> Iterator[Candidate]:
        """Yield up to `count` distinct candidates, best first, continuing after `start`."""
        names = list(dict.fromkeys(link.table for link in linked.links))
        trees: list[exp.Expression] = []
        for key in names:
            schema, _, name = key.rpartition(".")
            table = exp.table_(name, db=schema or None, quoted=True)
            trees.append(exp.select(exp.Count(this=exp.Star())).from_(table))
            trees.append(exp.select("*").from_(table))
        if "how many" not in question.text.lower():
            trees.sort(key=lambda t: isinstance(t.expressions[0], exp.Count))
        for number, tree in enumerate(trees[start : start + count]):
            yield Candidate(tree.sql(linked.full.dialect), "grammar", round, float(-number))
