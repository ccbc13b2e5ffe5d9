"""Measures, groups and columns that a mention of a question may mean, as seen from one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Field, Form, Kind, Role, Thing
from sqlagent.catalog.semantics.words import PRICED
from sqlagent.catalog.value_index import normal
from sqlagent.language.words import singular, stem
from sqlagent.makers.analyst.attaching import LOST, Attacher
from sqlagent.makers.analyst.concepts import Meant, meant, pieces_of, worth
from sqlagent.makers.analyst.concepts.meant import SELLING
from sqlagent.makers.analyst.concepts.orders import head_of
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Measure, Path, Slot
from sqlagent.makers.analyst.graph import HOP
from sqlagent.makers.analyst.lexicon import PAID_EVENTS
from sqlagent.makers.analyst.owning import way_said
from sqlagent.makers.analyst.pairing import in_order, partner
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Clause, Sketch
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import BORN, FIGURES, NUMBERS, PERSONS, SUMMED

_SORTS = frozenset(stem(w) for w in ("type", "kind", "category", "class", "status", "reason", "method"))
"""Nouns of columns that say of what sort a row is."""

LISTED = 60
"""Rows up to which a table is a short list of sorts or states."""

OTHER_END = 0.15
"""The cost of an end that no state calls a cancellation, where cancellations are asked for."""


_UNPRICED = 0.2
"""The cost of a price of what is named in the plural, where nothing asks for money: late deliveries are no delivery fee."""


def _is_without_price(said: str, one: Field) -> bool:
    """Whether words name in the plural only what a column holds the price of."""
    stems = {stem(word) for word in said.lower().split()}
    return singular(said) != said and one.words[-1] in PRICED and stems <= set(one.words[:-1])


def _is_called_otherwise(item: Item, found: Meant) -> bool:
    """Whether cancellations are meant by an end that bears another name."""
    ends = [one.said for one in found.where if one.said]
    return item.text.lower().startswith("cancel") and bool(ends) and not any("cancel" in one for one in ends)


class Meanings:
    """Measures, groups and columns that a mention of a question may mean, as seen from one table."""

    def __init__(self, sketch: Sketch, source: Source, today: date) -> None:
        self.sketch = sketch
        self.source = source
        self.model = source.model
        self.graph = source.graph
        self.attach = Attacher(source, sketch.stems, today)
        self.today = today

    def meanings(self, item: Item, aggs: Sequence[str] = (), distinct: bool = False) -> list[Meant]:
        """The measures that a mention may stand for, cheapest first."""
        out: list[Meant] = []
        agg = aggs[0] if aggs else ""
        named = any(t.kind == "concept" and meant(self.source, t.column) for t in item.targets)
        figure = any(t.kind == "concept" and t.column in FIGURES for t in item.targets)
        for target in item.targets:
            if target.kind == "concept" and distinct:
                continue
            if target.kind == "thing" and figure and target.cost > 0.05:
                continue  # rows are no money, whatever else the word may name
            if target.kind == "thing":
                thing = self.model.things[target.table]
                if self.sketch.ends and agg in ("min", "max") and thing.default_time:
                    time = Expr("column", (self.source.slot(thing.table, thing.default_time),))
                    out.append(Meant(target.cost, Measure(agg, thing.table, time, said=item.text)))
                    continue
                if not distinct:
                    out += self._worth(thing, target.cost, agg, item.text)
                if self.sketch.earned and agg == "sum" and any(worth(self.source, thing, agg)):
                    continue  # what was made is money, not how many there were
                if (
                    agg in ("", "count")
                    or distinct
                    or agg in ("avg", "sum")
                    and (self.sketch.average or self.sketch.per_word == "per")
                ):
                    other = 0.15 if named and target.cost > 0.1 else 0.0
                    heads = self._heads_of_lines(item, thing, target.cost)
                    if heads is not None:  # an order is not one of its lines
                        out.append(Meant(target.cost + 0.05, heads))
                        continue
                    summed = self._summed(thing.table, target.cost, agg, item.text)
                    out += summed
                    other += 0.25 if summed else 0.0
                    if agg == "sum" and set(thing.noun) & PAID_EVENTS and any(worth(self.source, thing, agg)):
                        other += 0.3  # total donations per fund are money
                    if agg == "avg" and not self.sketch.average and not item.text.lower().endswith("s"):
                        other += (
                            0.3 if any(worth(self.source, thing, agg)) else 0.0
                        )  # of one, it is its amount
                    pieces = self._pieces(thing, item.text) if agg in ("", "count") and not distinct else None
                    if pieces is not None:
                        total = Measure("sum", thing.table, pieces, said=item.text, unit="count")
                        out.append(Meant(target.cost, total))
                        other += 0.06
                    out.append(
                        Meant(
                            target.cost + other,
                            Measure("rows", thing.table, said=item.text),
                            None,
                            thing.table,
                        )
                    )
            elif target.kind == "concept":
                of = {t.table for t in item.owner if t.kind == "thing" and t.cost < 0.15} or self._wholes(
                    item
                )
                for found in meant(self.source, target.column):
                    measure = found.measure
                    if of and measure.anchor not in of:
                        found = replace(found, cost=found.cost + 0.4)
                    if _is_called_otherwise(item, found):
                        found = replace(found, cost=found.cost + OTHER_END)
                    if (
                        agg in ("avg", "min", "max", "median")
                        and measure.expr is not None
                        and measure.agg != "distinct"
                    ):
                        measure = replace(measure, agg=agg)
                    if agg == "avg" and found.measure.agg == "avg":
                        found = replace(found, cost=max(0.0, found.cost - 0.25))
                    out.append(
                        replace(
                            found, cost=found.cost + target.cost, measure=replace(measure, said=item.text)
                        )
                    )
            elif target.kind == "field":
                one = self.model.field(target.table, target.column)
                if one is not None:
                    part = 0.15 if agg and self._names_a_thing(item, one) else 0.0
                    part += _UNPRICED if agg in ("", "count") and _is_without_price(item.text, one) else 0.0
                    out += self._field_meanings(one, target.cost + part, agg, distinct, item.text)
            elif target.kind == "value":
                one = self.model.field(target.table, target.column)
                if one is not None:
                    where = (Condition("in", (Slot(one),), (target.value,)),)
                    found_cost = (
                        target.cost + 0.12 + (0.1 if self.model.things[one.table].kind is Kind.THING else 0.0)
                    )
                    found_cost -= 0.04 * self._is_told_further(one, target.value)
                    found_cost += 0.3 * self._is_one_row(one)
                    if agg in ("sum", "avg", "median") and not self.sketch.average:
                        for found in worth(self.source, self.model.things[one.table], agg):
                            if found.measure.anchor != one.table:
                                continue
                            own = replace(found.measure, said=item.text)
                            out.append(Meant(target.cost + 0.06 + found.cost, own, None, "", where))
                    rows = Measure("rows", one.table, said=item.text)
                    out.append(Meant(found_cost, rows, None, one.table, where))
                    out += self._of_list(one, target.value, target.cost, item.text)
        return sorted(out, key=lambda m: m.cost)[:8]

    def _heads_of_lines(self, item: Item, thing: Thing, cost: float) -> Measure | None:
        """How many different heads lines belong to, where the words name the head rather than its lines."""
        if thing.kind is not Kind.LINES or not self._names_a_head(item, cost):
            return None
        head = head_of(self.source, thing)
        named = {t.table for t in item.targets if t.kind == "thing" and t.cost < cost}
        if head is None or head.path and head.field.table not in named:
            return None
        return Measure("distinct", thing.table, Expr("column", (head,)), said=item.text)

    def _names_a_head(self, item: Item, cost: float) -> bool:
        """Whether a mention names an event more surely, so that lines are no more than a part of what it means."""
        return any(
            t.kind == "thing" and t.cost < cost and self.model.things[t.table].kind is Kind.EVENT
            for t in item.targets
        )

    @staticmethod
    def _names_a_thing(item: Item, one: Field) -> bool:
        """Whether a mention names a thing, and no more than its name within a column: "order" within "order quantity"."""
        said = {stem(word) for word in item.text.lower().split()}
        return any(t.kind == "thing" for t in item.targets) and bool(set(one.words) - said)

    def _worth(self, thing: Thing, cost: float, agg: str, said: str) -> Iterator[Meant]:
        """ "average donation", "how much did we invoice": the amount of an event's rows; of a "total", beside their number."""
        if agg not in ("sum", "avg", "median", "min", "max") or self.sketch.average:
            return
        paid = self.sketch.much or bool(set(thing.noun) & PAID_EVENTS)
        shy = 0.04 if agg != "sum" or paid else 0.25
        for found in worth(self.source, thing, agg):
            measure = replace(found.measure, said=said if agg == "sum" else f"{said} {found.measure.said}")
            yield Meant(cost + shy + found.cost, measure)
        if agg == "sum" and not self.sketch.much and self.sketch.per_word != "per":
            count = Measure("rows", thing.table, said=said)
            yield Meant(cost + (0.3 if paid else 0.08), count, None, thing.table)

    def _summed(self, table: str, cost: float, agg: str, said: str) -> list[Meant]:
        """ "campaign spend", "budget": tables named after what is summed up in them."""
        thing = self.model.things[table]
        if (
            agg not in ("", "sum")
            or not thing.noun
            or thing.noun[-1] not in SUMMED
            and thing.noun[0] not in ("stock", "inventori")
        ):
            return []
        if thing.kind is Kind.THING and thing.display and said.lower().endswith("s") and agg != "sum":
            return []  # paper stocks are listed by their names
        if self._is_what_is_sold(thing, said):
            return []
        fields = [f for f in self.source.measures(table) if f.aggregate == "sum"]
        fields.sort(key=lambda f: (not set(f.words) & set(thing.noun), f.unit != "money"))
        named = bool(fields) and bool(set(fields[0].words) & set(thing.noun))
        if not named and thing.noun[-1] in SELLING:  # of sales the quantity and the discount are none
            products = [m for m in worth(self.source, thing, "sum") if m.measure.anchor == table]
            if products:
                own = replace(products[0].measure, said=said)
                return [Meant(cost + 0.03, own)]
        return [
            Meant(cost + 0.03, Measure("sum", table, Expr("column", (Slot(f),)), said=said, unit=f.unit))
            for f in fields[:1]
        ]

    def _pieces(self, thing: Thing, said: str) -> Expr | None:
        """The quantity of rows that are asked for as pieces: by what is done with them, or by the name of what is sold."""
        own = pieces_of(self.source, thing.table) if self._is_what_is_sold(thing, said) else None
        return Expr("column", (Slot(own),)) if own is not None else self.attach.pieces(thing.table)

    @staticmethod
    def _is_what_is_sold(thing: Thing, said: str) -> bool:
        """Whether words name what a table of sales sells: tickets of ticket sales are pieces and no money."""
        stems = {stem(word) for word in said.lower().split()}
        return len(thing.noun) > 1 and thing.noun[-1] in SELLING and not SELLING & stems

    def _wholes(self, item: Item) -> set[str]:
        """The orders whose value is asked for, and their lines: "order value" is no invoice's."""
        first, _, last = item.text.lower().partition(" ")
        if first == "new":  # new accounts are no new users of them
            return {t.table for t in self.model.things.values() if t.noun and t.noun[-1] == stem(last)}
        if last not in ("value", "amount", "total"):
            return set()
        wholes = {t.table for t in self.model.things.values() if t.noun and t.noun[-1] == stem(first)}
        wholes = {table for table in wholes if self.model.things[table].kind is Kind.EVENT}
        lines = {
            r.source
            for r in self.model.relations
            if r.target in wholes and self.model.things[r.source].kind is Kind.LINES
        }
        valued = lines or any(any(worth(self.source, self.model.things[t], "sum")) for t in wholes)
        return wholes | lines if valued else set()

    def _is_told_further(self, one: Field, value: str) -> bool:
        """Whether other columns of the rows tell of a state too: a reason why, or a time when, they were cancelled."""
        said = {stem(w) for w in normal(value).split()}
        return any(said & set(f.words) for f in self.model.fields[one.table] if f.column != one.column)

    def _of_list(self, one: Field, value: str, cost: float, said: str) -> Iterator[Meant]:
        """Rows that bear an entry of a short list kept in a table of its own: "no shows" are visits of that status."""
        thing = self.model.things[one.table]
        if thing.kind is not Kind.THING or thing.rows > LISTED or one.column not in thing.display:
            return
        yield from self._of_sort(one, value, cost, said)
        listed = {
            stem(w)
            for w in (
                "status",
                "state",
                "type",
                "reason",
                "category",
                "kind",
                "stage",
                "outcome",
                "method",
                "channel",
                "result",
                "stat",
            )
        }
        if not set(thing.noun) & listed and len(self.model.fields[one.table]) > 3:
            return
        for relation in self.graph.into[one.table]:
            source = self.model.things[relation.source]
            if source.kind is Kind.EVENT:
                where = (Condition("in", (Slot(one, (relation,)),), (value,)),)
                yield Meant(cost + 0.05, Measure("rows", source.table, said=said), None, source.table, where)

    def _is_one_row(self, one: Field) -> bool:
        """Whether each value stands in one row alone, so that rows of it are nothing to count: an entry of a short list."""
        thing = self.model.things[one.table]
        return (
            thing.kind is Kind.THING and one.column in (*thing.key, *thing.display) and thing.rows <= LISTED
        )

    def _of_sort(self, one: Field, value: str, cost: float, said: str) -> Iterator[Meant]:
        """Things of a sort that a short list names: "dogs" are animals of that species, not the list's entry."""
        if len(self.model.fields[one.table]) > 3 or self.graph.out[one.table]:
            return
        for relation in self.graph.into[one.table]:
            source = self.model.things[relation.source]
            if source.kind is Kind.THING and source.rows > self.model.things[one.table].rows:
                where = (Condition("in", (Slot(one, (relation,)),), (value,)),)
                yield Meant(cost + 0.05, Measure("rows", source.table, said=said), None, source.table, where)

    def _field_meanings(
        self, one: Field, cost: float, agg: str, distinct: bool, said: str
    ) -> Iterator[Meant]:
        expr = Expr("column", (Slot(one),))
        if one.role is Role.MEASURE:
            if distinct and agg == "count":
                yield Meant(cost, Measure("distinct", one.table, expr, said=said))
                return
            chosen = agg if agg not in ("", "count") else one.aggregate
            if agg == "count":
                chosen = "sum" if one.aggregate == "sum" else "rows"
            where = (Condition("filled", (Slot(one),)),) if chosen == "rows" else ()
            yield Meant(
                cost,
                Measure(chosen, one.table, None if chosen == "rows" else expr, said=said, unit=one.unit),
                where=where,
            )
        elif one.role is Role.TIME:
            if agg in ("min", "max"):
                yield Meant(cost, Measure(agg, one.table, expr, said=said))
            elif one.form is Form.YEAR and agg in ("avg", "median"):
                yield Meant(cost, Measure(agg, one.table, expr, said=said))  # the mean of years is a year
            elif (
                agg in ("avg", "median", "", "sum")
                and (self.sketch.unit or "time" in said.lower() or agg in ("avg", "median") and cost < 0.1)
                and not distinct
            ):
                begin = partner(self.source, Slot(one))
                if begin is not None:
                    unit = self.sketch.unit or "days"
                    unit = unit if unit.endswith("s") else unit + "s"
                    span = Expr("span", in_order(begin, Slot(one)), unit)
                    yield Meant(cost + 0.02, Measure(agg or "avg", one.table, span, said=said, unit=unit))
            elif agg in ("", "count") and not distinct:
                penalty = 0.12 if agg == "count" else 0.25
                rows = Measure("rows", one.table, said=said)
                yield Meant(
                    cost + penalty,
                    rows,
                    Slot(one),
                    one.table,
                    (Condition("filled", (Slot(one),)),) if one.filled < 1 else (),
                )
        elif one.role is Role.FLAG:
            if agg in ("avg", "sum", "count", ""):
                rows = Measure("rows", one.table, said=said)
                yield Meant(
                    cost + 0.15,
                    rows,
                    None,
                    one.table,
                    (Condition("in", (Slot(one),), (one.yes.strip("'"),)),),
                )
        elif one.role in (Role.DIMENSION, Role.TEXT, Role.FOREIGN, Role.KEY):
            if agg in ("avg", "median", "min", "max", "sum") and one.is_number and one.role is Role.DIMENSION:
                yield Meant(cost + 0.05, Measure(agg, one.table, expr, said=said))
            elif (
                agg == ""
                and cost <= 0.12
                and set(one.words) & NUMBERS
                and one.role in (Role.KEY, Role.TEXT)
                and (one.column,) != self.model.things[one.table].key
            ):
                listed = 0.2 if self.sketch.clauses and not (self.sketch.by or self.sketch.share) else 0.0
                yield Meant(cost + 0.02 + listed, Measure("distinct", one.table, expr, said=said))
            elif agg == "count":
                if one.role is Role.KEY and (one.column,) == self.model.things[one.table].key:
                    yield Meant(cost + 0.02, Measure("rows", one.table, said=said), None, one.table)
                else:
                    pieces = one.role is Role.FOREIGN and self.attach.pieces(one.table) is not None
                    yield Meant(
                        cost + (0.0 if one.role is not Role.FOREIGN else 0.25 if pieces else 0.05),
                        Measure("distinct", one.table, expr, said=said),
                    )

    def _rows_of(self, table: str, said: str = "") -> Measure:
        """How many rows an event has; of what is done piece by piece how many pieces."""
        said = said or self.model.things[table].said
        pieces = self.attach.pieces(table)
        return (
            Measure("rows", table, said=said)
            if pieces is None
            else Measure("sum", table, pieces, said=said, unit="count")
        )

    def _all(self) -> list[Item]:
        s = self.sketch
        return [
            *(a.item for a in s.asks if a.item is not None), *s.main.mentions, *s.span_parts, *(i for i in s.by if i.kind == "mention"),
            *(m for c in s.clauses for m in c.mentions),
        ]  # fmt: skip

    def _is_person(self, table: str) -> bool:
        thing = self.model.things.get(table)
        return (
            thing is not None
            and thing.kind is Kind.THING
            and (len(thing.display) == 2 or bool(set(thing.noun) & PERSONS))
        )

    def _may_group(self, item: Item) -> bool:
        best = item.targets[0]
        if best.kind == "field":
            one = self.model.field(best.table, best.column)
            return one is not None and one.role in (Role.DIMENSION, Role.FLAG, Role.TEXT, Role.FOREIGN)
        return False

    def _has_age_column(self) -> bool:
        return any(
            stem("age") in f.words and f.role is Role.MEASURE
            for fields in self.model.fields.values()
            for f in fields
        )

    def _listing(self, table: str) -> tuple[Slot, ...]:
        return self.source.shown(table)

    def _lists(self, table: str) -> bool:
        """Whether rows of a table are rather listed than counted."""
        s = self.sketch
        if (
            s.question == "why"
            or s.much
            or s.by
            or s.share
            or s.vs
            or s.transform
            or s.counting
            or s.distribution
            or s.per
        ):
            return False
        thing = self.model.things[table]
        if s.listing or s.columns or s.who or s.described and self._stands(thing):
            return True
        if (
            any(c.opener == "with" and c.mentions and not c.numbers and not c.negated for c in s.clauses)
            and thing.kind is Kind.EVENT
        ):
            return any(self._is_columns(table, c) for c in s.clauses)
        return thing.kind is Kind.THING and bool(thing.display or self.graph.below(table))

    def _stands(self, thing: Thing) -> bool:
        """Whether rows are things rather than happenings: those that have a time may lack it."""
        time = self.model.field(thing.table, thing.default_time) if thing.default_time else None
        return thing.kind is Kind.THING or time is not None and time.filled < 1

    def _is_columns(self, table: str, clause: Clause) -> bool:
        """Whether a clause with "with" names columns to show rather than a restriction."""
        if (
            clause.opener != "with"
            or clause.negated
            or clause.numbers
            or clause.compare
            or clause.is_timed
            or clause.like
            or clause.missing
        ):
            return False
        for item in clause.mentions:
            fitting = [t for t in item.targets if t.cost < item.targets[0].cost + 0.15]
            above = any(
                (t.kind == "field" and self.graph.paths(table, t.table) and self._shows(t.table, t.column))
                or (t.kind == "thing" and t.table != table and self.graph.paths(table, t.table))
                or t.kind == "relation"
                for t in fitting
            )
            if not above or item.targets[0].kind == "value":
                return False
        return bool(clause.mentions)

    def _shows(self, table: str, column: str) -> bool:
        one = self.model.field(table, column)
        return one is not None and one.role is not Role.FLAG

    def _main_measures(self, table: str) -> list[Measure]:
        found = [
            f
            for f in self.source.measures(table)
            if f.aggregate == "sum" and f.unit in ("money", "hours", "count", "days")
        ]
        return [
            Measure("sum", table, Expr("column", (Slot(f),)), said=f.said, unit=f.unit) for f in found[:1]
        ]

    def _held_now(self, table: str) -> tuple[Condition, ...]:
        thing = self.model.things[table]
        return (
            (Condition("missing", (self.source.slot(table, thing.ends),)),)
            if thing.kind is Kind.HISTORY and thing.ends
            else ()
        )

    def _dimension(self, anchor: str, item: Item, time: Slot | None) -> tuple[float, Dimension] | None:
        """The cheapest dimension that an item may be, as seen from an anchor."""
        if item.kind == "age":
            for table, paths in self.graph.up(anchor).items():
                born = next((f for f in self.model.of_role(table, Role.TIME) if set(f.words) & BORN), None)
                if born is not None and paths:
                    return HOP * len(paths[0]), Dimension(
                        (Slot(born, paths[0]),), op="age", bucket=self.sketch.bucket or 10.0, said="age"
                    )
            return None
        if item.kind == "grain":
            slot = self._own_time(anchor, item) if item.owner else time or self.source.time_of(anchor)
            if (
                slot is None
                or item.grain == "hour"
                and slot.field.form not in (Form.MOMENT, Form.TEXT_MOMENT, Form.SECONDS, Form.MILLISECONDS)
            ):
                return None
            return (0.0, Dimension((slot,), grain=item.grain, said=item.grain))
        out: list[tuple[float, Dimension]] = []
        for target in item.targets:
            if target.kind == "thing":
                for cost, path in self.attach.ways(anchor, target.table, item):
                    out.append((target.cost + cost, self.source.dimension(target.table, path)))
            elif target.kind == "relation" and target.relation is not None:
                for cost, path in self.attach.ways(anchor, target.relation.source, item):
                    out.append(
                        (
                            target.cost + cost,
                            self.source.dimension(
                                target.relation.target, (*path, target.relation), item.text
                            ),
                        )
                    )
            elif target.kind == "related" and target.relation is not None:
                one = self.model.field(target.table, target.column)
                for cost, path in self.attach.ways(anchor, target.relation.source, item):
                    if one is not None:
                        out.append(
                            (
                                target.cost + cost,
                                Dimension((Slot(one, (*path, target.relation)),), said=item.text),
                            )
                        )
            elif target.kind == "field":
                out += self._field_dimensions(anchor, target.table, target.column, target.cost, item)
        if self.sketch.age and not out:
            return None
        if not out:
            return None
        cost, chosen = min(out, key=lambda o: o[0])
        if item.owner and chosen.shown:
            chosen = replace(chosen, way=way_said(self.source, anchor, chosen.shown[0]))
        return cost, chosen

    def _own_time(self, anchor: str, item: Item) -> Slot | None:
        """The time whose word stands before a grain ("issue year"), as seen from an anchor; None where it has none of it."""
        mention = replace(item, kind="mention", targets=item.owner, owner=())
        found = [(cost, slot) for cost, slot, _ in self.attach.fields(anchor, mention, (Role.TIME,))]
        for target in item.owner:
            time = self.model.things[target.table].default_time if target.kind == "thing" else ""
            for cost, path in self.attach.ways(anchor, target.table) if time else ():
                found.append((target.cost + cost, self.source.slot(target.table, time, path)))
        return min(found, key=lambda one: one[0])[1] if found else None

    def _field_dimensions(
        self, anchor: str, table: str, column: str, cost: float, item: Item
    ) -> Iterator[tuple[float, Dimension]]:
        one = self.model.field(table, column)
        if one is None:
            return
        thing = self.model.things[table]
        named = any(t.kind == "thing" and not t.cost and t.table != anchor for t in item.targets)
        own = stem(item.text.lower()) in one.words
        if table == anchor and stem(item.text.lower()) in _SORTS and (own or not named):
            cost = max(0.0, cost - 0.1)  # the rows' own kind, whatever else has a type
        for hop, path in self.attach.ways(anchor, table, item):
            slot = Slot(one, path)
            if self.source.is_name(table, one.column) or one.role is Role.KEY and one.column in thing.key:
                yield cost + hop, self.source.dimension(table, path)
            elif one.role is Role.TIME:
                grain = (
                    "month"
                    if one.form is Form.TEXT_MONTH or "month" in item.text.lower()
                    else "year"
                    if one.form is Form.YEAR or "year" in item.text.lower()
                    else "day"
                )
                yield cost + hop + 0.05, Dimension((slot,), grain=grain, said=one.said)
            elif one.role is Role.FOREIGN:
                relation = next((r for r in self.graph.out[table] if column in r.columns), None)
                if relation is not None:
                    yield (
                        cost + hop,
                        self.source.dimension(
                            relation.target, (*path, relation), one.said.removesuffix(" id")
                        ),
                    )
            elif one.role is Role.MEASURE and not one.few:
                yield cost + hop + 0.35, Dimension((slot,), said=one.said)
            else:
                yield (
                    cost + hop + (0.1 if one.role is Role.MEASURE else 0.0),
                    Dimension((slot,), said=one.said),
                )

    def _column_options(self, anchor: str, item: Item) -> list[tuple[float, tuple[Slot, ...]]]:
        out: list[tuple[float, tuple[Slot, ...]]] = []
        for target in item.targets:
            if target.kind == "thing" and target.table != anchor:
                for cost, path in self.attach.ways(anchor, target.table, item):
                    out.append((target.cost + cost, self.source.shown(target.table, path)))
            elif target.kind == "field":
                for cost, path in self.attach.ways(anchor, target.table, item):
                    slot = self.source.slot(target.table, target.column, path)
                    if slot.field.role is Role.FOREIGN:
                        continue
                    out.append((target.cost + cost, (slot,)))
            elif target.kind == "relation" and target.relation is not None:
                for cost, path in self.attach.ways(anchor, target.relation.source, item):
                    full: Path = (*path, target.relation)
                    out.append((target.cost + cost + 0.02, self.source.shown(target.relation.target, full)))
        return sorted(out, key=lambda o: o[0])

    def _column_of(self, anchor: str, item: Item, columns: list[Slot], unused: list[str]) -> float:
        found = self._column_options(anchor, item)
        if not found:
            if any(t.kind == "thing" and t.table == anchor for t in item.targets):
                return 0.05
            unused.append(item.text)
            return LOST
        columns.extend(found[0][1])
        return found[0][0]
