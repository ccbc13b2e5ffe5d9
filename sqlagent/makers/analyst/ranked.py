"""Ways to begin where something is ranked: things, columns, extremes, the best month."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.catalog.semantics.words import BUYERS, PAPERS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import Meant, meant, revenue, sold_in
from sqlagent.makers.analyst.concepts.meant import GOODS
from sqlagent.makers.analyst.frames import Condition, Dimension, Expr, Measure, Order, Slot
from sqlagent.makers.analyst.greatest_single import ranks_single_rows
from sqlagent.makers.analyst.ranked_things import RankedThings, Ranking, groups_ranked
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Rank
from sqlagent.makers.analyst.starts import PERSONS, TOP, Start
from sqlagent.makers.analyst.targets import Target


class Ranked(RankedThings):
    """Ways to begin where something is ranked: things, columns, extremes, the best month."""

    def _ranked(self) -> Iterator[Start]:
        """Give the starts of a rank, by what is ranked: people who are not named, times, else a thing or a column."""
        s = self.sketch
        rank = s.rank
        assert rank is not None
        target = self._what_is_ranked(rank)
        ascending = rank.kind in ("asc", "short", "cheap")
        if s.transform in ("growth", "change") and rank.by is None and target is not None:
            yield from self._grown(target, rank, ascending)
        if target is None:
            if s.who:
                yield from self._who_most(rank, ascending)
            elif rank.by is not None:
                yield from self._named_things(rank, ascending)
            return
        one_person = s.who and s.rank_text in ("most", "least")  # "who on the staff sold the most"
        several = self._is_plural(target) and not one_person
        limit = None if rank.every else rank.count or (TOP if several else 1)
        if target.kind == "grain":
            slow = s.rank_text in ("slowest", "quietest")  # of times those in which least happened
            yield from self._best_grain(target, rank, ascending and rank.kind != "short" or slow, limit or 1)
            return
        used = [n for n, a in enumerate(s.asks) if a.item is target]
        if ranks_single_rows(s):
            for start in self._by_greatest_single(target, rank, ascending, limit):
                start.used = [*used, *start.used]
                yield start
        for start in self._ranked_target(target, rank, ascending, limit):
            start.used = [*used, *start.used]
            yield start

    def _by_greatest_single(
        self, target: Item, rank: Rank, ascending: bool, limit: int | None
    ) -> Iterator[Start]:
        """ "client with the largest invoice": groups by the greatest amount of one row, as that row would be ranked by itself."""
        for one in rank.by.targets if rank.by is not None else ():
            if one.kind != "thing" or any(t.kind == "thing" and t.table == one.table for t in target.targets):
                continue
            found = self._dimension(one.table, target, None)
            if found is None:
                continue
            for start in self._ranked_thing(one.table, one.cost, Ranking(rank.kind, ascending, 1)):
                amount = start.order.by if start.order is not None and start.anchor == one.table else None
                if amount is None or amount.op != "column" or start.dims:
                    continue
                column = amount.slots[0]
                agg = "min" if ascending else "max"
                greatest = Measure(agg, one.table, amount, said=column.field.said, unit=column.field.unit)
                there = (Condition("filled", (column,)),) if column.field.filled < 1 else ()
                ranking = Ranking(rank.kind, ascending, limit)
                meant_so = Meant(0.0, greatest, start.time, where=(*start.where, *there))
                cost = start.cost + 0.5 * found[0]
                yield groups_ranked(meant_so, cost, found[1], ranking)

    def _what_is_ranked(self, rank: Rank) -> Item | None:
        """The mention that is ranked, None where none is; the rank and the groups are put right by it."""
        s = self.sketch
        if s.who and rank.by is None and rank.target is not None and self._is_event(rank.target):
            rank.target, rank.by = None, rank.target  # "who had the most lessons"
        target = rank.target
        if target is None and s.asks:
            target = next(
                (a.item for a in s.asks if a.item is not None and not any(x != "count" for x in a.aggs)), None
            )
            rank.target = target if len(s.asks) == 1 and s.rank_text not in ("first", "last") else None
        if target is None and rank.by is None and s.by and not s.asks:
            target = s.by.pop(0)
        return target

    def _grown(self, target: Item, rank: Rank, ascending: bool) -> Iterator[Start]:
        """ "fastest growing product": groups by revenue, which is what grows where nothing is named."""
        used = [n for n, a in enumerate(self.sketch.asks) if a.item is target]
        for found in sorted(revenue(self.source), key=lambda m: m.cost)[:2]:
            dimension = self._dimension(found.measure.anchor, target, None)
            if dimension is not None:
                yield Start(
                    found.measure.anchor,
                    found.cost + dimension[0] * 0.5 + 0.1,
                    [found.measure],
                    found.time,
                    dims=[dimension[1]],
                    used=used,
                    order=Order(ascending),
                    limit=rank.count or 1,
                )

    def _named_things(self, rank: Rank, ascending: bool) -> Iterator[Start]:
        """The things of values that are named, by the figure of a rank that does not say of what."""
        limit = None if rank.every else rank.count or 1
        for item in self.sketch.main.mentions:
            for one in item.targets:
                if one.kind == "value" and self.model.things[one.table].kind is Kind.THING:
                    ranking = Ranking(rank.kind, ascending, limit, self._by_meanings(rank))
                    yield from self._ranked_thing(one.table, one.cost + 0.05, ranking)

    def _is_event(self, item: Item) -> bool:
        best = item.targets[0] if item.targets else None
        return best is not None and best.kind == "thing" and self.model.things[best.table].kind is Kind.EVENT

    def _by_meanings(self, rank: Rank) -> list[Meant]:
        s = self.sketch
        aggs = next((a.aggs for a in s.asks if a.item is None and a.aggs), ())
        if rank.by is not None:
            if (done := self._rows_done(rank.by)) is not None:
                return [done]
            return self.meanings(rank.by, aggs or ("",) if aggs else ())
        measured = [a for a in s.asks if a.item is not None and a.item is not rank.target]
        return [m for a in measured if a.item is not None for m in self.meanings(a.item, a.aggs)]

    def _rows_done(self, item: Item) -> Meant | None:
        """ "By tee times booked": how many, by the time at which that was done."""
        best = item.targets[0] if item.targets else None
        one = self.model.field(best.table, best.column) if best is not None and best.kind == "field" else None
        thing = self.model.things[one.table] if one is not None and one.role is Role.TIME else None
        said = {stem(word) for word in item.text.lower().split()}
        if (
            best is None
            or one is None
            or thing is None
            or thing.kind is not Kind.EVENT
            or not set(thing.noun) < said
        ):
            return None
        return Meant(best.cost, Measure("rows", thing.table, said=thing.said), Slot(one))

    def _ranked_target(self, target: Item, rank: Rank, ascending: bool, limit: int | None) -> Iterator[Start]:
        """Give things, columns or measures ranked: whatever the words of the target may mean."""
        ranking = Ranking(rank.kind, ascending, limit, self._by_meanings(rank))
        for one in target.targets:
            if one.kind == "thing":
                yield from self._ranked_thing(one.table, one.cost, ranking)
            elif one.kind == "field":
                column = self.model.field(one.table, one.column)
                if column is not None:
                    yield from self._ranked_field(target, column, one.cost, rank, ranking)
            elif one.kind == "relation" and one.relation is not None:
                yield from self._ranked_role(target, one, ranking)
            elif one.kind == "concept" and rank.by is None:
                yield from self._ranked_concept(one, rank, ranking)

    def _ranked_field(
        self, target: Item, column: Field, cost: float, rank: Rank, ranking: Ranking
    ) -> Iterator[Start]:
        """Give an extreme of a number or a time, the thing of a name, and the groups of any other column."""
        if column.role is Role.TIME and rank.kind in ("desc", "asc", "dear", "cheap") and rank.by is None:
            return  # no day is the biggest
        if column.role in (Role.MEASURE, Role.TIME) and rank.by is None:
            part = 0.2 if self._names_a_thing(target, column) else 0.0
            yield from self._extreme(column, cost + part, rank, ranking.ascending)
        elif column.role in (Role.DIMENSION, Role.TEXT, Role.FLAG):
            if self.source.is_name(column.table, column.column):
                yield from self._ranked_thing(column.table, cost, ranking)
                if self._by_events() and self.graph.below(column.table):
                    return
            yield from self._ranked_column(column, cost, ranking)

    def _ranked_concept(self, one: Target, rank: Rank, ranking: Ranking) -> Iterator[Start]:
        """Give the newest of a business word's rows, or the greatest single amount of its figure."""
        s = self.sketch
        for found in meant(self.source, one.column):
            if found.thing and found.time is not None and rank.kind in ("new", "old"):
                yield Start(
                    found.thing,
                    found.cost + one.cost,
                    time=found.time,
                    where=found.where,
                    columns=self._listing(found.thing),
                    thing=found.thing,
                    listed=True,
                    order=Order(rank.kind == "old", Expr("column", (found.time,))),
                    limit=ranking.limit if not s.per and not s.by else rank.count or 1,
                )
            elif not (s.by or s.per):  # the highest revenue of each group is no single amount
                agg = "min" if ranking.ascending else "max"
                if found.measure.expr is not None and found.measure.agg != "distinct":
                    greatest = replace(found.measure, agg=agg)
                    yield Start(found.measure.anchor, found.cost + one.cost + 0.1, [greatest])

    def _ranked_role(self, item: Item, role: Target, ranking: Ranking) -> Iterator[Start]:
        """People with a role in the rows of a measure: top mechanics by jobs are the staff that jobs have as their mechanic."""
        relation = role.relation
        assert relation is not None
        for found in ranking.by[:6]:
            for hop, path in self.attach.ways(found.measure.anchor, relation.source):
                dimension = self.source.dimension(relation.target, (*path, relation), item.text)
                yield groups_ranked(found, role.cost + found.cost + 0.5 * hop, dimension, ranking)
                break

    def _ranked_column(self, one: Field, cost: float, ranking: Ranking) -> Iterator[Start]:
        """Give the values of a column by figures: those that are named, else how many rows they have, and revenue."""
        options = [(m.cost, m) for m in ranking.by[:6]]
        common = self._by_events()
        if not ranking.by:
            rows = Measure("rows", one.table, said=self.model.things[one.table].said)
            thing = self.model.things[one.table]
            named = one.column in thing.display or one.column in thing.key
            # top breeds are those of most pets
            many = thing.kind is Kind.THING and not named and not set(thing.noun) & (GOODS | BUYERS)
            options.append((0.05 if common else 0.16 if many else 0.5, Meant(0.0, rows)))
            options += [
                (0.15 + m.cost, m)
                for m in sorted(revenue(self.source), key=lambda m: m.cost)[:3]
                if not common
            ]
        for extra, found in options:
            for hop, path in self.attach.ways(found.measure.anchor, one.table):
                dimension = Dimension((Slot(one, path),), said=one.said)
                yield groups_ranked(found, cost + extra + 0.5 * hop, dimension, ranking)
                break

    def _extreme(self, one: Field, cost: float, rank: Rank, ascending: bool) -> Iterator[Start]:
        """ "highest salary", "second highest salary", "latest order date"."""
        late = rank.kind in ("new", "desc", "dear", "long")
        column = Expr("column", (Slot(one),))
        order = Order(not late, column)
        held = self._held_now(one.table)
        if rank.nth > 1 or rank.count and rank.count > 1:
            yield Start(
                one.table,
                cost,
                where=held,
                columns=(Slot(one),),
                listed=True,
                distinct=True,
                order=order,
                limit=1 if rank.nth > 1 else rank.count,
                offset=max(0, rank.nth - 1),
            )
            return
        if one.role is Role.TIME and self.sketch.per:
            yield self._rows_ranked(one.table, cost + 0.05, order, 1)
        agg = "max" if late and not ascending else "min"
        grouped = 0.15 if one.role is Role.TIME and (self.sketch.per or self.sketch.by) else 0.0
        extreme = Measure(agg, one.table, column, said=one.said, unit=one.unit)
        yield Start(one.table, cost + 0.02 + grouped, [extreme], where=held)

    def _best_grain(self, target: Item, rank: Rank, ascending: bool, limit: int) -> Iterator[Start]:
        """ "busiest month": times by the figures that are named, else by what happens, else by revenue."""
        options = self._by_meanings(rank)
        if not options:
            options = [m for i in self.sketch.main.mentions for m in self.meanings(i, ("count",))]
        if not options and self._by_events():
            options = self._happenings()
        if not options:
            options = [
                replace(m, cost=m.cost + 0.2) for m in sorted(revenue(self.source), key=lambda m: m.cost)[:2]
            ]
        ranking = Ranking(rank.kind, ascending, limit)
        for found in options[:6]:
            time = found.time or self.source.time_of(found.measure.anchor)
            if time is not None:
                dimension = Dimension((time,), grain=target.grain, said=target.grain)
                used = range(len(self.sketch.asks))
                yield groups_ranked(found, found.cost + 0.02, dimension, ranking, used)

    def _happenings(self) -> list[Meant]:
        """How often something happened, of each event with a time: sales first, which need no name; what is billed, not the bills."""
        sold = sold_in(self.source)
        events = [t for t in self.model.things.values() if t.kind is Kind.EVENT]
        done = [t for t in events if not set(t.noun) & PAPERS]
        if done and not sold & {t.table for t in done}:
            sold = {max(done, key=lambda thing: thing.rows).table}
        return [
            Meant(0.05 if t.table in sold else 0.2, Measure("rows", t.table, said=t.said))
            for t in events
            if self.source.time_of(t.table) is not None
        ]

    def _who_most(self, rank: Rank, ascending: bool) -> Iterator[Start]:
        """ "who logged the most hours": people by what follows."""
        ranking = Ranking(rank.kind, ascending, rank.count or 1)
        for thing in self.model.things.values():
            if thing.kind is not Kind.THING or not thing.display:
                continue
            person = 0.0 if len(thing.display) == 2 or set(thing.noun) & PERSONS else 0.2
            if rank.by is None:
                if rank.kind in ("dear", "cheap", "new", "old", "long"):
                    yield from self._ranked_thing(thing.table, person, ranking)
                continue
            for found in self._by_meanings(rank)[:5]:
                yield from self._thing_by(thing.table, person, found, ranking)
