"""Data of the pages of a source's evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from mirror.knowledge.evaluation_telling import QuestionLine
from mirror.knowledge.models import Evaluation, EvaluationPlan
from mirror.paging import Pager
from mirror.phrases import counted, separated
from mirror.sources.models import Source

CHOICES = [(str(EvaluationPlan.Every.OFF), gettext_lazy("Never")), *EvaluationPlan.Every.choices[1:]]
# Families of questions, as results name them.
_FAMILIES = (
    gettext_noop("One figure"),
    gettext_noop("By group"),
    gettext_noop("The first few"),
    gettext_noop("A list"),
    gettext_noop("Other"),
)
# Makers of SQL, as results name them.
_MAKERS = {"analyst": gettext_noop("By the analyst"), "generator": gettext_noop("By the generator")}
SHOWS = (("changed", gettext_noop("Changed")), ("wrong", gettext_noop("Wrong")), ("all", gettext_noop("All")))


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
    choices: Sequence[tuple[str, object]] = tuple(CHOICES)
    tab: str = "evaluations"

    @property
    def has_chance(self) -> bool:
        """Whether a line says by chance alone how likely its change is, so that the page explains it."""
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
        """Share of right answers by maker, calibration, and the gain and cost of a language model, where one was asked."""
        told, llm = self.row.summary, self.row.summary.get("llm")
        found = [
            (_(_MAKERS.get(name, name)), _("%(of)s right") % {"of": share(right, of)})
            for name, right, of in told.get("makers", ())
        ]
        if told.get("calibration") is not None:
            found.append((_("Calibration error"), separated(f"{told['calibration']:.2f}")))
        if llm:
            since = (
                "; " + _("since the last time: %(change)s") % {"change": against(llm["since"])}
                if llm.get("since")
                else ""
            )
            cost = _("%(count)s tokens") % {"count": intcomma(llm["tokens"])}
            if llm["money"]:
                cost += ", " + _("%(money)s of money") % {"money": separated(f"{llm['money']:.4f}")}
            found += [
                (
                    _("With %(names)s") % {"names": ", ".join(llm["names"])},
                    _("%(llm)s right; against none: %(llm2)s%(since)s")
                    % {
                        "llm": share(llm["right"], llm["asked"]),
                        "llm2": against(llm["against"]),
                        "since": since,
                    },
                ),
                (
                    _("It cost"),
                    _("%(cost)s; calibration error %(llm)s")
                    % {"cost": cost, "llm": separated(f"{llm['calibration']:.2f}")},
                ),
            ]
        return found


def row_of(row: Evaluation) -> EvaluationRow:
    """Lay out one evaluation for the list."""
    told = row.summary
    since = told.get("since")
    who = row.asked_by.called if row.asked_by else ""
    why = str(row.get_cause_display())
    if who:
        why = _("%(cause)s by %(name)s") % {"cause": why, "name": who}
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
        return row.problem or _("It did not go through.")
    if row.started_at is None:
        if row.not_before is not None:
            return _("Waits until the terms have rested for a minute.")
        return _("Waits for a worker.")
    if "of" in row.summary:
        return _("%(done)s of %(all)s asked.") % {
            "done": row.summary["done"],
            "all": counted(row.summary["of"], "question"),
        }
    return _("Begins.")


def share(part: int, whole: int) -> str:
    """Say a share of questions.

    Example:
        >>> share(3, 4), share(0, 0)
        ('3 of 4, 75 %', '0 of 0')
    """
    said = _("%(part)s of %(whole)s") % {"part": intcomma(part), "whole": intcomma(whole)}
    return f"{said}, {100 * part / whole:.0f} %" if whole else said


def against(one: Mapping[str, Any]) -> str:
    """Say how two evaluations of the same questions differ.

    Example:
        >>> against({"won": 3, "lost": 1, "of": 9, "p": 0.625}), against({"won": 0, "lost": 0, "of": 9, "p": 1.0})
        ('3 won, 1 lost, p = 0.62', 'no change')
    """
    if not one["won"] and not one["lost"]:
        return _("no change")
    return _("%(won)s won, %(lost)s lost, p = %(p)s") % {
        "won": one["won"],
        "lost": one["lost"],
        "p": f"{one['p']:.2g}",
    }


def families_of(row: Evaluation | None) -> list[tuple[str, str]]:
    """The families of an evaluation with the share of each that is right."""
    told = row.summary.get("families", ()) if row is not None else ()
    return [(_(str(name).capitalize()), share(right, of)) for name, right, of in told]
