"""Rows that point at rows of their own table: which supervisor has the most people, customers that are parents of others, who referred others.

Such questions are worded as groups by that relation, which the frames know: "number of staff by supervisor, top 1".
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Relation
from sqlagent.language.words import plural_of, split_name, stem
from sqlagent.makers.analyst.source import Source

_LEADER = re.compile(
    r"^(?:which|what) (?P<role>[a-z][\w-]*) has (?:the )?(?P<way>most|fewest) (?P<whom>[a-z][\w-]*)(?: (?:under|below|reporting to|working for) (?:him|her|them|him or her|it))?$",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"^(?:which |list |show )?(?:the |our )?(?P<noun>[a-z][\w-]*)(?: (?:that|who|which))?(?: are| is)? (?P<role>[a-z][\w-]*) (?:of|to) (?P<bound>at least|more than) (?P<count>\w+) other (?P<again>[a-z][\w-]*)(?:,? and how many(?: [a-z]+)?(?: each)?)?$",
    re.IGNORECASE,
)
_DID = re.compile(
    r"^(?:which |list |show )?(?:the |our )?(?P<noun>[a-z][\w-]*) (?:that |who |which )?(?:have )?(?P<role>[a-z]+ed) (?P<bound>at least |more than |over )?(?P<count>\w+)(?P<more> or more)? other (?P<again>[a-z][\w-]*)$",
    re.IGNORECASE,
)
_BELONGS = re.compile(
    r"^(?:which|what) (?P<noun>[a-z][\w-]*) (?:belong to|have|report to) an? (?P<role>[a-z][\w-]*)(?: (?P<again>[a-z][\w-]*))?,? and (?:to )?(?:which|who|what)(?: one)?(?: is (?:it|that))?$",
    re.IGNORECASE,
)
_PEOPLE = frozenset(
    map(stem, ["people", "person", "staff", "employee", "report", "colleague", "subordinate", "member"])
)


def among_themselves(text: str, source: Source) -> str:
    """Word such a question as groups of a relation; empty where it is no such question, or no table points at itself so."""
    text = text.strip().rstrip("?.! ")
    if found := _LEADER.match(text):
        one = _relation(found["role"], found["whom"], source)
        way = "top" if found["way"].lower() == "most" else "bottom"
        return f"number of {_plural(one, source)} by {found['role']}, {way} 1" if one is not None else ""
    if found := _OF_OTHERS.match(text):
        one = _relation(found["role"], found["noun"], source)
        return f"number of {_plural(one, source)} by {found['role']}, {found['bound']} {found['count']}" if one is not None and stem(found["noun"]) == stem(found["again"]) else ""  # fmt: skip
    if found := _DID.match(text):
        one = _relation(found["role"], found["noun"], source)
        if one is None or stem(found["noun"]) != stem(found["again"]):
            return ""
        bound = "at least" if found["more"] else (found["bound"] or "exactly").strip()
        return f"number of {_plural(one, source)} per {' '.join(split_name(one.columns[0]))}, {bound} {found['count']}"
    if found := _BELONGS.match(text):
        one = _relation(found["role"], found["noun"], source)
        return f"{_plural(one, source)} with their {found['role']}" if one is not None else ""
    return ""


def _relation(role: str, whom: str, source: Source) -> Relation | None:
    """The one relation of a table to itself whose column bears a role, where the rows are those that were named, or people of any kind."""
    found = [
        one
        for one in source.model.relations
        if one.source == one.target and len(one.columns) == 1
        if stem(role.lower()) in map(stem, split_name(one.columns[0]))
        if stem(whom.lower()) in {*source.model.things[one.source].noun, *_PEOPLE}
    ]
    return found[0] if len(found) == 1 else None


def _plural(one: Relation, source: Source) -> str:
    return plural_of(source.model.things[one.source].said)
