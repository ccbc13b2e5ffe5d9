"""Things that a table only links: "vans tagged both cold and tall" are vans with tags, and no rows of the link called van tags."""

from __future__ import annotations

import re

from sqlagent.language.words import plural_of, singular, stem
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_FIRST = re.compile(
    r"^(?P<before>(?:(?:list|show|which|how many|number of|all|the|our|count) )*)(?P<who>[a-z][\w-]*) (?P<said>[a-z][\w-]*)(?P<rest> .+)?$",
    re.IGNORECASE,
)
_JOINS_ON = re.compile(r"^ (?:to|with|as|for|against|by|in) ", re.IGNORECASE)
_LONG = 3
"""Letters that a noun and its adjective share at least: tag, tagged; allergy, allergic."""


def linked_by_deeds(text: str, source: Source) -> str:
    """Word "vans tagged cold" as vans with tags; any other text as it is."""
    found = _FIRST.match(text.strip())
    if found is None or found["who"].lower() == singular(found["who"].lower()):
        return text
    who, said = found["who"].lower(), found["said"].lower()
    named = [t for t in source.vocabulary.targets([who, said])[:1] if t.kind == "thing"]
    mine = {t.table for t in source.vocabulary.targets([who])[:2] if t.kind == "thing" and t.cost <= SURE}
    if not named or named[0].table in mine:
        return text
    out = source.graph.out[named[0].table]
    other = [one.target for one in out if one.target not in mine]
    if len(out) != 2 or len(other) != 1:
        return text
    noun = source.model.things[other[0]].said
    if said in (noun, singular(noun), plural_of(singular(noun))) or not _is_form(said, singular(noun)):
        return text
    rest = _JOINS_ON.sub(" ", found["rest"] or "")
    return f"{found['before']}{found['who']} with {plural_of(singular(noun))}{rest}"


def _is_form(word: str, noun: str) -> bool:
    """Whether a word is made of a noun.

    Example:
        >>> _is_form("tagged", "tag"), _is_form("allergic", "allergy"), _is_form("rented", "tag")
        (True, True, False)
    """
    short = stem(noun).rstrip("yi")
    return len(short) >= _LONG and word.startswith(short)
