"""The note on part periods: years, quarters, months and weeks of an answer that the data do not cover whole."""

from __future__ import annotations

import json

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import FrameError
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.part_periods import part_periods, told_of
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.analyst.stored_frames import frame_of
from sqlagent.values import Catalog, Rows


def part_note(
    kept: str, rows: Rows, catalog: Catalog, index: ValueIndex | None, *, is_of_least: bool = False
) -> str:
    """Name the part periods of an answer by its frame as it is kept; empty where there is none, or SQL that no frame wrote.

    With `is_of_least` only where the least of the periods are asked for: a part one may be among them because it is one, whereas
    among the greatest it would be all the more.
    """
    if not kept:
        return ""
    model = source_of(catalog, index).model
    try:
        frame = frame_of(json.loads(kept), model)
    except FrameError:
        return ""
    if is_of_least and not _asks_for_least(frame):
        return ""
    return told_of(part_periods(frame, model, rows), frame) or ""


def _asks_for_least(frame: Frame) -> bool:
    """Whether a frame picks the least of some periods."""
    is_of_periods = any(one.grain for one in (*frame.by, *frame.per))
    return is_of_periods and frame.limit is not None and frame.order is not None and frame.order.ascending
