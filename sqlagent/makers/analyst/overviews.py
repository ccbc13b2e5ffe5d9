"""An overview of a source made of its semantic model: its main figures in their last month and the one before, over time, by dimensions.

Each part is a question that the analyst reads as it is meant, with its SQL. Runs no statement.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from weakref import WeakKeyDictionary

from sqlagent.catalog.semantics import Kind, Thing
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.makers.analyst.changes import last_day
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.questions import Figure, Making, Passes, Proposal
from sqlagent.makers.analyst.sampler import analyse
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.values import Catalog, LinkedSchema, Outcome, Question

PARTS = 12
"""Parts of one overview: each is a statement."""

TRIES = 36
"""Questions read for one overview at most."""

GROUPS = 3
"""Dimensions by which the first figure is shown; the others by one."""


class PartKind(StrEnum):
    """The content of a part of an overview."""

    CHANGE = "change"
    COUNT = "count"
    TREND = "trend"
    GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an overview: what it shows, the question it answers, and its SQL, with the frame that this was written from, if it was."""

    kind: PartKind
    question: str
    sql: str
    frame: Frame | None = None


_kept: WeakKeyDictionary[Source, dict[Hashable, tuple[Part, ...]]] = WeakKeyDictionary()


def overview(
    catalog: Catalog, index: ValueIndex | None, passes: Passes, policy: Hashable = None
) -> tuple[Part, ...]:
    """Give the parts of an overview, numbers first; empty where the model has nothing to sum up.

    Kept as `example_questions` are.
    """
    if not any(table.columns for table in catalog.tables):
        return ()
    source = source_of(catalog, index)
    kept = _kept.setdefault(source, {})
    if policy not in kept:
        kept[policy] = tuple(_Overview(source, catalog, index, passes).parts())
    return kept[policy]


def part_told(
    part: Part, question: Question, clauses: Collection[str], catalog: Catalog, index: ValueIndex | None
) -> Part | None:
    """Give a part with the SQL of its question where a hint explains words of it; None where a clause of it is not followed."""
    analysis = analyse(question, LinkedSchema(catalog, catalog), index)
    if not analysis.speaks or analysis.outcome()[0] is not Outcome.ANSWERED:
        return None
    sql = analysis.candidates[0].sql
    follows = analysis.follows(sql)
    told = replace(part, sql=sql, frame=analysis.frames[0].frame)
    return told if all(follows.get(clause) for clause in clauses) else None


class _Overview(Making):
    def parts(self) -> list[Part]:
        """The parts that hold: of each table its figure, over time, by dimensions."""
        self.left = TRIES
        found: dict[str, Part] = {}
        is_later = False
        for anchor in self._anchors():
            figure = self._figure(anchor)
            if figure is None:
                continue
            said = figure
            if figure.measure.agg == "rows":
                said = replace(figure, said=f"number of {figure.said}")
            by = 1 if is_later else GROUPS
            if anchor.kind in (Kind.EVENT, Kind.LINES):
                if not self._take(found, PartKind.CHANGE, self.change(anchor, said), 1):
                    self._take(found, PartKind.COUNT, self.whole(anchor, said), 1)
                self._take(found, PartKind.TREND, self.trend(anchor, said), 1)
                self._take(found, PartKind.GROUPS, self.total(anchor, said), by)
            else:  # things are there; when they came to be is another matter
                self._take(found, PartKind.COUNT, self.whole(anchor, said), 1)
                self._take(found, PartKind.GROUPS, self.grouped(anchor, said), by)
            self._take(found, PartKind.GROUPS, self.top(anchor, figure), 1)
            is_later = True
        numbers = (PartKind.CHANGE, PartKind.COUNT)
        return sorted(found.values(), key=lambda one: one.kind not in numbers)

    def _take(self, found: dict[str, Part], kind: PartKind, proposals: Iterator[Proposal], most: int) -> int:
        """Keep the first of some proposals that hold, as many as there is room for; says how many."""
        count = 0
        for proposal in proposals:
            if count >= most or len(found) >= PARTS:
                break
            read = self._understood(proposal) if proposal.text not in found else None
            if read is not None:
                found[proposal.text] = Part(kind, proposal.text, read[1], read[0])
                self.used.update(proposal.uses)
                count += 1
        return count

    def change(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """A figure in the last whole month that its rows tell of, and in the one before."""
        month = self._month(anchor.table)
        if month is not None:
            before = (month - timedelta(days=1)).replace(day=1)
            text = f"{figure.said} in {month:%B %Y} vs {before:%B %Y}"
            yield Proposal(text[:1].upper() + text[1:], (figure.is_first, _by_month))

    def whole(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """A figure of all rows."""
        text = figure.said[:1].upper() + figure.said[1:]
        yield Proposal(text, (figure.is_first, lambda frame: not frame.by and not frame.where))

    def grouped(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """A figure of all rows by a dimension."""
        for group in self._groups(anchor.table):
            text = f"{figure.said} by {group.said}"
            yield self._by(figure, group, text[:1].upper() + text[1:], None)

    def _month(self, table: str) -> date | None:
        """The first day of the last whole month that a table's rows tell of, where they tell of the one before too."""
        time = self.source.time_of(table)
        if time is None or self._year(table) is None:
            return None
        last = last_day(time.field, "month", self.source)
        try:
            first = date.fromisoformat(re.sub(r"\D", "", time.field.low)[:8])
        except ValueError:
            return None
        if last is None:
            return None
        is_whole = (last + timedelta(days=1)).day == 1
        month = last.replace(day=1)
        if not is_whole:
            month = (month - timedelta(days=1)).replace(day=1)
        return month if first < month else None


def _by_month(frame: Frame) -> bool:
    return len(frame.by) == 1 and frame.by[0].grain == "month"
