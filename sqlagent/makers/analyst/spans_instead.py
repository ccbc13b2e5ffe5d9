"""A duration computed between two times, where a stored figure bears its name: "approved hours" of a table with hours worked."""

from __future__ import annotations

from sqlagent.catalog.semantics import Model, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.heeding import figures
from sqlagent.makers.analyst.reading import Reading

_UNITS = frozenset(map(stem, ["second", "minute", "hour", "day", "week", "delay", "duration"]))


def spans_instead(frame: Frame, reading: Reading, model: Model) -> list[str]:
    """Give the word for a duration that a frame computes, where the table of its times stores a figure called so."""
    tables = {
        slot.field.table
        for one in figures(frame)
        if one.expr is not None and one.expr.op == "span"
        for slot in one.expr.slots
    }
    stored = {
        stem(word)
        for table in tables
        for one in model.fields[table]
        if one.role is Role.MEASURE
        for word in one.words
    }
    return [
        item.text
        for item in reading.items
        if any(stem(word) in stored & _UNITS for word in item.text.lower().split())
    ][:1]
