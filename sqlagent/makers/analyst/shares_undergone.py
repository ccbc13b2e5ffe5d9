"""The share of rows to which something happened: "share of returned orders by month", "what percentage of order lines was returned".

The deed is a table of its own whose rows lead to the rows that are named. Such a question is worded as the share of those with
one: "share of orders with returns by month". A period is that of the rows, not of the deed.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Kind
from sqlagent.language.words import plural_of, split_name
from sqlagent.makers.analyst.filled_shares import SHARE
from sqlagent.makers.analyst.source import Source

_NOUN = r"(?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
_DEED = r"(?P<deed>[a-z]+ed)"
_WHEN = r"(?P<when>(?: (?:in|during|since|for) [^,]+?)?)"
_BY = r"(?P<by>(?:,? (?:by|per|for each) [^,]+?)?)"
_SHAPES = tuple(
    re.compile(rf"^{SHARE}{body}{rest}$", re.IGNORECASE)
    for body in (rf"{_DEED} {_NOUN}", rf"{_NOUN}(?: (?:that |which )?(?:is|are|was|were|got|get|gets|has been|have been))? {_DEED}")
    for rest in (f"{_WHEN}{_BY}", f"{_BY}{_WHEN}")
)  # fmt: skip
_VERY = 0.05
"""Cost up to which a word is the very name of a thing."""

_NEAR = 2
"""Relations between a deed and what it happened to at most: an order is returned by its lines."""


def share_undergone(text: str, source: Source) -> str:
    """Word such a question as a share of rows with a deed; empty where it is none, or the word is no deed of rows that lead there."""
    text = text.strip().rstrip("?.! ")
    for shape in _SHAPES:
        if (found := shape.match(text)) and (table := _deed(found["deed"], found["what"], source)):
            deeds = plural_of(" ".join(split_name(table)))
            return f"share of {found['what']}{found['when']} with {deeds}{found['by'].lstrip(',')}"
    return ""


def _deed(word: str, noun: str, source: Source) -> str:
    """The table of a deed, rows of which lead to rows of what a noun names; empty where a state of those bears the word."""
    targets = source.vocabulary.targets([word.lower()])
    things = [t.table for t in targets if t.kind == "thing" and t.cost <= _VERY]
    named = source.vocabulary.targets(noun.lower().split())
    of = [t.table for t in named if t.kind == "thing" and t.cost <= _VERY]
    if len(things) != 1 or not of or things[0] == of[0]:
        return ""
    if any(t.kind == "value" and t.table == of[0] for t in targets):
        return ""
    if source.model.things[things[0]].kind not in (Kind.EVENT, Kind.LINES):
        return ""
    return things[0] if any(len(path) <= _NEAR for path in source.graph.paths(things[0], of[0])) else ""
