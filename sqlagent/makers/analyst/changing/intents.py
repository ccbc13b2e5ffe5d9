"""The intent of a follow-up towards the question before it, and the words that all readers of one know."""

from __future__ import annotations

import re
from dataclasses import dataclass

_I = re.IGNORECASE
_LEAD = re.compile(
    r"^(?:ok(?:ay)?|so|now|please|pls|plz|then|well|great|thanks|thank you|cool|h+m+|ah|oh|actually|sorry|maybe|i meant?|(?:can|could|would) (?:you|we|i)(?: please)?|i want(?: to see)?"
    r"|i(?:'d| would) (?:like|prefer|rather see)(?: to see)?|i need|give me|get me|let(?:'s| me| us) see|show (?:it|them|this|that|me)|show|display|put|have|see|try"
    r"|make (?:it|that)|do (?:it|that)|change (?:it|that) to|switch to|filter (?:to|by|on|for)|restrict (?:it )?to|limit (?:it )?to|use|take|look at"
    r"|that as|it as|them as)\b[,\s]*",
    _I,
)
_TAIL = re.compile(
    r"(?<![,\s])[,\s]*\b(?:please|pls|plz|though|then|thanks|thx|thank you|again|for now|for a start|if possible|(?:will|would|should|'ll) (?:do|suffice|be (?:better|best|fine|enough|good|ok|nice|great))"
    r"|(?:is|are|was|were) (?:enough|fine|ok|okay|sufficient|better|best|good|plenty)|suffices?|would help|view)$",
    _I,
)
ADDS = re.compile(r"^(?:and|also|plus|add|include|but|in addition(?: to that)?)\b[,\s]*", _I)
"""Words with which something is added."""
SWAPS = re.compile(
    r"^(?:(?:and )?(?:what|how) about|what if (?:it was|we take)|(?:and )?(?:the )?same(?: thing| question| again)?(?: (?:but )?(?:for|in|with|by)| but)?|and for|instead|rather)\b[,\s]*",
    _I,
)
"""Words with which something takes the place of something."""
INSTEAD = re.compile(r"(?<![,\s])[,\s]*\b(?:instead|rather|this time|now)$", _I)
"""Words behind what takes the place of something."""
TOO = re.compile(
    r"(?<![,\s])[,\s]*\b(?:too|as well|also|in addition|on top|alongside|next to (?:it|them|that)|beside(?:s)? (?:it|them|that)|side by side)$",
    _I,
)
"""Words behind what is added."""
GONE = re.compile(
    r"^(?:remove|drop|ignore|clear|forget(?: about)?|undo|take (?:away|out)|leave (?:away|out)|get rid of|skip|lose|without)\s+(?:the|that|this)\s+(.+?)(?:\s+(?:filter|condition|limit|grouping|restriction|split|part|bit))?$"
    r"|^(?:remove|drop|ignore|clear|forget(?: about)?|undo|skip)\s+(.+?)(?:\s+(?:filter|condition|limit|grouping|restriction|split|part|bit))?$"
    r"|^(?:(?:for|over|across|in|back to)\s+)*(?:all(?: the)?|any|every)\s+(.+?)(?:\s+(?:again|together|combined|please))?$"
    r"|^not (?:by|per) (.+)$|^(?:the )?whole (period|time)$|^no (limit|comparison|comparisons|ranking|filter|filters|grouping|split|percent|percentages)(?: (?:any ?more|please|now))?$|^(?:whatever|regardless of|irrespective of|no matter)\s+(?:the\s+)?(.+)$",
    _I,
)
"""Takes something away; the group that matched is what goes."""
MONEY_OF_THEM = re.compile(
    r"(?:and |so |but )*(?:(?:how much|what)(?: money)?(?: (?P<kind>net|gross))?(?: in total)? (?:is|are|was|were|does|do|did) (?:that|it|this|those|these|they|them)(?: all)?"
    r"(?: (?:(?P<behind>net|gross)|worth|in money|in total|in all|altogether|overall|all together|add up to|come to|make|amount to|sum up to|total))*"
    r"|(?:what is |what's )?(?:the )?(?:total |overall )?(?:(?P<last>net|gross) )?(?:amount|value|sum|worth)(?: of (?:them|those|these|that|it))?(?: in total| instead)?|what(?: is|'s) the total)$",
    re.IGNORECASE,
)
"""Asks for the money of what was counted or listed."""
TOGETHER = "together"
"""The part to go of an intent that takes groups of a kind as one."""
ROUND = "the other way round"
"""The text of an intent that turns an order, however it was typed."""
PLAIN = "plain numbers"
"""The text of an intent that takes away how figures are shown, however it was typed."""
TOTAL = "in total"
"""The text of an intent that takes all groups away, however it was typed."""
GROWTH, CHANGE = "growth", "change"
"""The texts of intents that ask how far figures moved between the periods that are shown."""
_HALF = re.compile(r"^(?:in )?(?:the )?(first|second|last) half(?: of (?:the|that|this) year)?$", _I)
FORGET = re.compile(
    r"(?:(?:drop|remove|forget|ignore) (?:that|it|this)(?: again)?|forget about it|leave it|never ?mind)(?: please)?",
    re.IGNORECASE,
)
"""Takes away what was not understood; where all was, a step back in the thread."""
CHANGES = re.compile(
    r"^(?:and|also|plus|only|just|by|per|in|for|with|without|except|not|no|same|instead|top|bottom|vs|compared?|as|sort(?:ed)?|split|break|broken|group(?:ed)?|slice|drop|remove|include|exclude|excluding|leave|ignore|skip|compare|add|show|keep|but|plus|what about|how about|those|these|them|it|they|how many(?: (?:are|of|is))?$)\b",
    _I,
)
"""Words that a change of the question before begins with, and no question of its own."""
POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|those|these|that|this|there|ones?|else|same|such)\b", _I
)
"""Words that stand for what was said before."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", _I)
_TIMES = frozenset(
    f"{word}{ending}"
    for word in ("year", "month", "quarter", "week", "day", "time", "date", "period")
    for ending in ("", "s")
)


@dataclass(frozen=True, slots=True)
class Intent:
    """A follow-up without the words that only name the change. `way` is add, swap, narrow, gone, compare, sort, count (of what
    was listed), list (of what was counted), moved (how far figures did between two periods), extreme (the first of the groups that `old` names), each (on average for each of those that are named), summed (of what was listed), overall (another figure of all groups), beside (a column of what is shown) or nothing.

    `old` is the part to be replaced, where that was said. Of that part, `every` says that all of a kind is wanted again ("all cafes"),
    `once` that something left out comes back in. `others` are further wordings of the text, tried where the earlier ones fail; `figure` says that it asks for one,
    `back` that it was there before, `columns` names those of a list, `bare` that it says "in percent" and not of which.
    """

    text: str
    way: str = ""
    old: str = ""
    every: bool = False
    once: bool = False
    others: tuple[str, ...] = ()
    figure: bool = False
    back: bool = False
    bare: bool = False
    columns: str = ""

    @property
    def is_time(self) -> bool:
        """Whether what is to go is a period."""
        words = set(self.text.lower().split())
        return self.way == "gone" and bool(words & _TIMES or any(map(_YEAR.fullmatch, words)))

    @property
    def is_weekday(self) -> bool:
        """Whether what is to go is certain days of the week."""
        words = set(self.text.lower().split())
        return (
            self.way == "gone"
            and bool(words & {"day", "days", "weekday", "weekdays"})
            and not words & {"date", "dates"}
        )


def trimmed(text: str) -> str:
    """Drop what is said before and after a change for politeness."""
    before = ""
    while before != text:
        before, text = text, _TAIL.sub("", _LEAD.sub("", text)).strip(" ,")
    return text or before


def without_article(text: str) -> str:
    """Drop the article before what was typed; half a year is H1 or H2."""
    text = _ARTICLE.sub("", text.strip(" ,"))
    half = _HALF.match(text)
    return ("H1" if half[1].lower() == "first" else "H2") if half else text
