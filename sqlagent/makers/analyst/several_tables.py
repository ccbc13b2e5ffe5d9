"""Figures of several tables in one answer: each over its own rows, or all over the rows of one event.

"Customers and orders per month" counts the customers who ordered; "units sold and units returned" sets two tables beside each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Kind
from sqlagent.language.words import stem
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.drafts import Draft
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Measure, Slot
from sqlagent.makers.analyst.restricting import Restricting


class SeveralTables(Restricting):
    """Figures of several tables, their dimensions and conditions as seen from each of them."""

    def _lay_side_by_side(self, draft: Draft) -> bool:
        """See dimensions and conditions from the table of each figure; False where one of them cannot be seen from there."""
        seen: tuple[list[Measure], list[Dimension], list[Condition]] | None
        draft.formula = next((m for m in draft.measures if len({p.anchor for p in m.parts}) > 1), None)
        if draft.formula is not None:
            alone = self._stands_alone(draft)
            seen = self._apart(draft.formula, draft.dims, draft.where) if alone else None
        elif any(m.anchor != draft.anchor for m in draft.measures):
            seen = self._spread(draft.measures, draft.dims, draft.where)
        else:
            return True
        if seen is None:
            return False
        draft.measures, draft.dims, draft.where = seen
        return True

    @staticmethod
    def _stands_alone(draft: Draft) -> bool:
        """Whether a formula over several tables is all that is asked for, so that its parts can be laid side by side."""
        order = draft.order
        ranked = order is not None and (order.by is not None or order.dimension is not None)
        more = draft.having or draft.per or draft.transform or draft.pivot or ranked
        return len(draft.measures) == 1 and not more

    def _spread(
        self, measures: list[Measure], dims: list[Dimension], where: list[Condition]
    ) -> tuple[list[Measure], list[Dimension], list[Condition]] | None:
        """Figures of several tables: the dimensions and conditions as seen from each of them."""
        if any(d.grain for d in dims) and (active := self._active(measures)) is not None:
            return self._carried(active, measures[0].anchor, dims, where)
        lower = self._one_anchor(measures)
        if lower is not None:
            return lower, dims, where
        return self._laid(measures, dims, where)

    def _active(self, measures: Sequence[Measure]) -> list[Measure] | None:
        """Things counted beside events of a time, as those that took part: "customers and orders per month". None where nothing is so."""
        events = {m.anchor for m in measures if self.model.things[m.anchor].kind is not Kind.THING}
        if len(events) != 1:
            return None
        (event,) = events
        seen = [self._taking_part(one, event) for one in measures]
        return [one for one in seen if one is not None] if None not in seen else None

    def _taking_part(self, one: Measure, event: str) -> Measure | None:
        """A figure over an event; a bare count of things as the different ones that the event's rows point at."""
        if one.anchor == event:
            return one
        thing = self.model.things[one.anchor]
        path = next((p for p in self.graph.paths(event, one.anchor) if p), None)
        bare = one.agg == "rows" and not one.where and stem(one.said) in map(stem, thing.noun[-1:])
        if not bare or path is None or len(thing.key) != 1:
            return None
        key = self.source.slot(one.anchor, thing.key[0], path)
        return Measure("distinct", event, Expr("column", (key,)), said=one.said)

    def _carried(
        self, measures: list[Measure], first: str, dims: Sequence[Dimension], where: Sequence[Condition]
    ) -> tuple[list[Measure], list[Dimension], list[Condition]] | None:
        """Dimensions and conditions of one table as seen from the one table of all figures."""
        anchor = measures[0].anchor
        if anchor == first:
            return measures, list(dims), list(where)
        held = [self._moved(one, first, anchor) for one in where]
        slots = [self._moved_slot(d.shown[0], first, anchor, bool(d.grain)) for d in dims]
        if None in held or None in slots or any(len(d.shown) > 1 for d in dims):
            return None
        by = [replace(d, shown=(slot,)) for d, slot in zip(dims, slots, strict=True) if slot is not None]
        return measures, by, [one for one in held if one is not None]

    def _apart(
        self, formula: Measure, dims: list[Dimension], where: list[Condition]
    ) -> tuple[list[Measure], list[Dimension], list[Condition]] | None:
        """The parts of a formula, each over the rows of its own table."""
        own = (*where, *formula.where)
        parts = [replace(p, said=p.said or telling.measure(replace(p, where=()))) for p in formula.parts]
        return self._laid(parts, dims, own)

    def _laid(
        self, measures: Sequence[Measure], dims: Sequence[Dimension], where: Sequence[Condition]
    ) -> tuple[list[Measure], list[Dimension], list[Condition]] | None:
        """Figures side by side; None where one of them cannot be grouped or restricted so."""
        first = measures[0].anchor
        out: list[Measure] = []
        for measure in measures:
            own: list[Condition] = list(measure.where)
            for condition in where:
                moved = (
                    condition if measure.anchor == first else self._moved(condition, first, measure.anchor)
                )
                if moved is None:
                    return None
                own.append(moved)
            out.append(replace(measure, where=tuple(own)))
        made: list[Dimension] = []
        for dimension in dims:
            slots = []
            for measure in measures:
                slot = dimension.shown[0]
                moved_slot = (
                    slot
                    if measure.anchor == first
                    else self._moved_slot(slot, first, measure.anchor, bool(dimension.grain))
                )
                if moved_slot is None or len(dimension.shown) > 1:
                    return None
                slots.append(moved_slot)
            made.append(replace(dimension, op="several", keys=tuple(slots)))
        return out, made, []

    def _one_anchor(self, measures: list[Measure]) -> list[Measure] | None:
        """Counts of heads seen from their lines, so that one pass does."""
        first = measures[0]
        sums = [m for m in measures if m.agg not in ("rows", "distinct")]
        if len(sums) != 1 or any(m.where for m in measures if m.agg == "rows"):
            return None
        low = sums[0].anchor
        out = []
        for measure in measures:
            if measure.anchor == low:
                out.append(measure)
                continue
            thing = self.model.things[measure.anchor]
            path = next((p for p in self.graph.paths(low, measure.anchor) if p), None)
            if path is None or len(thing.key) != 1 or first.anchor != low:
                return None
            out.append(
                Measure(
                    "distinct",
                    low,
                    Expr("column", (self.source.slot(measure.anchor, thing.key[0], path),)),
                    said=measure.said,
                )
            )
        return out

    def _moved_slot(self, slot: Slot, first: str, other: str, is_time: bool) -> Slot | None:
        if is_time:
            return self.source.time_of(other)
        path = next(iter(self.graph.paths(other, slot.field.table)), None)
        return replace(slot, path=path) if path is not None else None

    def _moved(self, condition: Condition, first: str, other: str) -> Condition | None:
        if condition.op in ("exists", "compare"):
            return None
        slots = []
        for slot in condition.slots:
            moved = self._moved_slot(slot, first, other, condition.op == "period")
            if moved is None:
                return None
            slots.append(moved)
        parts = [self._moved(p, first, other) for p in condition.parts]
        if any(p is None for p in parts):
            return None
        return replace(condition, slots=tuple(slots), parts=tuple(p for p in parts if p is not None))
