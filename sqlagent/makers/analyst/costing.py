"""The cost of a thing, where it has a price of its own: "which products cost more than 500", "how expensive is the desk lamp".

Such a question is about the price, though a column may be called cost: that one is what the firm itself pays.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_THINGS = r"(?P<things>[a-z][\w'-]*(?: [a-z][\w'-]*)??)"
_BOUND = re.compile(
    rf"^(?P<ask>which|what|how many|list|show|the)? ?{_THINGS} (?:that |which )?costs? (?P<bound>more than|over|above|at least|less than|under|below|at most|up to) (?P<rest>\S.*)$",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf"^(?:which|what) {_THINGS} costs? (?:the )?(?P<way>most|least)(?P<rest> .+)?$", re.IGNORECASE
)
_OF_ONE = re.compile(
    r"^(?:how (?:expensive|dear|cheap) (?:is|are) (?:the |an? )?(?P<name>.+)|(?:how much|what) (?:does|do) (?:the |an? )?(?P<costing>.+?) costs?)$",
    re.IGNORECASE,
)
_PRICE = stem("price")


def by_price(text: str, source: Source) -> str:
    """Word such a question by the price; empty where it is none, or the thing has no price of its own."""
    text = text.strip().rstrip("?.! ")
    if (found := _BOUND.match(text)) and _is_priced(found["things"], "thing", source):
        ask = "how many " if (found["ask"] or "").lower() == "how many" else ""
        return f"{ask}{found['things']} with price {found['bound']} {found['rest']}"
    if (found := _MOST.match(text)) and _is_priced(found["things"], "thing", source):
        way = "highest" if found["way"].lower() == "most" else "lowest"
        return f"which {found['things']} has the {way} price{found['rest'] or ''}"
    found = _OF_ONE.match(text)
    name = (found["name"] or found["costing"]) if found is not None else ""
    return f"price of {name}" if name and _is_priced(name, "value", source) else ""


def _is_priced(words: str, kind: str, source: Source) -> bool:
    """Whether words surely name a thing, or a stored value of one, that has one price."""
    named = [t for t in source.vocabulary.targets(words.lower().split()) if t.kind == kind and t.cost <= SURE]
    if not named:
        return False
    prices = [f for f in source.model.of_role(named[0].table, Role.MEASURE) if _PRICE in f.words]
    return len(prices) == 1 and source.model.things[named[0].table].history is None
