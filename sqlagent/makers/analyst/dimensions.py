"""Groups, lists and columns that a mention of a question may mean, as seen from one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Form, Kind, Role, Thing
from sqlagent.language.words import stem
from sqlagent.makers.analyst.attaching import LOST, Attacher
from sqlagent.makers.analyst.frames import Condition, Dimension, Path, Slot
from sqlagent.makers.analyst.graph import HOP
from sqlagent.makers.analyst.owning import way_said
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Clause, Sketch
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import BORN, PERSONS

_SORTS = frozenset(stem(w) for w in ("type", "kind", "category", "class", "status", "reason", "method"))
"""Nouns of columns that say of what sort a row is."""


class Dimensions:
    """Groups, lists and columns of one sketch, as seen from one table."""

    def __init__(self, sketch: Sketch, source: Source, today: date) -> None:
        self.sketch = sketch
        self.source = source
        self.model = source.model
        self.graph = source.graph
        self.attach = Attacher(source, sketch.stems, today)
        self.today = today

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

    def _held_now(self, table: str) -> tuple[Condition, ...]:
        """That a row of a history holds still, called as the word for that state calls it: a day ahead is seen to later."""
        thing = self.model.things[table]
        return (
            (Condition("missing", (self.source.slot(table, thing.ends),), said="current"),)
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
