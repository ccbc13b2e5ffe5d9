"""One step after the other: choose a version, have an edit proposed, try it on work, let the gate decide, roll back what fails later."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlagent.evaluation.improving.gating import Gated, against, by_group, gate
from sqlagent.evaluation.improving.splitting import LEAST_TEMPLATES, Part
from sqlagent.evaluation.improving.versions import Edit, History, State, Unfit, Version

Ask = Callable[[Sequence[Edit], Sequence[str]], Mapping[str, bool]]
"""Answers questions (by their keys) with the start's context and some edits, and says which are right; fewer than asked where it was stopped."""

Propose = Callable[[Sequence[Edit], Sequence[str]], "Edit | Unfit | None"]
"""Proposes an edit of a context, shown the questions of the work part that it answers wrongly; None where it has none, `Unfit` where it cannot be tried."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The budget of one history: answers asked for, edits asked for, and steps in a row without a gain."""

    calls: int = 2_000
    edits: int = 60
    idle: int = 12


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one step. `what`: began, refused, proposed, accepted, rolled back, nothing, unfit, known, ended (with the reason in `why`).

    `edit` is the one that an unfit step could not try.
    """

    what: str
    version: int | None = None
    parent: int | None = None
    work: tuple[int, int] = (0, 0)
    gated: Gated | None = None
    why: str = ""
    edit: Edit | None = None


class Stopped(Exception):
    """Asking ended before all questions were answered; nothing was decided by what there is."""


class Improver:
    """Improves one context. `parts` and `groups` say of each question which third and which template it belongs to.

    Audit questions are never asked and never counted here.
    """

    def __init__(
        self,
        history: History,
        groups: Mapping[str, str],
        parts: Mapping[str, Part],
        ask: Ask,
        propose: Propose,
        limits: Limits | None = None,
    ) -> None:
        self.history, self.groups = history, groups
        self.ask, self.propose, self.limits = ask, propose, limits or Limits()
        self.work = [key for key, group in groups.items() if parts[group] is Part.WORK]
        self.gate = [key for key, group in groups.items() if parts[group] is Part.GATE]
        self.is_enough = len(set(groups.values())) >= LEAST_TEMPLATES

    def step(self) -> Step:
        """Do one step. Raises: Stopped; the history is as it was then, but for answers that were asked for."""
        history, start = self.history, self.history.versions[0]
        failed = self.recheck()
        if failed is not None:
            return failed
        if why := self._ended():
            return Step("ended", why=why)
        if not start.work:
            self.answered(start, Part.WORK)
            return Step("began", 0)
        self.answered(start, Part.WORK)
        parent = history.chosen()
        self.answered(parent, Part.WORK)
        edits = history.edits(parent.number)
        failures = [key for key in self.work if not parent.work[key]]
        edit = self.propose(edits, failures) if failures else None
        parent.visits += 1
        history.edits_asked += 1
        history.idle += 1
        if edit is None:
            return Step("nothing", parent=parent.number, why="No edit was proposed.")
        if isinstance(edit, Unfit):
            return Step("unfit", parent=parent.number, why=edit.why, edit=edit.edit)
        if any(edit.change == one.change for one in edits) or any(
            one.parent == parent.number and one.edit is not None and one.edit.change == edit.change
            for one in history.versions
        ):
            return Step("known", parent=parent.number, why="This edit was tried already.")
        return self._tried(parent, edit)

    def recheck(self) -> Step | None:
        """Look at the version in force with the questions that there are now; it is rolled back where it loses more than it wins."""
        version = self.history.versions[self.history.in_force]
        if version.before is None:
            return None
        before = self.history.versions[version.before]
        if all(key in version.gate and key in before.gate for key in self.gate):
            return None
        for one in (version, before):
            self.answered(one, Part.GATE)
        won, lost = against(self._shares(version, Part.GATE), self._shares(before, Part.GATE))
        if lost < won:
            return None
        version.state, self.history.in_force = State.ROLLED_BACK, before.number
        why = f"With the questions that were verified since it wins {won} and loses {lost}."
        return Step("rolled back", version.number, version.parent, why=why)

    def answered(self, version: Version, part: Part) -> None:
        """Ask a version the questions of a part that it was not asked yet. Raises: Stopped."""
        held = version.work if part is Part.WORK else version.gate
        keys = [key for key in (self.work if part is Part.WORK else self.gate) if key not in held]
        if not keys:
            return
        found = self.ask(self.history.edits(version.number), keys)
        self.history.calls += len(found)
        held.update(found)
        if any(key not in held for key in keys):
            raise Stopped

    def _tried(self, parent: Version, edit: Edit) -> Step:
        history = self.history
        version = history.grown(parent.number, edit)
        in_force, start = history.versions[history.in_force], history.versions[0]
        try:
            self.answered(version, Part.WORK)
            self.answered(in_force, Part.WORK)
            work = against(self._shares(version, Part.WORK), self._shares(parent, Part.WORK))
            since = against(self._shares(version, Part.WORK), self._shares(in_force, Part.WORK))
            if work[0] <= work[1] or since[0] < since[1]:
                return Step(
                    "refused",
                    version.number,
                    parent.number,
                    work,
                    why="It does not help where it was made for.",
                )
            for one in (version, in_force, start):
                self.answered(one, Part.GATE)
        except Stopped:
            history.versions.pop()
            raise
        now, then, first = (self._shares(one, Part.GATE) for one in (version, in_force, start))
        gated = gate(now, then, first, history.tests)
        if not gated.passed:
            history.tests += 1
            version.state = State.REFUSED if gated.won < gated.lost else State.PROPOSED
            return Step(str(version.state), version.number, parent.number, work, gated, gated.why)
        history.idle = 0
        if not self.is_enough:
            version.state = State.PROPOSED
            why = f"Fewer than {LEAST_TEMPLATES} templates are verified."
            return Step("proposed", version.number, parent.number, work, gated, why)
        version.state, version.before = State.ACCEPTED, history.in_force
        history.in_force, history.tests = version.number, 0
        return Step("accepted", version.number, parent.number, work, gated)

    def _shares(self, version: Version, part: Part) -> dict[str, float]:
        held, keys = (version.work, self.work) if part is Part.WORK else (version.gate, self.gate)
        return by_group({key: held[key] for key in keys if key in held}, self.groups)

    def _ended(self) -> str:
        """Why there is nothing more to do; empty where there is."""
        history, limits = self.history, self.limits
        if not self.work or not self.gate:
            return "There are too few verified questions."
        if history.calls >= limits.calls:
            return f"Its budget of {limits.calls:,} answers is used."
        if history.edits_asked >= limits.edits:
            return f"Its budget of {limits.edits:,} edits is used."
        if history.idle >= limits.idle:
            return f"{limits.idle} edits in a row led nowhere."
        start = history.versions[0]
        if start.work and all(start.work.get(key, False) for key in self.work):
            return "Every question of the work part is answered rightly."
        return ""
