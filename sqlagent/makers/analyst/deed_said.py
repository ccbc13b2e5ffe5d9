"""Figures of the rows that a small verb names: "kg received" are of the goods that were received, not of those handed out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_SAID = 0.06
"""The cost of a figure of other rows than those whose time bears the verb."""


def of_the_deed_said(frames: Sequence[Frame], reading: Reading, source: Source) -> list[Frame]:
    """Give the frames, dearer where the rows of a figure were not received and those of another frame's were.

    Verbs that say little elsewhere stand in no frame; where a time is called after one, it tells which rows are meant.
    """
    named = [_deeds(frame, source) & reading.glued for frame in frames]
    said = frozenset[str]().union(*named)
    return [
        frame if own == said else replace(frame, cost=round(frame.cost + _SAID, 4))
        for frame, own in zip(frames, named, strict=True)
    ]


def _deeds(frame: Frame, source: Source) -> frozenset[str]:
    """The words of the times of the rows whose figure a frame takes."""
    anchors = {m.anchor for m in frame.measures if m.expr is not None and m.agg in ("sum", "avg")}
    return frozenset(
        word
        for anchor in anchors
        for one in source.model.fields.get(anchor, ())
        if one.role is Role.TIME
        for word in one.words
    )
