"""A frame as somebody changes it: chips, and what may take the place of each."""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.makers.analyst.frames import Frame


@dataclass(frozen=True, slots=True)
class Alternative:
    """One choice: what it is called, the key by which it is chosen, and the heading it stands under."""

    words: str
    key: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Chip:
    """One slot of a frame in words, after a word that says what for ("by", "the period").

    `kind`: measure, group, filter, period, order, limit, shown, column, add. The alternative whose key is `remove` takes it away.
    """

    slot: str
    kind: str
    label: str
    words: str
    alternatives: tuple[Alternative, ...] = ()
    removable: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """A frame with one slot changed, its SQL, and what was changed in words: "period changed to 2025"."""

    frame: Frame
    sql: str
    said: str


REMOVE = "remove"
"""The key of the choice that takes a chip away."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice with the frame it leads to."""

    words: str
    key: str
    group: str
    frame: Frame
    said: str


@dataclass(frozen=True, slots=True)
class Part:
    """A chip before its choices were looked at: each option is kept only if the planner can write it."""

    slot: str
    kind: str
    label: str
    words: str
    options: tuple[Option, ...] = ()
