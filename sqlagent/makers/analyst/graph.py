"""Ways between tables: up from many rows to one, and down to tables whose rows point here."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

from sqlagent.catalog.semantics import Model, Relation
from sqlagent.makers.analyst.frames import Path

DEEP = 5
"""Relations of one path at most."""


HOP = 0.06
"""The cost of one relation on the way: nearer columns are meant more often."""

OTHER = 0.15
"""The cost of another way than the shortest."""


class Graph:
    """The relations of a model, walked once a table and remembered."""

    def __init__(self, model: Model) -> None:
        self.out: dict[str, list[Relation]] = defaultdict(list)
        self.into: dict[str, list[Relation]] = defaultdict(list)
        for relation in model.relations:
            self.out[relation.source].append(relation)
            self.into[relation.target].append(relation)
        self._up: dict[str, dict[str, list[Path]]] = {}
        self._down: dict[str, list[str]] = {}

    def up(self, table: str) -> dict[str, list[Path]]:
        """Tables of which each row of `table` has one, with up to four paths each, shortest first.

        Example:
            >>> graph = Graph(Model("sqlite", {}, {}, (Relation("line", ("o",), "order", ("id",)), Relation("order", ("c",), "customer", ("id",)))))
            >>> [len(path) for path in graph.up("line")["customer"]]
            [2]
        """
        if table not in self._up:
            found: dict[str, list[Path]] = {table: [()]}
            queue: deque[Path] = deque((r,) for r in self.out[table])
            while queue:
                path = queue.popleft()
                target = path[-1].target
                known = found.setdefault(target, [])
                if len(known) >= 4 or target == table and len(path) > 1:
                    continue
                known.append(path)
                if len(path) < DEEP and target != table:
                    visited = {r.source for r in path}
                    queue.extend((*path, r) for r in self.out[target] if r.target not in visited)
            self._up[table] = found
        return self._up[table]

    def paths(self, table: str, target: str) -> Sequence[Path]:
        """The paths up from one table to another; the empty one from a table to itself comes first."""
        return self.up(table).get(target, ())

    def below(self, table: str) -> list[str]:
        """Tables from whose rows a path leads up to `table`, nearest first."""
        if table not in self._down:
            found: list[str] = []
            queue: deque[tuple[str, int]] = deque([(table, 0)])
            while queue:
                here, depth = queue.popleft()
                for relation in self.into[here]:
                    if relation.source not in found and relation.source != table and depth < DEEP:
                        found.append(relation.source)
                        queue.append((relation.source, depth + 1))
            self._down[table] = found
        return self._down[table]
