"""Which of several columns, tables or values a slot means.

Decides by how well the name is covered, by the tables the question names nearby, and by
what the other slots need: a learned weighing (`pick` in `weights.json`) of features that
can be said in words.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlagent.language.mentions import Target
from sqlagent.language.words import name_words
from sqlagent.makers.grammar.features import slot_kind
from sqlagent.makers.grammar.reading import DATED, NUMERIC, Reading, Slot
from sqlagent.makers.grammar.schema import Schema

NEAR = 5
"""Tokens within which "name of the singer" or "singer's name" ties a column to a table."""


_LISTED = frozenset(
    {
        ",",
        "and",
        "as",
        "well",
        "the",
        "all",
        "each",
        "every",
        "or",
        "different",
        "distinct",
        "their",
        "s",
        "a",
    }
)
_OF = frozenset({"of", "for", "from", "in", "at", "by"})


@dataclass(frozen=True, slots=True)
class Choice:
    """A target with its log-probability among its slot's targets."""

    target: Target
    score: float


class Chooser:
    """Scores the targets of every slot of one reading."""

    def __init__(self, reading: Reading, schema: Schema, weights: Mapping[str, float]) -> None:
        self.reading = reading
        self.schema = schema
        self.weights = weights
        self._owners: dict[int, int] = {}
        self.named = self._named_tables()
        self.wanted = self._wanted_tables()

    def _named_tables(self) -> dict[int, tuple[str, float]]:
        """Slots that name a table: the table and how well."""
        out: dict[int, tuple[str, float]] = {}
        for n, slot in enumerate(self.reading.slots):
            tables = slot.tables()
            if slot.kind == "name" and tables and slot_kind(slot) in ("table", "either"):
                out[n] = (tables[0].table, tables[0].score)
        return out

    def _wanted_tables(self) -> dict[str, float]:
        """How much the whole question speaks for each table."""
        out: dict[str, float] = defaultdict(float)
        seen: set[tuple[Target, ...]] = set()
        for slot in self.reading.slots:
            if slot.kind not in ("name", "value") or slot.targets in seen:
                continue
            seen.add(slot.targets)
            best: dict[str, float] = {}
            for target in slot.targets:
                share = target.score / max(slot.targets[0].score, 0.01)
                best[target.table] = max(best.get(target.table, 0.0), share**3)
            total = sum(best.values()) or 1.0
            for table, share in best.items():
                out[table] += share / total
        return out

    def features(self, number: int, target: Target, role: str) -> dict[str, float]:
        """The features that speak for a target of a slot, by name."""
        slot = self.reading.slots[number]
        top = slot.targets[0].score
        out = {"score": target.score, "cover": target.cover, "behind": top - target.score}
        if target.exact:
            out["exact"] = 1.0
        if slot.kind in ("grain", "period"):
            self._date(target, out)
            return out
        out["wanted"] = 1.0 - 0.5 ** self.wanted.get(target.table, 0.0)
        self._nearness(slot, number, target, out)
        if target.column:
            self._column(slot, number, target, role, out)
        return out

    def _date(self, target: Target, out: dict[str, float]) -> None:
        """How naturally a date belongs to what is counted or added up: its own, or its parent's."""
        near = 0.0
        for table, weight in self._anchors().items():
            path = self.schema.graph.path(table, target.table)
            if path is None:
                continue
            upward = all(self.schema.points(e) for e in path)
            near += weight * (0.5 ** len(path) if upward else -0.6)
        out["date near"] = near
        words = set(name_words(target.column))
        said = {t.low for t in self.reading.tokens}
        if words & _LIFE_DATES and not words & said:
            out["date of a life"] = 1.0

    def _anchors(self) -> dict[str, float]:
        """Tables that are measured, else counted, with weights."""
        measured: dict[str, float] = {}
        counted: dict[str, float] = {}
        for slot in self.reading.slots:
            if slot.kind != "name" or not slot.targets:
                continue
            best = slot.targets[0]
            column = self.schema.column(best.table, best.column) if best.column else None
            if column is None:
                counted.setdefault(best.table, 0.3 if counted else 1.0)
            elif column.kind in NUMERIC and self.schema.key_role(best.table, best.column) == "no":
                measured.setdefault(best.table, 1.0)
            else:
                counted.setdefault(best.table, 0.2)
        return measured or counted

    def _nearness(self, slot: Slot, number: int, target: Target, out: dict[str, float]) -> None:
        named = [n for n, (table, _) in self.named.items() if table == target.table and n != number]
        if not named:
            return
        out["table named"] = 1.0
        gaps = [(self.reading.slots[n].start - slot.end, n) for n in named]
        after = [g for g, _ in gaps if 0 <= g <= NEAR]
        before = [-g - (slot.end - slot.start) for g, _ in gaps if g < 0 and -g <= NEAR + 3]
        if self._owner_said(number) in named:
            out["of table"] = 1.0
        if after:
            out["table after"] = 1.0 / (1 + min(after))
        if before:
            out["table before"] = 1.0 / (1 + max(min(before), 0))
        if min(named) == min(self.named):
            out["first table"] = 1.0

    def _owner_said(self, number: int) -> int:
        """The slot of the table in "name, age and city of the singer", seen from each of the columns; -1 if none."""
        if number in self._owners:
            return self._owners[number]
        tokens, slots = self.reading.tokens, self.reading.slots
        begins = {s.start: n for n, s in enumerate(slots)}
        at = slots[number].end
        found = -1
        preposition = False
        while at < len(tokens):
            low = tokens[at].low
            here = begins.get(at)
            if here is not None and slots[here].kind in ("name", "count"):
                if here in self.named and (preposition or slot_kind(slots[here]) == "table"):
                    found = here
                    break
                if preposition:
                    break
                at = slots[here].end
            elif low in _LISTED:
                at += 1
            elif low in _OF:
                preposition = True
                at += 1
            else:
                break
        self._owners[number] = found
        return found

    def _column(self, slot: Slot, number: int, target: Target, role: str, out: dict[str, float]) -> None:
        role_of_key = self.schema.key_role(target.table, target.column)
        if any(t.table == target.table and t.score > 0.9 for t in slot.tables()):
            out["in the table of its name"] = 1.0
        out[f"key {role_of_key}"] = 1.0
        column = self.schema.column(target.table, target.column)
        if column is None:
            return
        kind = "num" if column.kind in NUMERIC else "date" if column.kind in DATED else "text"
        part = role.split("&")[0].split(":")[0].rstrip("-+<>=!")
        out[f"{part[:1]} {kind}"] = 1.0
        if kind != "num" and role.partition(":")[2][:3] in ("sum", "avg"):
            out["adds up texts"] = 1.0
        if role_of_key != "no":
            out[f"{part[:1]} {role_of_key}"] = 1.0
        else:
            for name in ("of table", "table named", "table before", "table after", "wanted"):
                if name in out:
                    out[f"{name}, no key"] = out[name]
        if slot.kind == "value":
            out["value exact"] = 1.0 if target.score >= 1.0 else 0.0
            if target.value == slot.text:
                out["value as typed"] = 1.0
            near = self._column_near(number, target)
            if near:
                out["column said"] = near

    def _column_near(self, number: int, target: Target) -> float:
        """How near a name of the value's own column stands ("country France", "from the country of France")."""
        slot = self.reading.slots[number]
        best = 0.0
        for n, other in enumerate(self.reading.slots):
            if other.kind not in ("name", "hint") or n == number:
                continue
            hit = next(
                (t for t in other.targets if (t.table, t.column) == (target.table, target.column)), None
            )
            if hit is None:
                continue
            gap = slot.start - other.end if other.end <= slot.start else other.start - slot.end + 1
            weight = (1.0 if other.kind == "name" else 0.6) * hit.score
            best = max(best, weight / (1.0 + 0.15 * max(gap, 0)))
        return best

    def choices(self, number: int, role: str, limit: int = 4) -> list[Choice]:
        """A slot's likeliest targets for a role, best first, with log-probabilities."""
        slot = self.reading.slots[number]
        targets: Sequence[Target] = slot.tables() if role.startswith("T") else slot.columns()
        if not targets:
            return []
        scored = []
        for target in targets:
            value = sum(
                (self.weights.get(f) or FIXED.get(f, 0.0)) * x
                for f, x in self.features(number, target, role).items()
            )
            scored.append((value, target))
        top = max(v for v, _ in scored)
        total = top + math.log(sum(math.exp(v - top) for v, _ in scored))
        scored.sort(key=lambda s: -s[0])
        return [Choice(t, v - total) for v, t in scored[:limit]]


FIXED = {"date near": 6.0, "date of a life": -2.0, "adds up texts": -3.0}
"""Weights of what no training question teaches: which of several dates a month or a period is of."""

_LIFE_DATES = frozenset(
    {
        "birth",
        "born",
        "hired",
        "hire",
        "opened",
        "founded",
        "introduced",
        "launch",
        "discontinued",
        "closed",
        "start",
    }
)

START = {
    "score": 3.0, "cover": 1.0, "behind": -2.0, "exact": 0.5, "wanted": 0.8, "table named": 1.5, "of table": 1.0,
    "table after": 0.6, "table before": 0.8, "first table": 0.4, "key fk": -0.6, "value exact": 0.5,
    "value as typed": 0.6, "column said": 3.0, "X num": 0.6, "A num": 0.5,
}  # fmt: skip
"""Weights before any fit."""
