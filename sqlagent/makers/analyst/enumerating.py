"""Figures listed behind what they are of: "payments by method: number and amount", "sales by shop, count and average price"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Model, Role
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.starts import FIGURES


def enumerated(reading: Reading, model: Model) -> Reading:
    """Give the reading with the mark that opens such a list as an operator, `figures`, and without other colons."""
    items = _listed_behind(reading.items, model)
    return replace(reading, items=tuple(i for i in items if i.kind != "glue" or i.text != ":"))


def _listed_behind(items: Sequence[Item], model: Model) -> list[Item]:
    """The items with that operator, where there is such a list.

    A colon opens one where nothing but figures follows, a comma behind a group where the first of them is a number of rows.
    """
    for place, item in enumerate(items):
        colon = item.kind == "glue" and item.text == ":"
        comma = item.op == "and" and item.text == "," and any(i.op == "by" for i in items[:place])
        if not (colon or comma) or not any(i.kind == "mention" for i in items[:place]):
            continue
        rest = [i for i in items[place + 1 :] if i.kind != "glue"]
        counted = bool(rest) and rest[0].op == "count"
        if rest and (colon or counted) and all(_is_part(i, model) for i in rest):
            return [*items[:place], replace(item, kind="op", op="figures"), *items[place + 1 :]]
    return list(items)


def _is_part(item: Item, model: Model) -> bool:
    """Whether an item is a figure, or what stands between figures."""
    if item.kind == "op":
        return item.op in ("count", "agg", "and", "of") and not item.text.lower().startswith("how")
    if item.kind != "mention":
        return False
    best = item.targets[0]
    if best.kind == "concept":
        return best.column in FIGURES
    one = model.field(best.table, best.column) if best.kind == "field" else None
    return best.kind == "thing" or one is not None and one.role is Role.MEASURE
