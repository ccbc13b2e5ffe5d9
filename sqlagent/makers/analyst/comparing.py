"""Figures side by side: periods, values, growth, stands at two days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from sqlagent.catalog.semantics import Role
from sqlagent.language.dates import shift
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.attaching import LOST, Part
from sqlagent.makers.analyst.drafts import Draft
from sqlagent.makers.analyst.frames import Condition, Dimension, Order, Slot
from sqlagent.makers.analyst.periods import Period, of_years
from sqlagent.makers.analyst.quotients import Quotients
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Clause
from sqlagent.makers.analyst.states import labels

_GRAINS = frozenset({"fiscal year", "fiscal quarter", "year", "quarter", "month", "week", "day"})
"""Grains of periods that are compared by them; others are compared by month."""

_UNCOMPARED = 0.2
"""The cost of two values side by side that no column holds both."""


class Comparing(Quotients):
    """Figures side by side: periods, values, growth, stands at two days."""

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

    def _versus(self, draft: Draft) -> None:
        """Set two periods or two values side by side, as groups of their own; at two days the figures are told apart later."""
        if self.sketch.transform in ("growth", "change") or len(draft.measures) > 1:
            return
        flag = self._flag_rival(draft)
        if flag is not None:
            draft.dims.append(flag)
            return
        periods = draft.main.periods
        if len(periods) >= 2 and not any(p.at for p in periods):
            self._group_by_periods(draft)
        elif not (_are_two_days(periods) and draft.measures):
            self._group_by_values(draft)

    def _group_by_periods(self, draft: Draft) -> None:
        """Group by the grain of the periods that are compared; where nothing groups by it yet."""
        periods = draft.main.periods
        slot = draft.time or self.source.time_of(draft.anchor)
        if slot is None:
            draft.cost += LOST
            return
        grain = periods[0].grain if periods[0].grain in _GRAINS else "month"
        if of_years(periods):
            grain = "year"
        if not any(i.kind == "grain" and i.grain == grain for i in draft.grouped_by):
            draft.dims.append(Dimension((slot,), grain=grain, said=grain))

    def _group_by_values(self, draft: Draft) -> None:
        """Group by the column that bears two of the values named, which then mean nothing else; dear where there is none."""
        slot = self._column_of_both(draft)
        if slot is None or any(d.shown and d.shown[0].field == slot.field for d in draft.dims):
            draft.cost += _UNCOMPARED
            return
        thing = self.model.things[slot.field.table]
        named = self.source.is_name(thing.table, slot.field.column)
        draft.dims.append(
            self.source.dimension(thing.table, slot.path)
            if named
            else Dimension((slot,), said=slot.field.said)
        )
        mentions = draft.main.mentions
        for item in list(mentions):
            own = [
                t
                for t in item.targets
                if t.kind == "value" and (t.table, t.column) == (slot.field.table, slot.field.column)
            ]
            if own:
                mentions[mentions.index(item)] = replace(item, targets=tuple(own))

    def _column_of_both(self, draft: Draft) -> Slot | None:
        """The first column that holds values of two mentions, by the nearest way to it."""
        fields: dict[tuple[str, str], tuple[Slot, int]] = {}
        for item in draft.main.mentions:
            for _, slot, _ in self.attach.values(draft.anchor, item)[:3]:
                key = (slot.field.table, slot.field.column)
                first, count = fields.get(key, (slot, 0))
                fields[key] = (first if len(first.path) <= len(slot.path) else slot, count + 1)
        return next((slot for slot, count in fields.values() if count >= 2), None)

    def _flag_rival(self, draft: Draft) -> Dimension | None:
        """ "weekend vs weekday", "online vs offline": a flag beside what it is not; nothing else is said by its words."""
        s, main = self.sketch, draft.main
        if len(main.periods) > 1:
            return None
        asked = [a.item for a in s.asks if a.item is not None]
        for item in [*main.mentions, *asked, *(m for c in s.clauses for m in c.mentions)]:
            for cost, slot, target in self.attach.fields(draft.anchor, item, (Role.FLAG,))[:1]:
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
                draft.grouped_by = [i for i in draft.grouped_by if i.kind != "grain" or i.grain != "weekday"]
                return Dimension((slot,), said=slot.field.said)
        return None

    def _transform(self, draft: Draft) -> bool:
        """Lay growth, change and stands at two days over the figures; False where the question cannot be meant so."""
        periods = draft.main.periods
        slot = draft.time or self.source.time_of(draft.anchor)
        grained = any(d.grain for d in draft.dims)
        if _are_two_days(periods) and draft.measures:
            self._stand_at(draft, periods, slot)
            return True
        if len(periods) == 1 and periods[0].at:
            draft.where = [c for c in draft.where if not (c.op == "missing" and c.said == "current")]
        if draft.transform in ("growth", "change") and not grained and draft.measures:
            return slot is not None and self._hold_against(draft, slot)
        return grained or draft.transform not in ("running", "moving", "growth", "change")

    def _rank_groups(self, draft: Draft) -> None:
        """Order groups as a rank says, where the start has no order of its own."""
        rank = self.sketch.rank
        if rank is not None and draft.order is None and (rank.count or rank.every) and draft.dims:
            draft.order, draft.limit = Order(rank.kind in ("asc",)), rank.count

    def _stand_at(self, draft: Draft, days: Sequence[Period], slot: Slot | None) -> None:
        """Give the first figure once for each day, over the rows that stood then."""
        first, made = draft.measures[0], []
        for day in days:
            part = Part()
            self.attach.timed(draft.anchor, [day], part, slot, False)
            draft.cost += part.cost
            made.append(
                replace(first, where=(*first.where, *part.conditions), said=f"{first.said} {day.until}")
            )
        draft.where = [c for c in draft.where if c.op != "missing"]
        draft.measures, draft.transform = made, ""

    def _hold_against(self, draft: Draft, slot: Slot) -> bool:
        """Give the first figure of two periods, the later one held against the earlier; False where there are not two."""
        s = self.sketch
        periods = list(draft.main.periods)
        if len(periods) == 1 and periods[0].first is not None and periods[0].until is not None:
            periods = self._with_a_rival(periods[0])
            draft.where = [c for c in draft.where if c.op != "period"]
        if len(periods) != 2:
            return False
        periods.sort(key=lambda p: p.first or date.min)
        first, made = draft.measures[0], []
        for period in periods:
            inside = Condition("period", (slot,), period=period)
            said = f"{first.said} {telling.period(period)}"
            made.append(replace(first, where=(*first.where, inside), said=said))
        if s.share or draft.transform == "growth" and not (s.rank is not None or s.listing):
            draft.flags.append("percent")
        if (s.listing or s.rank is not None) and draft.limit is None and draft.dims:
            draft.limit = s.rank.count if s.rank is not None and s.rank.count else 1
        draft.measures, draft.transform = made, "between"
        return True

    def _with_a_rival(self, one: Period) -> list[Period]:
        """Two periods where one is named: its first and last year, the one behind it where that is known, else the one before."""
        first, until = one.first, one.until
        assert first is not None and until is not None
        months = (until.year - first.year) * 12 + until.month - first.month
        if one.grain == "year" and months > 12 and (until.year - first.year) >= 2:
            late = Period(date(until.year - 1, 1, 1), until, "year")
            early = Period(first, date(first.year + 1, 1, 1), "year")
            return [early, late]
        is_in_days = first.day != until.day or one.relative and one.grain in ("day", "week")
        unit, count = ("day", (until - first).days) if is_in_days else ("month", months)
        if self.sketch.vs and one.relative and self._ended(one):
            periods = [one, Period(until, shift(until, unit, count), one.grain)]
        else:
            periods = [Period(shift(first, unit, -count), first, one.grain), one]
        return self._as_far_as_known(periods)

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
        """A dimension whose values become columns, with them; None where they are not known, or are over twenty."""
        found = self._dimension(anchor, item, time)
        if found is None or len(found[1].shown) != 1 or found[1].grain:
            return None
        values = tuple(code for code, _ in labels(self.source, found[1].shown[0].field))
        if not 1 <= len(values) <= 20:
            return None
        return found[0], replace(found[1], keys=()), values


def _are_two_days(periods: Sequence[Period]) -> bool:
    """Whether stands at two days are asked for."""
    return len(periods) == 2 and all(p.at for p in periods)
