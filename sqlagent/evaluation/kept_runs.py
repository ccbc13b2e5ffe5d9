"""Figures of kept runs with a language model: right answers, calls, and calibration with its interval.

Reads the files that `answer --llm env --json FILE` wrote, several as one set: an error of calibration needs more runs than
one set of questions gives. No question is asked again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlagent.evaluation.items import BadInput
from sqlagent.evaluation.scoring import calibration
from sqlagent.evaluation.traces import run_lines

_NEEDED = ("confidence", "outcome", "right", "first", "calls", "answerable", "candidates")
LEAST = 200
"""Runs below which an error of calibration says little: of 25 runs the interval was 0.07 to 0.42 (docs/method.md)."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """One run: whether its answer, its first sample and any of its candidates were right, and what it cost.

    `confidence` is None where no answer was shown.
    """

    right: bool
    first: bool
    any: bool
    calls: int
    confidence: float | None


def read(paths: Sequence[Path]) -> list[KeptRun]:
    """Read the runs of answerable questions. Raises: BadInput with the line that is wrong."""
    runs = []
    for _, line in run_lines(paths, _NEEDED):
        if line["answerable"]:
            told = line["outcome"] in ("answered", "ambiguous") and line["confidence"] is not None
            runs.append(
                KeptRun(
                    right=bool(line["right"]),
                    first=bool(line["first"]),
                    any=any(one["right"] for one in line["candidates"]),
                    calls=line["calls"],
                    confidence=line["confidence"] if told else None,
                )
            )
    if not runs:
        raise BadInput("The files hold no runs of answerable questions.")
    return runs


def interval(
    pairs: Sequence[tuple[float, bool]], *, seed: int = 0, times: int = 2_000
) -> tuple[float, float]:
    """Give the 95 % interval of the expected calibration error by a bootstrap over runs; seeded.

    Example:
        >>> interval([(1.0, True)] * 5)
        (0.0, 0.0)
    """
    chance = random.Random(seed)
    errors = sorted(calibration(chance.choices(pairs, k=len(pairs)))[1] for _ in range(times))
    return errors[int(0.025 * times)], errors[int(0.975 * times)]


def report(runs: Sequence[KeptRun]) -> str:
    """Say what the runs come to, in lines."""
    n = len(runs)
    pairs = [(run.confidence, run.right) for run in runs if run.confidence is not None]
    lines = [
        f"{n} runs: {sum(run.right for run in runs)} right, first sample {sum(run.first for run in runs)}, "
        f"any sample {sum(run.any for run in runs)}; {sum(run.calls for run in runs) / n:.2f} calls a question, "
        f"one call was all in {sum(run.calls == 1 for run in runs)}"
    ]
    if not pairs:
        return "\n".join([*lines, "No run was answered, so nothing is known of its confidence."])
    brier, error, curve = calibration(pairs)
    low, high = interval(pairs)
    lines.append(
        f"expected calibration error {error:.3f} [{low:.3f}, {high:.3f}], Brier {brier:.3f}, over {len(pairs)} answers"
        + ("" if len(pairs) >= LEAST else f" (fewer than {LEAST}: they say little)")
    )
    return "\n".join(
        lines + [f"  said {said:.2f}, was right {was:.2f} ({count})" for said, was, count in curve]
    )
