"""A question before a follow-up as it stands: what of it can be changed."""

from __future__ import annotations

from dataclasses import dataclass

from sqlagent.makers.analyst.changing.parts import Part
from sqlagent.makers.analyst.changing.wordings import Stretch, Wording
from sqlagent.makers.analyst.endings import Ending, endings
from sqlagent.makers.analyst.frames import Frame


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it stands: its words without its endings, those, its frame, what can be replaced of it, and whether the analyst answers it."""

    text: str
    ending: str
    frame: Frame
    held: frozenset[Part]
    stretches: list[Stretch]
    speaks: bool

    @property
    def endings(self) -> tuple[Ending, ...]:
        """The endings, one by one."""
        return endings(f"figures by group{self.ending}")[1]

    def beside(self, name: str) -> Wording:
        """Word the question with a figure or a column beside what it shows."""
        return Wording(f"{self.text}{self.ending}, with {name} alongside", "ending", "along")
