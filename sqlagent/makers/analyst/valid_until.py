"""Words for what holds until a day: "insured vans" are insured today or later, "uninsured vans" have no such day or one that is over.

That the day is there says nothing, and a word that none of the frame's rows bear is left out of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from sqlagent.catalog.semantics import Field
from sqlagent.catalog.semantics.words import BEGINS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.expired import UNTIL
from sqlagent.makers.analyst.frames import Condition, Frame, Slot
from sqlagent.makers.analyst.heeding import conditions, figures, with_conditions
from sqlagent.makers.analyst.held_today import NO_LONGER, OVER, begun, is_ahead, over, reaches_beyond, still
from sqlagent.makers.analyst.lexicon import PARTICIPLES
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_VALID = "valid"


def valid_until(frame: Frame, reading: Reading, source: Source, today: date) -> Frame:
    """Give the frame with the rows that hold today, or do not where that is denied; with the word left out where none bear it."""
    for before, item in pairwise((Item("", 0, 0, ""), *reading.items)):
        day = _day(item, source, today)
        if day is None:
            continue
        if any(one.op == "period" and day in one.fields for one in conditions(frame)):
            frame = leaving_out(frame, [item.text])  # "insured in 2025" is not until a day of 2025
            continue
        is_un, is_valid = item.targets[0].label == "un", item.text.lower() == _VALID
        word = _Word(day, _begin(item, day, source, today), is_un, is_valid, _denial(before), today)
        frame = word.instead(frame) or word.besides(frame) or leaving_out(frame, [item.text])
    return frame


def _day(item: Item, source: Source, today: date) -> Field | None:
    """The day until when rows hold, which an adjective names and some rows have ahead."""
    word = item.text.lower().split()[-1] if item.kind == "mention" and item.targets else ""
    bare = word.removeprefix("un") if word and item.targets[0].label == "un" else word
    if bare in OVER or not (bare == _VALID or bare.endswith("ed") or bare in PARTICIPLES):
        return None
    best = item.targets[0]
    named = [t for t in item.targets if t.kind == "field" and t.cost <= best.cost + 0.01]
    fields = [source.model.field(t.table, t.column) for t in named if best.kind == "field"]
    return next(
        (
            f for f in fields
            if f is not None and {*f.words} & UNTIL and stem(bare) in f.words and reaches_beyond(f, today)
        ),
        None,
    )  # fmt: skip


def _begin(item: Item, day: Field, source: Source, today: date) -> Field | None:
    """The day from which on such rows hold, where a word names both and it is ahead of some."""
    fields = [
        source.model.field(t.table, t.column)
        for t in item.targets
        if t.kind == "field" and t.table == day.table
    ]
    begins = (f for f in fields if f is not None and f != day and {*f.words} & BEGINS)
    return next((f for f in begins if is_ahead(f, today)), None)


def _denial(item: Item) -> str:
    return item.text.lower() if item.op == "not" else ""


@dataclass(frozen=True, slots=True)
class _Word:
    """An adjective of a day until when rows hold, with the day from which on, and what denies it: its prefix, or words before it."""

    day: Field
    begin: Field | None
    is_un: bool
    is_valid: bool
    denial: str
    today: date

    def instead(self, frame: Frame) -> Frame | None:
        """The frame held so where the day was to be there, or not to be; None where nothing of the kind was, or it says another thing."""
        found: list[Condition] = []

        def mended(one: Condition) -> Condition:
            if one.op in ("missing", "filled") and one.fields == (self.day,):
                found.append(one)
                return self._condition(one.slots[0], self.is_un or bool(self.denial))
            return replace(one, parts=tuple(map(mended, one.parts))) if one.parts else one

        changed = with_conditions(frame, mended)
        lacks = {(one.op == "missing") != one.negated for one in found}
        through_others = any(slot.path and slot.field.filled == 1 for one in found for slot in one.slots)
        if lacks != {self.is_un or bool(self.denial)} or through_others:
            return None
        return changed

    def besides(self, frame: Frame) -> Frame | None:
        """The frame with its rows, or those that hang on them, held so besides; None where it has neither, or compares some with all."""
        if any(self.day in one.fields for one in conditions(frame)):
            return None
        links = [one for one in frame.where if one.op == "exists" and one.child == self.day.table]
        if len(links) == 1:
            held = self._condition(Slot(self.day), self.is_un)
            link = replace(links[0], parts=(*links[0].parts, held))
            return replace(frame, where=tuple(link if one is links[0] else one for one in frame.where))
        compares = frame.transform or any(one.agg in ("ratio", "formula") for one in figures(frame))
        if frame.anchor != self.day.table or compares:
            return None
        held = self._condition(Slot(self.day), self.is_un or bool(self.denial))
        return replace(frame, where=(*frame.where, held))

    def _condition(self, slot: Slot, denied: bool) -> Condition:
        """That a row's day is today or later, and has begun; denied that it is over, or missing too where rows need not have held before."""
        if not denied:
            ahead = still(slot, self.today)
            if not self.is_valid:
                ahead = Condition("period", (slot,), period=Period(self.today, None, "day", relative=True))
            if self.begin is None:
                return ahead
            return begun(Slot(self.begin, slot.path), ahead, self.today)
        ended = replace(over(slot, self.today), said=NO_LONGER)
        held_before = self.denial == NO_LONGER or self.day.filled == 1
        return ended if held_before else Condition("any", parts=(Condition("missing", (slot,)), ended))
