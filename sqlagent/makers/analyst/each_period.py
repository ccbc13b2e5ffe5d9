"""A figure of several periods that nobody adds up: "returns per 100 orders in 2024 and in 2025" is one figure for each year."""

from __future__ import annotations

import re

from sqlagent.language.lexicon import MONTH_PATTERN

_YEAR = r"(?:19|20)\d\d"
_PERIODS = {
    "year": _YEAR,
    "quarter": rf"q[1-4](?: {_YEAR})?",
    "month": rf"{MONTH_PATTERN}(?: {_YEAR})?",
}
_SHAPES = {
    grain: re.compile(
        rf"^(?P<head>.+?) (?P<when>(?:in|for|during) (?:the years? )?{period}(?:, {period})*,? and (?:(?:in|for|during) )?{period})(?: (?:by|per) (?P<group>(?!(?:day|date|week|weekday|month|quarter|year|hour)\b)[a-z][\w-]*(?: [a-z][\w-]*)?))?$",
        re.IGNORECASE,
    )
    for grain, period in _PERIODS.items()
}
_OTHERWISE = re.compile(
    r"\b(?:by|per (?!\d)|each|between|both|total|together|combined|altogether|overall|sum|who|which|that|whose|with|without|not|never|list|growth|change|compared?|vs|versus"
    r"|top|most|least|highest|lowest|best|worst|first|last|difference)\b",
    re.IGNORECASE,
)
"""Words of questions that group, add up or look for something in the periods."""


def each_period(text: str) -> str:
    """Word such a question as a figure by the grain of its periods; empty for any other question.

    Example:
        >>> each_period("revenue in 2024 and 2025"), each_period("total revenue in 2024 and 2025")
        ('revenue per year in 2024 and 2025', '')
    """
    text = text.strip().rstrip("?.! ")
    for grain, shape in _SHAPES.items():
        if (found := shape.match(text)) and not _OTHERWISE.search(found["head"]):
            group = f" and {found['group']}" if found["group"] else ""
            return f"{found['head']} per {grain}{group} {found['when']}"
    return ""
