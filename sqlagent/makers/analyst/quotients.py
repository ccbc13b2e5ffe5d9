"""Figures over figures: one per thing, one per so many of another, and shares of a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.drafts import Draft
from sqlagent.makers.analyst.frames import Condition, Expr, Measure, Path, Slot, share_of
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.several_tables import SeveralTables
from sqlagent.makers.analyst.starts import MANY, NUMBERS, Start
from sqlagent.makers.analyst.states import CURRENT
from sqlagent.makers.analyst.targets import Target


class Quotients(SeveralTables):
    """Figures over figures: one per thing, one per so many of another, and shares of a whole."""

    def _per(
        self, start: Start, measures: list[Measure], by: list[Item]
    ) -> tuple[list[Measure], float, Item] | None:
        """ "revenue per customer", "tickets per customer by region": one figure over another, not a grouping."""
        s = self.sketch
        if s.per_word != "per" or len(measures) != 1 or start.listed or s.rank is not None:
            return None
        item = next((i for i in by if i.kind == "mention"), None)
        if item is None:
            return None
        measure = measures[0]
        if s.scale:
            return self._per_many(start, measure, item)
        for target in item.targets:
            if target.cost > item.targets[0].cost + (0.1 if target.kind == "thing" else 0.05):
                break
            if target.kind == "field":
                found = self._per_field(start, measure, by, target, item)
                if found is not None:
                    return found
            table = self._table_of(target)
            if not table:
                continue
            if table == start.anchor and measure.expr is not None and target.cost < 0.2:
                return [replace(measure, agg="avg")], target.cost, item
            path = next((p for p in self.graph.paths(start.anchor, table) if p), None)
            if path is not None and len(self.model.things[table].key) == 1:
                return self._per_thing(start, measure, by, target, item, path)
        return None

    def _per_many(
        self, start: Start, measure: Measure, item: Item
    ) -> tuple[list[Measure], float, Item] | None:
        """ "claims per 1000 shipments": one total over another, each of all its rows."""
        for target in item.targets:
            table = self._table_of(target)
            if table and table != start.anchor and measure.agg in ("rows", "sum", "distinct"):
                under = Measure("rows", table, said=self.model.things[table].said)
                return [measure, under], target.cost, item
        return None

    def _table_of(self, target: Target) -> str:
        """The table of the thing that words mean, also by a business word; "" where they mean none."""
        if target.kind == "concept":
            counted = next((m for m in meant(self.source, target.column) if m.thing), None)
            return counted.thing if counted is not None else ""
        return target.table if target.kind == "thing" else ""

    def _per_field(
        self, start: Start, measure: Measure, by: list[Item], target: Target, item: Item
    ) -> tuple[list[Measure], float, Item] | None:
        """A figure over how many different numbers there are, over another measure's largest, or over its sum."""
        one = self.model.field(target.table, target.column)
        if one is None:
            return None
        if (
            set(one.words) & NUMBERS
            and one.role in (Role.KEY, Role.TEXT)
            and one.table == start.anchor
            and measure.expr is not None
        ):
            over = replace(measure, agg="sum") if measure.agg == "avg" else measure
            under = Measure("distinct", one.table, Expr("column", (Slot(one),)), said=one.said)
        elif one.role is Role.MEASURE and one.table != start.anchor and len(by) > 1:
            path = next((p for p in self.graph.paths(start.anchor, one.table) if p), None)
            if path is None:
                return None
            over = measure
            under = Measure("max", start.anchor, Expr("column", (Slot(one, path),)), said=one.said)
        elif (
            one.role is Role.MEASURE
            and one.aggregate == "sum"
            and one.table == start.anchor
            and one.unit != "money"
        ):
            over = measure
            under = Measure("sum", one.table, Expr("column", (Slot(one),)), said=one.said)
        else:
            return None
        said = f"{measure.said} per {item.text}"
        return [Measure("ratio", start.anchor, over=over, under=under, said=said)], target.cost, item

    def _per_thing(
        self, start: Start, measure: Measure, by: list[Item], target: Target, item: Item, path: Path
    ) -> tuple[list[Measure], float, Item] | None:
        """A figure over how many different things its rows point at; None where a grouping is meant, as of a time between."""
        if measure.expr is not None and measure.expr.op == "span":
            return None
        table = self._table_of(target)
        thing = self.model.things[table]
        is_average = any("avg" in a.aggs for a in self.sketch.asks)
        earned = any(
            a.item is not None and a.item.targets[:1] and a.item.targets[0].kind == "concept"
            for a in self.sketch.asks
        )  # what a customer brings in on average is no line's amount
        totalled = (
            is_average
            and measure.agg == "avg"
            and (len(by) > 1 or earned)
            and measure.expr is not None
            and measure.expr.slots[0].field.aggregate == "sum"
        )
        averaged = (
            totalled
            or self.sketch.average
            or is_average
            and (measure.agg == "distinct" or measure.agg in ("rows", "avg") and bool(start.thing))
        )
        many = (
            thing.rows > MANY
            and measure.agg in ("sum", "rows")
            and len(by) == 1
            and thing.kind is not Kind.CODES
        )
        about = any(
            t.table == table and t.kind == "field" for i in by if i is not item for t in i.targets[:2]
        )
        other = len(by) > 1 and (thing.rows > MANY or averaged or about or self.sketch.nested)
        if not (averaged or many or other):
            return None
        over = measure
        if totalled:
            over = replace(measure, agg="sum")
        elif measure.agg == "avg" and start.thing:
            over = replace(measure, agg="rows", expr=None)
        key = self.source.slot(table, thing.key[0], path)
        under = Measure("distinct", start.anchor, Expr("column", (key,)), said=thing.said)
        said = f"{measure.said} per {item.text}"
        return [Measure("ratio", start.anchor, over=over, under=under, said=said)], target.cost, item

    def _share(self, draft: Draft) -> None:
        """Make the first figure a share where one is asked for: of what meets a condition, else of the total.

        Growth and change of a share restrict rows by its conditions instead.
        """
        if not self.sketch.share or self.sketch.transform in ("growth", "change"):
            draft.where += draft.numerators
            return
        if not draft.measures:
            return
        measure = draft.measures[0]
        if measure.agg == "ratio":
            draft.measures = [replace(measure, percent=True)]
            return
        numerators = draft.numerators or self._late_or_of_days(draft)
        if not numerators and draft.start.where:
            self._share_of_flagged(draft, measure)
            return
        if not numerators:
            narrowing = _narrowing(draft)
            if draft.dims and not (narrowing and self._is_share_of_rows(draft, narrowing)):
                draft.flags.append("share")
                return
            if not narrowing:
                return
            numerators = narrowing[-1:]
        draft.where = [c for c in draft.where if c not in numerators]
        over = replace(measure, where=(*measure.where, *numerators))
        draft.measures = [share_of(over, measure)]

    def _late_or_of_days(self, draft: Draft) -> list[Condition]:
        """Conditions of the main clause that a share is of: being late, of rows that are done unless all are said, else days and hours."""
        lateness = [c for c in draft.of_main if c.said == "late"]
        if lateness:
            done = [_was_done(c) for c in lateness]
            if self.sketch.of_all:
                return [c for c in draft.of_main if c in lateness or c in done]
            draft.where += [c for c in done if c not in draft.where]
            return lateness
        return [
            c
            for c in draft.of_main
            if c.op in ("weekday", "clock") or c.op == "in" and self._is_of_day(c.slots[0])
        ]

    def _share_of_flagged(self, draft: Draft, measure: Measure) -> None:
        """ "Share of billable hours": the rows of a business word out of all rows, in hours where these bear some."""
        flagged = list(draft.start.where)
        hours = self._main_measures(draft.anchor)
        is_flag = any(s.field.role is Role.FLAG for c in flagged for s in c.slots)
        base = hours[0] if hours and is_flag and hours[0].unit in ("hours", "minutes") else measure
        draft.where = [c for c in draft.where if c not in flagged]
        draft.measures = [share_of(replace(base, where=(*base.where, *flagged)), base)]

    def _is_share_of_rows(self, draft: Draft, narrowing: Sequence[Condition]) -> bool:
        """Whether each group has a share of its own rows: of each month, or "what share gets cancelled"."""
        timed = all(d.grain for d in draft.dims)
        is_done = all(c.op in ("filled", "missing", "later") for c in narrowing)
        return self.sketch.late_share or timed or is_done

    def _is_of_day(self, slot: Slot) -> bool:
        """Whether a column is a flag of a date table: on a weekend, on a holiday."""
        return slot.field.role is Role.FLAG and self.model.things[slot.field.table].kind is Kind.DATES


def _narrowing(draft: Draft) -> list[Condition]:
    """Conditions of the main clause that tell some rows from others, in their order; being current does not."""
    return [
        c
        for c in draft.of_main
        if c.op in ("in", "exists", "compare", "later", "filled", "missing")
        and c in draft.where
        and c.said not in ("current", *CURRENT)
    ]


def _was_done(late: Condition) -> Condition:
    """That something was done at all, of a condition that says it was done late: what is not done yet is neither late nor on time."""
    if late.op == "exists":
        return replace(late, parts=(Condition("filled", late.parts[0].slots[:1]),), negated=False, said="")
    return Condition("filled", late.slots[:1])
