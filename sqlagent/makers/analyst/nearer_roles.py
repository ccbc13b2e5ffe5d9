"""A role of somebody that another table's rows point at, where the rows that are gone through point at somebody themselves.

"Sales people by commission" may be those who sold the contract, or those whom the commission was booked for: a draft, unless the role bears its very name.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_DOUBT = 0.4
"""The cost of a role that is further away than one that was not named."""

_NAMED = 0.05
"""Cost up to which a word is the very name of a role."""


def nearer_roles(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame, dearer where its groups are such a role that is named only roughly."""
    roughly = {
        (target.table, target.column)
        for item in reading.items
        for target in item.targets[:1]
        if target.kind == "relation" and target.cost > _NAMED
    }
    for one in frame.by:
        for relation in {way for slot in (*one.keys, *one.shown) for way in slot.path}:
            far = relation.source != frame.anchor and (relation.source, relation.columns[0]) in roughly
            if far and any(own.target == relation.target for own in source.graph.out[frame.anchor]):
                return replace(frame, cost=round(frame.cost + _DOUBT, 4))
    return frame
