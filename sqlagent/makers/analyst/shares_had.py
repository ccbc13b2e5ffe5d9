"""The share of rows that have something, lack it, or to which something happened.

"What share of pets is insured, by species", "% of rentals without insurance by type", "share of returned orders by month".

Decides that a word for a column that not every row fills asks whether it is filled, for each group by itself. A deed is a table of its
own whose rows lead to the rows that are named; a period is that of the rows, not of the deed.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.language.words import plural_of, split_name
from sqlagent.makers.analyst.frames import Frame, share_of
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_SHARE = r"(?:what |which |the |show |show me )*(?:share|percentage|percent|per cent|proportion|%) of (?:the |all |our )?"
"""Words before the rows of which a share is asked for."""

_NOUN = r"[a-z][\w-]*(?: [a-z][\w-]*){0,2}"
_REST = r"(?P<rest>,? (?:by|per|for each|in|during|since)\b.*)?"
_IS = re.compile(
    rf"^{_SHARE}(?P<what>{_NOUN}?) (?:(?:that |which |who )?(?:is|are|was|were|has|have|had|got|gets)) (?:an? |any )?(?P<has>[a-z][\w-]*(?: [a-z][\w-]*)?){_REST}$",
    re.IGNORECASE,
)
_SO = re.compile(rf"^{_SHARE}(?P<has>[a-z]+ed) (?P<what>{_NOUN}?){_REST}$", re.IGNORECASE)
_ED = re.compile(
    rf"^(?:the |our )?(?P<has>[a-z]+ed) (?:share|percentage|proportion|part) of (?P<what>{_NOUN}?){_REST}$",
    re.IGNORECASE,
)

_WHAT = r"(?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)"
_DEED = r"(?P<deed>[a-z]+ed)"
_WHEN = r"(?P<when>(?: (?:in|during|since|for) [^,]+?)?)"
_BY = r"(?P<by>(?:,? (?:by|per|for each) [^,]+?)?)"
_UNDERGONE = tuple(
    re.compile(rf"^{_SHARE}{body}{rest}$", re.IGNORECASE)
    for body in (rf"{_DEED} {_WHAT}", rf"{_WHAT}(?: (?:that |which )?(?:is|are|was|were|got|get|gets|has been|have been))? {_DEED}")
    for rest in (f"{_WHEN}{_BY}", f"{_BY}{_WHEN}")
)  # fmt: skip
_VERY = 0.05
"""Cost up to which a word is the very name of a thing."""

_NEAR = 2
"""Relations between a deed and what it happened to at most: an order is returned by its lines."""


_OF_ALL = re.compile(
    r"^(?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,3}),? (?:as|in) (?:a )?(?:%|percent|per cent|percentage|share|proportion) of all(?: (?:the |our )?(?P<of>(?!per\b|by\b|for\b|in\b)[a-z][\w-]*(?: [a-z][\w-]*)?))?,? (?P<by>(?:per|by|for each|in each) .+)$",
    re.IGNORECASE,
)
""" "No answer as % of all calls, per agent", "missed calls as % of all, per agent": of each agent's calls."""

_LATE = re.compile(r"\b(?:late|on time)\b", re.IGNORECASE)


def share_of_all(text: str, source: Source) -> str:
    """Word such a share as one of each group's rows; empty where it is none, or "all" is said of no rows: "overtime as % of all hours"."""
    found = _OF_ALL.match(text.strip().rstrip("?.! "))
    if found is None:
        return ""
    what = found["what"]
    of = found["of"] or what.split()[-1]
    named = source.vocabulary.targets(of.lower().split())
    if not any(one.kind == "thing" and one.cost <= SURE for one in named[:4]):
        return ""
    if _LATE.search(what):
        return ""  # a share of all late ones is one of those that are done
    said = what if what.lower().endswith(of.lower()) else f"{what} {of}"
    return f"share of {said} {found['by']}"


def share_that_has(text: str, source: Source) -> str:
    """Word such a question as a share of rows with something; empty where it is none, or its word names no column that rows may lack."""
    text = text.strip().rstrip("?.! ")
    for shape in (_IS, _SO, _ED):
        found = shape.match(text)
        if found is not None and _may_lack(found["has"], found["what"], source):
            return f"share of {found['what']} with {found['has']}{(found['rest'] or '').lstrip(',')}"
    return ""


def _may_lack(word: str, noun: str, source: Source) -> bool:
    """Whether a word names a column of what a noun names, which not all rows of it fill, and that is no state or time."""
    best = next(iter(source.vocabulary.targets(word.lower().split())), None)
    if best is None or best.kind != "field" or best.cost > SURE:
        return False
    field = source.model.field(best.table, best.column)
    named = source.vocabulary.targets(noun.lower().split()[-1:])
    tables = {one.table for one in named if one.kind == "thing" and one.cost <= SURE}
    plain = field is not None and field.role not in (Role.FLAG, Role.TIME, Role.KEY)
    return field is not None and plain and field.filled < 1 and field.table in tables


def shares_that_lack(frame: Frame) -> Frame:
    """Give a share by groups of rows that lack something as the part of each group that does; any other frame as it is."""
    if frame.transform != "share" or not frame.by or {*frame.flags} - {"share"}:
        return frame
    if (
        frame.pivot
        or frame.per
        or frame.having
        or len(frame.measures) != 1
        or frame.measures[0].agg != "rows"
    ):
        return frame
    lacking = [c for c in frame.where if c.op == "missing" and not c.negated and c.said != "current"]
    if len(lacking) != 1 or lacking[0].slots[0].path:
        return frame
    counted = frame.measures[0]
    rate = share_of(replace(counted, where=(*counted.where, lacking[0])), counted)
    where = tuple(c for c in frame.where if c is not lacking[0])
    return replace(frame, measures=(rate,), where=where, transform="")


def share_undergone(text: str, source: Source) -> str:
    """Word such a question as a share of rows with a deed; empty where it is none, or the word is no deed of rows that lead there."""
    text = text.strip().rstrip("?.! ")
    for shape in _UNDERGONE:
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
