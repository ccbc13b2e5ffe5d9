"""Ratings as rows of their own: "average rating by driver", "best rated restaurants" ask for the stars or the score that such rows hold.

Rows of several scores are of several things: the one is meant whose name begins as the key of the thing that is rated does.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Field, Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import split_name
from sqlagent.makers.analyst.source import Source

_SCORES = stems("star score point grade mark rating")
_AVERAGE = re.compile(
    r"^(?:the )?(?:average|avg|mean) ratings? (?P<way>per|by|for each|of each) (?P<what>[a-z][\w-]*)(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_RATED = re.compile(
    r"^(?:(?:which|what) (?:are|is) )?(?:the |our )?(?P<one>top )?(?P<count>\d+ )?(?P<way>best|top|highest|worst|lowest|poorest)(?P<two> \d+)?[- ]rated (?P<what>[a-z][\w-]*)(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_BY_SCORE = re.compile(
    r"^(?:the )?(?P<way>top|best|worst|bottom) (?P<count>\d+ )(?P<one>)(?P<two>)(?P<what>[a-z][\w-]*) by (?:average|avg|mean) (?:star|score|rating|point)s?(?P<rest>\b.*)$",
    re.IGNORECASE,
)
_LOW = frozenset({"worst", "lowest", "poorest", "bottom"})
_NEAR = 0.15
"""Cost up to which a word names a table, also by its short form."""


def rated(text: str, source: Source) -> str:
    """Word such a question by the column of scores; empty where a column is called rating, or several scores could be meant."""
    text = text.strip().rstrip("?.! ")
    found = _AVERAGE.match(text) or _RATED.match(text) or _BY_SCORE.match(text)
    if found is None or source.vocabulary.stores("rating"):
        return ""
    score = _score(found["what"], source)
    if score is None:
        return ""
    said = " ".join(split_name(score.column))
    if "one" not in found.groupdict():
        return f"average {said} {found['way']} {found['what']}{found['rest']}"
    end = "bottom" if found["way"].lower() in _LOW else "top"
    count = (found["count"] or found["two"] or ("10" if found["what"].lower().endswith("s") else "1")).strip()
    return f"{end} {count} {found['what']} by average {said}{found['rest']}"


def _score(what: str, source: Source) -> Field | None:
    """The score of a thing that rows of ratings hold."""
    named = [t.table for t in source.vocabulary.targets(["ratings"]) if t.kind == "thing" and t.cost <= _NEAR]
    things = [
        t.table for t in source.vocabulary.targets([what.lower()]) if t.kind == "thing" and t.cost <= _NEAR
    ]
    if len(set(named)) != 1 or not things or not source.graph.paths(named[0], things[0]):
        return None
    scores = [
        one
        for one in source.model.fields[named[0]]
        if one.role in (Role.MEASURE, Role.DIMENSION) and one.is_number and set(one.words) & _SCORES
    ]
    heads = {split_name(key)[0] for key in source.model.things[things[0]].key} - {"id"}
    own = [
        one
        for one in scores
        if split_name(one.column)[0] in heads or set(one.words) & set(source.model.things[things[0]].noun)
    ]
    return scores[0] if len(scores) == 1 else own[0] if len(own) == 1 else None
