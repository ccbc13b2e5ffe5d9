"""Denials in a question: deeds that were never done, and groups without rows.

A verb that only says that something happened is about the events that hang on a thing. Where several do, each is a
reading of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Relation
from sqlagent.language.words import split_name
from sqlagent.makers.analyst.attaching import LOST, Part
from sqlagent.makers.analyst.deeds import DEEDS
from sqlagent.makers.analyst.frames import Condition, Path
from sqlagent.makers.analyst.sketching import Clause, Sketch
from sqlagent.makers.analyst.starting import Starting
from sqlagent.makers.analyst.starts import Start
from sqlagent.makers.analyst.telling import read_as

_DONE = re.compile(r"(?P<base>[a-z]{3,})ed")

DEED = 0.1
"""The cost of taking a verb that names nothing for the only event there is."""

RIVAL = 0.15
"""The cost of each further event of the same kind: which one was meant is not said."""

STRANGE = 0.45
"""The cost of a verb that may mean more than that something happened ("smoked", "complained")."""


def is_called_after(table: str, verb: str) -> bool:
    """Whether rows of a table are called after what was done: placements of who was placed, bookings of what was booked.

    Example:
        >>> [is_called_after(name, "placed") for name in ("placements", "candidate_skills", "places")], is_called_after("enrolments", "enrolled")
        ([True, False, False], True)
    """
    found = _DONE.fullmatch(verb.lower())
    if found is None:
        return False
    base = found["base"] if found["base"][-1] != found["base"][-2] else found["base"][:-1]
    noun = split_name(table)[-1].lower()
    return re.fullmatch(rf"{re.escape(base)}{base[-1]}?e?(?:ment|ing|al|ation|ion)s?", noun) is not None


def _of_the_verb(verb: str, events: list[tuple[str, Path]]) -> list[tuple[str, Path]]:
    return [one for one in events if is_called_after(one[0], verb)] or events


class Denying(Starting):
    """Clauses that deny something which no word of theirs names."""

    def _sketches(self) -> Iterator[Sketch]:
        """The sketch, once for each of the events that a denied verb may be about, and for what a bare number may bound."""
        deed = next((n for n, c in enumerate(self.sketch.clauses) if c.verb and not c.mentions), None)
        tables = self._deeds_of(self.sketch.clauses[deed].verb) if deed is not None else []
        if deed is not None and len(tables) > 1:
            for table in tables[:3]:
                made = deepcopy(self.sketch)
                made.clauses[deed].event = table
                yield made
            return
        bare = next(
            (n for n, c in enumerate(self.sketch.clauses) if c.bare and c.numbers and c.mentions), None
        )
        for rows in [False] if bare is None else [False, True]:
            made = deepcopy(self.sketch)
            if rows and bare is not None:
                made.clauses[bare].rows = True
            yield made

    def _deeds_of(self, verb: str) -> list[str]:
        """Events that hang right on the thing asked for; the ones that are called after the verb alone, where some are."""
        asked = [a.item for a in self.sketch.asks if a.item is not None]
        target = self.sketch.rank.target if self.sketch.rank is not None else None
        for item in [*asked, *([target] if target is not None else [])][:1]:
            for one in item.targets[:1]:
                if one.kind == "thing":
                    return [child for child, _ in _of_the_verb(verb, self._events(one.table))]
        return []

    def _events(self, table: str) -> list[tuple[str, Path]]:
        """The events nearest to a thing, and how their rows lead to it."""
        found = [
            (child, path)
            for child, path, cost in self.attach.children(table)
            if child != table and self.model.things[child].kind in (Kind.EVENT, Kind.LINES) and cost < 0.25
        ]
        nearest = min((len(path) for _, path in found), default=0)
        out: dict[str, Path] = {}
        for child, path in found:
            if len(path) == nearest:
                out.setdefault(child, path)
        return list(out.items())

    def _undone(self, anchor: str, clause: Clause) -> Part:
        """ "vehicles not used since June": no row of the event that hangs on them, in those periods."""
        events = _of_the_verb(clause.verb, self._events(anchor))
        chosen = next((e for e in events if e[0] == clause.event), None) or (events[0] if events else None)
        if chosen is None:
            return Part(LOST, unused=[clause.verb])
        child, path = chosen
        inner = Part()
        if clause.periods:
            self.attach.timed(child, clause.periods, inner, None, False)
        rivals = RIVAL if len(events) > 1 else 0.0
        is_called = len(events) == 1 and is_called_after(events[0][0], clause.verb)
        strange = 0.0 if clause.verb.lower() in DEEDS or is_called else STRANGE
        condition = Condition(
            "exists", child=child, path=path, parts=tuple(inner.conditions), negated=True, said=clause.verb
        )
        return Part(
            DEED + rivals + strange + inner.cost,
            [condition],
            inner.unused,
            why=[read_as(clause.verb, self.model.things[child].said)],
        )

    def _rowless(self, anchor: str, clause: Clause, start: Start) -> Part | None:
        """ "guides with no tours in 2026", where guides are no more than a column of tours: those of other rows."""
        if not start.distinct or len(start.columns) != 1 or not clause.negated or clause.excepted:
            return None
        if start.columns[0].path or not clause.mentions or clause.compare:
            return None
        own = [m for m in clause.mentions if any(t.kind == "thing" and t.table == anchor for t in m.targets)]
        rest = [m for m in clause.mentions if m not in own]
        if not own or not (rest or clause.periods):
            return None
        inner = self.attach.direct(anchor, replace(clause, negated=False, mentions=rest), None)
        column = start.columns[0].field.column
        same = (Relation(anchor, (column,), anchor, (column,)),)
        condition = Condition("exists", child=anchor, path=same, parts=tuple(inner.conditions), negated=True)
        return Part(inner.cost + 0.05, [condition], inner.unused)
