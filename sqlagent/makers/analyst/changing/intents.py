"""What a follow-up means to do to the question before it: to add, to take the place of something, to narrow, to take away."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_LEAD = re.compile(
    r"^(?:ok(?:ay)?|so|now|please|then|well|great|thanks|thank you|cool|hmm|actually|can you|could you|would you|i want(?: to see)?|i'd like(?: to see)?"
    r"|give me|let's see|let me see|show (?:it|them|this|that|me)|show|make (?:it|that)|do (?:it|that)|try|see|change (?:it|that) to|switch to|filter (?:to|by|on)"
    r"|restrict (?:it )?to|limit (?:it )?to|use)\b[,\s]*",
    re.IGNORECASE,
)
_ADDS = re.compile(r"^(?:and|also|plus|add|include|but|in addition(?: to that)?)\b[,\s]*", re.IGNORECASE)
_SWAPS = re.compile(
    r"^(?:(?:and )?(?:what|how) about|what if (?:it was|we take)|(?:and )?(?:the )?same(?: thing| question)?(?: (?:but )?(?:for|in|with|by)| but)?|and for|instead)\b[,\s]*",
    re.IGNORECASE,
)
_NARROWS = re.compile(r"^(?:only|just)(?: (?:for|in|from|the))*\b\s*|\s+(?:only|alone)$", re.IGNORECASE)
_INSTEAD = re.compile(r"[,\s]*\b(?:instead|rather|this time|now)$", re.IGNORECASE)
_TOO = re.compile(r"[,\s]*\b(?:too|as well|also|in addition)$", re.IGNORECASE)
_POLITE = re.compile(r"[,\s]*\b(?:please|though|then|thanks)$", re.IGNORECASE)
_GONE = re.compile(
    r"^(?:remove|drop|ignore|clear|forget(?: about)?|undo|take (?:away|out)|leave (?:away|out)|get rid of|skip)\s+(?:the\s+)?(.+?)"
    r"(?:\s+(?:filter|condition|limit|grouping|restriction|split|part))?(?:\s+again)?$"
    r"|^without the (.+?) (?:filter|condition|limit|grouping|restriction|split)$"
    r"|^(?:(?:for|over|across|in|back to)\s+)*(?:all(?: the)?|any|every)\s+(.+?)(?:\s+again|\s+together|\s+combined)?$"
    r"|^not (?:by|per) (.+)$|^(?:the )?whole (period|time)$|^no (limit)$",
    re.IGNORECASE,
)
_SWAPPED = re.compile(
    r"^(?:replace|change|swap)\s+(?P<a>.+?)\s+(?:with|to|by|for)\s+(?P<b>.+)$|^(?P<d>.+?)\s+(?:instead of|rather than)\s+(?P<c>.+)$|^not (?P<e>.+?),? but (?P<f>.+)$"
    r"|^instead of (?P<g>.+?),\s*(?P<h>.+)$",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(r"^instead of\s+(.+)$", re.IGNORECASE)
_COMPARED = re.compile(
    r"^(?:compared?(?: it| this| that)? (?:with|to|against)|vs\.?|versus|against)\s+(.+)$", re.IGNORECASE
)
_SORTED = re.compile(
    r"^(?:sort|sorted|order|ordered|rank|ranked)(?:\s+(?:it|them|this|these|those|that))?\s+(.+)$",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"^(?:not|exclude|excluding|except(?: for)?|without|leave out|ignore|ignoring|no)\s+(?!than\b|more\b)(.+)$",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"^(?:split|break|broken|group|grouped|slice)(?:\s+(?:it|them|this|that))?(?:\s+(?:down|up|out|further))*\s+(?=by|per)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_TIMES = frozenset(
    [
        "year",
        "years",
        "month",
        "months",
        "quarter",
        "quarters",
        "week",
        "weeks",
        "day",
        "days",
        "time",
        "times",
        "date",
        "dates",
        "period",
        "periods",
    ]
)


@dataclass(frozen=True, slots=True)
class Intent:
    """What was typed without the words that only say what to do with it. `way` is add, swap, narrow, gone, compare, sort or nothing.

    `old` is what is to go for it, where that was said.
    """

    text: str
    way: str = ""
    old: str = ""

    @property
    def is_time(self) -> bool:
        """Whether what is to go is a period."""
        return self.way == "gone" and bool(set(self.text.lower().split()) & _TIMES)


def intent(typed: str) -> Intent:
    """Read what a follow-up, or a part of one, is about to do.

    Example:
        >>> intent("and what about Norway?"), intent("by month instead").way, intent("all years again").way
        (Intent(text='Norway', way='swap', old=''), 'swap', 'gone')
    """
    asks = typed.rstrip().endswith("?")
    text = _POLITE.sub("", " ".join(typed.split()).strip(" ?.!,"))
    text = _LEAD.sub("", _LEAD.sub("", text))
    if found := _SWAPPED.match(text):
        old, new = (
            found[a] or found[c] or found[e] or found[g]
            for a, c, e, g in (("a", "c", "e", "g"), ("b", "d", "f", "h"))
        )
        return Intent(_bare(new), "swap", _bare(old))
    if found := _GONE.match(text):
        return Intent(_bare(next(one for one in found.groups() if one)), "gone")
    way = ""
    if _SWAPS.match(text):
        text, way = _SWAPS.sub("", text), "swap"
    elif _ADDS.match(text):
        way = "swap" if asks and text.lower().startswith("and ") and len(text.split()) <= 4 else "add"
        text = _LEAD.sub("", _ADDS.sub("", text))
        if _SWAPS.match(text):
            text, way = _SWAPS.sub("", text), "swap"
    if _TOO.search(text):
        text, way = _TOO.sub("", text), "add"
    if _INSTEAD.search(text):
        text, way = _INSTEAD.sub("", text), "swap"
    made = Intent(text, way)
    if found := _COMPARED.match(text):
        return Intent(f"vs {found[1]}", "compare")
    if found := _SORTED.match(text):
        return Intent(f"sorted {found[1]}", "sort")
    if found := _EXCEPT.match(text):
        return Intent(f"without {_bare(found[1])}", "add")
    if _SPLIT.match(text):
        return Intent(_SPLIT.sub("", text), way or "add")
    if _NARROWS.search(text):
        made = replace(made, text=_NARROWS.sub("", text), way=way or "narrow")
    return replace(made, text=_bare(made.text))


def _bare(text: str) -> str:
    return _ARTICLE.sub("", text.strip(" ,"))


def swapped_for(typed: str) -> str:
    """What follows "instead of" where no mark tells the old from the new; empty where nothing does."""
    found = _INSTEAD_OF.match(" ".join(typed.split()).strip(" ?.!,"))
    return found[1] if found else ""
