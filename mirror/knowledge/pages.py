"""Data of the pages of a source's knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

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
    """One answer of two, side by side; of each heading and cell its text, and whether it is a number. NULL has no text. `mark` says whether it is the verified one."""

    title: str
    outcome: str
    reason: str
    sql: str
    columns: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[tuple[str | None, bool]]]
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
        kind=str(dict(StoredTerm.Kind.choices).get(trial.wish.get("kind", ""), "")),
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
        return _("No question of yours and no verified answer of this source is there to compare with yet.")
    if not effects["concerned"]:
        return _("None of %(looked)s says these words: that tells nothing of those that do.") % {
            "looked": looked
        }
    left = ""
    if effects["left"]:
        left = " " + _("There was no time for %(count)s more.") % {"count": intcomma(effects["left"])}
    changed = len(effects["lines"])
    said = {"questions": looked, "count": effects["concerned"]}
    if not changed and effects["concerned"] - effects["left"] < ENOUGH:
        return (
            ngettext(
                "Too few questions to tell: of %(questions)s, %(count)s says these words, and no answer to them changes.",
                "Too few questions to tell: of %(questions)s, %(count)s say these words, and no answer to them changes.",
                effects["concerned"],
            )
            % said
            + left
        )
    told = _("No answer changes")
    if changed:
        told = ngettext("%(count)s answer changes", "%(count)s answers change", changed) % {"count": changed}
    of = ngettext(
        "Of %(questions)s, %(count)s says these words.",
        "Of %(questions)s, %(count)s say these words.",
        effects["concerned"],
    )
    return f"{told}. {of % said}{left}"


def _line(one: dict[str, Any]) -> EffectLine:
    before, after = _side(_("Now"), one, "before"), _side(_("With the term"), one, "after")
    return EffectLine(one["question"], one["by"], one["is_verified"], (before, after))


def columns_headed(shown: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """The headings of first rows; one stands over its numbers."""
    rows = shown.get("rows", ())
    return [(name, any(row[n][1] for row in rows)) for n, name in enumerate(shown.get("columns", ()))]


def _side(title: str, one: dict[str, Any], key: str) -> Side:
    told = one[key]
    is_right = told.get("is_right")
    mark = "" if is_right is None else "right" if is_right else "wrong"
    more = (
        ngettext("and %(count)s more row", "and %(count)s more rows", told["more"])
        % {"count": intcomma(told["more"])}
        if told.get("more")
        else ""
    )
    return Side(
        title,
        told["outcome"],
        told.get("reason", ""),
        told.get("sql", ""),
        columns_headed(told),
        told.get("rows", ()),
        more,
        mark,
    )
