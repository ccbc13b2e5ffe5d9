"""Figures as they are meant: keys counted, sums per head, money beside money, averages of groups."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.makers.analyst.comparing import Comparing
from sqlagent.makers.analyst.concepts import worth
from sqlagent.makers.analyst.drafts import Draft
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Measure, Slot, share_of
from sqlagent.makers.analyst.starts import DONE, Start

_ADVERBS = frozenset({"monthly", "daily", "weekly", "yearly", "quarterly"})
"""Words of grains that may say of what an average is."""


class Refining(Comparing):
    """Figures as they are meant: keys counted, sums per head, money beside money, averages of groups."""

    def _refine(self, draft: Draft) -> None:
        """Mend figures by what their columns are, and choose what is computed of all of them together."""
        measures = [self._of_known(self._per_head(self._sound(m))) for m in draft.measures]
        draft.measures = self._in_money(measures) if len(measures) > 1 else measures
        draft.transform = "quotient" if self.sketch.scale and len(measures) == 2 else self.sketch.transform
        if self.sketch.share_between and len(measures) == 2 and draft.transform == "":
            self._share_between(draft)
        if self._is_average_of_grains(draft.measures):
            self._average_grains(draft)
        if "share" in draft.flags:
            draft.transform = "share"
        if self._is_average_count(draft) and draft.dims:
            draft.transform = "average"

    @staticmethod
    def _share_between(draft: Draft) -> None:
        """ "Claims as a percentage of orders": a share where one table holds both, else a quotient."""
        first, second = draft.measures
        if first.anchor == second.anchor:
            draft.measures = [share_of(first, second, f"{first.said} share")]
        else:
            draft.transform = "quotient"
        draft.flags = [f for f in draft.flags if f != "share"]

    def _is_average_of_grains(self, measures: list[Measure]) -> bool:
        """Whether "average monthly revenue" is asked for: of the sums of months, not of single amounts."""
        return (
            any(i.kind == "grain" and i.text.lower() in _ADVERBS for i in self.sketch.by)
            and bool(measures)
            and measures[0].agg == "avg"
            and any("avg" in ask.aggs for ask in self.sketch.asks)
            and measures[0].expr is not None
        )

    @staticmethod
    def _average_grains(draft: Draft) -> None:
        """Average the sums of grains, where the column of the first figure is summed up."""
        first = draft.measures[0]
        assert first.expr is not None
        agg = "sum" if first.expr.slots[0].field.aggregate == "sum" else "avg"
        draft.measures = [replace(first, agg=agg), *draft.measures[1:]]
        draft.transform = "average"

    def _is_average_count(self, draft: Draft) -> bool:
        """Whether rows are counted and the average count is asked for."""
        first = next(iter(draft.start.measures), None)
        return (
            first is not None
            and first.agg == "rows"
            and bool(draft.start.thing)
            and self.sketch.average
            and draft.measures == draft.start.measures
        )

    @staticmethod
    def _sound(measure: Measure) -> Measure:
        """Keys are counted, never averaged or summed up."""
        if (
            measure.agg in ("avg", "sum", "median")
            and measure.expr is not None
            and measure.expr.op == "column"
        ) and measure.expr.slots[0].field.role in (Role.KEY, Role.FOREIGN):
            return replace(measure, agg="distinct")
        return measure

    def _per_head(self, measure: Measure) -> Measure:
        """ "average value of a delivery note" whose lines hold the amounts: their sum over the notes, not the average line."""
        thing = self.model.things[measure.anchor]
        if (
            measure.agg != "avg"
            or thing.kind is not Kind.LINES
            or measure.expr is None
            or measure.expr.slots[0].path
        ):
            return measure
        if measure.expr.op == "column" and measure.expr.slots[0].field.aggregate != "sum":
            return measure
        heads = [r for r in self.model.relations if r.source == measure.anchor and len(r.columns) == 1]
        for item in self.sketch.main.mentions:
            best = item.targets[0]
            head = next((r for r in heads if best.kind == "thing" and r.target == best.table), None)
            if head is not None and self.model.things[head.target].kind is Kind.EVENT:
                whole = replace(measure, agg="sum")
                key = Expr("column", (self.source.slot(measure.anchor, head.columns[0]),))
                count = Measure("distinct", measure.anchor, key, said=self.model.things[head.target].said)
                return replace(measure, agg="ratio", expr=None, over=whole, under=count)
        return measure

    def _of_known(self, measure: Measure) -> Measure:
        """A rate of a flag or an outcome that is not known of every row is one of those of which it is: passed of the exams with a result."""
        over, under = measure.over, measure.under
        if measure.agg != "ratio" or over is None or under is None or over.anchor != under.anchor:
            return measure
        flags = [
            c.slots[0]
            for c in over.where
            if len(c.slots) == 1
            and c.slots[0].field.filled < 1
            and (c.slots[0].field.role is Role.FLAG or self.sketch.rate and c.op == "in")
        ]
        unknown = [Condition("filled", (slot,)) for slot in flags if not slot.path]
        more = tuple(c for c in unknown if c not in under.where)
        return replace(measure, under=replace(under, where=(*under.where, *more))) if more else measure

    def _measure_time(self, start: Start) -> Slot | None:
        """A measure's own time: what was paid, by when it was paid."""
        for measure in start.measures:
            if measure.expr is None or measure.expr.op != "column" or measure.expr.slots[0].path:
                continue
            own = set(measure.expr.slots[0].field.words) - {"amount", "total", "sum"}
            for one in self.model.of_role(measure.anchor, Role.TIME):
                if own & set(one.words) & DONE:
                    return Slot(one)
        return None

    def _as_asked(
        self, measures: list[Measure], dims: list[Dimension]
    ) -> tuple[list[Measure], list[Dimension]]:
        """Figures in the order in which they were asked for, where all bear the words they were asked by, and their groups' keys."""
        asked = [ask.item.text.lower() for ask in self.sketch.asks if ask.item is not None]
        if not {one.said.lower() for one in measures} <= set(asked):
            return measures, dims
        places = sorted(range(len(measures)), key=lambda n: asked.index(measures[n].said.lower()))
        keyed = [
            replace(one, keys=tuple(one.keys[n] for n in places))
            if len(one.keys) == len(places) and one.op == "several"
            else one
            for one in dims
        ]
        return [measures[n] for n in places], keyed

    def _in_money(self, measures: list[Measure]) -> list[Measure]:
        """Figures beside money that are money too: refunds as a percentage of revenue, what was billed beside what was collected."""
        if not any(one.unit == "money" for one in measures):
            return measures
        out = []
        for one in measures:
            counted = one.agg == "rows" and (self.sketch.share_between or one.said.lower().endswith("ed"))
            thing = self.model.things.get(one.anchor) if counted else None
            paid = next(iter(worth(self.source, thing, "sum")), None) if thing is not None else None
            out.append(replace(paid.measure, where=one.where, said=one.said) if paid is not None else one)
        return out
