"""Corrections of times before frames are made: the ends of a span, weekends, lateness, parts of years."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.dating import due_above
from sqlagent.makers.analyst.lexicon import OPERATORS, UNIT_WORDS
from sqlagent.makers.analyst.meanings import Meanings
from sqlagent.makers.analyst.pairing import AHEAD, due_and_done
from sqlagent.makers.analyst.periods import of_years
from sqlagent.makers.analyst.reading import Item

_TAKEN = frozenset(
    stem(w) for w in ["take", "took", "last", "lasts", "lasted", "elapse", "elapsed", "pass", "passed"]
)
"""Verbs of what goes on for some time."""


class Timing(Meanings):
    """Corrections of times: the ends of a span, weekends, lateness, parts of years."""

    def _appositions(self) -> None:
        """ "dentist Nina Murphy": names right behind a thing's noun are of that thing."""
        s = self.sketch
        nouns = [i for i in (*self._all(), *s.per) if i.targets and i.targets[0].kind == "thing"]
        for clause in (s.main, *s.clauses):
            tables = {i.end: i.targets[0].table for i in nouns}
            for place, item in enumerate(clause.mentions):
                table = tables.get(item.start)
                own = tuple(
                    t for t in item.targets if t.kind == "value" and t.table == table and t.cost < 0.3
                )
                if table is not None and own and item.targets[0].kind == "value":
                    clause.mentions[place] = replace(item, targets=own)
                    tables[item.end] = table

    def _span_parts(self) -> None:
        """Of what was said in a span only times and what happens are its ends; a unit before it is its own, the rest restricts."""
        s = self.sketch
        units = [
            i
            for i in s.by
            if i.kind == "grain" and i.text.lower() in UNIT_WORDS and i.text.lower().endswith("s")
        ]
        if not s.span and s.counting and units and s.stems & _TAKEN:
            s.span = units[0].text.lower()
        if not s.span:
            return
        for item in list(s.by):
            if item.kind == "grain" and item.text.lower() in UNIT_WORDS and item.text.lower().endswith("s"):
                s.unit = s.unit or item.text.lower()
                s.by.remove(item)
        s.counting = False
        for ask in s.asks:
            ask.aggs = tuple(a for a in ask.aggs if a != "count")
        timed = [i for i in s.span_parts if self._has_time(i)]
        if {stem(w) for w in s.span_text.split()} & AHEAD:  # who books is no time from which or to which
            timed = [i for i in timed if not self._is_person(i.targets[0].table)]
            timed = [i for i in timed if not self._is_anyone(i)]
            s.span_parts = [i for i in s.span_parts if not self._is_anyone(i)]
        named = [i for i in timed if i.targets[0].kind == "field"]
        kept = timed if len(timed) <= 2 else (named + [i for i in timed if i not in named])[:2]
        s.main.mentions += [i for i in s.span_parts if i not in kept]
        s.span_parts = [i for i in s.span_parts if i in kept]

    @staticmethod
    def _is_anyone(item: Item) -> bool:
        """Whether a word is said of anybody: "how far ahead do people book"."""
        return item.targets[0].kind == "concept" and item.targets[0].column == "people"

    def _weekdays(self) -> None:
        """ "weekend vs weekday sales" are two groups; "which weekday is the busiest" ranks the days, not what happens on them."""
        s = self.sketch
        if of_years(s.main.periods) and s.main.periods[0].grain != "year":
            s.vs = True
        grains = [i for i in s.by if i.kind == "grain" and i.grain == "weekday"]
        if "56" in s.main.days and (s.vs and grains or len(s.main.days) == 7):
            s.main.days = ""
            s.by = [i for i in s.by if i not in grains]
            s.by.append(Item("grain", 0, 0, "weekend or weekday", grain="weekend"))
            s.vs = False
        rank = s.rank
        timed = [i for i in s.by if i.kind == "grain"]
        if (
            rank is not None
            and s.listing
            and rank.kind in ("desc", "asc")
            and rank.target is not None
            and rank.target.kind == "mention"
            and rank.by is None
            and len(timed) == 1
            and len(s.by) == 1
            and timed[0].end <= rank.target.start
        ):
            rank.target, rank.by = timed[0], rank.target
            s.by = []

    def _lateness(self) -> None:
        """ "late shipments" are those done after they were due, where that is recorded of them, whatever else is called late."""
        s = self.sketch
        asked = {
            t.table for a in s.asks if a.item is not None for t in a.item.targets[:2] if t.kind == "thing"
        }
        if not any(
            due_and_done(self.source, table) or due_above(self.source, table) is not None for table in asked
        ):
            return
        for item in list(s.main.mentions):
            op = OPERATORS.get(item.text.lower(), ("", ""))[0]
            own = any(t.kind == "value" and t.table in asked for t in item.targets)
            if op in ("late", "on time") and not own:
                s.main.late = op
                s.main.mentions.remove(item)

    def _has_time(self, item: Item) -> bool:
        """Whether a mention is rather a time, or something that happens, than a value."""
        for target in item.targets[:3]:
            if target.cost > item.targets[0].cost + 0.15:
                break
            if target.kind == "value":
                return False
            if target.kind == "thing":
                return bool(self.model.things[target.table].default_time)
            if target.kind == "field":
                one = self.model.field(target.table, target.column)
                if one is not None and one.role is Role.TIME:
                    return True
            if target.kind == "concept" and any(m.time for m in meant(self.source, target.column)):
                return True
        return False
