"""Things to be ordered again: parts of which no more are there than their reorder level, or fewer than their minimum stock."""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Field
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.source import Source

_NOUN = r"(?P<noun>[a-z][\w-]*(?: [a-z][\w-]*)??)"
_ORDER = r"(?:re-?order|re-?stock|order again|replenish|buy again)"
_REST = r"(?P<rest>,? (?:by|per|with|and|sorted|for|from)\b.*)?"
_SHAPES = tuple(
    re.compile(rf"^(?P<asked>(?:how many |which |what |list |show |show me |give me )?(?:of |all )?(?:the |our )?){body}{_REST}$", re.IGNORECASE)
    for body in (
        rf"{_NOUN} (?:that |which )?(?:do |should |must )?we (?:need|have|must|should|ought)?(?: to)? ?{_ORDER}(?: now)?",
        rf"{_NOUN} (?:that |which )?(?:need|have|should|must|ought)(?: to)?(?: be)? ?(?:re-?order(?:ed|ing)|re-?stock(?:ed|ing)|replenish(?:ed|ing|ment))(?: now)?",
        rf"{_NOUN} (?:that |which |are |is |we are )*(?:to be {_ORDER}(?:ed)?|to {_ORDER}|low on stock|(?:running )?low in stock|with low stock|running low)(?: now)?",
        rf"{_NOUN} (?:that |which |are |is |have |has |with (?:their )?stock |whose stock is |where (?:the )?stock is |fallen |dropped |gone |fell )*(?:below|under) (?:the |their |its )?(?:re-?order (?:level|point|limit|threshold)|minimum(?: stock)?(?: level)?|min(?: stock)?)",
    )
)  # fmt: skip
"""Ways to ask for it."""

_THERE = stems("stock hand onhand inventory available")
_ENDED = stems("discontinued active inactive obsolete retired ended")
"""Words of columns that say that rows are ordered no more: whether they are meant, nothing says."""
_LEVEL = stems("reorder minimum min threshold safety")


def reordering(text: str, source: Source) -> str:
    """Word such a question by the two columns; empty where it is none, or the rows do not have exactly one of each."""
    text = text.strip().rstrip("?.! ")
    for shape in _SHAPES:
        found = shape.match(text)
        if found is None:
            continue
        named = source.vocabulary.table_named
        table = named(found["noun"]) or named(found["noun"].split()[-1])
        fields = source.model.fields.get(table, ())
        columns = _columns(fields)
        if columns is not None and not any(set(one.words) & _ENDED for one in fields):
            there, level = columns
            asked, rest = found["asked"] or "", found["rest"] or ""
            way = "at most" if stem("reorder") in level.words and shape is not _SHAPES[-1] else "below"
            return f"{asked}{found['noun']} whose {there.said} is {way} {level.said}{rest}"
    return ""


def _columns(fields: tuple[Field, ...] | list[Field]) -> tuple[Field, Field] | None:
    """How many are there and from how many on they are ordered; None where one is missing or there are several."""
    levels = [one for one in fields if one.is_number and set(one.words) & _LEVEL]
    there = [one for one in fields if one.is_number and set(one.words) & _THERE and one not in levels]
    return (there[0], levels[0]) if len(there) == len(levels) == 1 else None
