"""From where to where a figure goes: a "price range" is the lowest and the highest price."""

from __future__ import annotations

import re

from sqlagent.makers.analyst.source import Source

_RANGE = re.compile(
    r"^(?:(?:what is|what's|show|show me|give me) )?(?:the )?(?P<figure>[a-z][a-z' -]{2,40}?) range(?P<rest> (?:by|per|in|of|for|for each) .+)?$",
    re.IGNORECASE,
)


def both_ends(text: str, source: Source) -> str:
    """Word the range of a figure as its two ends; empty where nothing of the kind is asked, and where the source calls something so."""
    found = _RANGE.match(text.strip().rstrip("?.! "))
    if found is None or source.vocabulary.targets([*found["figure"].lower().split()[-1:], "range"]):
        return ""
    return f"lowest and highest {found['figure']}{found['rest'] or ''}"
