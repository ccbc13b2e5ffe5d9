"""Figures side by side: periods, values, shares, ratios per thing, growth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.language.dates import shift
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.attaching import LOST, Part
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Measure, Order, Path, Slot, share_of
from sqlagent.makers.analyst.periods import Period, of_years
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.several_tables import SeveralTables
from sqlagent.makers.analyst.sketching import Clause
from sqlagent.makers.analyst.starts import MANY, NUMBERS, Start
from sqlagent.makers.analyst.states import CURRENT
from sqlagent.makers.analyst.targets import Target


class Comparing(SeveralTables):
    """Figures side by side: periods, values, shares, ratios per thing, growth."""

    def _compared_by(self, anchor: str, main: Clause, by: list[Item]) -> Slot | None:
        """ "Q3 2025 vs Q3 2026 by ship date": the time by which periods are compared, where one is named; `by` loses it."""
        if not self.sketch.vs or len(main.periods) < 2:
            return None
        for item in by:
            best = item.targets[0] if item.targets else None
            one = (
                self.model.field(best.table, best.column)
                if best is not None and best.kind == "field"
                else None
            )
            if one is None or one.role is not Role.TIME:
                continue
            for _, slot, _ in self.attach.fields(anchor, item, (Role.TIME,))[:1]:
                by.remove(item)
                return slot
        return None

    def _versus(
        self,
        anchor: str,
        main: Clause,
        dims: list[Dimension],
        time: Slot | None,
        by: list[Item],
        measures: list[Measure],
    ) -> float:
        """Two periods or two values side by side: rows of a dimension of their own."""
        s = self.sketch
        if s.transform in ("growth", "change") or len(measures) > 1:
            return 0.0
        flag = self._flag_rival(anchor, main, by)
        if flag is not None:
            dims.append(flag)
            return 0.0
        periods = main.periods
        if len(periods) >= 2 and not any(p.at for p in periods):
            grain = (
                "year"
                if of_years(periods)
                else (
                    periods[0].grain
                    if periods[0].grain
                    in ("fiscal year", "fiscal quarter", "year", "quarter", "month", "week", "day")
                    else "month"
                )
            )
            slot = time or self.source.time_of(anchor)
            if slot is None:
                return LOST
            if not any(i.kind == "grain" and i.grain == grain for i in by):
                dims.append(Dimension((slot,), grain=grain, said=grain))
            return 0.0
        if len(periods) == 2 and all(p.at for p in periods) and measures:
            return 0.0
        fields: dict[tuple[str, str], tuple[Slot, int]] = {}
        for item in main.mentions:
            for _, slot, _ in self.attach.values(anchor, item)[:3]:
                key = (slot.field.table, slot.field.column)
                first, count = fields.get(key, (slot, 0))
                fields[key] = (first if len(first.path) <= len(slot.path) else slot, count + 1)
        both = [slot for slot, count in fields.values() if count >= 2]
        if both and not any(d.shown and d.shown[0].field == both[0].field for d in dims):
            thing = self.model.things[both[0].field.table]
            named = self.source.is_name(thing.table, both[0].field.column)
            dims.append(
                self.source.dimension(thing.table, both[0].path)
                if named
                else Dimension((both[0],), said=both[0].field.said)
            )
            for item in list(main.mentions):
                own = [
                    t
                    for t in item.targets
                    if t.kind == "value"
                    and (t.table, t.column) == (both[0].field.table, both[0].field.column)
                ]
                if own:
                    main.mentions[main.mentions.index(item)] = replace(item, targets=tuple(own))
            return 0.0
        return 0.2

    def _flag_rival(self, anchor: str, main: Clause, by: list[Item]) -> Dimension | None:
        """ "weekend vs weekday", "online vs offline": a flag beside what it is not."""
        s = self.sketch
        if len(main.periods) > 1:
            return None
        asked = [a.item for a in s.asks if a.item is not None]
        for item in [*main.mentions, *asked, *(m for c in s.clauses for m in c.mentions)]:
            for cost, slot, target in self.attach.fields(anchor, item, (Role.FLAG,))[:1]:
                if target.cost > 0.3 or cost > 0.5 or item.targets[0].kind != "field":
                    continue
                main.mentions = [m for m in main.mentions if m is not item]
                s.clauses = [
                    c
                    for c in s.clauses
                    if not any(
                        t.table == target.table and t.column == target.column
                        for m in c.mentions
                        for t in m.targets
                    )
                ]
                by[:] = [i for i in by if i.kind != "grain" or i.grain != "weekday"]
                return Dimension((slot,), said=slot.field.said)
        return None

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

    def _shared(
        self,
        measures: list[Measure],
        dims: Sequence[Dimension],
        where: list[Condition],
        numerators: list[Condition],
        main: Sequence[Condition],
        start: Start,
    ) -> tuple[list[Measure], list[Condition], float, bool] | None:
        """A share: of what meets a condition, else of the total."""
        if not measures:
            return None
        measure = measures[0]
        if measure.agg == "ratio":
            return [replace(measure, percent=True)], where, 0.0, False
        lateness = [c for c in main if c.said == "late"]
        dated = [
            c for c in main if c.op in ("weekday", "clock") or c.op == "in" and self._is_of_day(c.slots[0])
        ]
        if not numerators and lateness:
            numerators = lateness
            where = [*where, *(done for c in lateness if (done := _was_done(c)) not in where)]
        elif not numerators and dated:
            numerators = dated
        flagged = list(start.where)
        if not numerators and flagged:
            hours = self._main_measures(start.anchor)
            is_flag = any(s.field.role is Role.FLAG for c in flagged for s in c.slots)
            base = hours[0] if hours and is_flag and hours[0].unit in ("hours", "minutes") else measure
            rest = [c for c in where if c not in flagged]
            over = replace(base, where=(*base.where, *flagged))
            return (
                [share_of(over, base)],
                rest,
                0.0,
                False,
            )
        if not numerators:
            narrowing = [
                c
                for c in main
                if c.op in ("in", "exists", "compare", "later", "filled", "missing")
                and c in where
                and c.said not in ("current", *CURRENT)
            ]
            timed = all(d.grain for d in dims)  # of each month its own share
            # "what share gets cancelled" is of each group
            is_done = all(c.op in ("filled", "missing", "later") for c in narrowing)
            if dims and not ((self.sketch.late_share or timed or is_done) and narrowing):
                return measures, where, 0.0, True
            if not narrowing:
                return None
            numerators = narrowing[-1:] if len(narrowing) > 1 else narrowing
            where = [c for c in where if c not in numerators]
        else:
            where = [c for c in where if c not in numerators]
        over = replace(measure, where=(*measure.where, *numerators))
        return (
            [share_of(over, measure)],
            where,
            0.0,
            False,
        )

    def _is_of_day(self, slot: Slot) -> bool:
        """Whether a column is a flag of a date table: on a weekend, on a holiday."""
        return slot.field.role is Role.FLAG and self.model.things[slot.field.table].kind is Kind.DATES

    def _transformed(
        self,
        start: Start,
        measures: list[Measure],
        dims: list[Dimension],
        main: Clause,
        where: list[Condition],
        time: Slot | None,
        transform: str,
        cost: float,
    ) -> (
        tuple[
            list[Measure], list[Dimension], list[Condition], str, float, list[str], Order | None, int | None
        ]
        | None
    ):
        """Growth, change and stands at two times; the order and the limit."""
        s = self.sketch
        flags: list[str] = []
        order, limit = start.order, start.limit
        if s.rank is not None and order is None and (s.rank.count or s.rank.every) and dims:
            order, limit = Order(s.rank.kind in ("asc",)), s.rank.count
        slot = time or self.source.time_of(start.anchor)
        grained = any(d.grain for d in dims)
        if len(main.periods) == 2 and all(p.at for p in main.periods) and measures:
            made = []
            for period in main.periods:
                part = Part()
                self.attach.timed(start.anchor, [period], part, slot, False)
                cost += part.cost
                drop = [c for c in where if c.op == "missing"]
                where = [c for c in where if c not in drop]
                made.append(
                    replace(
                        measures[0],
                        where=(*measures[0].where, *part.conditions),
                        said=f"{measures[0].said} {period.until}",
                    )
                )
            return made, dims, where, "", cost, flags, order, limit
        if len(main.periods) == 1 and main.periods[0].at:
            where = [c for c in where if not (c.op == "missing" and c.said == "current")]
        if transform in ("growth", "change") and not grained and measures:
            periods = list(main.periods)
            if slot is None:
                return None
            if len(periods) == 1 and periods[0].first is not None and periods[0].until is not None:
                one = periods[0]
                first, until = periods[0].first, periods[0].until
                months = (until.year - first.year) * 12 + until.month - first.month
                years_apart = one.grain == "year" and months > 12 and (until.year - first.year) >= 2
                if years_apart:
                    late = Period(date(until.year - 1, 1, 1), until, "year")
                    early = Period(first, date(first.year + 1, 1, 1), "year")
                    periods = [early, late]
                else:
                    since_then = s.vs and one.relative and self._ended(one)
                    is_in_days = first.day != until.day or one.relative and one.grain in ("day", "week")
                    unit, count = ("day", (until - first).days) if is_in_days else ("month", months)
                    periods = [one, Period(until, shift(until, unit, count), one.grain)]
                    if not since_then:
                        periods = [Period(shift(first, unit, -count), first, one.grain), one]
                    periods = self._as_far_as_known(periods)
                where = [c for c in where if c.op != "period"]
            if len(periods) != 2:
                return None
            periods.sort(key=lambda p: p.first or date.min)
            made = []
            for period in periods:
                inside = Condition("period", (slot,), period=period)
                made.append(
                    replace(
                        measures[0],
                        where=(*measures[0].where, inside),
                        said=f"{measures[0].said} {telling.period(period)}",
                    )
                )
            if s.share or transform == "growth" and not (s.rank is not None or s.listing):
                flags.append("percent")
            if (s.listing or s.rank is not None) and limit is None and dims:
                limit = s.rank.count if s.rank is not None and s.rank.count else 1
            return made, dims, where, "between", cost, flags, order, limit
        if transform in ("running", "moving", "growth", "change") and not grained:
            return None
        return measures, dims, where, transform, cost, flags, order, limit

    def _ended(self, period: Period) -> bool:
        """Whether rows are known of days after a period."""
        return period.until is not None and period.until.isoformat() <= self.model.newest

    def _as_far_as_known(self, periods: list[Period]) -> list[Period]:
        """Two periods of one length, both cut where the later one is not over: ten months are held against the same ten."""
        early, late = periods
        if not self.model.newest or late.first is None or late.until is None or early.first is None:
            return periods
        end = date.fromisoformat(self.model.newest) + timedelta(days=1)
        if not late.first < end < late.until:
            return periods
        months = (late.first.year - early.first.year) * 12 + late.first.month - early.first.month
        if late.first.day == early.first.day:
            before = shift(end, "month", -months) + timedelta(days=end.day - 1)
        else:
            before = early.first + (end - late.first)
        return [
            replace(early, until=before, grain="day"),
            replace(late, until=end, grain="day"),
        ]

    def _pivoted(
        self, anchor: str, item: Item, time: Slot | None
    ) -> tuple[float, Dimension, tuple[str, ...]] | None:
        found = self._dimension(anchor, item, time)
        if found is None or len(found[1].shown) != 1 or found[1].grain:
            return None
        one = found[1].shown[0].field
        from sqlagent.makers.analyst.states import labels

        values = tuple(code for code, _ in labels(self.source, one))
        if not 1 <= len(values) <= 20:
            return None
        return found[0], replace(found[1], keys=()), values


def _was_done(late: Condition) -> Condition:
    """That something was done at all, of a condition that says it was done late: what is not done yet is neither late nor on time."""
    if late.op == "exists":
        return replace(late, parts=(Condition("filled", late.parts[0].slots[:1]),), negated=False, said="")
    return Condition("filled", late.slots[:1])
