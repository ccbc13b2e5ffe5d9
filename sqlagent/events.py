"""Reports of the pipeline while it works, in the order things happen.

`pipeline.answer` yields these and ends with exactly one `Ended`. The web keeps each as a
step, the shell prints it, a test makes a list of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.values import (
    Answer,
    Execution,
    ExecutionGroup,
    LinkedSchema,
    Question,
    Ranking,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A follow-up was given its stand-alone form."""

    question: Question


@dataclass(frozen=True, slots=True)
class Linked:
    """The part of the catalog the question is about was found."""

    linked: LinkedSchema


@dataclass(frozen=True, slots=True)
class Sampling:
    """A round of sampling begins: the first, or a resampling round with its feedback."""

    round: int
    feedback: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Executed:
    """A candidate was guarded and run. `index` counts from 0 over the whole run."""

    index: int
    execution: Execution


@dataclass(frozen=True, slots=True)
class Grouped:
    """The pool so far, gathered by result; largest first."""

    groups: tuple[ExecutionGroup, ...]
    pool: int


@dataclass(frozen=True, slots=True)
class Checked:
    """Every attempt so far agreed, and their answer was checked; without `problems` no more is asked.

    `vouched` says that one of them is the built-in analyst's reading beside a language model's attempt.
    """

    size: int
    problems: tuple[str, ...] = ()
    vouched: bool = False

    @property
    def said(self) -> str:
        """The outcome of the checks, in a sentence without its full stop.

        Example:
            >>> Checked(2).said
            'Two attempts agreed and the checks passed'
        """
        if self.vouched:
            return "The first attempt and the built-in analyst agreed and the checks passed"
        count = _NUMBERS[self.size] if self.size < len(_NUMBERS) else str(self.size)
        end = ", but their answer may leave something out" if self.problems else " and the checks passed"
        return f"{count} attempts agreed{end}"


_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")


@dataclass(frozen=True, slots=True)
class Ranked:
    """The groups in order."""

    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Audited:
    """The auditor's verdict on the pool."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Noted:
    """Something a reader of the run should know that is no step of the method."""

    message: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The last event of every run."""

    answer: Answer


Event = Rewritten | Linked | Sampling | Executed | Grouped | Checked | Ranked | Audited | Noted | Ended
