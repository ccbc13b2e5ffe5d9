"""Restrictions by a part of a question, seen from one table: conditions of its own rows, or of rows that point at them.

Each way has a cost; the cheapest is taken. Words that no way explains are handed back as unused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.clocks import told_hours
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.concepts.meant import NO_REVENUE
from sqlagent.makers.analyst.counting import WORTH, Counting
from sqlagent.makers.analyst.dating import lasted, lateness, meant_as_time, says_ahead, spanned
from sqlagent.makers.analyst.deeds import HAPPENINGS
from sqlagent.makers.analyst.dialects import has_days, has_hours
from sqlagent.makers.analyst.frames import Condition, Expr, Path, Slot
from sqlagent.makers.analyst.held_against import onward
from sqlagent.makers.analyst.in_lists import entry_of
from sqlagent.makers.analyst.pairing import DUE
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.presence import absent, present
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Clause
from sqlagent.makers.analyst.states import current, ended, told
from sqlagent.makers.analyst.targets import Target
from sqlagent.makers.analyst.telling import read_as

LOST = 0.7
"""The cost of a mention that finds no place."""

NOW = "current"
"""The word of a state that a table's rows do not tell."""

NO_STATE = 0.25
"""Cost of leaving that word out."""

IN_NAMES = 0.5
"""Cost of looking in names for what things may contain: which products contain nuts, their names need not tell."""

CHILD = 0.22
"""The cost of rows that point here, where nobody named them."""

EXACT = 0.1
"""Cost below which a word is the very name of what it means."""

_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "<>", "<>": "="}

GREATEST_AGE = 120
"""Years that nobody grows older than; a greater number is no age."""

_NO_WORTH = 0.4
"""Cost of a bare bound that could only be on money which is not what something is worth: its freight, its discount."""

WHOLE = frozenset(stem(w) for w in ["total", "amount"])
"""Words of what something costs in all."""

_ADJECTIVES = {
    "cheaper": ("price", "cost"), "costing": ("price", "cost"), "expensive": ("price", "cost"), "older": ("age", "birth"), "younger": ("age", "birth"),
    "longer": ("duration", "length", "minutes", "hours"), "shorter": ("duration", "length", "minutes"), "larger": ("size", "area", "amount", "total"),
    "bigger": ("size", "area", "amount", "total"), "smaller": ("size", "area", "amount", "total"), "worth": ("amount", "total", "value"),
}  # fmt: skip

_AGED = frozenset({"under", "over", "above", "below"})
"""Words before a bare number that may be an age."""

_WORD_STORED = 0.12
"""The cost of a stored value besides, where its word names a thing that rows may lack."""

_LINKED = 0.08
"""Discount of a bound on things that a table of its own links, before those that events tell of."""

OTHER_TIME = 0.3
"""The cost of a state besides, where so many days lie between the times at which it was reached and another."""


@dataclass(slots=True)
class Part:
    """The reading of a part of a question: its cost, conditions, and what it said besides."""

    cost: float = 0.0
    conditions: list[Condition] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    named: bool = False
    lacks: bool = False
    stated: bool = False
    time: Slot | None = None
    times: list[Slot] = field(default_factory=list)
    columns: list[Slot] = field(default_factory=list)
    why: list[str] = field(default_factory=list)


class Attacher(Counting):
    """Attaches clauses to tables of one source."""

    def clause(self, anchor: str, clause: Clause, time: Slot | None = None) -> Part:
        """The cheapest way a clause restricts the anchor's rows; always gives one, however dear."""
        own = self.direct(anchor, clause, time)
        best, best_cost = own, own.cost
        for child, path, cost in self.children(anchor):
            if cost >= best_cost:
                continue
            part = self._through(anchor, child, path, clause)
            if part is not None and part.cost + cost < best_cost - 1e-9:
                best, best_cost = part, part.cost + cost
                best.cost = best_cost
        if clause.negated and clause.agg == "sum" and not (clause.numbers or clause.average):
            best.cost += LOST  # "is not the sum of its lines" is none of what can be asked
            best.unused.append("sum")
        return best

    def children(self, anchor: str) -> list[tuple[str, Path, float]]:
        """Tables whose rows point at the anchor's, nearest first, with what looking there costs."""
        out: list[tuple[str, Path, float]] = []
        for child in self.graph.below(anchor)[:24]:
            for place, path in enumerate(self.graph.paths(child, anchor)[:2]):
                if not path:
                    continue
                thing = self.model.things[child]
                kind = 0.0 if thing.kind in (Kind.EVENT, Kind.LINES) else 0.05
                kind = -0.02 if self._is_link(child) else kind
                role = 0.25 if any(r.words and not set(r.words) & self.said for r in path) else 0.0
                out.append((child, path, 0.05 * len(path) + kind + 0.1 * place + role))
        for relation in self.graph.into[anchor]:
            if relation.source == anchor:
                out.append((anchor, (relation,), 0.15))
        return out

    def _is_link(self, table: str) -> bool:
        """Whether rows of a table only say which things belong together: its key points at both, or it has no key and no other column."""
        key = self.model.things[table].key or tuple(one.column for one in self.model.fields[table])
        pointing = {column for relation in self.graph.out[table] for column in relation.columns}
        return len(key) == 2 and set(key) <= pointing

    def _links_what_is_counted(self, child: str, clause: Clause) -> bool:
        """Whether a bound is on the things that a table links the anchor's with: "at least 4 zones" of restaurants, rather than of orders."""
        above = {relation.target for relation in self.graph.out[child]}
        named = {t.table for item in clause.mentions for t in item.targets[:2] if t.kind == "thing"}
        return bool(clause.numbers) and self._is_link(child) and bool(above & named)

    def _through(self, anchor: str, child: str, path: Path, clause: Clause) -> Part | None:
        """A clause as something that holds of rows pointing here: that there are such, or how many."""
        is_each = self._is_of_each(child, clause)
        inner = (
            replace(clause, negated=False, numbers=[], compare="", unit="")
            if clause.numbers and not is_each
            else replace(clause, negated=False)
        )
        counted: Expr | None = None
        distinct = averaged = False
        kept = list(inner.mentions)
        extra = 0.0
        if clause.average or clause.than:
            return None
        agg = clause.agg
        if clause.numbers and not is_each:
            found = self.counted(anchor, child, clause)
            if found is None:
                return None
            extra, counted, distinct, used = found
            if clause.unit and (counted is None or distinct):
                return None  # rows are counted in no days
            averaged = (
                counted is not None
                and not distinct
                and (agg == "avg" or counted.slots[0].field.aggregate == "avg")
            )
            kept = [
                m
                for m in kept
                if m is not used or any(t.kind == "thing" and t.table == child for t in m.targets)
            ]
            inner.mentions = kept
        if child == anchor and not any(
            t.kind in ("relation", "concept") for m in clause.mentions for t in m.targets
        ):
            return None
        when = self.source.time_of(child) if clause.negated and clause.periods else None
        own = [
            one
            for one in clause.periods
            if when is not None and when.path == path and when.field.table == anchor
        ]
        if own:  # "bookings without a vehicle in 2024": what hangs on them happens when they do
            inner.periods = []
        part = self.direct(child, inner, None, below=True)
        counted_value = clause.numbers and any(
            t.kind == "value" and t.table == child for m in clause.after_compare for t in m.targets[:2]
        )
        if not part.named and not counted_value:
            part.cost += CHILD
        if self._links_what_is_counted(child, clause):
            part.cost -= _LINKED
        number = clause.numbers[0] if clause.numbers and not is_each else None
        if clause.negated and number is None and not clause.excepted:
            part.cost -= 0.02
        unused, why = part.unused, part.why
        denied = clause.negated
        if any(
            _is_never(one) for one in part.conditions
        ):  # rows of payments are paid: what is unpaid has none
            part.conditions = [one for one in part.conditions if not _is_never(one)]
            part.cost -= CHILD
            denied = not denied
        if _is_half(clause):
            return Part(part.cost + extra + LOST, [], [*unused, "between"], True, why=why)
        condition = Condition(
            "exists", child=child, path=path, parts=tuple(part.conditions), negated=denied,
            compare="" if is_each else clause.compare or (">=" if number is not None else ""), number=number, counted=counted,
            values=("distinct",) if distinct else ("avg",) if averaged else (), said=" ".join(m.text for m in clause.mentions),
        )  # fmt: skip
        if number is not None and clause.compare == "between" and len(clause.numbers) > 1:
            upper = replace(condition, compare="<=", number=clause.numbers[1])
            return Part(part.cost + extra, [replace(condition, compare=">="), upper], unused, True, why=why)
        dated = Part()
        if own and when is not None:
            self.timed(anchor, own, dated, Slot(when.field), False)
        return Part(part.cost + extra + dated.cost, [condition, *dated.conditions], unused, True, why=why)

    def _is_of_each(self, child: str, clause: Clause) -> bool:
        """Whether a bound is on each row, and not on how many there are: "members with hires over 4 hours", "with a discount over 10 %"."""
        if clause.percent or clause.way or says_ahead(clause):
            return True
        named = any(
            t.table == child and (t.kind == "thing" or (t.table, t.column) in self.source.times)
            for m in clause.mentions
            for t in m.targets[:2]
        )
        alone = len(clause.mentions) == 1 and named and not clause.periods
        return alone and bool(clause.unit and clause.numbers) and bool(self._lasting(child, clause))

    def direct(self, anchor: str, clause: Clause, time: Slot | None, below: bool = False) -> Part:
        """A clause as conditions of a table's own rows and of what they belong to."""
        part = Part()
        values: dict[tuple[str, str, tuple[str, ...]], tuple[Slot, list[str]]] = {}
        left: list[Item] = []
        for item in clause.mentions:
            if item in clause.than:
                continue
            if self._state(anchor, item, clause, part) or self._one(
                anchor, item, clause, part, values, below
            ):
                continue
            if self._is_head(clause, item, part):
                part.cost += 0.06
            else:
                left.append(item)
        if clause.compare and (clause.numbers or clause.average or clause.than or left):
            self._compared(anchor, clause, left, part, below)
        self._unequal(anchor, clause, part)
        if clause.way and any(self._is_state_of_a_time(anchor, item) for item in clause.mentions):
            part.cost += OTHER_TIME
        hours = [(item, told_hours(item.text)) for item in left]
        for item in [item for item, span in hours if not span]:
            part.cost += LOST
            part.unused.append(item.text)
        for slot, held in values.values():
            op = "not in" if clause.negated and not part.lacks else "in"
            distinct = tuple(dict.fromkeys(held))
            together = slot.field.separator and op == "in" and not clause.either
            part.conditions += [
                Condition(op, (slot,), some) for some in (zip(distinct) if together else [distinct])
            ]
        if clause.missing and not part.lacks and not part.conditions:
            part.cost += LOST
            part.unused.append("missing")
        if clause.like:
            self._like(anchor, clause, part)
        if clause.periods:
            own = clause.negated and (not clause.mentions or part.time is not None and not values)
            self.timed(anchor, clause.periods, part, part.time or time, own)
            if own and part.time is not None and part.time.field.filled < 1:
                part.conditions[-1] = Condition(
                    "any", parts=(Condition("missing", (part.time,)), part.conditions[-1])
                )
        elif part.time is not None and not (clause.negated and values):
            op = "missing" if clause.negated else "filled"
            if clause.negated or part.time.path or part.time.field.filled < 1:
                part.conditions.append(Condition(op, (part.time,)))
        state = self.model.things[anchor].state
        if (
            clause.current
            and not part.stated
            and not any(slot.field.column == state and not slot.path for slot, _ in values.values())
        ):
            self._now(anchor, part)
        if clause.past:
            over = ended(self.source, anchor)
            if over is not None:
                part.conditions.append(over)
            else:
                part.cost += LOST
                part.unused.append("former")
        if clause.days:
            self._on_days(anchor, clause, part, part.time or (part.times[0] if part.times else time))
        if spans := [*clause.clocks, *(span for _, span in hours if span)]:
            self._at_hours(anchor, clause, spans, part, part.time or (part.times[0] if part.times else time))
        if clause.late:
            self._late(anchor, clause, part)
        is_any = clause.either and (clause.apart or not clause.alike)
        if is_any and len(part.conditions) > 1 and not clause.negated and not clause.periods:
            part.conditions = [Condition("any", parts=tuple(part.conditions))]
        return part

    def _is_state_of_a_time(self, anchor: str, item: Item) -> bool:
        """Whether a word is a state of the rows while a time of its own is stored elsewhere: "shipped more than 2 days after"."""
        value = next((t for t in item.targets if t.kind == "value" and t.table == anchor), None)
        times = [
            one
            for t in item.targets
            if t.kind == "field" and t.cost < 0.2 and (one := self.model.field(t.table, t.column)) is not None
            if one.role is Role.TIME
        ]
        return value is not None and bool(times) and all(one.table != anchor for one in times)

    def _unequal(self, anchor: str, clause: Clause, part: Part) -> None:
        """Two columns that differ, are the same or are more than the other, of the anchor or of what its rows belong to."""
        for pair in clause.pairs:
            way = next(self.ways(anchor, pair.targets[0].table), None)
            if way is None:
                part.cost += LOST
                part.unused.append(pair.text)
                continue
            slots = tuple(self.source.slot(t.table, t.column, onward(way[1], t)) for t in pair.targets)
            compare = pair.detail or "<>"
            compare = _OPPOSITE[compare] if clause.negated else compare
            said = {"=": "same", "<>": "different"}.get(compare, "")
            part.conditions.append(Condition("later", slots, compare=compare, said=said))
            part.cost += way[0]
            part.named = True

    def _state(self, anchor: str, item: Item, clause: Clause, part: Part) -> bool:
        """A word for being open, closed, active: what it says of the anchor, unless a value of its own bears it."""
        if (
            clause.is_timed
            or clause.late
            or self.source.vocabulary.explains(item.targets)
            or any(t.kind == "value" and t.table == anchor and t.cost < 0.2 for t in item.targets)
            or self._is_of_another(anchor, item)
        ):
            return False
        found = told(self.source, anchor, item.text)
        if found is None:
            return False
        part.conditions.append(replace(found, negated=clause.negated))
        part.cost += 0.1
        part.stated = True
        return True

    def _is_of_another(self, anchor: str, item: Item) -> bool:
        """Whether a state is stored of a thing that is named, and the anchor, which only links things, is not: active candidates by skill."""
        if len(self.source.model.things[anchor].key) < 2:
            return False
        things = [
            self.source.model.things[t.table] for t in item.targets if t.kind == "value" and t.cost < 0.1
        ]
        return any(set(thing.noun) <= self.said for thing in things)

    @staticmethod
    def _is_head(clause: Clause, item: Item, part: Part) -> bool:
        """Whether a word only says that what stands before it happened: "fuel purchase", "status entry"."""
        place = clause.mentions.index(item)
        return (
            place > 0
            and part.named
            and clause.mentions[place - 1].end == item.start
            and stem(item.text.lower()) in HAPPENINGS
        )

    def _one(
        self, anchor: str, item: Item, clause: Clause, part: Part,
        values: dict[tuple[str, str, tuple[str, ...]], tuple[Slot, list[str]]], below: bool,
    ) -> bool:  # fmt: skip
        """Find the place of one mention; False where it has none here."""
        places = self._places(anchor, item, clause, below)
        if not places:
            return False
        cost, kind, slot, target = min(places, key=lambda place: place[0])
        part.cost += max(0.0, cost)
        if kind == "concept":
            found = next(f for f in meant(self.source, target.column) if f.measure.anchor == anchor)
            part.conditions += [
                replace(c, negated=clause.negated) for c in (*found.where, *found.measure.where)
            ]
            part.time = found.time if clause.is_timed else None
            part.named = True
        elif kind == "self":
            part.named = True
        elif kind == "above":
            if not _is_told_by_value(item, clause):
                self._above(slot, clause, part, below)
            part.named = part.named or target.kind == "relation"
        elif slot is not None:
            part.named = part.named or target.kind == "relation"
            self._of_slot(kind, slot, target, item, clause, part, values, below)
        return True

    def _places(
        self, anchor: str, item: Item, clause: Clause, below: bool
    ) -> list[tuple[float, str, Slot | None, Target]]:
        """Where a mention may stand, with its cost and kind; none where it is a measure that is compared."""
        places: list[tuple[float, str, Slot | None, Target]] = []
        for cost, slot, target in self.values(anchor, item)[:3]:
            places.append((cost, "value", slot, target))
        stated = any(cost < EXACT and slot is not None and not slot.path for cost, _, slot, _ in places)
        for target in item.targets:
            if target.kind == "thing":
                if target.table == anchor:
                    places.append((target.cost, "self", None, target))
                elif (way := next(self.ways(anchor, target.table), None)) is not None:
                    cost, path = way
                    pointing = self.source.slot(anchor, path[0].columns[0]) if len(path) == 1 else None
                    places.append((target.cost + cost + 0.03, "above", pointing, target))
            elif target.kind == "relation" and target.table == anchor and target.relation is not None:
                pointing = self.source.slot(anchor, target.column)
                is_time = pointing.field.role is Role.TIME
                dear = target.cost - (meant_as_time(item.text, clause) if is_time else 0.0)
                places.append((dear, "time" if is_time else "above", pointing, target))
            elif target.kind == "concept":
                for found in meant(self.source, target.column):
                    if (
                        found.measure.anchor == anchor
                        and found.measure.agg == "rows"
                        and (found.where or found.time)
                    ):
                        places.append((target.cost + found.cost, "concept", found.time, target))
                        break
        for cost, slot, target in self.fields(anchor, item)[:4]:
            role = slot.field.role
            if role is Role.FLAG:
                places.append((cost, "flag", slot, target))
            elif target.label == "un":
                places.append((cost, "without", slot, target))
            elif role is Role.TIME and stated and clause.aside and not clause.periods and not clause.missing:
                continue  # "without sold ones" are those of another state, whether or not the day of the sale is known
            elif role is Role.TIME:
                # a state of the very name says more than a time that is called otherwise: completed, and finished_at
                timed = 0.0 if stated and cost >= EXACT else meant_as_time(item.text, clause)
                places.append((cost - timed, "time", slot, target))
            elif role is Role.FOREIGN and not slot.path:
                places.append((cost + 0.02, "above", slot, target))
            elif role is Role.MEASURE and (clause.compare or clause.numbers):
                if clause.unit and places:
                    continue
                return []
            elif any(o[1] == "value" and o[2] is not None and o[2].field == slot.field for o in places):
                continue
            elif not below or clause.negated or clause.missing:
                places.append((cost + 0.05, "field", slot, target))
            else:
                places.append((cost + 0.3, "field", slot, target))
        if clause.negated and any(p[1] == "above" and p[2] and p[2].field.filled < 1 for p in places):
            # "no insurer" is nobody that the row points at, though a column elsewhere stores the word Insurer
            places = [
                (
                    cost + _WORD_STORED if kind == "value" and target.value != item.text else cost,
                    kind,
                    slot,
                    target,
                )
                for cost, kind, slot, target in places
            ]
        return places

    @staticmethod
    def _above(slot: Slot | None, clause: Clause, part: Part, below: bool) -> None:
        """A thing that rows point at: there, or not; `slot` is the column that points, where it is the anchor's own."""
        if slot is None:
            return
        if clause.negated and slot.field.filled == 1:
            return  # what every row points at is never missing
        if clause.negated or clause.missing:
            part.lacks = True
            part.conditions.append(Condition("missing", (slot,)))
        elif clause.opener == "with" and not below and not clause.periods and len(clause.mentions) == 1:
            part.conditions.append(Condition("filled", (slot,)))

    @staticmethod
    def _of_slot(
        kind: str, slot: Slot, target: Target, item: Item, clause: Clause, part: Part,
        values: dict[tuple[str, str, tuple[str, ...]], tuple[Slot, list[str]]], below: bool,
    ) -> None:  # fmt: skip
        """A mention of a value, a flag, a time or a column."""
        if kind == "value":
            key = (slot.field.table, slot.field.column, tuple(r.columns[0] for r in slot.path))
            values.setdefault(key, (slot, []))[1].append(target.value)
            if slot.field.words:  # what a hint defines has no name of its own
                part.why.append(read_as(item.text, f"{slot.field.said} = {target.label or target.value}"))
        elif kind == "flag":
            literal = slot.field.no if clause.negated != (target.label == "un") else slot.field.yes
            part.conditions.append(Condition("in", (slot,), (literal.strip("'"),)))
            part.why.append(read_as(item.text, slot.field.said))
        elif kind == "without":
            part.conditions.append(Condition("filled" if clause.negated else "missing", (slot,)))
        elif kind == "time":
            part.time = slot
            part.times.append(slot)
            part.named = part.named or not slot.path and target.cost < 0.2
        elif any(
            t.kind == "value" and (t.table, t.column) == (target.table, target.column)
            for m in clause.mentions
            for t in m.targets[:2]
            if m is not item
        ):
            return  # "no diesel engine": the column is said beside its value
        elif clause.negated or clause.missing:
            part.lacks = True
            part.conditions.append(absent(slot))
        elif clause.like and not clause.negated:
            part.columns.append(slot)
        elif clause.opener == "with" and not below:
            part.conditions.append(present(slot))
        else:
            part.cost += 0.12
            part.columns.append(slot)

    def _lasting(self, anchor: str, clause: Clause) -> list[tuple[float, Expr, Item | None]]:
        """The rows' own length of time: stored in the unit of a bound ("jobs over 3 hours"), else between their two ends.

        Actual lengths go before planned ones. A length that is stored in another unit is left to the two ends.
        """
        own = [f for f in self.source.measures(anchor) if f.unit == clause.unit.rstrip("s") + "s"]
        own.sort(key=lambda f: bool(set(f.words) & DUE))
        if own:
            return [(0.15 + 0.1 * n, Expr("column", (Slot(f),)), None) for n, f in enumerate(own[:2])]
        ends = lasted(self.source, anchor, clause)
        return [(0.1, Expr("span", ends, clause.unit), None)] if ends is not None else []

    def _compared(self, anchor: str, clause: Clause, left: list[Item], part: Part, below: bool) -> None:
        """A number, an average or another row that a measure is compared with."""
        if clause.percent:
            self._compared_in_percent(anchor, clause, left, part)
            return
        exprs: list[tuple[float, Expr, Item | None]] = []
        for item in left:
            for cost, slot, _ in self.fields(anchor, item, (Role.MEASURE,)):
                exprs.append((cost, Expr("column", (slot,)), item))
        spans = (
            spanned(self.source, anchor, clause, part.time, part.times)
            if clause.unit and (not clause.periods or says_ahead(clause))
            else None
        )
        if spans is not None:
            exprs.append((0.05, Expr("span", spans, clause.unit), None))
            part.time = None
        if not exprs and clause.unit:
            exprs += self._lasting(anchor, clause)
        if not exprs:
            exprs += self._by_adjective(anchor, clause)
        if not exprs and clause.said:
            exprs += self._by_adjective_of(anchor, clause, left)
        if not exprs and not left and not below:
            exprs += self._by_age(anchor, clause)
        is_bare = not clause.unit and not clause.after_compare  # more than 2 items are no money
        if not exprs and clause.numbers and is_bare and not left and not below:
            own = [f for f in self.source.measures(anchor) if f.unit == "money" and f.aggregate == "sum"]
            priced = [
                f for f in self.source.measures(anchor) if f.unit == "money" and stem("price") in f.words
            ]
            own.sort(key=lambda f: (bool(set(f.words) & NO_REVENUE), not set(f.words) & WHOLE))
            if own and set(own[0].words) & NO_REVENUE and self.model.things[anchor].kind is not Kind.THING:
                part.cost += _NO_WORTH
            if self.model.things[anchor].kind is Kind.THING and (
                own or self.said & WORTH
            ):  # goods over 100 cost their buyers so much
                own = [*priced, *(f for f in own if f not in priced)]
            exprs += [
                (0.15 + 0.1 * place, Expr("column", (Slot(f),)), None) for place, f in enumerate(own[:2])
            ]
        if not exprs:
            if not left:
                part.cost += LOST
                first, *more = [f"{one:.15g}" for one in clause.numbers] or [""]
                part.unused += [f"{clause.said or 'more than'} {first}".strip(), *more]
            return
        cost, expr, used = min(exprs, key=lambda e: e[0])
        part.cost += cost
        if used is not None:
            left.remove(used)
        compare = clause.compare or "="
        if _is_half(clause):
            part.cost += LOST
            part.unused.append("between")
            return
        if clause.than:
            row = next((v for i in clause.than for v in self.values(anchor, i)), None)
            if row is None:
                part.cost += LOST
                part.unused.extend(i.text for i in clause.than)
                return
            part.cost += row[0]
            part.conditions.append(Condition("compare", (row[1],), (row[2].value,), compare, expr=expr))
        elif compare == "between" and len(clause.numbers) > 1:
            low, high = sorted(clause.numbers[:2])
            part.conditions.append(Condition("compare", compare=">=", number=low, expr=expr))
            part.conditions.append(Condition("compare", compare="<=", number=high, expr=expr))
        elif clause.average:
            part.conditions.append(Condition("compare", compare=compare, expr=expr))
        elif clause.numbers:
            part.conditions.append(
                Condition(
                    "compare", compare=compare, number=clause.numbers[0], expr=expr, negated=clause.negated
                )
            )
        else:
            part.cost += LOST
            part.unused.append(clause.said or "more")

    def _compared_in_percent(self, anchor: str, clause: Clause, left: list[Item], part: Part) -> None:
        """A bound in percent on a measure that is kept in percent, or as a part of one; of any other it says nothing."""
        found = [
            (cost, slot, item, scale)
            for item in left
            for cost, slot, _ in self.fields(anchor, item, (Role.MEASURE,))
            if (scale := _percent_of(slot.field))
        ]
        if not found or _is_half(clause) or clause.average or clause.than:
            part.cost += LOST
            part.unused.append(f"{clause.said or 'more than'} {clause.numbers[0]:.15g} %")
            return
        cost, slot, item, scale = min(found, key=lambda one: one[0])
        left.remove(item)
        part.cost += cost
        numbers = sorted(round(number * scale, 9) for number in clause.numbers[:2])
        expr = Expr("column", (slot,))
        if clause.compare == "between":
            part.conditions.append(Condition("compare", compare=">=", number=numbers[0], expr=expr))
            part.conditions.append(Condition("compare", compare="<=", number=numbers[1], expr=expr))
            return
        part.conditions.append(
            Condition(
                "compare",
                compare=clause.compare or "=",
                number=numbers[0],
                expr=expr,
                negated=clause.negated,
            )
        )

    def _by_adjective(self, anchor: str, clause: Clause) -> list[tuple[float, Expr, Item | None]]:
        """Cheaper is about a price, older about an age."""
        out: list[tuple[float, Expr, Item | None]] = []
        wanted = [w for word in clause.said.split() for w in _ADJECTIVES.get(word, ())]
        for place, word in enumerate(wanted):
            for one in self.model.fields[anchor]:
                if stem(word) in one.words:
                    if one.role is Role.MEASURE:
                        out.append((0.05 + 0.05 * place, Expr("column", (Slot(one),)), None))
                    elif one.role is Role.TIME and word == "birth":
                        out.append((0.1, Expr("age", (Slot(one),), "years"), None))
        return out

    def _by_adjective_of(
        self, anchor: str, clause: Clause, left: Sequence[Item]
    ) -> list[tuple[float, Expr, Item | None]]:
        """The same of something that the rows belong to: revenue from customers older than 60."""
        out: list[tuple[float, Expr, Item | None]] = []
        for item in clause.mentions:
            for target in item.targets[:2]:
                way = next(self.ways(anchor, target.table), None) if target.kind == "thing" else None
                if way is None or target.table == anchor:
                    continue
                for cost, expr, _ in self._by_adjective(target.table, clause):
                    slots = tuple(replace(slot, path=way[1]) for slot in expr.slots)
                    out.append(
                        (
                            cost + way[0] + target.cost,
                            replace(expr, slots=slots),
                            item if item in left else None,
                        )
                    )
        return out

    def _by_age(self, anchor: str, clause: Clause) -> list[tuple[float, Expr, Item | None]]:
        """A bare number under or over which people are is their age: "members under 30", where their own age or birthday is stored."""
        years = (
            clause.numbers and not clause.unit and all(0 < number < GREATEST_AGE for number in clause.numbers)
        )
        if (
            not years
            or not set(clause.said.split()) & _AGED
            or self.model.things[anchor].kind is not Kind.THING
        ):
            return []
        return self._by_adjective(anchor, replace(clause, said="older"))

    def _like(self, anchor: str, clause: Clause, part: Part) -> None:
        text = clause.pattern
        slot = part.columns[-1] if part.columns else next(iter(self.source.shown(anchor)), None)
        no_text = (Role.KEY, Role.FOREIGN, Role.TIME)
        is_timed = not part.columns and self._is_of_time(clause)
        if not text or slot is None or slot.field.role in no_text or slot.field.is_number or is_timed:
            part.cost += LOST
            part.unused.append(clause.like)
            return
        entry = entry_of(slot.field, text) if clause.like == "contain" else ""
        if entry:
            part.conditions.append(Condition("not in" if clause.negated else "in", (slot,), (entry,)))
            return
        pattern = {"start": f"{text}%", "end": f"%{text}"}.get(clause.like, f"%{text}%")
        if clause.loose and not part.columns:
            part.cost += IN_NAMES
        part.conditions.append(Condition("like", (slot,), (pattern,), negated=clause.negated))

    def _is_of_time(self, clause: Clause) -> bool:
        """Whether a clause mentions a day, which has no letters."""
        first = [item.targets[0] for item in clause.mentions if item.targets]
        fields = [self.model.field(one.table, one.column) for one in first if one.kind == "field"]
        return any(one is not None and one.role is Role.TIME for one in fields)

    def timed(
        self, anchor: str, periods: Sequence[Period], part: Part, time: Slot | None, negated: bool
    ) -> None:
        """Rows of some periods, by the time that is named, else by when they happen."""
        slot = time or self.source.time_of(anchor)
        if slot is None:
            part.cost += LOST  # `checking` tells which period
            return
        thing = self.model.things[slot.field.table]
        conditions = []
        for period in periods:
            if period.at and thing.ends and thing.begins and not slot.path:
                both = (self.source.slot(anchor, thing.begins), self.source.slot(anchor, thing.ends))
                conditions.append(Condition("period", both, period=period))
            else:
                conditions.append(Condition("period", (slot,), period=replace(period, at=False)))
        one = conditions[0] if len(conditions) == 1 else Condition("any", parts=tuple(conditions))
        part.conditions.append(replace(one, negated=True) if negated else one)

    def _on_days(self, anchor: str, clause: Clause, part: Part, time: Slot | None) -> None:
        """Rows of some days of the week."""
        slot = time or self.source.time_of(anchor)
        if slot is None or not has_days(slot.field.form):
            part.cost += LOST
            part.unused.append("weekday")
            return
        no = clause.negated and not clause.mentions
        part.conditions.append(Condition("weekday", (slot,), tuple(clause.days), negated=no))

    def _at_hours(
        self, anchor: str, clause: Clause, spans: Sequence[str], part: Part, time: Slot | None
    ) -> None:
        """Rows of some part of the day, by a column of times of day or else by a time that has hours."""
        own = self.model.things[anchor].clock
        slot = time or (self.source.slot(anchor, own) if own else self.source.time_of(anchor))
        if slot is None or not has_hours(slot.field.form) and slot.field.column != own:
            part.cost += LOST
            part.unused.append("time of day")
            return
        no = clause.negated and not clause.mentions
        held = tuple(Condition("clock", (slot,), tuple(span.split("-"))) for span in spans)
        one = held[0] if len(held) == 1 else Condition("any", parts=held)
        part.conditions.append(replace(one, negated=True) if no else one)

    def _now(self, anchor: str, part: Part) -> None:
        now = current(self.source, anchor)
        if now is None:
            part.cost += NO_STATE
            part.unused.append(NOW)
        else:
            part.conditions.append(now)

    def _late(self, anchor: str, clause: Clause, part: Part) -> None:
        below = ((child, path, cost) for child, path, cost in self.children(anchor) if child != anchor)
        found = lateness(self.source, anchor, clause, self.said, self.today, below)
        if found is None:
            part.cost += LOST
            part.unused.append(clause.late)
        else:
            part.cost += found[0]
            part.conditions += found[1]


def _is_told_by_value(item: Item, clause: Clause) -> bool:
    """ "without cancelled bills", seen from their lines: what is denied is the value right before the noun, not that there is one."""
    tables = {t.table for t in item.targets if t.kind == "thing"}
    return clause.negated and any(
        other.end == item.start and t.kind == "value" and t.table in tables
        for other in clause.mentions
        for t in other.targets[:2]
    )


def _is_never(one: Condition) -> bool:
    """Whether a time is said to be missing that every row has: then the rows themselves are."""
    return (
        one.op == "missing"
        and len(one.slots) == 1
        and not one.slots[0].path
        and one.slots[0].field.filled == 1
    )


def _percent_of(field: Field) -> float:
    """The unit of a percent in a column: one where it is kept in percent, a hundredth where it holds parts of one; 0 for anything else."""
    if field.unit == "percent":
        return 1.0
    try:
        low, high = float(field.low or "nan"), float(field.high or "nan")
    except ValueError:
        return 0.0
    return 0.01 if not field.unit and not field.is_whole and low >= 0 and high <= 1 else 0.0


def _is_half(clause: Clause) -> bool:
    """Whether "between" was said with fewer than two numbers, which bounds nothing."""
    return clause.compare == "between" and len(clause.numbers) < 2
