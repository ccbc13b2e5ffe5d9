"""Refits the steps in which the analyst tells how sure it is, each set of databases left out in turn.

A step's confidence lies in the middle between the mean chance of its questions and the share of them that was right. Questions
whose wrong answers were read look surer than new ones will. So the first answers to a folder's questions are kept beside them,
and later fits read these: they measure a source that nobody fitted anything to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlagent.evaluation.items import BadInput, Databases, json_lines, read_items, write_lines
from sqlagent.evaluation.lenient import Golds
from sqlagent.evaluation.progress import Bar
from sqlagent.evaluation.scoring import calibration
from sqlagent.makers.analyst.sampler import analyse
from sqlagent.method import linking
from sqlagent.values import Outcome

FIRST = "first.jsonl"
"""The first answers to a folder's questions: `chance` and `right` a line."""
STEPS = 5
"""Steps of equal width from 0 to 1: of 50 questions at ten steps, one that is right exactly as often as told shows an error of 0.13, at five of 0.09."""


@dataclass(frozen=True, slots=True)
class Case:
    """One answer or draft: the set of databases it is of, its chance, and whether it was right."""

    group: str
    chance: float
    right: bool


def fit(data: Path, out: Path) -> str:
    """Fit on folders of questions, each `questions.jsonl` with its `databases`; write the steps; report. Raises: BadInput."""
    folders = sorted(path.parent for path in data.glob("*/questions.jsonl"))
    cases = [case for folder in folders for case in first_cases(folder)]
    if not cases:
        raise BadInput(f"{data} holds no folder with questions.jsonl that the analyst answers.")
    found = {
        "about": "How sure the analyst says it is, by steps of equal width of its chance (sqlagent/makers/analyst/sureness.py). "
        "Fitted by: python -m sqlagent.evaluation fit sureness",
        "steps": [round(step, 2) for step in weigh(cases)],
    }
    try:
        out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}") from error
    return cross_validated(cases)


def first_cases(folder: Path) -> list[Case]:
    """Read the first answers to a folder's questions from its `first.jsonl`; without one, ask and write it. Raises: BadInput."""
    kept = folder / FIRST
    if kept.exists():
        return [_case(folder, place, line) for place, line in json_lines(kept)]
    cases = list(read_cases(folder))
    write_lines(kept, ({"chance": round(case.chance, 4), "right": case.right} for case in cases))
    return cases


def _case(folder: Path, place: str, line: dict[str, Any]) -> Case:
    match line:
        case {"chance": int() | float() as chance, "right": bool() as right}:
            return Case(folder.name, chance, right)
    raise BadInput(f"{place}: `chance` is a number, and `right` is true or false.")


def read_cases(folder: Path) -> Iterator[Case]:
    """Ask the questions of a folder; give those that the analyst answers or drafts."""
    items = read_items(folder / "questions.jsonl")
    opened = Databases(str(folder / "databases"))
    bar = Bar(len(items), folder.name)
    for item in items:
        source = opened.source(item.db)
        linked = linking.link(item.question, source.catalog, source.index)
        found = analyse(item.question, linked, source.index)
        if found.speaks and found.candidates and found.outcome()[0] is not Outcome.UNANSWERABLE:
            golds = Golds.of(item, source)
            right = golds is not None and golds.which(found.candidates[0].sql) is not None
            yield Case(folder.name, found.chance, right)
        bar.step()
    opened.close()


def weigh(cases: Sequence[Case]) -> list[float]:
    """Give the confidence of each step, none below the one before it.

    Example:
        >>> weigh([Case("", 0.9, True), Case("", 0.9, False), Case("", 0.1, False)])
        [0.05, 0.3, 0.5, 0.7, 0.7]
    """
    out: list[float] = []
    for step in range(STEPS):
        inside = [case for case in cases if _step(case.chance) == step]
        middle = (step + 0.5) / STEPS
        if inside:
            said = sum(case.chance for case in inside) / len(inside)
            middle = (said + sum(case.right for case in inside) / len(inside)) / 2
        out.append(max([middle, *out[-1:]]))
    return out


def _step(chance: float) -> int:
    return min(STEPS - 1, int(chance * STEPS))


def cross_validated(cases: Sequence[Case]) -> str:
    """Leave each set out in turn and report how well the steps held there, beside the chance itself."""
    lines = ["sets of databases that were left out: cases, right, error of the chance, error of the steps"]
    pairs: list[tuple[float, bool]] = []
    for group in sorted({case.group for case in cases}):
        mine = [case for case in cases if case.group == group]
        others = [case for case in cases if case.group != group]
        fitted = weigh(others or mine)
        told = [(fitted[_step(case.chance)], case.right) for case in mine]
        plain = calibration([(case.chance, case.right) for case in mine])[1]
        right = sum(case.right for case in mine)
        lines.append(f"  {group}: {len(mine)}, {right}, {plain:.3f}, {calibration(told)[1]:.3f}")
        pairs += told
    plain = calibration([(case.chance, case.right) for case in cases])[1]
    brier, error, curve = calibration(pairs)
    lines.append(f"together: {plain:.3f}, {error:.3f}; Brier {brier:.4f}")
    lines += [f"  said {said:.2f}, was right {was:.2f} ({count})" for said, was, count in curve]
    return "\n".join(lines)
