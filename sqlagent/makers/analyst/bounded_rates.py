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
    rf" (?P<compare>{_BOUND}|fewer than) (?P<number>\d+) (?P<rate>.+?),? (?:and|with) (?:the |their )?(?:number|count|how many|how often)(?: of (?:them|these|each))?$",
    re.IGNORECASE,
)


class BoundedRate(NamedTuple):
    """The rate by the thing as a question, and the bound: `number` is in percent where `is_percent`."""

    text: str
    compare: str
    number: float
    is_percent: bool


def bounded_rate(text: str) -> BoundedRate | None:
    """Give the question for the rate, and its bound; None for any other question.

    Example:
        >>> bounded_rate("which stores have a return rate above 5% in 2025")
        BoundedRate(text='return rate by stores in 2025', compare='>', number=5.0, is_percent=True)
        >>> bounded_rate("how many stores have a return rate above 5%") is None
        True
    """
    bare = text.strip().rstrip("?.! ")
    if number := _NUMBER.match(bare):
        said = number["compare"].lower().replace("fewer", "less")
        compare = next(sign for sign, words in _COMPARED.items() if said in words.split("|"))
        asked = f"number of {number['rate']} by {number['who']}"
        return BoundedRate(asked, compare, float(number["number"]), False)
    found = _RATE.match(bare)
    if found is None or found["many"]:
        return None
    said = found["compare"].lower()
    compare = next(sign for sign, words in _COMPARED.items() if said in words.split("|"))
    asked = f"{found['rate']} by {found['who']}{found['rest'] or ''}"
    return BoundedRate(asked, compare, float(found["number"]), found["percent"] is not None)


def bounded(frame: Frame, bound: BoundedRate) -> Frame | None:
    """Give a frame of one rate, or number, by something with the bound on its groups; None of any other frame."""
    wanted = ("rows", "distinct") if bound.text.startswith("number of ") else ("ratio",)
    if len(frame.measures) != 1 or frame.measures[0].agg not in wanted or not frame.by:
        return None
    if frame.transform or frame.pivot or frame.per or frame.having or frame.limit is not None:
        return None
    rate = frame.measures[0]
    if bound.is_percent and not rate.percent:
        return None  # a quotient of two figures is none in percent
    return replace(frame, having=(Having(rate, bound.compare, bound.number),))
