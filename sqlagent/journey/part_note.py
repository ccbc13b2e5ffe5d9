"""The note on part periods: years, quarters, months and weeks of an answer that the data do not cover whole."""

from __future__ import annotations

import json

from sqlagent.catalog.semantics import Model
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import FrameError
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.part_periods import part_periods, told_of
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.analyst.stored_frames import frame_of
from sqlagent.values import Catalog, Rows


def part_note(kept: str, rows: Rows, catalog: Catalog, index: ValueIndex | None) -> str:
    """Name the part periods of an answer by its frame as it is kept; empty where there is none, or SQL that no frame wrote."""
    model = source_of(catalog, index).model
    frame = _frame(kept, model)
    return told_of(part_periods(frame, model, rows), frame) or "" if frame is not None else ""


def least_in_part(kept: str, rows: Rows, catalog: Catalog, index: ValueIndex | None) -> str:
    """The same where the least of the periods are asked for: a part one may be among them because it is one. The greatest would be so all the more."""
    frame = _frame(kept, source_of(catalog, index).model)
    if frame is None or not any(one.grain for one in (*frame.by, *frame.per)):
        return ""
    is_least = frame.limit is not None and frame.order is not None and frame.order.ascending
    return part_note(kept, rows, catalog, index) if is_least else ""


def _frame(kept: str, model: Model) -> Frame | None:
    try:
        return frame_of(json.loads(kept), model) if kept else None
    except FrameError:
        return None
