"""Things listed with how many rows each has: "customers with their number of hires" is a row for each, those with none at zero.

A wording that is not understood whole leaves out the number in a draft: one number for all is none of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import plural_of, singular
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.with_none import parted

_LEAD = r"^(?:(?:please|list|show|give|me|the|our|all|every|each of|a list of) )*(?!how |which |what |who |top |bottom |number |count )"
_WHAT = r"(?P<what>[a-z][\w-]*(?: (?!and\b|with\b|along\b|who\b|that\b|which\b|without\b|whose\b|by\b|per\b)[\w'-]+){0,4}?)"
_NOUN = r"(?P<of>[a-z][\w-]*(?: (?!for\b|in\b|per\b|by\b|of\b|above\b|over\b|under\b|below\b|more\b|less\b|at\b|than\b)[a-z][\w-]*)?)"
_WITH = r",? (?:(?:along|together) )?with (?:the |their |its )?"
_AND = r",? (?:and|plus|and also) (?:their|its) "
_EACH = r"(?: (?:for|of) each(?: one| of them)?| each)?"
_WHEN = r"(?P<when>,? (?:(?:in|since|during|this|last) [\w ]+|(?:19|20)\d\d))?$"
_SHAPES = tuple(
    re.compile(f"{_LEAD}{_WHAT}{asked}{_EACH}{_WHEN}", re.IGNORECASE)
    for asked in (
        rf"(?:{_WITH}|{_AND})(?:total )?(?:numbers?|counts?|no\.?) of (?:the |their |its )?{_NOUN}",
        rf"(?:{_WITH}|{_AND}){_NOUN} counts?",
        rf",? (?:and|with|along with|together with|plus) how many {_NOUN} (?:(?:they|it|he|she|each|each of them|each one)(?: each)? (?:have|has|had|got|made|have had|has had)|there (?:are|were))",
        rf",? (?:and|with|along with|together with|plus) how many {_NOUN}(?= each)",
    )
)
"""Ways to ask for it."""

_ENDS_SO = re.compile(
    rf"\b(?:with (?:the |their |its )?|(?:and|plus) (?:their|its) )(?:total )?(?:number|count|no\.?) of (?:the |their |its )?{_NOUN}{_EACH}$"
    rf"|\b(?:with|and|plus) (?:their|its) {_NOUN.replace('<of>', '<of_2>')} count{_EACH}$"
    rf"|\w (?:and|with|plus) how many {_NOUN.replace('<of>', '<of_3>')} (?:they|each|each of them)(?: each)?(?: have| has| had)?$",
    re.IGNORECASE,
)
"""The same behind any words."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A question for a number of each thing, as one by groups; `things` is the table of those that get a row each."""

    text: str
    things: str

    def frame(self, frame: Frame) -> Frame | None:
        """Give the groups with those that have none; None where they are no such things, or another figure is told."""
        only = frame.measures[0] if len(frame.measures) == 1 else None
        if only is None or only.agg not in ("rows", "distinct") or frame.columns or len(frame.by) != 1:
            return None
        keys = frame.by[0].keys
        if len(keys) != 1 or keys[0].field.table != self.things or not keys[0].path:
            return None
        if only.agg != "rows" or only.where or not parted(frame, keys[0].path):
            return frame
        return replace(frame, with_empty=True)


def numbers_listed(text: str, source: Source) -> Listed | None:
    """Word such a question by groups; None where it is of another kind, or names no things of the source."""
    found = next(filter(None, (one.match(text.strip().rstrip("?.! ")) for one in _SHAPES)), None)
    named = source.vocabulary.table_named
    if found is None:
        return None
    words = found["what"].split()
    spans = [(n, m) for n in range(len(words)) for m in range(len(words), n, -1)]
    first, last = next(((n, m) for n, m in spans if named(" ".join(words[n:m]))), (0, 0))
    of = found["of"].lower()
    if not last or not (named(of) or named(of.split()[-1])):
        return None
    *head, noun = words[first:last]
    group = " ".join((*words[:first], *head, singular(noun), *words[last:]))
    many = of if singular(of) != of else plural_of(of)
    when = (found["when"] or "").lstrip(",")
    return Listed(f"number of {many}{when} per {group}", named(" ".join(words[first:last])))


def number_of_all(frame: Frame, text: str, source: Source) -> list[str]:
    """The number of each thing where a frame has no groups: one for all of them, or none."""
    found = _ENDS_SO.search(text.strip().rstrip("?.! ")) if not (frame.by or frame.having) else None
    of = found["of"] or found["of_2"] or found["of_3"] if found is not None else ""
    is_counted = bool(of) and bool(source.vocabulary.table_named(of.split()[-1]))
    return [f"number of {of}"] if is_counted and not _shows_number(frame) else []


def _shows_number(frame: Frame) -> bool:
    """Whether a list shows a number that is stored: "halls with their number of seats"."""
    return any(slot.field.role is Role.MEASURE for slot in frame.columns)
