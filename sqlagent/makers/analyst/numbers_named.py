"""Numbers right behind their column: "tiles with weight 5", "tiles whose stock is zero", "zero stock tiles" have exactly that many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source

_BEFORE = frozenset({"with", "with a", "whose", "where", "having"})
_BETWEEN = frozenset({"of", "at", "is", "="})
_NOUN = 0.05
"""Cost below which a word is the very name of a thing."""


def numbers_named(reading: Reading, source: Source) -> Reading:
    """Give the reading in which such a number is one that the column has exactly; one of several, or before a unit, stays as it is."""
    items = list(reading.items)
    for at in range(len(items) - 2):
        zero, name, noun = items[at : at + 3]
        if zero.kind == "number" and zero.number == 0 and _is_figure(name, source) and _is_thing(noun):
            items[at : at + 3] = [noun, _op(noun, "rel", "with"), name, zero]
    out: list[Item] = []
    for at, item in enumerate(items):
        if item.kind == "number" and _is_alone(items[at + 1 :]) and (end := _named(out, source)):
            out[end:] = [_op(item, "more", "exactly", "=")]
        out.append(item)
    return replace(reading, items=tuple(out)) if len(out) != len(reading.items) else reading


def _named(before: Sequence[Item], source: Source) -> int:
    """How many items end with the column that a number stands behind; none where there is no such column."""
    end = len(before) - (1 if before and before[-1].op and before[-1].text.lower() in _BETWEEN else 0)
    if end < 3 or not _is_figure(before[end - 1], source) or before[end - 2].text.lower() not in _BEFORE:
        return 0
    return end


def _is_alone(behind: Sequence[Item]) -> bool:
    """Whether a number is the last of a bound: neither one of several, nor counting what stands behind it."""
    rest = behind[1:] if behind and behind[0].op == "of" else behind
    ends = not rest or rest[0].kind == "period" or rest[0].op in ("by", "rankall")
    return ends and all(item.kind != "number" for item in behind)


def _is_figure(item: Item, source: Source) -> bool:
    """Whether a word is the very name of a column of numbers."""
    named = (t for t in item.targets if t.kind == "field" and t.cost < _NOUN)
    fields = (source.model.field(t.table, t.column) for t in named)
    return any(one is not None and one.role is Role.MEASURE and one.is_number for one in fields)


def _is_thing(item: Item) -> bool:
    best = item.targets[0] if item.kind == "mention" else None
    return best is not None and best.kind == "thing" and best.cost < _NOUN


def _op(at: Item, op: str, text: str, detail: str = "") -> Item:
    return Item("op", at.start, at.start, text, op=op, detail=detail)
