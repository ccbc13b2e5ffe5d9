"""Values stored more than once: "client names that occur more than once", "duplicate emails".

Decides that such a question groups by the column itself, whatever else its words and numbers could bound.
"""

from __future__ import annotations

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.attaching import Attacher
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Having, Measure, Slot
from sqlagent.makers.analyst.sketching import Clause, Sketch
from sqlagent.makers.analyst.source import Source

_OCCURS = frozenset(stem(w) for w in ("occur", "occurs", "appear", "appears", "exist", "exists", "stored", "recorded", "repeat", "repeated", "repeats", "found"))  # fmt: skip
_DOUBLE = frozenset({"duplicate", "duplicates", "duplicated", "repeated", "non-unique"})
_COLUMNS = (Role.DIMENSION, Role.TEXT)


def repeated(sketch: Sketch, source: Source, attach: Attacher) -> Frame | None:
    """Give the frame of a question for what one column holds several times; None where it asks for something else."""
    item = sketch.asks[0].item if len(sketch.asks) == 1 else None
    if (
        item is None
        or sketch.by
        or sketch.per
        or sketch.rank
        or sketch.share
        or sketch.transform
        or sketch.vs
    ):
        return None
    double = {word for word in sketch.unknown if word.lower() in _DOUBLE}
    bound = _bound(sketch)
    if len(double) + (bound is not None) != 1 or len(sketch.unknown) > len(double):
        return None
    best = item.targets[0]
    one = source.model.field(best.table, best.column) if best.kind == "field" and best.cost < 0.15 else None
    if one is None or one.role not in _COLUMNS:
        return None
    rows = Measure("rows", one.table, said="times")
    where: list[Condition] = [Condition("filled", (Slot(one),))] if one.filled < 1 else []
    part = attach.clause(one.table, sketch.main)
    compare, number = (bound.compare, bound.numbers[0]) if bound is not None else (">", 1.0)
    return Frame(
        one.table, (rows,), (Dimension((Slot(one),), said=one.said),), (*where, *part.conditions),
        having=(Having(rows, compare, number),), cost=round(0.05 + best.cost + part.cost, 4), unused=tuple(part.unused),
    )  # fmt: skip


def _bound(sketch: Sketch) -> Clause | None:
    """How often something is said to occur, where a clause says nothing else."""
    if len(sketch.clauses) != 1 or not sketch.stems & _OCCURS:
        return None
    clause = sketch.clauses[0]
    silent = not (clause.mentions or clause.after_compare or clause.periods or clause.negated or clause.unit)
    return clause if silent and clause.compare and len(clause.numbers) == 1 else None
