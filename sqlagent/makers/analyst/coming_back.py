"""Customers by how often they came: returning, one-time and first-time ones, and goods that nobody buys.

Such words hold of what happened, so a question with them is worded by the source's own noun for that: "returning customers" are
customers with more than one order, and no customers with returns.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Kind, Thing
from sqlagent.catalog.semantics.words import BUYERS, PAPERS
from sqlagent.language.words import plural_of, stem
from sqlagent.makers.analyst.concepts import sold_in
from sqlagent.makers.analyst.concepts.meant import GOODS
from sqlagent.makers.analyst.source import Source

_WHO = r"(?P<who>[a-z][\w-]*)"
_MANY = re.compile(rf"\b(?:repeat|repeated|recurring|returning)[ -]{_WHO}\b", re.IGNORECASE)
_CAME_BACK = re.compile(
    rf"\b{_WHO} (?:(?:who|that) )?(?:(?:ever )?(?:came|come|have come) (?:back|again)|returned|(?:bought|ordered|booked|purchased|visited) (?:again|more than once|at least twice|repeatedly))\b",
    re.IGNORECASE,
)
_ONCE = re.compile(rf"\b(?:one[ -]time|single[ -]purchase|one[ -]off) {_WHO}\b", re.IGNORECASE)
_FIRST = re.compile(
    rf"\b(?:first[ -]time) {_WHO}(?P<when> (?:in|during|since|this|last)\b.*)$", re.IGNORECASE
)
_UNSOLD = re.compile(
    r"^(?:(?:which|what|list|show|all|our|the) )*(?:(?P<who>(?!is\b|are\b|do\b|does\b|did\b|have\b|has\b|was\b|were\b|not\b|never\b)[a-z][\w-]*) )?(?:(?:that|which) )?(?:(?:is|are|do|does|did|have|has|were|was)(?:n['’]t| not| never)|not|never) (?:sell|selling|sold|bought|being sold|being bought)(?P<when> (?:in|during|since|this|last)\b.*)?$"
    r"|^(?:(?:which|what|list|show|all|our|the) )*unsold (?P<who_2>[a-z][\w-]*)(?P<when_2> (?:in|during|since|this|last)\b.*)?$",
    re.IGNORECASE,
)


def by_what_happened(text: str, source: Source) -> str:
    """Word such a question by what happened; empty where it holds no such words, or the source says of no such thing what happens to it."""
    text = text.strip().rstrip("?.! ")
    if found := _UNSOLD.match(text):
        who, when = found["who"] or found["who_2"] or "", found["when"] or found["when_2"] or ""
        thing = _named(who, source) if who else _goods(source)
        return f"{plural_of(thing.said)} without sales{when}" if thing is not None and _is_sold(thing) else ""
    for shape, bound in ((_MANY, "more than one"), (_CAME_BACK, "more than one"), (_ONCE, "exactly 1")):
        if (found := shape.search(text)) and (done := _done_by(found["who"], source)):
            return f"{text[: found.start()]}{done[0]} with {bound} {done[1]}{text[found.end() :]}"
    if (found := _FIRST.search(text)) and (done := _done_by(found["who"], source)):
        lead = text[: found.start()] or "how many "
        return f"{lead}{done[0]} had their first {done[1]}{found['when']}"
    return ""


def _named(word: str, source: Source) -> Thing | None:
    """The thing that a word names."""
    best = next(iter(source.vocabulary.targets([word.lower()])), None)
    return source.model.things[best.table] if best is not None and best.kind == "thing" else None


def _goods(source: Source) -> Thing | None:
    return next((thing for thing in source.model.things.values() if _is_sold(thing)), None)


def _is_sold(thing: Thing) -> bool:
    return thing.kind is Kind.THING and bool(set(thing.noun) & GOODS)


def _done_by(word: str, source: Source) -> tuple[str, str] | None:
    """The noun of those whom a word names and of what they do again and again: what brings money in, else what happens most often."""
    named = _named(word, source)
    buys = stem(word.lower()) in BUYERS
    buyers = (one for one in source.model.things.values() if set(one.noun) & BUYERS)
    thing = named or (next(buyers, None) if buys else None)
    if thing is None or thing.kind is not Kind.THING or not (buys or set(thing.noun) & BUYERS):
        return None
    pointing = [
        other
        for other in source.model.things.values()
        if other.kind is Kind.EVENT and any(r.target == thing.table for r in source.graph.out[other.table])
    ]
    sold = sold_in(source)
    best = max(
        pointing, key=lambda one: (not set(one.noun) & PAPERS, one.table in sold, one.rows), default=None
    )
    return (word if named else plural_of(thing.said), best.said) if best is not None else None
