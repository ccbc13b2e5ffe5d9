"""Numbers in a part of a question and the things they count: rows that point at a thing, different things among them, their money or pieces."""

from __future__ import annotations

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import meant, pieces_of
from sqlagent.makers.analyst.deeds import PIECEWISE
from sqlagent.makers.analyst.frames import Expr, Slot
from sqlagent.makers.analyst.places import Places
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Clause
from sqlagent.makers.analyst.targets import Target

_PAID_FOR = frozenset(
    stem(w) for w in ["spent", "spend", "spends", "spending", "worth", "generated", "bring", "brought"]
)
"""Words that say of things that money came by them."""

WORTH = frozenset(
    stem(w)
    for w in [
        "worth",
        "total",
        "altogether",
        "euro",
        "euros",
        "eur",
        "usd",
        "dollar",
        "dollars",
        "pound",
        "pounds",
        "chf",
        "gbp",
        "money",
        "sum",
        "value",
        "overall",
    ]
)
"""Words by which a number beside an event is an amount of money."""


_ROLE_UNSAID = 0.45
"""The cost of a role that is guessed: such a frame is a draft."""


class Counting(Places):
    """Finds what numbers count."""

    def _is_many(self, child: str, anchor: str, number: float) -> bool:
        """Whether no thing is likely to have so many rows: thirty times what each has on average."""
        return number > 30 * max(1, self.model.things[child].rows) / max(1, self.model.things[anchor].rows)

    @staticmethod
    def _names(target: Target, child: str) -> bool:
        """Whether words name an event, or by one of its columns what was done in it."""
        return target.table == child and target.kind in ("thing", "field", "relation")

    def money_of(self, child: str) -> list[Expr]:
        """The money that rows of an event bear: its one amount, else what revenue is made of; empty where neither is sure."""
        own = [f for f in self.source.measures(child) if f.unit == "money" and f.aggregate == "sum"]
        if len(own) == 1:
            return [Expr("column", (Slot(own[0]),))]
        sold = [
            m for m in meant(self.source, "revenue") if m.measure.anchor == child and m.measure.agg == "sum"
        ]
        sold.sort(key=lambda m: m.cost)
        return [m.measure.expr for m in sold[:1] if m.measure.expr is not None]

    def pieces(self, child: str) -> Expr | None:
        """The quantity of an event's rows, where the question speaks of selling or doing and pieces have a price each."""
        if not self.said & PIECEWISE:
            return None
        one = pieces_of(self.source, child)
        return Expr("column", (Slot(one),)) if one is not None else None

    def counted(
        self, anchor: str, child: str, clause: Clause
    ) -> tuple[float, Expr | None, bool, Item | None] | None:
        """The things that a number in a clause counts among a child's rows: the rows, different things, or the sum of a measure."""
        best: tuple[float, Expr | None, bool, Item | None] | None = None

        def keep(cost: float, expr: Expr | None, distinct: bool, used: Item | None) -> None:
            nonlocal best
            if best is None or cost < best[0]:
                best = (cost, expr, distinct, used)

        pieces = self.pieces(child)
        money = self.money_of(child) if clause.bare and not clause.rows else []
        worth = clause.money or clause.agg == "sum" or bool(self.said & WORTH)
        for item in clause.after_compare or clause.mentions:
            for target in item.targets:
                if money and self._names(target, child):
                    keep(target.cost, money[0], False, None if target.kind != "thing" else item)
                    continue
                if clause.rows and self._names(target, child):
                    unlikely = worth or self._is_many(child, anchor, clause.numbers[0])
                    keep(
                        target.cost + (0.3 if unlikely else 0.01),
                        pieces,
                        False,
                        item if target.kind == "thing" else None,
                    )
                elif target.kind == "thing" and target.table == child:
                    keep(target.cost, pieces, False, item)
                elif target.kind == "value" and target.table == child:  # "no-shows" are rows of that status
                    keep(0.05, None, False, None)
                elif target.kind == "thing" and target.table != anchor:
                    for cost, path in self.ways(child, target.table):
                        if path and len(path) == 1 and len(path[0].referenced) == 1:
                            expr = Expr(
                                "column", (self.source.slot(target.table, path[0].referenced[0], path),)
                            )
                            keep(
                                target.cost + cost + 0.05 + self._unsaid_role(child, target), expr, True, item
                            )
                elif target.kind == "value" and self.is_of_rows(child, target):
                    keep(0.02, None, False, None)
                elif target.kind == "field" and target.table == child:
                    one = self.model.field(target.table, target.column)
                    if (
                        one is not None
                        and one.role is Role.MEASURE
                        and (one.aggregate == "sum" or clause.agg == "avg")
                    ):
                        keep(target.cost + 0.05, Expr("column", (Slot(one),)), False, item)
                elif target.kind == "concept":
                    for found in meant(self.source, target.column):
                        if found.measure.anchor == child and found.measure.agg == "distinct":
                            keep(target.cost + found.cost, found.measure.expr, True, item)
                        if found.measure.anchor == child and found.measure.agg == "sum":
                            keep(target.cost + found.cost, found.measure.expr, False, item)
                        if found.measure.anchor == child and found.measure.agg == "rows":
                            keep(target.cost + found.cost, None, False, item)
                    if target.column == "reports" and child == anchor:
                        keep(0.0, None, False, item)
        if best is None and self.said & _PAID_FOR:
            for found in meant(self.source, "revenue"):
                if found.measure.anchor == child and found.measure.agg == "sum":
                    keep(found.cost + 0.05, found.measure.expr, False, None)
        if best is None and clause.times:
            best = (0.05, None, False, None)
        return best

    def _unsaid_role(self, child: str, target: Target) -> float:
        """The cost of things that rows point at in several roles, of which none is said: zones from which and to which orders go."""
        roles = [one for one in self.graph.out[child] if one.target == target.table]
        unsaid = len(roles) > 1 and all(one.words and not set(one.words) & self.said for one in roles)
        return _ROLE_UNSAID if unsaid else 0.0

    def is_of_rows(self, table: str, target: Target) -> bool:
        """Whether a value is a state of a table's own rows, or an entry of the short list of states that they point at."""
        if target.table == table:
            return True
        thing = self.model.things[target.table]
        paths = self.graph.paths(table, target.table)
        return thing.rows <= 60 and any(len(path) == 1 for path in paths) and target.column in thing.display
