"""The share of rows that have something, or lack it: "what share of pets is insured, by species", "% of rentals without insurance by type".

Decides that a word for a column that not every row fills asks whether it is filled, for each group by itself.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import Frame, share_of
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

SHARE = r"(?:what |which |the |show |show me )*(?:share|percentage|percent|per cent|proportion|%) of (?:the |all |our )?"
"""Words before the rows of which a share is asked for."""

_NOUN = r"[a-z][\w-]*(?: [a-z][\w-]*){0,2}"
_REST = r"(?P<rest>,? (?:by|per|for each|in|during|since)\b.*)?"
_IS = re.compile(
    rf"^{SHARE}(?P<what>{_NOUN}?) (?:(?:that |which |who )?(?:is|are|was|were|has|have|had|got|gets)) (?:an? |any )?(?P<has>[a-z][\w-]*(?: [a-z][\w-]*)?){_REST}$",
    re.IGNORECASE,
)
_SO = re.compile(rf"^{SHARE}(?P<has>[a-z]+ed) (?P<what>{_NOUN}?){_REST}$", re.IGNORECASE)
_ED = re.compile(
    rf"^(?:the |our )?(?P<has>[a-z]+ed) (?:share|percentage|proportion|part) of (?P<what>{_NOUN}?){_REST}$",
    re.IGNORECASE,
)


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
