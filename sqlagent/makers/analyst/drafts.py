"""A frame as it grows from a start: what was found so far, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.attaching import LOST
from sqlagent.makers.analyst.frames import (
    Condition,
    Dimension,
    Frame,
    Having,
    Measure,
    Order,
    Slot,
)
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Clause, Sketch
from sqlagent.makers.analyst.starts import Start, once


@dataclass(slots=True)
class Draft:
    """A frame as it grows: each step adds what it found and what that cost.

    `main` is the main clause and `grouped_by` the words of groups; steps take from both what they explain. `time` is when
    the rows happen. `of_main` are the conditions of the main clause, `numerators` those that a share is of, which are in
    none of `where`. `formula` is a figure over several tables, whose parts are the `measures`.

    Example:
        >>> draft = Draft(Start("orders", 0.1), Clause(), [], cost=0.1)
        >>> draft.lose("yesteryear")
        >>> draft.cost, draft.unused
        (0.7999999999999999, ['yesteryear'])
    """

    start: Start
    main: Clause
    grouped_by: list[Item]
    cost: float
    time: Slot | None = None
    measures: list[Measure] = field(default_factory=list)
    dims: list[Dimension] = field(default_factory=list)
    per: list[Dimension] = field(default_factory=list)
    columns: list[Slot] = field(default_factory=list)
    where: list[Condition] = field(default_factory=list)
    of_main: Sequence[Condition] = ()
    numerators: list[Condition] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    order: Order | None = None
    limit: int | None = None
    transform: str = ""
    pivot: tuple[str, ...] = ()
    formula: Measure | None = None
    unused: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """The table whose rows the figures go through."""
        return self.start.anchor

    def lose(self, said: str) -> None:
        """Count words that find no place."""
        self.cost += LOST
        self.unused.append(said)

    def frame(self, sketch: Sketch) -> Frame:
        """Give the frame, with figures that are called apart and each thing once; its cost has four digits."""
        return Frame(
            anchor=self.anchor,
            measures=tuple(self.measures if self.formula else telling.told_apart(self.measures)),
            by=tuple(self.dims),
            where=tuple(once(self.where)),
            columns=tuple(dict.fromkeys(self.columns)),
            distinct=self.start.distinct,
            having=tuple(self.having),
            order=self.order,
            limit=self.limit,
            offset=self.start.offset,
            per=tuple(self.per),
            transform=self.transform,
            window=sketch.window,
            pivot=self.pivot,
            with_empty=sketch.with_empty,
            cost=round(self.cost, 4),
            unused=tuple(dict.fromkeys(self.unused)),
            why=tuple(self.why),
            flags=tuple(self.flags),
            scale=sketch.scale if self.transform == "quotient" else 0.0,
            formula=self.formula,
        )
