"""How well a source's own verified questions are answered: each as if it were not verified, with its terms and without.

By the built-in analyst and generator alone. What came out last is kept, so that a change tells what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from mirror.knowledge.effects import Teller, is_right
from mirror.knowledge.knowing import knowledge_of
from mirror.knowledge.models import Evaluation
from sqlagent.errors import DatabaseError
from sqlagent.evaluation.scoring import mcnemar
from sqlagent.values import Knowledge, Outcome

if TYPE_CHECKING:
    from mirror.queries.running import OpenedSource


@dataclass(frozen=True, slots=True)
class Asked:
    """One verified question: whether it was answered rightly with the terms, and without; how it ended; what it cost in seconds."""

    question: str
    right: bool
    bare: bool
    outcome: str
    seconds: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Against:
    """Two evaluations of the same questions: won, lost, and the exact McNemar p."""

    won: int
    lost: int
    of: int
    p: float

    @classmethod
    def of_pairs(cls, pairs: Sequence[tuple[bool, bool]]) -> Against:
        """From pairs of (now, before)."""
        now, before = [a for a, _ in pairs], [b for _, b in pairs]
        won = sum(a and not b for a, b in pairs)
        return cls(won, sum(b and not a for a, b in pairs), len(pairs), mcnemar(now, before))


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an evaluation found."""

    asked: tuple[Asked, ...]
    terms: Against
    since: Against | None
    since_when: str

    @property
    def right(self) -> int:
        """How many were answered rightly."""
        return sum(one.right for one in self.asked)

    @property
    def called_answered(self) -> tuple[int, int]:
        """Of those called answered, how many are right, and how many there are."""
        said = [one for one in self.asked if one.outcome == Outcome.ANSWERED]
        return sum(one.right for one in said), len(said)


def source_evaluate(opened: OpenedSource, told: Callable[[Asked], object] = lambda _: None) -> Evaluated:
    """Ask every verified question as if none were verified, and keep what came out beside the last time."""
    known = knowledge_of(opened.source)
    teller = Teller.of(opened)
    asked = []
    for one in known.verified:
        now = teller.answer(one.question, Knowledge(known.terms))
        bare = teller.answer(one.question, Knowledge()) if now.terms else now
        problem = ""
        try:
            right = is_right(teller, now, one)
            was = is_right(teller, bare, one) if bare is not now else right
        except DatabaseError as error:
            right, was, problem = False, False, error.failure.message
        asked.append(Asked(one.question, right, was, str(now.outcome), round(now.usage.seconds, 3), problem))
        told(asked[-1])
    last = Evaluation.objects.filter(source=opened.source).order_by("-pk").first()
    before = {row["question"]: bool(row["right"]) for row in last.results} if last else {}
    both = [(one.right, before[one.question]) for one in asked if one.question in before]
    if asked:
        Evaluation.objects.create(
            source=opened.source, results=[asdict(one) for one in asked], terms=len(known.terms)
        )
    return Evaluated(
        tuple(asked),
        Against.of_pairs([(one.right, one.bare) for one in asked]),
        Against.of_pairs(both) if both else None,
        last.at.strftime("%Y-%m-%d %H:%M") if last else "",
    )
