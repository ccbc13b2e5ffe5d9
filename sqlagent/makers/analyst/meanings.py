"""Measures that a mention of a question may mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Form, Kind, Role, Thing
from sqlagent.catalog.semantics.words import PRICED, stems
from sqlagent.catalog.value_index import normal
from sqlagent.language.words import singular, stem
from sqlagent.makers.analyst.concepts import Meant, meant, pieces_of, worth
from sqlagent.makers.analyst.concepts.meant import SELLING
from sqlagent.makers.analyst.concepts.orders import head_of
from sqlagent.makers.analyst.dimensions import Dimensions
from sqlagent.makers.analyst.frames import Condition, Expr, Measure, Slot
from sqlagent.makers.analyst.lexicon import PAID_EVENTS
from sqlagent.makers.analyst.pairing import in_order, partner
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.starts import FIGURES, NUMBERS, SUMMED
from sqlagent.makers.analyst.targets import Target

_LISTS = stems("status state type reason category kind stage outcome method channel result stat")
"""Nouns of short lists."""

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


class Meanings(Dimensions):
    """Measures that a mention of a question may mean."""

    def meanings(self, item: Item, aggs: Sequence[str] = (), distinct: bool = False) -> list[Meant]:
        """Give the measures that a mention may stand for, cheapest first and eight at most."""
        agg = aggs[0] if aggs else ""
        out = [found for target in item.targets for found in self._of_target(item, target, agg, distinct)]
        return sorted(out, key=lambda m: m.cost)[:8]

    def _of_target(self, item: Item, target: Target, agg: str, distinct: bool) -> Iterator[Meant]:
        """Give the measures of one thing that a mention may mean."""
        if target.kind == "thing":
            yield from self._of_thing(item, target, agg, distinct)
        elif target.kind == "concept" and not distinct:
            yield from self._of_concept(item, target, agg)
        elif target.kind in ("field", "value"):
            one = self.model.field(target.table, target.column)
            if one is not None and target.kind == "value":
                yield from self._of_value(item, target, one, agg)
            elif one is not None:
                part = 0.15 if agg and self._names_a_thing(item, one) else 0.0
                part += _UNPRICED if agg in ("", "count") and _is_without_price(item.text, one) else 0.0
                yield from self._field_meanings(one, target.cost + part, agg, distinct, item.text)

    def _of_thing(self, item: Item, target: Target, agg: str, distinct: bool) -> Iterator[Meant]:
        """Give what rows are worth and how many there are; of the ends of something, the first and the last time."""
        thing = self.model.things[target.table]
        if target.cost > 0.05 and any(t.kind == "concept" and t.column in FIGURES for t in item.targets):
            return  # rows are no money, whatever else the word may name
        if self.sketch.ends and agg in ("min", "max") and thing.default_time:
            time = Expr("column", (self.source.slot(thing.table, thing.default_time),))
            yield Meant(target.cost, Measure(agg, thing.table, time, said=item.text))
            return
        if not distinct:
            yield from self._worth(thing, target.cost, agg, item.text)
        if self.sketch.earned and agg == "sum" and any(worth(self.source, thing, agg)):
            return  # what was made is money, not how many there were
        of_groups = self.sketch.average or self.sketch.per_word == "per"
        if agg in ("", "count") or distinct or agg in ("avg", "sum") and of_groups:
            yield from self._counted(item, target, agg, distinct)

    def _counted(self, item: Item, target: Target, agg: str, distinct: bool) -> Iterator[Meant]:
        """Give the number of rows; of lines that of their heads, of what is sold its pieces, of a budget its sum."""
        thing = self.model.things[target.table]
        heads = self._heads_of_lines(item, thing, target.cost)
        if heads is not None:  # an order is not one of its lines
            yield Meant(target.cost + 0.05, heads)
            return
        summed = self._summed(thing.table, target.cost, agg, item.text)
        yield from summed
        doubt = self._doubt_of_rows(item, target, agg, is_summed=bool(summed))
        pieces = self._pieces(thing, item.text) if agg in ("", "count") and not distinct else None
        if pieces is not None:
            yield Meant(target.cost, Measure("sum", thing.table, pieces, said=item.text, unit="count"))
            doubt += 0.06
        rows = Measure("rows", thing.table, said=item.text)
        yield Meant(target.cost + doubt, rows, None, thing.table)

    def _doubt_of_rows(self, item: Item, target: Target, agg: str, is_summed: bool) -> float:
        """The cost of counting rows where the words may rather mean a figure."""
        thing = self.model.things[target.table]
        named = any(t.kind == "concept" and meant(self.source, t.column) for t in item.targets)
        doubt = 0.15 if named and target.cost > 0.1 else 0.0
        doubt += 0.25 if is_summed else 0.0
        is_paid = agg == "sum" and bool(set(thing.noun) & PAID_EVENTS)  # total donations per fund are money
        is_of_one = agg == "avg" and not self.sketch.average and not item.text.lower().endswith("s")
        if (is_paid or is_of_one) and any(worth(self.source, thing, agg)):
            doubt += 0.3
        return doubt

    def _of_concept(self, item: Item, target: Target, agg: str) -> Iterator[Meant]:
        """Give the figures of a business word; those of other rows than the named owner's are dearer."""
        of = {t.table for t in item.owner if t.kind == "thing" and t.cost < 0.15} or self._wholes(item)
        for found in meant(self.source, target.column):
            measure = found.measure
            cost = found.cost
            if of and measure.anchor not in of:
                cost = cost + 0.4
            if _is_called_otherwise(item, found):
                cost = cost + OTHER_END
            if agg == "avg" and measure.agg == "avg":
                cost = max(0.0, cost - 0.25)
            is_single = measure.expr is not None and measure.agg != "distinct"
            if agg in ("avg", "min", "max", "median") and is_single:
                measure = replace(measure, agg=agg)
            yield replace(found, cost=cost + target.cost, measure=replace(measure, said=item.text))

    def _of_value(self, item: Item, target: Target, one: Field, agg: str) -> Iterator[Meant]:
        """Give what rows with a value are worth, how many there are, and how many bear an entry of a short list."""
        thing = self.model.things[one.table]
        where = (Condition("in", (Slot(one),), (target.value,)),)
        if agg in ("sum", "avg", "median") and not self.sketch.average:
            for found in worth(self.source, thing, agg):
                if found.measure.anchor == one.table:
                    own = replace(found.measure, said=item.text)
                    yield Meant(target.cost + 0.06 + found.cost, own, None, "", where)
        cost = target.cost + 0.12 + (0.1 if thing.kind is Kind.THING else 0.0)
        cost -= 0.04 * self._is_told_further(one, target.value)
        cost += 0.3 * self._is_one_row(one)
        yield Meant(cost, Measure("rows", one.table, said=item.text), None, one.table, where)
        yield from self._of_list(one, target.value, target.cost, item.text)

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
        if not set(thing.noun) & _LISTS and len(self.model.fields[one.table]) > 3:
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
        """Give the measures of a column, by its role."""
        if one.role is Role.MEASURE:
            if distinct and agg == "count":
                expr = Expr("column", (Slot(one),))
                yield Meant(cost, Measure("distinct", one.table, expr, said=said))
            else:
                yield self._of_number(one, cost, agg, said)
        elif one.role is Role.TIME:
            yield from self._of_time(one, cost, agg, distinct, said)
        elif one.role is Role.FLAG:
            if agg in ("avg", "sum", "count", ""):
                where = (Condition("in", (Slot(one),), (one.yes.strip("'"),)),)
                yield Meant(cost + 0.15, Measure("rows", one.table, said=said), None, one.table, where)
        elif one.role in (Role.DIMENSION, Role.TEXT, Role.FOREIGN, Role.KEY):
            yield from self._of_name(one, cost, agg, said)

    @staticmethod
    def _of_number(one: Field, cost: float, agg: str, said: str) -> Meant:
        """Give a number as it is summed up, or as asked; counted where it may not be added up, of the rows that have it."""
        chosen = agg if agg not in ("", "count") else one.aggregate
        if agg == "count":
            chosen = "sum" if one.aggregate == "sum" else "rows"
        if chosen == "rows":
            where = (Condition("filled", (Slot(one),)),)
            return Meant(cost, Measure("rows", one.table, said=said, unit=one.unit), where=where)
        expr = Expr("column", (Slot(one),))
        return Meant(cost, Measure(chosen, one.table, expr, said=said, unit=one.unit))

    def _of_time(self, one: Field, cost: float, agg: str, distinct: bool, said: str) -> Iterator[Meant]:
        """Give the first or last time, how long it took until then, or how many rows have it."""
        expr = Expr("column", (Slot(one),))
        is_average = agg in ("avg", "median")
        if agg in ("min", "max") or one.form is Form.YEAR and is_average:  # the mean of years is a year
            yield Meant(cost, Measure(agg, one.table, expr, said=said))
            return
        may_last = self.sketch.unit or "time" in said.lower() or is_average and cost < 0.1
        if (is_average or agg in ("", "sum")) and may_last and not distinct:
            begin = partner(self.source, Slot(one))
            if begin is not None:
                unit = self.sketch.unit or "days"
                unit = unit if unit.endswith("s") else unit + "s"
                span = Expr("span", in_order(begin, Slot(one)), unit)
                yield Meant(cost + 0.02, Measure(agg or "avg", one.table, span, said=said, unit=unit))
        elif agg in ("", "count") and not distinct:
            where = (Condition("filled", (Slot(one),)),) if one.filled < 1 else ()
            rows = Measure("rows", one.table, said=said)
            yield Meant(cost + (0.12 if agg == "count" else 0.25), rows, Slot(one), one.table, where)

    def _of_name(self, one: Field, cost: float, agg: str, said: str) -> Iterator[Meant]:
        """Give how many different names, codes or keys there are; an average only of codes that are numbers."""
        expr = Expr("column", (Slot(one),))
        different = Measure("distinct", one.table, expr, said=said)
        is_number = one.is_number and one.role is Role.DIMENSION
        if agg in ("avg", "median", "min", "max", "sum") and is_number:
            yield Meant(cost + 0.05, Measure(agg, one.table, expr, said=said))
        elif agg == "" and cost <= 0.12 and self._is_a_number_of_things(one):
            listed = 0.2 if self.sketch.clauses and not (self.sketch.by or self.sketch.share) else 0.0
            yield Meant(cost + 0.02 + listed, different)
        elif agg == "count":
            if one.role is Role.KEY and (one.column,) == self.model.things[one.table].key:
                yield Meant(cost + 0.02, Measure("rows", one.table, said=said), None, one.table)
            else:
                pieces = one.role is Role.FOREIGN and self.attach.pieces(one.table) is not None
                dear = 0.0 if one.role is not Role.FOREIGN else 0.25 if pieces else 0.05
                yield Meant(cost + dear, different)

    def _is_a_number_of_things(self, one: Field) -> bool:
        """Whether a column numbers things that have no table of their own: "policy numbers" of claims."""
        is_number = set(one.words) & NUMBERS and one.role in (Role.KEY, Role.TEXT)
        return bool(is_number) and (one.column,) != self.model.things[one.table].key

    def _rows_of(self, table: str, said: str = "") -> Measure:
        """How many rows an event has; of what is done piece by piece how many pieces."""
        said = said or self.model.things[table].said
        pieces = self.attach.pieces(table)
        return (
            Measure("rows", table, said=said)
            if pieces is None
            else Measure("sum", table, pieces, said=said, unit="count")
        )

    def _main_measures(self, table: str) -> list[Measure]:
        found = [
            f
            for f in self.source.measures(table)
            if f.aggregate == "sum" and f.unit in ("money", "hours", "count", "days")
        ]
        return [
            Measure("sum", table, Expr("column", (Slot(f),)), said=f.said, unit=f.unit) for f in found[:1]
        ]
