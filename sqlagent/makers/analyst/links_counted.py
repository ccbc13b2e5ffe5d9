"""Things counted of the rows of a link, whose name ends like theirs: boats with an active charter are different boats, not charter boats."""

from __future__ import annotations

from dataclasses import replace

from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Expr, Frame, Measure
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_NAMED = 0.05
"""Cost below which a word is the very name of a thing."""


def links_counted(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame in which rows of a table that are called by the name of another one, which they point at, are counted as different ones of that.

    Ratios stay: snacks per trip are the rows of the link.
    """
    named = {}
    for item in reading.items:
        best = item.targets[0] if item.kind == "mention" else None
        if best is not None and best.kind == "thing" and best.cost < _NAMED:
            named[item.text] = best.table

    def counted(one: Measure) -> Measure:
        table = named.get(one.said, one.anchor)
        if one.agg != "rows" or table == one.anchor:
            return one
        ways = [r for r in source.graph.out[one.anchor] if r.target == table and len(r.columns) == 1]
        of_its_own = any(not slot.path for held in frame.where for slot in held.slots)
        if (
            len(ways) != 1
            or of_its_own
            and stem(source.model.things[one.anchor].said.split()[-1]) == stem(one.said.lower())
        ):
            return one  # licences that have expired are those that somebody holds
        key = Expr("column", (source.slot(one.anchor, ways[0].columns[0]),))
        return replace(one, agg="distinct", expr=key)

    measures = tuple(map(counted, frame.measures))
    return replace(frame, measures=measures) if measures != frame.measures else frame
