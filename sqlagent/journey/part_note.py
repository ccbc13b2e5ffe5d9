"""The note on part periods: years, quarters, months and weeks of an answer that the data do not cover whole."""

from __future__ import annotations

import json

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import FrameError
from sqlagent.makers.analyst.part_periods import part_periods, told_of
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.analyst.stored_frames import frame_of
from sqlagent.values import Catalog, Rows


def part_note(kept: str, rows: Rows, catalog: Catalog, index: ValueIndex | None) -> str:
    """Name the part periods of an answer by its frame as it is kept; empty where there is none, or SQL that no frame wrote."""
    if not kept:
        return ""
    model = source_of(catalog, index).model
    try:
        frame = frame_of(json.loads(kept), model)
    except FrameError:
        return ""
    return told_of(part_periods(frame, model, rows), frame) or ""
