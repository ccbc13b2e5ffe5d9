"""Ways to begin where the first or the last time of something is asked for: a date, of each thing that is named."""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.makers.analyst.derived import Derived
from sqlagent.makers.analyst.frames import Expr, Measure, Slot
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.starts import Start


class Occasions(Derived):
    """ "When did she have her first appointment", "last ship date of each customer": the least or the greatest time."""

    def _occasions(self) -> list[Start]:
        """The readings as a date; empty where none is asked for."""
        s = self.sketch
        rank = s.rank
        if rank is None or rank.kind not in ("new", "old") or rank.nth > 1 or (rank.count or 1) > 1:
            return []
        grouped = rank.by
        if (
            rank.target is not None
            and grouped is not None
            and self._is_dated(rank.target)
            and self._may_group(grouped)
        ):
            s.by.append(grouped)
            rank.by = None
        items = [i for i in (rank.target, rank.by) if i is not None]
        items += [a.item for a in s.asks if a.item is not None and not items]
        found = [start for item in items for start in self._dated(item, rank.kind == "new")]
        if found:
            s.by += s.per
            s.per = []
        return found

    @staticmethod
    def _is_dated(item: Item) -> bool:
        """Whether words ask for a date: "payment date"."""
        return item.text.lower().endswith((" date", " day", " time"))

    def _dated(self, item: Item, last: bool) -> Iterator[Start]:
        s = self.sketch
        agg, word = ("max", "last") if last else ("min", "first")
        for place, target in enumerate(item.targets[:4]):
            slot: Slot | None = None
            if target.kind == "field" and (place == 0 or self._is_dated(item)):
                one = self.model.field(target.table, target.column)
                named = one is not None and one.role is Role.TIME
                asked = (
                    self._is_dated(item) and bool(s.per or s.by or s.main.mentions) or s.question == "when"
                )
                slot = Slot(one) if one is not None and named and asked else None
            elif (
                target.kind == "thing"
                and (s.question == "when" or self._is_dated(item))
                and self.model.things[target.table].kind in (Kind.EVENT, Kind.LINES)
            ):
                slot = self.source.time_of(target.table)
            if slot is not None and target.cost < item.targets[0].cost + 0.15:
                said = f"{word} {slot.field.said.removesuffix(' key')}"
                measure = Measure(agg, target.table, Expr("column", (slot,)), said=said)
                used = [n for n, a in enumerate(s.asks) if a.item is item]
                yield Start(target.table, target.cost, [measure], used=used)
