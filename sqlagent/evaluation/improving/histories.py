"""Simulated histories: what the gate lets through of editors that are honest, useless, or overfit on purpose.

`harm` is the share of histories whose audit third ends below its start by more than sampling error. Only editor and world are simulated; split,
gate, tree and rollback are those that run.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, sqrt

from sqlagent.evaluation.improving.gating import against, by_group, sign_test
from sqlagent.evaluation.improving.loop import Improver, Limits
from sqlagent.evaluation.improving.splitting import Part, split
from sqlagent.evaluation.improving.versions import Edit, History, State

EDITORS = ("honest", "useless", "overfits", "poisons", "lottery", "mixed")
"""Editors: most of what it changes is a gain; as often a loss; mends what it sees and breaks some of the rest; breaks much of the rest;
tries hundreds of small changes; any of them, edit by edit."""

SAMPLING = 0.05
"""An audit third is below its start where so many losses or more would come by chance less often (exact, one-sided)."""

FRESH = 500
"""Templates that nobody verified, by which the true gain of a history is told."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one history ended: groups of its audit third won and lost, and the share of fresh templates right before and after."""

    editor: str
    templates: int
    accepted: int
    rolled_back: int
    won: int
    lost: int
    before: float
    after: float

    @property
    def is_harmed(self) -> bool:
        """Whether the audit third ends below its start by more than sampling error."""
        return self.lost > self.won and sign_test(self.lost, self.won) <= SAMPLING


class World:
    """Templates, questions of each, and what edits do to them. Everything follows from the seed."""

    def __init__(self, seed: str, editor: str) -> None:
        self.seed, self.editor = seed, editor
        draw = random.Random(f"{seed} world")
        self.accuracy = draw.uniform(0.3, 0.9)
        self.templates = int(draw.choice((15, 18, 24, 30, 45, 60, 90, 120)))
        self.grows = draw.random() < 0.5
        self.edits = 0

    def questions(self, templates: int) -> dict[str, str]:
        """The questions of so many templates, each with its template: one to three of each."""
        found = {}
        for one in range(templates):
            for number in range(random.Random(f"{self.seed} many {one}").choice((1, 1, 2, 3))):
                found[f"{one}.{number}"] = str(one)
        return found

    def ask(self, edits: Sequence[Edit], keys: Sequence[str]) -> dict[str, bool]:
        """Whether questions are answered rightly after some edits."""
        return {key: self.right(edits, key) for key in keys}

    def right(self, edits: Sequence[Edit], key: str) -> bool:
        """Whether one question is; the last edit that touches its template counts."""
        template = key.partition(".")[0]
        right = random.Random(f"{self.seed} base {template}").random() < self.accuracy
        for edit in edits:
            draw = random.Random(f"{self.seed} edit {edit.change['number']} {template}")
            touches, mends = (
                draw.random() < float(edit.change["reach"]),
                draw.random() < float(edit.change["mends"]),
            )
            if template in edit.change["known"]:
                right = True
            elif touches:
                right = mends
        if random.Random(f"{self.seed} odd {key} {len(edits)}").random() < 0.02:
            return not right
        return right

    def propose(self, edits: Sequence[Edit], failures: Sequence[str]) -> Edit:
        """The next edit of this world's editor, who sees what fails in the work part."""
        self.edits += 1
        draw = random.Random(f"{self.seed} propose {self.edits}")
        kind = draw.choice(EDITORS[:-1]) if self.editor == "mixed" else self.editor
        reach, mends, known = {
            "honest": (draw.uniform(0.03, 0.3), draw.uniform(0.8, 1.0), 0.0),
            "useless": (draw.uniform(0.03, 0.4), 0.5, 0.0),
            "overfits": (draw.uniform(0.05, 0.3), draw.uniform(0.1, 0.4), draw.uniform(0.5, 1.0)),
            "poisons": (draw.uniform(0.3, 0.8), 0.05, 1.0),
            "lottery": (draw.uniform(0.05, 0.15), self.accuracy - 0.05, 0.1),
        }[kind]
        held = [key.partition(".")[0] for key in failures if draw.random() < known]
        return Edit({"number": self.edits, "reach": reach, "mends": mends, "known": held}, kind)


def history(seed: str, editor: str, *, gated: bool = True) -> Outcome:
    """Let one history run to its end. Without the gate, whatever helps the work part comes into force."""
    world = World(seed, editor)
    limits = Limits(
        calls=100_000, edits=200 if editor == "lottery" else 60, idle=200 if editor == "lottery" else 40
    )
    state, parts = History(), dict[str, Part]()
    sizes = [world.templates, world.templates + world.templates // 2] if world.grows else [world.templates]
    groups: Mapping[str, str] = {}
    for size in sizes:
        groups = world.questions(size)
        parts = split(list(dict.fromkeys(groups.values())), parts, seed)
        state.idle = state.edits_asked = 0
        improver = Improver(state, groups, parts, world.ask, world.propose, limits)
        run = _run if gated else _run_ungated
        run(improver)
    audit = [key for key, group in groups.items() if parts[group] is Part.AUDIT]
    edits = state.edits(state.in_force)
    now, then = (by_group(world.ask(some, audit), groups) for some in (edits, ()))
    won, lost = against(now, then)
    fresh = [f"f{number}.0" for number in range(FRESH)]
    counted = Counter(one.state for one in state.versions)
    accepted, back = counted[State.ACCEPTED] + counted[State.ROLLED_BACK], counted[State.ROLLED_BACK]
    before, after = (sum(world.right(some, key) for key in fresh) / FRESH for some in ((), edits))
    return Outcome(editor, max(sizes), accepted, back, won, lost, before, after)


def _run(improver: Improver) -> None:
    while improver.step().what != "ended":
        pass


def _run_ungated(improver: Improver) -> None:
    """As users of other products do: keep each edit that helps the questions it was made for."""
    state = improver.history
    improver.answered(state.versions[0], Part.WORK)
    for _ in range(improver.limits.edits):
        parent = state.versions[state.in_force]
        improver.answered(parent, Part.WORK)
        failures = [key for key in improver.work if not parent.work[key]]
        edit = improver.propose(state.edits(parent.number), failures) if failures else None
        if not isinstance(edit, Edit):
            return
        version = state.grown(parent.number, edit)
        improver.answered(version, Part.WORK)
        won, lost = against(*(by_group(one.work, improver.groups) for one in (version, parent)))
        if won > lost:
            version.state, version.before, state.in_force = State.ACCEPTED, parent.number, version.number


def interval(count: int, of: int, confidence: float = 0.95) -> tuple[float, float]:
    """Give the exact (Clopper-Pearson) interval of a share.

    Example:
        >>> [round(100 * end, 2) for end in interval(0, 200)]
        [0.0, 1.83]
        >>> [round(100 * end, 2) for end in interval(5, 60)]
        [2.76, 18.39]
    """
    tail = (1 - confidence) / 2

    def at_most(share: float, most: int) -> float:
        return sum(comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(most + 1))

    def solved(value: Callable[[float], float]) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if value(middle) > tail else (low, middle)
        return low

    low = 0.0 if count == 0 else 1 - solved(lambda share: at_most(share, of - count))
    high = 1.0 if count == of else solved(lambda share: at_most(share, count))
    return low, high


def report(count: int, seed: int) -> str:
    """Run so many histories, editors in turn, with the gate and without, and tell harm and gain."""
    lines = [f"{count} histories, seed {seed}, editors in turn: {', '.join(EDITORS)}"]
    for gated in (True, False):
        found = [history(f"{seed}-{n}", EDITORS[n % len(EDITORS)], gated=gated) for n in range(count)]
        harmed = sum(one.is_harmed for one in found)
        low, high = interval(harmed, count)
        lines.append(
            f"{'gated' if gated else 'ungated'}: {harmed} of {count} end below their start by more than sampling error: "
            f"{100 * harmed / count:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f})"
        )
        for editor in EDITORS:
            own = [one for one in found if one.editor == editor]
            gains = [100 * (one.after - one.before) for one in own]
            mean = sum(gains) / len(gains)
            error = sqrt(sum((gain - mean) ** 2 for gain in gains) / max(len(gains) - 1, 1) / len(gains))
            lines.append(
                f"  {editor:9} {sum(one.is_harmed for one in own):3} harmed of {len(own):3}, {sum(one.accepted for one in own):4} came into force, "
                f"{sum(one.rolled_back for one in own):3} rolled back, right of questions nobody verified {mean:+.1f} ± {error:.1f} points, "
                f"worst {min(gains):+.1f}"
            )
    return "\n".join(lines)
