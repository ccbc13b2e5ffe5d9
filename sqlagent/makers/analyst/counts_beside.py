"""How many rows there are beside a figure of them: "refunds this year and how many", "average score with number of ratings".

Decides which words ask for that number alone. They are taken out of the reading, which is then understood without them, and the
number is set beside the figure: of the rows that have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Model, Role
from sqlagent.language.words import plural_of
from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Condition, Frame, Measure
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.starts import FIGURES

_JOINTS = frozenset({"and", "with"})
_BESIDE = frozenset({"sum", "avg", "min", "max"})


def counts_apart(reading: Reading, model: Model) -> tuple[Reading, Item | None]:
    """Give the reading without the words that ask for a number of rows beside its figure, and the one that says what is counted."""
    items = reading.items
    for place, item in enumerate(items):
        figure = _figure(items[:place], model)
        if figure is None:
            continue
        if item.op == "figures" and item.detail == "both" and place + 1 == len(items):
            return replace(reading, items=_joined(items[:place])), item
        if item.op != "count":
            continue
        rest = items[place + 1 :]
        if not rest:
            return replace(reading, items=_joined(items[:place])), item
        is_joined = place > 0 and _is_joint(items[place - 1])
        if is_joined and rest[0].kind == "mention" and _counts_the_same(rest[0], figure, model):
            return replace(reading, items=(*_joined(items[:place]), *rest[1:])), rest[0]
    return reading, None


def with_count(frame: Frame, counted: Item | None, model: Model) -> Frame:
    """Give the frame with the number of its rows beside its figure; without what was to be counted where it has no such figure."""
    if counted is None:
        return frame
    first = frame.measures[0] if len(frame.measures) == 1 else None
    if first is None or frame.transform or frame.pivot or frame.formula is not None:
        return leaving_out(frame, [counted.text])
    if first.agg in ("rows", "distinct"):
        return frame
    if first.agg not in _BESIDE or first.expr is None:
        return leaving_out(frame, [counted.text])
    said = (
        f"number of {counted.text}"
        if counted.kind == "mention"
        else plural_of(model.things[first.anchor].said)
    )
    there = tuple(Condition("filled", (slot,)) for slot in first.expr.slots if slot.field.filled < 1)
    more = tuple(one for one in there if one not in frame.where and one not in first.where)
    rows = Measure("rows", first.anchor, where=(*first.where, *more), said=said)
    return replace(frame, measures=(first, rows))


def _figure(items: Sequence[Item], model: Model) -> Item | None:
    """The word for a figure among those before, where no rows are named first: the number is beside them then already."""
    summed = any(item.op in ("agg", "much") for item in items)
    for item in items:
        best = item.targets[0] if item.kind == "mention" else None
        if best is None:
            continue
        if best.kind == "concept" and best.column in FIGURES:
            return item
        one = model.field(best.table, best.column) if best.kind == "field" else None
        told = {t.column for t in item.targets if t.kind == "field" and t.table == best.table}
        paid = any(
            (other := model.field(best.table, column)) is not None and other.role is Role.MEASURE
            for column in told
        )
        if one is not None and (one.role is Role.MEASURE or one.role is Role.TIME and paid):
            return item
        return item if summed and best.kind == "value" else None
    return None


def _counts_the_same(item: Item, figure: Item, model: Model) -> bool:
    """Whether what is to be counted is what the figure is of: its own column, or the time at which its rows happen."""
    best, own = item.targets[0], figure.targets[0]
    if best.kind != "field" or own.kind != "field" or best.table != own.table:
        return False
    one, figured = model.field(best.table, best.column), model.field(own.table, own.column)
    if one is None or figured is None:
        return False
    return best.column == own.column or one.role is Role.TIME and figured.filled == 1


def _is_joint(item: Item) -> bool:
    return item.op in _JOINTS or item.op == "rel" and item.text.lower() == "with"


def _joined(items: Sequence[Item]) -> tuple[Item, ...]:
    """Items without the joints that they end with."""
    kept = list(items)
    while kept and (_is_joint(kept[-1]) or kept[-1].kind == "glue"):
        kept.pop()
    return tuple(kept)
