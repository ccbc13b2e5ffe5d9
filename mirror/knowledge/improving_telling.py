"""A context that improves itself, told in words: how it stands, its thirds, and each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.knowledge.models import Improvement, ImprovementStep
from mirror.phrases import counted, separated
from mirror.stored_words import translated
from mirror.work.leases import Status
from sqlagent.evaluation.improving import History, Part, State
from sqlagent.evaluation.improving.changes import DESCRIPTION, EXAMPLES, subject_of
from sqlagent.values import TermKind

if TYPE_CHECKING:
    from mirror.sources.models import Source

# Why there is nothing more to try, as `sqlagent` says it.
_ENDINGS = (
    gettext_noop("There are too few verified questions."),
    gettext_noop("Its budget of {calls} answers is used."),
    gettext_noop("Its budget of {edits} edits is used."),
    gettext_noop("{count} edits in a row led nowhere."),
    gettext_noop("Every question of the work part is answered rightly."),
)
WORDS = {
    "began": gettext_noop("Began"),
    "accepted": gettext_noop("In force"),
    "proposed": gettext_noop("Proposed"),
    "refused": gettext_noop("Refused"),
    gettext_noop("rolled back"): gettext_noop("Rolled back"),
    "nothing": gettext_noop("No edit"),
    "unfit": gettext_noop("Unusable"),
    "known": gettext_noop("Tried before"),
}

KINDS = {DESCRIPTION: "description", EXAMPLES: "", TermKind.RULE: "rule"}
"""The name of an edit where it is no term."""

PARTS = {
    Part.WORK: gettext_noop("Work part"),
    Part.GATE: gettext_noop("Gate part"),
    Part.AUDIT: gettext_noop("Audit part"),
}


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step in words; `is_open` where its edit may still be made a term by hand. `kind` is empty for terms, `questions` are those of a set of examples."""

    row: ImprovementStep
    what: str
    phrase: str
    kind: str
    body: str
    questions: Sequence[str]
    author: str
    reason: str
    work: str
    gate: str
    why: str
    changed: Sequence[tuple[str, Sequence[tuple[str, bool]]]]
    is_open: bool


def state_of(row: Improvement) -> str:
    """How an improvement stands, in a sentence."""
    if row.status == Status.DONE:
        return translated(row.problem) or separated(translated(row.why, _ENDINGS))
    asked = {"answers": counted(History.of(row.tree).calls, "answer"), "calls": intcomma(row.calls)}
    if row.status == Status.RUNNING:
        return _("Trying edits on verified questions: %(answers)s of %(calls)s so far.") % asked
    if row.started_at is None:
        return _("Waits for a worker: %(answers)s of %(calls)s so far.") % asked
    return _("Gives way to people: %(answers)s of %(calls)s so far.") % asked


def facts_of(row: Improvement) -> list[tuple[str, str]]:
    """Sizes of the thirds, answers asked for, and what is right in the work part at the start and now."""
    tree, sizes = History.of(row.tree), Counter(row.parts.get("sizes", {}))
    start, now = tree.versions[0], tree.versions[tree.in_force]
    facts = [(_(PARTS[part]), counted(sizes[str(part)], "template")) for part in Part]
    asked = _("Answers and proposals asked for") if row.with_llm else _("Answers asked for")
    facts.append(
        (asked, _("%(calls)s of %(calls2)s") % {"calls": intcomma(tree.calls), "calls2": intcomma(row.calls)})
    )
    if row.used.get("calls"):
        money = (
            ", " + _("%(money)s of money") % {"money": separated(f"{row.used['money']:.4f}")}
            if row.used["money"]
            else ""
        )
        cost = (
            counted(row.used["calls"], "call")
            + ", "
            + _("%(count)s tokens") % {"count": intcomma(row.used["tokens"])}
            + money
        )
        facts.append((_("Cost of %(used)s") % {"used": ", ".join(row.used["names"])}, cost))
    for name, held in ((_("Right in the work part"), "work"), (_("Right at the gate"), "gate")):
        before, after = getattr(start, held), getattr(now, held)
        if before and after:
            facts.append(
                (
                    name,
                    _("%(before)s of %(of_before)s at the start, %(after)s of %(of_after)s now")
                    % {
                        "before": sum(before.values()),
                        "of_before": len(before),
                        "after": sum(after.values()),
                        "of_after": len(after),
                    },
                )
            )
    return facts


def lines_of(row: Improvement, steps: Sequence[ImprovementStep]) -> list[StepLine]:
    """Lay out steps of an improvement."""
    tree = History.of(row.tree)
    return [_line(one, tree) for one in steps]


def _line(row: ImprovementStep, tree: History) -> StepLine:
    said: dict[str, Any] = row.said
    edit = said.get("edit") or {}
    work = said.get("work") or (0, 0)
    gate = said.get("gate")
    version = (
        tree.versions[row.version] if row.version is not None and row.version < len(tree.versions) else None
    )
    return StepLine(
        row,
        translated(WORDS.get(row.what, row.what)),
        subject_of(edit) if edit else "",
        str(KINDS.get(str(edit.get("kind", "")), "")),
        str(edit.get("body", "")),
        [str(one) for one in edit.get("questions", ())],
        str(said.get("author", "")),
        str(said.get("reason", "")),
        _("%(won)s won, %(lost)s lost") % {"won": work[0], "lost": work[1]}
        if edit and row.what not in ("rolled back", "unfit")
        else "",
        _("%(won)s won, %(lost)s lost, p = %(p)s (needed %(level)s)")
        % {"won": gate["won"], "lost": gate["lost"], "p": f"{gate['p']:.2g}", "level": f"{gate['level']:.2g}"}
        if gate
        else "",
        str(said.get("why", "")),
        [
            (title, [(str(text), bool(right)) for text, right in said.get(key) or ()])
            for title, key in ((_("Work part"), "work_changed"), (_("Gate"), "gate_changed"))
            if said.get(key)
        ],
        version is not None
        and version.state is State.PROPOSED
        and edit.get("kind") not in (DESCRIPTION, EXAMPLES),
    )


def version_change(source: Source, named: str) -> dict[str, str] | None:
    """The edit of a version, named by improvement and number ("3-7"), to be made a term by hand; None where there is none."""
    improvement, _, number = named.partition("-")
    if not (improvement.isdecimal() and number.isdecimal() and len(named) < 20):
        return None
    row = Improvement.objects.filter(source=source, pk=int(improvement)).first()
    versions = History.of(row.tree).versions if row is not None else []
    edit = versions[int(number)].edit if int(number) < len(versions) else None
    return {name: str(edit.change.get(name, "")) for name in ("phrase", "kind", "body")} if edit else None
