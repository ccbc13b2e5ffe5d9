"""A sketch as frames of one source, cheapest first: the anchor is searched that reads all mentions together best.

Rival fillings of a slot stay until the end: each becomes a frame of its own, and what the words cost
decides between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Kind, Model, Role
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.attaching import LOST, Part
from sqlagent.makers.analyst.comparing import Comparing
from sqlagent.makers.analyst.concepts import Meant, worth
from sqlagent.makers.analyst.frames import (
    Condition,
    Dimension,
    Expr,
    Frame,
    Having,
    Measure,
    Order,
    Slot,
    share_of,
)
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.repeating import repeated
from sqlagent.makers.analyst.retiming import alike, timed_by
from sqlagent.makers.analyst.sketching import Ask, Clause, Sketch
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import DONE, MOST, UNKNOWN, Start, once
from sqlagent.makers.analyst.states import is_snapshot

_ANOTHERS = 0.3
"""The cost of money of another table beside rows that bear some themselves."""

OTHER_TIME = 0.12
"""The cost of a reading besides that goes by another time than the one at which rows happen."""


def resolve(sketch: Sketch, source: Source, today: date) -> list[Frame]:
    """Give the frames of a sketch, cheapest first; empty where nothing can be asked for."""
    return Resolver(sketch, source, today).frames()


def _is_own_key(anchor: str, one: Dimension, model: Model) -> bool:
    """Whether groups are single rows, which nobody asks for by a part of a name."""
    thing, slots = model.things[anchor], one.shown
    return len(slots) == 1 and not slots[0].path and thing.key == (slots[0].field.column,) and not one.grain


class Resolver(Comparing):
    """Builds every frame of one sketch."""

    def frames(self) -> list[Frame]:
        again = repeated(self.sketch, self.source, self.attach)
        if again is not None:
            return [again]
        self._prepare()
        found: dict[str, Frame] = {}
        for drawn in list(self._sketches()):
            self.sketch = drawn
            for start in self._starts():
                for frame in self._built(start):
                    key = repr(replace(frame, cost=0.0, unused=(), why=()))
                    if key not in found or found[key].cost > frame.cost:
                        found[key] = frame
        out = sorted(found.values(), key=lambda f: f.cost)
        rival = self._at_another_time(out[0]) if out else None
        if rival is not None and not any(alike(rival, frame) for frame in out):
            out = sorted([*out, rival], key=lambda f: f.cost)
        return out[:MOST]

    def _at_another_time(self, frame: Frame) -> Frame | None:
        """The same frame by a time that is meant nearly as well as when rows happen, where nobody named one."""
        for item in self._all():
            best = item.targets[0] if item.targets else None
            if best is not None and best.kind == "field":
                one = self.model.field(best.table, best.column)
                if one is not None and one.role is Role.TIME:
                    return None
        changed = frame
        for thing in self.model.things.values():
            if thing.kind is Kind.EVENT and thing.other_time:
                old = self.model.field(thing.table, thing.default_time)
                new = self.model.field(thing.table, thing.other_time)
                if old is not None and new is not None:
                    changed = timed_by(changed, old, new)
        return replace(changed, cost=round(frame.cost + OTHER_TIME, 4)) if changed != frame else None

    def _built(self, start: Start) -> Iterator[Frame]:
        """Attach everything else to a start."""
        s = self.sketch
        anchor = start.anchor
        cost = start.cost
        unused: list[str] = [*s.unknown, *s.unused]
        cost += LOST * len(s.unused)
        why: list[str] = []
        where = list(start.where)
        columns = list(start.columns)
        measures = list(start.measures)
        dims = list(start.dims)
        time = start.time or self._measure_time(start)
        cost += UNKNOWN * len(s.unknown)
        if s.number is not None and s.counts is None:
            cost += LOST
            unused.append(str(s.number))
        by_items = list(s.by)
        main = replace(s.main, mentions=list(s.main.mentions), periods=list(s.main.periods))
        for place, ask in enumerate(s.asks):
            if (
                place in start.used
                or ask.item is None
                or (s.rank is not None and ask.item in (s.rank.target, s.rank.by))
            ):
                continue
            cost += self._second(ask, anchor, start, measures, columns, by_items, main, unused)
        time = self._compared_by(anchor, main, by_items) or time
        grain_time = self._grain_time(main, time, anchor)
        if is_snapshot(self.source, anchor) and main.current:
            main.current = False
        if s.vs:
            cost += self._versus(anchor, main, dims, time, by_items, measures)
        ratio_of = self._per(start, measures, by_items)
        if ratio_of is not None:
            measures, extra, used_item = ratio_of
            cost += extra
            by_items.remove(used_item)
        for item in by_items:
            found = self._dimension(anchor, item, grain_time if item.kind == "grain" else time)
            if found is None:
                cost += LOST
                unused.append(item.text)
            else:
                cost += found[0]
                dims.append(found[1])
                why.append(telling.read_as(item.text, telling.grouped(found[1])))
        per: list[Dimension] = []
        for item in s.per:
            found = self._dimension(anchor, item, time)
            if found is None:
                cost += LOST
                unused.append(item.text)
            else:
                cost += found[0]
                per.append(found[1])
        if (
            not per
            and s.rank is not None
            and s.rank.target is not None
            and dims
            and start.limit is not None
            and s.by
            and start.listed
        ):
            per, dims = dims, []
        if s.question == "why":
            reason = self._reason(anchor)
            if reason is None:
                cost += LOST
            else:
                dims.append(reason)
        numerators: list[Condition] = []
        havings: list[Having] = []
        part = self._main(anchor, main, time)
        cost += part.cost
        unused += part.unused
        why += part.why
        where += part.conditions
        flags: list[str] = []
        for clause in s.clauses:
            if start.listed and start.thing and self._is_columns(start.thing, clause):
                for item in clause.mentions:
                    cost += self._column_of(anchor, item, columns, unused)
                continue
            bound = self._bound(anchor, clause, start, dims, measures)
            if bound is not None:
                havings.append(bound[1])
                cost += bound[0]
                if bound[2]:
                    flags.append("only groups")
                taken_items = [
                    m
                    for m in clause.mentions
                    if not any(
                        x.measure == bound[1].measure
                        for x in self.meanings(m, (clause.agg,) if clause.agg else ())
                    )
                ]
                rest = replace(
                    clause,
                    compare="",
                    numbers=[],
                    average=False,
                    after_compare=[],
                    agg="",
                    mentions=[
                        m
                        for m in taken_items
                        if not any(
                            t.kind == "thing"
                            and any(d.shown and d.shown[0].field.table == t.table for d in dims)
                            for t in m.targets[:1]
                        )
                    ],
                )
                if rest.mentions or rest.periods:
                    more = self.attach.clause(anchor, rest, time)
                    cost += more.cost
                    where += more.conditions
                    unused += more.unused
                continue
            restricted = self._clause(anchor, clause, start, time, dims)
            cost += restricted.cost
            unused += restricted.unused
            why += restricted.why
            if (
                s.share
                and not clause.excepted
                and not clause.negated
                and clause.opener in ("who", "with", "more", "not")
                and not s.stands_before_share(clause)
            ):
                whole = _dates_of_the_whole(restricted, time or self.source.time_of(anchor))
                numerators += [c for c in restricted.conditions if c not in whole]
                where += whole
            else:
                where += restricted.conditions
        if s.share and s.transform not in ("growth", "change"):
            taken = self._shared(measures, dims, where, numerators, part.conditions, start)
            if taken is not None:
                measures, where, extra, of_total = taken
                cost += extra
                if of_total:
                    flags.append("share")
        elif numerators:
            where += numerators
        for item in s.columns:
            cost += self._column_of(anchor, item, columns, unused)
        if s.question == "when" and columns and not measures:  # "who left us, and when"
            columns += self._told_when(anchor, columns, where, time)
            cost += 0.15 if start.limit == 1 else 0.0  # "when did they last order" asks for the day alone
        where += list(self._history(anchor, s.main, dims, where))
        dims = self._at_the_time(dims, where, time or self.source.time_of(anchor))
        measures = [self._of_known(self._per_head(self._sound(m))) for m in measures]
        measures = self._in_money(measures) if len(measures) > 1 else measures
        transform = "quotient" if s.scale and len(measures) == 2 else s.transform
        if s.share_between and len(measures) == 2 and transform == "":
            if measures[0].anchor == measures[1].anchor:
                measures = [share_of(measures[0], measures[1], f"{measures[0].said} share")]
            else:
                transform = "quotient"
            flags = [f for f in flags if f != "share"]
        adverb = any(
            i.kind == "grain" and i.text.lower() in ("monthly", "daily", "weekly", "yearly", "quarterly")
            for i in s.by
        )
        if (
            adverb
            and measures
            and measures[0].agg == "avg"
            and any("avg" in a.aggs for a in s.asks)
            and measures[0].expr is not None
        ):
            measures = [
                replace(
                    measures[0], agg="sum" if measures[0].expr.slots[0].field.aggregate == "sum" else "avg"
                ),
                *measures[1:],
            ]
            transform = "average"
        if "share" in flags:
            transform = "share"
        if (
            start.measures
            and start.measures[0].agg == "rows"
            and start.thing
            and s.average
            and measures == start.measures
        ):
            transform = "average" if dims else transform
        made = self._transformed(start, measures, dims, main, where, time, transform, cost)
        if made is None:
            return
        measures, dims, where, transform, cost, extra_flags, order, limit = made
        flags += extra_flags
        pivot: tuple[str, ...] = ()
        if s.pivot:
            made_pivot = self._pivoted(anchor, s.pivot[0], time)
            if made_pivot is None:
                cost += LOST
            else:
                cost += made_pivot[0]
                dims.append(made_pivot[1])
                pivot = made_pivot[2]
        if s.bucket:
            dims = [
                replace(d, bucket=s.bucket) if d.op == "age" or d.shown[0].field.role is Role.MEASURE else d
                for d in dims
            ]
        formula = self._over_tables(measures)
        if formula is not None:
            apart = (
                self._apart(formula, dims, where)
                if self._stands_alone(measures, havings, per, transform, pivot, order)
                else None
            )
            if apart is None:
                return
            measures, dims, where = apart
        elif measures and any(m.anchor != anchor for m in measures):
            spread = self._spread(measures, dims, where)
            if spread is None:
                return
            measures, dims, where = spread
        if transform in ("", "quotient") and order is None and not (havings or pivot or formula):
            measures, dims = self._as_asked(measures, dims)
        yield Frame(
            anchor=anchor,
            measures=tuple(measures if formula else telling.told_apart(measures)),
            by=tuple(dims),
            where=tuple(once(where)),
            columns=tuple(dict.fromkeys(columns)),
            distinct=start.distinct,
            having=tuple(havings),
            order=order,
            limit=limit,
            offset=start.offset,
            per=tuple(per),
            transform=transform,
            window=s.window,
            pivot=pivot,
            with_empty=s.with_empty,
            cost=round(cost, 4),
            unused=tuple(dict.fromkeys(unused)),
            why=tuple(why),
            flags=tuple(flags),
            scale=s.scale if transform == "quotient" else 0.0,
            formula=formula,
        )

    @staticmethod
    def _over_tables(measures: Sequence[Measure]) -> Measure | None:
        """A formula of which not all parts go through the rows of one table."""
        return next((m for m in measures if len({part.anchor for part in m.parts}) > 1), None)

    @staticmethod
    def _stands_alone(
        measures: Sequence[Measure], havings: Sequence[Having], per: Sequence[Dimension], transform: str,
        pivot: Sequence[str], order: Order | None,
    ) -> bool:  # fmt: skip
        """Whether a formula over several tables is all that is asked for, so that its parts can be laid side by side."""
        ranked = order is not None and (order.by is not None or order.dimension is not None)
        return len(measures) == 1 and not (havings or per or transform or pivot or ranked)

    @staticmethod
    def _at_the_time(
        dims: Sequence[Dimension], where: Sequence[Condition], time: Slot | None
    ) -> list[Dimension]:
        """ "fines collected per month in 2025": the months are of the time that the period is of."""
        restricted = {c.slots[0] for c in where if c.op == "period" and c.slots}
        if len(restricted) != 1:
            return list(dims)
        (slot,) = restricted
        return [
            replace(d, shown=(slot,))
            if d.grain and d.shown[0] == time != slot and d.shown[0].field.table == slot.field.table
            else d
            for d in dims
        ]

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

    def _second(
        self,
        ask: Ask,
        anchor: str,
        start: Start,
        measures: list[Measure],
        columns: list[Slot],
        by: list[Item],
        main: Clause,
        unused: list[str],
    ) -> float:
        """The use of a further mention in the head: a measure beside the first, a dimension, a restriction, a column."""
        item = ask.item
        assert item is not None
        options: list[tuple[float, str, Meant | None]] = []
        if start.listed:
            taken = self._column_options(anchor, item)
            times = self.attach.fields(anchor, item, (Role.TIME,))
            flags = self.attach.fields(anchor, item, (Role.FLAG,))
            if times and not ask.joined and (main.periods or item.text.lower().endswith("ed")):
                taken = []
            if flags and not ask.joined and self.sketch.listing:
                taken = []
            if taken:
                options.append((taken[0][0], "column", None))
        else:
            figures = self.meanings(item, ask.aggs, ask.distinct)[:4]
            own = any(one.measure.anchor == anchor and one.measure.unit == "money" for one in figures)
            for found in figures:
                if found.measure.agg == "rows" and found.thing == start.thing and found.thing:
                    options.append((found.cost + 0.02, "same", None))
                elif found.measure.agg == "rows" and found.thing and not ask.joined and not ask.aggs:
                    continue
                elif found.measure.agg == "rows" and self.sketch.much:
                    continue  # who did it is not counted
                elif (
                    found.measure.anchor == anchor or measures and measures[0].anchor != found.measure.anchor
                ):
                    dear = 0.12 if found.measure.agg == "rows" and not ask.aggs else 0.0
                    if not self._is_grouped_alike(found.measure.anchor, anchor, by):
                        dear += LOST  # revenue of invoices knows no category of cars
                    elif own and found.measure.anchor != anchor:
                        dear += _ANOTHERS  # trips and revenue: what the trips brought in, not what was billed for anything
                    options.append((found.cost + 0.1 + dear, "measure", found))
            grouped = self._dimension(anchor, item, None)
            if (
                grouped is not None
                and not self.sketch.much
                and not _is_own_key(anchor, grouped[1], self.model)
            ):
                options.append((grouped[0] + 0.1, "by", None))
        for cost, _slot, _ in self.attach.fields(anchor, item, (Role.TIME, Role.FLAG))[:1]:
            options.append((cost + 0.01, "value", None))
        valued = {
            (t.table, t.column) for i in self._all() if i is not item for t in i.targets if t.kind == "value"
        }
        for target in item.targets:
            own = target is item.targets[0] and (target.table, (target.column,)) == (
                anchor,
                self.model.things[anchor].key,
            )
            if target.kind == "field" and (own or (target.table, target.column) in valued):
                options.append((min(0.02, target.cost), "same", None))
        for target in item.targets:
            if target.kind == "thing" and (target.table == anchor or self.graph.paths(anchor, target.table)):
                if (
                    target.table == anchor
                    and item.targets[0].kind == "concept"
                    and not item.targets[0].column.startswith("staff")
                ):
                    continue
                told = bool(self.sketch.by or self.sketch.main.current or self.sketch.main.mentions)
                options.append(
                    (
                        target.cost * 0.5 + (0.0 if target.table == anchor else 0.04 if told else 0.2),
                        "same",
                        None,
                    )
                )
        values = self.attach.values(anchor, item)
        if values:
            options.append((values[0][0], "value", None))
        if self.sketch.share_between and any(kind == "measure" for _, kind, _ in options):
            options = [one for one in options if one[1] == "measure"]  # "claims as a percentage of orders"
        if not options:
            main.mentions.append(item)
            return 0.0
        cost, kind, chosen = min(options, key=lambda o: o[0])
        if kind == "value" and item.targets[0].kind == "field":
            cost = 0.02
        if kind == "column":
            self._column_of(anchor, item, columns, unused)
        elif kind == "measure" and chosen is not None:
            told = bool(ask.aggs) or item.text.lower().startswith("total ") or self._is_qualified(start, item)
            implied = told and len(measures) == 1 and measures[0].agg == "rows" and self._is_implied(start)
            if implied and chosen.measure.anchor == anchor:
                measures.clear()
            elif implied and self._is_qualified(start, item):
                cost += LOST  # figures of two tables side by side were not asked for
            measures.append(replace(chosen.measure, where=(*chosen.measure.where, *chosen.where)))
        elif kind == "by":
            by.append(item)
            cost = 0.1
        elif kind == "value":
            main.mentions.append(item)
            cost = 0.0
        return cost

    def _is_grouped_alike(self, other: str, anchor: str, by: Sequence[Item]) -> bool:
        """Whether a figure of another table can be grouped by what the first one is."""
        return other == anchor or all(
            self._dimension(other, item, None) is not None
            for item in by
            if item.kind == "mention" and self._dimension(anchor, item, None) is not None
        )

    def _is_qualified(self, start: Start, item: Item) -> bool:
        """Whether a figure is said of the rows right before it: "invoiced revenue", "night shift hours"."""
        asked = {ask.item.end: n for n, ask in enumerate(self.sketch.asks) if ask.item is not None}
        at = item.start
        while at in asked:
            place = asked[at]
            if place in start.used:
                return True
            said = self.sketch.asks[place].item
            at = said.start if said is not None and said.start < at else -1
        return False

    def _is_implied(self, start: Start) -> bool:
        """Whether rows are counted only because nothing else was said of them: "card payments, total amount"."""
        asks = [self.sketch.asks[n] for n in start.used if n < len(self.sketch.asks)]
        return bool(start.thing) and not self.sketch.counting and not any(ask.aggs for ask in asks)

    def _told_when(
        self, anchor: str, columns: Sequence[Slot], where: Sequence[Condition], time: Slot | None
    ) -> list[Slot]:
        """The time that a list is to show: the one that it is restricted by, else when its rows happen."""
        if any(slot.field.role is Role.TIME for slot in columns):
            return []
        said = [slot for c in where for slot in c.slots if slot.field.role is Role.TIME]
        slot = said[0] if said else time or self.source.time_of(anchor)
        return [slot] if slot is not None else []

    def _grain_time(self, main: Clause, time: Slot | None, anchor: str) -> Slot | None:
        """The time that a grain is of: one that is named after it ("by the year customers signed up"), else the rows' own."""
        if not any(i.kind == "grain" for i in self.sketch.by):
            return time
        for item in self.sketch.by:
            own = self._own_time(anchor, item) if item.kind == "grain" and item.owner else None
            if own is not None and not own.path and main.periods:
                main.mentions.append(replace(item, kind="mention", targets=item.owner, owner=()))
            if own is not None:
                return own
        for item in list(main.mentions):
            for cost, slot, _ in self.attach.fields(anchor, item, (Role.TIME,))[:1]:
                if cost < 0.35 and item.targets[0].kind == "field" and item.targets[0].label != "un":
                    main.mentions.remove(item)
                    main.mentions = [
                        m
                        for m in main.mentions
                        if not any(t.kind == "thing" and t.table == slot.field.table for t in m.targets)
                    ]
                    if not slot.path and main.periods:
                        main.mentions.append(item)
                    return slot
        return time


def _dates_of_the_whole(part: Part, time: Slot | None) -> list[Condition]:
    """The periods of rows that are so, which all rows of a share lie in: "share of bookings that were cancelled in 2025"."""
    if part.time is not None or time is None:
        return []
    dated = [c for c in part.conditions if c.op == "period" and c.slots == (time,) and not c.negated]
    so = [c for c in part.conditions if c not in dated]
    return dated if so and all(c.op in ("in", "filled", "missing") for c in so) else []
