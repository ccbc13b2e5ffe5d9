"""Frames in the asker's own words: where a short form of a name was said in full, the name is told in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from sqlagent.catalog.semantics import Field
from sqlagent.language.words import singular
from sqlagent.makers.analyst.frames import Dimension, Frame
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.shortened import spoken

Opened = Mapping[tuple[str, str], Mapping[str, str]]
"""Of each column its short forms with the words that were said for them."""


def opened(reading: Reading) -> Opened:
    """Give the short forms that a question says in full."""
    out: dict[tuple[str, str], dict[str, str]] = {}
    for item in reading.items:
        for target in item.targets:
            for short, word in target.opened:
                out.setdefault((target.table, target.column), {})[short] = singular(word)
    return out


def in_words(frame: Frame, known: Opened) -> Frame:
    """Give a frame whose columns are told by the words that were said for their short forms."""
    told: Frame = _told(frame, known) if known else frame
    return told


def _told(value: Any, known: Opened) -> Any:
    if isinstance(value, Field):
        own = known.get((value.table, value.column))
        return replace(value, said=spoken(value.said, own.items())) if own else value
    if isinstance(value, tuple):
        return tuple(_told(one, known) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, Any] = {}
    for one in fields(value):
        old = getattr(value, one.name)
        new = _told(old, known) if isinstance(old, tuple) or is_dataclass(old) else old
        if new is not old and new != old:
            changed[one.name] = new
    if isinstance(value, Dimension) and value.shown and value.said == value.shown[0].field.said:
        own = known.get((value.shown[0].field.table, value.shown[0].field.column), {})
        changed["said"] = spoken(value.said, own.items())
    return replace(value, **changed) if changed else value


_OPS = {"former": "past", "current": "current", "missing": "missing"}
"""Words that a frame leaves out under our name for what was said: the ops of the items that say so."""


def as_typed(frame: Frame, reading: Reading) -> Frame:
    """Give a frame that leaves out words as they were typed: "inactive" and not "former", "trained" and not the "trainer" it was read as."""
    typed = {new.lower(): old for old, new in reading.mended}
    for word, op in _OPS.items():
        said = [item.text for item in reading.items if item.op == op]
        if said and word not in map(str.lower, said):
            typed.setdefault(word, said[0])
    unused = tuple(dict.fromkeys(typed.get(word.lower(), word) for word in frame.unused))
    return replace(frame, unused=unused) if unused != frame.unused else frame
