"""Whether another frame of a question is as likely meant as the first one, so that somebody has to choose."""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Frame, Slot

NEAR = 0.02
"""A frame this near to the first one in cost is as likely meant."""

NEAR_WORD = 0.2
"""How much dearer a column of another table may be whose name holds the same word beside others, to be as likely meant."""

NEAR_ROWS = 0.1
"""The same of rows of another table that are counted for the same word."""

_TIMELY = frozenset(stem(w) for w in ("date", "time", "day", "on", "at"))


def is_rival(first: Frame, other: Frame) -> bool:
    """Whether another frame is as likely meant: as near to the words, or the same word of another table's rows.

    A word that is a part of two columns' names ("hours" of booked hours and of worked hours) tells of neither which.
    """
    gap = other.cost - first.cost
    if other.unused != first.unused or gap >= NEAR_WORD:
        return False
    if gap < NEAR:
        return True
    if not first.measures or not other.measures or first.anchor == other.anchor:
        return False
    mine, its = first.measures[0], other.measures[0]
    if mine.said != its.said or mine.agg != its.agg or not mine.said:
        return False
    if mine.agg == "rows":
        return gap < NEAR_ROWS and mine.anchor != its.anchor and _begin_alike(first, other)
    if (
        mine.agg == "distinct"
        or mine.expr is None
        or its.expr is None
        or not mine.expr.op == its.expr.op == "column"
    ):
        return False
    said = {stem(word) for word in mine.said.lower().split()}
    return all(said < set(measure.slots[0].field.words) for measure in (mine.expr, its.expr))


def _begin_alike(first: Frame, other: Frame) -> bool:
    """Whether two frames count what is done at a time of the same word: hired staff, applications that led to a hire."""
    words = [{w for slot in _times(frame) for w in slot.field.words} - _TIMELY for frame in (first, other)]
    return bool(words[0] & words[1])


def _times(frame: Frame) -> Iterator[Slot]:
    for condition in frame.where:
        if condition.op in ("period", "filled", "any", "all"):
            yield from condition.slots
            for part in condition.parts:
                yield from part.slots
    for dimension in frame.by:
        if dimension.grain:
            yield from dimension.shown
