"""Things by a bound that is told with them: "stores with a return rate above 5%", "patients with more than 25 visits, with the number".

Such a question is the rate or the number by the thing, of which the groups are kept that meet the bound.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from sqlagent.makers.analyst.frames import Frame, Having

_COMPARED = {
    ">": "above|over|more than|higher than|greater than|bigger than|exceeding",
    "<": "below|under|less than|lower than|smaller than",
    ">=": "at least|not less than|not below",
    "<=": "at most|not more than|not above|up to",
}
_BOUND = "|".join(f"(?:{words})" for words in _COMPARED.values())
_RATE = re.compile(
    r"^(?:(?P<many>how many|number of)|(?:(?:which|what|list|show|all|the|our|find|give me|only) )*) ?(?P<who>[a-z][\w-]*(?: [a-z][\w-]*)??),? (?:which |that |who )?(?:with|where|whose|having|have|had|has)"
    r" (?:an? |the |their |its |our )*(?P<rate>(?:[a-z][\w-]* ){0,3}(?:rate|margin|percentage|utili[sz]ation|occupancy))"
    rf"(?: (?:is|was|were|of))? (?P<compare>{_BOUND}) (?P<number>\d+(?:\.\d+)?) ?(?P<percent>%|per ?cent)?(?P<rest> .+)?$",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"^(?:(?:which|what|list|show|all|the|our) )*(?P<who>[a-z][\w-]*(?: [a-z][\w-]*)??) (?:(?:which|that|who) )?(?:with|having|have|had)"
    rf" (?P<compare>{_BOUND}|fewer than) (?P<number>\d+) (?P<what>.+?),? (?:and|with) (?:the |their )?(?:number|count|how many|how often)(?: of (?:them|these|each))?$",
    re.IGNORECASE,
)


class BoundedFigure(NamedTuple):
    """A figure by the thing as a question, and the bound on it: `number` is in percent where `is_percent`."""

    text: str
    aggs: tuple[str, ...]
    compare: str
    number: float
    is_percent: bool


def bounded_figure(text: str) -> BoundedFigure | None:
    """Give the question for the figure by the thing, and its bound; None for any other question.

    Example:
        >>> bounded_figure("which stores have a return rate above 5% in 2025")
        BoundedFigure(text='return rate by stores in 2025', aggs=('ratio',), compare='>', number=5.0, is_percent=True)
        >>> bounded_figure("how many stores have a return rate above 5%") is None
        True
    """
    bare = text.strip().rstrip("?.! ")
    aggs: tuple[str, ...]
    if found := _NUMBER.match(bare):
        asked, aggs, is_percent = f"number of {found['what']} by {found['who']}", ("rows", "distinct"), False
    elif (found := _RATE.match(bare)) and not found["many"]:
        asked, aggs = f"{found['rate']} by {found['who']}{found['rest'] or ''}", ("ratio",)
        is_percent = found["percent"] is not None
    else:
        return None
    said = found["compare"].lower().replace("fewer", "less")
    compare = next(sign for sign, words in _COMPARED.items() if said in words.split("|"))
    return BoundedFigure(asked, aggs, compare, float(found["number"]), is_percent)


def bounded(frame: Frame, bound: BoundedFigure) -> Frame | None:
    """Give a frame of one such figure by something with the bound on its groups; None of any other frame."""
    if len(frame.measures) != 1 or frame.measures[0].agg not in bound.aggs or not frame.by:
        return None
    if frame.transform or frame.pivot or frame.per or frame.having or frame.limit is not None:
        return None
    figure = frame.measures[0]
    if bound.is_percent and not figure.percent:
        return None  # a quotient of two figures is none in percent
    return replace(frame, having=(Having(figure, bound.compare, bound.number),))
