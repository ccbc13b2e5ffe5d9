"""Columns that count a part of what another one counts: rejected units of units. A share of the part is of its whole."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Field
from sqlagent.makers.analyst.checking import UNMET
from sqlagent.makers.analyst.frames import Expr, Frame, Measure, Slot, share_of
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_OF_ALL = 0.03
"""The cost of telling the part of all rejected units that a group has, so little that somebody has to choose."""


def parts_of_wholes(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """Give a frame whose shares are of the whole: what part of a group's units was rejected, and not the other way round.

    A share of a part by groups may also be that of each group in all of the part, and is given as well.
    """
    frame = _asked_of_all(replace(frame, measures=tuple(map(_turned, frame.measures))), reading, source)
    part = frame.measures[0] if len(frame.measures) == 1 else None
    if part is None or frame.transform != "share" or frame.pivot or frame.per or frame.having or part.where:
        return [frame]
    whole = _whole_of(part, source)
    if whole is None:
        return [frame]
    rate = _told(replace(frame, measures=(_rate(part, whole),), transform=""), {whole.said})
    return [rate, replace(frame, cost=round(frame.cost + _OF_ALL, 4))] if frame.by else [rate]


def _asked_of_all(frame: Frame, reading: Reading, source: Source) -> Frame:
    """ "What share of units was rejected": one figure of all rows, where the words for a share found none."""
    asked = next((i.text for i in reading.items if i.op == "share" and i.text in frame.unused), None)
    if asked is None or frame.by or frame.transform or frame.columns or not 0 < len(frame.measures) < 3:
        return frame
    part = frame.measures[-1]
    whole = _whole_of(part, source)
    if whole is None or any(_column(one) != _column(whole) for one in frame.measures[:-1]):
        return frame
    return _told(replace(frame, measures=(_rate(part, whole),)), {asked.lower()})


def _told(frame: Frame, words: set[str]) -> Frame:
    """A frame that holds these words now, which it had left out."""
    rest = tuple(word for word in frame.unused if word.lower() not in words)
    saved = UNMET * (len(frame.unused) - len(rest))
    return replace(frame, unused=rest, cost=round(max(0.0, frame.cost - saved), 4))


def _rate(part: Measure, whole: Measure) -> Measure:
    return share_of(part, whole, f"share of {part.said}" if whole.said in part.said else f"{part.said} share")


def _turned(measure: Measure) -> Measure:
    """A percentage with the part above its whole."""
    over, under = measure.over, measure.under
    if measure.agg != "ratio" or not measure.percent or over is None or under is None:
        return measure
    above, below = _column(over), _column(under)
    turned = above is not None and below is not None and _is_part(below, above)
    return replace(measure, over=under, under=over) if turned else measure


def _whole_of(part: Measure, source: Source) -> Measure | None:
    """The figure of the same rows that a column counts a part of; None where there is none, or are several."""
    own = _column(part)
    if own is None:
        return None
    wholes = [f for f in source.measures(own.table) if _is_part(own, f)]
    if len(wholes) != 1:
        return None
    slots = part.expr.slots if part.expr is not None else ()
    slot = Slot(wholes[0], slots[0].path)
    return replace(part, expr=Expr("column", (slot,)), said=wholes[0].said)


def _column(measure: Measure) -> Field | None:
    expr = measure.expr
    return expr.slots[0].field if measure.agg == "sum" and expr is not None and expr.op == "column" else None


def _is_part(part: Field, whole: Field) -> bool:
    """Whether a column bears the name of another one and a word more, and both count the same."""
    same = part.table == whole.table and part.unit == whole.unit and part.unit in ("count", "")
    return same and set(whole.words) < set(part.words)
