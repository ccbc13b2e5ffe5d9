"""Things by the greatest single row that they have: "client with the largest invoice" is the one of that invoice, however many others have.

A row is as large, dear or cheap as it would be if it were ranked by itself ("the largest invoice"); things without such rows are
none of them. Rows that have no amount make a draft: that there are many of them makes none of them large.
"""

from __future__ import annotations

from sqlagent.language.words import singular
from sqlagent.makers.analyst.deeds import MEASURED
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import Sketch

_LARGE = frozenset({"largest", "biggest", "smallest"})
_HIGH = frozenset({"highest", "greatest", "lowest"})
"""Ranks that may be of a number as well: shops with the highest sales sold most."""

_PRICED = frozenset({"dear", "cheap"})

_MANY = frozenset({"staff", "team", "fleet", "crew", "workforce", "attendance", "personnel", "audience", "stock", "traffic", "staffing"})  # fmt: skip
"""Nouns of many at once: the largest staff has the most people."""


def ranks_single_rows(drawn: Sketch) -> bool:
    """Whether a rank is of single rows of something: by their price in any case, by their size where no number and no total is named."""
    rank = drawn.rank
    if rank is None or rank.by is None or any(ask.aggs for ask in drawn.asks):
        return False
    said = drawn.rank_text.lower()
    if rank.kind in _PRICED or said in MEASURED:
        return True
    if rank.kind not in ("desc", "asc") or rank.by.text.lower() in _MANY:
        return False
    return said in _LARGE or said in _HIGH and _is_one(rank.by)


def counted_instead(frame: Frame, drawn: Sketch) -> list[str]:
    """The rank of single rows that is held by how many there are."""
    first = frame.measures[0] if frame.measures else None
    if first is None or frame.order is None or first.agg not in ("rows", "distinct"):
        return []
    if not frame.order.is_of_figure or not ranks_single_rows(drawn):
        return []
    by = drawn.rank.by if drawn.rank is not None else None
    is_named = by is not None and any(t.kind == "thing" and t.table == first.anchor for t in by.targets)
    return [drawn.rank_text] if is_named else []


def _is_one(item: Item) -> bool:
    low = item.text.lower()
    return singular(low) == low
