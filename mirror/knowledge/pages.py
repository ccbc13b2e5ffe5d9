"""What the pages of a source's knowledge show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mirror.knowledge.forms import TermForm
from mirror.knowledge.models import Feedback, Shift, StoredAnswer, StoredTerm, Trial
from mirror.knowledge.proposing import Proposal
from mirror.paging import Pager
from mirror.phrases import counted
from mirror.sources.models import Source

ENOUGH = 5
"""Questions that say a term, from which on it is told that no answer changes."""


@dataclass(frozen=True, slots=True)
class KnowledgePage:
    """One of the lists of what is known of a source; `tab` says which, `waiting` how much feedback nobody read yet,
    `verifiable` of which feedback a verified answer may be made, `shifts` which verified answers jumped,
    `proposals` the terms that recur."""

    source: Source
    tab: str
    may_teach: bool
    waiting: int
    search: str = ""
    pager: Pager | None = None
    terms: Sequence[StoredTerm] = ()
    answers: Sequence[StoredAnswer] = ()
    feedback: Sequence[Feedback] = ()
    handled: Sequence[Feedback] = ()
    shifts: Sequence[Shift] = ()
    proposals: Sequence[Proposal] = ()
    verifiable: frozenset[int] = frozenset()
    broken: int = 0


@dataclass(frozen=True, slots=True)
class TermPage:
    """The form of a term, new or old."""

    source: Source
    form: TermForm
    term: StoredTerm | None = None
    feedback: Feedback | None = None
    proposal: Proposal | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One answer of two, side by side; of each cell its text, and whether it is a number. `mark` says whether it is the verified one."""

    title: str
    outcome: str
    reason: str
    sql: str
    columns: Sequence[str]
    rows: Sequence[Sequence[tuple[str, bool]]]
    more: str
    mark: str


@dataclass(frozen=True, slots=True)
class EffectLine:
    """One question that a term answers differently."""

    question: str
    by: str
    is_verified: bool
    sides: tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class TrialPage:
    """A term that is tried, or was: what it would change."""

    trial: Trial
    source: Source
    phrase: str
    kind: str
    error: str
    sql: str
    warnings: Sequence[str]
    summary: str
    better: int
    worse: int
    lines: Sequence[EffectLine]
    is_rule: bool


def trial_page(trial: Trial) -> TrialPage:
    """Lay out a trial."""
    said, effects = trial.said, trial.said.get("effects") or {}
    lines = [_line(one) for one in effects.get("lines", ())]
    verified = [one for one in effects.get("lines", ()) if one["is_verified"]]
    return TrialPage(
        trial=trial,
        source=trial.source,
        phrase=str(trial.wish.get("phrase", "")),
        kind=dict(StoredTerm.Kind.choices).get(trial.wish.get("kind", ""), ""),
        error=str(said.get("error", "")),
        sql=str(said.get("sql", "")),
        warnings=said.get("warnings", ()),
        summary=_summary(effects) if effects else "",
        better=sum(bool(one["after"]["is_right"]) and not one["before"]["is_right"] for one in verified),
        worse=sum(bool(one["before"]["is_right"]) and not one["after"]["is_right"] for one in verified),
        lines=lines,
        is_rule=trial.wish.get("kind") == StoredTerm.Kind.RULE,
    )


def _summary(effects: dict[str, Any]) -> str:
    """How many questions were looked at, and how many of them change."""
    looked = counted(effects["looked"], "question")
    if not effects["looked"]:
        return "No question of yours and no verified answer of this source is there to compare with yet."
    if not effects["concerned"]:
        return f"None of {looked} says these words: that tells nothing of those that do."
    left = f" There was no time for {counted(effects['left'], 'more', 'more')}." if effects["left"] else ""
    changed = len(effects["lines"])
    said = "says" if effects["concerned"] == 1 else "say"
    if not changed and effects["concerned"] - effects["left"] < ENOUGH:
        return f"Too few questions to tell: of {looked}, {effects['concerned']} {said} these words, and no answer to them changes.{left}"
    told = f"{counted(changed, 'answer changes', 'answers change')}" if changed else "No answer changes"
    return f"{told}. Of {looked}, {effects['concerned']} {said} these words.{left}"


def _line(one: dict[str, Any]) -> EffectLine:
    before, after = _side("Now", one, "before"), _side("With the term", one, "after")
    return EffectLine(one["question"], one["by"], one["is_verified"], (before, after))


def _side(title: str, one: dict[str, Any], key: str) -> Side:
    told = one[key]
    is_right = told.get("is_right")
    mark = "" if is_right is None else "right" if is_right else "wrong"
    more = f"and {counted(told['more'], 'more row')}" if told.get("more") else ""
    return Side(
        title,
        told["outcome"],
        told.get("reason", ""),
        told.get("sql", ""),
        told.get("columns", ()),
        told.get("rows", ()),
        more,
        mark,
    )
