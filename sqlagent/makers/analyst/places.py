"""Which column or stored value a mention may be, as seen from one table, and over which way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.semantics.words import GEOGRAPHY
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Path, Slot
from sqlagent.makers.analyst.graph import HOP, OTHER
from sqlagent.makers.analyst.owning import directed, owners_paths
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import is_people
from sqlagent.makers.analyst.targets import Target

AT_HOME = 0.03
"""How much farther the place is in which somebody lives than the place of what is counted."""

GEOGRAPHIC = frozenset(map(stem, GEOGRAPHY))
NAMED = 0.04
"""How much nearer a value is of a column that the question names elsewhere."""


class Places:
    """Finds the columns and the stored values of mentions, as seen from a table."""

    def __init__(self, source: Source, said: frozenset[str] = frozenset(), today: date | None = None) -> None:
        self.said = said
        self.today = today
        self.source = source
        self.model = source.model
        self.graph = source.graph

    def ways(self, anchor: str, table: str, item: Item | None = None) -> Iterator[tuple[float, Path]]:
        """The paths up from an anchor to a table, with their costs: those of the owner that was named, else all of them."""
        owned = owners_paths(self.graph, anchor, table, item.owner) if item is not None and item.owner else []
        for path in owned:
            yield HOP * len(path), path
        paths = [] if owned else list(self.graph.paths(anchor, table))
        if self.model.things[table].kind is Kind.DATES:
            paths.sort(key=lambda path: not self._is_default(path))
        for place, path in enumerate(paths):
            named = 0.04 * sum(bool(r.words) for r in path) if place else 0.0
            yield HOP * len(path) + (OTHER if place else 0.0) + named, path

    def _is_default(self, path: Path) -> bool:
        """Whether a way to a date table starts at the time at which rows happen."""
        return bool(path) and path[-1].columns == (self.model.things[path[-1].source].default_time,)

    def values(self, anchor: str, item: Item) -> list[tuple[float, Slot, Target]]:
        """The stored values that a mention may mean, as seen from an anchor."""
        out: list[tuple[float, Slot, Target]] = []
        for target in item.targets:
            if target.kind != "value":
                continue
            for cost, path in self.ways(anchor, target.table, item):
                slot = self.source.slot(target.table, target.column, path)
                named = NAMED if set(slot.field.words) <= self.said else 0.0
                out.append((target.cost + cost - named, slot, target))
        return sorted(self._where_it_happens(directed(out, item.way)), key=lambda o: o[0])

    def _where_it_happens(self, found: list[tuple[float, Slot, Target]]) -> list[tuple[float, Slot, Target]]:
        """A sale in Arnhem is one of a store there before one to a customer who lives there, unless customers were named."""
        places = [slot for _, slot, _ in found if slot.path and set(slot.field.words) & GEOGRAPHIC]
        homes = [slot for slot in places if is_people(self.model.things[slot.field.table])]
        others = [len(slot.path) for slot in places if slot not in homes]
        unsaid = [
            slot
            for slot in homes
            if others and min(others) <= len(slot.path)
            if not set(self.model.things[slot.field.table].noun) & self.said
        ]
        return [(cost + AT_HOME * (slot in unsaid), slot, target) for cost, slot, target in found]

    def fields(self, anchor: str, item: Item, roles: Sequence[Role] = ()) -> list[tuple[float, Slot, Target]]:
        """The columns that a mention may mean, as seen from an anchor."""
        out: list[tuple[float, Slot, Target]] = []
        for target in item.targets:
            if target.kind != "field":
                continue
            for cost, path in self.ways(anchor, target.table, item):
                slot = self.source.slot(target.table, target.column, path)
                if not roles or slot.field.role in roles:
                    out.append((target.cost + cost, slot, target))
        return sorted(out, key=lambda o: o[0])
