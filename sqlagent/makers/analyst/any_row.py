"""Bounds on any single row: patients with an invoice over 800 have one of so much, whatever all their invoices come to."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlagent.makers.analyst.checking import leaving_out
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.reading import Item, Reading

_ONE = re.compile(
    r"\b(?:with|without|have|has|having|had|got|made|placed|paid) (?P<one>(?:an?|any|some) )?(?P<what>(?:[\w'-]+ ){0,2}[\w'-]+?)(?: in [\w ]+?)? (?:of |worth )?"
    r"(?:over|above|more than|greater than|higher than|exceeding|below|under|less than|lower than|at least|at most|[<>]=?) ?[€$£]?\d",
    re.IGNORECASE,
)
"""One row, and a bound behind it."""

_ADDED_UP = re.compile(
    r"\b(?:total|sum|overall|combined|aggregate|average|avg|mean|altogether)\b", re.IGNORECASE
)
"""Words that say all rows together."""


def any_row(frame: Frame, text: str, reading: Reading) -> Frame:
    """Give the frame of things that have one row within a bound, where the sum of their rows was held against it."""
    if _ADDED_UP.search(text) or frame.transform:
        return frame
    for found in _ONE.finditer(text):
        words = found["what"].lower().split()
        had = [
            item for item in reading.items if item.kind == "mention" and item.text.lower().split() == words
        ]
        kinds = ("thing", "field") if found["one"] else ("thing",)
        if len(had) != 1 or not had[0].targets or had[0].targets[0].kind not in kinds:
            continue
        if (grouped := _of_group(frame)) is not None:
            return grouped
        where = tuple(_of_one(one, had[0]) for one in frame.where)
        is_far = any(map(_is_of_sum, where))  # an order's money may stand on its lines
        frame = leaving_out(replace(frame, where=where), [had[0].text] if is_far else [])
    return frame


def _is_of_sum(one: Condition) -> bool:
    """Whether a bound is on the sum of the rows of each thing."""
    return one.op == "exists" and one.number is not None and one.counted is not None and not one.values


def _of_one(one: Condition, had: Item) -> Condition:
    if not _is_of_sum(one) or one.child != had.targets[0].table:
        return one
    bound = Condition("compare", compare=one.compare, number=one.number, expr=one.counted)
    return replace(one, parts=(*one.parts, bound), compare="", number=None, counted=None)


def _of_group(frame: Frame) -> Frame | None:
    """The list of the things that rows were grouped by to hold their sum against a bound."""
    if (
        len(frame.having) != 1
        or len(frame.by) != 1
        or len(frame.measures) != 1
        or "only groups" not in frame.flags
    ):
        return None
    bound, shown = frame.having[0], frame.by[0].shown
    path = shown[0].path if shown else ()
    measure = bound.measure
    is_sum = measure.agg == "sum" and measure.expr is not None and not measure.where
    if not is_sum or bound.number is None or not path or any(slot.path != path for slot in shown):
        return None
    one = Condition("compare", compare=bound.compare, number=bound.number, expr=measure.expr)
    there = Condition("exists", child=frame.anchor, path=path, parts=(*frame.where, one))
    columns = tuple(replace(slot, path=()) for slot in shown)
    flags = tuple(flag for flag in frame.flags if flag != "only groups")
    return replace(
        frame,
        anchor=path[-1].target,
        measures=(),
        by=(),
        having=(),
        where=(there,),
        columns=columns,
        flags=flags,
    )
