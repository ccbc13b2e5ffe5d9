"""Ways to begin: what is measured or listed, from which table's rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.catalog.semantics.words import CAME_BACK, STAFF
from sqlagent.language.words import stem
from sqlagent.makers.analyst.attaching import LOST
from sqlagent.makers.analyst.concepts import Meant, revenue, worth
from sqlagent.makers.analyst.dating import due_above
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Measure, Order, Slot
from sqlagent.makers.analyst.occasions import Occasions
from sqlagent.makers.analyst.pairing import due_and_done
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Ask
from sqlagent.makers.analyst.starts import FIGURES, NUMBERS, PERSONS, Start

FIGURE_OF_ITS_OWN = 0.6
"""Cost of a business word below which a table has a figure of its own for it."""

UNSAID = 0.3
"""The cost of counting among returns that a question does not mention: it asks for what was sold."""


class Starting(Occasions):
    """Ways to begin: what is measured or listed, from which table's rows."""

    def _starts(self) -> Iterator[Start]:
        s = self.sketch
        if s.counts is not None:
            yield from self._spreads()
        if s.span or s.tenure or s.age and not self._has_age_column():
            yield from self._durations()
            if s.span or s.tenure:
                return
        if s.ratio or (s.rate and not s.asks):
            ratios = list(self._ratios())
            yield from ratios
            if ratios:
                return
        if s.rate and s.asks and s.asks[0].item is not None:
            yield from self._rated(s.asks[0].item)
        occasions = self._occasions()
        yield from occasions
        if occasions:
            return
        if s.rank is not None:
            yield from self._ranked()
            if s.rank.target is not None or s.rank.by is not None:
                return
        if s.asks and any(a.item is not None for a in s.asks):
            yield from self._asked()
        elif s.who or s.listing and not s.asks:
            yield from self._people()
        if s.who and not s.asks:
            return
        if not s.asks or all(a.item is None for a in s.asks):
            yield from self._implied()
            if s.transform or s.share or s.by or s.much:
                for found in sorted(revenue(self.source), key=lambda m: m.cost)[:2]:
                    yield Start(
                        found.measure.anchor,
                        found.cost + (0.1 if s.much else 0.15 if s.transform else 0.3),
                        [found.measure],
                        found.time,
                    )

    def _asked(self) -> Iterator[Start]:
        s = self.sketch
        asks = [a for a in s.asks if a.item is not None]
        for place, ask in enumerate(asks[:3]):
            assert ask.item is not None
            counting = "count" in ask.aggs
            late = (
                0.0 if place == 0 else (0.4 if asks[0].aggs and asks[0].aggs != ("count",) else 0.15) * place
            )
            qualified = place and self._is_qualified_figure(asks[: place + 1])
            if qualified:
                late = 0.02 * place
            for found in self.meanings(ask.item, ask.aggs, ask.distinct):
                for start in self._start_of(ask, place, found, late, counting):
                    yield self._of_its_rows(start, asks[:place], ask.item) if qualified else start
            if (not ask.aggs or ask.aggs == ("count",)) and not s.by:
                yield from self._listed_dimension(ask, place, late)
            if not ask.aggs:
                yield from self._pointed_at(ask, place, late)

    def _of_its_rows(self, start: Start, before: Sequence[Ask], figure: Item) -> Start:
        """ "bar takings" of bar sales: words of the table's own name restrict nothing; "subscription income" is the subscriptions'."""
        items = [a.item for a in before if a.item is not None]
        said = {stem(word) for item in items for word in item.text.lower().split()}
        noun = self.model.things[start.anchor].noun
        if said <= set(noun[:-1]):
            start.used = [*range(len(before)), *start.used]
            return start
        thing = next((t.table for t in items[-1].targets if t.kind == "thing" and t.cost < 0.1), "")
        others = [m for m in self.meanings(figure) if m.measure.anchor == thing] if thing else []
        if others and start.anchor != thing and others[0].cost < FIGURE_OF_ITS_OWN:
            start.cost += 0.3
        return start

    def _is_qualified_figure(self, asks: Sequence[Ask]) -> bool:
        """Whether the last of these is a figure and all before it, right before each other, say of what: "night shift hours"."""
        items = [a.item for a in asks if a.item is not None]
        plain = not any(a.aggs for a in asks[1:])
        joined = all(one.end == other.start for one, other in zip(items, items[1:], strict=False))
        best = items[-1].targets[0]
        named = best.kind == "concept" and best.column in FIGURES
        return plain and joined and (named or best.kind == "field" and self._is_figure(items[-1]))

    def _pointed_at(self, ask: Ask, place: int, late: float) -> Iterator[Start]:
        """ "managers": the things that rows of some other thing point at under that name."""
        assert ask.item is not None
        for target in ask.item.targets:
            if (
                target.kind == "relation"
                and target.relation is not None
                and self._lists(target.relation.target)
            ):
                there = target.relation.target
                where = (Condition("exists", child=target.relation.source, path=(target.relation,)),)
                yield Start(
                    there,
                    target.cost + late + 0.02,
                    [],
                    None,
                    where,
                    self._listing(there),
                    [],
                    there,
                    True,
                    [place],
                )

    def _start_of(self, ask: Ask, place: int, found: Meant, late: float, counting: bool) -> Iterator[Start]:
        s = self.sketch
        measure = found.measure
        is_rows = measure.agg == "rows" and bool(found.thing)
        cost = found.cost + late
        aggs = [a for a in ask.aggs if a != "count"]
        if is_rows and not counting and not aggs and self._lists(found.thing):
            yield from self._bounded_things(found, cost, place)
            yield Start(
                measure.anchor, cost, [], found.time, (*found.where, *measure.where), self._listing(found.thing), [], found.thing,
                True, [place],
            )  # fmt: skip
            cost += 0.12
        if is_rows and aggs and not s.average and s.per_word != "per" and not s.by:
            cost += 0.3
        measures = [measure]
        if ask.aggs == ("count", "sum") and is_rows:  # "how many and how much"
            paid = list(worth(self.source, self.model.things[found.thing], "sum"))[:1]
            measures += [replace(m.measure, said="amount") for m in paid]
            cost += 0.0 if paid else LOST
        if len(aggs) > 1 and measure.expr is not None:
            measures = [replace(measure, agg=a, said=f"{a} {measure.said}") for a in aggs]
        if ask.distinct and is_rows and counting:
            yield from self._distinct_of(found, cost, place)
            cost += 0.2
        if is_rows and s.by:
            yield from self._bridged(ask, found, cost, place)
        yield Start(
            measure.anchor, cost, measures, found.time, found.where, (), [], found.thing, False, [place]
        )

    def _bridged(self, ask: Ask, found: Meant, cost: float, place: int) -> Iterator[Start]:
        """ "patients per doctor": different things by what only the rows that point at both of them know."""
        s = self.sketch
        thing = self.model.things[found.thing]
        items = [i for i in s.by if i.kind == "mention"]
        if not items or len(thing.key) != 1 or all(self._dimension(found.thing, i, None) for i in items):
            return
        for child in self.graph.below(found.thing)[:8]:
            path = next((p for p in self.graph.paths(child, found.thing) if p), None)
            if path is None or not all(self._dimension(child, i, None) for i in items):
                continue
            slot = self.source.slot(found.thing, thing.key[0], path)
            measure = Measure("distinct", child, Expr("column", (slot,)), said=thing.said)
            averaged = s.average or "avg" in ask.aggs or self.attach.pieces(child) is not None
            if averaged and len(path) == 1 and self.model.things[child].kind is Kind.LINES:
                yield Start(
                    child,
                    cost + 0.03,
                    [self._rows_of(child, thing.said)],
                    None,
                    (),
                    (),
                    [],
                    "",
                    False,
                    [place],
                )
            yield Start(
                child,
                cost + (0.3 if averaged else 0.08) + 0.03 * len(path) + self._unsaid_return(child),
                [measure],
                None,
                (),
                (),
                [],
                "",
                False,
                [place],
            )

    def _distinct_of(self, found: Meant, cost: float, place: int) -> Iterator[Start]:
        """ "how many different products were sold": things counted where events point at them."""
        thing = self.model.things[found.thing]
        if len(thing.key) != 1:
            return
        for child in self.graph.below(found.thing)[:8]:
            paths = self.graph.paths(child, found.thing)
            if not paths or not paths[0]:
                continue
            slot = self.source.slot(found.thing, thing.key[0], paths[0])
            kind = 0.0 if self.model.things[child].kind in (Kind.EVENT, Kind.LINES) else 0.03
            measure = Measure("distinct", child, Expr("column", (slot,)), said=thing.said)
            kind += self._unsaid_return(child)
            used = cost + 0.05 * len(paths[0]) + kind - (0.1 if "use" in self.sketch.question else 0.0)
            yield Start(child, used, [measure], None, (), (), [], "", False, [place])

    def _unsaid_return(self, table: str) -> float:
        """The cost of counting among rows that came back where nobody speaks of these."""
        noun = set(self.model.things[table].noun)
        return UNSAID if noun & CAME_BACK and not noun & self.attach.said else 0.0

    def _listed_dimension(self, ask: Ask, place: int, late: float) -> Iterator[Start]:
        """ "all countries we sell to": the different values of a column; with a bound on figures, groups."""
        s = self.sketch
        assert ask.item is not None
        for target in ask.item.targets:
            if target.kind != "field":
                continue
            one = self.model.field(target.table, target.column)
            if (
                one is None
                or one.role not in (Role.DIMENSION, Role.TEXT)
                and not self._tells_things_apart(one)
                or set(one.words) & NUMBERS
                and not one.few
                and not self._tells_things_apart(one)
                or ask.aggs
                and not ask.distinct
            ):
                continue
            thing = self.model.things[one.table]
            if self.source.is_name(thing.table, one.column):
                continue
            bounded = any(c.numbers and c.compare for c in s.clauses)
            if bounded:
                yield from self._bounded_groups(one, target.cost + late, place)
            elif not ask.aggs and not s.share and not s.counting:
                yield Start(
                    one.table,
                    target.cost + late + 0.1,
                    [],
                    None,
                    (),
                    (Slot(one),),
                    [],
                    "",
                    True,
                    [place],
                    True,
                )

    def _tells_things_apart(self, one: Field) -> bool:
        """Whether a code or a number beside the key is what people call a thing's rows by."""
        thing = self.model.things[one.table]
        known = thing.kind is Kind.THING and not one.is_number and bool(set(one.words) & NUMBERS)
        return known and (one.column,) != thing.key and bool(self.sketch.clauses)

    def _bounded_things(self, found: Meant, cost: float, place: int) -> Iterator[Start]:
        """ "branches above average sales", "clients with an average order over 50": things by a bound on their figure."""
        for clause in self.sketch.clauses:
            if not clause.compare or not (clause.numbers or clause.average) or clause.negated:
                continue
            items = [
                *clause.mentions,
                *([a.item for a in self.sketch.asks[1:] if a.item is not None] if clause.average else []),
            ]
            for item in items:
                for one in self.meanings(item, (clause.agg,) if clause.agg else ())[:4]:
                    if (
                        one.measure.anchor == found.thing
                        or clause.numbers
                        and one.measure.agg in ("rows", "distinct")
                    ):
                        continue
                    for hop, path in self.attach.ways(one.measure.anchor, found.thing):
                        if not path:
                            continue
                        dimension = self.source.dimension(found.thing, path)
                        used = [n for n, a in enumerate(self.sketch.asks) if a.item is item]
                        start = Start(
                            one.measure.anchor,
                            cost + one.cost + 0.5 * hop + 0.1,
                            [one.measure],
                            one.time,
                            one.where,
                            (),
                            [dimension],
                            "",
                            False,
                            [place, *used],
                        )
                        start.order = Order()
                        yield start
                        break

    def _bounded_groups(self, one: Field, cost: float, place: int) -> Iterator[Start]:
        """ "countries with more than 300 customers"."""
        for clause in self.sketch.clauses:
            if not clause.numbers:
                continue
            for item in clause.after_compare or clause.mentions:
                for found in self.meanings(item)[:4]:
                    for hop, path in self.attach.ways(found.measure.anchor, one.table):
                        dimension = Dimension((Slot(one, path),), said=one.said)
                        start = Start(
                            found.measure.anchor,
                            cost + found.cost + hop,
                            [found.measure],
                            found.time,
                            found.where,
                            (),
                            [dimension],
                            "",
                            False,
                            [place],
                        )
                        start.order = Order()
                        yield start
                        break

    def _people(self) -> Iterator[Start]:
        """ "who ...": the things that are people, by what the rest says of them; also what is shown by a name."""
        for thing in self.model.things.values():
            if thing.kind is not Kind.THING or not thing.display:
                continue
            staff = bool(set(thing.noun) & STAFF)
            cost = 0.0 if len(thing.display) == 2 or staff else 0.12 if set(thing.noun) & PERSONS else 0.3
            yield Start(
                thing.table,
                cost + (0.0 if self.graph.below(thing.table) else 0.2),
                [],
                None,
                (),
                self._listing(thing.table),
                [],
                thing.table,
                True,
            )

    def _implied(self) -> Iterator[Start]:
        """Nothing is asked for by name: what the values and columns that are mentioned belong to."""
        s = self.sketch
        if s.main.late and not s.main.mentions:  # "on time % per depot"
            for thing in self.model.things.values():
                if due_and_done(self.source, thing.table) or due_above(self.source, thing.table):
                    yield Start(thing.table, 0.15, [Measure("rows", thing.table, said=thing.said)])
        items = [*s.main.mentions, *(m for c in s.clauses for m in c.mentions)] or [
            i for i in s.by if i.kind == "mention"
        ]
        for item in items[:4]:
            for found in self.meanings(item, ("count",)):
                if found.measure.agg == "distinct":
                    continue
                listed = found.thing and self._lists(found.thing) and not any(a.aggs for a in s.asks)
                if listed:
                    yield Start(
                        found.measure.anchor,
                        found.cost + 0.15,
                        [],
                        None,
                        (),
                        self._listing(found.thing),
                        [],
                        found.thing,
                        True,
                    )
                yield Start(
                    found.measure.anchor,
                    found.cost + 0.2,
                    [replace(found.measure, said="count")],
                    found.time,
                    (),
                    (),
                    [],
                    found.thing,
                )
            for target in item.targets[:4]:
                if target.kind in ("field", "value") and self.model.things[target.table].kind in (
                    Kind.EVENT,
                    Kind.LINES,
                    Kind.THING,
                ):
                    yield Start(
                        target.table, target.cost + 0.3, [Measure("rows", target.table, said="count")]
                    )
