"""A context that improves itself, told in words: how it stands, its thirds, and each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mirror.knowledge.models import Improvement, ImprovementStep
from mirror.phrases import counted
from mirror.work.leases import Status
from sqlagent.evaluation.improving import History, Part, State
from sqlagent.evaluation.improving.changes import DESCRIPTION, EXAMPLES, subject_of
from sqlagent.values import TermKind

if TYPE_CHECKING:
    from mirror.sources.models import Source

WORDS = {
    "began": "Began",
    "accepted": "In force",
    "proposed": "Proposed",
    "refused": "Refused",
    "rolled back": "Rolled back",
    "nothing": "No edit",
    "unfit": "Unusable",
    "known": "Tried before",
}

KINDS = {DESCRIPTION: "description", EXAMPLES: "", TermKind.RULE: "rule"}
"""What an edit is called where it is no term."""


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
        return row.problem or row.why
    asked = f"{counted(History.of(row.tree).calls, 'answer')} of {row.calls:,} so far."
    if row.status == Status.RUNNING:
        return f"Trying edits on verified questions: {asked}"
    return f"Waits for a worker: {asked}" if row.started_at is None else f"Gives way to people: {asked}"


def facts_of(row: Improvement) -> list[tuple[str, str]]:
    """Sizes of the thirds, answers asked for, and what is right in the work part at the start and now."""
    tree, sizes = History.of(row.tree), Counter(row.parts.get("sizes", {}))
    start, now = tree.versions[0], tree.versions[tree.in_force]
    facts = [(f"{part} part".capitalize(), counted(sizes[str(part)], "template")) for part in Part]
    asked = "Answers and proposals asked for" if row.with_llm else "Answers asked for"
    facts.append((asked, f"{tree.calls:,} of {row.calls:,}"))
    if row.used.get("calls"):
        money = f", {row.used['money']:.4f} of money" if row.used["money"] else ""
        cost = f"{counted(row.used['calls'], 'call')}, {row.used['tokens']:,} tokens{money}"
        facts.append((f"Cost of {', '.join(row.used['names'])}", cost))
    for name, held in (("Right in the work part", "work"), ("Right at the gate", "gate")):
        before, after = getattr(start, held), getattr(now, held)
        if before and after:
            facts.append(
                (
                    name,
                    f"{sum(before.values())} of {len(before)} at the start, {sum(after.values())} of {len(after)} now",
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
        WORDS.get(row.what, row.what),
        subject_of(edit) if edit else "",
        KINDS.get(str(edit.get("kind", "")), ""),
        str(edit.get("body", "")),
        [str(one) for one in edit.get("questions", ())],
        str(said.get("author", "")),
        str(said.get("reason", "")),
        f"{work[0]} won, {work[1]} lost" if edit and row.what not in ("rolled back", "unfit") else "",
        f"{gate['won']} won, {gate['lost']} lost, p = {gate['p']:.2g} (needed {gate['level']:.2g})"
        if gate
        else "",
        str(said.get("why", "")),
        [
            (title, [(str(text), bool(right)) for text, right in said.get(key) or ()])
            for title, key in (("Work part", "work_changed"), ("Gate", "gate_changed"))
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
