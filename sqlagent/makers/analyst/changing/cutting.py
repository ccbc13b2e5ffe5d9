"""Cuts what was typed into the changes that it says, one after the other."""

from __future__ import annotations

import re

from sqlagent.language.lexicon import MONTH_PATTERN
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.intending import intent
from sqlagent.makers.analyst.changing.removing import is_named_by

_CUT = re.compile(
    r"\s*;\s*|\s*,\s*(?:and\s+|but\s+)?(?=(?:(?:year|quarter|month|week|day) by|(?:dearest|priciest|cheapest|newest|oldest|latest|earliest|longest|shortest|most expensive|least expensive|alphabetical(?:ly)?|ascending|descending)|group(?:ed)?|worst|best|largest|smallest|highest|lowest|only|just|by|per|in|for|since|before|after|until|between|sort(?:ed)?|top|bottom|with|without|split"
    r"|excluding|except|as|monthly|weekly|daily|yearly|quarterly|also|(?:19|20)\d\d)\b)|\s*,\s*(?=[^,]+\s+only$)|(?<!same)\s+but\s+(?=(?:only|just|by|per|in|for|since|without|top|as|split|sort(?:ed)?|group(?:ed)?)\b)"
    r"|\s+and\s+(?=(?:only|just|sort(?:ed)?)\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\s*,\s*(?:and\s+|but\s+)?(?=(?:no|not)\b)", re.IGNORECASE)
_NOT_BY = re.compile(
    r"^(?:and |but )?(?:no(?:t|t any more)?) (?:split )?(?:by|per) (?P<group>.+)$", re.IGNORECASE
)
_FOR_A_TIME = re.compile(
    rf"\s+(?=(?:for|in|since|during|before|after|from) (?:(?:19|20)\d\d|q[1-4]|{MONTH_PATTERN}|last|this)\b)",
    re.IGNORECASE,
)
_SPLIT_IT = re.compile(
    r"^(?:split|break|group)(?: (?:it|that|this|them))?(?: (?:down|up))? by\b", re.IGNORECASE
)
ONLY_BY = re.compile(
    r"^(?P<value>(?:now )?(?:only|just) (?!.*\b(?:number|count|average|total|sorted|ranked|top) )[\w' -]+?) (?P<group>(?:by|per|for each) [\w' -]+)$",
    re.IGNORECASE,
)
_GROUPS = re.compile(r"(?:and |now )?(?:by|per|split|group(?:ed)?)\b", re.IGNORECASE)


def cut(typed: str) -> list[str]:
    """The changes that one follow-up says, in turn: "only web, not germany" is two, "by category, not status" one."""
    parts = [part for part in _CUT.split(" ".join(typed.split()).strip(" ?.!")) if part]
    return [one for part in parts for one in (_DENIED.split(part) if not _GROUPS.match(part) else [part])]


def cut_finer(some: list[str]) -> list[str]:
    """Changes cut before a period that another group goes with, and a group behind a value: "by plan for 2026" and "only gold by month" are two."""
    return [one for part in some for one in _finer(part)]


def _finer(part: str) -> list[str]:
    if _GROUPS.match(_SPLIT_IT.sub("by", part)):
        return _FOR_A_TIME.split(part)
    found = ONLY_BY.match(part)
    return [found["value"], found["group"]] if found else [part]


def says_the_same(part: str, asked: Asked) -> bool:
    """Whether a later part of a change only says again what is left: "no comparison, just 2025", "drop the bookings, just revenue"."""
    text = intent(part).text.lower()
    return any(one.kind in ("period", "mention") and one.text.lower() == text for one in asked.stretches)


def is_gone(part: str, asked: Asked) -> bool:
    """Whether a later part of a change denies groups that went with the part before it: "just the total, not by month"."""
    denied = _NOT_BY.match(part)
    groups = [one.text for one in asked.stretches if one.kind == "by"]
    return denied is not None and not any(is_named_by(one, denied["group"]) for one in groups)
