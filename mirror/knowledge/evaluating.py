"""How well a source's own verified questions are answered: each as if it were not verified, with its terms and without.

By the built-in analyst and generator alone. The previous result stands beside it, so that the effect of a change shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from mirror.knowledge.effects import Teller, is_alike
from mirror.knowledge.knowing import as_if_unverified, knowledge_of
from mirror.knowledge.models import Evaluation
from mirror.storable import storable
from sqlagent.errors import DatabaseError
from sqlagent.evaluation.scoring import calibration, mcnemar
from sqlagent.sql.families import FAMILIES, family
from sqlagent.values import Answer, Knowledge, Outcome, Rows, VerifiedAnswer

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.queries.running import OpenedSource
    from mirror.sources.models import Source

MAKERS = ("analyst", "generator")
"""Makers of SQL without a language model: the analyst where a frame holds the question, else the generator."""

SQL_CHARS, COLUMNS = 4_000, 50
"""Kept of each answer: characters of its SQL, and names of columns of the verified result."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One verified question: whether it was answered rightly with the terms, and without; how it ended; its seconds.

    `before` is how it was the last time, None where it was not asked then or its verified SQL was another. `answer` is the number of the verified
    answer, `expected` its SQL and `shape` what that gave now. `with_llm` is how it was answered with a language model, None where none was asked;
    `tokens` and `money` are what that cost. `maker` is which of `MAKERS` wrote the SQL without a language model; empty where there is none.
    """

    question: str
    right: bool
    bare: bool
    outcome: str
    seconds: float
    problem: str = ""
    answer: int = 0
    sql: str = ""
    expected: str = ""
    family: str = ""
    before: bool | None = None
    shape: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    with_llm: bool | None = None
    llm: str = ""
    llm_confidence: float = 0.0
    llm_before: bool | None = None
    tokens: int = 0
    money: float = 0.0
    maker: str = ""


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
    """The findings of an evaluation."""

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

    @property
    def llm(self) -> dict[str, Any] | None:
        """The result of a language model: how many it answered rightly, against none and against the last time, its cost and calibration."""
        asked = [one for one in self.asked if one.with_llm is not None]
        if not asked:
            return None
        since = [(bool(one.with_llm), one.llm_before) for one in asked if one.llm_before is not None]
        return {
            "names": sorted({one.llm for one in asked if one.llm}),
            "asked": len(asked),
            "right": sum(bool(one.with_llm) for one in asked),
            "against": asdict(Against.of_pairs([(bool(one.with_llm), one.right) for one in asked])),
            "since": asdict(Against.of_pairs(since)) if since else None,
            "tokens": sum(one.tokens for one in asked),
            "money": round(sum(one.money for one in asked), 6),
            "calibration": _calibration([(one.llm_confidence, bool(one.with_llm)) for one in asked]),
        }

    @property
    def calibration(self) -> float | None:
        """How far confidence is from the share that is right (expected calibration error), without a language model."""
        return _calibration([(one.confidence, one.right) for one in self.asked if one.confidence is not None])

    def summary(self, left: int = 0) -> dict[str, Any]:
        """It as JSON without its questions; `left` were not asked for want of time."""
        said_right, said = self.called_answered
        families = [
            [name, sum(one.right for one in held), len(held)]
            for name in FAMILIES
            if (held := [one for one in self.asked if one.family == name])
        ]
        makers = [
            [name, sum(one.right for one in held), len(held)]
            for name in MAKERS
            if (held := [one for one in self.asked if one.maker == name])
        ]
        return {
            "asked": len(self.asked),
            "right": self.right,
            "bare": sum(one.bare for one in self.asked),
            "said": said,
            "said_right": said_right,
            "seconds": round(sum(one.seconds for one in self.asked), 1),
            "terms": asdict(self.terms),
            "since": asdict(self.since) if self.since else None,
            "since_when": self.since_when,
            "families": families,
            "makers": makers,
            "left": left,
            "calibration": self.calibration,
            "llm": self.llm,
        }


def _calibration(pairs: Sequence[tuple[float, bool]]) -> float | None:
    return round(calibration(pairs)[1], 4) if pairs else None


def evaluation_last(source: Source, before: int | None = None) -> Evaluation | None:
    """The latest evaluation that went through; with `before`, the latest earlier than that number."""
    found = Evaluation.objects.filter(source=source).exclude(measured_at=None)
    if before is not None:
        found = found.filter(pk__lt=before)
    return found.order_by("-pk").first()


def questions_ask(
    opened: OpenedSource,
    last: Evaluation | None,
    told: Callable[[Asked], object] = lambda _: None,
    *,
    known: Knowledge | None = None,
    teller: Teller | None = None,
    besides: Iterable[int] = (),
    goes_on: Callable[[], bool] = lambda: True,
    with_llm: bool = False,
    person: User | None = None,
) -> list[Asked]:
    """Ask every verified question as if none were verified, but for those `besides` that were asked already.

    `goes_on` is looked at before each. `with_llm` asks the source's language models as well, on somebody's budget, until one is used up. A question whose verified SQL gave no rows is told with its problem, and keeps its last shape.
    """
    known = known or knowledge_of(opened.source)
    teller = teller or Teller.of(opened)
    done = set(besides)
    before = {str(row["question"]): row for row in last.results} if last else {}
    asked: list[Asked] = []
    for one in known.verified:
        if int(one.key) in done:
            continue
        if not goes_on():
            break
        row = before.get(one.question, {})
        asked.append(_ask(teller, known, one, row))
        if with_llm and not asked[-1].problem:
            asked[-1] = _ask_llm(teller, known, one, asked[-1], row, person)
        told(asked[-1])
    return asked


def _ask(teller: Teller, known: Knowledge, one: VerifiedAnswer, row: Mapping[str, Any]) -> Asked:
    now = teller.answer(one.question, Knowledge(known.terms))
    bare = teller.answer(one.question, Knowledge()) if now.terms else now
    is_same = bool(row) and row.get("expected", one.sql) in (one.sql, one.sql[:SQL_CHARS])
    problem, right, was = "", False, False
    shape = dict(row.get("shape") or {}) if is_same else {}
    try:
        wanted = teller.rows(one.sql)
        shape = shape_of(wanted)
        right = is_alike(now, wanted, one)
        was = is_alike(bare, wanted, one) if bare is not now else right
    except DatabaseError as error:
        problem = error.failure.message
    return Asked(
        one.question,
        right,
        was,
        str(now.outcome),
        round(now.usage.seconds, 3),
        problem,
        int(one.key),
        _sql_said(now),
        one.sql[:SQL_CHARS],
        family(one.sql, teller.opened.catalog.dialect),
        bool(row["right"]) if is_same and not problem and not row.get("problem") else None,
        shape,
        now.confidence,
        maker=MAKERS[0] if now.frame else MAKERS[1] if now.sql else "",
    )


def _ask_llm(
    teller: Teller,
    known: Knowledge,
    one: VerifiedAnswer,
    asked: Asked,
    row: Mapping[str, Any],
    person: User | None,
) -> Asked:
    """Ask a question with a language model too. Raises: LlmRejected."""
    found = teller.answer_with_llm(one.question, as_if_unverified(known, one), person)
    if found is None:
        return asked
    answer, name = found
    try:
        right = is_alike(answer, teller.rows(one.sql), one)
    except DatabaseError:
        return asked
    usage, was = answer.usage, row.get("with_llm")
    return replace(
        asked,
        with_llm=right,
        llm=name,
        llm_confidence=answer.confidence,
        llm_before=bool(was) if was is not None and asked.before is not None else None,
        tokens=usage.prompt_tokens + usage.completion_tokens,
        money=usage.money,
    )


def _sql_said(answer: Answer) -> str:
    return answer.sql[:SQL_CHARS] if answer.sql else ""


def shape_of(rows: Rows) -> dict[str, Any]:
    """Shape of a result, comparable with that of another day: columns, number of rows, and the figure where it is one number."""
    figure = None
    if len(rows.rows) == 1 and len(rows.columns) == 1:
        cell = rows.rows[0][0]
        if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) and math.isfinite(cell):
            figure = float(cell)
    shape = {
        "columns": list(rows.columns[:COLUMNS]),
        "rows": len(rows.rows),
        "cut": rows.truncated,
        "figure": figure,
    }
    return dict(storable(shape))


def evaluated_of(asked: Sequence[Asked], last: Evaluation | None) -> Evaluated:
    """Put what was asked together, beside the last time."""
    both = [(one.right, one.before) for one in asked if one.before is not None]
    when = timezone.localtime(last.measured_at) if last and last.measured_at else None
    return Evaluated(
        tuple(asked),
        Against.of_pairs([(one.right, one.bare) for one in asked]),
        Against.of_pairs(both) if both else None,
        when.strftime("%Y-%m-%d %H:%M") if when and both else "",
    )
