"""Tails behind a dash or a colon: the columns of a list, or the figure and its groups.

"Orders not paid yet - number, customer, amount" lists three columns; "invoices of June - total by account" is a sum by account.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent.makers.analyst.frames import Frame

_DASH = r"\s*(?:\s[-–—]|:|;)\s+"
_NAME = r"(?:the |its |their )?[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}"
_COLUMNS = re.compile(
    rf"^(?P<rows>[^:;]{{6,}}?){_DASH}(?:show |with |give me |i need )?(?P<columns>{_NAME}(?:, (?:and )?{_NAME})*,? (?:and )?{_NAME})$",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    rf"^(?P<rows>[^:;]{{6,}}?)(?:{_DASH}|, )(?:show |and )?(?:the |their )?(?P<figure>total|sum|average|avg|mean|median)(?: amount| value)? (?:per|by|for each|for every) (?P<by>[\w' -]+)$",
    re.IGNORECASE,
)
_BOTH = re.compile(
    rf"^(?P<rows>(?!how\b)[^:;]+?)(?:{_DASH}|, )how many,? and (?:for )?(?:how much(?: money)?|(?:the |what |their )?(?:total )?(?:value|amount|sum|total))(?P<rest> (?:by|per|for|in|since|before|after)\b.*)?$",
    re.IGNORECASE,
)
_AND_WHAT = re.compile(
    rf"^(?P<rows>(?!how\b)[^:;]+?)(?:{_DASH}|, )how many,? and (?:what|which|how much) (?:is |are )?(?:the |their )?(?P<figure>[a-z][\w-]*(?: [a-z][\w-]*)?)(?: (?:in total|altogether|overall|all together|in all))(?P<rest> (?:by|per) .+)?$",
    re.IGNORECASE,
)
_HEADED = re.compile(
    r"^(?:(?:the |show |give me )*)(?:number|count) and (?:the )?(?:total |sum of )?(?P<figure>[a-z][\w-]*(?: [a-z][\w-]*)?)(?: total)? (?:of|for) (?:the |all )?(?P<rows>[^:;,]+)$",
    re.IGNORECASE,
)
_OF_EACH = re.compile(r"^(?P<by>[a-z][\w' -]{2,25}): (?P<asked>how many .+)$", re.IGNORECASE)
_GROUPED = re.compile(r"\b(?:by|per|each|every|how many|number of|total|average|share|vs)\b", re.IGNORECASE)
_LISTING = re.compile(r"^(?:list|show|which|what|who|find|give me)\b", re.IGNORECASE)
_SUMS = frozenset({"total", "sum", "average", "percentage", "share"})
_NOTHING = frozenset({"names", "name", "only", "please", "thanks", "all"})


def untailed(text: str) -> Iterator[tuple[str, bool]]:
    """Give a question with its tail worded into it, and whether it lists rows; nothing where it has none.

    Example:
        >>> list(untailed("orders not paid yet - number, customer and amount"))
        [('list orders not paid yet with their number, customer and amount', True)]
        >>> list(untailed("june invoices not paid yet - total by account"))
        [('total amount of june invoices not paid yet by account', False)]
        >>> list(untailed("drivers: how many trips in 2025"))
        [('how many trips in 2025 by drivers', False)]
        >>> list(untailed("returns by reason - how many and for how much"))
        [('returns by reason: number and amount', False)]
        >>> list(untailed("contracts ending in may, how many and what fee in total"))
        [('contracts ending in may: number and fee', False)]
        >>> list(untailed("number and total fee of open contracts"))
        [('open contracts: number and fee', False)]
        >>> list(untailed("revenue by month - 2024"))
        []
    """
    text = text.strip().rstrip("?.! ")
    if found := _BOTH.match(text):
        yield f"{found['rows']}{found['rest'] or ''}: number and amount", False
        return
    if found := _AND_WHAT.match(text):
        yield f"{found['rows']}{found['rest'] or ''}: number and {found['figure']}", False
        return
    if (found := _HEADED.match(text)) and found["figure"].lower() not in _SUMS:
        yield f"{found['rows']}: number and {found['figure']}", False
        return
    if found := _OF_EACH.match(text):
        yield f"{found['asked']} by {found['by']}", False
    if (found := _FIGURE.match(text)) and not _GROUPED.search(found["rows"]):
        yield f"{found['figure']} amount of {found['rows']} by {found['by']}", False
        return
    found = _COLUMNS.match(text)
    if found and not _GROUPED.search(found["rows"]) and found["columns"].lower() not in _NOTHING:
        rows = found["rows"] if _LISTING.match(found["rows"]) else f"list {found['rows']}"
        yield f"{rows} with their {found['columns']}", True


def shaped(frame: Frame, lists: bool, wording: str) -> Frame | None:
    """Give a frame that holds every word and lists rows or gives figures as its tail said, of a list the columns that were named; else None."""
    if frame.unused or bool(frame.measures) is lists:
        return None
    if not lists:
        return frame
    named = len(re.split(r",(?: and)? | and ", wording.rpartition(" with their ")[2]))
    return replace(frame, columns=frame.columns[-named:]) if len(frame.columns) == named + 1 else frame
