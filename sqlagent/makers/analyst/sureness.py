"""How probable a frame is right: a logistic function of what it costs, leaves out and is made of, told in five steps.

The function was fitted on 358 answers and drafts to questions on 14 databases, each asked before anybody had read it, with one
database left out in turn: expected calibration error 0.05, 0.06 of what is called an answer (docs/analyst.md, "Confidence"). The
steps are fitted by `python -m sqlagent.evaluation fit sureness` and kept in `fitted/sureness.json`. A person's sentence joins
parts by "and", "with", commas and brackets; those that the frame does not mirror are the best sign of a part that was misread.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from sqlagent.makers.analyst.answering import DRAFT
from sqlagent.makers.analyst.frames import OFF, Frame
from sqlagent.makers.analyst.heeding import conditions

_JOINTS = re.compile(r"\b(?:and|with|plus|along)\b|[,:;(]| - ", re.IGNORECASE)
_PARTS_OF = re.compile(r"%|\b(?:percent\w*|shares?|rates?|ratios?|proportions?)\b", re.IGNORECASE)
_FAR = 1.5
"""Cost from which on more of it tells nothing more."""

FITTED = Path(__file__).parents[2] / "fitted" / "sureness.json"


def chance(frame: Frame, text: str, glued: Iterable[str] = (), *, is_contested: bool = False) -> float:
    """Give the probability that a frame is what a question asks for.

    `glued` are words that were taken to say nothing, `is_contested` says that another frame is as likely.

    Example:
        >>> from sqlagent.makers.analyst.frames import Measure
        >>> plain = Frame("orders", (Measure("rows", "orders"),))
        >>> round(chance(plain, "how many orders are there"), 2), round(chance(plain, "orders, with late ones (and why)"), 2)
        (0.95, 0.83)
    """
    odds = (
        3.4
        - 3.9 * min(DRAFT, frame.cost)
        - 0.65 * max(0.0, min(_FAR, frame.cost) - DRAFT)
        - 0.95 * min(3, len(frame.unused))
        - 0.7 * is_contested
        - 0.48 * loose_joints(frame, text)
        - 0.4 * _size(frame)
        - 0.27 * min(3, len(set(glued)))
        - 0.6 * bool(_PARTS_OF.search(text))
    )
    return 1 / (1 + math.exp(-odds))


def told_chance(chance: float) -> float:
    """Give the confidence that is told for a chance: that of its step, for a few hundred questions bear out no finer ones."""
    held = steps()
    return held[min(len(held) - 1, int(chance * len(held)))]


@lru_cache(maxsize=1)
def steps() -> Sequence[float]:
    """Read the confidence of each step; steps are of equal width, from chance 0 to 1."""
    return tuple(float(one) for one in json.loads(FITTED.read_text(encoding="utf-8"))["steps"])


def loose_joints(frame: Frame, text: str) -> int:
    """How many joints of a sentence stand for no pair of figures, groups, columns or values in its frame; three at most."""
    lists = (frame.measures, frame.by, frame.columns, *_alternatives(frame))
    return max(0, min(3, len(_JOINTS.findall(text)) - sum(max(0, len(one) - 1) for one in lists)))


def _alternatives(frame: Frame) -> Iterable[tuple[object, ...]]:
    for one in conditions(frame):
        yield one.values
        if one.op in ("any", "all"):
            yield one.parts


def _size(frame: Frame) -> int:
    """Of how many parts a frame is made."""
    shaped = bool(frame.having) + bool(frame.transform) + (frame.limit is not None)
    typed = [one for one in frame.where if not one.said.startswith(OFF)]
    return len(frame.measures) + len(frame.by) + len(typed) + shaped
