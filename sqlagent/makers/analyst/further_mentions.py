"""Further mentions of a question's head: figures beside the first one, groups, restrictions, columns.

Each may be of several uses; the cheapest is taken. A mention of no use is left to the main clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlagent.catalog.semantics import Model, Role
from sqlagent.makers.analyst.attaching import LOST
from sqlagent.makers.analyst.concepts import Meant
from sqlagent.makers.analyst.drafts import Draft
from sqlagent.makers.analyst.frames import Dimension
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.refining import Refining
from sqlagent.makers.analyst.sketching import Ask
from sqlagent.makers.analyst.starts import Start
from sqlagent.makers.analyst.targets import Target

_ANOTHERS = 0.3
"""The cost of money of another table beside rows that bear some themselves."""


class _Use(NamedTuple):
    """A possible reading of a mention, and its cost; a figure where it is a measure.

    Kinds: measure, by (a group), column, value (a restriction), same (said already).
    """

    cost: float
    kind: str
    figure: Meant | None = None


class FurtherMentions(Refining):
    """Uses of the mentions of a head that a start leaves over."""

    def _place_mentions(self, draft: Draft) -> None:
        """Take each mention that the start leaves over for what it is likeliest to be."""
        rank = self.sketch.rank
        for place, ask in enumerate(self.sketch.asks):
            if ask.item is None or place in draft.start.used:
                continue
            if rank is None or ask.item not in (rank.target, rank.by):
                self._place(draft, ask, ask.item)

    def _place(self, draft: Draft, ask: Ask, item: Item) -> None:
        """Take a mention for the cheapest thing that it may be; for a restriction where it may be nothing."""
        uses = list(self._uses(draft, ask, item))
        if self.sketch.share_between and any(one.kind == "measure" for one in uses):
            uses = [one for one in uses if one.kind == "measure"]  # "claims as a percentage of orders"
        if not uses:
            draft.main.mentions.append(item)
            return
        cost, kind, figure = min(uses, key=lambda one: one.cost)
        if kind == "column":
            self._column_of(draft.anchor, item, draft.columns, draft.unused)
        elif kind == "measure" and figure is not None:
            cost += self._add_figure(draft, ask, item, figure)
        elif kind == "by":
            draft.grouped_by.append(item)
            cost = 0.1
        elif kind == "value":
            draft.main.mentions.append(item)
            cost = 0.0
        draft.cost += cost

    def _uses(self, draft: Draft, ask: Ask, item: Item) -> Iterator[_Use]:
        """Give all that a mention may be taken for; of equally cheap ones the first counts."""
        anchor = draft.anchor
        if draft.start.listed:
            yield from self._as_column(draft, ask, item)
        else:
            yield from self._as_figure(draft, ask, item)
            yield from self._as_group(anchor, item)
        for cost, _slot, _ in self.attach.fields(anchor, item, (Role.TIME, Role.FLAG))[:1]:
            yield _Use(cost + 0.01, "value")
        yield from self._as_said_already(anchor, item)
        for cost, _slot, _ in self.attach.values(anchor, item)[:1]:
            yield _Use(cost, "value")

    def _as_column(self, draft: Draft, ask: Ask, item: Item) -> Iterator[_Use]:
        """Take a mention for a column of a list; times and flags that nothing joins restrict its rows instead."""
        times = self.attach.fields(draft.anchor, item, (Role.TIME,))
        flags = self.attach.fields(draft.anchor, item, (Role.FLAG,))
        if times and not ask.joined and (draft.main.periods or item.text.lower().endswith("ed")):
            return
        if flags and not ask.joined and self.sketch.listing:
            return
        for cost, _slots in self._column_options(draft.anchor, item)[:1]:
            yield _Use(cost, "column")

    def _as_figure(self, draft: Draft, ask: Ask, item: Item) -> Iterator[_Use]:
        """Take a mention for a figure beside the first, or for the rows that are counted already."""
        anchor, thing = draft.anchor, draft.start.thing
        figures = self.meanings(item, ask.aggs, ask.distinct)[:4]
        own_money = any(one.measure.anchor == anchor and one.measure.unit == "money" for one in figures)
        for figure in figures:
            measure = figure.measure
            is_count = measure.agg == "rows"
            if is_count and figure.thing == thing and thing:
                yield _Use(figure.cost + 0.02, "same")
                continue
            if is_count and (figure.thing and not ask.joined and not ask.aggs or self.sketch.much):
                continue  # who did it is not counted
            if measure.anchor != anchor and (
                not draft.measures or draft.measures[0].anchor == measure.anchor
            ):
                continue
            dear = 0.12 if is_count and not ask.aggs else 0.0
            if not self._is_grouped_alike(measure.anchor, anchor, draft.grouped_by):
                dear += LOST  # revenue of invoices knows no category of cars
            elif own_money and measure.anchor != anchor:
                dear += _ANOTHERS  # trips and revenue: what the trips brought in, not what was billed for anything
            yield _Use(figure.cost + 0.1 + dear, "measure", figure)

    def _as_group(self, anchor: str, item: Item) -> Iterator[_Use]:
        """Take a mention for a group of figures."""
        grouped = self._dimension(anchor, item, None)
        if grouped is not None and not self.sketch.much and not _is_own_key(anchor, grouped[1], self.model):
            yield _Use(grouped[0] + 0.1, "by")

    def _as_said_already(self, anchor: str, item: Item) -> Iterator[_Use]:
        """Take a mention for the key or the column of a value that is named besides, or for the rows' own thing."""
        key = (anchor, self.model.things[anchor].key)
        valued = {
            (t.table, t.column) for i in self._all() if i is not item for t in i.targets if t.kind == "value"
        }
        for target in item.targets:
            own = target is item.targets[0] and (target.table, (target.column,)) == key
            if target.kind == "field" and (own or (target.table, target.column) in valued):
                yield _Use(min(0.02, target.cost), "same")
        for target in item.targets:
            if target.kind == "thing" and not self._says_more(anchor, item, target):
                if target.table == anchor:
                    yield _Use(target.cost * 0.5, "same")
                elif self.graph.paths(anchor, target.table):
                    told = self.sketch.by or self.sketch.main.current or self.sketch.main.mentions
                    yield _Use(target.cost * 0.5 + (0.04 if told else 0.2), "same")

    @staticmethod
    def _says_more(anchor: str, item: Item, target: Target) -> bool:
        """Whether a mention is a business word first, which says more than the rows' own thing; of staff it does not."""
        best = item.targets[0]
        return target.table == anchor and best.kind == "concept" and not best.column.startswith("staff")

    def _add_figure(self, draft: Draft, ask: Ask, item: Item, figure: Meant) -> float:
        """Set a figure beside the first, in whose place it stands where rows are counted for want of another; gives a cost."""
        extra = 0.0
        is_qualified = self._is_qualified(draft.start, item)
        told = bool(ask.aggs) or item.text.lower().startswith("total ") or is_qualified
        counts_rows = len(draft.measures) == 1 and draft.measures[0].agg == "rows"
        if told and counts_rows and self._is_implied(draft.start):
            if figure.measure.anchor == draft.anchor:
                draft.measures = []
            elif is_qualified:
                extra = LOST  # figures of two tables side by side were not asked for
        draft.measures.append(replace(figure.measure, where=(*figure.measure.where, *figure.where)))
        return extra

    def _is_grouped_alike(self, other: str, anchor: str, by: Sequence[Item]) -> bool:
        """Whether a figure of another table can be grouped by what the first one is."""
        return other == anchor or all(
            self._dimension(other, item, None) is not None
            for item in by
            if item.kind == "mention" and self._dimension(anchor, item, None) is not None
        )

    def _is_qualified(self, start: Start, item: Item) -> bool:
        """Whether a figure is said of the rows right before it: "invoiced revenue", "night shift hours"."""
        asked = {ask.item.end: n for n, ask in enumerate(self.sketch.asks) if ask.item is not None}
        at = item.start
        while at in asked:
            place = asked[at]
            if place in start.used:
                return True
            said = self.sketch.asks[place].item
            at = said.start if said is not None and said.start < at else -1
        return False

    def _is_implied(self, start: Start) -> bool:
        """Whether rows are counted only because nothing else was said of them: "card payments, total amount"."""
        asks = [self.sketch.asks[n] for n in start.used if n < len(self.sketch.asks)]
        return bool(start.thing) and not self.sketch.counting and not any(ask.aggs for ask in asks)


def _is_own_key(anchor: str, one: Dimension, model: Model) -> bool:
    """Whether groups are single rows, which nobody asks for by a part of a name."""
    thing, slots = model.things[anchor], one.shown
    return len(slots) == 1 and not slots[0].path and thing.key == (slots[0].field.column,) and not one.grain
