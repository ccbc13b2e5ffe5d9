"""How far a changed question is from what was meant: what it lost, gained and turned around besides."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.intents import Intent
from sqlagent.makers.analyst.changing.parts import THERE, Difference, Part, difference, parts
from sqlagent.makers.analyst.frames import Frame

_ORDERS = re.compile(
    r"\b(?:sort\w*|rank\w*|order(?:ed)? by|first|last|most|least|best|worst|top|bottom|ascending|descending|alphabetical\w*|[a-z]+est)\b",
    re.IGNORECASE,
)
_SUMS = re.compile(r"(?:total|sum|sums|totals|amount|average|avg|mean|median)", re.IGNORECASE)
_GROUPED = re.compile(r"(?:by|per|for each|each|every)\s", re.IGNORECASE)
_TWO = re.compile(r"\w\s+(?:by|per|for each)\s", re.IGNORECASE)
_NO = re.compile(
    r"\b(?:no|not|non|none|nobody|nothing|never|without|except|exclude|excluding|excluded|leave|leaving|drop|skip|minus|less|out|remove|ignore|ignoring|isn't|aren't|un(?!it|til|der|i)\w+|in(?:active|valid|complete)\w*|off\w+|other than|but)\b",
    re.IGNORECASE,
)
_KEPT = frozenset({"where", "inner", "period", "having"})
"""Kinds of parts that restrict the rows."""
_FAMILY = {"order": "rank", "column": "list", "per": "by"}
"""Kinds of parts that change together."""


def denies(text: str) -> bool:
    """Whether words deny something.

    Example:
        >>> denies("not"), denies("loyal")
        (True, False)
    """
    return bool(_NO.search(text))


def doubt_of(asked: Asked, frame: Frame, meant: Intent, own: frozenset[Part]) -> float:
    """How far a frame is from the one before beyond what was meant; 0 where exactly that changed."""
    whole = difference(asked.held, parts(frame))
    if not any(new.kind == "measure" for _, new in whole.replaced):
        own = frozenset()  # the word brought nothing along that another figure has not
    change = difference(asked.held - own, parts(frame) - own)
    if change.is_none:
        averages = meant.way == "each" and all(one.agg == "avg" for one in frame.measures)
        return 0.0 if averages or meant.way == "list" and not frame.measures else 2.0
    is_beside = whole.replaced or any(part.kind == "measure" for part in change.gained)
    if meant.way == "compare" and meant.text.startswith("compared") and not is_beside:
        return 2.0  # no figure of another period stands beside
    if meant.way == "summed" and not any(
        part.kind == "measure" and part.says.startswith("sum") for part in parts(frame)
    ):
        return 2.0
    if meant.way in ("count", "summed"):
        change = replace(
            change,
            lost=frozenset(part for part in change.lost if part.kind not in ("order", "column")),
            replaced=tuple((old, new) for old, new in change.replaced if new.kind != "measure"),
        )
        if not frame.measures:
            return 2.0
    doubt = _worse(asked, frame)
    figures = [p for p in (*change.gained, *(new for _, new in change.replaced)) if p.kind == "measure"]
    if meant.figure and not figures:
        return 2.0
    if _SUMS.fullmatch(meant.text) and any(p.says.startswith("rows ") for p in figures):
        return 2.0  # a total of rows is their number, which was asked for before
    doubt += _denied(asked, change, meant)
    touched = {new.kind for _, new in change.replaced} | {
        part.kind for part in (*change.gained, *change.lost)
    }
    if touched == {"order"} and meant.way != "sort" and not _ORDERS.search(meant.text):
        doubt += 1.0  # a verb, "what did they order"
    both = {"by", "measure"} <= {new.kind for _, new in change.replaced}
    if both and meant.way not in ("gone", "count", "compare") and not _TWO.search(meant.text):
        doubt += 0.8  # another group is no other figure
    if meant.way in ("", "narrow") and _GROUPED.match(meant.text):
        is_grouped = any(part.kind == "by" for part in change.gained)
        doubt += 0.8 * (is_grouped and any(new.kind == "measure" for _, new in change.replaced))
    if meant.way != "compare":
        families = _families(change)
        doubt += 0.2 * max(0, len(families - {"inner"} if "measure" in families else families) - 1)
    return doubt + loss_of(change, meant) + _placed(change, meant, asked.held)


def _denied(asked: Asked, change: Difference, meant: Intent) -> float:
    """Whether a condition came in turned around though nothing of the kind was typed.

    A question that denies nothing itself turns nothing around: then "open", "overdue" and "valid" came in, rows without an end.
    """
    says_no = bool(_NO.search(meant.text)) or meant.way in ("gone", "compare") or not _NO.search(asked.text)
    wrong = sum(part.denies and part.kind in ("where", "inner") for part in change.gained)
    wrong += sum(new.denies and not old.denies for old, new in change.replaced)
    turned = sum(old.denies and not new.denies and old.values == new.values for old, new in change.replaced)
    return float((0 if says_no else wrong) + turned)


def doubt_of_ending(asked: Asked, frame: Frame, kind: str) -> float:
    """The doubt of an ending that was put or taken away: it changes nothing else, if it is understood at all."""
    if difference(asked.held, parts(frame)).is_none and asked.frame.order == frame.order:
        return 2.0
    if kind in ("list", "columns") and _contradicts(frame):
        return 2.0
    if kind in ("list", "columns"):
        held = difference(asked.held, parts(frame))
        against = _of_periods(frame) if kind == "columns" else set()
        lost = [part for part in held.lost if part.kind in _KEPT and part.about not in against]
        if frame.measures or lost or any(old.kind == "period" for old, _ in held.replaced):
            return 2.0
    if kind in ("total", "overall") and not frame.measures:
        return 2.0  # a list is none
    if kind == "total" and _figures_of(frame) != _figures_of(asked.frame):
        return 2.0  # groups that go change no figure
    return _worse(asked, frame)


def _of_periods(frame: Frame) -> set[str]:
    """The columns of times of which a frame names a period."""
    every = [one for whole in frame.where for one in (whole, *(whole.parts if whole.op == "any" else ()))]
    return {
        f"{slot.field.table}.{slot.field.column}"
        for one in every
        if one.op == "period" and not one.negated
        for slot in one.slots
    }


def _contradicts(frame: Frame) -> bool:
    """Whether rows are to have no time and to have it in a period: current ones who left last year."""
    missing = {
        f"{slot.field.table}.{slot.field.column}"
        for one in frame.where
        if one.op == "missing" and not one.negated
        for slot in one.slots
    }
    return bool(missing & _of_periods(frame))


def doubt_of_place(asked: Asked, frame: Frame) -> float:
    """The doubt of a place in the place of another, be it a town or a whole country: one condition for one, and nothing else."""
    change = difference(asked.held, parts(frame))
    lost = [*change.lost, *(old for old, _ in change.replaced)]
    gained = [*change.gained, *(new for _, new in change.replaced)]
    if [one.kind for one in lost] != ["where"] or [one.kind for one in gained] != ["where"]:
        return 2.0
    return _worse(asked, frame)


def doubt_of_anew(asked: Asked, frame: Frame) -> float:
    """The doubt of a figure and groups in the place of those that were shown: the same rows, of which no condition and no period goes."""
    change = difference(asked.held, parts(frame))
    lost = [part for part in change.lost if part.kind in _KEPT]
    turned = [old for old, _ in change.replaced if old.kind in _KEPT and old.kind != "where"]
    if frame.anchor != asked.frame.anchor or lost or turned or not frame.by:
        return 2.0
    return _worse(asked, frame) + 0.2


def _figures_of(frame: Frame) -> set[tuple[str, str]]:
    """The figures of a frame, and the rows of which different things are counted: wines in stock are not those that were sold."""
    said = {part.says for part in parts(frame) if part.kind == "measure"}
    counted = {one.anchor for one in frame.measures if one.agg == "distinct"}
    return {(one, "") for one in said} | {("", one) for one in counted}


def _worse(asked: Asked, frame: Frame) -> float:
    """How much less of a frame is understood than of the one before: words left out that were not, and cost."""
    fresh = [word for word in frame.unused if word not in asked.frame.unused]
    return len(fresh) + max(0.0, frame.cost - asked.frame.cost)


def _families(change: Difference) -> set[str]:
    every = {*change.lost, *change.gained, *(new for _, new in change.replaced)}
    return {_FAMILY.get(part.kind, part.kind) for part in every}


def loss_of(change: Difference, meant: Intent) -> float:
    """The parts that a change must keep if it takes nothing away: conditions, periods and groups."""
    if meant.way == "gone" and meant.text == "comparison":
        return float(sum(part.kind != "period" for part in change.gained))
    if meant.way == "gone":
        wrong = [*change.gained, *(new for _, new in change.replaced if new.kind != "order")]
        wrong += [part for part in change.lost if not _is_meant(part, meant)]
        if meant.every or meant.once:  # what comes back was left out: no group and no figure goes
            wrong += [part for part in change.lost if part.kind in ("by", "measure")]
        return float(len(wrong)) + max(0, len(change.lost) - 1) * 0.3
    if meant.way == "sort":
        change = replace(
            change,
            lost=frozenset(part for part in change.lost if part.kind not in ("order", "rank", "column")),
        )
    swapped = meant.way == "swap" and any(new.kind == "measure" for _, new in change.replaced)
    gained = {
        _FAMILY.get(part.kind, part.kind) for part in (*change.gained, *(new for _, new in change.replaced))
    }
    return sum(
        0.1
        if _FAMILY.get(part.kind, part.kind) in gained & {"rank", "transform"}
        or swapped
        and part.kind == "measure"
        else 1.0
        for part in change.lost
    )


def _is_meant(part: Part, meant: Intent) -> bool:
    """Whether a part that went is of the kind that was to go."""
    if meant.is_weekday and part.kind == "where" and part.says.startswith("weekday"):
        return True
    return meant.is_time == (part.kind == "period")


def _placed(change: Difference, meant: Intent, held: frozenset[Part]) -> float:
    """Whether what was typed stands beside what was there or in its place, as it was said."""
    kinds = {part.kind for part in held}
    beside = [
        part for part in change.gained if part.kind in kinds and part.kind in ("by", "measure", "period")
    ]
    narrower = sum(
        old.kind == "where" and old.values > new.values and bool(new.values) for old, new in change.replaced
    )
    if narrower and any(part.kind == "where" for part in change.gained):
        return 1.0  # "restaurants only" after web and store: what was named took the place of one of two
    wider = sum(bool(old.values) and old.values < new.values for old, new in change.replaced)
    if meant.way == "compare":
        return 0.0
    if meant.way == "add":
        return 0.8 * sum(old.kind not in ("order", "transform") for old, _ in change.replaced) - 0.8 * wider
    if wider:
        return (
            0.8
            if any(old.kind == "period" and old.values < new.values for old, new in change.replaced)
            else 0.6
        )
    if meant.way == "narrow" and _families(change) - {"where", "inner", "period", "rank", "having"}:
        return 0.8
    if meant.way == "swap" and meant.old == "" and not change.replaced and beside:
        return 0.8
    if meant.way == "swap" and not change.replaced and any(p.says == THERE for p in change.gained):
        return 0.3  # "what about returns" after orders asks for these, and for orders with some at last
    return 0.3 * bool(beside)
