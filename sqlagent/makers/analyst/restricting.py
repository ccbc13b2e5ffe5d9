"""Restrictions of the rows of a start: the main clause, clauses about things, states, bounds on groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.attaching import LOST, Part
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.denying import Denying
from sqlagent.makers.analyst.frames import Condition, Dimension, Having, Measure, Slot
from sqlagent.makers.analyst.happening import edged
from sqlagent.makers.analyst.lexicon import PARTICIPLES
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Clause
from sqlagent.makers.analyst.starts import Start
from sqlagent.makers.analyst.states import current, is_snapshot, told


class Restricting(Denying):
    """Restrictions of the rows of a start: the main clause, clauses about things, states, bounds on groups."""

    def _main(self, anchor: str, main: Clause, time: Slot | None) -> Part:
        """The main clause's restrictions: each mention by itself, what cannot be reached upwards by rows that point here."""
        mentions, done = self._done_below(anchor, main)
        reached = replace(main, mentions=[], periods=[], current=False, days="")
        left: list[Item] = []
        for item in mentions:
            alone = replace(
                main,
                mentions=[item],
                periods=[],
                current=False,
                late="",
                days="",
                compare="",
                numbers=[],
                either=False,
            )
            direct = self.attach.clause(anchor, alone)
            upward = self.attach.direct(anchor, alone, None)
            if upward.cost <= direct.cost + 0.05 and not upward.unused:
                reached.mentions.append(item)
            else:
                left.append(item)
        reached.periods = [] if done else list(main.periods)
        if (
            is_snapshot(self.source, anchor)
            and not any(i.kind == "grain" for i in self.sketch.by)
            and len(main.periods) < 2
        ):
            main.periods = []
        reached.days, reached.clocks = main.days, list(main.clocks)
        reached.current = main.current and not self._state_said(anchor, main.mentions)
        if (
            self.sketch.transform in ("growth", "change")
            and len(main.periods) == 2
            or len(main.periods) == 2
            and all(p.at for p in main.periods)
        ):
            reached.periods = []
        if left:
            reached.current = False
            rest = replace(main, mentions=left, periods=[], opener="who", either=False)
            if not main.current or self._has_state(anchor):
                pass
            rest = replace(rest, late="", days="")
            several = main.both and len(left) > 1
            part = self._both(anchor, rest, None) if several else self.attach.clause(anchor, rest)
        else:
            part = Part()
        part.conditions += done
        own = time
        is_history = self.model.things[anchor].kind is Kind.HISTORY
        if reached.current and (not self._has_state(anchor) or is_history):
            state = self._state_above(anchor)
            if state is not None and (not is_history or self._mentioned(state.slots[0].field.table)):
                part.conditions.append(state)
                reached.current = False
            elif self.model.things[anchor].history is not None:
                reached.current = False  # what holds now is what is given of prices anyway
        direct_part = self.attach.direct(anchor, reached, own)
        direct_part.cost += part.cost
        direct_part.conditions += part.conditions
        direct_part.unused += part.unused
        direct_part.why += part.why
        return direct_part

    def _done_below(self, anchor: str, main: Clause) -> tuple[list[Item], list[Condition]]:
        """ "invoices paid in 2025", where payments are rows of their own: what was done in a period is looked up there."""
        if len(main.periods) != 1 or main.negated or main.periods[0].at:
            return main.mentions, []
        for item in main.mentions:
            low = item.text.lower()
            if (
                not low.endswith("ed")
                and low not in PARTICIPLES
                or self.attach.fields(anchor, item, (Role.TIME,))
            ):
                continue
            for child, path, cost in self.attach.children(anchor):
                for dear, slot, _ in self.attach.fields(child, item, (Role.TIME,))[:1]:
                    if child != anchor and not slot.path and cost + dear < 0.3:
                        inside = Condition("period", (slot,), period=main.periods[0])
                        others = [m for m in main.mentions if m is not item]
                        return others, [Condition("exists", child=child, path=path, parts=(inside,))]
        return main.mentions, []

    def _has_state(self, table: str) -> bool:
        return current(self.source, table) is not None

    def _state_said(self, anchor: str, mentions: Sequence[Item]) -> bool:
        """Whether a state is named already, so that "still" says nothing more."""
        for item in mentions:
            if told(self.source, anchor, item.text) is not None:
                return True
            for _, slot, target in self.attach.values(anchor, item)[:2]:
                if slot.field.column == self.model.things[slot.field.table].state and target.cost < 0.3:
                    return True
        return False

    def _mentioned(self, table: str) -> bool:
        """Whether a thing's rows are named in the question."""
        for item in self._all():
            for target in item.targets[:3]:
                if target.kind == "thing" and target.table == table:
                    return True
        return False

    def _state_above(self, anchor: str) -> Condition | None:
        """Being current, of the nearest thing above that is mentioned and can be: current loans are no loans of current members."""
        mentioned = {t.table for i in self._all() for t in i.targets[:2] if t.kind in ("thing",)}
        mentioned |= {
            m.thing
            for i in self._all()
            for t in i.targets[:1]
            if t.kind == "concept"
            for m in meant(self.source, t.column)
        }
        options = []
        for table, paths in self.graph.up(anchor).items():
            if not paths or not paths[0] or table not in mentioned:
                continue
            found = current(self.source, table)
            if found is not None and self.model.things[table].kind is not Kind.HISTORY:
                options.append(
                    (
                        len(paths[0]),
                        replace(found, slots=tuple(replace(s, path=paths[0]) for s in found.slots)),
                    )
                )
        return min(options, key=itemgetter(0), default=(0, None))[1]

    def _clause(
        self, anchor: str, clause: Clause, start: Start, time: Slot | None, dims: Sequence[Dimension] = ()
    ) -> Part:
        """A clause about the thing that is asked for: of the anchor, or of what the rows belong to."""
        if clause.both and (len(clause.mentions) >= 2 or len(clause.periods) >= 2):
            return self._both(anchor, clause, time)
        if clause.either and not clause.negated and len(clause.mentions) >= 2 and not clause.numbers:
            either = self._either(anchor, clause)
            if either is not None:
                return either
        if clause.same and clause.grains:
            return self._same(anchor, clause)
        if clause.verb and clause.negated and not clause.mentions:
            return self._undone(anchor, clause)
        rowless = self._rowless(anchor, clause, start)
        if rowless is not None:
            return rowless
        part = self.attach.clause(anchor, clause, time if clause.periods and not clause.mentions else None)
        if clause.edge and clause.periods and not clause.negated:
            part.conditions = edged(part.conditions, clause.edge) or part.conditions
        return part

    def _both(self, anchor: str, clause: Clause, time: Slot | None) -> Part:
        """ "both A and B": two conditions on one thing, each to be met by rows of its own."""
        out = Part()
        values = [m for m in clause.mentions if m.targets[0].kind == "value"]
        columns = [(m.targets[0].table, m.targets[0].column) for m in values]
        if (
            columns and columns.count(columns[-1]) > 1
        ):  # what else is said is said of each: "attended both A and B"
            values = [m for m, column in zip(values, columns, strict=True) if column == columns[-1]]
        others = [m for m in clause.mentions if m not in values]
        if len(clause.periods) >= 2:
            pieces = [replace(clause, both=False, periods=[p]) for p in clause.periods]
        elif len(values) >= 2:
            pieces = [replace(clause, both=False, mentions=[*others, v], opener="who") for v in values]
        else:
            pieces = [replace(clause, both=False, mentions=[m], opener="who") for m in clause.mentions]
        for piece in pieces:
            part = self.attach.clause(anchor, piece, None)
            out.cost += part.cost / len(pieces)
            out.conditions += part.conditions
            out.unused += part.unused
        return out

    def _either(self, anchor: str, clause: Clause) -> Part | None:
        """ "had a complaint or a refund": either of several, each by rows of its own; None where one column holds them all."""
        best = [m.targets[0] for m in clause.mentions]
        values = [t for t in best if t.kind == "value"]
        if len({(t.table, t.column) for t in best}) < len(best) or len(values) == len(best):
            return None
        times = [m for m in clause.mentions if self.attach.fields(anchor, m, (Role.TIME,))]
        out = Part()
        any_of: list[Condition] = []
        for item in clause.mentions:
            periods = clause.periods if not times or item in times else []
            piece = replace(clause, either=False, mentions=[item], opener="with", periods=list(periods))
            part = self.attach.clause(anchor, piece, None)
            if part.unused or not part.conditions:
                return None
            out.cost += part.cost / len(clause.mentions)
            any_of.append(
                part.conditions[0]
                if len(part.conditions) == 1
                else Condition("all", parts=tuple(part.conditions))
            )
        out.conditions = [Condition("any", parts=tuple(any_of))]
        return out

    def _same(self, anchor: str, clause: Clause) -> Part:
        """ "left in the same year they were hired": two times of one row in one period."""
        found: list[tuple[float, Slot]] = []
        for item in clause.mentions:
            options = [(c, s) for c, s, _ in self.attach.fields(anchor, item, (Role.TIME,))]
            for target in item.targets:
                if target.kind == "concept":
                    options += [
                        (m.cost + target.cost, m.time)
                        for m in meant(self.source, target.column)
                        if m.time is not None and m.measure.anchor == anchor
                    ]
            if options:
                found.append(min(options, key=lambda o: o[0]))
        if len(found) < 2:
            return Part(LOST, unused=["same"])
        slots = (found[0][1], found[1][1])
        return Part(found[0][0] + found[1][0], [Condition("same", slots, compare=clause.grains[0])])

    def _bound(
        self,
        anchor: str,
        clause: Clause,
        start: Start,
        dims: Sequence[Dimension],
        measures: Sequence[Measure],
    ) -> tuple[float, Having, bool] | None:
        """A bound on each group's figure: "only agents with 100+ ratings", "more than the average agent"."""
        if start.listed or not dims or not measures or clause.negated or clause.unit:
            return None
        if clause.compare == "between" or set(clause.said.split()) & {"older", "younger"}:
            return None  # an age is somebody's own
        if clause.average:
            return 0.05, Having(measures[0], clause.compare or ">", average=True), bool(start.dims)
        if not clause.numbers or not clause.compare:
            return None
        if self._is_of_rows(anchor, clause, start):
            return None
        number = clause.numbers[0]
        for item in clause.after_compare or clause.mentions:
            for found in self.meanings(item, (clause.agg,) if clause.agg else ())[:4]:
                if found.measure.anchor != anchor:
                    continue
                measure = found.measure
                if clause.percent and measure.unit != "percent":
                    continue
                if measure.agg == "avg" and not clause.agg and not start.dims and measure.expr is not None:
                    measure = Measure(
                        "rows", anchor, where=(Condition("filled", measure.expr.slots),), said=item.text
                    )
                    if number < 10 or "rating" not in item.text and not item.text.endswith("s"):
                        measure = found.measure
                only = bool(start.dims) and measure == measures[0]
                return found.cost, Having(measure, clause.compare, number), only
        if not clause.mentions and (not clause.percent or measures[0].unit == "percent"):
            groups = min((one.start for one in self.sketch.by), default=0)
            if measures[0].agg in ("rows", "distinct") and clause.at < groups and clause.bare:
                return None  # "orders over 1000 by country": before any group is named it bounds each order
            return 0.1, Having(measures[0], clause.compare, number), False
        return None

    def _is_of_rows(self, anchor: str, clause: Clause, start: Start) -> bool:
        """Whether a bound is said of the rows before any group is: "reviews with a score over 8 by shop"."""
        groups = [i.start for i in self.sketch.by]
        if (
            clause.opener != "with"
            or clause.agg
            or start.thing != anchor
            or clause.at >= min(groups, default=0)
        ):
            return False
        own = (
            t.table == anchor and self.model.field(t.table, t.column)
            for m in clause.mentions
            for t in m.targets[:1]
        )
        return any(one and one.role is Role.MEASURE for one in own)

    def _history(
        self, anchor: str, main: Clause, dims: Sequence[Dimension], where: Sequence[Condition]
    ) -> tuple[Condition, ...]:
        """Of a history the rows that hold now, unless a time is asked for."""
        snapshot = is_snapshot(self.source, anchor)
        if snapshot and not any(d.grain for d in dims) and len(main.periods) < 2:
            thing = self.model.things[anchor]
            period = next(iter(main.periods), None)
            return (
                Condition(
                    "latest",
                    (self.source.slot(anchor, thing.default_time),),
                    period=replace(period, at=False) if period is not None else None,
                ),
            )
        if self.model.things[anchor].kind is not Kind.HISTORY or main.periods or any(d.grain for d in dims):
            return ()
        held = self._held_now(anchor)
        return tuple(c for c in held if c not in where)

    def _reason(self, anchor: str) -> Dimension | None:
        for table, paths in self.graph.up(anchor).items():
            for one in self.model.fields[table]:
                if paths and set(one.words) & {stem("reason"), stem("cause")} and len(paths[0]) < 2:
                    return Dimension((Slot(one, paths[0]),), said=one.said)
        return None
