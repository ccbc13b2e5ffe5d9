"""How much of a total the greatest few have: "what share of revenue comes from our top 10 customers".

Such a question is the figure by the thing that is named, of which the greatest few are kept as their share of all.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.makers.analyst.frames import Frame

_PART = r"(?:share|percentage|percent|per cent|proportion|part|fraction|%)"
_MANY = r"(?:\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twenty|fifty)"
_GREAT = r"(?:top|best|biggest|largest|greatest|highest|main)(?:[ -](?:selling|spending|paying|earning|performing))?"
_FEW = rf"(?:the |our |my |all )*(?:{_GREAT} (?P<count>{_MANY})|(?P<count_2>{_MANY}) {_GREAT}) (?P<thing>[a-z][\w'-]*(?: [a-z][\w'-]*)??)"
_WHEN = r"(?P<when>(?: in| during| for| since| this| last)? ?(?:(?:the )?(?:this|last) (?:year|quarter|month)|(?:q[1-4] )?(?:19|20)\d\d|since .+))?"
_HOLD = r"(?:make up|makes up|made up|account for|accounts for|accounted for|represent|represented|bring in|brought in|generate|generated|contribute|contributed|have|had|hold|give|gave|bring|brought)"
_FIGURE = r"(?:the |our |all |total |all our )*(?P<figure>[\w' -]+?)"

_SHAPES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?:what|which|how (?:big|large) an?|the)?\s*{_PART} of {_FIGURE} (?:that )?(?:(?:does|did|do|is|are|was|were|has|have)\s+)?"
        rf"(?:come|comes|came|coming|made|generated|earned|brought in|held|with|from|by|due)\s*(?:up |from |by |to |in |with )*{_FEW}{_WHEN}$",
        rf"^(?:what|which|how (?:big|large) an?)\s*{_PART} of {_FIGURE} (?:do|does|did) {_FEW} {_HOLD}{_WHEN}$",
        rf"^how much of {_FIGURE} (?:comes?|came|is|was|do|does|did) (?:from |made by |with )?{_FEW}(?: {_HOLD})?{_WHEN}$",
        rf"^(?:the )?{_FEW} as (?:a |an? )?{_PART} of {_FIGURE}{_WHEN}$",
    )
)  # fmt: skip


def concentrated(text: str) -> tuple[str, int] | None:
    """Give the figure by its things, and how many of the greatest hold the share that is asked for; None for any other question.

    Example:
        >>> concentrated("What share of revenue comes from our top 10 customers?")
        ('revenue by customers', 10)
        >>> concentrated("what percentage of sales did the five biggest stores make up in 2024")
        ('sales by stores in 2024', 5)
        >>> concentrated("what share of orders comes from the web") is None
        True
    """
    text = text.strip().rstrip("?.! ")
    for shape in _SHAPES:
        if found := shape.match(text):
            said = (found["count"] or found["count_2"]).lower()
            count = int(NUMBER_WORDS.get(said, said))
            if count:
                return f"{found['figure']} by {found['thing']}{found['when'] or ''}", count
    return None


def of_the_greatest(frame: Frame, count: int) -> Frame | None:
    """Give a frame of one figure by one thing as the share of the greatest few; None of any other, and of what does not add up."""
    adds = len(frame.measures) == 1 and frame.measures[0].agg in ("rows", "sum", "distinct")
    plain = not (frame.transform or frame.pivot or frame.per or frame.having or frame.with_empty)
    if not adds or not plain or len(frame.by) != 1 or frame.by[0].grain or frame.limit is not None:
        return None
    return replace(frame, transform="concentration", limit=count, order=None)
