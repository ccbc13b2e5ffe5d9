"""Ways to begin where things are ranked: by a figure, an age, a length, a price, a size, or what happened to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.semantics.words import BUYERS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import Meant, revenue, worth
from sqlagent.makers.analyst.deeds import DEEDS, MEASURED
from sqlagent.makers.analyst.frames import Dimension, Expr, Order, Slot
from sqlagent.makers.analyst.graph import HOP
from sqlagent.makers.analyst.pairing import stayed
from sqlagent.makers.analyst.preparing import Preparing
from sqlagent.makers.analyst.starts import BORN, Start

QUALITY = frozenset({"best", "worst", "top", "leading", "strongest", "weakest"})
"""Ranks that do not say by what."""

_PAY = ("salari", "wage", "pay", "compens")
"""Words of columns that somebody is paid by, likely ones first."""

_PRICES = ("price", "cost", "amount", "fee", "rate")
"""Words of columns that something is dear by, likely ones first."""

_LENGTHS = frozenset({"minutes", "hours", "days", "seconds", "duration"})
"""Units of how long something lasts."""

_SIZES = frozenset({"size", "area", "capac", "popul", "amount", "total", "valu", "budget"})
"""Words of columns that something is big by."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """A rank as its starts need it: its kind, from which end it begins, how many count, and figures that it may be by."""

    kind: str
    ascending: bool
    limit: int | None
    by: Sequence[Meant] = ()


def groups_ranked(
    found: Meant, cost: float, dimension: Dimension, ranking: Ranking, used: Sequence[int] = ()
) -> Start:
    """Give the groups of a figure, in its order."""
    return Start(
        found.measure.anchor,
        cost,
        [found.measure],
        found.time,
        found.where,
        dims=[dimension],
        used=list(used),
        order=Order(ranking.ascending),
        limit=ranking.limit,
    )


class RankedThings(Preparing):
    """Ways to begin where things are ranked."""

    def _ranked_thing(self, table: str, cost: float, ranking: Ranking) -> Iterator[Start]:
        """Give things by the figures that are named, else by what the kind of the rank may mean of them."""
        if ranking.by:
            for found in ranking.by[:6]:
                yield from self._thing_by(table, cost, found, ranking)
            return
        if self._said_oldest() in MEASURED:
            yield from self._by_quality(table, cost, ranking)
            if ranking.kind not in ("long", "short") or stayed(self.source, table) is None:
                return  # the longest hire is the one that lasted longest as well as the one that went farthest
        if ranking.kind in ("dear", "cheap"):
            yield from self._dear(table, cost, ranking)
        elif ranking.kind in ("desc", "asc"):
            yield from self._by_size(table, cost, ranking)
        elif ranking.kind in ("long", "short"):
            yield from self._by_time(table, cost, self._length(table), ranking.kind == "short", ranking.limit)
        elif ranking.kind in ("new", "old"):
            yield from self._by_time(table, cost, self._age(table), ranking.kind == "old", ranking.limit)

    def _rows_ranked(
        self, table: str, cost: float, order: Order, limit: int | None, more: Sequence[Slot] = ()
    ) -> Start:
        """A list of a thing's rows in an order, which shows `more` behind what it always shows."""
        columns = (*self._listing(table), *more)
        return Start(table, cost, columns=columns, thing=table, listed=True, order=order, limit=limit)

    def _thing_by(self, table: str, cost: float, found: Meant, ranking: Ranking) -> Iterator[Start]:
        """Give things by a measure: their own column, or a figure over rows that point at them."""
        measure = found.measure
        if measure.anchor == table and measure.expr is not None and measure.agg != "rows":
            order = Order(ranking.ascending, measure.expr)
            shown = measure.expr.slots[:1] if measure.expr.op == "column" else ()
            start = self._rows_ranked(table, cost + found.cost, order, ranking.limit, shown)
            yield replace(start, where=found.where)
            return
        for hop, path in self.attach.ways(measure.anchor, table):
            if path:
                dimension = self.source.dimension(table, path)
                yield groups_ranked(found, cost + found.cost + 0.5 * hop, dimension, ranking)
                break

    def _by_quality(self, table: str, cost: float, ranking: Ranking) -> Iterator[Start]:
        """ "the heaviest shipment": rows by the column that the quality is measured in, which is shown."""
        for place, word in enumerate(MEASURED[self._said_oldest()]):
            for one in self.source.measures(table):
                if stem(word) in one.words:
                    order = Order(ranking.ascending, Expr("column", (Slot(one),)))
                    dear = cost + 0.03 + 0.03 * place
                    yield self._rows_ranked(table, dear, order, ranking.limit, [Slot(one)])

    def _dear(self, table: str, cost: float, ranking: Ranking) -> Iterator[Start]:
        """By a price or a pay: of the thing itself, or of its history's current row."""
        for place, word in enumerate(_PAY if "paid" in self._said_oldest() else _PRICES):
            for one in self.source.measures(table):
                if word in one.words:
                    order = Order(ranking.ascending, Expr("column", (Slot(one),)))
                    dear = cost + 0.05 + 0.03 * place
                    yield self._rows_ranked(table, dear, order, ranking.limit, [Slot(one)])
            for child in self.graph.below(table):
                path = next((p for p in self.graph.paths(child, table) if p), None)
                if self.model.things[child].kind is not Kind.HISTORY or path is None:
                    continue
                shown = tuple(replace(slot, path=path) for slot in self._listing(table))
                for one in self.source.measures(child):
                    if word in one.words:
                        yield Start(
                            child,
                            cost + 0.1 + 0.03 * place,
                            where=self._held_now(child),
                            columns=(*shown, Slot(one)),
                            thing=table,
                            listed=True,
                            order=Order(ranking.ascending, Expr("column", (Slot(one),))),
                            limit=ranking.limit,
                        )

    def _by_time(
        self, table: str, cost: float, by: Expr | None, ascending: bool, limit: int | None
    ) -> Iterator[Start]:
        """Give rows by an age or a length, where they have one; of events their keys and that time are shown too."""
        if by is None:
            return
        thing = self.model.things[table]
        start = self._rows_ranked(table, cost + 0.05, Order(ascending, by), limit)
        if thing.kind is Kind.EVENT:
            keys = tuple(self.source.slot(table, k) for k in thing.key)
            start.columns = tuple(dict.fromkeys((*keys, *start.columns, *by.slots[:1])))
        yield start

    def _length(self, table: str) -> Expr | None:
        """How long a thing lasts: a column that says so, else the days it holds for, else the hours of a stay."""
        thing = self.model.things[table]
        for one in self.source.measures(table):
            if one.unit in _LENGTHS or set(one.words) & {"length", "durat"}:
                return Expr("column", (Slot(one),))
        if thing.begins and thing.ends:
            ends = (self.source.slot(table, thing.ends), self.source.slot(table, thing.begins))
            return Expr("span", ends, "days")
        stay = stayed(self.source, table)
        return Expr("span", stay, "hours") if stay is not None else None

    def _age(self, table: str) -> Expr | None:
        """When a thing began: of the oldest and youngest its birth, else the time of the verb, else its own."""
        thing = self.model.things[table]
        born = next((f for f in self.model.of_role(table, Role.TIME) if set(f.words) & BORN), None)
        if born is not None and self._said_oldest() in ("oldest", "youngest"):
            return Expr("column", (Slot(born),))
        begun = thing.begins or thing.default_time
        time = self._verb_time(table) or (self.source.slot(table, begun) if begun else None)
        return Expr("column", (time,)) if time is not None else None

    def _by_size(self, table: str, cost: float, ranking: Ranking) -> Iterator[Start]:
        """ "biggest customers", which does not say by what: by their worth, revenue, an own figure, what happened to them."""
        thing = self.model.things[table]
        lines = 0.3 if thing.kind is Kind.LINES else 0.0  # what is sold is ranked, not its lines
        for found in worth(self.source, thing, "max"):
            assert found.measure.expr is not None
            order = Order(ranking.ascending, found.measure.expr)
            dear = cost + found.cost + 0.06 + lines
            yield self._rows_ranked(table, dear, order, ranking.limit, found.measure.expr.slots)
        for found in sorted(revenue(self.source), key=lambda m: m.cost)[:4]:
            yield from self._thing_by(table, cost + found.cost * 0.5 + 0.2, found, ranking)
        yield from self._by_own_figure(table, cost, lines, ranking)
        yield from self._by_what_happened(table, cost, ranking)

    def _by_own_figure(self, table: str, cost: float, lines: float, ranking: Ranking) -> Iterator[Start]:
        """Give rows by their own columns that are summed up or are a size: money first, three at most."""
        thing = self.model.things[table]
        own = [f for f in self.source.measures(table) if f.aggregate == "sum" or set(f.words) & _SIZES]
        own.sort(key=lambda f: f.unit != "money")
        happened = lines + (0.1 if thing.kind is Kind.EVENT and own and own[0].unit == "money" else 0.3)
        guessed = 0.25 if set(self._said_oldest().split()) & QUALITY else 0.0
        if set(thing.noun) & BUYERS:  # the biggest customers buy most, whatever they may owe
            guessed += 0.3
        for place, one in enumerate(own[:3]):
            order = Order(ranking.ascending, Expr("column", (Slot(one),)))
            dear = cost + happened + 0.05 * place + guessed
            yield self._rows_ranked(table, dear, order, ranking.limit, [Slot(one)])

    def _by_what_happened(self, table: str, cost: float, ranking: Ranking) -> Iterator[Start]:
        """Give things by the sums and numbers of events and lines that point at them, of four tables at most."""
        for child in self.graph.below(table)[:4]:
            path = next((p for p in self.graph.paths(child, table) if p), None)
            if path is None or self.model.things[child].kind not in (Kind.EVENT, Kind.LINES):
                continue
            dimension = self.source.dimension(table, path)
            for measure in self._main_measures(child):
                yield groups_ranked(Meant(0.0, measure), cost + 0.45 + HOP * len(path), dimension, ranking)
            common = 0.05 if self._by_events() else 0.5
            rows = Meant(0.0, self._rows_of(child))
            yield groups_ranked(rows, cost + common + HOP * len(path), dimension, ranking)

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
