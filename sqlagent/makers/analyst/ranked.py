"""Ways to begin where something is ranked: things, columns, extremes, the best month."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.catalog.semantics.words import BUYERS, PAPERS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import Meant, meant, revenue, sold_in, worth
from sqlagent.makers.analyst.concepts.meant import GOODS
from sqlagent.makers.analyst.deeds import DEEDS, MEASURED
from sqlagent.makers.analyst.frames import Dimension, Expr, Measure, Order, Slot
from sqlagent.makers.analyst.graph import HOP
from sqlagent.makers.analyst.pairing import stayed
from sqlagent.makers.analyst.preparing import Preparing
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Rank
from sqlagent.makers.analyst.starts import BORN, PERSONS, TOP, Start
from sqlagent.makers.analyst.targets import Target

QUALITY = frozenset({"best", "worst", "top", "leading", "strongest", "weakest"})
"""Ranks that do not say by what."""


class Ranked(Preparing):
    """Ways to begin where something is ranked: things, columns, extremes, the best month."""

    def _ranked(self) -> Iterator[Start]:
        s = self.sketch
        rank = s.rank
        assert rank is not None
        ascending = rank.kind in ("asc", "short", "cheap")
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
        if s.transform in ("growth", "change") and rank.by is None and target is not None:
            used = [n for n, a in enumerate(s.asks) if a.item is target]
            for found in sorted(revenue(self.source), key=lambda m: m.cost)[:2]:
                dimension = self._dimension(found.measure.anchor, target, None)
                if dimension is not None:
                    yield Start(
                        found.measure.anchor,
                        found.cost + dimension[0] * 0.5 + 0.1,
                        [found.measure],
                        found.time,
                        (),
                        (),
                        [dimension[1]],
                        "",
                        False,
                        used,
                        order=Order(ascending),
                        limit=rank.count or 1,
                    )
        if target is None and rank.by is not None and not s.who:
            for item in s.main.mentions:
                for one in item.targets:
                    if one.kind == "value" and self.model.things[one.table].kind is Kind.THING:
                        limit = None if rank.every else rank.count or 1
                        yield from self._ranked_thing(
                            one.table, one.cost + 0.05, self._by_meanings(rank), rank, ascending, limit
                        )
        if target is None and s.who:
            yield from self._who_most(rank, ascending)
            return
        if target is None:
            return
        one_person = s.who and s.rank_text in ("most", "least")  # "who on the staff sold the most"
        several = self._is_plural(target) and not one_person
        limit = None if rank.every else rank.count or (TOP if several else 1)
        if target.kind == "grain":
            slow = s.rank_text in ("slowest", "quietest")  # of times those in which least happened
            yield from self._best_grain(target, rank, ascending and rank.kind != "short" or slow, limit or 1)
            return
        used = [n for n, a in enumerate(s.asks) if a.item is target]
        for start in self._ranked_target(target, rank, ascending, limit):
            start.used = [*used, *start.used]
            yield start

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
        """Things, columns or measures ranked."""
        s = self.sketch
        chosen = rank.by
        by = self._by_meanings(rank)
        for one in target.targets:
            if one.kind == "thing":
                yield from self._ranked_thing(one.table, one.cost, by, rank, ascending, limit)
            elif one.kind == "field":
                column = self.model.field(one.table, one.column)
                if column is None:
                    continue
                if (
                    column.role is Role.TIME
                    and rank.kind in ("desc", "asc", "dear", "cheap")
                    and chosen is None
                ):
                    continue  # no day is the biggest
                if column.role in (Role.MEASURE, Role.TIME) and chosen is None:
                    part = 0.2 if self._names_a_thing(target, column) else 0.0
                    yield from self._extreme(column, one.cost + part, rank, ascending)
                elif column.role in (Role.DIMENSION, Role.TEXT, Role.FLAG):
                    if self.source.is_name(column.table, column.column):
                        yield from self._ranked_thing(column.table, one.cost, by, rank, ascending, limit)
                        if self._by_events() and self.graph.below(column.table):
                            continue
                    yield from self._ranked_column(column, one.cost, by, ascending, limit)
            elif one.kind == "relation" and one.relation is not None:
                yield from self._ranked_role(target, one, by, ascending, limit)
            elif one.kind == "concept" and chosen is None:
                for found in meant(self.source, one.column):
                    if found.thing and found.time is not None and rank.kind in ("new", "old"):
                        yield Start(
                            found.thing, found.cost + one.cost, [], found.time, found.where, self._listing(found.thing), [], found.thing, True, [],
                            order=Order(rank.kind == "old", Expr("column", (found.time,))), limit=limit if not s.per and not s.by else rank.count or 1,
                        )  # fmt: skip
                    elif not (s.by or s.per):  # the highest revenue of each group is no single amount
                        agg = "min" if ascending else "max"
                        if found.measure.expr is not None and found.measure.agg != "distinct":
                            yield Start(
                                found.measure.anchor,
                                found.cost + one.cost + 0.1,
                                [replace(found.measure, agg=agg)],
                            )

    def _ranked_thing(
        self, table: str, cost: float, by: Sequence[Meant], rank: Rank, ascending: bool, limit: int | None
    ) -> Iterator[Start]:
        thing = self.model.things[table]
        order: Order | None = None
        extra = 0.0
        if not by and self._said_oldest() in MEASURED:
            yield from self._by_quality(table, cost, ascending, limit)
            if rank.kind not in ("long", "short") or stayed(self.source, table) is None:
                return  # the longest hire is the one that lasted longest as well as the one that went farthest
        if by:
            for found in by[:6]:
                yield from self._thing_by(table, cost, found, ascending, limit, rank)
            return
        if rank.kind in ("new", "old", "long", "short"):
            time = self._verb_time(table) or (
                self.source.slot(table, thing.begins or thing.default_time)
                if thing.begins or thing.default_time
                else None
            )
            if rank.kind in ("long", "short"):
                duration = next(
                    (
                        f
                        for f in self.source.measures(table)
                        if f.unit in ("minutes", "hours", "days", "seconds", "duration")
                        or set(f.words) & {"length", "durat"}
                    ),
                    None,
                )
                if duration is not None:
                    order = Order(rank.kind == "short", Expr("column", (Slot(duration),)))
                elif thing.begins and thing.ends:
                    ends = (self.source.slot(table, thing.ends), self.source.slot(table, thing.begins))
                    order = Order(rank.kind == "short", Expr("span", ends, "days"))
                elif (stay := stayed(self.source, table)) is not None:
                    order = Order(rank.kind == "short", Expr("span", stay, "hours"))
            else:
                born = next((f for f in self.model.of_role(table, Role.TIME) if set(f.words) & BORN), None)
                if (
                    born is not None
                    and rank.kind in ("old", "new")
                    and self._said_oldest() in ("oldest", "youngest")
                ):
                    time = Slot(born)
            if order is None and time is not None and rank.kind in ("old", "new"):
                order = Order(rank.kind == "old", Expr("column", (time,)))
        elif rank.kind in ("dear", "cheap"):
            wanted = (
                ("salari", "wage", "pay", "compens")
                if "paid" in self._said_oldest()
                else ("price", "cost", "amount", "fee", "rate")
            )
            yield from self._dear(table, cost, wanted, ascending, limit)
            return
        if order is not None:
            columns = self._listing(table)
            if thing.kind is Kind.EVENT:
                keys = tuple(self.source.slot(table, k) for k in thing.key)
                columns = tuple(
                    dict.fromkeys((*keys, *columns, *(order.by.slots[:1] if order.by is not None else ())))
                )
            yield Start(
                table, cost + 0.05, [], None, (), columns, [], table, True, [], order=order, limit=limit
            )
            return
        if rank.kind in ("desc", "asc"):
            lines = 0.3 if thing.kind is Kind.LINES else 0.0  # what is sold is ranked, not its lines
            for found in worth(self.source, thing, "max"):
                assert found.measure.expr is not None
                order = Order(ascending, found.measure.expr)
                listing = (*self._listing(table), *found.measure.expr.slots)
                yield Start(
                    table, cost + found.cost + 0.06 + lines, [], None, (), listing, [], table, True, [], order=order, limit=limit
                )  # fmt: skip
            for found in sorted(revenue(self.source), key=lambda m: m.cost)[:4]:
                yield from self._thing_by(table, cost + found.cost * 0.5 + 0.2, found, ascending, limit, rank)
            own = [
                f
                for f in self.source.measures(table)
                if f.aggregate == "sum"
                or set(f.words) & {"size", "area", "capac", "popul", "amount", "total", "valu", "budget"}
            ]
            own.sort(key=lambda f: f.unit != "money")
            happened = lines + (0.1 if thing.kind is Kind.EVENT and own and own[0].unit == "money" else 0.3)
            guessed = 0.25 if set(self._said_oldest().split()) & QUALITY else 0.0
            if set(thing.noun) & BUYERS:  # the biggest customers buy most, whatever they may owe
                guessed += 0.3
            for place, one in enumerate(own[:3]):
                order = Order(ascending, Expr("column", (Slot(one),)))
                listing = (*self._listing(table), Slot(one))
                yield Start(
                    table,
                    cost + happened + 0.05 * place + extra + guessed,
                    [],
                    None,
                    (),
                    listing,
                    [],
                    table,
                    True,
                    [],
                    order=order,
                    limit=limit,
                )
            for child in self.graph.below(table)[:4]:
                path = next((p for p in self.graph.paths(child, table) if p), None)
                if path is not None and self.model.things[child].kind in (Kind.EVENT, Kind.LINES):
                    dimension = self.source.dimension(table, path)
                    for measure in self._main_measures(child):
                        yield _grouped(
                            Meant(0.0, measure), cost + 0.45 + HOP * len(path), dimension, ascending, limit
                        )
                    rows = self._rows_of(child)
                    common = 0.05 if self._by_events() else 0.5
                    yield _grouped(
                        Meant(0.0, rows), cost + common + HOP * len(path), dimension, ascending, limit
                    )
            if thing.kind in (Kind.EVENT,):
                pointing = [
                    r for r in self.graph.out[table] if self.model.things[r.target].kind is Kind.THING
                ]
                if len(pointing) >= 2:
                    return

    def _by_quality(self, table: str, cost: float, ascending: bool, limit: int | None) -> Iterator[Start]:
        """ "the heaviest shipment": rows by the column that the quality is measured in, which is shown."""
        for place, word in enumerate(MEASURED[self._said_oldest()]):
            for one in self.source.measures(table):
                if stem(word) in one.words:
                    order = Order(ascending, Expr("column", (Slot(one),)))
                    columns = (*self._listing(table), Slot(one))
                    yield Start(
                        table, cost + 0.03 + 0.03 * place, [], None, (), columns, [], table, True, [], order=order, limit=limit
                    )  # fmt: skip

    def _by_events(self) -> bool:
        """Whether things are ranked by how often something happened to them: the busiest, most popular, most booked."""
        text = self.sketch.rank_text
        deed = text.startswith(("most ", "least ")) and text.split()[-1] in DEEDS
        return deed or any(
            w in text for w in ("common", "popular", "frequent", "busiest", "in demand", "by number")
        )

    def _said_oldest(self) -> str:
        return self.sketch.rank_text

    def _verb_time(self, table: str) -> Slot | None:
        for item in self._all():
            for target in item.targets[:3]:
                if target.kind == "field" and target.table == table:
                    one = self.model.field(table, target.column)
                    if (
                        one is not None
                        and one.role is Role.TIME
                        and target.cost < 0.1
                        and (self.sketch.rank is None or item is not self.sketch.rank.target)
                    ):
                        return Slot(one)
        return None

    def _dear(
        self, table: str, cost: float, wanted: Sequence[str], ascending: bool, limit: int | None
    ) -> Iterator[Start]:
        """By a price or a pay: of the thing itself, or of its history's current row."""
        for place, word in enumerate(wanted):
            for one in self.source.measures(table):
                if word in one.words:
                    order = Order(ascending, Expr("column", (Slot(one),)))
                    yield Start(
                        table,
                        cost + 0.05 + 0.03 * place,
                        [],
                        None,
                        (),
                        (*self._listing(table), Slot(one)),
                        [],
                        table,
                        True,
                        [],
                        order=order,
                        limit=limit,
                    )
            for child in self.graph.below(table):
                history = self.model.things[child]
                path = next((p for p in self.graph.paths(child, table) if p), None)
                if history.kind is not Kind.HISTORY or path is None:
                    continue
                for one in self.source.measures(child):
                    if word in one.words:
                        order = Order(ascending, Expr("column", (Slot(one),)))
                        shown = tuple(replace(slot, path=path) for slot in self._listing(table))
                        yield Start(
                            child,
                            cost + 0.1 + 0.03 * place,
                            [],
                            None,
                            self._held_now(child),
                            (*shown, Slot(one)),
                            [],
                            table,
                            True,
                            [],
                            order=order,
                            limit=limit,
                        )

    def _thing_by(
        self, table: str, cost: float, found: Meant, ascending: bool, limit: int | None, rank: Rank
    ) -> Iterator[Start]:
        """Things by a measure: their own column, or a figure over rows that point at them."""
        measure = found.measure
        if measure.anchor == table and measure.expr is not None and measure.agg != "rows":
            listing = (
                *self._listing(table),
                *(s for s in measure.expr.slots[:1] if measure.expr.op == "column"),
            )
            yield Start(
                table, cost + found.cost, [], None, found.where, listing, [], table, True, [],
                order=Order(ascending, measure.expr), limit=limit,
            )  # fmt: skip
            return
        for hop, path in self.attach.ways(measure.anchor, table):
            if not path:
                continue
            dimension = self.source.dimension(table, path)
            yield _grouped(found, cost + found.cost + 0.5 * hop, dimension, ascending, limit)
            break

    def _ranked_role(
        self, item: Item, role: Target, by: Sequence[Meant], ascending: bool, limit: int | None
    ) -> Iterator[Start]:
        """Groups by a role in the rows of a measure: top mechanics by jobs are the staff that jobs have as their mechanic."""
        relation = role.relation
        assert relation is not None
        for found in by[:6]:
            for hop, path in self.attach.ways(found.measure.anchor, relation.source):
                dimension = self.source.dimension(relation.target, (*path, relation), item.text)
                yield _grouped(found, role.cost + found.cost + 0.5 * hop, dimension, ascending, limit)
                break

    def _ranked_column(
        self, one: Field, cost: float, by: Sequence[Meant], ascending: bool, limit: int | None
    ) -> Iterator[Start]:
        options = [(m.cost, m) for m in by[:6]]
        common = self._by_events()
        if not by:
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
                yield _grouped(found, cost + extra + 0.5 * hop, dimension, ascending, limit)
                break

    def _extreme(self, one: Field, cost: float, rank: Rank, ascending: bool) -> Iterator[Start]:
        """ "highest salary", "second highest salary", "latest order date"."""
        slot = Slot(one)
        late = rank.kind in ("new", "desc", "dear", "long")
        held = self._held_now(one.table)
        if rank.nth > 1 or rank.count and rank.count > 1:
            yield Start(
                one.table, cost, [], None, held, (slot,), [], "", True, [], True,
                order=Order(not late, Expr("column", (slot,))), limit=1 if rank.nth > 1 else rank.count, offset=max(0, rank.nth - 1),
            )  # fmt: skip
            return
        if one.role is Role.TIME and self.sketch.per:
            thing = self.model.things[one.table]
            yield Start(
                one.table,
                cost + 0.05,
                [],
                None,
                (),
                self._listing(one.table),
                [],
                thing.table,
                True,
                [],
                order=Order(not late, Expr("column", (slot,))),
                limit=1,
            )
        agg = "max" if late and not ascending else "min"
        grouped = 0.15 if one.role is Role.TIME and (self.sketch.per or self.sketch.by) else 0.0
        yield Start(
            one.table,
            cost + 0.02 + grouped,
            [Measure(agg, one.table, Expr("column", (slot,)), said=one.said, unit=one.unit)],
            None,
            held,
        )

    def _best_grain(self, target: Item, rank: Rank, ascending: bool, limit: int) -> Iterator[Start]:
        options = self._by_meanings(rank)
        if not options:
            options = [m for i in self.sketch.main.mentions for m in self.meanings(i, ("count",))]
        if not options and self._by_events():
            options = self._happenings()
        if not options:
            options = [
                replace(m, cost=m.cost + 0.2) for m in sorted(revenue(self.source), key=lambda m: m.cost)[:2]
            ]
        for found in options[:6]:
            time = found.time or self.source.time_of(found.measure.anchor)
            if time is not None:
                dimension = Dimension((time,), grain=target.grain, said=target.grain)
                used = [n for n, a in enumerate(self.sketch.asks)]
                yield _grouped(found, found.cost + 0.02, dimension, ascending, limit, used)

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
        limit = rank.count or 1
        for thing in self.model.things.values():
            if thing.kind is not Kind.THING or not thing.display:
                continue
            person = 0.0 if len(thing.display) == 2 or set(thing.noun) & PERSONS else 0.2
            if rank.by is None:
                if rank.kind in ("dear", "cheap", "new", "old", "long"):
                    yield from self._ranked_thing(thing.table, person, (), rank, ascending, limit)
                continue
            for found in self._by_meanings(rank)[:5]:
                yield from self._thing_by(thing.table, person, found, ascending, limit, rank)


def _grouped(
    found: Meant,
    cost: float,
    dimension: Dimension,
    ascending: bool,
    limit: int | None,
    used: Sequence[int] = (),
) -> Start:
    """The groups of a figure, in its order."""
    return Start(
        found.measure.anchor,
        cost,
        [found.measure],
        found.time,
        found.where,
        dims=[dimension],
        used=list(used),
        order=Order(ascending),
        limit=limit,
    )
