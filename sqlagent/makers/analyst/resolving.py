"""A sketch as frames of one source, cheapest first: the anchor is searched that reads all mentions together best.

Rival fillings of a slot stay until the end: each becomes a frame of its own, and what the words cost
decides between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.attaching import LOST, Part
from sqlagent.makers.analyst.drafts import Draft
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Having, Slot
from sqlagent.makers.analyst.further_mentions import FurtherMentions
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.repeating import repeated
from sqlagent.makers.analyst.retiming import alike, timed_by
from sqlagent.makers.analyst.sketching import Clause, Sketch
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import MOST, UNKNOWN, Start
from sqlagent.makers.analyst.states import is_snapshot

OTHER_TIME = 0.12
"""The cost of a reading besides that goes by another time than the one at which rows happen."""


def resolve(sketch: Sketch, source: Source, today: date) -> list[Frame]:
    """Give the frames of a sketch, cheapest first; empty where nothing can be asked for."""
    return Resolver(sketch, source, today).frames()


class Resolver(FurtherMentions):
    """Builds every frame of one sketch."""

    def frames(self) -> list[Frame]:
        """Give the frames, cheapest first and at most ten, each once and with its least cost."""
        again = repeated(self.sketch, self.source, self.attach)
        if again is not None:
            return [again]
        self._prepare()
        found: dict[str, Frame] = {}
        for drawn in list(self._sketches()):
            self.sketch = drawn
            for start in self._starts():
                frame = self._built(start)
                if frame is not None:
                    key = repr(replace(frame, cost=0.0, unused=(), why=()))
                    if key not in found or found[key].cost > frame.cost:
                        found[key] = frame
        out = sorted(found.values(), key=lambda f: f.cost)
        rival = self._at_another_time(out[0]) if out else None
        if rival is not None and not any(alike(rival, frame) for frame in out):
            out = sorted([*out, rival], key=lambda f: f.cost)
        return out[:MOST]

    def _built(self, start: Start) -> Frame | None:
        """Attach all that a question says besides to a start, step by step; None where it cannot be meant so."""
        draft = self._begun(start)
        self._place_mentions(draft)
        grain_time = self._date(draft)
        if self.sketch.vs:
            self._versus(draft)
        self._divide(draft)
        self._group(draft, grain_time)
        self._restrict(draft)
        self._share(draft)
        self._show_columns(draft)
        self._hold_in_time(draft)
        self._refine(draft)
        self._rank_groups(draft)
        if not self._transform(draft):
            return None
        self._pivot(draft)
        self._put_in_buckets(draft)
        if not self._lay_side_by_side(draft):
            return None
        self._put_as_asked(draft)
        return draft.frame(self.sketch)

    def _begun(self, start: Start) -> Draft:
        """Begin a draft with what a start holds, and with words that are lost in any case."""
        s = self.sketch
        draft = Draft(
            start=start,
            main=replace(s.main, mentions=list(s.main.mentions), periods=list(s.main.periods)),
            grouped_by=list(s.by),
            cost=start.cost + LOST * len(s.unused) + UNKNOWN * len(s.unknown),
            time=start.time or self._measure_time(start),
            measures=list(start.measures),
            dims=list(start.dims),
            columns=list(start.columns),
            where=list(start.where),
            order=start.order,
            limit=start.limit,
            unused=[*s.unknown, *s.unused],
        )
        if s.number is not None and s.counts is None:
            draft.lose(str(s.number))
        return draft

    def _date(self, draft: Draft) -> Slot | None:
        """Settle when the rows happen, and give the time that groups by month or year are of."""
        draft.time = self._compared_by(draft.anchor, draft.main, draft.grouped_by) or draft.time
        grain_time = self._grain_time(draft.main, draft.time, draft.anchor)
        if is_snapshot(self.source, draft.anchor):
            draft.main.current = False
        return grain_time

    def _divide(self, draft: Draft) -> None:
        """Make "revenue per customer" one figure over another, where no grouping is meant."""
        ratio = self._per(draft.start, draft.measures, draft.grouped_by)
        if ratio is not None:
            draft.measures, cost, item = ratio
            draft.cost += cost
            draft.grouped_by.remove(item)

    def _group(self, draft: Draft, grain_time: Slot | None) -> None:
        """Find the groups of the figures, and those within which a rank counts."""
        for item in draft.grouped_by:
            found = self._dimension(draft.anchor, item, grain_time if item.kind == "grain" else draft.time)
            if found is None:
                draft.lose(item.text)
            else:
                draft.cost += found[0]
                draft.dims.append(found[1])
                draft.why.append(telling.read_as(item.text, telling.grouped(found[1])))
        for item in self.sketch.per:
            found = self._dimension(draft.anchor, item, draft.time)
            if found is None:
                draft.lose(item.text)
            else:
                draft.cost += found[0]
                draft.per.append(found[1])
        if self._is_best_of_each(draft):
            draft.per, draft.dims = draft.dims, []
        if self.sketch.question == "why":
            reason = self._reason(draft.anchor)
            if reason is None:
                draft.cost += LOST
            else:
                draft.dims.append(reason)

    def _is_best_of_each(self, draft: Draft) -> bool:
        """Whether a list is ranked within what it is grouped by: "the newest order by customer"."""
        rank, start = self.sketch.rank, draft.start
        is_ranked = rank is not None and rank.target is not None and start.limit is not None and start.listed
        return is_ranked and bool(self.sketch.by) and bool(draft.dims) and not draft.per

    def _restrict(self, draft: Draft) -> None:
        """Restrict rows by the main clause, and rows or groups by each further one; set apart what a share is of."""
        part = self._main(draft.anchor, draft.main, draft.time)
        self._take(draft, part)
        draft.where += part.conditions
        draft.of_main = part.conditions
        start = draft.start
        for clause in self.sketch.clauses:
            if start.listed and start.thing and self._is_columns(start.thing, clause):
                self._show(draft, clause.mentions)
                continue
            bound = self._bound(draft.anchor, clause, start, draft.dims, draft.measures)
            if bound is not None:
                self._bind_groups(draft, clause, *bound)
            else:
                self._restrict_by(draft, clause)

    @staticmethod
    def _take(draft: Draft, part: Part) -> None:
        """Add what a part costs and says besides its conditions."""
        draft.cost += part.cost
        draft.unused += part.unused
        draft.why += part.why

    def _bind_groups(self, draft: Draft, clause: Clause, cost: float, having: Having, only: bool) -> None:
        """Keep the groups whose figure lies within a bound; the rest of its clause restricts rows."""
        draft.having.append(having)
        draft.cost += cost
        if only:
            draft.flags.append("only groups")
        left = self._beside_bound(draft, clause, having)
        if left or clause.periods:
            rest = replace(
                clause, compare="", numbers=[], average=False, after_compare=[], agg="", mentions=left
            )
            part = self.attach.clause(draft.anchor, rest, draft.time)
            draft.cost += part.cost
            draft.unused += part.unused
            draft.where += part.conditions

    def _beside_bound(self, draft: Draft, clause: Clause, having: Having) -> list[Item]:
        """Mentions of a bound's clause that are neither its figure nor the things that are grouped by."""
        aggs = (clause.agg,) if clause.agg else ()
        grouped = {one.shown[0].field.table for one in draft.dims if one.shown}
        return [
            item
            for item in clause.mentions
            if not any(found.measure == having.measure for found in self.meanings(item, aggs))
            and not any(t.kind == "thing" and t.table in grouped for t in item.targets[:1])
        ]

    def _restrict_by(self, draft: Draft, clause: Clause) -> None:
        """Restrict rows by a clause; where it says what a share is of, the share alone, in the dates of all its rows."""
        part = self._clause(draft.anchor, clause, draft.start, draft.time, draft.dims)
        self._take(draft, part)
        if self._is_of_share(clause):
            whole = _dates_of_the_whole(part, draft.time or self.source.time_of(draft.anchor))
            draft.numerators += [c for c in part.conditions if c not in whole]
            draft.where += whole
        else:
            draft.where += part.conditions

    def _is_of_share(self, clause: Clause) -> bool:
        """Whether a clause says which rows a share is of: "share of bookings that were cancelled"."""
        return (
            self.sketch.share
            and not clause.excepted
            and not clause.negated
            and clause.opener in ("who", "with", "more", "not")
            and not self.sketch.stands_before_share(clause)
        )

    def _show(self, draft: Draft, items: Iterable[Item]) -> None:
        """Show columns that are named; what is none is lost."""
        for item in items:
            draft.cost += self._column_of(draft.anchor, item, draft.columns, draft.unused)

    def _show_columns(self, draft: Draft) -> None:
        """Show the columns named behind a list, and of "who left us, and when" the day."""
        self._show(draft, self.sketch.columns)
        if self.sketch.question == "when" and draft.columns and not draft.measures:
            draft.columns += self._told_when(draft.anchor, draft.columns, draft.where, draft.time)
            draft.cost += (
                0.15 if draft.start.limit == 1 else 0.0
            )  # "when did they last order" asks for the day alone

    def _hold_in_time(self, draft: Draft) -> None:
        """Keep of a history the rows that hold now, and group by the time that a period is of."""
        draft.where += self._history(draft.anchor, self.sketch.main, draft.dims, draft.where)
        time = draft.time or self.source.time_of(draft.anchor)
        draft.dims = self._at_the_time(draft.dims, draft.where, time)

    def _pivot(self, draft: Draft) -> None:
        """Turn the values of one dimension into columns, where that is asked for."""
        if self.sketch.pivot:
            made = self._pivoted(draft.anchor, self.sketch.pivot[0], draft.time)
            if made is None:
                draft.cost += LOST
            else:
                cost, dimension, draft.pivot = made
                draft.cost += cost
                draft.dims.append(dimension)

    def _put_in_buckets(self, draft: Draft) -> None:
        """Group ages and numbers by ranges, where a width is said."""
        width = self.sketch.bucket
        if width:
            draft.dims = [
                replace(d, bucket=width) if d.op == "age" or d.shown[0].field.role is Role.MEASURE else d
                for d in draft.dims
            ]

    def _put_as_asked(self, draft: Draft) -> None:
        """Put figures in the order in which they were asked for, where nothing is computed of their places."""
        is_computed = draft.having or draft.pivot or draft.formula or draft.transform not in ("", "quotient")
        if draft.order is None and not is_computed:
            draft.measures, draft.dims = self._as_asked(draft.measures, draft.dims)

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
