"""Definitions that somebody wrote in words ("at least one order in 2025", "revenue minus refunds"), understood as questions are.

Decides of which table's rows they hold, and which figure they give. A definition that is not understood whole is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from sqlagent.catalog.hints.placing import place
from sqlagent.catalog.semantics import Kind, Thing
from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.language.words import Token, plural_of, tokenise
from sqlagent.makers.analyst.answering import DRAFT, understand
from sqlagent.makers.analyst.formulas import DIVIDED
from sqlagent.makers.analyst.frames import Condition, Frame, Measure
from sqlagent.makers.analyst.rivals import is_rival
from sqlagent.makers.analyst.source import Source

LONGEST = 160
"""Characters of a definition in words that is understood."""

TRIED = 24
"""Ways of saying a definition as a question that are tried for one clause."""

MANY = 30
"""Times as many rows as a thing has on average are none that anybody bounds it by: "orders over 500" are not 500 orders."""

_SIGNS = {
    ">=": " at least ",
    "<=": " at most ",
    "<>": " not ",
    "!=": " not ",
    ">": " more than ",
    "<": " less than ",
}
_SIGN = re.compile(r"\s*(>=|<=|<>|!=|>|<)\s*")
_FILLER = re.compile(
    r"^(?:the|an?|any|all|every|each|if|when|with|having|has|have|those|someone|somebody|anyone)\s+",
    re.IGNORECASE,
)
_LIKE = re.compile(r"\b(?:start|begin|end|contain|like|includ)\w*\b", re.IGNORECASE)
_PROSE = re.compile(r"[\w\s.,'’%€$£&-]+")
_BOUNDS = frozenset(
    [
        "no",
        "not",
        "without",
        "never",
        "none",
        "at",
        "more",
        "less",
        "fewer",
        "over",
        "under",
        "above",
        "below",
        "between",
        "only",
        "exactly",
        "zero",
    ]
)
_OF_A_TIME = re.compile(r"(?:last|past|this|since|before|after|in|between|from|until|\d{4})\b", re.IGNORECASE)
_ARITHMETIC = re.compile(r" ([-+/]) ")
_SAID = {"-": " minus ", "+": " plus ", "/": " divided by "}
_FIGURE = re.compile(
    r"(?:share|percent\w*|%|ratio|rate|average|avg|mean|median|number|count|sum|total|amount|how)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:over|under|above|below|(?:more|less|fewer|higher|lower) than|at (?:least|most)|between)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b(?:number|count|how many)\b", re.IGNORECASE)
"""Words without which "charges minus payments" speaks of money, not of how many there are."""
_SHARE = re.compile(
    r"\b(?:share|percent\w*|ratio|rate|proportion|fraction|per|by|of all|divided)\b|%", re.IGNORECASE
)
"""Words by which a definition is of a figure, and no condition of a row."""
_HAS = re.compile(r"\b(?:has|have|having|had|with|got|set|known|given|filled|recorded)\b", re.IGNORECASE)
_COMPUTED = re.compile(r"\s(minus|less(?!\s+than\b)|plus|divided\s+by|out\s+of)\s", re.IGNORECASE)
_ALL = re.compile(r"^(?:all|total|the)\s+", re.IGNORECASE)
_SHAPES = {"minus": "f0 - f1", "less": "f0 - f1", "plus": "f0 + f1"}


def figured(body: str, source: Source, today: date, said: str) -> Measure | None:
    """The figure that a definition in words gives: "revenue minus refunds", "cancelled orders out of all orders", "revenue per order".

    None where it gives none, or says of rows what holds of them.
    """
    plain = _plain(body)
    if _BOUND.search(plain):
        return None
    two = _COMPUTED.search(plain)
    if two is None:
        one = _figure(plain, source, today) if plain else None
        return replace(one, said=said) if one is not None and one.agg not in ("rows", "distinct") else None
    parts = tuple(_figure(side, source, today) for side in (plain[: two.start()], plain[two.end() :]))
    first, second = parts[0], parts[1]
    if first is None or second is None or "formula" in (first.agg, second.agg):
        return None
    shape = _SHAPES.get(two[1].lower(), DIVIDED)
    if shape != DIVIDED and any(part.agg == "rows" and not _COUNT.search(body) for part in (first, second)):
        return None
    kinds = {source.model.things[part.anchor].kind for part in (first, second)}
    if shape != DIVIDED and first.anchor != second.anchor and Kind.THING in kinds:
        return None  # "list rent - rent" is said of each lease, not of the sum of all units
    return Measure("formula", first.anchor, said=said, parts=(first, second), shape=shape)


def _figure(text: str, source: Source, today: date) -> Measure | None:
    """The one figure that a text asks for, its conditions inside of it."""
    bare = _ALL.sub("", text.strip())
    asked = (text.strip(), bare, f"how many {bare}")
    frames = (frame for said in asked if (frame := _sure(said, source, today)) is not None and frame.measures)
    frame = next(frames, None)
    if frame is None or len(frame.measures) != 1 or frame.measures[0].agg == "median":
        return None
    (one,) = frame.measures
    if one.anchor != frame.anchor:
        return None
    plain = Frame(frame.anchor, frame.measures, where=frame.where, cost=frame.cost, why=frame.why)
    if frame != plain or any(map(_is_of_all, frame.where)):
        return None
    return replace(one, where=(*frame.where, *one.where))


def _plain(body: str) -> str:
    """A definition as it is said; empty where it is more than words."""
    plain = " ".join(_SIGN.sub(lambda sign: _SIGNS[sign[1]], body).split())
    plain = _ARITHMETIC.sub(lambda sign: _SAID[sign[1]], plain)
    if len(body) > LONGEST or not _PROSE.fullmatch(plain) or "--" in plain:
        return ""
    while filler := _FILLER.match(plain):
        plain = plain[filler.end() :]
    return plain


def _sure(text: str, source: Source, today: date) -> Frame | None:
    """The frame of a text that is understood whole, in one way."""
    reading, found = understand(text, source, today)
    if not found or reading.mended or reading.unknown:
        return None
    first = found[0].frame
    rivals = any(is_rival(first, other.frame) for other in found[1:])
    return None if rivals or first.unused or first.cost >= DRAFT else first


def written(
    phrase: str, body: str, tokens: Sequence[Token], source: Source, today: date
) -> list[tuple[str, tuple[Condition, ...]]]:
    """The conditions of a definition in words: "at least one order in 2025" of customers, "orders over 500" of orders.

    It is asked as a question of the things that the phrase, the body, the words beside the phrase or the question name, the first
    of these that name any; else of each table whose own columns say it. Nothing where it is not understood as a whole.
    """
    plain = _plain(body)
    if (
        not plain
        or _COMPUTED.search(plain)
        or _SHARE.search(plain)
        or _FIGURE.match(plain)
        and not _BOUND.search(plain)
    ):
        return []
    things = [one for one in source.model.things.values() if one.kind is not Kind.CODES]
    leading = _leading(plain, things)
    said = place(phrase, tokens)
    beside = [t.stem for t in tokens[said[0] : said[-1] + 2]] if said else []
    groups = (
        [one for one in things if _is_named(one, [t.stem for t in tokenise(phrase)])],
        leading,
        [one for one in things if _is_named(one, beside)],
        [one for one in things if _is_named(one, [t.stem for t in tokens])],
        [one for one in things if one.kind in (Kind.THING, Kind.EVENT, Kind.LINES)],
    )
    some, found, tried = next(group for group in groups if group or group is groups[-1]), [], 0
    for one in some:
        for text in _asked(one, plain, one in leading):
            tried += 1
            conditions = _understood(text, body, one, source, today) if tried <= TRIED else ()
            if conditions and (some is not groups[-1] or all(map(_is_own, conditions))):
                found.append((one.table, conditions))
                break
    return found


def _leading(body: str, things: Sequence[Thing]) -> list[Thing]:
    """The thing that a definition begins with: "orders over 500", not "no order since May"."""
    words = [token for token in tokenise(body) if token.kind != "mark"][:2]
    counts = words and (words[0].kind == "number" or words[0].low in NUMBER_WORDS or words[0].low in _BOUNDS)
    nouns = [word.stem for word in words if not word.low.endswith(("ed", "ing"))]
    return [] if counts else [one for one in things if _is_named(one, nouns)]


def _is_named(one: Thing, stems: Sequence[str]) -> bool:
    return bool(one.noun) and one.noun[-1] in stems


def _asked(one: Thing, body: str, is_whole: bool) -> Iterator[str]:
    """Questions that count a table's rows by what a definition says of them."""
    if is_whole:
        yield f"how many {body}"
        return
    noun = plural_of(one.said)
    for joint in ("in the", "") if _OF_A_TIME.match(body) else ("with", "who", "", "that are"):
        yield " ".join(f"how many {noun} {joint} {body}".split())


def _understood(text: str, body: str, one: Thing, source: Source, today: date) -> tuple[Condition, ...]:
    """The conditions of a question that counts a table's rows, where all of it is understood, in one way."""
    frame = _sure(text, source, today)
    if frame is None:
        return ()
    counts = [m for m in frame.measures if m.agg == "rows" and m.anchor == one.table]
    plain = Frame(frame.anchor, frame.measures, where=frame.where, cost=frame.cost, why=frame.why)
    if len(counts) != 1 or frame != plain:
        return ()
    conditions = (*frame.where, *counts[0].where)
    is_like = any(c.op == "like" for c in conditions) and not _LIKE.search(text)
    is_vague = any(c.op == "filled" for c in conditions) and not _HAS.search(body)
    unlikely = any(_is_of_all(c) or _is_too_many(c, one, source) for c in conditions)
    return () if is_like or is_vague or unlikely else conditions


def _is_too_many(one: Condition, thing: Thing, source: Source) -> bool:
    """Whether rows are bounded by a number that was rather said of what they are worth."""
    if one.op != "exists" or one.counted is not None or one.number is None:
        return False
    return one.number > MANY * max(1, source.model.things[one.child].rows) / max(1, thing.rows)


def _is_of_all(one: Condition) -> bool:
    """Whether a condition holds rows against all others, which depends on where it stands."""
    return one.op == "compare" and one.number is None and not one.values or any(map(_is_of_all, one.parts))


def _is_own(one: Condition) -> bool:
    """Whether a condition is of columns of the rows themselves."""
    slots = (*one.slots, *(one.expr.slots if one.expr is not None else ()))
    return one.op != "exists" and not any(slot.path for slot in slots) and all(map(_is_own, one.parts))
