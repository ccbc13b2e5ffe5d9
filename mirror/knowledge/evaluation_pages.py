"""What the pages of a source's evaluations show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mirror.knowledge.evaluation_telling import QuestionLine
from mirror.knowledge.models import Evaluation, EvaluationPlan
from mirror.paging import Pager
from mirror.phrases import counted
from mirror.sources.models import Source

CHOICES = [(str(EvaluationPlan.Every.OFF), "Never"), *EvaluationPlan.Every.choices[1:]]
SHOWS = (("changed", "Changed"), ("wrong", "Wrong"), ("all", "All"))


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One evaluation in the list, in words; `state` where it is not through."""

    pk: int
    row: Evaluation
    why: str
    right: str
    bare: str
    since: str
    state: str
    is_worse: bool


@dataclass(frozen=True, slots=True)
class EvaluationsPage:
    """The evaluations of a source, of which some tell a p where it `has_chance`; `under_way` is the one that waits or goes on, `latest` the last that was through."""

    source: Source
    may_teach: bool
    waiting: int
    rows: Sequence[EvaluationRow]
    pager: Pager
    under_way: EvaluationRow | None
    families: Sequence[tuple[str, str]]
    every: str
    next_at: Any
    has_answers: bool
    kept: int
    llms: str = ""
    choices: Sequence[tuple[str, str]] = tuple(CHOICES)
    tab: str = "evaluations"

    @property
    def has_chance(self) -> bool:
        return any("p = " in line.since for line in self.rows)


@dataclass(frozen=True, slots=True)
class EvaluationPage:
    """One evaluation, opened: a page of its questions, those that `show` names."""

    source: Source
    may_teach: bool
    waiting: int
    row: Evaluation
    line: EvaluationRow
    called: str
    against: str
    took: str
    left: str
    families: Sequence[tuple[str, str]]
    lines: Sequence[QuestionLine]
    pager: Pager
    show: str
    shows: Sequence[tuple[str, str, int]]
    tab: str = "evaluations"

    @property
    def measured(self) -> list[tuple[str, str]]:
        """Who was right, calibration, and what a language model did and cost, where one was asked."""
        told, llm = self.row.summary, self.row.summary.get("llm")
        found = [
            (f"By the {name}", f"{share(right, of)} right") for name, right, of in told.get("makers", ())
        ]
        if told.get("calibration") is not None:
            found.append(("Calibration error", f"{told['calibration']:.2f}"))
        if llm:
            since = f"; since the last time: {against(llm['since'])}" if llm.get("since") else ""
            cost = f"{llm['tokens']:,} tokens" + (f", {llm['money']:.4f} of money" if llm["money"] else "")
            found += [
                (
                    f"With {', '.join(llm['names'])}",
                    f"{share(llm['right'], llm['asked'])} right; against none: {against(llm['against'])}{since}",
                ),
                ("It cost", f"{cost}; calibration error {llm['calibration']:.2f}"),
            ]
        return found


def row_of(row: Evaluation) -> EvaluationRow:
    """Lay out one evaluation for the list."""
    told = row.summary
    since = told.get("since")
    who = row.asked_by.called if row.asked_by else ""
    why = f"{row.get_cause_display()}{f' by {who}' if who else ''}"
    if row.measured_at is None:
        return EvaluationRow(row.pk, row, why, "", "", "", _state(row), False)
    return EvaluationRow(
        row.pk,
        row,
        why,
        share(told.get("right", 0), told.get("asked", 0)),
        share(told.get("bare", 0), told.get("asked", 0)),
        against(since) if since else "",
        "",
        bool(since and since["lost"] > since["won"]),
    )


def _state(row: Evaluation) -> str:
    if row.is_ended:
        return row.problem or "It did not go through."
    if row.started_at is None:
        if row.not_before is not None:
            return "Waits until the terms have rested for a minute."
        return "Waits for a worker."
    if "of" in row.summary:
        return f"{row.summary['done']} of {counted(row.summary['of'], 'question')} asked."
    return "Begins."


def share(part: int, whole: int) -> str:
    """Say a share of questions.

    Example:
        >>> share(3, 4), share(0, 0)
        ('3 of 4, 75 %', '0 of 0')
    """
    return f"{part:,} of {whole:,}" + (f", {100 * part / whole:.0f} %" if whole else "")


def against(one: Mapping[str, Any]) -> str:
    """Say how two evaluations of the same questions differ.

    Example:
        >>> against({"won": 3, "lost": 1, "of": 9, "p": 0.625}), against({"won": 0, "lost": 0, "of": 9, "p": 1.0})
        ('3 won, 1 lost, p = 0.62', 'no change')
    """
    if not one["won"] and not one["lost"]:
        return "no change"
    return f"{one['won']} won, {one['lost']} lost, p = {one['p']:.2g}"


def families_of(row: Evaluation | None) -> list[tuple[str, str]]:
    """The families of an evaluation with the share of each that is right."""
    told = row.summary.get("families", ()) if row is not None else ()
    return [(str(name).capitalize(), share(right, of)) for name, right, of in told]
