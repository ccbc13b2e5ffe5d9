"""Ways to begin with figures that no column holds: times between, ages, ratios, rates, how many have how many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Measure, Path, Slot, share_of
from sqlagent.makers.analyst.pairing import (
    AHEAD,
    DUE,
    LENGTHS,
    RESPONDED,
    ahead,
    done_of,
    due_and_done,
    in_order,
    lasting,
    partner,
    stayed,
)
from sqlagent.makers.analyst.ranked import Ranked
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.starts import BORN, FINISHED, PERSONS, Start

DELAYS = frozenset(stem(w) for w in ["delay", "delays", "late", "lateness", "overdue"])
"""Words of spans that run from when something was due."""


_OF_OTHERS = 0.6
"""Cost of the time that something else takes: a delivery time is none of complaints, though these are resolved."""


_OF_THINGS = 0.04
"""Cost of rows that are called by a name, beside those that only happen."""

_OF_PAYMENTS = 0.1
"""Cost of the time until something is paid, where nobody speaks of that."""

PAID = frozenset(stem(w) for w in ["paid", "pay", "payment", "payments", "settled", "settlement"])
"""Words of times at which something is paid, and of the time until then."""


_ENDINGS = frozenset(stem(w) for w in ["resolution", "completion", "fulfillment", "dispatch", "return"])
"""Nouns for what is done with, whose verbs times are called by."""


def _is_paid(slot: Slot) -> bool:
    return bool(set(slot.field.words) & PAID)


def _begun(word: str) -> str:
    """How a verb and its noun begin: deliver, delivery."""
    return word[:5]


class Derived(Ranked):
    """Ways to begin with figures that no column holds: times between, ages, ratios, rates, how many have how many."""

    def _durations(self) -> Iterator[Start]:
        """Times between two columns, ages and tenures; averaged unless something else is said."""
        s = self.sketch
        agg = next((a for ask in s.asks for a in ask.aggs if a != "count"), "avg")
        if s.rank is not None and s.rank.kind in ("desc", "long", "old"):
            agg = "max"
        unit = s.unit if s.unit else (s.span or "years")
        unit = unit if unit.endswith("s") else unit + "s"
        if s.tenure:
            for thing in self.model.things.values():
                if thing.begins and thing.ends and set(thing.noun) & PERSONS:
                    expr = Expr(
                        "span",
                        (
                            self.source.slot(thing.table, thing.ends),
                            self.source.slot(thing.table, thing.begins),
                        ),
                        unit,
                    )
                    yield Start(
                        thing.table,
                        0.05,
                        [Measure(agg, thing.table, expr, said="tenure", unit=unit)],
                        None,
                        (),
                        (),
                        [],
                        thing.table,
                    )
            return
        if s.age:
            for thing in self.model.things.values():
                born = next(
                    (f for f in self.model.of_role(thing.table, Role.TIME) if set(f.words) & BORN), None
                )
                if born is not None:
                    anchor, when, path, used = self._aged_at(thing.table, born)
                    expr = Expr("age", (Slot(born),), "years")
                    if when is not None:
                        expr = Expr("span", (Slot(when), Slot(born, path)), "years")
                    bonus = (
                        0.0
                        if any(t.table == thing.table for i in self._all() for t in i.targets[:1])
                        else 0.15
                    )
                    yield Start(
                        anchor,
                        0.05 + bonus,
                        [Measure(agg, anchor, expr, said="age", unit="years")],
                        used=used,
                    )
            return
        yield from self._spans(agg, unit)

    def _aged_at(self, table: str, born: Field) -> tuple[str, Field | None, Path, list[int]]:
        """The time that an age is asked at, with the table of it, the way to the person, and its place among what is asked.

        "Average age at sign-up" is of the person's own row, "average age when they ordered" of each order. The table alone where none is said.
        """
        for place, ask in enumerate(self.sketch.asks):
            for target in ask.item.targets[:1] if ask.item is not None else ():
                one = self.model.field(target.table, target.column) if target.kind == "field" else None
                if one is None or one.role is not Role.TIME or one == born:
                    continue
                paths = [()] if one.table == table else self.graph.paths(one.table, table)
                if len(paths) == 1:
                    return one.table, one, paths[0], [place]
        return table, None, (), []

    def _spans(self, agg: str, unit: str) -> Iterator[Start]:
        """ "days between order and return", "days to resolve": from what begins to what is named."""
        s = self.sketch
        asked = [(n, a.item) for n, a in enumerate(s.asks) if a.item is not None]
        ends: list[list[tuple[float, str, Slot]]] = []
        used: list[int] = []
        for place, item in [(-1, i) for i in s.span_parts] or asked:
            found = self._ends(item)
            if found and len(ends) < 2:
                ends.append(found)
                used.append(place)
        if len(ends) == 2:
            ends = [own for own, other in (ends, ends[::-1]) if not self._is_doer(own, other)]
        used = [n for n in used if n >= 0]
        waited = frozenset(stem(w) for w in s.span_text.split()) | s.stems & (RESPONDED | FINISHED)
        for start in self._spanned(ends, waited, agg, unit):
            start.used = used
            yield start

    def _is_doer(self, own: list[tuple[float, str, Slot]], other: list[tuple[float, str, Slot]]) -> bool:
        """Whether an end is whoever does what the other one tells: "how long do tenants take to pay" begins with no tenant."""
        (_, table, slot), (_, whose, when) = own[0], other[0]
        model = self.model
        is_other = table != whose and bool(next(self.attach.ways(whose, table), None))
        is_thing = model.things[table].kind is Kind.THING and not self._lasts(table)
        is_row = slot.field.column == model.things[table].default_time
        return is_other and is_thing and is_row and when.field.column != model.things[whose].default_time

    def _ends(self, item: Item) -> list[tuple[float, str, Slot]]:
        """The times that a mention may mean, cheapest first: one that is named, else when a thing happens."""
        found: list[tuple[float, str, Slot]] = []
        for target in item.targets:
            if target.kind == "field":
                one = self.model.field(target.table, target.column)
                if one is not None and one.role is Role.TIME:
                    found.append((target.cost, target.table, Slot(one)))
            elif target.kind == "thing" and self.model.things[target.table].default_time:
                time = self.source.slot(target.table, self.model.things[target.table].default_time)
                found.append((target.cost + 0.05, target.table, time))
            elif target.kind == "concept":
                for one_meant in meant(self.source, target.column):
                    if one_meant.time is not None:
                        found.append(
                            (target.cost + one_meant.cost, one_meant.time.field.table, one_meant.time)
                        )
        best = item.targets[0].cost if item.targets else 0.0
        near = [f for f in found if f[0] < best + 0.3]
        return sorted(near, key=lambda f: f[0])[:4]

    def _spanned(
        self, ends: list[list[tuple[float, str, Slot]]], waited: frozenset[str], agg: str, unit: str
    ) -> Iterator[Start]:
        """The ways to read the ends of a span: two that are named, one with its partner, what is waited for."""
        if len(ends) >= 2:
            for cost_a, table_a, slot_a in ends[0]:
                for cost_b, table_b, slot_b in ends[1]:
                    if slot_a != slot_b:
                        yield from self._span(cost_a + cost_b, table_a, slot_a, table_b, slot_b, agg, unit)
                    else:
                        yield from self._to(cost_a + cost_b, slot_a, agg, unit)
            return
        for cost, table, slot in ends[0] if ends else ():
            whole = stayed(self.source, table) if waited & LENGTHS else None
            if whole is not None and slot.field not in (whole[0].field, whole[1].field):
                if slot.field.column == self.model.things[table].default_time:
                    yield self._lasting(cost, *whole, agg, unit)
                continue  # a booking lasts from its start to its end, whenever it was booked
            found = ahead(self.source, table, slot) if waited & AHEAD else None
            if found is not None:
                yield self._lasting(cost, *found, agg, unit)
            elif waited & DELAYS and (late := due_and_done(self.source, table)) is not None:
                yield self._lasting(cost, *late, agg, unit)
            elif slot.field.column == self.model.things[table].default_time:
                for dear, later, earlier in lasting(self.source, table, waited):
                    yield self._lasting(cost + dear, later, earlier, agg, unit)
            else:
                yield from self._to(cost, slot, agg, unit)
        if not ends:
            yield from self._unnamed(waited, agg, unit)

    def _unnamed(self, waited: frozenset[str], agg: str, unit: str) -> Iterator[Start]:
        """Spans of rows that no word names: of what happens, or of things that are ordered and delivered themselves.

        Those cost more that have none of the times waited for where others have it, and those that end by being paid where nobody speaks of that.
        """
        owners = {
            one.table
            for one in self.model.things.values()
            if one.kind is Kind.EVENT and set(one.noun) & waited
        }
        owners |= {
            table for table in self.model.things if self._lasts(table) and self._ends_by(table, waited)
        }
        paid = bool(waited & PAID)
        for thing in self.model.things.values():
            if not self._lasts(thing.table):
                continue
            other = _OF_OTHERS if owners and thing.table not in owners else 0.0
            other += _OF_THINGS if thing.kind is Kind.THING else 0.0
            named = any(
                t.kind == "thing" and t.table == thing.table for i in self._all() for t in i.targets[:2]
            )
            late = due_and_done(self.source, thing.table) if waited & DELAYS else None
            if late is not None:
                other += 0.0 if paid or named else _is_paid(late[0]) * _OF_PAYMENTS
                yield self._lasting((0.05 if named else 0.15) + other, *late, agg, unit)
                continue
            for dear, later, earlier in lasting(self.source, thing.table, waited):
                is_term = not waited & LENGTHS and not {*later.field.words} & (FINISHED | RESPONDED)
                dear += 0.0 if paid or named else (_is_paid(later) or is_term) * _OF_PAYMENTS
                yield self._lasting((0.02 if named else 0.22) + dear + other, later, earlier, agg, unit)

    def _lasts(self, table: str) -> bool:
        """Whether rows happen, or are things of somebody that are done with one day: jobs with a title, of a client."""
        thing = self.model.things[table]
        if thing.kind is not Kind.THING:
            return thing.kind is Kind.EVENT
        begins = thing.begins or thing.default_time
        done = done_of(self.source, table)
        is_of_others = any(one.target != table for one in self.graph.out[table])
        return bool(begins) and is_of_others and done is not None and done.field.column != begins

    def _ends_by(self, table: str, waited: frozenset[str]) -> bool:
        """Whether rows have a time of their own for what is waited for: delivered, of a delivery."""
        words = {_begun(word) for word in waited & (FINISHED | PAID | _ENDINGS)}
        times = self.model.of_role(table, Role.TIME)
        return any(words & set(map(_begun, one.words)) and not set(one.words) & DUE for one in times)

    def _to(self, cost: float, slot: Slot, agg: str, unit: str) -> Iterator[Start]:
        """Up to a time that is named, from when its row begins."""
        other = partner(self.source, slot)
        if other is not None:
            later, earlier = in_order(other, slot)
            yield self._lasting(cost, later, earlier, agg, unit)

    def _lasting(self, cost: float, later: Slot, earlier: Slot, agg: str, unit: str) -> Start:
        anchor = later.field.table if not later.path else earlier.field.table
        begun, done = (s.field.said.removesuffix(" key") for s in (earlier, later))
        said = f"{unit} from {begun} to {done}"
        return Start(
            anchor, cost, [Measure(agg, anchor, Expr("span", (later, earlier), unit), said=said, unit=unit)]
        )

    def _span(
        self, cost: float, table_a: str, slot_a: Slot, table_b: str, slot_b: Slot, agg: str, unit: str
    ) -> Iterator[Start]:
        """Between two times: of the rows that hold one of them, the other one above."""
        for hop, path in self.attach.ways(table_b, table_a):
            later, earlier = in_order(replace(slot_a, path=path), slot_b)
            expr = Expr("span", (later, earlier), unit)
            yield Start(table_b, cost + hop, [Measure(agg, table_b, expr, said=unit, unit=unit)])
            return
        for hop, path in self.attach.ways(table_a, table_b):
            later, earlier = in_order(slot_a, replace(slot_b, path=path))
            expr = Expr("span", (later, earlier), unit)
            yield Start(table_a, cost + hop, [Measure(agg, table_a, expr, said=unit, unit=unit)])
            return

    def _ratios(self) -> Iterator[Start]:
        """ "ratio of web to store orders": rows of one value over rows of another."""
        s = self.sketch
        things = [a.item for a in s.asks if a.item is not None]
        values = list(s.main.mentions)
        if len(values) == 1:
            columns = {(t.table, t.column) for t in values[0].targets if t.kind == "value"}
            for item in things[:-1]:
                if any(t.kind == "value" and (t.table, t.column) in columns for t in item.targets):
                    values.append(item)
                    things.remove(item)
                    s.asks = [a for a in s.asks if a.item is not item]
                    break
        if len(values) >= 2:
            for thing in things[:1]:
                for found in self.meanings(thing, ("count",))[:3]:
                    first = self.attach.values(found.measure.anchor, values[0])
                    second = self.attach.values(found.measure.anchor, values[1])
                    for cost_a, slot_a, target_a in first[:2]:
                        for cost_b, slot_b, target_b in second[:3]:
                            if slot_a.field == slot_b.field:
                                over = replace(
                                    found.measure, where=(Condition("in", (slot_a,), (target_a.value,)),)
                                )
                                under = replace(
                                    found.measure, where=(Condition("in", (slot_b,), (target_b.value,)),)
                                )
                                ratio = Measure(
                                    "ratio", found.measure.anchor, over=over, under=under, said="ratio"
                                )
                                start = Start(
                                    found.measure.anchor,
                                    found.cost + cost_a + cost_b,
                                    [ratio],
                                    found.time,
                                    (),
                                    (),
                                    [],
                                    "",
                                    False,
                                    [0],
                                )
                                s_used = [values[0], values[1]]
                                self.sketch.main.mentions = [m for m in s.main.mentions if m not in s_used]
                                yield start
                                return
        yield from self._of_sorts([*things, *values])
        if len(things) >= 2:
            for one in self.meanings(things[0], ("count",))[:3]:
                for other in self.meanings(things[1], ("count",))[:3]:
                    if other.measure.anchor == one.measure.anchor:
                        ratio = Measure(
                            "ratio", one.measure.anchor, over=one.measure, under=other.measure, said="ratio"
                        )
                        yield Start(
                            one.measure.anchor,
                            one.cost + other.cost,
                            [ratio],
                            None,
                            (),
                            (),
                            [],
                            "",
                            False,
                            [0, 1],
                        )

    def _of_sorts(self, items: list[Item]) -> Iterator[Start]:
        """ "ratio of Connemaras to Haflingers": rows of one sort over rows of another, both sorts told by one column."""
        if len(items) != 2:
            return
        for one in self.meanings(items[0], ("count",)):
            for other in self.meanings(items[1], ("count",)):
                first, second = (*one.where, *one.measure.where), (*other.where, *other.measure.where)
                if one.measure.agg != "rows" or (one.measure.anchor, one.measure.agg) != (
                    other.measure.anchor,
                    other.measure.agg,
                ):
                    continue
                if (
                    len(first) != 1
                    or len(second) != 1
                    or first[0].slots != second[0].slots
                    or first == second
                ):
                    continue
                over, under = replace(one.measure, where=first), replace(other.measure, where=second)
                anchor = one.measure.anchor
                ratio = Measure("ratio", anchor, over=over, under=under, said="ratio")
                used = [n for n, a in enumerate(self.sketch.asks) if a.item in items]
                self.sketch.main.mentions = [m for m in self.sketch.main.mentions if m not in items]
                yield Start(anchor, one.cost + other.cost, [ratio], used=used)
                return

    def _rated(self, item: Item) -> Iterator[Start]:
        """ "claim rate by carrier": what has such rows, as a share of all."""
        for target in item.targets:
            if target.kind != "thing":
                continue
            for relation in self.graph.out[target.table]:
                above = self.model.things[relation.target]
                if above.kind in (Kind.EVENT, Kind.LINES) and len(relation.columns) == 1:
                    has = Condition("exists", child=target.table, path=(relation,))
                    rows = Measure("rows", above.table, said=above.said)
                    ratio = share_of(replace(rows, where=(has,)), rows, f"{item.text} rate")
                    yield Start(above.table, target.cost + 0.02, [ratio], None, (), (), [], "", False, [0])

    def _spreads(self) -> Iterator[Start]:
        """ "customers by number of orders": how many things have which count."""
        s = self.sketch
        assert s.counts is not None
        for place, ask in enumerate(s.asks[:2]):
            for target in ask.item.targets if ask.item is not None else ():
                if target.kind != "thing" or len(self.model.things[target.table].key) != 1:
                    continue
                for found in self.meanings(s.counts, ("count",))[:4]:
                    for hop, path in self.attach.ways(found.measure.anchor, target.table):
                        if path and found.measure.agg in ("rows", "distinct"):
                            key = self.source.slot(target.table, self.model.things[target.table].key[0], path)
                            dimension = Dimension((key,), said=self.model.things[target.table].said)
                            yield Start(
                                found.measure.anchor,
                                target.cost + found.cost + 0.3 * hop - 0.05,
                                [found.measure],
                                found.time,
                                found.where,
                                (),
                                [dimension],
                                "",
                                False,
                                [place],
                            )
                        break
