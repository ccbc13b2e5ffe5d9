"""What a follow-up means to do to the question before it: to add, to take the place of something, to narrow, to take away."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_I = re.IGNORECASE
_LEAD = re.compile(
    r"^(?:ok(?:ay)?|so|now|please|then|well|great|thanks|thank you|cool|h+m+|ah|oh|actually|sorry|maybe|(?:can|could|would) (?:you|we|i)(?: please)?|i want(?: to see)?"
    r"|i(?:'d| would) (?:like|prefer|rather see)(?: to see)?|i need|give me|get me|let(?:'s| me| us) see|show (?:it|them|this|that|me)|show|display|put|have|see|try"
    r"|make (?:it|that)|do (?:it|that)|change (?:it|that) to|switch to|filter (?:to|by|on|for)|restrict (?:it )?to|limit (?:it )?to|use|take|look at"
    r"|that as|it as|them as|back to)\b[,\s]*",
    _I,
)
_TAIL = re.compile(
    r"[,\s]*\b(?:please|though|then|thanks|thank you|again|for now|for a start|if possible|(?:will|would|should|'ll) (?:do|suffice|be (?:better|best|fine|enough|good|ok|nice|great))"
    r"|(?:is|are|was|were) (?:enough|fine|ok|okay|sufficient|better|best|good|plenty)|suffices?|would help|view)$",
    _I,
)
_ADDS = re.compile(r"^(?:and|also|plus|add|include|but|in addition(?: to that)?)\b[,\s]*", _I)
_SWAPS = re.compile(
    r"^(?:(?:and )?(?:what|how) about|what if (?:it was|we take)|(?:and )?(?:the )?same(?: thing| question| again)?(?: (?:but )?(?:for|in|with|by)| but)?|and for|instead|rather)\b[,\s]*",
    _I,
)
_NARROWS = re.compile(r"^(?:only|just)(?: (?:for|in|from|the|those|with))*\b\s*|\s+(?:only|alone)$", _I)
_INSTEAD = re.compile(r"[,\s]*\b(?:instead|rather|this time|now)$", _I)
_TOO = re.compile(
    r"[,\s]*\b(?:too|as well|also|in addition|on top|alongside|next to (?:it|them|that)|beside(?:s)? (?:it|them|that)|side by side)$",
    _I,
)
_GONE = re.compile(
    r"^(?:remove|drop|ignore|clear|forget(?: about)?|undo|take (?:away|out)|leave (?:away|out)|get rid of|skip|lose|without)\s+(?:the|that|this)\s+(.+?)(?:\s+(?:filter|condition|limit|grouping|restriction|split|part|bit))?$"
    r"|^(?:remove|drop|ignore|clear|forget(?: about)?|undo|skip)\s+(.+?)(?:\s+(?:filter|condition|limit|grouping|restriction|split|part|bit))?$"
    r"|^(?:(?:for|over|across|in|back to)\s+)*(?:all(?: the)?|any|every)\s+(.+?)(?:\s+(?:again|together|combined|please))?$"
    r"|^not (?:by|per) (.+)$|^(?:the )?whole (period|time)$|^no (limit)$|^(?:whatever|regardless of|irrespective of|no matter)\s+(?:the\s+)?(.+)$",
    _I,
)
_SWAPPED = (
    re.compile(r"^(?:replace|change|swap)\s+(?P<old>.+?)\s+(?:with|to|by|for)\s+(?P<new>.+)$", _I),
    re.compile(r"^(?P<new>.+?)\s+(?:instead of|rather than|in place of)\s+(?P<old>.+)$", _I),
    re.compile(r"^not (?P<old>.+?),? but (?P<new>.+)$", _I),
    re.compile(r"^instead of (?P<old>.+?),\s*(?P<new>.+)$", _I),
    re.compile(r"^(?P<new>[^,]+?),?\s+(?:and )?not (?:by |per )?(?:the )?(?P<old>[\w' -]+)$", _I),
)
_INSTEAD_OF = re.compile(r"^instead of\s+(.+)$", _I)
_COMPARED = re.compile(
    r"^(?:(?:how )?(?:do|does|did) (?:that|this|it|they|these|those) compare (?:to|with)|compared?(?: it| this| that)? (?:with|to|against)|(?:put )?next to|vs\.?|versus|against)\s+(.+)$",
    _I,
)
_SORTED = re.compile(
    r"^(?:sort|sorted|order|ordered|rank|ranked)(?:\s+(?:it|them|this|these|those|that))?\s+(.+)$", _I
)
_EXCEPT = re.compile(
    r"^(?:not|exclude|excluding|except(?: for)?|without|leave out|ignore|ignoring|no|nobody from|nobody in|none from|no one from|nothing from)\s+(?!than\b|more\b)(.+)$"
    r"|^(?:leave|take|keep)\s+(.+?)\s+out$",
    _I,
)
_SPLIT = re.compile(
    r"^(?:split|break|broken|group|grouped|slice)(?:\s+(?:it|them|this|that))?(?:\s+(?:down|up|out|further))*\s+(?=by|per)",
    _I,
)
_COUNTED = re.compile(r"^how many ([\w' -]+?)(?: (?:did|do|does|were|was|are|is|have|has|had)\b.*)?$", _I)
_LEAST = re.compile(r"^(\d+)\s+(best|worst|top|bottom|highest|lowest|largest|smallest)\b", _I)
_BARE_NUMBER = re.compile(r"^(?:it\s+)?(\d{1,3})$")
_THOSE = re.compile(
    r"^(?:those|the ones|ones|these|the rest)\s+(?=with|without|from|in|of|for|above|over|below)", _I
)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", _I)
_TIMES = frozenset(
    f"{word}{ending}"
    for word in ("year", "month", "quarter", "week", "day", "time", "date", "period")
    for ending in ("", "s")
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
    text = _trimmed(" ".join(typed.split()).strip(" ?.!,"))
    if found := next((found for one in _SWAPPED if (found := one.match(text))), None):
        return Intent(_bare(found["new"]), "swap", _bare(found["old"]))
    if found := _GONE.match(text):
        return Intent(_bare(next(one for one in found.groups() if one)), "gone")
    beside = bool(_TOO.search(text))
    special = _special(_TOO.sub("", text))
    return (
        (replace(special, way="add") if beside and special.way != "sort" else special)
        if special
        else _way(text, asks)
    )


def _trimmed(text: str) -> str:
    """Drop what is said before and after a change for politeness."""
    before = ""
    while before != text:
        before, text = text, _TAIL.sub("", _LEAD.sub("", text)).strip(" ,")
    return text or before


def _special(text: str) -> Intent | None:
    """Changes that are said in a form of their own."""
    if found := _COMPARED.match(text):
        return Intent(f"vs {found[1]}", "compare")
    if found := _SORTED.match(text):
        return Intent(f"sorted {found[1]}", "sort")
    if found := _EXCEPT.match(text):
        return Intent(f"without {_bare(found[1] or found[2])}", "add")
    if found := _LEAST.match(text):
        return Intent(f"{found[2]} {found[1]}{text[found.end() :]}")
    if found := _BARE_NUMBER.match(text):
        return Intent(f"top {found[1]}")
    if _SPLIT.match(text):
        return Intent(_SPLIT.sub("", text), "add")
    return None


def _way(text: str, asks: bool) -> Intent:
    """Whether something is added, takes the place of something, or narrows."""
    way = ""
    if _SWAPS.match(text):
        text, way = _SWAPS.sub("", text), "swap"
    elif _ADDS.match(text):
        way = "swap" if asks and text.lower().startswith("and ") and len(text.split()) <= 4 else "add"
        text = _trimmed(_ADDS.sub("", text))
        if _SWAPS.match(text):
            text, way = _SWAPS.sub("", text), "swap"
    if _TOO.search(text):
        text, way = _TOO.sub("", text), "add"
    if _INSTEAD.search(text):
        text, way = _INSTEAD.sub("", text), "swap"
    text = _THOSE.sub("", text)
    if found := _COUNTED.match(text):
        text = f"number of {found[1]}"
    if special := _special(text):
        return replace(special, way=way) if way == "swap" and special.way != "sort" else special
    if _NARROWS.search(text):
        text, way = _NARROWS.sub("", text), way or "narrow"
    return Intent(_bare(_trimmed(text)), way)


def _bare(text: str) -> str:
    return _ARTICLE.sub("", text.strip(" ,"))


def swapped_for(typed: str) -> str:
    """What follows "instead of" where no mark tells the old from the new; empty where nothing does."""
    found = _INSTEAD_OF.match(" ".join(typed.split()).strip(" ?.!,"))
    return found[1] if found else ""
