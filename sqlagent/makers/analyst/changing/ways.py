"""The way of a change that its first or last words tell: to add, to take the place of something, to narrow, to leave out, to sort."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent.language.lexicon import MONTH_PATTERN
from sqlagent.makers.analyst.changing.intents import (
    ADDS,
    INSTEAD,
    SWAPS,
    TOO,
    Intent,
    trimmed,
    without_article,
)

_I = re.IGNORECASE
_NARROWS = re.compile(
    rf"^(?:only|just)(?: (?:for|in|from(?= (?:the )?(?:\d|{MONTH_PATTERN}\b|q[1-4]\b|last\b|this\b|now\b))|the|those|with))*\b\s*|\s+(?:only|alone)$",
    _I,
)
_COMPARED = re.compile(
    r"^(?:(?:how )?(?:do|does|did) (?:that|this|it|they|these|those) compare (?:to|with)|compared?(?: it| this| that)? (?:with|to|against)|(?:put )?next to|vs\.?|versus|against)\s+(.+)$",
    _I,
)
_SORTED = re.compile(
    r"^(?:sort|sorted|order|ordered|rank|ranked)(?:\s+(?:it|them|this|these|those|that))?\s+(.+)$", _I
)
_EXCEPT = re.compile(
    r"^(?:not|exclude|excluding|excl\.?|ex|except(?: for)?|without|w/o|minus|leave out|ignore|ignoring|no(?! ?shows?\b)|nobody from|nobody in|none from|no one from|nothing from)\s+(?!than\b|more\b)(.+)$"
    r"|^(?:leave|take|keep)\s+(.+?)\s+out$|^([\w' -]*?\b(?!\w+ed\b|sold\b|paid\b|bought\b|lent\b|taken\b|by\b|per\b)[\w'-]+)\s+(?:out|excluded|left out)$",
    _I,
)
_SPLIT = re.compile(
    r"^(?:split|break|broken|group|grouped|slice)(?:\s+(?:it|them|this|that))?(?:\s+(?:down|up|out|further))*\s+(?=by|per)",
    _I,
)
_COUNTED = re.compile(
    r"^how many (?!did|do|does|of)([\w' -]+?)(?: (?:did|do|does|were|was|are|is|have|has|had)\b.*)?$", _I
)
_LEAST = re.compile(r"^(?:the )?(\d+)\s+(best|worst|top|bottom|highest|lowest|largest|smallest)\b", _I)
_BARE_NUMBER = re.compile(r"^(?:it\s+)?(\d{1,3})$")
_THOSE = re.compile(
    r"^(?:those|the ones|ones|these|the rest)\s+(?=with|without|from|in|of|for|above|over|below)", _I
)
_ONES_OF_A_STATE = re.compile(r"^(?:the |all )?(?P<state>[\w-]+) ones?$", _I)
_PEOPLE_WHO = re.compile(
    r"^(?:the |all |any )?(?P<people>[\w-]+ (?:who|that|which)) (?P<verb>have|has|had|are|is|were|was) (?:already )?(?!not\b|never\b|no\b)(?P<rest>.+)$",
    _I,
)
_ONES = re.compile(r"\w\s+ones?$", _I)
_AND_A_YEAR = re.compile(r"and (?:19|20)\d\d", _I)
"""The same for another year: both are asked for with "also", "too" or "vs"."""


def in_own_form(text: str) -> Intent | None:
    """Read a comparison, an order, an exception or a bare number, which are said in a form of their own; None for any other text."""
    if found := _COMPARED.match(text):
        return Intent(f"vs {found[1]}", "compare")
    if found := _SORTED.match(text):
        return Intent(f"sorted {found[1]}", "sort")
    if found := _EXCEPT.match(text):
        rest = without_article(found[1] or found[2] or found[3])
        return Intent(f"without {rest}", "add", others=tuple(_denied(rest)))
    if found := _LEAST.match(text):
        return Intent(f"{found[2]} {found[1]}{text[found.end() :]}")
    if found := _BARE_NUMBER.match(text):
        return Intent(f"top {found[1]}")
    if _SPLIT.match(text):
        return Intent(_SPLIT.sub("", text), "add")
    return None


def _denied(rest: str) -> Iterator[str]:
    """Say what is left out as what the rows are not: "not cancelled" for cancelled ones, "who have not left" for those who have."""
    if found := _ONES_OF_A_STATE.match(rest):
        yield f"not {found['state']}"
    if found := _PEOPLE_WHO.match(rest):
        yield f"{found['people']} {found['verb']} not {found['rest']}"


def way_of(text: str, asks: bool) -> Intent:
    """Read whether something is added, takes the place of something, or narrows; `asks` says that a question mark ended the text."""
    way = ""
    if SWAPS.match(text):
        text, way = SWAPS.sub("", text), "swap"
    elif ADDS.match(text):
        bare = asks and len(text.split()) <= 4 or _AND_A_YEAR.fullmatch(text)
        way = "swap" if bare and text.lower().startswith("and ") else "add"
        text = trimmed(ADDS.sub("", text))
        if SWAPS.match(text):
            text, way = SWAPS.sub("", text), "swap"
    if TOO.search(text):
        text, way = TOO.sub("", text), "add"
    if INSTEAD.search(text):
        text, way = INSTEAD.sub("", text), "swap"
    text = _THOSE.sub("", text)
    counts = _COUNTED.match(text)
    if counts:
        text = f"number of {counts[1]}"
    if found := in_own_form(text):
        return replace(found, way=way) if way == "swap" and found.way != "sort" else found
    if _NARROWS.search(text):
        way = (
            "narrow" if way == "add" and _NARROWS.match(text) else way or "narrow"
        )  # "and only the paid ones"
        text = _NARROWS.sub("", text)
    if not way and _ONES.search(text):  # of what was asked for, never a group of it
        way = "narrow"
    return Intent(without_article(trimmed(text)), way, figure=bool(counts))
