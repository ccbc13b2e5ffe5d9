"""Units of time that a question names and the columns it is answered by are not kept in: "in minutes" of seconds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any

from sqlagent.catalog.semantics import Field, Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Expr, Frame
from sqlagent.makers.analyst.reading import Reading

_KEPT = ("seconds", "minutes", "hours", "days", "weeks")
"""Units in which a stored length of time is known to be."""


def unconverted(frame: Frame, reading: Reading) -> list[str]:
    """The units asked for that no length of time in the frame is kept in; none where the frame computes it of two times."""
    asked = {item.text: item.text.lower().rstrip("s") + "s" for item in reading.items if item.kind == "unit"}
    named = {said: unit for said, unit in asked.items() if unit in _KEPT}
    if not named:
        return []
    parts = list(_parts(frame))
    if any(isinstance(part, Expr) and part.op in ("span", "age") for part in parts):
        return []
    first = reading.items[0]
    if first.kind == "unit" and not any(_is_length(part) for part in parts):
        return [first.text]  # "hours worked per site" counts no agents
    if frame.measures and all(m.agg in ("rows", "distinct") for m in frame.measures):
        bounds = {after.text for before, after in pairwise(reading.items) if before.kind == "number"}
        if dropped := [said for said in named if said not in bounds]:
            return dropped[:1]  # "unplanned downtime hours" counts no stops
    kept = {
        part.unit
        for part in parts
        if isinstance(part, Field) and part.role is Role.MEASURE and part.unit in _KEPT
    }
    return [said for said, unit in named.items() if kept and unit not in kept]


def _is_length(part: Any) -> bool:
    """Whether a part of a frame is a length of time that is stored, in whatever unit, or bears the name of one."""
    return isinstance(part, Field) and (
        part.unit in _KEPT or bool({stem(unit) for unit in _KEPT} & set(part.words))
    )


def _parts(part: Any) -> Iterator[Any]:
    yield part
    if isinstance(part, tuple):
        for one in part:
            yield from _parts(one)
    elif is_dataclass(part) and not isinstance(part, Field):
        for one in fields(part):
            yield from _parts(getattr(part, one.name))
