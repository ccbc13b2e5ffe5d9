"""The tree of versions: each an edit of its parent, never changed, one of them in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from math import log, sqrt
from typing import Any

EXPLORES = 0.5
"""Weight of what was seldom grown from, against what is right most often (c of UCB1, of shares between 0 and 1)."""


UNFIT_KEPT = 10
"""Proposals that could not be tried, of which an editor is told."""


class State(StrEnum):
    """The outcome of a version."""

    START = "start"
    REFUSED = "refused"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    ROLLED_BACK = "rolled back"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of context: what it does, as plain values, its author, and why it was proposed.

    `holds_values` unless its author was shown no stored value.
    """

    change: Mapping[str, Any]
    author: str = ""
    why: str = ""
    holds_values: bool = True


@dataclass(frozen=True, slots=True)
class Unfit:
    """A proposal that cannot be tried: why not, and the edit as far as there is one."""

    why: str
    edit: Edit | None = None


@dataclass(slots=True)
class Version:
    """One version. `work` and `gate` hold for each question that it was asked whether it was right; its content never changes."""

    number: int
    parent: int | None = None
    edit: Edit | None = None
    state: State = State.START
    visits: int = 0
    before: int | None = None
    work: dict[str, bool] = field(default_factory=dict)
    gate: dict[str, bool] = field(default_factory=dict)


@dataclass(slots=True)
class History:
    """All versions of one source; plain values lead to it and back, so that it is kept between two steps.

    `unfit` holds the latest proposals that could not be tried: what was proposed, and why not.

    Example:
        >>> history = History()
        >>> one = history.grown(0, Edit({"phrase": "vip"}))
        >>> History.of(history.plain()) == history, [e.change for e in history.edits(one.number)]
        (True, [{'phrase': 'vip'}])
    """

    versions: list[Version] = field(default_factory=lambda: [Version(0)])
    in_force: int = 0
    tests: int = 0
    calls: int = 0
    edits_asked: int = 0
    idle: int = 0
    unfit: list[list[str]] = field(default_factory=list)

    def turned_down(self, what: str, why: str) -> None:
        """Keep a proposal that could not be tried, the latest ones alone."""
        self.unfit = [*self.unfit, [what, why]][-UNFIT_KEPT:]

    def grown(self, parent: int, edit: Edit) -> Version:
        """Add a version below `parent`; it is refused until its gate lets it in."""
        made = Version(len(self.versions), parent, edit, State.REFUSED)
        self.versions.append(made)
        return made

    def edits(self, number: int) -> list[Edit]:
        """The edits that lead from the start to a version, the first one first."""
        found: list[Edit] = []
        version = self.versions[number]
        while version.parent is not None:
            if version.edit is not None:
                found.append(version.edit)
            version = self.versions[version.parent]
        return found[::-1]

    def chosen(self) -> Version:
        """The version to grow from: the best upper bound of its share of right answers in the work part (UCB1), of those that have failures."""
        grows = (State.START, State.ACCEPTED, State.PROPOSED)
        alive = [one for one in self.versions if one.state in grows and not all(one.work.values())]
        total = sum(one.visits for one in alive) + 1

        def bound(one: Version) -> tuple[float, int]:
            share = sum(one.work.values()) / max(len(one.work), 1)
            return share + EXPLORES * sqrt(log(total + 1) / (one.visits + 1)), one.number

        return max(alive or self.versions[:1], key=bound)

    def plain(self) -> dict[str, Any]:
        """The history as values that JSON takes."""
        versions = [
            {
                "number": one.number,
                "parent": one.parent,
                "edit": {**asdict(one.edit), "change": dict(one.edit.change)}
                if one.edit is not None
                else None,
                "state": str(one.state),
                "visits": one.visits,
                "before": one.before,
                "work": one.work,
                "gate": one.gate,
            }
            for one in self.versions
        ]
        return {
            "versions": versions,
            "in_force": self.in_force,
            "tests": self.tests,
            "calls": self.calls,
            "edits_asked": self.edits_asked,
            "idle": self.idle,
            "unfit": self.unfit,
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> History:
        """One of plain values; the start alone where there are none."""
        if not plain:
            return cls()
        versions = [
            Version(
                **{
                    **one,
                    "state": State(one["state"]),
                    "edit": Edit(**one["edit"]) if one["edit"] is not None else None,
                    "work": dict(one["work"]),
                    "gate": dict(one["gate"]),
                }
            )
            for one in plain["versions"]
        ]
        counts = {name: plain[name] for name in ("in_force", "tests", "calls", "edits_asked", "idle")}
        return cls(versions, **counts, unfit=[list(one) for one in plain.get("unfit", ())])
